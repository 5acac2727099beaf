package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// taking is the number of work-items that lanes may take from one chunk, since they are counted
// in 32 bits; few lanes idle at the end of such a chunk.
const taking = 1 << 24

// Refill returns the function in which the lanes of f take all work-items of a row.
//
//	chunk:  taken = 0
//	        f, once, for a chunk of work-items
//
// From firstArg on, f has the arguments added by package refill.
//
// requires: dense IDs; a function whose lanes are one work-item
// maintains: f
func Refill(f *vir.Func, firstArg int64) *vir.Func {
	c := newChunks(f, firstArg, taking)
	var place []int // of the counter, after the private memory of f
	place, c.Scratch = Queue{}.layOut(max(f.Scratch, 64))
	taken := c.entry.Append(alu.Add, vir.Scalar(alu.I64), c.field(vir.CtxScratch), c.constant(int64(place[0])))
	c.reset(taken)
	once := map[int64]*vir.Value{vir.CtxCount: c.constant(1), vir.CtxStart: c.constant(0)}
	args := map[int64]*vir.Value{firstArg: taken, firstArg + 8: c.first, firstArg + 16: c.count}
	next := &vir.Block{Name: "next", Func: c.Func}
	c.chunk.Jump(adopt(c.Func, f, c.context(), once, args, next))
	c.end(next)
	return c.Func
}
