package plan

import (
	"math"
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// chance is how likely a condition is thought to be true, or what share of the
// lanes a mask has on the average, by its form (after Ball & Larus, "Branch
// Prediction for Free", 1993): equal numbers are rare, and the more so the more
// values there are, which masks of bits and remainders tell.
func (w *flow) chance(v *vir.Value) float64 {
	if p := w.chances[v.ID]; p != 0 {
		return p - 1
	}
	w.chances[v.ID] = 1 + unknown // what asks for itself
	p := w.chanceOf(v)
	w.chances[v.ID] = 1 + p
	return p
}

// unknown is the chance of what nothing tells about.
const unknown = 0.5

func (w *flow) chanceOf(v *vir.Value) float64 {
	at := func(i int) float64 { return w.chance(v.Args[i]) }
	switch v.Op {
	case vir.Const:
		return float64(v.Const & 1)
	case vir.Prefix:
		return 1
	case vir.Splat, vir.Part:
		return at(0)
	case vir.Param:
		return w.passedChance(v)
	case vir.Any:
		return w.someLane(at(0))
	case alu.And:
		if c := w.going[v.ID]; c != nil {
			return w.lanesOf(v, c)
		}
		return at(0) * at(1)
	case alu.Or:
		return 1 - (1-at(0))*(1-at(1))
	case alu.Xor:
		if v.Args[1].Op == vir.Const {
			return 1 - at(0)
		}
	case alu.Select:
		p := at(0)
		return p*at(1) + (1-p)*at(2)
	case alu.Slt, alu.Sle, alu.Ult, alu.Ule:
		return w.inRange(v)
	case alu.Eq:
		return w.equal(v)
	case alu.Ne:
		return 1 - w.equal(v)
	case alu.FLt, alu.FLe:
		if p, ok := ranged(v); ok {
			return p
		}
		if p, ok := beyondBounds(v); ok {
			return p
		}
	case alu.FEq:
		return sameNumber(v)
	case alu.FNe:
		return 1 - sameNumber(v)
	}
	return unknown
}

// beyondBounds is how likely a number is beyond a bound close to 0 or to 1, between which
// floating point numbers mostly are where anybody asks for such bounds.
func beyondBounds(v *vir.Value) (p float64, ok bool) {
	x, limit := v.Args[0], v.Args[1]
	above := x.Op == vir.Const
	if above {
		x, limit = limit, x
	}
	if limit.Op == vir.Splat {
		limit = limit.Args[0]
	}
	if limit.Op != vir.Const || !limit.Type.Elem.IsFloat() {
		return 0, false
	}
	switch y := float(limit.Type.Elem, limit.Const); {
	case y > 0 && y <= bound:
		p = max(y, beyond)
	case y < 1 && y >= 1-bound:
		p = 1 - max(1-y, beyond)
	default:
		return 0, false
	}
	if above {
		p = 1 - p
	}
	return p, true
}

// inRange is how likely a comparison by order holds. If it is one of the work-item's
// number, it mostly asks whether that lies in what the kernel works on.
func (w *flow) inRange(v *vir.Value) float64 {
	x, y := v.Args[0], v.Args[1]
	if p, ok := ranged(v); ok {
		return p
	}
	switch {
	case (w.isID(x) || isRow(x)) && w.before(y) && y.Op != vir.Const, (w.isID(y) || isRow(y)) && x.Op == vir.Const:
		return within
	case (w.isID(y) || isRow(y)) && w.before(x):
		return 1 - within
	}
	return unknown
}

// isRow reports whether v is the number of the work-item along dimension 1 or 2, or more or
// less by a constant.
func isRow(v *vir.Value) bool {
	for {
		switch v.Op {
		case alu.ZExt, alu.SExt, alu.Trunc, vir.Splat:
			v = v.Args[0]
		case alu.Add:
			if v.Args[1].Op != vir.Const {
				return false
			}
			v = v.Args[0]
		case vir.Load:
			return v.Args[0].Op == vir.Context && (v.Disp == vir.CtxStart+8 || v.Disp == vir.CtxStart+16)
		default:
			return false
		}
	}
}

// isID reports whether v is the number of the work-item, or more or less by the same
// for all.
func (w *flow) isID(v *vir.Value) bool { return w.alongID(v, false) }

// alongID reports whether v is the number of the work-item plus one that is the
// same for all, or if scaled is set a multiple of it.
func (w *flow) alongID(v *vir.Value, scaled bool) bool {
	for w.strip != nil {
		switch {
		case v.Op == vir.Param:
			return v.Block.ID == w.strip.Header
		case v.Op == alu.ZExt, v.Op == alu.SExt, v.Op == alu.Trunc, v.Op == vir.Splat:
			v = v.Args[0]
		case v.Op == alu.Add && (w.before(v.Args[1]) || v.Args[1].Op == vir.Iota):
			v = v.Args[0]
		case v.Op == alu.Add && w.before(v.Args[0]):
			v = v.Args[1]
		case scaled && (v.Op == alu.Mul || v.Op == alu.Shl) && w.before(v.Args[1]):
			v = v.Args[0]
		default:
			return false
		}
	}
	return false
}

// before reports whether v is the same for all work-items, as what comes before the
// loop over strips is.
func (w *flow) before(v *vir.Value) bool {
	return v.Op == vir.Const || w.strip != nil && v.Block != nil && !w.loops.Contains(w.strip, v.Block.ID)
}

// equal is how likely the operands of a comparison are thought to be equal.
func (w *flow) equal(v *vir.Value) float64 {
	least := 1.0 / 65536
	x, y := v.Args[0], v.Args[1]
	switch {
	case x.Type.Elem == alu.I1:
		return 0.5
	case w.chosen[x.ID] && y.Op == vir.Const:
		const depth = 12
		return w.chosenChance(x, y.Const, depth)
	case x.Op == alu.And && x.Args[1].Op == vir.Const && y.Op == vir.Const:
		return max(least, math.Ldexp(1, -bits.OnesCount64(x.Args[1].Const&x.Type.Elem.Mask())))
	case x.Op == alu.Sub && x.Args[1].Op == alu.Mul && y.Op == vir.Const:
		return remainder(x.Args[1], least)
	case y.Op == alu.Mul:
		return remainder(y, least)
	case x.Op == alu.URem:
		return remainder(x, least)
	case x.Op == alu.LShr && x.Args[1].Op == vir.Const && y.Op == vir.Const:
		return max(least, min(0.5, math.Ldexp(1, int(x.Args[1].Const)-x.Type.Elem.Bits())))
	}
	return sameNumber(v)
}

// sameNumber is how likely the numbers are equal that v compares, of which
// nothing is known.
func sameNumber(v *vir.Value) float64 {
	switch {
	case far(v.Args[0]) || far(v.Args[1]):
		return farValue
	case v.Args[1].Op == vir.Const || v.Args[0].Op == vir.Const:
		return oneValue
	case characters(v.Args[0]) || characters(v.Args[1]):
		return sameData
	}
	return sameValue
}

// far reports whether v is an integer constant that numbers of a few values, or
// characters, are not.
func far(v *vir.Value) bool {
	return v.Op == vir.Const && v.Type.Elem.IsInt() && (v.Signed() > 255 || v.Signed() < -1)
}

// remainder is how likely a certain remainder of a division by v's constant is.
func remainder(v *vir.Value, least float64) float64 {
	if n := v.Args[1]; n.Op == vir.Const && n.Const != 0 {
		return max(least, 1/float64(n.Const&n.Type.Elem.Mask()))
	}
	return oneValue
}

// findChosen finds the values that say where control came from or shall go, as
// the number of a block does: none but constants is ever passed on as one.
func (w *flow) findChosen() {
	w.chosen = make([]bool, w.f.NumValues())
	ofConstants := func(vs ...*vir.Value) bool {
		for _, v := range vs {
			if v.Op != vir.Const && !w.chosen[v.ID] {
				return false
			}
		}
		return true
	}
	for _, b := range w.f.Blocks {
		for _, p := range b.Params {
			w.chosen[p.ID] = len(w.passed[p.ID]) > 0
		}
		for _, v := range b.Values {
			w.chosen[v.ID] = v.Op == alu.Select
		}
	}
	for changed := true; changed; {
		changed = false
		drop := func(v *vir.Value, from []*vir.Value) {
			if w.chosen[v.ID] && !ofConstants(from...) {
				w.chosen[v.ID], changed = false, true
			}
		}
		for _, b := range w.f.Blocks {
			for _, p := range b.Params {
				drop(p, w.passed[p.ID])
			}
			for _, v := range b.Values {
				if v.Op == alu.Select {
					drop(v, v.Args[1:])
				}
			}
		}
	}
}

// chosenChance is how likely one of constants was chosen to be x.
func (w *flow) chosenChance(v *vir.Value, x uint64, depth int) float64 {
	switch {
	case v.Op == vir.Const && v.Const == x:
		return 1
	case v.Op == vir.Const:
		return 0
	case v.Op == alu.Select && depth > 0:
		p := w.chance(v.Args[0])
		return p*w.chosenChance(v.Args[1], x, depth-1) + (1-p)*w.chosenChance(v.Args[2], x, depth-1)
	}
	return unknown
}

// taken is how likely b's branch goes to its first target: as its condition says,
// but rather to where a loop is.
func (w *flow) taken(b *vir.Block) float64 {
	first, second := b.Edges[0].To, b.Edges[1].To
	some := 1 - math.Pow(1-rare, float64(w.width))
	switch {
	case b.Edges[0].Rare:
		return some
	case b.Edges[1].Rare:
		return 1 - some
	}
	p := prior{unknown, unknown}
	const depth = 4
	switch l, m := w.enters(b, first, depth), w.enters(b, second, depth); {
	case l != nil && m == nil:
		p = w.toLoop(l, second)
	case m != nil && l == nil:
		p = w.toLoop(m, first).not()
	}
	return w.holds(b.ID, b.Cond, p)
}

// prior is how likely a condition is by where it leads to: with a form that tells
// something itself, and alone.
type prior struct{ with, alone float64 }

func (p prior) not() prior { return prior{1 - p.with, 1 - p.alone} }

// of is how likely a condition is that is so with chance q by its form.
func (p prior) of(q float64) float64 {
	if math.Abs(q-unknown) < 1e-9 {
		return p.alone
	}
	return both(p.with, q)
}

// toLoop is how likely the way is taken that has l on it and not that to other. If
// that is where l leads to, the branch is l's own test, made before the first round.
func (w *flow) toLoop(l *cfg.Cycle, other *vir.Block) prior {
	for _, e := range w.loops.Exits(l) {
		if e.To == other.ID {
			return prior{entering, beginning}
		}
	}
	return prior{entering, entering}
}

// holds is how likely the condition of b's branch is.
func (w *flow) holds(b int, cond *vir.Value, p prior) float64 {
	switch cond.Op {
	case vir.Any:
		return w.anyOf(b, cond.Args[0], p)
	case vir.All:
		return full
	case alu.Xor:
		if cond.Args[1].Op == vir.Const && onMask(cond.Args[0]) {
			return 1 - w.holds(b, cond.Args[0], p.not())
		}
	}
	return p.of(w.chance(cond))
}

// both is how likely something is for which two signs give it the chances p and q
// (Wu & Larus, "Static Branch Frequency and Program Profile Analysis", 1994).
func both(p, q float64) float64 { return p * q / (p*q + (1-p)*(1-q)) }

// enters returns the loop, in which b is not, that the way from b over to leads
// into; nil: into none.
func (w *flow) enters(b, to *vir.Block, depth int) *cfg.Cycle {
	l := w.blockLoop[to.ID]
	switch {
	case depth == 0 || l == nil || w.leaves(w.blockLoop[b.ID], to.ID) || l.Header == to.ID && w.loops.Contains(l, b.ID):
		return nil
	case l.Header == to.ID:
		return l
	}
	for _, e := range to.Edges {
		if l := w.enters(b, e.To, depth-1); l != nil {
			return l
		}
	}
	return nil
}
