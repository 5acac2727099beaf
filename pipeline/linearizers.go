package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// The linearizers, which make control flow uniform.
const (
	// BlockIP stores for each lane the number of its next block. It supports any control
	// flow.
	BlockIP = "blockip"
	// Partial keeps uniform branches and masks divergent ones. Irreducible control flow of
	// several lanes needs BlockIP.
	Partial = "partial"
)

// linearizer describes one linearizer. Shared code uses its fields and never compares its
// name.
type linearizer struct {
	name      string
	about     string
	reducible bool // at widths above 1, it supports only reducible control flow
	// forms lists the forms of code for divergent control flow that the plan tries, the default
	// first, and then others. tried is the number of those that it tries.
	forms []form
	tried int
	// nearest maps choices of other linearizers to the nearest supported one.
	nearest map[string]string
	run     func(in lowering) (*vir.Func, *widen.Report, error)
	explain func(in lowering) (string, error)
}

// form is a form of code for divergent control flow: two independent choices.
type form struct{ bypass, divergence string }

// lowering is the input of a linearizer.
type lowering struct {
	kernel *kernel.Func
	info   *divergence.Info
	cfg    Choice
}

func (in lowering) options() widen.Options {
	return widen.Options{Width: in.cfg.width, Iterations: in.cfg.lanes == Iterations, Count: in.cfg.counting}
}

func (in lowering) structurize() structurize.Options {
	b := bypasses[in.cfg.bypass]
	o := structurize.Options{Options: in.options(), Bypass: b.zeros, Ones: b.ones, Fold: in.cfg.bypass == BypassFold}
	if c := in.cfg.target.Costs; c != nil {
		o.Weigh, o.Masked, o.Test = in.weigh(c), in.masked(c), c.Skip
	}
	return o
}

func (in lowering) blockip() blockip.Options {
	return blockip.Options{
		Options: in.options(), FullStrips: bypasses[in.cfg.bypass].ones != structurize.OnesNone, Fold: in.cfg.bypass == BypassFold,
	}
}

// masked prices the additional cost of a mask. Accesses with a small stride are gathered and
// scattered under a mask, but otherwise loaded and stored (vir/opt/memory.Interleave).
func (in lowering) masked(c *plan.Costs) structurize.Weigh {
	return func(v *kernel.Value) float64 {
		t, count := accessed(v)
		ns, apart := c.MaskedLoad, vir.Gather
		switch v.Op {
		case kernel.Load:
		case kernel.Store:
			ns, apart = c.MaskedStore, vir.Scatter
		default:
			return 0
		}
		switch kind, stride := in.info.Access(v); {
		case kind == divergence.AccessStrided && count == 1 && max(stride, -stride) <= vir.MaxShuffleSpan(t.Size()):
			ns = max(ns, c.Operation(apart, vir.Vec(t, in.cfg.width))/2)
		case kind != divergence.AccessContiguous && kind != divergence.AccessStrided:
			return 0
		}
		return ns * float64(count)
	}
}

// accessed returns the type and number of components of the result of an operation, or of the
// values that it stores.
func accessed(v *kernel.Value) (t alu.Type, count int) {
	t, count = v.Type, max(v.Count, 1)
	if v.Op == kernel.Store {
		t, count = v.Args[1].Type, len(v.Args)-1
	}
	if t.IsPtr() {
		t = alu.I64
	}
	return t, count
}

// weigh prices operations of the kernel in their vectorized form.
func (in lowering) weigh(c *plan.Costs) structurize.Weigh {
	return func(v *kernel.Value) float64 {
		op := v.Op
		t, count := accessed(v)
		switch v.Op {
		case kernel.Load, kernel.Store:
			access := [3]vir.Op{vir.Gather, vir.VLoad, vir.Load}
			if v.Op == kernel.Store {
				access = [3]vir.Op{vir.Scatter, vir.VStore, vir.Store}
			}
			switch kind, _ := in.info.Access(v); kind {
			case divergence.AccessUniform:
				op = access[2]
			case divergence.AccessContiguous, divergence.AccessPrivate:
				op = access[1]
			default:
				op = access[0]
			}
		case kernel.PtrAdd:
			op = alu.Add
		case kernel.Atomic:
			op = vir.VAtomic
		case kernel.CmpXchg:
			op = vir.VCmpXchg
		default:
			if !v.Op.Pure() {
				return 0
			}
		}
		as := vir.Vec(t, in.cfg.width)
		if in.cfg.width == 1 || in.info.Shape(v).IsStrided() && v.Op != kernel.Store {
			as = vir.Scalar(t)
		}
		return float64(count) * c.Operation(op, as)
	}
}

var linearizers = []*linearizer{
	{
		name: Partial, about: "keeps uniform branches, masks divergent ones", reducible: true,
		forms: []form{
			{BypassZeros, Mask}, {BypassNone, Mask}, {BypassBoth, Mask}, {BypassBoth, Defer}, {BypassBoth, Refill},
			{BypassOnes, Mask}, {BypassAll, Mask}, {BypassFold, Mask},
		},
		tried: 5,
		run: func(in lowering) (*vir.Func, *widen.Report, error) {
			return structurize.Linearize(in.kernel, in.info, in.structurize())
		},
		explain: func(in lowering) (string, error) {
			return structurize.Explain(in.kernel, in.info, in.structurize())
		},
	},
	{
		name: BlockIP, about: "stores the next block of each lane",
		forms:   []form{{BypassZeros, Mask}, {BypassBoth, Mask}, {BypassBoth, Defer}, {BypassBoth, Refill}, {BypassFold, Mask}},
		tried:   2,
		nearest: map[string]string{BypassNone: BypassZeros, BypassOnes: BypassBoth, BypassAll: BypassBoth},
		run: func(in lowering) (*vir.Func, *widen.Report, error) {
			return blockip.Linearize(in.kernel, in.info, in.blockip())
		},
		explain: func(in lowering) (string, error) { return blockip.Explain(in.kernel, in.info, in.blockip()) },
	},
}

// Bypasses: branches around regions that no lane needs, and copies for full masks ("AVR
// Predication", Installing bypasses), beyond the required ones. BlockIP always tests whether
// a lane needs a region.
const (
	BypassNone  = "none"
	BypassZeros = "zeros" // branches around expensive regions that no lane needs
	BypassOnes  = "ones"  // unmasked copies of most of the work for full masks
	BypassBoth  = "both"  // zeros and ones
	BypassAll   = "all"   // both, for every region
	// BypassFold is none, with uniform branches folded as well: full linearization, for
	// measurements.
	BypassFold = "fold"
)

var bypasses = map[string]struct {
	zeros structurize.Bypass
	ones  structurize.Ones
}{
	BypassNone:  {structurize.BypassNone, structurize.OnesNone},
	BypassZeros: {structurize.BypassAuto, structurize.OnesNone},
	BypassOnes:  {structurize.BypassNone, structurize.OnesAuto},
	BypassBoth:  {structurize.BypassAuto, structurize.OnesAuto},
	BypassFold:  {structurize.BypassNone, structurize.OnesNone},
	BypassAll:   {structurize.BypassAll, structurize.OnesAll},
}

// Bypasses lists the choices of bypasses.
func Bypasses() []string {
	return []string{BypassZeros, BypassNone, BypassBoth, BypassOnes, BypassAll, BypassFold}
}

// The handling of divergence: of lanes that do not need the code that others run.
const (
	Mask = "mask" // they idle
	// Defer is for an expensive region that few work-items need: those are deferred until they
	// fill all lanes.
	Defer = "defer"
	// Refill is for the kernel's most expensive loop: lanes that have exited it take another
	// work-item once few lanes are left in it.
	Refill = "refill"
)

// Divergences lists the ways to handle divergence.
func Divergences() []string { return []string{Mask, Defer, Refill} }

// checkDivergence accepts "", which leaves the choice open.
func checkDivergence(name string) error {
	if name != "" && !slices.Contains(Divergences(), name) {
		return fmt.Errorf("unknown handling of divergence %q: want auto, %s", name, strings.Join(Divergences(), ", "))
	}
	return nil
}

// Linearizers lists the names of all linearizers.
func Linearizers() []string {
	var names []string
	for _, l := range linearizers {
		names = append(names, l.name)
	}
	return names
}

// linearizerByName returns nil for "auto" and "", which leave the choice open.
func linearizerByName(name string) (*linearizer, error) {
	if name == "" || name == "auto" {
		return nil, nil
	}
	for _, l := range linearizers {
		if l.name == name {
			return l, nil
		}
	}
	return nil, fmt.Errorf("unknown linearizer %q: want auto, %s", name, strings.Join(Linearizers(), ", "))
}

// checkBypass accepts "", which leaves the choice open.
func checkBypass(name string) error {
	if _, ok := bypasses[name]; !ok && name != "" {
		return fmt.Errorf("unknown bypass %q: want auto, %s", name, strings.Join(Bypasses(), ", "))
	}
	return nil
}

// formsFor lists the forms that the choices of c leave open.
func (l *linearizer) formsFor(c Choice) []form {
	if c.bypass != "" {
		return []form{{l.bypass(c.bypass), c.divergence}}
	}
	var out []form
	for i, f := range l.forms {
		switch {
		case c.divergence != "" && f.divergence != c.divergence:
		case i >= l.tried && (c.divergence == "" || c.divergence == Mask):
		default:
			out = append(out, f)
		}
	}
	return out
}

// tries reports whether the plan tries a form with the choices of c.
func (l *linearizer) tries(c Choice) bool {
	return slices.ContainsFunc(l.forms[:l.tried], func(f form) bool {
		return (c.bypass == "" || f.bypass == c.bypass) && (c.divergence == "" || f.divergence == c.divergence)
	})
}

// bypass returns the choice of l for the requested one.
func (l *linearizer) bypass(requested string) string {
	if b := l.nearest[requested]; b != "" {
		return b
	}
	return requested
}

// fits reports whether l supports a kernel at a width.
func (l *linearizer) fits(irreducible bool, width int) bool {
	return !l.reducible || !irreducible || width == 1
}
