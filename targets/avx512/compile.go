package avx512

import (
	"fmt"

	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Options are what the processor is like, and what code of one lane leaves undone that is
// mostly, not always, faster: it trusts that processors guess well.
type Options struct {
	V3             bool // code of one lane is for processors without AVX-512, with AVX2 (x86-64-v3)
	SharedDispatch bool // a loop that jumps through a table does it in one place
	KeepSelects    bool // selects that steer a loop stay selects
	// GathersFast says that the processor gathers in less time than it takes to load
	// the elements one by one.
	GathersFast bool
	// FetchAhead says that code of one lane should ask for rows of later work-items.
	FetchAhead bool
}

// Compile turns a vector function into machine code.
//
// maintains: f
func Compile(f *vir.Func, opt Options) (*Code, error) {
	target := TargetOf(f)
	if opt.V3 {
		target = TargetV3
	}
	legal, err := legalize.Func(f, target)
	if err != nil {
		return nil, err
	}
	counted := prepareFunc(legal)
	branched := 0
	if !opt.KeepSelects {
		branched = branchSelects(legal)
	}
	m, err := selectFunc(legal, counted, opt)
	if err != nil {
		return nil, err
	}
	m.sharedDispatch = opt.SharedDispatch
	code, err := emitCode(m, f.Name)
	if err != nil {
		return nil, err
	}
	if opt.V3 && code.Level > asm.V3 {
		return nil, fmt.Errorf("avx512: %s: it takes AVX-512", f.Name)
	}
	code.Stats.Branched, code.Stats.Singly, code.Stats.Fetched, code.Called = branched, m.singly, m.fetched, f.ABI()
	return code, nil
}
