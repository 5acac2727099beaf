package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/avx512/asm"
)

// loopOrder is a reverse postorder whose depth-first search takes the edges
// that leave the most loops first, and of others in scalar code those rarely
// taken, so that what they lead to comes last.
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
		// Few successors: insertion sort, stable and by exits, most first. What
		// is visited first ends up last; among equals, keep the given order.
		for i, j := 0, len(succs)-1; i < j; i, j = i+1, j-1 {
			succs[i], succs[j] = succs[j], succs[i]
		}
		if len(succs) == 2 && f.scalar && f.rareSide(b) == succs[1] {
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

// rareAside moves blocks in loops of scalar code that are rarely run, and that the way
// around them has to jump over, behind all others: then a round without them takes no jump.
// One with them takes two instead of one.
func (l *layout) rareAside(f *machineFunc, forest *cfg.CycleForest) {
	l.aside = make([]bool, len(f.blocks))
	if !f.scalar {
		return
	}
	preds := f.graph().Preds
	var rare []int
	for i := 1; i+1 < len(l.order); i++ {
		b, behind := l.order[i], l.order[i+1]
		if c := forest.InnermostCycle(b); c == nil || c.Parent == nil || len(preds[b]) != 1 || f.rareSide(preds[b][0]) != b {
			continue
		}
		around := f.blocks[l.order[i-1]].term
		if l.order[i-1] != preds[b][0] && around.jumpsTo(behind) && f.blocks[b].term.jumpsTo(behind) {
			rare = append(rare, b)
			l.aside[b] = true
		}
	}
	l.order = slices.DeleteFunc(l.order, func(b int) bool { return l.aside[b] })
	l.order = append(l.order, rare...)
}

// loopsLeft is how many loops the edge from b to s leaves.
func loopsLeft(forest *cfg.CycleForest, b, s int) int {
	n := 0
	for c := forest.InnermostCycle(b); c != nil && !forest.Contains(c, s); c = c.Parent {
		n++
	}
	return n
}

// rareSide is the successor of a block that its branch leads to rarely by the form of
// its condition, -1 if that tells nothing: numbers are mostly neither equal nor
// negative (Ball & Larus, "Branch Prediction for Free", 1993, section 5).
func (f *machineFunc) rareSide(b int) int {
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
