package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Queue holds the deferred work-items of a function, in its private memory.
type Queue struct {
	FirstArg int64 // offset in the argument block of the pointers to the count and to the fields
	Fields   []int // size of each field in bytes
	Counted  int   // blocks of the first part, if runs are counted; the second part's counters follow
}

// layOut places the count and the fields in private memory, from an offset on.
func (q Queue) layOut(from int) (places []int, end int) {
	const line = 64
	end = (from + line - 1) &^ (line - 1)
	places, end = append(places, end), end+line
	for _, bytes := range q.Fields {
		places, end = append(places, end), end+(bytes*queued+line-1)&^(line-1)
	}
	return places, end
}

// queued is the number of work-items started before the deferred ones run: large, as few of
// them are deferred, but the queue must fit the caches.
const queued = 32 << 10

// Defer returns the function that repeatedly runs now for a chunk of work-items, then later
// for the work-items that now deferred.
//
//	chunk:  count = 0
//	        now, for some work-items: queue[count++] = ...
//	        later, for count work-items
//
// requires: dense IDs; functions of the same width whose runs are rows of work-items
// maintains: both
func Defer(now, later *vir.Func, q Queue) *vir.Func {
	i64, i32, i1 := vir.Scalar(alu.I64), vir.Scalar(alu.I32), vir.Scalar(alu.I1)
	c := newChunks(now, q.FirstArg, queued)
	c.Defers = true
	// The queue follows the private memory, which both parts use in turn.
	places, end := q.layOut(max(now.Scratch, later.Scratch, 64))
	c.Scratch = end
	private := c.field(vir.CtxScratch)
	pointers := map[int64]*vir.Value{} // by argument
	for k, at := range places {
		pointers[q.FirstArg+8*int64(k)] = c.entry.Append(alu.Add, i64, private, c.constant(int64(at)))
	}
	count := pointers[q.FirstArg]
	c.reset(count)

	mid := &vir.Block{Name: "deferred", Func: c.Func}
	next := &vir.Block{Name: "next", Func: c.Func}
	part := func(g *vir.Func, context map[int64]*vir.Value, then *vir.Block) *vir.Block {
		return adopt(c.Func, g, c.context(), context, pointers, then)
	}
	c.chunk.Jump(part(now, map[int64]*vir.Value{vir.CtxCount: c.count, vir.CtxStart: c.first}, mid))
	c.Blocks = append(c.Blocks, mid)
	kept := mid.Append(vir.Load, i32, count)
	kept.Align = 4
	n := mid.Append(alu.ZExt, i64, kept)
	none := mid.Append(alu.Eq, i1, n, c.constant(0))
	fields := map[int64]*vir.Value{vir.CtxCount: n, vir.CtxStart: c.constant(0)}
	if q.Counted > 0 {
		fields[vir.CtxProfile] = mid.Append(alu.Add, i64, c.field(vir.CtxProfile), c.constant(int64(q.Counted)*vir.ProfileSlot))
	}
	mid.Branch(none, vir.Edge{To: next}, vir.Edge{To: part(later, fields, next)})
	c.end(next)
	return c.Func
}

// adopt copies g into f. Fields of the launch context and pointers among the arguments are
// replaced by the given values, and control continues at then. It returns the first block of
// the copy.
func adopt(f, g *vir.Func, context *vir.Value, fields, pointers map[int64]*vir.Value, then *vir.Block) *vir.Block {
	blocks := f.Adopt(g)
	to := map[*vir.Value]*vir.Value{}
	for _, b := range blocks {
		for _, v := range b.Values {
			switch {
			case v.Op == vir.Context:
				to[v] = context
			case v.Op != vir.Load || !v.Invariant:
			case v.Args[0].Op == vir.Context && fields[v.Disp] != nil:
				to[v] = fields[v.Disp]
			case vir.IsArguments(v.Args[0]) && pointers[v.Disp] != nil:
				to[v] = pointers[v.Disp]
			}
		}
	}
	replace := func(vs []*vir.Value) {
		for i, v := range vs {
			if x := to[v]; x != nil {
				vs[i] = x
			}
		}
	}
	for _, b := range blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			if to[v] != nil {
				continue
			}
			replace(v.Args)
			if v.Op == vir.Atomic || v.Op == vir.VAtomic {
				v.Local = true // of the count, which belongs to this worker
			}
			kept = append(kept, v)
		}
		b.Values = kept
		if x := to[b.Cond]; x != nil {
			b.Cond = x
		}
		for _, e := range b.Edges {
			replace(e.Args)
		}
		if b.Kind == vir.Return {
			b.Jump(then)
		}
	}
	return blocks[0]
}
