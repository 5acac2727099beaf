package cfg

import "slices"

// Frontiers returns every block's dominance frontier: the blocks that it does
// not strictly dominate but one of whose predecessors it dominates. Each list
// is in increasing order. On a post-dominator tree these are the branches a
// block is control dependent on.
//
// The lists can hold a quadratic number of entries for long ladders of
// branches; to place φs or joins use IteratedFrontier.
// (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", section 4.)
func (d *DomTree) Frontiers() [][]int {
	front := make([][]int, d.graph.Len())
	for b := range front {
		if !d.Contains(b) {
			continue
		}
		for _, p := range d.graph.Preds[b] {
			for r := p; r >= 0 && d.Contains(r) && r != d.IDom[b]; r = d.IDom[r] {
				if k := len(front[r]); k > 0 && front[r][k-1] == b {
					break // another predecessor came this way already
				}
				front[r] = append(front[r], b)
			}
		}
	}
	return front
}

// IteratedFrontier returns, in increasing order, the least set that holds the
// dominance frontier of the given blocks and of its own members: where φs are
// needed for a variable defined in those blocks. Blocks off the tree are
// ignored. Linear time, by the DJ-graph method of Sreedhar and Gao ("A Linear
// Time Algorithm for Placing φ-Nodes", POPL'95): roots are taken deepest
// first, so that no subtree is walked twice.
func (d *DomTree) IteratedFrontier(blocks []int) []int {
	deepest := 0
	for _, b := range blocks {
		deepest = max(deepest, d.Depth[b])
	}
	bank := make([][]int, deepest+1) // roots still to do, by depth
	queued := make(map[int]bool, len(blocks))
	for _, b := range blocks {
		if d.Contains(b) && !queued[b] {
			queued[b] = true
			bank[d.Depth[b]] = append(bank[d.Depth[b]], b)
		}
	}
	var (
		out    []int
		member = make(map[int]bool)
		walked = make(map[int]bool)
		stack  []int
	)
	for level := deepest; level >= 0; level-- {
		for len(bank[level]) > 0 {
			root := bank[level][len(bank[level])-1]
			bank[level] = bank[level][:len(bank[level])-1]
			walked[root] = true // only deeper blocks were walked so far
			stack = append(stack[:0], root)
			for len(stack) > 0 {
				x := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				for _, y := range d.graph.Succs[x] {
					if d.IDom[y] == x || d.Depth[y] > level || member[y] {
						continue
					}
					member[y] = true
					out = append(out, y)
					if !queued[y] {
						queued[y] = true
						bank[d.Depth[y]] = append(bank[d.Depth[y]], y)
					}
				}
				for _, c := range d.Children[x] {
					if !walked[c] {
						walked[c] = true
						stack = append(stack, c)
					}
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
