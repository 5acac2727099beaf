package vir

// dominance tells which blocks dominate which while the graph is being made. Its
// dominator trees end at blocks some of whose predecessors are not known yet: these
// are roots, and their trees become part of others once they are. So there is a tree
// for what each loop contains, and what is found in a tree stays true. A tree is made
// part of another node by node, which is as often as loops are nested.
//
// Levels are reached by jump pointers (Myers, "An applicative random-access stack",
// IPL 17, 1983) in logarithmic time.
type dominance struct {
	nodes []dominated // by block ID
}

type dominated struct {
	placed       bool
	settled      bool  // all is known of it that ever will be
	root         int   // of its tree, itself for a root
	head         int   // the root of the first tree of more than one block that it was in
	parent, jump int   // in its tree; the root's are itself
	depth        int   // in its tree
	tree         []int // of a root: all of its tree, every block behind its parent
}

// none is no block.
const none = -1

func (d *dominance) node(b int) *dominated {
	for len(d.nodes) <= b {
		d.nodes = append(d.nodes, dominated{})
	}
	return &d.nodes[b]
}

// placeRoot begins a tree with b.
func (d *dominance) placeRoot(b int) {
	n := d.node(b)
	n.placed, n.root, n.head, n.parent, n.jump, n.tree = true, b, b, b, b, []int{b}
}

// join makes parent the immediate dominator of the root b.
func (d *dominance) join(b, parent int) {
	n, p := &d.nodes[b], &d.nodes[parent]
	tree := n.tree
	if n.parent, n.tree = parent, nil; len(tree) == 1 {
		n.head = p.head
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

// dominates reports whether a is known to dominate b, as any block does itself.
func (d *dominance) dominates(a, b int) bool {
	x, y := &d.nodes[a], &d.nodes[b]
	return x.root == y.root && x.depth <= y.depth && d.above(b, x.depth) == a
}

// entry returns the last block that dominates b and where control may come in that has
// been at w, w itself if it dominates b; none if nothing is known.
func (d *dominance) entry(w, b int) int {
	c := d.nearest(w, b)
	switch {
	case c == none || c == w:
		return c
	case c == b: // by a way back, and the headers of loops are roots at first
		return d.nodes[b].head
	}
	return d.above(b, d.nodes[c].depth+1)
}

// above returns the ancestor of b at this depth of its tree.
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

// nearest returns the last block that dominates both a and b, none if no such block
// is known.
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
