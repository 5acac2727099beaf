package cfg

// Region is a single-entry single-exit region: Entry dominates Exit, Exit post-dominates
// Entry, and every cycle that contains one of these edges contains the other. Regions are
// canonical (the smallest between two such edges), so two regions are disjoint or nested;
// a sequence of regions does not form a region.
type Region struct {
	ID          int // index in RegionTree.Regions
	Entry, Exit Edge
	Blocks      []int // all blocks, including those of inner regions; Entry.To is first
	Parent      *Region
	Children    []*Region // in the order of RegionTree.Regions
	Depth       int       // 0 for the root
}

// RegionTree is the program structure tree of the reachable blocks.
type RegionTree struct {
	// Root is the region of the whole function; both its edges lead Outside.
	Root    *Region
	Regions []*Region // the root first; an outer region before its inner ones

	// Class numbers the classes of control equivalence: two blocks are in one class if,
	// on every path, each execution of one is followed or preceded by exactly one of the
	// other. Such blocks have the same control dependence and are in the same cycles.
	// Unreachable blocks have class -1.
	Class []int
	// EdgeClass is Class for the edges of every block, in the order of Succs.
	EdgeClass [][]int

	innermost []*Region
}

// Innermost returns the smallest region that contains b, nil if b is
// unreachable.
func (t *RegionTree) Innermost(b int) *Region { return t.innermost[b] }

// Regions builds the program structure tree of g, which must have an entry, in linear
// time (Johnson, Pearson, Pingali, PLDI'94). Exits and infinite loops lead to one virtual
// end, as for PostDominators.
func Regions(g *Graph) *RegionTree {
	n := g.Len()
	t := &RegionTree{Class: make([]int, n), EdgeClass: make([][]int, n), innermost: make([]*Region, n)}

	// Every block is split into two nodes with an edge between them, whose class is the
	// class of the block. The virtual end is node 2n; its edge to the entry makes the
	// graph strongly connected.
	in := func(b int) int { return 2 * b }
	out := func(b int) int { return 2*b + 1 }
	order := g.ReversePostOrder()
	m := &multigraph{nodes: 2*n + 1}
	blockEdge := make([]int, n)
	base := make([]int, n) // index of the block's first outgoing edge
	endEdge := make([]int, n)
	start := m.addEdge(in(0), 2*n)
	for b := range endEdge {
		endEdge[b] = -1
	}
	for _, b := range order {
		blockEdge[b] = m.addEdge(in(b), out(b))
		base[b] = len(m.ends)
		for _, s := range g.Succs[b] {
			m.addEdge(out(b), in(s))
		}
	}
	for _, b := range append(g.Exits(), g.endless()...) {
		endEdge[b] = m.addEdge(out(b), 2*n)
	}
	class, classes := m.cycleEquivalence()

	for b := range t.Class {
		t.Class[b] = -1
	}
	dense := make([]int, classes)
	used := 0
	number := func(edge int) int {
		c := class[edge]
		if dense[c] == 0 {
			used++
			dense[c] = used
		}
		return dense[c] - 1
	}
	for _, b := range order {
		t.Class[b] = number(blockEdge[b]) // less than n
	}
	for _, b := range order {
		t.EdgeClass[b] = make([]int, len(g.Succs[b]))
		for i := range g.Succs[b] {
			t.EdgeClass[b][i] = number(base[b] + i)
		}
	}

	t.build(g, class, classes, start, base, endEdge)
	return t
}

// build pairs consecutive edges of a class into regions and nests them. The edges of a
// class are totally ordered by dominance, in the order in which a depth-first walk visits
// them, and a walk enters a region through its entry first.
func (t *RegionTree) build(g *Graph, class []int32, classes, start int, base, endEdge []int) {
	n := g.Len()
	latest := make([]*Region, classes) // opened by the class's latest edge
	opens := make([]*Region, len(class))
	closes := make([]*Region, len(class))
	look := func(number int, e Edge) {
		c := class[number]
		if r := latest[c]; r != nil {
			r.Exit = e
			closes[number] = r
		}
		r := &Region{Entry: e}
		latest[c], opens[number] = r, r
	}
	tree := make([]int, 0, n) // the edges through which blocks were discovered
	blocks := make([]int, 0, n)
	from := make([]int, 0, n)
	seen := make([]bool, n)
	type frame struct{ block, next int }
	var stack []frame
	enter := func(b, number, source int) {
		seen[b] = true
		tree = append(tree, number)
		blocks = append(blocks, b)
		from = append(from, source)
		stack = append(stack, frame{b, 0})
	}
	look(start, Edge{From: Outside, To: 0})
	enter(0, start, Outside)
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == len(g.Succs[f.block]) {
			if e := endEdge[f.block]; e >= 0 {
				look(e, Edge{From: f.block, To: Outside})
			}
			stack = stack[:len(stack)-1]
			continue
		}
		b, i := f.block, f.next
		f.next++
		s := g.Succs[b][i]
		look(base[b]+i, Edge{From: b, To: s, Index: i})
		if !seen[s] {
			enter(s, base[b]+i, b)
		}
	}
	for _, r := range latest {
		if r != nil {
			// The last edge of a class begins no region.
			r.ID = -1
		}
	}

	t.Root = &Region{Entry: Edge{From: Outside, To: 0}, Exit: Edge{From: Outside, To: Outside}}
	t.Regions = append(t.Regions, t.Root)
	own := []int{0} // blocks directly in a region
	for k, b := range blocks {
		at := t.Root
		if from[k] != Outside {
			at = t.innermost[from[k]]
		}
		if r := closes[tree[k]]; r != nil {
			at = r.Parent
		}
		if r := opens[tree[k]]; r != nil && r.ID >= 0 {
			r.ID = len(t.Regions)
			r.Parent, r.Depth = at, at.Depth+1
			at.Children = append(at.Children, r)
			t.Regions = append(t.Regions, r)
			own = append(own, 0)
			at = r
		}
		t.innermost[b] = at
		own[at.ID]++
	}

	// Regions nest, so the blocks of a region are a range of one array: its own blocks
	// first, then those of its children.
	total := append([]int(nil), own...)
	for i := len(t.Regions) - 1; i > 0; i-- {
		total[t.Regions[i].Parent.ID] += total[i]
	}
	all := make([]int, len(blocks))
	place := make([]int, len(t.Regions)) // of the next block that belongs to the region directly
	inner := make([]int, len(t.Regions)) // of the next child
	t.Root.Blocks = all
	inner[0] = own[0]
	for i, r := range t.Regions[1:] {
		p := r.Parent.ID
		from, to := inner[p], inner[p]+total[i+1]
		r.Blocks = all[from:to:to]
		place[i+1], inner[i+1] = from, from+own[i+1]
		inner[p] = to
	}
	for _, b := range blocks {
		id := t.innermost[b].ID
		all[place[id]] = b
		place[id]++
	}
}
