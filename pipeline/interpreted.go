package pipeline

import (
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/vir"
)

// virTarget interprets the vector IR.
var virTarget = target{
	name: VIR, emit: "vir", widths: []int{1, 4, 8, 16, 32, 64},
	costs: &avx512.Costs, costsByCPU: map[string]*plan.Costs{Zen5: &avx512.CostsZen5, GoldenCove: &avx512.CostsGoldenCove}, generate: generateVIR,
}

// interpreterTarget interprets the kernel IR.
var interpreterTarget = target{name: Interpreter, emit: "kernel", scalar: true}

// virCode is vector IR to be interpreted.
type virCode struct {
	unreported
	f        *vir.Func
	maxSteps uint64
}

func generateVIR(v *variant, f *vir.Func) (code, error) {
	return virCode{f: f, maxSteps: v.k.shared.prog.MaxSteps}, nil
}

func (c virCode) executor(p launch.Program) (launch.Executor, error) {
	return launch.NewVIRInterpreter(p, c.f, c.maxSteps), nil
}

func (c virCode) abi() vir.ABI { return c.f.ABI() }
