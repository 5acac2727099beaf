package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/vir"
)

// Where each work-item's loop goes through a row of memory, all of which are as far from
// the next, and looks up what the row lists, as those of sparse matrices do,
//
//	for (k = i * most; k < i * most + length[i]; k++) sum += a[k] * x[columns[k]];
//
// what is looked up, and ends of loops that are guessed wrong, keep a processor from
// running far enough ahead for rows that come from distant caches. Code of one lane asks
// for some of the memory of later work-items' rows when it enters the loop. Rows that begin
// where a list says lie close together, and short ones pay for what is asked.

// stream is a row that a loop of one lane goes through: it begins at base + index*scale.
type stream struct {
	base, index *vir.Value // index is nil if there is none
	scale       uint8
	extend      vir.Op // of the index; 0 if it has 64 bits
	lines       int    // of the cache, to ask for
}

const (
	fetchAhead  = 1024 // bytes from the beginning of a row to what is asked for
	mostFetched = 4    // lines of a row
)

// findStreams returns the rows that begin at the end of each block.
//
// requires: dense IDs
func findStreams(f *vir.Func) map[*vir.Block][]stream {
	if f.Width != 1 {
		return nil
	}
	cycles := cfg.Cycles(f.Graph())
	var in [][]entry // by block ID, once they are asked for
	out := map[*vir.Block][]stream{}
	for _, c := range cycles.Cycles {
		if len(c.Children) > 0 || c.Parent == nil || !c.Reducible() || !c.Parent.Reducible() {
			continue
		}
		r := rowLoop{f: f, cycles: cycles, c: c}
		if !r.looksUp() {
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

// entry is an edge, with the block that it comes from.
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

// rowLoop is an innermost loop within that over work-items.
type rowLoop struct {
	f       *vir.Func
	cycles  *cfg.CycleForest
	c       *cfg.Cycle
	entries [][]entry
}

func (r *rowLoop) in(c *cfg.Cycle, v *vir.Value) bool {
	return v.Block != nil && r.cycles.Contains(c, v.Block.ID)
}

// looksUp reports whether some place that the loop loads from comes from what it loads.
func (r *rowLoop) looksUp() bool {
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

// rows returns the rows of which the loop loads the next numbers in each round, where they
// begin if it is entered by e.
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
			s.lines = int(min(max(start.by/vir.CacheLine, 1), mostFetched))
			out = append(out, s)
		}
	}
	return out
}

// row returns the row that an address goes through if the loop is entered by e, and by how
// much its index, or its base if it has none, grows from work-item to work-item.
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
	first, p := (*vir.Value)(nil), s.index // a term that stays, and the one that grows
	if p.Op == alu.Add && r.in(r.c, p) {
		if first, p = p.Args[0], p.Args[1]; r.in(r.c, first) {
			first, p = p, first
		}
	} // of 32 bits if the sum is extended
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

// start returns what p, a parameter of the loop's head that grows in each round, is
// if the loop is entered by e, and by how much that grows from work-item to work-item.
func (r *rowLoop) start(p *vir.Value, e *vir.Edge) (*vir.Value, slope) {
	if p.Op != vir.Param || p.Block.ID != r.c.Header || !p.Type.IsScalar() || r.step(r.c, p) <= 0 {
		return nil, slope{}
	}
	a := e.Args[p.Index]
	return a, r.slope(a, slopeDepth)
}

// step returns by what constant p, a parameter of c's header, grows; 0: by none.
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

// slope is by how much a number grows from work-item to work-item.
type slope struct {
	by int64
	ok bool
}

const slopeDepth = 12 // operations

func (s slope) plus(t slope, sign int64) slope {
	return slope{s.by + sign*t.by, s.ok && t.ok}
}

// slope finds that of v, as if nothing wrapped: it decides nothing but speed.
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
	case alu.AShr, alu.LShr: // behind as large a shift to the left they extend
		if x := v.Args[0]; x.Op == alu.Shl && x.Args[1] == v.Args[1] {
			return r.slope(x.Args[0], depth-1)
		}
	case alu.SExt, alu.ZExt, alu.Trunc:
		return of(0)
	}
	return slope{}
}

// fetchStreams asks for memory of later rows at the end of b.
func (s *selector) fetchStreams(b *vir.Block) {
	type source struct {
		v      *vir.Value
		extend vir.Op
	}
	extended := map[source]asm.Reg{}
	var ask []asm.Inst
	for _, x := range s.streams[b] {
		m := asm.At(s.reg(x.base), 0)
		if x.index != nil {
			i, ok := extended[source{x.index, x.extend}]
			if !ok {
				i = s.reg(x.index)
				if x.extend != 0 {
					op, from := asm.MOV, i
					if x.extend == alu.SExt {
						op = asm.MOVSXD
					}
					i = s.m.newReg(asm.ClassGPR)
					in := asm.Make(op, i, from)
					if op == asm.MOV {
						in = in.Bits(asm.Size32)
					} else {
						in = in.Bits(asm.Size64)
					}
					s.emit(in)
				}
				extended[source{x.index, x.extend}] = i
			}
			m = asm.Indexed(m.Base, i, x.scale, 0)
		}
		for line := range x.lines {
			m.Disp = int32(fetchAhead + line*vir.CacheLine)
			ask = append(ask, asm.Make(asm.PREFETCHT0, asm.InMem).WithMem(m))
		}
	}
	for _, in := range ask {
		s.emit(in)
	}
	s.m.fetched += len(s.streams[b])
	s.flush()
}
