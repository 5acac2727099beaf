package avx512

import (
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Options select processor features and disable optimizations of scalar code that rely on
// branch prediction and are usually, but not always, faster.
type Options struct {
	SharedDispatch bool // a loop with a jump table has one copy of the table jump
	KeepSelects    bool // selects that control a loop are not turned into branches
	// GathersFast means that a gather is faster than loading its elements one by
	// one.
	GathersFast bool
	// Context has the settings of the passes; nil for the defaults.
	Context *pass.Context
	// VNNI means that the processor has AVX512_VNNI.
	VNNI bool
}

// Compile compiles a vector function to machine code.
//
// maintains: f
func Compile(f *vir.Func, opt Options) (*x86.Code, error) {
	target := legalOf(f)
	if opt.VNNI {
		target.Has = hasVNNI
	}
	c, stats := &pass.Context{}, pass.Stats{}
	if opt.Context != nil {
		*c = *opt.Context
	}
	c.Stats = stats
	legal, err := pass.Convert(c, legalizeStage, Name, func() (*vir.Func, error) { return legalize.Func(f, target) }, vir.Verify)
	if err != nil {
		return nil, err
	}
	prepared := &legalFunc{Func: legal, keepSelects: opt.KeepSelects}
	if err := legalPasses.Run(prepared, c); err != nil {
		return nil, err
	}
	m, err := pass.Convert(c, selectStage, Name, func() (*x86.Func, error) { return selectFunc(prepared.Func, prepared.counted, opt) }, nil)
	if err != nil {
		return nil, err
	}
	code, err := x86.Emit(m, f.Name, c)
	if err != nil {
		return nil, err
	}
	code.Stats.Branched, code.Called = stats[statBranched], f.ABI()
	return code, nil
}
