package avx512

import (
	"fmt"

	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Options select processor features and disable optimizations of scalar code that rely on
// branch prediction and are usually, but not always, faster.
type Options struct {
	V3             bool // scalar code is for processors with AVX2 but without AVX-512 (x86-64-v3)
	SharedDispatch bool // a loop with a jump table has one copy of the table jump
	KeepSelects    bool // selects that control a loop are not turned into branches
	// GathersFast means that a gather is faster than loading its elements one by
	// one.
	GathersFast bool
	// FetchAhead makes scalar code prefetch rows of later work-items.
	FetchAhead bool
	// VNNI means that the processor has AVX512_VNNI.
	VNNI bool
}

// Compile compiles a vector function to machine code.
//
// maintains: f
func Compile(f *vir.Func, opt Options) (*Code, error) {
	target := TargetOf(f)
	switch {
	case opt.V3:
		target = TargetV3
	case opt.VNNI:
		target.Has = hasVNNI
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
		return nil, fmt.Errorf("avx512: %s: the code requires AVX-512", f.Name)
	}
	code.Stats.Branched, code.Stats.Singly, code.Stats.Fetched, code.Called = branched, m.singly, m.fetched, f.ABI()
	return code, nil
}
