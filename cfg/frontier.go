package cfg

import "slices"

// Joins finds the blocks that need φs, for one variable at a time.
type Joins struct {
	dom *DomTree
	// reach is, by block, the minimum depth of a block entered by a non-tree edge from
	// the block's subtree of the dominator tree.
	reach []int

	bank  [][]int // roots to be processed, by depth
	stack []int
	// Calls of Of in which a block was last queued as a root, found to be a join, and
	// walked.
	queued, member, walked []int
	round                  int
}

// Joins prepares the placement of φs.
func (d *DomTree) Joins() *Joins {
	n, deepest := d.graph.Len(), 0
	j := &Joins{dom: d, reach: make([]int, n), queued: make([]int, n), member: make([]int, n), walked: make([]int, n)}
	for i := len(d.Preorder) - 1; i >= 0; i-- {
		x := d.Preorder[i]
		deepest = max(deepest, d.Depth[x])
		j.reach[x] = n // none
		for _, y := range d.graph.Succs[x] {
			if d.IDom[y] != x {
				j.reach[x] = min(j.reach[x], d.Depth[y])
			}
		}
		for _, c := range d.Children[x] {
			j.reach[x] = min(j.reach[x], j.reach[c])
		}
	}
	j.bank = make([][]int, deepest+1)
	return j
}

// Of returns, in increasing order, the smallest set that contains the dominance frontiers
// of the given blocks and of its own members: the blocks that need φs for a variable
// defined in the given blocks. Unreachable blocks are ignored. Linear time, by the
// DJ-graph method of Sreedhar and Gao ("A Linear Time Algorithm for Placing φ-Nodes",
// POPL'95): roots are processed deepest first, so that no subtree is walked twice; roots
// whose subtree has no edge to a sufficiently low depth are skipped.
func (j *Joins) Of(blocks []int) []int {
	d := j.dom
	j.round++
	deepest := -1
	queue := func(b int) {
		if j.queued[b] != j.round {
			j.queued[b] = j.round
			j.bank[d.Depth[b]] = append(j.bank[d.Depth[b]], b)
		}
	}
	for _, b := range blocks {
		if d.Contains(b) {
			queue(b)
			deepest = max(deepest, d.Depth[b])
		}
	}
	var out []int
	for level := deepest; level >= 0; level-- {
		for len(j.bank[level]) > 0 {
			root := j.bank[level][len(j.bank[level])-1]
			j.bank[level] = j.bank[level][:len(j.bank[level])-1]
			j.walked[root] = j.round // only deeper blocks have been walked so far
			for j.stack = append(j.stack[:0], root); len(j.stack) > 0; {
				x := j.stack[len(j.stack)-1]
				j.stack = j.stack[:len(j.stack)-1]
				for _, y := range d.graph.Succs[x] {
					if d.IDom[y] == x || d.Depth[y] > level || j.member[y] == j.round {
						continue
					}
					j.member[y] = j.round
					out = append(out, y)
					queue(y)
				}
				for _, c := range d.Children[x] {
					if j.walked[c] != j.round && j.reach[c] <= level {
						j.walked[c] = j.round
						j.stack = append(j.stack, c)
					}
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
