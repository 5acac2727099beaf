package cfg

import "slices"

// Cycle is a strongly connected set of blocks with a chosen header, as in LLVM's
// CycleInfo. The cycles nested in it are the maximal cycles of the blocks that remain
// when the header is removed. In a reducible graph the cycles are exactly the natural
// loops (with loops of the same header merged).
type Cycle struct {
	ID     int // index in CycleForest.Cycles
	Header int

	// Entries are the blocks at which control may enter the cycle, the header first. A
	// cycle with one entry is reducible.
	Entries []int

	// Blocks are all blocks of the cycle, including those of inner cycles, the header
	// first. The blocks of an inner cycle are contiguous.
	Blocks []int

	// Latches are the blocks of the cycle with an edge to the header, without duplicates,
	// in the order of Blocks.
	Latches []int

	Parent   *Cycle // nil for an outermost cycle
	Children []*Cycle
	Depth    int // 1 for an outermost cycle

	start int // position of the header in CycleForest.place
}

// Reducible reports whether control enters the cycle only at its header.
func (c *Cycle) Reducible() bool { return len(c.Entries) == 1 }

// CycleForest holds the cycles of the reachable part of a graph.
type CycleForest struct {
	Cycles []*Cycle // an outer cycle before its inner ones
	Roots  []*Cycle // the outermost cycles

	graph     *Graph
	innermost []*Cycle
	place     []int32 // blocks numbered so that every cycle is a range; -1 unreachable
}

// Cycles finds the cycle forest of g in nearly linear time.
//
// Candidates for headers are taken in decreasing depth-first preorder. A cycle consists
// of the depth-first descendants of the header that reach it, with inner cycles collapsed
// by a union-find (Havlak, "Nesting of Reducible and Irreducible Loops", 1997, in the
// form of LLVM's GenericCycleInfo). A block of a cycle with a predecessor that is not a
// descendant of the header is a further entry.
func Cycles(g *Graph) *CycleForest {
	t := g.walk()
	n := g.Len()
	f := &CycleForest{graph: g, innermost: make([]*Cycle, n), place: make([]int32, n)}

	var (
		found []*Cycle // inner before outer
		top   []int32  // union-find over found: toward the outermost known cycle
		work  []int
	)
	find := func(c int) int {
		for int(top[c]) != c {
			top[c] = top[top[c]]
			c = int(top[c])
		}
		return c
	}
	for i := len(t.pre) - 1; i >= 0; i-- {
		h := int(t.pre[i])
		work = work[:0]
		for _, p := range g.Preds[h] {
			if t.number[p] >= 0 && t.descends(p, h) {
				work = append(work, p)
			}
		}
		if len(work) == 0 {
			continue
		}
		id := len(found)
		c := &Cycle{ID: id, Header: h, Entries: []int{h}}
		found = append(found, c)
		top = append(top, int32(id))
		f.innermost[h] = c
		expand := func(b int) {
			entry := false
			for _, p := range g.Preds[b] {
				switch {
				case t.number[p] < 0:
				case t.descends(p, h):
					work = append(work, p)
				default:
					entry = true
				}
			}
			if entry {
				c.Entries = append(c.Entries, b)
			}
		}
		for len(work) > 0 {
			b := work[len(work)-1]
			work = work[:len(work)-1]
			inner := f.innermost[b]
			if inner == nil {
				f.innermost[b] = c
				expand(b)
				continue
			}
			k := find(inner.ID)
			if k == id {
				continue
			}
			top[k] = int32(id)
			found[k].Parent = c
			for _, e := range found[k].Entries {
				expand(e)
			}
		}
	}
	f.arrange(t, found)
	return f
}

// arrange numbers cycles and blocks: an outer cycle before its inner ones, each cycle a
// contiguous range of positions, everything else in reverse postorder.
func (f *CycleForest) arrange(t *traversal, found []*Cycle) {
	size := make([]int32, len(found))
	for _, b := range t.pre {
		if c := f.innermost[b]; c != nil {
			size[c.ID]++
		}
	}
	for i, c := range found {
		if c.Parent != nil {
			size[c.Parent.ID] += size[i] // a parent is found after its children
		}
	}

	for b := range f.place {
		f.place[b] = -1
	}
	blocks := make([]int, len(t.pre))
	next := make([]int32, len(found)) // next free position in an opened cycle
	opened := make([]bool, len(found))
	free := int32(0) // next free position outside all cycles
	var pending []*Cycle
	for i := len(t.post) - 1; i >= 0; i-- {
		b := t.post[i]
		c := f.innermost[b]
		pending = pending[:0]
		for o := c; o != nil && !opened[o.ID]; o = o.Parent {
			pending = append(pending, o)
		}
		for k := len(pending) - 1; k >= 0; k-- {
			o := pending[k]
			opened[o.ID] = true
			from := &free
			o.Depth = 1
			if o.Parent != nil {
				from = &next[o.Parent.ID]
				o.Depth = o.Parent.Depth + 1
				o.Parent.Children = append(o.Parent.Children, o)
			} else {
				f.Roots = append(f.Roots, o)
			}
			o.start = int(*from)
			next[o.ID] = *from
			*from += size[o.ID]
			o.Blocks = blocks[o.start:*from:*from]
			f.Cycles = append(f.Cycles, o)
		}
		at := &free
		if c != nil {
			at = &next[c.ID]
		}
		f.place[b] = *at
		blocks[*at] = int(b)
		*at++
	}
	for i, c := range f.Cycles {
		c.ID = i
	}
	for _, c := range f.Cycles {
		for _, p := range f.graph.Preds[c.Header] {
			if f.place[p] >= 0 && f.Contains(c, p) {
				c.Latches = append(c.Latches, p)
			}
		}
		f.sortByPlace(c.Latches)
		c.Latches = slices.Compact(c.Latches)
		f.sortByPlace(c.Entries[1:])
	}
}

// sortByPlace sorts blocks into the order of Blocks.
func (f *CycleForest) sortByPlace(blocks []int) {
	slices.SortFunc(blocks, func(a, b int) int { return int(f.place[a] - f.place[b]) })
}

// InnermostCycle returns the smallest cycle that contains b, or nil.
func (f *CycleForest) InnermostCycle(b int) *Cycle { return f.innermost[b] }

// Depth returns the number of cycles that contain b.
func (f *CycleForest) Depth(b int) int {
	if c := f.innermost[b]; c != nil {
		return c.Depth
	}
	return 0
}

// Contains reports in constant time whether b is in cycle c or a cycle nested in it.
func (f *CycleForest) Contains(c *Cycle, b int) bool {
	p := int(f.place[b])
	return c.start <= p && p < c.start+len(c.Blocks)
}

// Encloses reports in constant time whether inner is outer or nested in it.
func (f *CycleForest) Encloses(outer, inner *Cycle) bool {
	return outer.start <= inner.start && inner.start+len(inner.Blocks) <= outer.start+len(outer.Blocks)
}

// Common returns the innermost cycle that contains a and b, or nil. It takes
// time proportional to the number of cycles that contain b but not a.
func (f *CycleForest) Common(a, b int) *Cycle {
	c := f.innermost[b]
	for c != nil && !f.Contains(c, a) {
		c = c.Parent
	}
	return c
}

// Child returns the cycle directly inside c (directly among the roots, if c is
// nil) that contains b, or nil if b belongs to c itself. Block b must be in c.
func (f *CycleForest) Child(c *Cycle, b int) *Cycle {
	among := f.Roots
	if c != nil {
		among = c.Children
	}
	// Children are in increasing order of their ranges: take the last that
	// does not start after b.
	p := int(f.place[b])
	lo, hi := 0, len(among)
	for lo < hi {
		if m := (lo + hi) / 2; among[m].start <= p {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo > 0 && f.Contains(among[lo-1], b) {
		return among[lo-1]
	}
	return nil
}

// IsHeader reports whether b is the header of a cycle. A block is the header of at most
// one.
func (f *CycleForest) IsHeader(b int) bool {
	c := f.innermost[b]
	return c != nil && c.Header == b
}

// Exits returns the edges from c to blocks outside, in the order of Blocks and Succs.
func (f *CycleForest) Exits(c *Cycle) []Edge {
	var edges []Edge
	for _, b := range c.Blocks {
		for i, s := range f.graph.Succs[b] {
			if !f.Contains(c, s) {
				edges = append(edges, Edge{From: b, To: s, Index: i})
			}
		}
	}
	return edges
}

// Entering returns the edges from reachable blocks outside c to c, ordered by entry and
// then by source.
func (f *CycleForest) Entering(c *Cycle) []Edge {
	var edges []Edge
	for _, e := range c.Entries {
		previous := -1
		for _, p := range f.graph.Preds[e] {
			// Parallel edges are adjacent in Preds, in the order made by NewGraph.
			if p == previous || f.place[p] < 0 || f.Contains(c, p) {
				continue
			}
			previous = p
			for i, s := range f.graph.Succs[p] {
				if s == e {
					edges = append(edges, Edge{From: p, To: e, Index: i})
				}
			}
		}
	}
	return edges
}

// Reducible reports whether every cycle of the graph has its header as the only entry.
func (f *CycleForest) Reducible() bool {
	for _, c := range f.Cycles {
		if !c.Reducible() {
			return false
		}
	}
	return true
}
