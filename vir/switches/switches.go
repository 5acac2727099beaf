// Package switches recognizes lowered switches: trees and chains of blocks that only compare
// one scalar with constants. A target may replace each by a jump through a table.
package switches

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Limits of tables: entries, entries per range with its own target, and the number of
// leading default entries that cost less than a subtraction.
const (
	maxEntries  = 512
	maxPerRange = 8
	fewEntries  = 8
)

// Edge is an edge: the ID of its source block, and its index.
type Edge struct{ Block, Index int }

// Switch is a tree of comparisons of a scalar with constants.
type Switch struct {
	X       *vir.Value
	Root    int    // the block of the first comparison
	Inner   []int  // the tree's other blocks, reachable only through the root
	Lo      uint64 // the value of X for the first entry
	Entries []Edge // target edges, by X - Lo
	Checked bool   // X may be out of the range of the entries; Other is taken then
	Other   Edge
}

// Edges lists the distinct edges of the entries, and Other if it is used.
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

// finding is the state of the recognition of one switch.
type finding struct {
	*Switch
	f           *vir.Func
	minRanges   int
	uses, preds []int // by value ID; by block ID
	known       func(*vir.Value) int
	cuts        []uint64
	within      map[int]bool // the set of Inner
	tooMany     bool         // too many blocks for a table
}

// Find returns the switches of f for which a table is profitable, by root: those with at
// least minRanges ranges with different targets. Block IDs must be dense. known returns
// an n such that all bits of a scalar from bit n on are zero.
func Find(f *vir.Func, minRanges int, known func(*vir.Value) int) map[int]*Switch {
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
		d := &finding{Switch: &Switch{X: x, Root: id}, f: f, minRanges: minRanges, uses: uses, preds: preds, known: known, within: map[int]bool{}}
		d.collect(b)
		if len(d.Inner)+2 < minRanges || d.tooMany || !d.tabulate() {
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

// subject returns the scalar that the branch at the end of b compares with a constant.
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
		x = x.Args[0] // a range check
	}
	return unextended(x), true
}

// unextended strips extensions from x: comparisons of one byte may have different widths.
func unextended(x *vir.Value) *vir.Value {
	for (x.Op == alu.ZExt || x.Op == alu.SExt) && x.Args[0].Type.Elem.Bits() >= 8 && x.Args[0].Op != vir.Const {
		x = x.Args[0]
	}
	return x
}

// widened returns the value of v, an extension of x, for x = c.
func widened(v, x *vir.Value, c uint64) uint64 {
	if v == x {
		return c
	}
	from := v.Args[0]
	return alu.Eval(v.Op, v.Type.Elem, from.Type.Elem, widened(from, x, c), 0, 0)
}

// collect adds the blocks below b that only compare x.
func (d *finding) collect(b *vir.Block) {
	c := b.Cond
	limit, off := uint64(0), uint64(0)
	for _, a := range c.Args {
		switch {
		case a.Op == vir.Const:
			limit = a.Const
		case unextended(a) != d.X: // the operand is x - off
			off = a.Args[1].Const
		}
	}
	// The result of a comparison can change at these values, for signed and unsigned
	// comparisons of x - off, and where sign extension wraps.
	sign := d.X.Type.Elem.Mask()>>1 + 1
	d.cuts = append(d.cuts, sign, off, off+sign, limit+off, limit+off+1)
	for _, e := range b.Edges {
		t := e.To
		if x, ok := subject(t); !ok || x != d.X || d.preds[t.ID] != 1 || len(t.Params) > 0 || t.ID == d.Root {
			continue
		}
		if d.tooMany = d.tooMany || len(d.Inner) > maxEntries; d.tooMany {
			return
		}
		own := true // no other block uses its values
		for _, v := range t.Values {
			own = own && d.uses[v.ID] == 1 && (v == t.Cond || slices.Contains(t.Cond.Args, v) && v != d.X)
		}
		if own {
			d.Inner, d.within[t.ID] = append(d.Inner, t.ID), true
			d.collect(t)
		}
	}
}

// goal returns the edge on which control leaves the tree for x = c.
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

// tabulate computes the entries; it reports false if a table is not worth it.
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
	if len(spans) < d.minRanges {
		return false
	}
	end := func(i int) uint64 { // the last value of a span
		if i+1 < len(spans) {
			return spans[i+1].lo - 1
		}
		return t.Mask()
	}
	last, top := len(spans)-1, uint64(0)
	if n := d.known(d.X); n < 10 && 1<<n <= min(maxEntries, maxPerRange*len(spans)) {
		top = 1<<n - 1
	} else {
		d.Checked, d.Other = true, spans[last].to
		if spans[1].lo > fewEntries && (spans[0].to == d.Other || d.sameGoal(spans[0].to, d.Other)) {
			d.Lo = spans[1].lo
		}
		top = spans[last].lo - 1
	}
	if top-d.Lo >= maxEntries || int(top-d.Lo) >= maxPerRange*len(spans) {
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

// sameGoal reports whether two edges have the same target and arguments.
func (d *finding) sameGoal(a, b Edge) bool {
	x, y := d.f.Blocks[a.Block].Edges[a.Index], d.f.Blocks[b.Block].Edges[b.Index]
	return x.To == y.To && slices.Equal(x.Args, y.Args)
}
