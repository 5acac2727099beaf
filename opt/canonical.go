package opt

import (
	"slices"
	"sort"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// LowerSwitch turns every switch into a balanced tree of comparisons, log2(cases) branches
// deep. Consecutive cases with one target form one range. All tests after the first have a
// position that is marked Added: the switch executes once.
//
// requires: nothing; breaks: Switch terminators
func LowerSwitch(f *kernel.Func, st Stats) {
	for _, b := range append([]*kernel.Block(nil), f.Blocks...) {
		if b.Kind != kernel.Switch {
			continue
		}
		st.Add("switches lowered", 1)
		t := b.Cond.Type
		ranges := caseRanges(b)
		lower := switchTree{f: f, cond: b.Cond, typ: t, fallback: b.Edges[0], at: b.Pos}
		lower.emit(b, ranges, 0, t.Mask())
	}
	f.Renumber()
}

type caseRange struct {
	lo, hi uint64
	edge   kernel.Edge
}

// caseRanges sorts the cases as unsigned numbers and merges neighbours with equal edges.
func caseRanges(b *kernel.Block) []caseRange {
	var rs []caseRange
	for i, c := range b.Cases {
		if e := b.Edges[i+1]; !sameEdge(e, b.Edges[0]) {
			rs = append(rs, caseRange{c, c, e})
		}
	}
	sort.Slice(rs, func(i, j int) bool { return rs[i].lo < rs[j].lo })
	out := rs[:0]
	for _, r := range rs {
		if n := len(out); n > 0 && out[n-1].hi+1 == r.lo && sameEdge(out[n-1].edge, r.edge) {
			out[n-1].hi = r.hi
			continue
		}
		out = append(out, r)
	}
	return out
}

func sameEdge(a, b kernel.Edge) bool { return a.To == b.To && slices.Equal(a.Args, b.Args) }

type switchTree struct {
	f        *kernel.Func
	cond     *kernel.Value
	typ      kernel.Type
	fallback kernel.Edge
	at       diag.Pos
}

func (s *switchTree) compare(b *kernel.Block, op kernel.Op, x, y *kernel.Value) *kernel.Value {
	v := b.Append(op, alu.I1, x, y)
	v.Pos = s.at
	return v
}

func copyEdge(e kernel.Edge) kernel.Edge {
	e.Args = slices.Clone(e.Args)
	return e
}

// emit ends b with the decision among rs, given that lo <= cond <= hi.
func (s *switchTree) emit(b *kernel.Block, rs []caseRange, lo, hi uint64) {
	pos := s.at
	defer func() { b.Pos = pos }()
	switch {
	case len(rs) == 0:
		e := copyEdge(s.fallback)
		b.Jump(e.To, e.Args...)
	case len(rs) == 1:
		r := rs[0]
		var c *kernel.Value
		switch {
		case r.lo <= lo && r.hi >= hi:
			e := copyEdge(r.edge)
			b.Jump(e.To, e.Args...)
			return
		case r.lo == r.hi:
			c = s.compare(b, alu.Eq, s.cond, s.f.Const(s.typ, r.lo))
		default:
			d := b.Append(alu.Sub, s.typ, s.cond, s.f.Const(s.typ, r.lo))
			d.Pos = pos
			c = s.compare(b, alu.Ule, d, s.f.Const(s.typ, r.hi-r.lo))
		}
		b.Branch(c, copyEdge(r.edge), copyEdge(s.fallback))
	default:
		m := len(rs) / 2
		c := s.compare(b, alu.Ult, s.cond, s.f.Const(s.typ, rs[m].lo))
		s.at.Added = true
		b.Branch(c, s.edge(rs[:m], lo, rs[m].lo-1), s.edge(rs[m:], rs[m].lo, hi))
	}
}

// edge returns an edge to a new block that decides among rs, or the edge of a single range
// that covers lo to hi.
func (s *switchTree) edge(rs []caseRange, lo, hi uint64) kernel.Edge {
	if len(rs) == 1 && rs[0].lo <= lo && rs[0].hi >= hi {
		return copyEdge(rs[0].edge)
	}
	b := s.f.NewBlock("case")
	s.emit(b, rs, lo, hi)
	return kernel.Edge{To: b}
}

// MergeReturns gives f a single block that returns: all other returns become jumps to it.
//
// requires: nothing; breaks: several Returns
func MergeReturns(f *kernel.Func, st Stats) {
	var returns []*kernel.Block
	for _, b := range f.Blocks {
		if b.Kind == kernel.Return {
			returns = append(returns, b)
		}
	}
	if len(returns) < 2 {
		return
	}
	last := f.NewBlock("return")
	last.Return()
	for _, b := range returns {
		b.Jump(last)
	}
	st.Add("returns merged", len(returns))
	f.Renumber()
}

// CanonicalizeLoops gives the header of every cycle, reducible or not, a single entering
// edge and a single back edge, neither of which leaves another cycle. It inserts preheaders
// and latches that merge edges.
//
// requires: no unreachable blocks; maintains: SSA
func CanonicalizeLoops(f *kernel.Func, st Stats) {
	// Inserted blocks form no new cycles, but they may become part of an outer cycle, whose
	// edges then have new sources, and they may change which blocks are the headers of
	// irreducible cycles. Iterate to a fixed point; the second iteration rarely finds
	// anything.
	for {
		loops := cfg.Cycles(f.Graph())
		if len(loops.Cycles) == 0 {
			return
		}
		in := InEdges(f)
		before := make([][]*kernel.Block, len(f.Blocks)) // inserted blocks, by header ID
		n := 0
		for _, c := range loops.Cycles {
			header := f.Blocks[c.Header]
			var enter, back []InEdge
			for _, e := range in[c.Header] {
				if loops.Contains(c, e.From.ID) {
					back = append(back, e)
				} else {
					enter = append(enter, e)
				}
			}
			leaves := func(edges []InEdge) bool {
				inner := loops.InnermostCycle(edges[0].From.ID)
				return inner != nil && inner != c && !loops.Encloses(inner, c)
			}
			for _, g := range []struct {
				edges []InEdge
				name  string
			}{{enter, "enter"}, {back, "latch"}} {
				if len(g.edges) > 1 || leaves(g.edges) {
					before[c.Header] = append(before[c.Header], mergeEdges(header, g.edges, g.name))
					n++
				}
			}
		}
		if n == 0 {
			return
		}
		st.Add("loop edges merged", n)
		// The blocks of a loop stay adjacent in the text.
		blocks := make([]*kernel.Block, 0, len(f.Blocks)+n)
		for i, b := range f.Blocks {
			blocks = append(blocks, before[i]...)
			blocks = append(blocks, b)
		}
		f.Blocks = blocks
		f.Renumber()
	}
}

// mergeEdges redirects the edges to a new block that jumps to their common target.
func mergeEdges(to *kernel.Block, edges []InEdge, name string) *kernel.Block {
	b := &kernel.Block{Name: name, Func: to.Func}
	args := make([]*kernel.Value, len(to.Params))
	for i, p := range to.Params {
		args[i] = b.NewParam(p.Type, p.Name)
	}
	for _, e := range edges {
		e.Edge().To = b
	}
	b.Jump(to, args...)
	b.Pos, b.At = to.Pos, to.At
	if !b.At.IsValid() && len(to.Values) > 0 {
		b.At = to.Values[0].Pos
	}
	return b
}
