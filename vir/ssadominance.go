package vir

// dominance maintains the dominator relation while the graph is being built. Blocks with
// unknown predecessors are roots of dominator trees, which become part of other trees
// once all predecessors are known. Each loop body thus has its own tree until the loop is
// complete, and relations within a tree stay valid. A tree is merged into another node by
// node, once per level of loop nesting.
//
// Ancestors at a given depth are found through jump pointers (Myers, "An applicative
// random-access stack", IPL 17, 1983) in logarithmic time.
type dominance struct {
	nodes []dominated // by block ID
}

type dominated struct {
	placed       bool
	settled      bool  // its predecessors and those of its ancestors are all known
	root         int   // of its tree; the block itself for a root
	head         int   // the root of the first tree with more than one block that contained it
	up           int   // of such a root: the root of the next tree that contained it; itself until then
	parent, jump int   // in its tree; a root is its own parent
	depth        int   // in its tree
	tree         []int // of a root: all blocks of its tree, each after its parent
}

// none is no block.
const none = -1

func (d *dominance) node(b int) *dominated {
	for len(d.nodes) <= b {
		d.nodes = append(d.nodes, dominated{})
	}
	return &d.nodes[b]
}

// placeRoot starts a tree with b.
func (d *dominance) placeRoot(b int) {
	n := d.node(b)
	n.placed, n.root, n.head, n.up, n.parent, n.jump, n.tree = true, b, b, b, b, b, []int{b}
}

// join makes parent the immediate dominator of the root b.
func (d *dominance) join(b, parent int) {
	n, p := &d.nodes[b], &d.nodes[parent]
	tree := n.tree
	if n.parent, n.up, n.tree = parent, p.root, nil; len(tree) == 1 {
		n.head = p.root
	}
	for _, m := range tree {
		d.descend(&d.nodes[m], p.root)
	}
	root := &d.nodes[p.root]
	root.tree = append(root.tree, tree...)
}

// descend places n below its parent in the tree of root.
func (d *dominance) descend(n *dominated, root int) {
	p := d.nodes[n.parent]
	n.root, n.jump, n.depth = root, n.parent, p.depth+1
	if j := d.nodes[p.jump]; p.depth-j.depth == j.depth-d.nodes[j.jump].depth {
		n.jump = j.jump
	}
}

// dominates reports whether a is known to dominate b. A block dominates itself.
func (d *dominance) dominates(a, b int) bool {
	x, y := &d.nodes[a], &d.nodes[b]
	return x.root == y.root && x.depth <= y.depth && d.above(b, x.depth) == a
}

// entry returns the last block that dominates b and that a path from w may enter: w
// itself if it dominates b, none if nothing is known.
func (d *dominance) entry(w, b int) int {
	c := d.nearest(w, b)
	switch {
	case c == none || c == w:
		return c
	case c == b: // reached through a back edge only
		return d.commonLoop(w, b)
	}
	return d.above(b, d.nodes[c].depth+1)
}

// commonLoop returns the header of the innermost loop that may contain both a and b, which are in
// the same tree, or the root of the tree. The headers of the loops that contain a block are among
// the roots of the trees that contained it: a header is a root until its back edges are known, and
// then all blocks of its loop are in its tree.
func (d *dominance) commonLoop(a, b int) int {
	root := d.nodes[b].root
	for h := d.nodes[b].head; h != root; h = d.nodes[h].up {
		for k := d.nodes[a].head; ; k = d.nodes[k].up {
			if k == h {
				return h
			}
			if k == root {
				break
			}
		}
	}
	return root
}

// above returns the ancestor of b at the given depth of its tree.
func (d *dominance) above(b, depth int) int {
	for d.nodes[b].depth > depth {
		if j := d.nodes[b].jump; d.nodes[j].depth >= depth {
			b = j
		} else {
			b = d.nodes[b].parent
		}
	}
	return b
}

// nearest returns the last block known to dominate both a and b, or none.
func (d *dominance) nearest(a, b int) int {
	if d.nodes[a].root != d.nodes[b].root {
		return none
	}
	depth := min(d.nodes[a].depth, d.nodes[b].depth)
	a, b = d.above(a, depth), d.above(b, depth)
	for a != b {
		if x, y := d.nodes[a].jump, d.nodes[b].jump; x != y {
			a, b = x, y
		} else {
			a, b = d.nodes[a].parent, d.nodes[b].parent
		}
	}
	return a
}
