package divergence

import (
	"container/heap"
	"slices"

	"github.com/simtc/simtc/cfg"
)

// effect is what a divergent branch does to control.
type effect struct {
	joins        []int        // blocks that lanes of the branch may reach by different edges
	temporal     []int        // blocks that they may reach in different rounds of an irreducible cycle
	asynchronous []int        // blocks of irreducible cycles in which they part
	rounds       []*cfg.Cycle // cycles that lanes now leave in different rounds and did not before
}

// syncDependence finds the effect of divergent branches by propagating labels:
// every successor of the branch starts one, a block reached by two is a join
// and starts its own.
type syncDependence struct {
	g     *cfg.Graph
	loops *cfg.CycleForest
	pos   []int

	// rounds tells, by cycle ID, whether lanes leave the cycle in different
	// rounds. What follows from that outside is the same for every branch.
	rounds []bool

	lanes *cfg.Cycle // the loop whose rounds are lanes; nil: lanes are work-items
}

func newSync(g *cfg.Graph, loops *cfg.CycleForest) *syncDependence {
	return &syncDependence{g, loops, cfg.Positions(forwardOrder(g, loops), g.Len()), make([]bool, len(loops.Cycles)), nil}
}

// forwardOrder is a reverse postorder of the graph without the edges that go
// back to the header of a cycle, which is acyclic.
func forwardOrder(g *cfg.Graph, loops *cfg.CycleForest) []int {
	forward := make([][]int, g.Len())
	for b := range forward {
		for _, s := range g.Succs[b] {
			if !loops.IsHeader(s) || !loops.Contains(loops.InnermostCycle(s), b) {
				forward[b] = append(forward[b], s)
			}
		}
	}
	return cfg.NewGraph(forward).ReversePostOrder()
}

// of computes the effect of lanes parting at the end of block d. It works
// outward: first within the innermost cycle of d, then, with the exits by which
// lanes left that, within the next one.
func (s *syncDependence) of(d int) effect {
	var out effect
	start := map[int]int{}
	for _, t := range s.g.Succs[d] {
		if _, ok := start[t]; ok {
			out.joins = append(out.joins, t)
		}
		start[t] = t
	}
	c := s.loops.InnermostCycle(d)
	if len(start) < 2 {
		return out
	}
	for {
		level := s.propagate(c, start, &out)
		if s.lanes != nil && c == s.lanes {
			out.rounds = slices.DeleteFunc(out.rounds, func(r *cfg.Cycle) bool { return r == c })
			out.withinRound(s.loops, c)
			return out
		}
		if c == nil || level == nil {
			return out
		}
		start = level
		c = c.Parent
	}
}

// propagate runs labels from start within cycle c (nil: the function). It
// returns the labels of the blocks outside c that lanes left to, or nil if
// they are together again or what follows is known.
func (s *syncDependence) propagate(c *cfg.Cycle, start map[int]int, out *effect) map[int]int {
	label := map[int]int{}
	exits := map[int]int{}
	distinct := map[int]bool{} // labels that left c or went back
	back := map[int]bool{}     // those that went back
	queue := &positions{pos: s.pos}
	header := -1
	if c != nil {
		header = c.Header
	}
	reach := func(t, l int) {
		switch {
		case t == header:
			back[l] = true
			distinct[l] = true
		case c != nil && !s.loops.Contains(c, t):
			distinct[l] = true
			if old, ok := exits[t]; ok && old != l {
				out.joins = append(out.joins, t)
				exits[t] = t
				return
			}
			exits[t] = l
		default:
			old, ok := label[t]
			if !ok {
				label[t] = l
				heap.Push(queue, t)
				return
			}
			if old != l {
				out.joins = append(out.joins, t)
				label[t] = t
				s.enterApart(t, c, out)
			}
		}
	}
	for _, t := range sortedKeys(start) {
		reach(t, start[t])
	}
	for queue.Len() > 0 {
		if queue.Len() == 1 && len(distinct) == 0 {
			if only := queue.blocks[0]; label[only] == only {
				return nil // all labels have met here
			}
		}
		b := heap.Pop(queue).(int)
		for _, t := range s.g.Succs[b] {
			if _, seen := label[t]; seen && s.pos[t] <= s.pos[b] && t != header {
				continue // round an inner cycle, with the label it had
			}
			reach(t, label[b])
		}
	}
	if c == nil {
		return nil
	}
	if len(back) > 1 {
		out.joins = append(out.joins, header)
	}
	irreducible := !c.Reducible()
	if irreducible {
		out.asynchronous = append(out.asynchronous, c.Blocks...)
	}
	if !irreducible && (len(distinct) < 2 || len(exits) == 0) {
		return nil
	}
	if len(back) == 0 && !irreducible {
		return exits // all leave in the same round
	}
	// Some leave and some go round: exits gather lanes of several rounds.
	if s.rounds[c.ID] {
		return nil
	}
	s.rounds[c.ID] = true
	out.rounds = append(out.rounds, c)
	all := map[int]int{}
	for _, e := range s.loops.Exits(c) {
		all[e.To] = e.To
	}
	return all
}

// enterApart marks the irreducible cycles inside c that lanes enter apart: t
// is a join in them.
func (s *syncDependence) enterApart(t int, c *cfg.Cycle, out *effect) {
	for inner := s.loops.InnermostCycle(t); inner != nil && inner != c; inner = inner.Parent {
		if !inner.Reducible() {
			out.asynchronous = append(out.asynchronous, inner.Blocks...)
			for _, e := range s.loops.Exits(inner) {
				out.temporal = append(out.temporal, e.To)
				out.joins = append(out.joins, e.To)
			}
		}
	}
}

func sortedKeys(m map[int]int) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// positions is a priority queue of blocks by position.
type positions struct {
	pos    []int
	blocks []int
}

func (q *positions) Len() int           { return len(q.blocks) }
func (q *positions) Less(i, j int) bool { return q.pos[q.blocks[i]] < q.pos[q.blocks[j]] }
func (q *positions) Swap(i, j int)      { q.blocks[i], q.blocks[j] = q.blocks[j], q.blocks[i] }
func (q *positions) Push(x any)         { q.blocks = append(q.blocks, x.(int)) }
func (q *positions) Pop() any {
	n := len(q.blocks) - 1
	x := q.blocks[n]
	q.blocks = q.blocks[:n]
	return x
}
