package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// maxNarrow limits the depth of a narrowed expression.
const maxNarrow = 8

// Narrow computes 64-bit expressions that are only truncated in 32 bits, such as those in
// which an int meets a size_t: the low bits of sums, differences, products, logic and left
// shifts depend only on the low bits of the operands. Twice as many lanes fit a register, and
// an id that was extended keeps its stride between lanes.
//
// An operation is narrowed if the truncation is its only use and if the number of new
// truncations does not exceed that of the narrowed operations.
//
// requires: dense IDs; maintains: everything
func Narrow(f *kernel.Func, st Stats) {
	n := &narrower{f: f, uses: UsesOf(f)}
	narrowed := 0
	for _, b := range f.Blocks {
		var out []*kernel.Value
		for i, v := range b.Values {
			if v.Op == alu.Trunc && v.Type == alu.I32 && v.Args[0].Type == alu.I64 && n.worth(v.Args[0], maxNarrow) {
				if out == nil {
					out = append(make([]*kernel.Value, 0, len(b.Values)+4), b.Values[:i]...)
				}
				n.block, n.pos, n.made = b, v.Pos, nil
				x := v.Args[0]
				v.Op, v.Args = x.Op, []*kernel.Value{n.low(x.Args[0], maxNarrow-1), n.low(x.Args[1], maxNarrow-1)}
				out = append(out, n.made...)
				narrowed += 1 + len(n.made)
			}
			if out != nil {
				out = append(out, v)
			}
		}
		if out != nil {
			b.Values = out
		}
	}
	if narrowed > 0 {
		st.Add("operations narrowed", narrowed)
		RemoveDead(f, nil)
	}
}

type narrower struct {
	f     *kernel.Func
	uses  []int // by value ID
	block *kernel.Block
	pos   diag.Pos
	made  []*kernel.Value // in order, before the truncation
}

// worth reports whether x should be computed in 32 bits.
func (n *narrower) worth(x *kernel.Value, depth int) bool {
	if depth == 0 || x.ID >= len(n.uses) || n.uses[x.ID] != 1 {
		return false
	}
	switch x.Op {
	case alu.Add, alu.Sub, alu.Mul, alu.And, alu.Or, alu.Xor:
		return n.free(x.Args[0], depth-1) || n.free(x.Args[1], depth-1)
	case alu.Shl:
		c := x.Args[1]
		return c.Op == kernel.Const && c.Const < 32 && n.free(x.Args[0], depth-1)
	}
	return false
}

// free reports whether the low half of x needs no truncation.
func (n *narrower) free(x *kernel.Value, depth int) bool {
	switch x.Op {
	case kernel.Const:
		return true
	case alu.SExt, alu.ZExt:
		return x.Args[0].Type.Bits() <= 32 && x.Args[0].Type != alu.I1
	}
	return n.worth(x, depth)
}

// low returns the low half of x.
func (n *narrower) low(x *kernel.Value, depth int) *kernel.Value {
	switch {
	case x.Op == kernel.Const:
		return n.f.Const(alu.I32, x.Const&0xffffffff)
	case (x.Op == alu.SExt || x.Op == alu.ZExt) && n.free(x, 1):
		if from := x.Args[0]; from.Type == alu.I32 {
			return from
		}
		return n.make(x.Op, x.Args[0])
	case n.worth(x, depth):
		return n.make(x.Op, n.low(x.Args[0], depth-1), n.low(x.Args[1], depth-1))
	}
	return n.make(alu.Trunc, x)
}

func (n *narrower) make(op kernel.Op, args ...*kernel.Value) *kernel.Value {
	v := n.block.NewValue(op, alu.I32, args...)
	v.Pos = n.pos
	n.made = append(n.made, v)
	return v
}
