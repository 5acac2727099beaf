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

// taken is how likely a branch goes to its first target.
func (w *flow) taken(cond *vir.Value) float64 {
	const depth = 8
	switch cond.Op {
	case vir.Any:
		return w.someLane(chance(cond.Args[0], depth))
	case vir.All:
		return full
	case alu.Xor:
		if cond.Args[1].Op == vir.Const && onMask(cond.Args[0]) {
			return 1 - w.taken(cond.Args[0])
		}
	}
	if onMask(cond) {
		return w.someLane(0.5)
	}
	return chance(cond, depth)
}
