package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// valueBounds is between what the integers of a function are. In a block that one
// edge of a branch alone leads to, they are moreover what the branch says.
//
// It is found by going round until nothing grows any more, what loops carry being
// widened to the end of its range if it does so repeatedly, and then narrowed again
// (Cousot and Cousot, "Abstract Interpretation", POPL'77, section 9).
type valueBounds struct {
	f   *kernel.Func
	far bool
	in  [][]InEdge
	dom *cfg.DomTree

	of    []interval.Bounds // by value ID, wherever the value is computed
	known []bool            // by value ID: it was come to
	grown []uint8           // by value ID: how often a parameter did

	tests   [][2][]tested // by block ID: what is known on the edges of a branch
	says    [][]*saying   // by block ID: what the way into it decides
	sayings [][]*saying   // by value ID: where more is known of it
}

// saying is what a branch says of a value in the blocks that one of its edges leads to.
type saying struct {
	block  *kernel.Block
	tested tested
	bounds interval.Bounds
}

// tested is a comparison that came out as yes tells, seen from one of its operands.
type tested struct {
	test *kernel.Value
	side int // which operand
	yes  bool
}

func (t tested) value() *kernel.Value { return t.test.Args[t.side] }
func (t tested) other() *kernel.Value { return t.test.Args[1-t.side] }

const (
	boundsPatience = 2  // how often what a loop carries grows before it is widened
	maxBoundsRound = 16 // by then all has been widened but in deep nests
	narrowings     = 2
	maxTested      = 8  // comparisons of a branch
	maxSayings     = 16 // of a value
)

// boundsOf returns the bounds of the values of f, nil if they were not found soon; far tells
// that global ids may be kernel.NearItems and more.
func boundsOf(f *kernel.Func, far bool) *valueBounds {
	n := f.NumValues()
	g := f.Graph()
	k := &valueBounds{f: f, far: far, in: InEdges(f), dom: cfg.Dominators(g), of: make([]interval.Bounds, n), known: make([]bool, n),
		grown: make([]uint8, n), tests: make([][2][]tested, len(f.Blocks)), says: make([][]*saying, len(f.Blocks)),
		sayings: make([][]*saying, n)}
	for _, b := range f.Blocks {
		if b.Kind == kernel.Branch && b.Edges[0].To != b.Edges[1].To {
			k.tests[b.ID] = [2][]tested{testsOf(b.Cond, true, nil), testsOf(b.Cond, false, nil)}
		}
	}
	for _, b := range f.Blocks {
		if in := k.in[b.ID]; len(in) == 1 {
			k.say(b, in[0])
		}
	}
	order := g.ReversePostOrder()
	round := func(narrow bool) (changed bool) {
		for _, id := range order {
			changed = k.block(f.Blocks[id], narrow) || changed
		}
		return changed
	}
	for n := 0; round(false); n++ {
		if n == maxBoundsRound {
			return nil
		}
	}
	for range narrowings {
		round(true)
	}
	return k
}

// say notes what is known in b, to which e alone leads.
func (k *valueBounds) say(b *kernel.Block, e InEdge) {
	for _, t := range k.decided(e) {
		id := t.value().ID
		if len(k.sayings[id]) < maxSayings {
			s := &saying{block: b, tested: t}
			k.says[b.ID] = append(k.says[b.ID], s)
			k.sayings[id] = append(k.sayings[id], s)
		}
	}
}

// decided lists the comparisons that are known on an edge.
func (k *valueBounds) decided(e InEdge) []tested {
	if e.From.Kind != kernel.Branch {
		return nil
	}
	return k.tests[e.From.ID][e.N]
}

// testsOf lists the comparisons of integers that came out one way if v did.
func testsOf(v *kernel.Value, yes bool, all []tested) []tested {
	switch {
	case len(all) >= maxTested:
	case v.Op == alu.Xor && v.Type == alu.I1 && isConst(v.Args[1], 1):
		return testsOf(v.Args[0], !yes, all)
	case v.Op == alu.And && yes, v.Op == alu.Or && !yes:
		return testsOf(v.Args[1], yes, testsOf(v.Args[0], yes, all))
	case alu.InfoOf(v.Op).Class == alu.Compare && v.Args[0].Type.IsInt():
		for side, x := range v.Args {
			if x.Op != kernel.Const {
				all = append(all, tested{v, side, yes})
			}
		}
	}
	return all
}

// at returns the bounds of v in b.
func (k *valueBounds) at(v *kernel.Value, b *kernel.Block) interval.Bounds {
	if v.Op == kernel.Const {
		return interval.Exactly(v.Type, v.Const)
	}
	x := k.of[v.ID]
	for _, s := range k.sayings[v.ID] {
		if k.dom.Dominates(s.block.ID, b.ID) {
			x = interval.Meet(v.Type, x, s.bounds)
		}
	}
	return x
}

// along returns the bounds of v on an edge.
func (k *valueBounds) along(v *kernel.Value, e InEdge) interval.Bounds {
	x := k.at(v, e.From)
	for _, t := range k.decided(e) {
		if t.value() == v {
			x = k.told(t, x, e.From)
		}
	}
	return x
}

// told narrows x, the bounds of a value in b, to what a comparison there says of it.
func (k *valueBounds) told(t tested, x interval.Bounds, b *kernel.Block) interval.Bounds {
	return interval.Compared(t.test.Op, t.value().Type, x, k.at(t.other(), b), t.side == 0, t.yes)
}

// block updates what is known of the values of b, and reports whether that changed.
// Bounds only grow unless they are to be narrowed.
func (k *valueBounds) block(b *kernel.Block, narrow bool) (changed bool) {
	for _, s := range k.says[b.ID] {
		from := k.in[b.ID][0].From
		if x := k.told(s.tested, k.at(s.tested.value(), from), from); x != s.bounds {
			s.bounds, changed = x, true
		}
	}
	for _, p := range b.Params {
		if x, ok := k.param(p); ok {
			changed = k.set(p, x, narrow) || changed
		}
	}
	for _, v := range b.Values {
		if v.Type.IsInt() || v.Type == alu.I1 {
			changed = k.set(v, k.transfer(v), narrow) || changed
		}
	}
	return changed
}

// set makes x part of what v is, or all of it.
func (k *valueBounds) set(v *kernel.Value, x interval.Bounds, narrow bool) (changed bool) {
	old := k.of[v.ID]
	if k.known[v.ID] && !narrow {
		x = interval.Cover(old, x)
		if v.Op == kernel.Param && x != old {
			if k.grown[v.ID]++; k.grown[v.ID] > boundsPatience {
				x = interval.Widened(v.Type, old, x)
			}
		}
	}
	changed = !k.known[v.ID] || x != old
	k.of[v.ID], k.known[v.ID] = x, true
	return changed
}

// param covers what the edges bring whose source was come to; ok is false if none was.
func (k *valueBounds) param(p *kernel.Value) (all interval.Bounds, ok bool) {
	if !p.Type.IsInt() && p.Type != alu.I1 {
		return all, false
	}
	for _, e := range k.in[p.Block.ID] {
		a := e.Edge().Args[p.Index]
		if a.Op != kernel.Const && !k.known[a.ID] {
			continue
		}
		x := k.along(a, e)
		if ok {
			x = interval.Cover(all, x)
		}
		all, ok = x, true
	}
	return all, ok
}

// transfer computes the bounds of v from those of its operands.
func (k *valueBounds) transfer(v *kernel.Value) interval.Bounds {
	var xs [3]interval.Bounds
	switch {
	case kernel.IsQuery(v.Op):
		return k.f.QueryBounds(v, k.far).Both(v.Type)
	case v.Op == kernel.Lane || v.Op == kernel.Lanes:
		return kernel.LaneBounds(v).Both(v.Type)
	case !v.Op.Pure() || slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !a.Type.IsInt() && a.Type != alu.I1 }):
		return interval.Any(v.Type)
	}
	for i, a := range v.Args {
		xs[i] = k.at(a, v.Block)
	}
	if v.Op == alu.Select {
		for i, yes := range []bool{true, false} {
			for _, t := range testsOf(v.Args[0], yes, nil) {
				if t.value() == v.Args[1+i] {
					xs[1+i] = k.told(t, xs[1+i], v.Block)
				}
			}
		}
	}
	x, _ := interval.Of(v.Op, v.Type, v.Args[0].Type, xs[:len(v.Args)]...)
	return x.Both(v.Type)
}
