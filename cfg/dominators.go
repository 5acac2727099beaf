package cfg

// DomTree is a dominator tree: a dominates b if every path from the root to b passes
// through a. Blocks that the root does not reach are not in the tree: their IDom and
// Depth are -1, and they neither dominate nor are dominated.
type DomTree struct {
	Root     int
	IDom     []int   // immediate dominator; -1 for the root
	Children [][]int // in reverse postorder of the graph
	Depth    []int   // 0 for the root

	// Preorder lists the tree's blocks in preorder, children in reverse postorder. In an
	// acyclic graph it is a topological order in which the blocks dominated by any block
	// are contiguous.
	Preorder []int

	graph *Graph // edges in the direction of the tree
	pre   []int32
	size  []int32 // nodes in the subtree; 0 outside the tree
}

// Dominators computes the dominator tree of g in nearly linear time. The graph
// must have an entry.
func Dominators(g *Graph) *DomTree { return dominatorsFrom(g, 0) }

// dominatorsFrom uses the Semi-NCA algorithm (Georgiadis, "Linear-Time Algorithms for
// Dominators and Related Problems", 2005, section 2.3): it computes semidominators by
// path compression, like Lengauer and Tarjan. The immediate dominator is the nearest
// ancestor in the growing tree that is not below the semidominator.
func dominatorsFrom(g *Graph, root int) *DomTree {
	t := walk(g.Succs, root)
	n := len(t.pre)

	// All in preorder numbers. ancestor is the forest that eval compresses.
	semi := make([]int32, n)
	label := make([]int32, n)
	ancestor := make([]int32, n)
	idom := make([]int32, n)
	copy(ancestor, t.parent)
	copy(idom, t.parent)
	for i := range semi {
		semi[i], label[i] = int32(i), int32(i)
	}
	var path []int32
	eval := func(v, linked int32) int32 {
		if ancestor[v] < linked {
			return label[v]
		}
		for path = path[:0]; ancestor[v] >= linked; v = ancestor[v] {
			path = append(path, v)
		}
		above := v
		for i := len(path) - 1; i >= 0; i-- {
			v = path[i]
			ancestor[v] = ancestor[above]
			if semi[label[above]] < semi[label[v]] {
				label[v] = label[above]
			}
			above = v
		}
		return label[v]
	}
	for i := int32(n - 1); i > 0; i-- {
		semi[i] = t.parent[i]
		for _, p := range g.Preds[t.pre[i]] {
			if v := t.number[p]; v >= 0 {
				if s := semi[eval(v, i+1)]; s < semi[i] {
					semi[i] = s
				}
			}
		}
	}
	for i := 1; i < n; i++ {
		d := idom[i]
		for d > semi[i] {
			d = idom[d]
		}
		idom[i] = d
	}

	return newDomTree(g, t, idom)
}

// newDomTree builds the tree's tables from immediate dominators, given by preorder
// numbers of walk t.
func newDomTree(g *Graph, t *traversal, idom []int32) *DomTree {
	total, n := g.Len(), len(t.pre)
	d := &DomTree{
		Root:     int(t.pre[0]),
		IDom:     make([]int, total),
		Children: make([][]int, total),
		Depth:    make([]int, total),
		Preorder: make([]int, n),
		graph:    g,
		pre:      make([]int32, total),
		size:     make([]int32, total),
	}
	for b := range d.IDom {
		d.IDom[b], d.Depth[b] = -1, -1
	}
	d.Depth[d.Root] = 0
	fanout := make([]int32, total)
	for i := 1; i < n; i++ {
		b, up := t.pre[i], t.pre[idom[i]]
		d.IDom[b] = int(up)
		d.Depth[b] = d.Depth[up] + 1
		fanout[up]++
	}
	for i := n - 1; i >= 0; i-- {
		b := t.pre[i]
		d.size[b]++
		if i > 0 {
			d.size[d.IDom[b]] += d.size[b]
		}
	}

	// A dominator precedes the blocks it dominates in reverse postorder, so one sweep
	// assigns children and preorder numbers.
	all := make([]int, n)
	next := make([]int32, total)
	for i := n - 1; i >= 0; i-- {
		b := int(t.post[i])
		d.Children[b], all = all[:0:fanout[b]], all[fanout[b]:]
		if b != d.Root {
			up := d.IDom[b]
			d.Children[up] = append(d.Children[up], b)
			d.pre[b] = next[up]
			next[up] += d.size[b]
		}
		next[b] = d.pre[b] + 1
		d.Preorder[d.pre[b]] = b
	}
	return d
}

// Contains reports whether b is in the tree, that is, reachable from the root.
func (d *DomTree) Contains(b int) bool { return d.size[b] > 0 }

// Dominates reports in constant time whether a dominates b. A block of the tree dominates
// itself.
func (d *DomTree) Dominates(a, b int) bool {
	return d.size[b] > 0 && d.pre[a] <= d.pre[b] && d.pre[b] < d.pre[a]+d.size[a]
}

// StrictlyDominates is Dominates for two different blocks.
func (d *DomTree) StrictlyDominates(a, b int) bool { return a != b && d.Dominates(a, b) }

// NearestCommon returns the deepest block that dominates a and b, which must
// both be in the tree. It takes time proportional to their depth.
func (d *DomTree) NearestCommon(a, b int) int {
	for !d.Dominates(a, b) {
		a = d.IDom[a]
	}
	return a
}
