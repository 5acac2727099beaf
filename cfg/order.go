package cfg

// Edge is one control-flow edge. Index is its place in Succs[From], which
// tells parallel edges apart. A virtual end (the caller's side of the entry,
// what follows an exit) is Outside, and then Index is 0.
type Edge struct {
	From, To int
	Index    int
}

// Outside stands for "no block" at the virtual end of an edge.
const Outside = -1

// traversal is one depth-first walk from a root. Only visited nodes have a
// number; number is -1 for the others.
type traversal struct {
	pre    []int32 // nodes by preorder number
	post   []int32 // nodes in postorder
	number []int32 // preorder number of a node, or -1
	parent []int32 // preorder number of the parent, by preorder number; the root's is 0
	last   []int32 // largest preorder number in the subtree, by preorder number
}

// descends reports whether node b lies in the depth-first subtree of node a.
// Both must be visited.
func (t *traversal) descends(b, a int) bool {
	na, nb := t.number[a], t.number[b]
	return na <= nb && nb <= t.last[na]
}

// walk does a depth-first traversal with an explicit stack. Successors are
// visited last to first, so that in reverse postorder the blocks of a branch's
// first target come before those of its second where nothing else decides.
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

// walk traverses g from its entry; a graph without blocks gives an empty walk.
func (g *Graph) walk() *traversal {
	if g.Len() == 0 {
		return &traversal{}
	}
	return walk(g.Succs, 0)
}

// PostOrder returns the blocks reachable from the entry in depth-first
// postorder: a block comes after everything it reaches, back edges aside.
func (g *Graph) PostOrder() []int {
	t := g.walk()
	order := make([]int, len(t.post))
	for i, b := range t.post {
		order[i] = int(b)
	}
	return order
}

// ReversePostOrder returns the reachable blocks in reverse postorder, the
// entry first: topological but for the back edges of the walk. Where the graph
// leaves a choice, the side of a branch's first target comes first.
func (g *Graph) ReversePostOrder() []int {
	t := g.walk()
	n := len(t.post)
	order := make([]int, n)
	for i, b := range t.post {
		order[n-1-i] = int(b)
	}
	return order
}

// Positions inverts an order: the place of every block of a graph of n blocks
// in it, or -1 for a block that is not there.
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

// Reachable tells for every block whether the entry reaches it.
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
