package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// chunks builds a function that runs the work-items of a row in chunks, through other
// functions that it adopts.
type chunks struct {
	*vir.Func
	entry, chunk *vir.Block
	all, size    *vir.Value // work-items of the row, and of every chunk but the last
	begun        *vir.Value // work-items before this chunk
	count, first *vir.Value // this chunk's work-items, and the first along dimension 0
}

// newChunks starts the function. Arguments of like from firstArg on are not launch arguments.
func newChunks(like *vir.Func, firstArg int64, size int64) *chunks {
	i64, i1 := vir.Scalar(alu.I64), vir.Scalar(alu.I1)
	c := &chunks{Func: &vir.Func{Name: like.Name, Width: like.Width, Pos: like.Pos}}
	for _, at := range like.NoAlias {
		if at < firstArg {
			c.NoAlias = append(c.NoAlias, at)
		}
	}
	c.entry, c.chunk = c.NewBlock("entry"), c.NewBlock("chunk")
	c.chunk.Over = vir.OverRows
	c.entry.Append(vir.Context, i64)
	c.all, c.size = c.field(vir.CtxCount), c.constant(size)
	start := c.field(vir.CtxStart)
	c.entry.Jump(c.chunk, c.constant(0))
	c.begun = c.chunk.NewParam(i64, "chunk")
	left := c.chunk.Append(alu.Sub, i64, c.all, c.begun)
	some := c.chunk.Append(alu.Slt, i1, left, c.size)
	c.count = c.chunk.Append(alu.Select, i64, some, left, c.size)
	c.first = c.chunk.Append(alu.Add, i64, start, c.begun)
	return c
}

func (c *chunks) constant(n int64) *vir.Value { return c.Const(vir.Scalar(alu.I64), uint64(n)) }

// context returns the address of the launch context.
func (c *chunks) context() *vir.Value { return c.entry.Values[0] }

// field loads a field of the launch context.
func (c *chunks) field(offset int64) *vir.Value {
	v := c.entry.Append(vir.Load, vir.Scalar(alu.I64), c.context())
	v.Disp, v.Align, v.Invariant = offset, 8, true
	return v
}

// reset clears a 32-bit counter where a chunk begins.
func (c *chunks) reset(counter *vir.Value) {
	c.chunk.Append(vir.Store, vir.Type{}, counter, c.Const(vir.Scalar(alu.I32), 0)).Align = 4
}

// end branches from last, the end of a chunk, to the next chunk.
func (c *chunks) end(last *vir.Block) {
	i64, i1 := vir.Scalar(alu.I64), vir.Scalar(alu.I1)
	c.Blocks = append(c.Blocks, last)
	exit := c.NewBlock("exit")
	exit.Return()
	after := last.Append(alu.Add, i64, c.begun, c.size)
	last.Branch(last.Append(alu.Slt, i1, after, c.all), vir.Edge{To: c.chunk, Args: []*vir.Value{after}}, vir.Edge{To: exit})
	c.Renumber()
}
