package vir

// dominance tells which blocks dominate which while the graph is being made. Its
// dominator trees end at blocks some of whose predecessors are not known yet: these
// are roots, and get a link to their immediate dominator once they are. So there is
// a tree for what each loop contains, and what is found in a tree stays true.
//
// Levels are reached by jump pointers (Myers, "An applicative random-access stack",
// IPL 17, 1983) in logarithmic time.
type dominance struct {
	nodes []dominated // by block ID
}

type dominated struct {
	placed       bool
	settled      bool // all is known of it that ever will be
	used         bool // a root with a tree of more than itself
	root         int  // of its tree, itself for a root
	parent, jump int  // in its tree; the root's are itself
	depth        int  // in its tree
	link         int  // of a root: its immediate dominator in another tree, none if not known
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
	n.placed, n.root, n.parent, n.jump, n.link = true, b, b, b, none
}

// join makes parent the immediate dominator of the root b.
func (d *dominance) join(b, parent int) {
	n, p := &d.nodes[b], &d.nodes[parent]
	if n.used {
		n.link = parent
		return
	}
	d.nodes[p.root].used = true
	n.root, n.parent, n.jump, n.depth = p.root, parent, parent, p.depth+1
	if j := d.nodes[p.jump]; p.depth-j.depth == j.depth-d.nodes[j.jump].depth {
		n.jump = j.jump
	}
}

// out returns the immediate dominator of the tree that b is in, none if it is not
// known.
func (d *dominance) out(b int) int { return d.nodes[d.nodes[b].root].link }

// outermost returns the root behind which nothing is known of what dominates b.
func (d *dominance) outermost(b int) int {
	for d.out(b) != none {
		b = d.out(b)
	}
	return d.nodes[b].root
}

// dominates reports whether a is known to dominate b, as any block does itself.
func (d *dominance) dominates(a, b int) bool {
	for ; b != none; b = d.out(b) {
		if d.nodes[a].root == d.nodes[b].root {
			return d.nodes[a].depth <= d.nodes[b].depth && d.above(b, d.nodes[a].depth) == a
		}
	}
	return false
}

// entry returns the last block that dominates b and where control may come in that has
// been at w, w itself if it dominates b; none if nothing is known.
func (d *dominance) entry(w, b int) int {
	c := d.nearest(w, b)
	switch {
	case c == none || c == w:
		return c
	case c == b: // by a way back, and the headers of loops are roots
		return d.nodes[b].root
	}
	child := none
	for d.nodes[b].root != d.nodes[c].root {
		child, b = d.nodes[b].root, d.out(b)
	}
	if b == c {
		return child
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
	for ; a != none; a = d.out(a) {
		for at := b; at != none; at = d.out(at) {
			if d.nodes[a].root == d.nodes[at].root {
				return d.nearestInTree(a, at)
			}
		}
	}
	return none
}

func (d *dominance) nearestInTree(a, b int) int {
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
