package plan

import (
	"math"
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// chance is how likely a condition or a lane of a mask is thought to be true,
// by its form (after Ball & Larus, "Branch Prediction for Free", 1993): equal
// numbers are rare, and the more so the more values there are, which masks of
// bits and remainders tell.
func chance(v *vir.Value, depth int) float64 {
	const unknown = 0.5
	if depth == 0 {
		return unknown
	}
	at := func(i int) float64 { return chance(v.Args[i], depth-1) }
	switch v.Op {
	case vir.Const:
		return float64(v.Const & 1)
	case vir.Prefix:
		return 1
	case vir.Splat, vir.Part:
		return at(0)
	case alu.And:
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
	case alu.Eq:
		return equal(v)
	case alu.Ne:
		return 1 - equal(v)
	case alu.FEq:
		return oneValue
	case alu.FNe:
		return 1 - oneValue
	}
	return unknown
}

// equal is how likely the operands of a comparison are thought to be equal.
func equal(v *vir.Value) float64 {
	least := 1.0 / 4096
	x, y := v.Args[0], v.Args[1]
	switch {
	case x.Type.Elem == alu.I1, chosen(x):
		return 0.5
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
	return oneValue
}

// remainder is how likely a certain remainder of a division by v's constant is.
func remainder(v *vir.Value, least float64) float64 {
	if n := v.Args[1]; n.Op == vir.Const && n.Const != 0 {
		return max(least, 1/float64(n.Const&n.Type.Elem.Mask()))
	}
	return oneValue
}

// someLane is how likely one of a vector's lanes at least has a bit set that
// each has with chance p. Neighbours are alike, so that often none has.
func (w *flow) someLane(p float64) float64 {
	if p == 1 {
		return 1
	}
	width := float64(w.width)
	return (1 - math.Pow(1-p, width)) * (1 - alike/math.Sqrt(width))
}

// chosen reports whether a value says where control came from or shall go, as
// the number of a block does.
func chosen(v *vir.Value) bool {
	return v.Op == vir.Param || v.Op == alu.Select && v.Args[1].Op == vir.Const
}

// tests reports whether a condition looks at bits, remainders or earlier
// decisions, which differ without any order.
func tests(v *vir.Value, depth int) bool {
	switch v.Op {
	case alu.Eq, alu.Ne:
		x, y := v.Args[0], v.Args[1]
		return chosen(x) && y.Op == vir.Const || x.Op == alu.And && x.Args[1].Op == vir.Const || x.Op == alu.Sub && x.Args[1].Op == alu.Mul ||
			y.Op == alu.Mul || x.Op == alu.URem
	case alu.And, alu.Or, alu.Xor:
		return depth > 0 && v.Type.Elem == alu.I1 && (tests(v.Args[0], depth-1) || tests(v.Args[1], depth-1))
	}
	return false
}

// surprise picks what a scalar condition is: an order of computed values, a look
// at bits, remainders or earlier decisions, or one at what each work-item has for
// itself in memory. What all share is seen again and again, as an interpreter's
// program is: the predictor knows it.
func (w *flow) surprise(cond *vir.Value, order, test, data float64) float64 {
	const depth = 4
	switch {
	case w.shared(cond, depth):
		return known
	case tests(cond, depth):
		return test
	case w.ofData(cond, depth):
		return data
	}
	return order
}

// shared reports whether a condition asks for what is in memory that no
// work-item has for itself, and for nothing else.
func (w *flow) shared(v *vir.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch {
	case (v.Op == alu.And || v.Op == alu.Or || v.Op == alu.Xor) && v.Type.Elem == alu.I1:
		return w.shared(v.Args[0], depth-1) && (!w.varying[v.Args[1].ID] || w.shared(v.Args[1], depth-1))
	case alu.InfoOf(v.Op).Class == alu.Compare:
		for i, a := range v.Args {
			if l := origin(a, depth); l.Op == vir.Load && w.varying[l.ID] && !w.fresh(l) && !w.varying[v.Args[1-i].ID] {
				return true
			}
		}
	}
	return false
}

// ofData reports whether a scalar condition compares what has just been loaded.
func (w *flow) ofData(v *vir.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch {
	case (v.Op == alu.And || v.Op == alu.Or || v.Op == alu.Xor) && v.Type.Elem == alu.I1:
		return w.ofData(v.Args[0], depth-1) || w.ofData(v.Args[1], depth-1)
	case alu.InfoOf(v.Op).Class == alu.Compare:
		for i, a := range v.Args {
			if l := origin(a, depth); l.Op == vir.Load && w.varying[v.Args[1-i].ID] || w.fresh(l) {
				return true
			}
		}
	}
	return false
}

// fresh reports whether a value is loaded from where each work-item has its own
// numbers.
func (w *flow) fresh(v *vir.Value) bool {
	return v.Op == vir.Load && w.varying[v.ID] && (w.own[v.Args[0].ID] || w.private(v))
}

// origin is what v is but for constants added, shifts, masks and extensions.
func origin(v *vir.Value, depth int) *vir.Value {
	for ; depth > 0; depth-- {
		if v.Op != alu.ZExt && v.Op != alu.SExt && v.Op != alu.Trunc && (len(v.Args) != 2 || v.Args[1].Op != vir.Const) {
			break
		}
		v = v.Args[0]
	}
	return v
}

// taken is how likely b's branch goes to its first target. If the condition does
// not tell, it goes rather to where a loop is: its test may have been moved there.
func (w *flow) taken(b *vir.Block) float64 {
	unknown := 0.5
	const depth = 4
	switch first, second := w.enters(b, b.Edges[0].To, depth), w.enters(b, b.Edges[1].To, depth); {
	case first && !second:
		unknown = entering
	case second && !first:
		unknown = 1 - entering
	}
	return w.holds(b.Cond, unknown)
}

// holds is how likely a branch's condition is.
func (w *flow) holds(cond *vir.Value, unknown float64) float64 {
	const depth = 8
	p := chance(cond, depth)
	switch cond.Op {
	case vir.Any:
		if p = chance(cond.Args[0], depth); p == 0.5 {
			p = unknown
		}
		return w.someLane(p)
	case vir.All:
		return full
	case alu.Xor:
		if cond.Args[1].Op == vir.Const && onMask(cond.Args[0]) {
			return 1 - w.holds(cond.Args[0], 1-unknown)
		}
	}
	if p == 0.5 {
		p = unknown
	}
	if onMask(cond) {
		return w.someLane(p)
	}
	return p
}

// enters reports whether the way from b over to leads into a loop in which b is
// not.
func (w *flow) enters(b, to *vir.Block, depth int) bool {
	l := w.blockLoop[to.ID]
	switch {
	case depth == 0 || l == nil || w.leaves(w.blockLoop[b.ID], to.ID):
		return false
	case l.Header == to.ID:
		return !w.loops.Contains(l, b.ID)
	}
	for _, e := range to.Edges {
		if w.enters(b, e.To, depth-1) {
			return true
		}
	}
	return false
}
