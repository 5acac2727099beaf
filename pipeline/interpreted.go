package pipeline

import (
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/vir"
)

// virTarget interprets the vector IR.
var virTarget = targets.Target{
	Name: VIR, Emit: "vir", Widths: []int{1, 4, 8, 16, 32, 64},
	Costs: &avx512.Costs, CostsByCPU: avx512.CostsByCPU,
	DisabledPasses: func(width int, o targets.Options) []string {
		return append(avx512.GatherAlternatives(width, o.Processor), "dotproducts")
	},
	Compile: func(f *vir.Func, _ targets.Options) (targets.Code, error) { return virCode{f: f}, nil },
}

// interpreterTarget interprets the kernel IR.
var interpreterTarget = targets.Target{Name: Interpreter, Emit: "kernel", Scalar: true}

// virCode is vector IR to be interpreted.
type virCode struct {
	targets.Unreported
	f *vir.Func
}

// ABI describes the calling convention.
func (c virCode) ABI() vir.ABI { return c.f.ABI() }
