// Package switches finds what became of switches: trees and chains of blocks that do
// nothing but compare one scalar with constants. A target may make one jump through a
// table of each.
package switches

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Limits of tables: the most entries, the most entries for each range that goes another
// way, and how many entries at the beginning are fewer than it takes to subtract.
const (
	mostEntries  = 512
	mostPerRange = 8
	fewEntries   = 8
)

// Edge is an edge out of a block, by the block's ID and the edge's index.
type Edge struct{ Block, Index int }

// Switch is a tree of comparisons of a scalar with constants.
type Switch struct {
	X       *vir.Value
	Root    int    // the block whose end compares first
	Inner   []int  // the tree's other blocks, which no control reaches but from the root
	Lo      uint64 // the value of X of the first entry
	Entries []Edge // where control goes, by X - Lo
	Checked bool   // X may lie beyond the entries, and goes to Other if it does
	Other   Edge
}

// Edges lists the edges that the entries lead to, and Other if there is one, each once.
func (w *Switch) Edges() []Edge {
	var out []Edge
	add := func(e Edge) {
		if !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	for _, e := range w.Entries {
		add(e)
	}
	if w.Checked {
		add(w.Other)
	}
	return out
}

// finding is a switch while it is looked for.
type finding struct {
	*Switch
	f           *vir.Func
	least       int
	uses, preds []int // by value, by block
	known       func(*vir.Value) int
	cuts        []uint64
	within      map[int]bool // Inner
	tooMany     bool         // blocks for a table
}

// Find gives the switches of f that are worth a table, by their root: those with least
// ranges or more that go different ways. Blocks are numbered by their place; known gives n
// such that all bits of a scalar from n on are zero.
func Find(f *vir.Func, least int, known func(*vir.Value) int) map[int]*Switch {
	found := map[int]*Switch{}
	if !slices.ContainsFunc(f.Blocks, func(b *vir.Block) bool { return b.Kind == vir.Branch }) {
		return found
	}
	preds, uses := make([]int, len(f.Blocks)), make([]int, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				uses[a.ID]++
			}
		}
		if b.Cond != nil {
			uses[b.Cond.ID]++
		}
		for _, e := range b.Edges {
			preds[e.To.ID]++
			for _, a := range e.Args {
				uses[a.ID]++
			}
		}
	}
	taken := make([]bool, len(f.Blocks))
	for _, id := range f.Graph().ReversePostOrder() {
		b := f.Blocks[id]
		x, ok := subject(b)
		if !ok || taken[id] {
			continue
		}
		d := &finding{Switch: &Switch{X: x, Root: id}, f: f, least: least, uses: uses, preds: preds, known: known, within: map[int]bool{}}
		d.collect(b)
		if len(d.Inner)+2 < least || d.tooMany || !d.tabulate() {
			continue
		}
		found[id] = d.Switch
		taken[id] = true
		for _, i := range d.Inner {
			taken[i] = true
		}
	}
	return found
}

// subject returns what the branch at the end of b compares with a constant.
func subject(b *vir.Block) (*vir.Value, bool) {
	if b.Kind != vir.Branch {
		return nil, false
	}
	c := b.Cond
	if alu.InfoOf(c.Op).Class != alu.Compare || c.Block != b {
		return nil, false
	}
	x, y := c.Args[0], c.Args[1]
	if x.Op == vir.Const {
		x, y = y, x
	}
	if y.Op != vir.Const || x.Op == vir.Const || !x.Type.IsScalar() || !x.Type.Elem.IsInt() || x.Type.Elem == alu.I1 {
		return nil, false
	}
	if x.Op == alu.Sub && x.Args[1].Op == vir.Const && x.Block == b && x.Args[0].Op != vir.Const {
		x = x.Args[0] // in a range
	}
	return unextended(x), true
}

// unextended is x without extensions: of the comparisons of one byte, some may
// be of 32 bits.
func unextended(x *vir.Value) *vir.Value {
	for (x.Op == alu.ZExt || x.Op == alu.SExt) && x.Args[0].Type.Elem.Bits() >= 8 && x.Args[0].Op != vir.Const {
		x = x.Args[0]
	}
	return x
}

// widened is what v is, an extension of x, when x is c.
func widened(v, x *vir.Value, c uint64) uint64 {
	if v == x {
		return c
	}
	from := v.Args[0]
	return alu.Eval(v.Op, v.Type.Elem, from.Type.Elem, widened(from, x, c), 0, 0)
}

// collect adds the blocks below b that do nothing but compare x.
func (d *finding) collect(b *vir.Block) {
	c := b.Cond
	limit, off := uint64(0), uint64(0)
	for _, a := range c.Args {
		switch {
		case a.Op == vir.Const:
			limit = a.Const
		case unextended(a) != d.X: // x - off
			off = a.Args[1].Const
		}
	}
	// Where comparisons change, signed ones too, the operand being x - off; and
	// where an extension by the sign leaps.
	sign := d.X.Type.Elem.Mask()>>1 + 1
	d.cuts = append(d.cuts, sign, off, off+sign, limit+off, limit+off+1)
	for _, e := range b.Edges {
		t := e.To
		if x, ok := subject(t); !ok || x != d.X || d.preds[t.ID] != 1 || len(t.Params) > 0 || t.ID == d.Root {
			continue
		}
		if d.tooMany = d.tooMany || len(d.Inner) > mostEntries; d.tooMany {
			return
		}
		own := true // nobody else needs what it computes
		for _, v := range t.Values {
			own = own && d.uses[v.ID] == 1 && (v == t.Cond || slices.Contains(t.Cond.Args, v) && v != d.X)
		}
		if own {
			d.Inner, d.within[t.ID] = append(d.Inner, t.ID), true
			d.collect(t)
		}
	}
}

// goal returns where control goes when x is c.
func (d *finding) goal(c uint64) Edge {
	for at := d.Root; ; {
		b := d.f.Blocks[at]
		cond := b.Cond
		t := cond.Args[0].Type.Elem
		var args [2]uint64
		for i, a := range cond.Args {
			switch {
			case a.Op == vir.Const:
				args[i] = a.Const
			case unextended(a) == d.X:
				args[i] = widened(a, d.X, c)
			default:
				args[i] = (widened(a.Args[0], d.X, c) - a.Args[1].Const) & t.Mask()
			}
		}
		n := 1
		if alu.Eval(cond.Op, alu.I1, t, args[0], args[1], 0) != 0 {
			n = 0
		}
		to := b.Edges[n].To.ID
		if to == d.Root || !d.within[to] {
			return Edge{at, n}
		}
		at = to
	}
}

// tabulate decides on the entries; it reports false if a table is not worth it.
func (d *finding) tabulate() bool {
	t := d.X.Type.Elem
	for i := range d.cuts {
		d.cuts[i] &= t.Mask()
	}
	d.cuts = append(d.cuts, 0)
	slices.Sort(d.cuts)
	d.cuts = slices.Compact(d.cuts)
	type span struct {
		lo uint64
		to Edge
	}
	var spans []span
	for _, c := range d.cuts {
		if to := d.goal(c); len(spans) == 0 || spans[len(spans)-1].to != to {
			spans = append(spans, span{c, to})
		}
	}
	if len(spans) < d.least {
		return false
	}
	end := func(i int) uint64 { // the last value of a span
		if i+1 < len(spans) {
			return spans[i+1].lo - 1
		}
		return t.Mask()
	}
	last, top := len(spans)-1, uint64(0)
	if n := d.known(d.X); n < 10 && 1<<n <= min(mostEntries, mostPerRange*len(spans)) {
		top = 1<<n - 1
	} else {
		d.Checked, d.Other = true, spans[last].to
		if spans[1].lo > fewEntries && (spans[0].to == d.Other || d.sameGoal(spans[0].to, d.Other)) {
			d.Lo = spans[1].lo
		}
		top = spans[last].lo - 1
	}
	if top-d.Lo >= mostEntries || int(top-d.Lo) >= mostPerRange*len(spans) {
		return false
	}
	i := 0
	for c := d.Lo; c <= top; c++ {
		for end(i) < c {
			i++
		}
		d.Entries = append(d.Entries, spans[i].to)
	}
	return len(d.Entries) > 1
}

// sameGoal reports whether two edges do the same.
func (d *finding) sameGoal(a, b Edge) bool {
	x, y := d.f.Blocks[a.Block].Edges[a.Index], d.f.Blocks[b.Block].Edges[b.Index]
	return x.To == y.To && slices.Equal(x.Args, y.Args)
}
