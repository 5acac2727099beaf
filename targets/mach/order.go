package mach

import "github.com/simtc/simtc/cfg"

// LoopOrder is a reverse postorder. Its depth-first search visits first the edges
// that exit the most loops and, in scalar code, the edges that are rarely taken,
// which places their targets last.
func LoopOrder[I any](f *Func[I], isa *ISA[I], g *cfg.Graph, forest *cfg.CycleForest) []int {
	type frame struct {
		b     int
		succs []int
	}
	seen := make([]bool, g.Len())
	var post []int
	visit := func(b int) frame {
		seen[b] = true
		succs := append([]int(nil), g.Succs[b]...)
		// Insertion sort by number of loop exits, descending and stable. The successor
		// visited first is placed last, so equal ones are reversed beforehand.
		for i, j := 0, len(succs)-1; i < j; i, j = i+1, j-1 {
			succs[i], succs[j] = succs[j], succs[i]
		}
		if len(succs) == 2 && f.Scalar && isa.Unlikely(f.Blocks[b]) == succs[1] {
			succs[0], succs[1] = succs[1], succs[0]
		}
		for i := 1; i < len(succs); i++ {
			for j := i; j > 0 && LoopsLeft(forest, b, succs[j]) > LoopsLeft(forest, b, succs[j-1]); j-- {
				succs[j], succs[j-1] = succs[j-1], succs[j]
			}
		}
		return frame{b, succs}
	}
	stack := []frame{visit(0)}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.succs) == 0 {
			post = append(post, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		s := top.succs[0]
		top.succs = top.succs[1:]
		if !seen[s] {
			stack = append(stack, visit(s))
		}
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}

// LoopsLeft returns the number of loops that the edge from b to s exits.
func LoopsLeft(forest *cfg.CycleForest, b, s int) int {
	n := 0
	for c := forest.InnermostCycle(b); c != nil && !forest.Contains(c, s); c = c.Parent {
		n++
	}
	return n
}
