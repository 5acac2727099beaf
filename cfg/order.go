package cfg

// Edge is a control-flow edge. Index is its position in Succs[From], which distinguishes
// parallel edges. A virtual end (the caller of the entry, the successor of an exit) is
// Outside, with Index 0.
type Edge struct {
	From, To int
	Index    int
}

// Outside is the missing block at the virtual end of an edge.
const Outside = -1

// traversal is a depth-first walk from a root. number is -1 for nodes that were not
// visited.
type traversal struct {
	pre    []int32 // nodes by preorder number
	post   []int32 // nodes in postorder
	number []int32 // preorder number of a node, or -1
	parent []int32 // preorder number of the parent, by preorder number; the root's is 0
	last   []int32 // largest preorder number in the subtree, by preorder number
}

// descends reports whether node b is in the depth-first subtree of node a. Both must have
// been visited.
func (t *traversal) descends(b, a int) bool {
	na, nb := t.number[a], t.number[b]
	return na <= nb && nb <= t.last[na]
}

// walk does a depth-first traversal with an explicit stack. Successors are visited last
// to first, so that in reverse postorder the blocks of a branch's first target precede
// those of its second, unless edges require otherwise.
func walk(succs [][]int, root int) *traversal {
	n := len(succs)
	t := &traversal{
		pre:    make([]int32, 0, n),
		post:   make([]int32, 0, n),
		number: make([]int32, n),
		parent: make([]int32, 0, n),
		last:   make([]int32, n),
	}
	for i := range t.number {
		t.number[i] = -1
	}
	type frame struct{ node, next int32 }
	stack := make([]frame, 0, 64)
	visit := func(node int, parent int32) {
		t.number[node] = int32(len(t.pre))
		t.pre = append(t.pre, int32(node))
		t.parent = append(t.parent, parent)
		stack = append(stack, frame{int32(node), int32(len(succs[node]))})
	}
	visit(root, 0)
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next > 0 {
			f.next--
			if s := succs[f.node][f.next]; t.number[s] < 0 {
				visit(s, t.number[f.node])
			}
			continue
		}
		t.last[t.number[f.node]] = int32(len(t.pre) - 1)
		t.post = append(t.post, f.node)
		stack = stack[:len(stack)-1]
	}
	return t
}

// walk traverses g from its entry; for a graph without blocks the walk is empty.
func (g *Graph) walk() *traversal {
	if g.Len() == 0 {
		return &traversal{}
	}
	return walk(g.Succs, 0)
}

// PostOrder returns the blocks reachable from the entry in depth-first postorder: a block
// follows all blocks that it reaches, except through back edges.
func (g *Graph) PostOrder() []int {
	t := g.walk()
	order := make([]int, len(t.post))
	for i, b := range t.post {
		order[i] = int(b)
	}
	return order
}

// ReversePostOrder returns the reachable blocks in reverse postorder, the entry first.
// The order is topological except for the back edges of the walk. Where several orders
// are possible, the side of a branch's first target comes first.
func (g *Graph) ReversePostOrder() []int {
	t := g.walk()
	n := len(t.post)
	order := make([]int, n)
	for i, b := range t.post {
		order[n-1-i] = int(b)
	}
	return order
}

// Positions inverts an order: it returns the position of each of n blocks, or -1 for a
// block that is not in the order.
func Positions(order []int, n int) []int {
	pos := make([]int, n)
	for i := range pos {
		pos[i] = -1
	}
	for i, b := range order {
		pos[b] = i
	}
	return pos
}

// Reachable reports for every block whether it is reachable from the entry.
func (g *Graph) Reachable() []bool {
	seen := make([]bool, g.Len())
	for _, b := range g.walk().pre {
		seen[b] = true
	}
	return seen
}

// Exits returns the reachable blocks without successors, in increasing order.
func (g *Graph) Exits() []int {
	var exits []int
	for b, ok := range g.Reachable() {
		if ok && len(g.Succs[b]) == 0 {
			exits = append(exits, b)
		}
	}
	return exits
}
