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

// Narrow computes in lanes of 8 or 16 bits what needs no more: C promotes bytes and shorts to
// int in every operation.
//
//	x = zext.i32x64 c        m = ult.i8x64 47, c
//	m = slt.i32x64 47, x     y = add.i8x64 c, -48
//	z = add.i32x64 x, -48
//	y = trunc.i8x64 z
//
// Lanes of n bits suffice for values that fit in n bits, read as signed or as unsigned, and for
// the low n bits of sums, products and the like if only these are used. Connected operations
// become narrow together, if that saves more than it costs to truncate their inputs and extend
// their results. Sums and differences whose exact value beyond the bounds of the narrow type
// does not matter saturate, see narrowsaturate.go. (Stephenson, Babb and Amarasinghe, "Bitwidth
// Analysis with Application to Silicon Compilation", PLDI 2000, section 2.)
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph, and every value used outside the narrowed operations
func Narrow(f *vir.Func, stats edit.Stats) {
	if f.Width == 1 {
		return
	}
	for _, to := range []alu.Type{alu.I8, alu.I16} {
		n := narrowing{f: f, to: to, users: analysis.UsersOf(f), args: analysis.ArgumentsOf(f), bounds: make([]interval.Bounds, f.NumValues()), known: make([]bool, f.NumValues()),
			member: make([]bool, f.NumValues())}
		if n.choose(); !slices.Contains(n.member, true) {
			continue
		}
		made, saturate := n.rewrite()
		stats.Add("operations narrowed", made)
		stats.Add("operations saturated", saturate)
		f.Renumber()
		edit.Dead(f, nil)
	}
}

// narrowable lists the operations that may become narrow: the least lane width in bits that
// processors support, and whether the low bits of the result depend only on the low bits of the
// operands. Otherwise the bounds of the operands decide.
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

// narrowing selects the members, the values that become narrow, and rewrites them.
type narrowing struct {
	f      *vir.Func
	to     alu.Type
	users  [][]*vir.Value    // by value ID: operations and parameters that use it
	args   [][]*vir.Value    // by ID of a parameter: its arguments
	bounds []interval.Bounds // by value ID
	known  []bool
	member []bool // by value ID: it will have lanes of type to

	saturated []saturation // by value ID
}

// boundsOf returns the bounds that hold for every lane of an integer.
func (n *narrowing) boundsOf(v *vir.Value) interval.Bounds {
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
		b = n.boundsOf(v.Args[0])
	case v.Op == vir.Param && len(n.args[v.ID]) > 0: // cyclic definitions count as unbounded
		b = n.boundsOf(n.args[v.ID][0])
		for _, a := range n.args[v.ID][1:] {
			b = interval.Cover(b, n.boundsOf(a))
		}
	case v.Op.Pure():
		xs := make([]interval.Bounds, len(v.Args))
		for i, a := range v.Args {
			xs[i] = n.boundsOf(a)
		}
		b, _ = interval.Of(v.Op, v.Type.Elem, v.Args[0].Type.Elem, xs...)
	}
	b = b.Both(v.Type.Elem)
	n.bounds[v.ID] = b
	return b
}

// fits reports whether lanes of type to hold v, read as unsigned or as signed.
func (n *narrowing) fits(v *vir.Value) (unsigned, signed bool) {
	b, all := n.boundsOf(v), interval.Any(n.to)
	return b.UHi <= all.UHi, b.SLo >= all.SLo && b.SHi <= all.SHi
}

// fitBoth reports whether lanes of type to hold both x and y, read as unsigned or as signed.
func (n *narrowing) fitBoth(x, y *vir.Value) (unsigned, signed bool) {
	unsigned, signed = n.fits(x)
	u, s := n.fits(y)
	return unsigned && u, signed && s
}

// wide reports whether v is an integer vector with lanes wider than type to. Lanes of 64 bits
// are excluded: they hold addresses.
func (n *narrowing) wide(v *vir.Value) bool {
	return v.Type.IsVec() && v.Type.Elem.IsInt() && v.Type.Elem.Bits() > n.to.Bits() && v.Type.Elem != alu.I64
}

// canNarrow reports whether v, or its low bits, can be computed from narrow operands.
func (n *narrowing) canNarrow(v *vir.Value) bool {
	row, ok := narrowable[v.Op]
	if !ok || n.to.Bits() < row.bits {
		return false
	}
	compare := alu.InfoOf(v.Op).Class == alu.Compare
	if compare && !(v.Type.IsMask() && n.wide(v.Args[0])) || !compare && !n.wide(v) {
		return false
	}
	if n.saturatedTo(v) != exact || n.toleratesOperands(v) {
		return true
	}
	switch v.Op {
	case alu.ZExt, alu.SExt:
		return v.Args[0].Type.Elem.Bits() <= n.to.Bits()
	case alu.Shl, alu.LShr, alu.AShr:
		if by := v.Args[1]; by.Op != vir.Const && by.Op != vir.Splat || n.boundsOf(by).UHi >= uint64(n.to.Bits()) {
			return false
		}
		u, s := n.fits(v.Args[0])
		return v.Op == alu.Shl || u && (v.Op == alu.LShr || n.boundsOf(v.Args[0]).Nonnegative()) || s && v.Op == alu.AShr
	case alu.Abs:
		_, s := n.fits(v.Args[0])
		return s
	case alu.SMin, alu.SMax, alu.Slt, alu.Sle:
		u, s := n.fitBoth(v.Args[0], v.Args[1])
		return s || u && n.boundsOf(v.Args[0]).Nonnegative() && n.boundsOf(v.Args[1]).Nonnegative()
	case alu.UMin, alu.UMax, alu.Ult, alu.Ule:
		u, _ := n.fitBoth(v.Args[0], v.Args[1])
		return u
	case alu.Eq, alu.Ne:
		u, s := n.fitBoth(v.Args[0], v.Args[1])
		return u || s
	}
	return true
}

// choose selects the members.
func (n *narrowing) choose() {
	n.saturate()
	var all []*vir.Value
	for _, b := range n.f.Blocks {
		for _, v := range slices.Concat(b.Params, b.Values) {
			if n.canNarrow(v) {
				n.member[v.ID] = true
				all = append(all, v)
			}
		}
	}
	for {
		// Saturated values must be used only for their low bits, by members.
		for changed := true; changed; {
			changed = false
			for _, v := range slices.Backward(all) {
				if n.member[v.ID] && !(n.usersSatisfied(v) && n.operandsSaturate(v)) {
					n.member[v.ID], changed = false, true
				}
			}
		}
		all = slices.DeleteFunc(all, func(v *vir.Value) bool { return !n.member[v.ID] })
		// A web becomes narrow as a whole, or without its parameters, or not at all.
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

// webs groups the members into connected components.
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
			if n.member[a.ID] || n.mustTruncate(v, a) {
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

// gain returns what narrowing a web saves, less the truncation of its inputs.
func (n *narrowing) gain(web []*vir.Value) int {
	saved := 0
	cut := map[*vir.Value]bool{}
	for _, v := range web {
		saved += n.saving(v)
		for _, a := range n.operandsIn(v) {
			if n.mustTruncate(v, a) && !cut[a] {
				cut[a] = true
				saved -= n.truncationCost(a)
			}
		}
	}
	return saved
}

// usersSatisfied reports whether every user of v gets the bits it needs if v is narrow.
func (n *narrowing) usersSatisfied(v *vir.Value) bool {
	if v.Type.IsMask() {
		return true
	}
	needsAll := func(u *vir.Value) bool { return !n.readsLowBits(u) }
	switch u, s := n.fits(v); {
	case v.Op == vir.Param, isExtension(v) && v.Args[0].Type.IsMask(), n.saturated[v.ID] != exact:
		// Extending a parameter costs more than passing it in wide lanes, and extending a
		// value made of a mask as much as making it.
		needsAll = func(u *vir.Value) bool { return !n.member[u.ID] && !n.isTruncation(u) }
	case u || s:
		return true
	}
	return !slices.ContainsFunc(n.users[v.ID], needsAll)
}

// readsLowBits reports whether v depends only on the low bits of its operands.
func (n *narrowing) readsLowBits(v *vir.Value) bool {
	return n.isTruncation(v) || n.member[v.ID] && narrowable[v.Op].low
}

// isTruncation reports whether v is a truncation to at most the width of type to.
func (n *narrowing) isTruncation(v *vir.Value) bool {
	return v.Op == alu.Trunc && v.Type.IsVec() && v.Type.Elem.Bits() <= n.to.Bits()
}

// operandsIn returns the operands with lanes as wide as the operation's, which excludes the
// condition of a select.
func (n *narrowing) operandsIn(v *vir.Value) []*vir.Value {
	if v.Op == vir.Param {
		return n.args[v.ID]
	}
	if v.Op == alu.Select {
		return v.Args[1:]
	}
	return v.Args
}

// minUnits is the cost of an operation on few lanes, in bytes of a register.
const minUnits = 16

// units returns the cost of an operation on type t, in bytes of registers.
func units(t vir.Type) int { return max(t.Lanes*t.Elem.Size(), minUnits) }

// saving returns what is saved by v if all members become narrow.
func (n *narrowing) saving(v *vir.Value) int {
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
		if n.masks(v, wide.Elem, maxMaskLogic) {
			saved -= units(wide)
		}
		return saved
	}
	extended := false
	for _, u := range n.users[v.ID] {
		switch {
		case n.isTruncation(u):
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

// maxMaskLogic bounds the recursion of masks.
const maxMaskLogic = 3

// masks reports whether the mask m, or a mask computed from it, selects among values of type t
// that stay wide: where masks are vectors, it needs lanes of that width.
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

// mustTruncate reports whether operand a of the member v must be truncated. Constants and splats are
// narrowed as scalars.
func (n *narrowing) mustTruncate(v, a *vir.Value) bool {
	return !n.member[a.ID] && !isExtension(v) && a.Op != vir.Const && a.Op != vir.Splat
}

// truncationCost returns the cost of truncating v, two steps on processors, or 0 if v is truncated
// already.
func (n *narrowing) truncationCost(v *vir.Value) int {
	if slices.ContainsFunc(n.users[v.ID], func(u *vir.Value) bool { return n.isTruncation(u) && u.Type.Elem == n.to }) {
		return 0
	}
	return 2 * units(v.Type)
}
