package cfg

// PostDomTree is a post-dominator tree of the reachable blocks: a post-dominates b if
// every path from b to the end passes through a. The end is the virtual block Exit,
// numbered one more than the last block. It is the successor of every block without
// successors and the root of the tree.
//
// The blocks of an infinite loop reach no exit. To define the tree everywhere, the last
// block in reverse postorder (usually a latch) of each strongly connected component
// without an exit gets an edge to Exit; these blocks are Attached. Inside such a loop,
// post-dominance is as if the loop had an exit from its latch.
//
// The fields and methods of the embedded tree refer to the reversed graph: IDom is the
// immediate post-dominator, Dominates means post-dominates. The tables have an entry for
// Exit too.
type PostDomTree struct {
	DomTree
	Exit     int
	Attached []int // blocks with an added edge to Exit although they have successors
}

// PostDominators computes the post-dominator tree of g, which must have an
// entry, in nearly linear time.
func PostDominators(g *Graph) *PostDomTree {
	n := g.Len()
	attached := g.endless()
	toExit := append(g.Exits(), attached...)

	rev := &Graph{Succs: make([][]int, n+1), Preds: make([][]int, n+1)}
	for b, ok := range g.Reachable() {
		if !ok {
			continue
		}
		rev.Preds[b] = g.Succs[b]
		for _, s := range g.Succs[b] {
			rev.Succs[s] = append(rev.Succs[s], b)
		}
	}
	rev.Succs[n] = toExit
	for _, b := range toExit {
		preds := rev.Preds[b]
		rev.Preds[b] = append(preds[:len(preds):len(preds)], n)
	}
	return &PostDomTree{DomTree: *dominatorsFrom(rev, n), Exit: n, Attached: attached}
}

// PostDominates reports whether every path from b to the end passes through a.
func (p *PostDomTree) PostDominates(a, b int) bool { return p.Dominates(a, b) }

// IPDom returns b's immediate post-dominator, which may be Exit; -1 for Exit
// itself and for unreachable blocks.
func (p *PostDomTree) IPDom(b int) int { return p.IDom[b] }

// endless returns one block, the last in reverse postorder, of every reachable strongly
// connected component without exits.
func (g *Graph) endless() []int {
	component, count := g.StronglyConnected()
	left := make([]bool, count) // has an edge to another component or is a real exit
	for b, c := range component {
		if c < 0 {
			continue
		}
		if len(g.Succs[b]) == 0 {
			left[c] = true
		}
		for _, s := range g.Succs[b] {
			if component[s] != c {
				left[c] = true
			}
		}
	}
	var blocks []int
	for _, b := range g.PostOrder() {
		if c := component[b]; !left[c] {
			left[c] = true
			blocks = append(blocks, b)
		}
	}
	return blocks
}

// StronglyConnected numbers the strongly connected components of the reachable blocks
// 0..count-1, each before its predecessors (Tarjan, 1972). Unreachable blocks have
// component -1.
func (g *Graph) StronglyConnected() (component []int, count int) {
	n := g.Len()
	component = make([]int, n)
	low := make([]int32, n)
	number := make([]int32, n) // from 1; 0 is not visited
	for b := range component {
		component[b] = -1
	}
	if n == 0 {
		return component, 0
	}
	type frame struct{ node, next int32 }
	var (
		open    []int32 // visited, but the component is not known yet
		stack   []frame
		visited int32
	)
	visit := func(b int32) {
		visited++
		number[b], low[b] = visited, visited
		open = append(open, b)
		stack = append(stack, frame{node: b})
	}
	visit(0)
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		b := f.node
		if int(f.next) < len(g.Succs[b]) {
			s := int32(g.Succs[b][f.next])
			f.next++
			if number[s] == 0 {
				visit(s)
			} else if component[s] < 0 {
				low[b] = min(low[b], number[s])
			}
			continue
		}
		stack = stack[:len(stack)-1]
		if len(stack) > 0 {
			up := stack[len(stack)-1].node
			low[up] = min(low[up], low[b])
		}
		if low[b] == number[b] {
			for {
				x := open[len(open)-1]
				open = open[:len(open)-1]
				component[x] = count
				if x == b {
					break
				}
			}
			count++
		}
	}
	return component, count
}
