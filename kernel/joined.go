package kernel

import (
	"fmt"
	"math/bits"

	"github.com/simtc/simtc/alu"
)

// Joined returns a copy of f for work-groups whose rows are joined into one, so that lanes span
// rows. group is the size of all work-groups of a launch along dimensions 0 and 1. Local id 0 of
// the copy counts the work-items of both dimensions, as the linear local id does, and the
// dimensions' own ids are computed from it. The range of a launch has the same groups, of
// group[0]*group[1] work-items along dimension 0 and one along dimension 1.
//
// requires: group[0] is a power of two; f queries no sub-groups; its dimensions are not exchanged
func Joined(f *Func, group [2]int) *Func {
	f = Clone(f)
	f.Joined = group
	for _, b := range f.Blocks {
		old := b.Values
		b.Values = make([]*Value, 0, len(old)+8)
		for _, v := range old {
			if IsQuery(v.Op) && v.Op != WorkDim && v.Index < 2 {
				join(b, v, group)
			}
			b.Values = append(b.Values, v)
		}
	}
	f.ReqdWorkGroupSize = [3]int{group[0] * group[1], 1, f.ReqdWorkGroupSize[2]}
	f.NonUniform = false
	f.Renumber()
	return f
}

// join replaces the query v of dimension 0 or 1 by operations that it appends to b, in front of v.
func join(b *Block, v *Value, group [2]int) {
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
		mask, shift := b.Func.Const(alu.I32, uint64(group[0]-1)), b.Func.Const(alu.I32, uint64(bits.TrailingZeros(uint(group[0]))))
		if d == 0 {
			x = b.Append(alu.And, alu.I32, x, mask)
		} else {
			x = b.Append(alu.LShr, alu.I32, x, shift)
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
