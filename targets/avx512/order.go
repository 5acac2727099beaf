package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/x86/asm"
)

// loopOrder is a reverse postorder. Its depth-first search visits first the edges
// that exit the most loops and, in scalar code, the edges that are rarely taken,
// which places their targets last.
func loopOrder(f *machineFunc, g *cfg.Graph, forest *cfg.CycleForest) []int {
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
		if len(succs) == 2 && f.scalar && f.unlikelySucc(b) == succs[1] {
			succs[0], succs[1] = succs[1], succs[0]
		}
		for i := 1; i < len(succs); i++ {
			for j := i; j > 0 && loopsLeft(forest, b, succs[j]) > loopsLeft(forest, b, succs[j-1]); j-- {
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

// coldLast moves rarely run blocks of loops in scalar code to the end of the function, if
// the common path would have to jump over them: an iteration without them then takes no
// jump, and one with them takes two instead of one.
func (l *layout) coldLast(f *machineFunc, forest *cfg.CycleForest) {
	l.cold = make([]bool, len(f.blocks))
	if !f.scalar {
		return
	}
	preds := f.graph().Preds
	var rare []int
	for i := 1; i+1 < len(l.order); i++ {
		b, after := l.order[i], l.order[i+1]
		if c := forest.InnermostCycle(b); c == nil || c.Parent == nil || len(preds[b]) != 1 || f.unlikelySucc(preds[b][0]) != b {
			continue
		}
		before := f.blocks[l.order[i-1]].term
		if l.order[i-1] != preds[b][0] && before.jumpsTo(after) && f.blocks[b].term.jumpsTo(after) {
			rare = append(rare, b)
			l.cold[b] = true
		}
	}
	l.order = slices.DeleteFunc(l.order, func(b int) bool { return l.cold[b] })
	l.order = append(l.order, rare...)
}

// loopsLeft returns the number of loops that the edge from b to s exits.
func loopsLeft(forest *cfg.CycleForest, b, s int) int {
	n := 0
	for c := forest.InnermostCycle(b); c != nil && !forest.Contains(c, s); c = c.Parent {
		n++
	}
	return n
}

// unlikelySucc predicts the rarely taken successor of a block from the form of its branch
// condition, or returns -1: numbers are rarely equal or
// negative (Ball & Larus, "Branch Prediction for Free", 1993, section 5).
func (f *machineFunc) unlikelySucc(b int) int {
	insts, t := f.blocks[b].insts, f.blocks[b].term
	if !t.cond || len(insts) == 0 {
		return -1
	}
	sign := insts[len(insts)-1].Op == asm.TEST
	switch t.on {
	case asm.CondE:
		return t.yes
	case asm.CondNE:
		return t.no
	case asm.CondL, asm.CondLE, asm.CondS:
		if sign {
			return t.yes
		}
	case asm.CondGE, asm.CondG, asm.CondNS:
		if sign {
			return t.no
		}
	}
	return -1
}
