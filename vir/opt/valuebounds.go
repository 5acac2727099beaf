package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// valueBounds is between what the scalar integers of a function of one lane are, found as
// opt.Bounds finds it in the code of a work-item. Loops that were nested, rotated and
// threaded since then tell more, and what they count is in other values.
type valueBounds struct {
	in  [][]inEdge
	dom *cfg.DomTree

	of    []interval.Bounds // by value ID
	known []bool            // by value ID: it was come to
	grown []uint8           // by value ID: how often a parameter did

	says    [][]*saying // by block ID: what the way into it decides
	sayings [][]*saying // by value ID: where more is known of it
}

// saying is what a branch says of a value in the blocks that one of its edges leads to.
type saying struct {
	block  *vir.Block
	tested tested
	bounds interval.Bounds
}

// tested is a comparison that came out as yes tells, seen from one of its operands.
type tested struct {
	test *vir.Value
	side int // which operand
	yes  bool
}

func (t tested) value() *vir.Value { return t.test.Args[t.side] }
func (t tested) other() *vir.Value { return t.test.Args[1-t.side] }

const (
	boundsPatience  = 4  // how often what a loop carries grows before it is widened
	mostBoundRounds = 24 // by then all has been widened but in deep nests
	narrowings      = 2
	mostTested      = 8  // comparisons of a branch
	mostSayings     = 16 // of a value
)

// boundsOf returns the bounds of the values of f, nil if they were not found soon.
func boundsOf(f *vir.Func, in [][]inEdge, dom *cfg.DomTree) *valueBounds {
	n := f.NumValues()
	k := &valueBounds{in: in, dom: dom, of: make([]interval.Bounds, n), known: make([]bool, n), grown: make([]uint8, n),
		says: make([][]*saying, len(f.Blocks)), sayings: make([][]*saying, n)}
	for _, b := range f.Blocks {
		if len(in[b.ID]) != 1 {
			continue
		}
		for _, t := range testsOn(in[b.ID][0]) {
			if id := t.value().ID; len(k.sayings[id]) < mostSayings {
				s := &saying{block: b, tested: t}
				k.says[b.ID], k.sayings[id] = append(k.says[b.ID], s), append(k.sayings[id], s)
			}
		}
	}
	order := f.Graph().ReversePostOrder()
	round := func(narrow bool) (changed bool) {
		for _, id := range order {
			changed = k.block(f.Blocks[id], narrow) || changed
		}
		return changed
	}
	for n := 0; round(false); n++ {
		if n == mostBoundRounds {
			return nil
		}
	}
	for range narrowings {
		round(true)
	}
	return k
}

// testsOn lists the comparisons that are known on an edge.
func testsOn(e inEdge) []tested {
	b := e.from
	if b.Kind != vir.Branch || b.Edges[0].To == b.Edges[1].To {
		return nil
	}
	return testsOf(b.Cond, e.n == 0, nil)
}

// testsOf lists the comparisons of scalar integers that came out one way if v did.
func testsOf(v *vir.Value, yes bool, all []tested) []tested {
	switch {
	case len(all) >= mostTested || !v.Type.IsScalar():
	case v.Op == alu.Xor && v.Type.Elem == alu.I1 && isOnes(v.Args[1]):
		return testsOf(v.Args[0], !yes, all)
	case v.Op == alu.And && yes, v.Op == alu.Or && !yes:
		return testsOf(v.Args[1], yes, testsOf(v.Args[0], yes, all))
	case alu.InfoOf(v.Op).Class == alu.Compare && v.Args[0].Type.Elem.IsInt():
		for side, x := range v.Args {
			if x.Op != vir.Const {
				all = append(all, tested{v, side, yes})
			}
		}
	}
	return all
}

// at returns the bounds of v in b.
func (k *valueBounds) at(v *vir.Value, b *vir.Block) interval.Bounds {
	t := v.Type.Elem
	if v.Op == vir.Const {
		return interval.Exactly(t, v.Const)
	}
	x := k.of[v.ID]
	for _, s := range k.sayings[v.ID] {
		if k.dom.Dominates(s.block.ID, b.ID) {
			x = interval.Meet(t, x, s.bounds)
		}
	}
	return x
}

// along returns the bounds of v on an edge.
func (k *valueBounds) along(v *vir.Value, e inEdge) interval.Bounds {
	x := k.at(v, e.from)
	for _, t := range testsOn(e) {
		if t.value() == v {
			x = k.told(t, x, e.from)
		}
	}
	return x
}

// told narrows x, the bounds of a value in b, to what a comparison there says of it.
func (k *valueBounds) told(t tested, x interval.Bounds, b *vir.Block) interval.Bounds {
	return interval.Compared(t.test.Op, t.value().Type.Elem, x, k.at(t.other(), b), t.side == 0, t.yes)
}

// block updates what is known of the values of b, and reports whether that changed.
// Bounds only grow unless they are to be narrowed.
func (k *valueBounds) block(b *vir.Block, narrow bool) (changed bool) {
	for _, s := range k.says[b.ID] {
		from := k.in[b.ID][0].from
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
		if isBounded(v) {
			changed = k.set(v, k.transfer(v), narrow) || changed
		}
	}
	return changed
}

// isBounded reports whether v is a number of which bounds are found.
func isBounded(v *vir.Value) bool {
	return v.Type.IsScalar() && (v.Type.Elem.IsInt() || v.Type.Elem == alu.I1)
}

// set makes x part of what v is, or all of it.
func (k *valueBounds) set(v *vir.Value, x interval.Bounds, narrow bool) (changed bool) {
	old := k.of[v.ID]
	if k.known[v.ID] && !narrow {
		x = interval.Cover(old, x)
		if v.Op == vir.Param && x != old {
			if k.grown[v.ID]++; k.grown[v.ID] > boundsPatience {
				x = interval.Widened(v.Type.Elem, old, x)
			}
		}
	}
	changed = !k.known[v.ID] || x != old
	k.of[v.ID], k.known[v.ID] = x, true
	return changed
}

// param covers what the edges bring whose source was come to; ok is false if none was.
func (k *valueBounds) param(p *vir.Value) (all interval.Bounds, ok bool) {
	if !isBounded(p) {
		return all, false
	}
	for _, e := range k.in[p.Block.ID] {
		a := e.edge().Args[p.Index]
		if a.Op != vir.Const && !k.known[a.ID] {
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
func (k *valueBounds) transfer(v *vir.Value) interval.Bounds {
	t := v.Type.Elem
	if !v.Op.Pure() || len(v.Args) == 0 || slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return !isBounded(a) }) {
		return interval.Any(t)
	}
	var xs [3]interval.Bounds
	if len(v.Args) > len(xs) || vir.InfoOf(v.Op).Name != alu.InfoOf(v.Op).Name {
		return interval.Any(t)
	}
	for i, a := range v.Args {
		xs[i] = k.at(a, v.Block)
	}
	x, _ := interval.Of(v.Op, t, v.Args[0].Type.Elem, xs[:len(v.Args)]...)
	return x.Both(t)
}

// isPositive reports whether the sign of v, if it was there at the beginning, is clear in b.
func (k *valueBounds) isPositive(v *vir.Value, b *vir.Block) bool {
	return k != nil && v.Op != vir.Const && v.ID < len(k.of) && k.known[v.ID] && k.at(v, b).Nonnegative()
}
