package narrow

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/vir"
)

// Where numbers are only compared with constants that small lanes hold, or bounded by them,
// as the number of neighbours in a game of life is, it does not matter by how much they
// pass the bounds of such lanes:
//
//	a, b, c of bytes          s = uaddsat.i8x64 a, b
//	s = add.i32x64 (a+b), c   t = uaddsat.i8x64 s, c
//	m = eq.i32x64 s, 3        m = eq.i8x64 t, 3
//
// A sum of what is not negative then stays at the greatest number, and a difference of
// what such lanes hold at 0.

// saturation is what a value may be in place of itself.
type saturation uint8

const (
	exact   saturation = iota
	capped             // the least of it and the greatest number of lanes of type to
	floored            // the greatest of it and 0
)

// saturate finds what may be so.
func (n *narrowing) saturate() {
	n.saturated = make([]saturation, n.f.NumValues())
	var all []*vir.Value
	for _, b := range n.f.Blocks {
		for _, v := range slices.Concat(b.Params, b.Values) {
			if s := n.mayBe(v); s != exact {
				n.saturated[v.ID] = s
				all = append(all, v)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, v := range slices.Backward(all) {
			if n.saturated[v.ID] != exact && !n.bearable(v) {
				n.saturated[v.ID], changed = exact, true
			}
		}
	}
}

// mayBe is what v may be as far as its operands tell.
func (n *narrowing) mayBe(v *vir.Value) saturation {
	if _, ok := saturating[v.Op]; !ok || !n.wide(v) {
		return exact
	}
	if u, s := n.fits(v); u || s {
		return exact
	}
	bounds := func(i int) interval.Bounds { return n.of(n.operandsIn(v)[i]) }
	switch most := n.to.Mask(); v.Op {
	case alu.Sub:
		if bounds(0).UHi <= most && bounds(1).UHi <= most {
			return floored
		}
		return exact
	case alu.Add:
		if sum, carry := bits.Add64(bounds(0).UHi, bounds(1).UHi, 0); carry != 0 || sum > v.Type.Elem.Mask()>>1 {
			return exact
		}
	}
	if slices.ContainsFunc(n.operandsIn(v), func(a *vir.Value) bool { return !n.of(a).Nonnegative() }) {
		return exact
	}
	return capped
}

// bearable reports whether that is what v may be for all that use it and, if it is what its
// operands may be, too.
func (n *narrowing) bearable(v *vir.Value) bool {
	s := n.saturated[v.ID]
	for _, a := range n.operandsIn(v) {
		if s == capped && n.of(a).UHi > n.to.Mask() && n.saturated[a.ID] != capped {
			return false
		}
	}
	return !slices.ContainsFunc(n.users[v.ID], func(u *vir.Value) bool { return !n.bears(u, v, s) })
}

// bears reports whether to v, which x is an operand of, x and what s makes of it are the same.
func (n *narrowing) bears(v, x *vir.Value, s saturation) bool {
	if n.saturated[v.ID] == capped {
		return s == capped
	}
	i := slices.Index(v.Args, x)
	if len(v.Args) != 2 || v.Args[1-i].Op != vir.Const {
		return false
	}
	c, most := v.Args[1-i].Const, n.to.Mask()
	switch v.Op {
	case alu.Eq, alu.Ne:
		return s == capped && c < most || s == floored && 0 < c && c <= most
	case alu.Slt, alu.Sle:
		if s == floored && c == 0 {
			return (v.Op == alu.Slt) == (i == 1) // 0 < x, x <= 0
		}
		return s == capped && c < most || s == floored && c <= most
	case alu.Ult, alu.Ule:
		return s == capped && c < most // a negative number is a large one
	case alu.SMin, alu.UMin:
		return s == capped && c <= most
	case alu.SMax:
		return s == floored && c <= most
	}
	return false
}

// bearing reports whether v is the same though an operand is not what it is in wide lanes.
func (n *narrowing) bearing(v *vir.Value) bool {
	return slices.ContainsFunc(v.Args, func(a *vir.Value) bool {
		s := n.saturatedTo(a)
		return s != exact && n.bears(v, a, s)
	})
}

// saturatedTo is what v may be, and is if it is a member.
func (n *narrowing) saturatedTo(v *vir.Value) saturation {
	if v.ID >= len(n.saturated) { // constants
		return exact
	}
	return n.saturated[v.ID]
}

// held reports whether all operands of v that lanes of type to do not hold are members.
func (n *narrowing) held(v *vir.Value) bool {
	return !slices.ContainsFunc(n.operandsIn(v), func(a *vir.Value) bool { return n.saturatedTo(a) != exact && !n.member[a.ID] })
}

// saturating has the operation on narrow operands that one becomes of which numbers may be
// something else.
var saturating = map[vir.Op]vir.Op{alu.Add: alu.UAddSat, alu.Sub: alu.USubSat, alu.Select: alu.Select, vir.Param: vir.Param}
