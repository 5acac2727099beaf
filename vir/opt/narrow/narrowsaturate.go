package narrow

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/vir"
)

// A sum that is only compared with small constants, or bounded by them, such as the number of
// neighbours in the game of life, may saturate in narrow lanes:
//
//	a, b, c of bytes          s = uaddsat.i8x64 a, b
//	s = add.i32x64 (a+b), c   t = uaddsat.i8x64 s, c
//	m = eq.i32x64 s, 3        m = eq.i8x64 t, 3
//
// A sum of nonnegative values is then capped at the greatest value of the narrow type, and a
// difference of values that fit is floored at 0.

// saturation says which value may take the place of the exact one.
type saturation uint8

const (
	exact   saturation = iota
	capped             // min(value, greatest value of type to)
	floored            // max(value, 0)
)

// saturate finds the values that may saturate.
func (n *narrowing) saturate() {
	n.saturated = make([]saturation, n.f.NumValues())
	var all []*vir.Value
	for _, b := range n.f.Blocks {
		for _, v := range slices.Concat(b.Params, b.Values) {
			if s := n.allowedSaturation(v); s != exact {
				n.saturated[v.ID] = s
				all = append(all, v)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, v := range slices.Backward(all) {
			if n.saturated[v.ID] != exact && !n.tolerated(v) {
				n.saturated[v.ID], changed = exact, true
			}
		}
	}
}

// allowedSaturation returns the saturation of v that its operands allow.
func (n *narrowing) allowedSaturation(v *vir.Value) saturation {
	if _, ok := saturating[v.Op]; !ok || !n.wide(v) {
		return exact
	}
	if u, s := n.fits(v); u || s {
		return exact
	}
	bounds := func(i int) interval.Bounds { return n.boundsOf(n.operandsIn(v)[i]) }
	switch highest := n.to.Mask(); v.Op {
	case alu.Sub:
		if bounds(0).UHi <= highest && bounds(1).UHi <= highest {
			return floored
		}
		return exact
	case alu.Add:
		if sum, carry := bits.Add64(bounds(0).UHi, bounds(1).UHi, 0); carry != 0 || sum > v.Type.Elem.Mask()>>1 {
			return exact
		}
	}
	if slices.ContainsFunc(n.operandsIn(v), func(a *vir.Value) bool { return !n.boundsOf(a).Nonnegative() }) {
		return exact
	}
	return capped
}

// tolerated reports whether all users of v tolerate its saturation, and whether operands beyond
// the narrow type saturate the same way.
func (n *narrowing) tolerated(v *vir.Value) bool {
	s := n.saturated[v.ID]
	for _, a := range n.operandsIn(v) {
		if s == capped && n.boundsOf(a).UHi > n.to.Mask() && n.saturated[a.ID] != capped {
			return false
		}
	}
	return !slices.ContainsFunc(n.users[v.ID], func(u *vir.Value) bool { return !n.tolerates(u, v, s) })
}

// tolerates reports whether v does not change if its operand x is replaced by its saturation s.
func (n *narrowing) tolerates(v, x *vir.Value, s saturation) bool {
	if n.saturated[v.ID] == capped {
		return s == capped
	}
	i := slices.Index(v.Args, x)
	if len(v.Args) != 2 || v.Args[1-i].Op != vir.Const {
		return false
	}
	c, highest := v.Args[1-i].Const, n.to.Mask()
	switch v.Op {
	case alu.Eq, alu.Ne:
		return s == capped && c < highest || s == floored && 0 < c && c <= highest
	case alu.Slt, alu.Sle:
		if s == floored && c == 0 {
			return (v.Op == alu.Slt) == (i == 1) // 0 < x, x <= 0
		}
		return s == capped && c < highest || s == floored && c <= highest
	case alu.Ult, alu.Ule:
		return s == capped && c < highest // a negative value is a large unsigned one
	case alu.SMin, alu.UMin:
		return s == capped && c <= highest
	case alu.SMax:
		return s == floored && c <= highest
	}
	return false
}

// toleratesOperands reports whether v is exact although an operand saturates.
func (n *narrowing) toleratesOperands(v *vir.Value) bool {
	return slices.ContainsFunc(v.Args, func(a *vir.Value) bool {
		s := n.saturatedTo(a)
		return s != exact && n.tolerates(v, a, s)
	})
}

// saturatedTo returns the saturation of v if it becomes a member.
func (n *narrowing) saturatedTo(v *vir.Value) saturation {
	if v.ID >= len(n.saturated) { // constants
		return exact
	}
	return n.saturated[v.ID]
}

// operandsSaturate reports whether all operands of v that saturate are members.
func (n *narrowing) operandsSaturate(v *vir.Value) bool {
	return !slices.ContainsFunc(n.operandsIn(v), func(a *vir.Value) bool { return n.saturatedTo(a) != exact && !n.member[a.ID] })
}

// saturating maps operations to their saturating form on narrow operands.
var saturating = map[vir.Op]vir.Op{alu.Add: alu.UAddSat, alu.Sub: alu.USubSat, alu.Select: alu.Select, vir.Param: vir.Param}
