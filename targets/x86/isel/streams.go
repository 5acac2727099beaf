package isel

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Prefetching rows. In a loop nest over the rows of a matrix, one work-item per row with a
// constant stride between rows, the inner loop may use the row's elements as indices, as
// for sparse matrices:
//
//	for (k = i * width; k < i * width + length[i]; k++) sum += a[k] * x[columns[k]];
//
// The indirect loads and the mispredicted loop exits keep an out-of-order processor from
// running far enough ahead to hide the latency of rows in distant caches. Scalar code
// therefore prefetches part of the rows of later work-items when it enters the loop. Rows
// whose starts come from a list usually are adjacent already, and for short rows the
// prefetches cost more than they save.

// stream is a row that a scalar loop reads. It starts at base + index*scale.
type stream struct {
	base, index *vir.Value // index may be nil
	scale       uint8
	extend      vir.Op // how the index is extended to 64 bits; 0 if it has 64 bits
	lines       int    // number of cache lines to prefetch
}

const (
	prefetchDistance = 1024 // bytes from the start of the row
	maxPrefetches    = 4    // cache lines of a row
)

// findStreams returns, by block, the rows to prefetch at its end.
//
// requires: dense IDs
func findStreams(f *vir.Func) map[*vir.Block][]stream {
	if f.Width != 1 {
		return nil
	}
	cycles := cfg.Cycles(f.Graph())
	var in [][]entry // by block ID, built on demand
	out := map[*vir.Block][]stream{}
	for _, c := range cycles.Cycles {
		if len(c.Children) > 0 || c.Parent == nil || !c.Reducible() || !c.Parent.Reducible() {
			continue
		}
		r := rowLoop{f: f, cycles: cycles, c: c}
		if !r.isIndirect() {
			continue
		}
		if in == nil {
			in = entries(f)
		}
		r.entries = in
		for _, e := range in[c.Header] {
			if b := e.from; !cycles.Contains(c, b.ID) && cycles.Contains(c.Parent, b.ID) {
				for _, s := range r.rows(e.edge) {
					if !slices.ContainsFunc(out[b], func(x stream) bool { return x.base == s.base && x.index == s.index }) {
						out[b] = append(out[b], s)
					}
				}
			}
		}
	}
	return out
}

// entry is an edge with its source block.
type entry struct {
	from *vir.Block
	edge *vir.Edge
}

// entries lists the edges to every block, by block ID.
func entries(f *vir.Func) [][]entry {
	return grouped.Lists(len(f.Blocks), func(add func(int, entry)) {
		for _, b := range f.Blocks {
			for i := range b.Edges {
				add(b.Edges[i].To.ID, entry{b, &b.Edges[i]})
			}
		}
	})
}

// rowLoop is an innermost loop inside the loop over work-items.
type rowLoop struct {
	f       *vir.Func
	cycles  *cfg.CycleForest
	c       *cfg.Cycle
	entries [][]entry
}

func (r *rowLoop) in(c *cfg.Cycle, v *vir.Value) bool {
	return v.Block != nil && r.cycles.Contains(c, v.Block.ID)
}

// isIndirect reports whether the loop loads from an address that depends on one of its
// loads.
func (r *rowLoop) isIndirect() bool {
	var loads func(v *vir.Value, depth int) bool
	loads = func(v *vir.Value, depth int) bool {
		if depth == 0 || v.Op == vir.Param || !r.in(r.c, v) {
			return false
		}
		return v.Op == vir.Load || v.Op == vir.VLoad || slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return loads(a, depth-1) })
	}
	const depth = 6
	for _, id := range r.c.Blocks {
		for _, v := range r.f.Blocks[id].Values {
			if v.Op == vir.Load && loads(v.Args[0], depth) || v.Op == vir.Gather && loads(v.Args[1], depth) {
				return true
			}
		}
	}
	return false
}

// rows returns the rows that the loop reads sequentially, with their
// starts if it is entered through e.
func (r *rowLoop) rows(e *vir.Edge) (out []stream) {
	for _, id := range r.c.Blocks {
		for _, v := range r.f.Blocks[id].Values {
			if v.Op != vir.Load && v.Op != vir.VLoad || v.Volatile {
				continue
			}
			s, start := r.row(v.Args[0], e)
			if !start.ok || start.by <= 0 {
				continue
			}
			if s.index != nil {
				start.by *= int64(s.scale)
			}
			s.lines = int(min(max(start.by/vir.CacheLine, 1), maxPrefetches))
			out = append(out, s)
		}
	}
	return out
}

// row returns the row that an address walks through if the loop is entered through e, and
// the difference of its index, or of its base if it has none, between work-items.
func (r *rowLoop) row(a *vir.Value, e *vir.Edge) (s stream, by slope) {
	if a.Op != alu.Add {
		s.base, by = r.start(a, e)
		return s, by
	}
	if s.base, s.index, s.scale = a.Args[0], a.Args[1], 1; r.in(r.c, s.base) {
		s.base, s.index = s.index, s.base
	}
	if r.in(r.c, s.base) || vir.IsPrivateBase(s.base) {
		return s, slope{}
	}
	if k, ok := scaledIndex(s.index); ok {
		s.index, s.scale = s.index.Args[0], k
	}
	if x := s.index; (x.Op == alu.SExt || x.Op == alu.ZExt) && x.Args[0].Type.Elem == alu.I32 {
		s.index, s.extend = x.Args[0], x.Op
	}
	first, p := (*vir.Value)(nil), s.index // a loop-invariant term, and the counter
	if p.Op == alu.Add && r.in(r.c, p) {
		if first, p = p.Args[0], p.Args[1]; r.in(r.c, first) {
			first, p = p, first
		}
	} // has 32 bits if the sum is extended
	if p.Op == alu.Trunc && r.in(r.c, p) && s.extend != 0 {
		p = p.Args[0]
	}
	s.index, by = r.start(p, e)
	switch zero := s.index != nil && s.index.Op == vir.Const && s.index.Const == 0; {
	case first == nil && zero:
		s.index = nil
	case first != nil && zero && !r.in(r.c, first):
		s.index, by = first, r.slope(first, slopeDepth)
	case first != nil || s.index == nil || s.index.Op == vir.Const:
		return s, slope{}
	}
	base := r.slope(s.base, slopeDepth)
	if s.index != nil {
		base.by /= int64(s.scale)
	}
	return s, by.plus(base, 1)
}

// start returns the initial value of p, an increasing parameter of the loop's head,
// if the loop is entered through e, and the difference of that value between work-items.
func (r *rowLoop) start(p *vir.Value, e *vir.Edge) (*vir.Value, slope) {
	if p.Op != vir.Param || p.Block.ID != r.c.Header || !p.Type.IsScalar() || r.step(r.c, p) <= 0 {
		return nil, slope{}
	}
	a := e.Args[p.Index]
	return a, r.slope(a, slopeDepth)
}

// step returns the constant by which p, a parameter of c's header, grows per iteration,
// or 0.
func (r *rowLoop) step(c *cfg.Cycle, p *vir.Value) int64 {
	step := int64(0)
	for _, e := range r.entries[p.Block.ID] {
		if !r.cycles.Contains(c, e.from.ID) {
			continue
		}
		by, a := int64(0), e.edge.Args[p.Index]
		for a.Op == alu.Add && a.Args[1].Op == vir.Const && a != p {
			by += a.Args[1].Signed()
			a = a.Args[0]
		}
		if a != p || step != 0 && step != by {
			return 0
		}
		step = by
	}
	return step
}

// slope is the difference of a number between consecutive work-items.
type slope struct {
	by int64
	ok bool
}

const slopeDepth = 12 // operations

func (s slope) plus(t slope, sign int64) slope {
	return slope{s.by + sign*t.by, s.ok && t.ok}
}

// slope returns the slope of v. It ignores wrapping, since it only affects speed.
func (r *rowLoop) slope(v *vir.Value, depth int) slope {
	if !r.in(r.c.Parent, v) {
		return slope{ok: true}
	}
	if depth == 0 {
		return slope{}
	}
	of := func(i int) slope { return r.slope(v.Args[i], depth-1) }
	switch v.Op {
	case vir.Param:
		if by := r.step(r.c.Parent, v); v.Block.ID == r.c.Parent.Header && by != 0 {
			return slope{by: by, ok: true}
		}
	case alu.Add:
		return of(0).plus(of(1), 1)
	case alu.Sub:
		return of(0).plus(of(1), -1)
	case alu.Shl, alu.Mul:
		if c := v.Args[1]; c.Op == vir.Const {
			by := c.Signed()
			if v.Op == alu.Shl {
				by = 1 << (c.Const & 31)
			}
			s := of(0)
			return slope{s.by * by, s.ok}
		}
	case alu.AShr, alu.LShr: // extensions after a left shift by the same count
		if x := v.Args[0]; x.Op == alu.Shl && x.Args[1] == v.Args[1] {
			return r.slope(x.Args[0], depth-1)
		}
	case alu.SExt, alu.ZExt, alu.Trunc:
		return of(0)
	}
	return slope{}
}

// fetchStreams emits the prefetches at the end of b.
func (s *Selector) fetchStreams(b *vir.Block) {
	type source struct {
		v      *vir.Value
		extend vir.Op
	}
	extended := map[source]asm.Reg{}
	var prefetches []asm.Inst
	for _, x := range s.streams[b] {
		m := asm.At(s.Reg(x.base), 0)
		if x.index != nil {
			i, ok := extended[source{x.index, x.extend}]
			if !ok {
				i = s.Reg(x.index)
				if x.extend != 0 {
					op, from := asm.MOV, i
					if x.extend == alu.SExt {
						op = asm.MOVSXD
					}
					i = s.M.NewReg(asm.ClassGPR)
					in := asm.Make(op, i, from)
					if op == asm.MOV {
						in = in.Bits(asm.Size32)
					} else {
						in = in.Bits(asm.Size64)
					}
					s.Emit(in)
				}
				extended[source{x.index, x.extend}] = i
			}
			m = asm.Indexed(m.Base, i, x.scale, 0)
		}
		for line := range x.lines {
			m.Disp = int32(prefetchDistance + line*vir.CacheLine)
			prefetches = append(prefetches, asm.Make(asm.PREFETCHT0, asm.InMem).WithMem(m))
		}
	}
	for _, in := range prefetches {
		s.Emit(in)
	}
	s.M.Stats.Fetched += len(s.streams[b])
	s.flush()
}
