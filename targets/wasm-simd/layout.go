package wasmsimd

import (
	"slices"
	"sort"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/switches"
)

// node is a unit of control flow: a block, an edge out of a switch, or the dispatcher of an
// irreducible cycle, which branches to the entry that a local names.
type node struct {
	block   *vir.Block       // nil for others
	table   *switches.Switch // of a block that ends with a jump table
	edge    *vir.Edge        // a target of a table
	entries []int            // dispatcher: its possible targets
	succs   []target         // one per edge of the block or of its switch, or per entry
}

// fallsThrough reports whether control continues with the next node if no branch is taken.
func (n *node) fallsThrough() bool { return n.table == nil && n.entries == nil }

// target is the destination of an edge, with the entries to set in the dispatchers on the
// path.
type target struct {
	node    int
	entries []choice
}

type choice struct{ dispatcher, entry int }

// scope is a structured block or loop over the positions [start, end).
type scope struct {
	start, end int
	loop       bool
}

// layout is the linear order of a function's nodes and the scopes nested over it, so that
// every edge is a fallthrough, a branch to the end of a block or a branch to the start of a
// loop.
type layout struct {
	nodes []node
	order []int // nodes by position
	pos   []int // positions by node
	open  [][]scope
}

// arrange lays out f. found maps the roots of switches to the switches.
func arrange(f *vir.Func, found map[int]*switches.Switch) *layout {
	l := &layout{}
	for _, b := range f.Blocks {
		n := node{block: b}
		for _, e := range b.Edges {
			n.succs = append(n.succs, target{node: e.To.ID})
		}
		l.nodes = append(l.nodes, n)
	}
	for id := range f.Blocks {
		if w := found[id]; w != nil {
			l.addTable(f, id, w)
		}
	}
	forest := l.makeReducible()
	for _, n := range l.nodes {
		if n.table != nil && slices.ContainsFunc(n.succs, func(t target) bool { return len(t.entries) > 0 }) {
			return arrange(f, nil) // a table cannot set dispatchers
		}
	}
	l.linearize(forest)
	l.nest(forest)
	return l
}

// addTable ends the block root with a table instead of a branch. The targets are separate
// nodes, because the edges may pass arguments.
func (l *layout) addTable(f *vir.Func, root int, w *switches.Switch) {
	n := &l.nodes[root]
	n.table, n.succs = w, nil
	for _, e := range w.Edges() {
		edge := &f.Blocks[e.Block].Edges[e.Index]
		l.nodes[root].succs = append(l.nodes[root].succs, target{node: len(l.nodes)})
		l.nodes = append(l.nodes, node{edge: edge, succs: []target{{node: edge.To.ID}}})
	}
}

func (l *layout) graph() *cfg.Graph {
	succs := make([][]int, len(l.nodes))
	for i, n := range l.nodes {
		for _, t := range n.succs {
			succs[i] = append(succs[i], t.node)
		}
	}
	return cfg.NewGraph(succs)
}

// makeReducible gives every irreducible cycle a dispatcher, which becomes its only entry.
// Within the cycle only back edges go through the dispatcher; forward edges need not. This
// terminates: a cycle shrinks without its dispatcher, as all edges to its first block come
// from outside or are back edges.
func (l *layout) makeReducible() *cfg.CycleForest {
	for {
		g := l.graph()
		forest := cfg.Cycles(g)
		var bad *cfg.Cycle
		for _, c := range forest.Cycles {
			if !c.Reducible() {
				bad = c
				break
			}
		}
		if bad == nil {
			return forest
		}
		d := len(l.nodes)
		disp := node{entries: slices.Clone(bad.Entries)}
		for _, e := range disp.entries {
			disp.succs = append(disp.succs, target{node: e})
		}
		at := cfg.Positions(reversePostorder(g), d)
		for i := range l.nodes {
			for j := range l.nodes[i].succs {
				t := &l.nodes[i].succs[j]
				if forest.Contains(bad, i) && at[i] < at[t.node] {
					continue
				}
				if k := slices.Index(disp.entries, t.node); k >= 0 {
					t.node = d
					t.entries = append(slices.Clone(t.entries), choice{d, k})
				}
			}
		}
		l.nodes = append(l.nodes, disp)
	}
}

// linearize orders the reachable nodes topologically except for back edges, with every
// cycle contiguous and its header first.
func (l *layout) linearize(forest *cfg.CycleForest) {
	g := l.graph()
	rpo := reversePostorder(g)
	at := cfg.Positions(rpo, len(l.nodes))
	done := make([]bool, len(l.nodes))
	var place func(blocks []int, inside *cfg.Cycle)
	place = func(blocks []int, inside *cfg.Cycle) {
		for _, b := range blocks {
			if done[b] {
				continue
			}
			if c := forest.Child(inside, b); c != nil {
				// The header comes first in any topological order.
				in := slices.Clone(c.Blocks)
				sort.Slice(in, func(i, j int) bool { return at[in[i]] < at[in[j]] })
				place(in, c)
				continue
			}
			done[b] = true
			l.order = append(l.order, b)
		}
	}
	place(rpo, nil)
	l.pos = cfg.Positions(l.order, len(l.nodes))
}

// reversePostorder visits successors in reverse, so that the first successor of a branch
// comes first.
func reversePostorder(g *cfg.Graph) []int {
	type frame struct{ b, next int }
	seen := make([]bool, len(g.Succs))
	seen[0] = true
	stack := []frame{{0, len(g.Succs[0])}}
	var order []int
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == 0 {
			order = append(order, f.b)
			stack = stack[:len(stack)-1]
			continue
		}
		f.next--
		if s := g.Succs[f.b][f.next]; !seen[s] {
			seen[s] = true
			stack = append(stack, frame{s, len(g.Succs[s])})
		}
	}
	slices.Reverse(order)
	return order
}

// nest finds the scopes. A block for the forward branches to position v starts before the
// first of them and, so that scopes nest, before every scope that it would otherwise cross.
func (l *layout) nest(forest *cfg.CycleForest) {
	n := len(l.order)
	l.open = make([][]scope, n+1)
	top := make([]int, n+1) // by end: the first start of a scope that ends there
	for i := range top {
		top[i] = -1
	}
	add := func(s scope) {
		l.open[s.start] = append(l.open[s.start], s)
		if top[s.end] < 0 || s.start < top[s.end] {
			top[s.end] = s.start
		}
	}
	for _, c := range forest.Cycles {
		start := l.pos[c.Header]
		add(scope{start, start + len(c.Blocks), true})
	}
	first := make([]int, n) // by position: the first forward branch to it
	for i := range first {
		first[i] = n
	}
	for p, b := range l.order {
		// The last edge out of a node falls through to the next position.
		for i, t := range l.nodes[b].succs {
			v := l.pos[t.node]
			fallsThrough := v == p+1 && l.nodes[b].fallsThrough() && i == l.lastEdge(p)
			if v > p && !fallsThrough {
				first[v] = min(first[v], p)
			}
		}
	}
	for v, start := range first {
		if start == n {
			continue
		}
		for i := v; i > start; {
			if top[i] < 0 {
				i--
				continue
			}
			i = top[i]
			start = min(start, i)
		}
		add(scope{start, v, false})
	}
	for _, s := range l.open {
		sort.SliceStable(s, func(i, j int) bool {
			if s[i].end != s[j].end {
				return s[i].end > s[j].end
			}
			return !s[i].loop && s[j].loop
		})
	}
}

// lastEdge selects the edge of a node that needs no test.
func (l *layout) lastEdge(p int) int {
	succs := l.nodes[l.order[p]].succs
	if len(succs) == 2 && l.pos[succs[0].node] == p+1 {
		return 0
	}
	return len(succs) - 1
}
