package avx2

import (
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// Name is the name of the target.
const Name = "avx2"

// Target is AVX2, with 16 vector registers of 256 bits and masks in vectors.
var Target = targets.Target{
	Name: Name, Emit: "asm", Widths: []int{1, 4, 8, 16, 32, 64},
	Legal: func(*vir.Func) legalize.Target { return Legal }, Costs: &Costs, CostsByCPU: CostsByCPU,
	DisabledPasses: func(width int, o targets.Options) []string {
		// There are no mask registers and few vector registers, no dot products, and no instruction
		// that moves active lanes together.
		out := []string{"arraycache", "dotproducts", "compact"}
		if gathersFast(o.Processor) {
			out = append(out, "gatherreductions")
		}
		return out
	},
	Forms: targets.Forms(), Level: asm.V3,
	Compile: func(f *vir.Func, o targets.Options) (targets.Code, error) {
		c, err := Compile(f, Options{
			SharedDispatch: o.Form == targets.Switch, KeepSelects: o.Form == targets.Selects, Context: o.Context,
			GathersFast: gathersFast(o.Processor), StoresFast: storesFast(o.Processor),
		})
		if err != nil {
			return nil, err
		}
		return c, nil
	},
	Passes: Passes, Outputs: x86.Outputs,
}

// CostsByCPU has the costs for processors other than Zen 4.
var CostsByCPU = map[string]*plan.Costs{
	targets.Zen3: &CostsZen3, targets.Zen5: &CostsZen5, targets.GoldenCove: &CostsGoldenCove, targets.Gracemont: &CostsGracemont,
}

// gathersFast reports whether a processor's gather instructions are faster than the
// equivalent scalar loads.
func gathersFast(processor string) bool { return processor == targets.GoldenCove }

// storesFast reports whether a processor's masked stores take few operations.
func storesFast(processor string) bool { return processor == targets.GoldenCove }
