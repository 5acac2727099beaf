package cfg_test

import "github.com/simtc/simtc/cfg"

// reach returns the blocks reachable from from on paths that avoid the given node and
// edge (-1 for none). from itself is included unless it is avoided.
func reach(succs [][]int, from, avoid int) []bool {
	seen := make([]bool, len(succs))
	if from == avoid {
		return seen
	}
	stack := []int{from}
	seen[from] = true
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, s := range succs[b] {
			if s != avoid && !seen[s] {
				seen[s] = true
				stack = append(stack, s)
			}
		}
	}
	return seen
}

// dominance computes dominance by its definition: a dominates b if b cannot be reached
// without a.
func dominance(succs [][]int, root int) [][]bool {
	n := len(succs)
	all := reach(succs, root, -1)
	dom := make([][]bool, n)
	for a := range dom {
		without := reach(succs, root, a)
		dom[a] = make([]bool, n)
		for b := range dom[a] {
			dom[a][b] = all[a] && all[b] && !without[b]
		}
	}
	return dom
}

// withEnd returns the successors of g with a virtual end, block g.Len(), after exits and
// the attached blocks; reversed returns the reversed graph.
func withEnd(g *cfg.Graph, attached []int, reversed bool) [][]int {
	n := g.Len()
	succs := make([][]int, n+1)
	add := func(a, b int) {
		if reversed {
			a, b = b, a
		}
		succs[a] = append(succs[a], b)
	}
	for b, ss := range g.Succs {
		for _, s := range ss {
			add(b, s)
		}
		if len(ss) == 0 {
			add(b, n)
		}
	}
	for _, b := range attached {
		add(b, n)
	}
	return succs
}

// components returns the strongly connected sets that contain a cycle, for the graph
// restricted to the blocks of in. Each set is a membership table.
func components(succs [][]int, in []bool) [][]bool {
	n := len(succs)
	sub := make([][]int, n)
	for b := range succs {
		if in[b] {
			for _, s := range succs[b] {
				if in[s] {
					sub[b] = append(sub[b], s)
				}
			}
		}
	}
	after := make([][]bool, n) // reachable in one or more steps
	for b := range sub {
		after[b] = make([]bool, n)
		for _, s := range sub[b] {
			for x, ok := range reach(sub, s, -1) {
				after[b][x] = after[b][x] || ok
			}
		}
	}
	var sets [][]bool
	done := make([]bool, n)
	for b := range sub {
		if done[b] || !in[b] || !after[b][b] {
			continue
		}
		set := make([]bool, n)
		for x := range sub {
			if after[b][x] && after[x][b] {
				set[x], done[x] = true, true
			}
		}
		sets = append(sets, set)
	}
	return sets
}

func members(set []bool) []int {
	var list []int
	for b, ok := range set {
		if ok {
			list = append(list, b)
		}
	}
	return list
}
