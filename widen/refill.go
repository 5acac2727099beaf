package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// taking is how many work-items are there to take at once, as they are counted in 32 bits;
// few lanes are idle for want of work at the end of so many.
const taking = 1 << 24

// Refill returns the function in which the lanes of f take all work-items of a row.
//
//	chunk:  taken = 0
//	        f, once, for some work-items
//
// Behind firstArg f has the arguments that package refill has given it.
//
// requires: dense IDs; a function of which all lanes are one work-item
// maintains: f
func Refill(f *vir.Func, firstArg int64) *vir.Func {
	i64, i32, i1 := vir.Scalar(alu.I64), vir.Scalar(alu.I32), vir.Scalar(alu.I1)
	g := &vir.Func{Name: f.Name, Width: f.Width, Pos: f.Pos}
	for _, at := range f.Apart {
		if at < firstArg {
			g.Apart = append(g.Apart, at)
		}
	}
	const line = 64
	place := (max(f.Scratch, line) + line - 1) &^ (line - 1)
	g.Scratch = place + line
	entry, chunk := g.NewBlock("entry"), g.NewBlock("chunk")
	chunk.Over = vir.OverRows
	constant := func(n int64) *vir.Value { return g.Const(i64, uint64(n)) }
	entry.Append(vir.Context, i64)
	field := func(offset int64) *vir.Value {
		v := entry.Append(vir.Load, i64, entry.Values[0])
		v.Disp, v.Align, v.Invariant = offset, 8, true
		return v
	}
	all, start := field(vir.CtxCount), field(vir.CtxStart)
	taken := entry.Append(alu.Add, i64, field(vir.CtxScratch), constant(int64(place)))
	entry.Jump(chunk, constant(0))

	begun := chunk.NewParam(i64, "chunk")
	left := chunk.Append(alu.Sub, i64, all, begun)
	some := chunk.Append(alu.Slt, i1, left, constant(taking))
	items := chunk.Append(alu.Select, i64, some, left, constant(taking))
	first := chunk.Append(alu.Add, i64, start, begun)
	chunk.Append(vir.Store, vir.Type{}, taken, g.Const(i32, 0)).Align = 4

	next := &vir.Block{Name: "next", Func: g}
	args := map[int64]*vir.Value{firstArg: taken, firstArg + 8: first, firstArg + 16: items}
	chunk.Jump(adopt(g, f, entry.Values[0], map[int64]*vir.Value{vir.CtxCount: constant(1), vir.CtxStart: constant(0)}, args, next))
	g.Blocks = append(g.Blocks, next)
	exit := g.NewBlock("exit")
	exit.Return()
	after := next.Append(alu.Add, i64, begun, constant(taking))
	next.Branch(next.Append(alu.Slt, i1, after, all), vir.Edge{To: chunk, Args: []*vir.Value{after}}, vir.Edge{To: exit})
	g.Renumber()
	return g
}
