package avx2

import (
	"fmt"

	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Options select the forms that are fastest on a processor, and disable optimizations of scalar
// code that rely on branch prediction and are usually, but not always, faster.
type Options struct {
	SharedDispatch bool // a loop with a jump table has one copy of the table jump
	KeepSelects    bool // selects that control a loop are not turned into branches
	// GathersFast means that a gather is faster than loading its elements one by one.
	GathersFast bool
	// StoresFast means that a masked store is about as fast as a test of its mask.
	StoresFast bool
	// Context has the settings of the passes; nil for the defaults.
	Context *pass.Context
}

// Compile compiles a vector function to machine code.
//
// maintains: f
func Compile(f *vir.Func, opt Options) (*x86.Code, error) {
	c, stats := &pass.Context{}, pass.Stats{}
	if opt.Context != nil {
		*c = *opt.Context
	}
	c.Stats = stats
	legal, err := pass.Convert(c, legalizeStage, Name, func() (*vir.Func, error) { return legalize.Func(f, legalFor(opt)) }, vir.Verify)
	if err != nil {
		return nil, err
	}
	prepared := &legalFunc{Func: legal, keepSelects: opt.KeepSelects}
	if err := legalPasses.Run(prepared, c); err != nil {
		return nil, err
	}
	m, err := pass.Convert(c, selectStage, Name, func() (*x86.Func, error) { return selectFunc(prepared.Func, opt) }, nil)
	if err != nil {
		return nil, err
	}
	code, err := x86.Emit(m, f.Name, c)
	if err != nil {
		return nil, err
	}
	if code.Level > asm.V3 {
		return nil, fmt.Errorf("%s: %s: the code requires AVX-512", Name, f.Name)
	}
	code.Stats.Branched, code.Called = stats[statBranched], f.ABI()
	code.Stats.Resized = count(prepared.Func, func(v *vir.Value) bool { return v.Op == vir.Resize })
	code.Stats.Whole = count(prepared.Func, func(v *vir.Value) bool { return v.Readable && !isel.AllLanes(v.Args[1]) })
	return code, nil
}

// count returns the number of operations of f that is accepts.
func count(f *vir.Func, is func(*vir.Value) bool) (n int) {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if is(v) {
				n++
			}
		}
	}
	return n
}
