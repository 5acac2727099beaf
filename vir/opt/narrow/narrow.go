package narrow

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Narrow computes small numbers in small lanes, of which more fit in a register: C has
// bytes and shorts promoted to int wherever they are computed with.
//
//	x = zext.i32x64 c        m = ult.i8x64 47, c
//	m = slt.i32x64 47, x     y = add.i8x64 c, -48
//	z = add.i32x64 x, -48
//	y = trunc.i8x64 z
//
// Lanes of n bits are enough for what n bits hold, read as signed or as unsigned, and
// for the low n bits of sums, products and the like, of which no more is asked. Operations
// that hang together become narrow together, if what they save is more than what it takes
// to cut off what they are made of and to extend what is made of them. Sums and differences
// of which it does not matter by how much they pass the bounds of lanes stay at them, see
// narrowsaturate.go. (Stephenson, Babb and Amarasinghe, "Bitwidth Analysis with Application
// to Silicon Compilation", PLDI 2000, section 2.)
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph, and what each value is that anything else uses
func Narrow(f *vir.Func, stats edit.Stats) {
	if f.Width == 1 {
		return
	}
	for _, to := range []alu.Type{alu.I8, alu.I16} {
		n := narrowing{f: f, to: to, users: analysis.UsersOf(f), passed: analysis.ArgumentsOf(f), bounds: make([]interval.Bounds, f.NumValues()), known: make([]bool, f.NumValues()),
			member: make([]bool, f.NumValues())}
		if n.choose(); !slices.Contains(n.member, true) {
			continue
		}
		made, saturate := n.rewrite()
		stats.Add("operations in small lanes", made)
		stats.Add("operations that saturate", saturate)
		f.Renumber()
		edit.Dead(f, nil)
	}
}

// narrowable has the operations that may have narrower lanes: from how many bits on
// processors have them, and whether their low bits are those of operations on low bits,
// else what the operands are decides.
var narrowable = map[vir.Op]struct {
	bits int
	low  bool
}{
	alu.Add: {8, true}, alu.Sub: {8, true}, alu.And: {8, true}, alu.Or: {8, true}, alu.Xor: {8, true}, alu.Select: {8, true},
	alu.Mul: {16, true}, alu.Shl: {16, true}, alu.LShr: {16, false}, alu.AShr: {16, false},
	alu.SMin: {8, false}, alu.SMax: {8, false}, alu.UMin: {8, false}, alu.UMax: {8, false}, alu.Abs: {8, false},
	alu.Eq: {8, false}, alu.Ne: {8, false}, alu.Slt: {8, false}, alu.Sle: {8, false}, alu.Ult: {8, false}, alu.Ule: {8, false},
	alu.ZExt: {8, true}, alu.SExt: {8, true}, vir.Param: {8, true},
}

// narrowing finds what becomes narrow, and rewrites it.
type narrowing struct {
	f      *vir.Func
	to     alu.Type
	users  [][]*vir.Value    // by value ID: what it is an operand of, or passed to
	passed [][]*vir.Value    // by ID of a parameter: what is passed to it
	bounds []interval.Bounds // by value ID
	known  []bool
	member []bool // by value ID: it is to have lanes of type to

	saturated []saturation // by value ID
}

// of returns the bounds of an integer, in each lane.
func (n *narrowing) of(v *vir.Value) interval.Bounds {
	if v.ID >= len(n.known) {
		return interval.Any(v.Type.Elem)
	}
	if n.known[v.ID] {
		return n.bounds[v.ID]
	}
	b := interval.Any(v.Type.Elem)
	n.known[v.ID], n.bounds[v.ID] = true, b
	switch {
	case v.Op == vir.Const:
		b = interval.Exactly(v.Type.Elem, v.Const)
	case v.Op == vir.Iota && v.Index >= 0:
		b = interval.Unsigned(v.Type.Elem, uint64(v.Index), uint64(v.Index+v.Type.Lanes-1))
	case v.Op == vir.Splat:
		b = n.of(v.Args[0])
	case v.Op == vir.Param && len(n.passed[v.ID]) > 0: // in a loop one that is passed is of any size so far
		b = n.of(n.passed[v.ID][0])
		for _, a := range n.passed[v.ID][1:] {
			b = interval.Cover(b, n.of(a))
		}
	case v.Op.Pure():
		xs := make([]interval.Bounds, len(v.Args))
		for i, a := range v.Args {
			xs[i] = n.of(a)
		}
		b, _ = interval.Of(v.Op, v.Type.Elem, v.Args[0].Type.Elem, xs...)
	}
	b = b.Both(v.Type.Elem)
	n.bounds[v.ID] = b
	return b
}

// fits reports whether lanes of type to hold v, read as unsigned and as signed.
func (n *narrowing) fits(v *vir.Value) (unsigned, signed bool) {
	b, all := n.of(v), interval.Any(n.to)
	return b.UHi <= all.UHi, b.SLo >= all.SLo && b.SHi <= all.SHi
}

// alike reports whether lanes of type to hold both, and how read.
func (n *narrowing) alike(x, y *vir.Value) (unsigned, signed bool) {
	unsigned, signed = n.fits(x)
	u, s := n.fits(y)
	return unsigned && u, signed && s
}

// wide reports whether v is a vector with lanes wider than type to, but not as wide as those
// of what addresses are made of.
func (n *narrowing) wide(v *vir.Value) bool {
	return v.Type.IsVec() && v.Type.Elem.IsInt() && v.Type.Elem.Bits() > n.to.Bits() && v.Type.Elem != alu.I64
}

// can reports whether v computes the same, or its low bits, from narrow operands.
func (n *narrowing) can(v *vir.Value) bool {
	row, ok := narrowable[v.Op]
	if !ok || n.to.Bits() < row.bits {
		return false
	}
	compare := alu.InfoOf(v.Op).Class == alu.Compare
	if compare && !(v.Type.IsMask() && n.wide(v.Args[0])) || !compare && !n.wide(v) {
		return false
	}
	if n.saturatedTo(v) != exact || n.bearing(v) {
		return true
	}
	switch v.Op {
	case alu.ZExt, alu.SExt:
		return v.Args[0].Type.Elem.Bits() <= n.to.Bits()
	case alu.Shl, alu.LShr, alu.AShr:
		if v.Args[1].Op != vir.Const || v.Args[1].Const >= uint64(n.to.Bits()) {
			return false
		}
		u, s := n.fits(v.Args[0])
		return v.Op == alu.Shl || u && (v.Op == alu.LShr || n.of(v.Args[0]).Nonnegative()) || s && v.Op == alu.AShr
	case alu.Abs:
		_, s := n.fits(v.Args[0])
		return s
	case alu.SMin, alu.SMax, alu.Slt, alu.Sle:
		u, s := n.alike(v.Args[0], v.Args[1])
		return s || u && n.of(v.Args[0]).Nonnegative() && n.of(v.Args[1]).Nonnegative()
	case alu.UMin, alu.UMax, alu.Ult, alu.Ule:
		u, _ := n.alike(v.Args[0], v.Args[1])
		return u
	case alu.Eq, alu.Ne:
		u, s := n.alike(v.Args[0], v.Args[1])
		return u || s
	}
	return true
}

// choose decides on the members.
func (n *narrowing) choose() {
	n.saturate()
	var all []*vir.Value
	for _, b := range n.f.Blocks {
		for _, v := range slices.Concat(b.Params, b.Values) {
			if n.can(v) {
				n.member[v.ID] = true
				all = append(all, v)
			}
		}
	}
	for {
		// What is not held must be asked for its low bits only, by members that may go themselves.
		for changed := true; changed; {
			changed = false
			for _, v := range slices.Backward(all) {
				if n.member[v.ID] && !(n.sound(v) && n.held(v)) {
					n.member[v.ID], changed = false, true
				}
			}
		}
		all = slices.DeleteFunc(all, func(v *vir.Value) bool { return !n.member[v.ID] })
		// Those that hang together stay or go together, but may stay without the parameters.
		rest := false
		for _, web := range n.webs(all) {
			if n.gain(web) > 0 {
				continue
			}
			params := slices.ContainsFunc(web, func(v *vir.Value) bool { return v.Op == vir.Param })
			for _, v := range web {
				n.member[v.ID] = params && v.Op != vir.Param
			}
			rest = rest || params
		}
		if !rest {
			return
		}
	}
}

// webs are the members all, those together that hang together.
func (n *narrowing) webs(all []*vir.Value) [][]*vir.Value {
	web := make([]int, n.f.NumValues())
	for i := range web {
		web[i] = i
	}
	find := func(i int) int {
		for ; web[i] != i; i = web[i] {
			web[i] = web[web[i]]
		}
		return i
	}
	for _, v := range all {
		for _, a := range n.operandsIn(v) {
			if n.member[a.ID] || n.leaf(v, a) {
				web[find(a.ID)] = find(v.ID)
			}
		}
	}
	return grouped.Lists(n.f.NumValues(), func(add func(int, *vir.Value)) {
		for _, v := range all {
			add(find(v.ID), v)
		}
	})
}

// gain is what is saved if the members of a web become narrow, less what it takes to cut off
// what they are made of.
func (n *narrowing) gain(web []*vir.Value) int {
	saved := 0
	cut := map[*vir.Value]bool{}
	for _, v := range web {
		saved += n.saves(v)
		for _, a := range n.operandsIn(v) {
			if n.leaf(v, a) && !cut[a] {
				cut[a] = true
				saved -= n.cutting(a)
			}
		}
	}
	return saved
}

// sound reports whether all that use v get what they need of it if it is narrow.
func (n *narrowing) sound(v *vir.Value) bool {
	if v.Type.IsMask() {
		return true
	}
	asksMore := func(u *vir.Value) bool { return !n.low(u) }
	switch u, s := n.fits(v); {
	case v.Op == vir.Param, isExtension(v) && v.Args[0].Type.IsMask(), n.saturated[v.ID] != exact:
		// To extend a parameter takes longer than to pass it in wide lanes, and to extend what
		// is made of a mask as long as to make it.
		asksMore = func(u *vir.Value) bool { return !n.member[u.ID] && !n.cuts(u) }
	case u || s:
		return true
	}
	return !slices.ContainsFunc(n.users[v.ID], asksMore)
}

// low reports whether v takes no more than the low bits of its operands.
func (n *narrowing) low(v *vir.Value) bool {
	return n.cuts(v) || n.member[v.ID] && narrowable[v.Op].low
}

// cuts reports whether v is no more than the low bits of its operand, as many as type to has
// or fewer.
func (n *narrowing) cuts(v *vir.Value) bool {
	return v.Op == alu.Trunc && v.Type.IsVec() && v.Type.Elem.Bits() <= n.to.Bits()
}

// operandsIn returns the operands that have lanes as wide as the operation's: not what a
// choice is made by.
func (n *narrowing) operandsIn(v *vir.Value) []*vir.Value {
	if v.Op == vir.Param {
		return n.passed[v.ID]
	}
	if v.Op == alu.Select {
		return v.Args[1:]
	}
	return v.Args
}

// leastUnits is what an operation takes however few lanes it has, in bytes of a register.
const leastUnits = 16

// units is what an operation on lanes of type t takes, in bytes of registers.
func units(t vir.Type) int { return max(t.Lanes*t.Elem.Size(), leastUnits) }

// saves is what is saved if v becomes narrow with all other members.
func (n *narrowing) saves(v *vir.Value) int {
	wide := v.Type
	if wide.IsMask() {
		wide = v.Args[0].Type
	}
	narrow := wide.With(n.to)
	saved := 0
	switch v.Op {
	case vir.Param:
	case alu.ZExt, alu.SExt:
		saved += units(wide)
		if v.Args[0].Type != narrow {
			saved -= units(narrow)
		}
	default:
		saved += units(wide) - units(narrow)
	}
	if v.Type.IsMask() {
		if n.masks(v, wide.Elem, mostMaskLogic) {
			saved -= units(wide)
		}
		return saved
	}
	extended := false
	for _, u := range n.users[v.ID] {
		switch {
		case n.cuts(u):
			saved += units(wide)
			if u.Type != narrow {
				saved -= units(narrow)
			}
		case !n.member[u.ID]:
			extended = true
		}
	}
	if extended {
		saved -= units(wide)
	}
	return saved
}

// mostMaskLogic is how deep in logic uses of a mask are looked for.
const mostMaskLogic = 3

// masks reports whether mask m, or one that is made of it, is for numbers of type t that do not
// become narrow: where masks are vectors they must have lanes as wide.
func (n *narrowing) masks(m *vir.Value, t alu.Type, depth int) bool {
	return slices.ContainsFunc(n.users[m.ID], func(u *vir.Value) bool {
		switch {
		case n.member[u.ID]:
			return false
		case u.Type.IsMask():
			return depth > 0 && u.Op.Pure() && n.masks(u, t, depth-1)
		}
		return u.Accessed().Elem == t || u.Op == alu.Select && u.Type.Elem == t
	})
}

// leaf reports whether of a, an operand of member v, the low bits must be taken. Those of what
// is the same in all lanes are taken of one.
func (n *narrowing) leaf(v, a *vir.Value) bool {
	return !n.member[a.ID] && !isExtension(v) && a.Op != vir.Const && a.Op != vir.Splat
}

// cutting is what it takes to cut v off, which processors do in two steps, unless that is done
// anyway.
func (n *narrowing) cutting(v *vir.Value) int {
	if slices.ContainsFunc(n.users[v.ID], func(u *vir.Value) bool { return n.cuts(u) && u.Type.Elem == n.to }) {
		return 0
	}
	return 2 * units(v.Type)
}
