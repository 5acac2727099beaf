package simtc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt/postpone"
	"github.com/simtc/simtc/opt/refill"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// The linearizers: what makes control flow uniform.
const (
	// BlockIP gives each lane the number of the block it waits for. It takes
	// any control flow.
	BlockIP = "blockip"
	// Partial keeps the branches on which all lanes agree and masks the others.
	// Irreducible control flow of several lanes is left to BlockIP.
	Partial = "partial"
)

// linearizer is what differs from one to the other. Shared code asks it and
// never the name.
type linearizer struct {
	name      string
	about     string
	reducible bool // takes reducible control flow only, but for one lane
	// bypasses are the choices it has, the first being its default; the compiler
	// tries the first few.
	bypasses []string
	tried    int
	// instead has for each choice of others the nearest that it has.
	instead map[string]string
	run     func(in lowering) (*vir.Func, *widen.Report, error)
	explain func(in lowering) (string, error)
}

// lowering is what a linearizer is given.
type lowering struct {
	kernel *kernel.Func
	info   *divergence.Info
	cfg    config
}

func (in lowering) options() widen.Options {
	return widen.Options{Width: in.cfg.width, Rounds: in.cfg.lanes == Rounds, Count: in.cfg.counting}
}

func (in lowering) structurize() structurize.Options {
	b := bypasses[in.cfg.bypass]
	o := structurize.Options{Options: in.options(), Bypass: b.zeros, Ones: b.ones, Fold: in.cfg.bypass == BypassFold}
	if c := in.cfg.target.costs; c != nil {
		o.Weigh, o.Masked, o.Test = in.weigh(c), in.masked(c), c.Skip
	}
	return o
}

func (in lowering) blockip() blockip.Options {
	return blockip.Options{
		Options: in.options(), FullStrips: bypasses[in.cfg.bypass].ones != structurize.OnesNone, Fold: in.cfg.bypass == BypassFold,
	}
}

// masked prices what a mask adds to operations of the kernel. What lies a few
// elements apart is gathered and scattered under a mask, and else loaded and
// stored (vir/opt/memory.Interleave).
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
		case kind == divergence.AccessStrided && count == 1 && max(stride, -stride) <= vir.MostApart(t.Size()):
			ns = max(ns, c.Operation(apart, vir.Vec(t, in.cfg.width))/2)
		case kind != divergence.AccessContiguous && kind != divergence.AccessStrided:
			return 0
		}
		return ns * float64(count)
	}
}

// accessed returns the type of what an operation makes, or stores, and how many
// components there are.
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

// weigh prices operations of the kernel in the form they will have.
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
		name: Partial, about: "keeps the branches on which all lanes agree", reducible: true,
		bypasses: []string{BypassZeros, BypassNone, BypassBoth, BypassPostpone, BypassRefill, BypassOnes, BypassAll, BypassFold}, tried: 5,
		run: func(in lowering) (*vir.Func, *widen.Report, error) {
			return structurize.Linearize(in.kernel, in.info, in.structurize())
		},
		explain: func(in lowering) (string, error) {
			return structurize.Explain(in.kernel, in.info, in.structurize())
		},
	},
	{
		name: BlockIP, about: "lets each lane wait for its block",
		bypasses: []string{BypassZeros, BypassBoth, BypassPostpone, BypassRefill, BypassFold}, tried: 2,
		instead: map[string]string{BypassNone: BypassZeros, BypassOnes: BypassBoth, BypassAll: BypassBoth},
		run: func(in lowering) (*vir.Func, *widen.Report, error) {
			return blockip.Linearize(in.kernel, in.info, in.blockip())
		},
		explain: func(in lowering) (string, error) { return blockip.Explain(in.kernel, in.info, in.blockip()) },
	},
}

// Bypasses: what is done, besides what must be, where no lane needs a region or
// none is missing ("AVR Predication", Installing bypasses). Block IPs test every
// region for lanes anyhow.
const (
	BypassNone  = "none"
	BypassZeros = "zeros" // heavy regions are skipped when no lane needs them
	BypassOnes  = "ones"  // most of the work has unmasked code for when no lane is missing
	BypassBoth  = "both"  // zeros and ones
	BypassAll   = "all"   // both, around every region
	// BypassPostpone is both, and the work-items that need a heavy region, if they are
	// few, are put off until there are as many as lanes.
	BypassPostpone = "postpone"
	// BypassRefill is both, and lanes that have left the kernel's heaviest loop take another
	// work-item as soon as few of them are left in it.
	BypassRefill = "refill"
	// BypassFold is none, and the branches on which lanes agree are folded as well: full
	// linearization, to measure against.
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

	BypassPostpone: {structurize.BypassAuto, structurize.OnesAuto},
	BypassRefill:   {structurize.BypassAuto, structurize.OnesAuto},
}

// Bypasses lists the choices of bypasses.
func Bypasses() []string { return linearizers[0].bypasses }

// Linearizers lists the names of all linearizers.
func Linearizers() []string {
	var names []string
	for _, l := range linearizers {
		names = append(names, l.name)
	}
	return names
}

// linearizerByName returns nil for "auto" and "".
func linearizerByName(name string) (*linearizer, error) {
	if name == "" || name == "auto" {
		return nil, nil
	}
	for _, l := range linearizers {
		if l.name == name {
			return l, nil
		}
	}
	return nil, fmt.Errorf("unknown linearizer %q; there are auto, %s", name, strings.Join(Linearizers(), ", "))
}

// checkBypass accepts "", which leaves the choice to the compiler.
func checkBypass(name string) error {
	if _, ok := bypasses[name]; !ok && name != "" {
		return fmt.Errorf("unknown bypasses %q; there are auto, %s", name, strings.Join(Bypasses(), ", "))
	}
	return nil
}

// bypass returns the choice that l makes for what is asked for.
func (l *linearizer) bypass(asked string) string {
	if b := l.instead[asked]; b != "" {
		return b
	}
	return asked
}

// fits reports whether l takes a kernel at a width.
func (l *linearizer) fits(irreducible bool, width int) bool {
	return !l.reducible || !irreducible || width == 1
}

// diverge finds what lanes do if there are as many as usual: whether they part at a
// branch, at one that neither leaves a loop nor ends the kernel, at several that leave
// one loop, whether a cycle has several entries, and whether they access memory far from
// each other.
func (s *kernelState) diverge(f *kernel.Func) {
	loops := cfg.Cycles(f.Graph())
	s.irreducible = !loops.Reducible()
	info := divergence.Analyze(f, divergence.Options{Width: 16})
	s.postpones, s.heavy = postpone.Fit(f, info, postpone.Options{})
	s.refills = refill.Fit(f, info)
	left := map[*cfg.Cycle]int{}
	for i, b := range f.Blocks {
		for _, v := range b.Values {
			s.apart = s.apart || (v.Op == kernel.Load || v.Op == kernel.Store) && info.Apart(v)
		}
		if !info.Divergent[i] {
			continue
		}
		s.divergent = true
		c := loops.InnermostCycle(i)
		if c != nil && slices.ContainsFunc(b.Edges, func(e kernel.Edge) bool { return !loops.Contains(c, e.To.ID) }) {
			left[c]++
			s.exits = s.exits || left[c] > 1
		}
		s.arms = s.arms || !slices.ContainsFunc(b.Edges, func(e kernel.Edge) bool {
			return c != nil && !loops.Contains(c, e.To.ID) || len(e.To.Edges) == 0
		})
	}
}
