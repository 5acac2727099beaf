package avx512

import (
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Name is the name of the target.
const Name = "avx512"

// Target is AVX-512, whose masks are in registers of their own.
var Target = targets.Target{
	Name: Name, Emit: "asm", Widths: []int{1, 4, 8, 16, 32, 64},
	Legal: legalOf, Costs: &Costs, CostsByCPU: CostsByCPU,
	DisabledPasses: func(width int, o targets.Options) []string {
		// Masked additions cost no more than others, and one instruction compares all lanes.
		out := append(GatherAlternatives(width, o.Processor), "countmasks", "edgelanes")
		if !o.VNNI { // a dot product would be expanded again
			out = append(out, "dotproducts")
		}
		return out
	},
	Forms: targets.Forms(), Level: asm.V4, VNNI: true,
	Compile: func(f *vir.Func, o targets.Options) (targets.Code, error) {
		return compile(f, o, Options{GathersFast: gathersFast(o.Processor), VNNI: o.VNNI})
	},
	Passes: Passes, Outputs: x86.Outputs,
}

// CostsByCPU has the costs for processors other than Zen 4.
var CostsByCPU = map[string]*plan.Costs{targets.Zen5: &CostsZen5, targets.GoldenCove: &CostsGoldenCove}

// gathersFast reports whether a processor's gather instructions are faster than the
// equivalent scalar loads.
func gathersFast(processor string) bool { return processor == targets.GoldenCove }

// GatherAlternatives lists the passes to disable at a width because of the costs of gathers on a
// processor. With fast gathers, vectors assembled from scalar loads do not pay off, nor small
// tiles for few lanes.
func GatherAlternatives(width int, processor string) []string {
	const fewLanes = 8
	switch {
	case !gathersFast(processor):
		return nil
	case width <= fewLanes:
		return []string{"gatherreductions", "tiles"}
	}
	return []string{"gatherreductions"}
}

// compile is Compile with the settings of o.
func compile(f *vir.Func, o targets.Options, options Options) (targets.Code, error) {
	options.SharedDispatch, options.KeepSelects = o.Form == targets.Switch, o.Form == targets.Selects
	options.Context = o.Context
	c, err := Compile(f, options)
	if err != nil {
		return nil, err
	}
	return c, nil
}
