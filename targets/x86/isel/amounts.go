package isel

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// BoundAmounts makes the amounts of shifts of vectors less than the number of bits, modulo which they
// are meant: instructions shift out everything for larger ones. An amount is bounded where it is
// defined, once for all its users, and that of all lanes as a scalar.
func BoundAmounts(f *vir.Func) {
	type key struct {
		n *vir.Value
		w uint64
	}
	bound := map[key]*vir.Value{}
	first := map[*vir.Block][]*vir.Value{} // to be inserted at the start
	after := map[*vir.Value][]*vir.Value{} // to be inserted after an operation
	and := func(at, n *vir.Value, w uint64) *vir.Value {
		x := at.Block.NewValue(alu.And, n.Type, n, f.Const(n.Type, w-1))
		x.Pos = at.Pos
		return x
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != alu.Shl && v.Op != alu.LShr && v.Op != alu.AShr || !v.Type.IsVec() {
				continue
			}
			n, w := v.Args[1], uint64(v.Type.Elem.Bits())
			if isBounded(n, w) {
				continue
			}
			x := bound[key{n, w}]
			if x == nil {
				var made []*vir.Value
				if n.Op == vir.Splat {
					one := and(n, n.Args[0], w)
					x = n.Block.NewValue(vir.Splat, n.Type, one)
					x.Pos = n.Pos
					made = []*vir.Value{one, x}
				} else {
					x = and(n, n, w)
					made = []*vir.Value{x}
				}
				bound[key{n, w}] = x
				if n.Op == vir.Param {
					first[n.Block] = append(first[n.Block], made...)
				} else {
					after[n] = append(after[n], made...)
				}
			}
			v.Args[1] = x
		}
	}
	if len(bound) == 0 {
		return
	}
	for _, b := range f.Blocks {
		out := slices.Clone(first[b])
		for _, v := range b.Values {
			out = append(append(out, v), after[v]...)
		}
		b.Values = out
	}
	f.Renumber()
}

// isBounded reports whether n, amounts of shifts, is known to be less than w.
func isBounded(n *vir.Value, w uint64) bool {
	switch n.Op {
	case vir.Const: // instructions with an immediate operand take it modulo w
		return true
	case vir.Splat:
		one := n.Args[0]
		return one.Op == alu.And && one.Args[1].Op == vir.Const && one.Args[1].Const < w
	case alu.And:
		return n.Args[1].Op == vir.Const && n.Args[1].Const < w
	}
	return false
}
