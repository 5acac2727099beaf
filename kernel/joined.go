package kernel

import (
	"fmt"
	"math/bits"

	"github.com/simtc/simtc/alu"
)

// Joined returns a copy of f for work-groups whose rows are joined into one, so that lanes span
// rows. group is the size of all work-groups of a launch, with 1 for a dimension 2 that stays as it
// is. Local id 0 of the copy counts the work-items of the joined dimensions, as the linear local id
// does, and the dimensions' own ids are computed from it. The range of a launch has the same groups,
// with all their work-items along dimension 0.
//
// requires: the dimensions of f are not exchanged
// maintains: sub-groups, which consist of consecutive work-items of f's joined rows
func Joined(f *Func, group [3]int) *Func {
	f = Clone(f)
	f.Joined = group
	for _, b := range f.Blocks {
		old := b.Values
		b.Values = make([]*Value, 0, len(old)+8)
		for _, v := range old {
			switch {
			case IsQuery(v.Op) && v.Op != WorkDim && (v.Index < 2 || group[2] > 1):
				join(b, v, group)
			case v.Op == SpanRows:
				v.Op, v.Args = alu.Or, []*Value{f.Const(alu.I1, 1), f.Const(alu.I1, 0)}
			}
			b.Values = append(b.Values, v)
		}
	}
	last := f.ReqdWorkGroupSize[2]
	if group[2] > 1 {
		last = 1
	}
	f.ReqdWorkGroupSize = [3]int{group[0] * group[1] * group[2], 1, last}
	f.NonUniform = false
	f.Renumber()
	return f
}

// join replaces the query v of a joined dimension by operations that it appends to b, in front of v.
func join(b *Block, v *Value, group [3]int) {
	t, d, was := v.Type, v.Index, &Replacement{Text: Describe(v)}
	op := func(op Op, args ...*Value) *Value {
		x := b.Append(op, t, args...)
		x.Pos = v.Pos
		return x
	}
	constant := func(n int) *Value { return b.Func.Const(t, uint64(n)) }
	query := func(o Op) *Value {
		x := op(o)
		x.Index = d
		return x
	}
	become := func(op Op, args ...*Value) { v.Op, v.Args, v.Index, v.Was = op, args, 0, was }
	// position is v's local id along d, of the joined id. It is computed in 32 bits, as vectors of
	// narrow indices are.
	position := func() *Value {
		x := op(LocalID)
		if t != alu.I32 {
			x = b.Append(alu.Trunc, alu.I32, x)
		}
		before := 1 // work-items that follow each other before the id along d changes
		for _, n := range group[:d] {
			before *= n
		}
		if before > 1 {
			x = by(b, x, alu.UDiv, before)
		}
		if d == 0 || d == 1 && group[2] > 1 {
			x = by(b, x, alu.URem, group[d])
		}
		return x
	}
	// wide returns x in v's type.
	wide := func(x *Value) *Value {
		if t != alu.I32 {
			x = op(alu.ZExt, x)
		}
		return x
	}
	size := constant(group[d])
	switch v.Op {
	case LocalID:
		become(alu.Add, wide(position()), constant(0))
	case GlobalID:
		first := op(alu.Add, op(alu.Mul, query(GroupID), size), query(GlobalOffset))
		become(alu.Add, first, wide(position()))
	case GlobalSize:
		become(alu.Mul, query(NumGroups), size)
	case LocalSize:
		become(alu.Add, size, constant(0))
	case GroupID, NumGroups, GlobalOffset: // the same
	default:
		panic(fmt.Sprintf("kernel: no rule for %s in joined rows", InfoOf(v.Op).Name))
	}
}

// by appends to b the quotient or remainder of x by n, with a shift or mask for powers of two.
func by(b *Block, x *Value, op Op, n int) *Value {
	if n&(n-1) == 0 {
		if op == alu.UDiv {
			op, n = alu.LShr, bits.TrailingZeros(uint(n))
		} else {
			op, n = alu.And, n-1
		}
	}
	return b.Append(op, alu.I32, x, b.Func.Const(alu.I32, uint64(n)))
}
