package avx512

import (
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Options are what code of one lane leaves undone that is mostly, not always, faster:
// it trusts that processors guess well.
type Options struct {
	SharedDispatch bool // a loop that jumps through a table does it in one place
	KeepSelects    bool // selects that steer a loop stay selects
}

// Compile turns a vector function into machine code.
//
// maintains: f
func Compile(f *vir.Func, opt Options) (*Code, error) {
	legal, err := legalize.Func(f, Target)
	if err != nil {
		return nil, err
	}
	counted := prepareFunc(legal)
	branched := 0
	if !opt.KeepSelects {
		branched = branchSelects(legal)
	}
	m, err := selectFunc(legal, counted)
	if err != nil {
		return nil, err
	}
	m.sharedDispatch = opt.SharedDispatch
	code, err := emitCode(m, f.Name)
	if err == nil {
		code.Stats.Branched, code.Called = branched, f.ABI()
	}
	return code, err
}
