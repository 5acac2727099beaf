package simtc

import (
	"fmt"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
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
	// Irreducible control flow is left to BlockIP.
	Partial = "partial"
)

// linearizer is what differs from one to the other. Shared code asks it and
// never the name.
type linearizer struct {
	name      string
	about     string
	reducible bool // takes reducible control flow only
	// bypasses are the choices it has, the first being its default.
	bypasses []string
	run      func(in lowering) (*vir.Func, *widen.Report, error)
	explain  func(in lowering) (string, error)
}

// lowering is what a linearizer is given.
type lowering struct {
	kernel *kernel.Func
	info   *divergence.Info
	cfg    config
}

func (in lowering) options() widen.Options {
	return widen.Options{Width: in.cfg.width, Count: in.cfg.counting}
}

func (in lowering) structurize() structurize.Options {
	o := structurize.Options{Options: in.options(), Bypass: bypasses[in.cfg.bypass]}
	if c := in.cfg.target.costs; c != nil {
		o.Weigh, o.Worth = in.weigh(c), worth*c.MaskBranch
	} else {
		o.Bypass = structurize.BypassNone
	}
	return o
}

// worth is how many tests of a mask a region must cost to be skipped where no
// lane needs it.
const worth = 5

// weigh prices operations of the kernel in the form they will have.
func (in lowering) weigh(c *plan.Costs) structurize.Weigh {
	return func(v *kernel.Value) float64 {
		op, of := v.Op, v
		switch v.Op {
		case kernel.Load, kernel.Store:
			if v.Op == kernel.Store {
				of = v.Args[1]
			}
			shape := in.info.Shape(v.Args[0])
			access := [3]vir.Op{vir.Gather, vir.VLoad, vir.Load}
			if v.Op == kernel.Store {
				access = [3]vir.Op{vir.Scatter, vir.VStore, vir.Store}
			}
			switch {
			case shape.IsUniform():
				op = access[2]
			case shape.IsStrided() && shape.Stride == int64(of.Type.Size()):
				op = access[1]
			default:
				op = access[0]
			}
		case kernel.PtrAdd:
			op = alu.Add
		default:
			if !v.Op.Pure() {
				return 0
			}
		}
		t := of.Type
		if t.IsPtr() {
			t = alu.I64
		}
		if in.info.Shape(v).IsStrided() && v.Op != kernel.Store || in.cfg.width == 1 {
			return c.Operation(op, vir.Scalar(t))
		}
		return c.Operation(op, vir.Vec(t, in.cfg.width))
	}
}

var linearizers = []*linearizer{
	{
		name: Partial, about: "keeps the branches on which all lanes agree", reducible: true,
		bypasses: []string{BypassAuto, BypassNone, BypassAll},
		run: func(in lowering) (*vir.Func, *widen.Report, error) {
			return structurize.Linearize(in.kernel, in.info, in.structurize())
		},
		explain: func(in lowering) (string, error) {
			return structurize.Explain(in.kernel, in.info, in.structurize())
		},
	},
	{
		name: BlockIP, about: "lets each lane wait for its block", bypasses: []string{BypassAll},
		run: func(in lowering) (*vir.Func, *widen.Report, error) {
			return blockip.Linearize(in.kernel, in.info, in.options())
		},
		explain: func(in lowering) (string, error) { return blockip.Explain(in.kernel, in.info) },
	},
}

// What is skipped, besides what must be, when no lane needs it.
const (
	BypassAuto = "auto" // heavy regions
	BypassNone = "none"
	BypassAll  = "all" // every region that not all lanes run
)

var bypasses = map[string]structurize.Bypass{
	BypassAuto: structurize.BypassAuto, BypassNone: structurize.BypassNone, BypassAll: structurize.BypassAll,
}

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

func checkBypass(name string) error {
	if _, ok := bypasses[name]; !ok && name != "" {
		return fmt.Errorf("unknown bypass %q; there are %s, %s and %s", name, BypassAuto, BypassNone, BypassAll)
	}
	return nil
}

// fits reports whether l takes a kernel.
func (l *linearizer) fits(irreducible bool) bool { return !l.reducible || !irreducible }

// irreducible reports whether f has a cycle with several entries.
func irreducible(f *kernel.Func) bool {
	for _, c := range cfg.Cycles(f.Graph()).Cycles {
		if !c.Reducible() {
			return true
		}
	}
	return false
}
