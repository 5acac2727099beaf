package divergence

import (
	"math/bits"
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

	// What propagation works with, as large as the function is: a branch costs no more
	// than what is below it.
	label   []int // by block, -1: none; those that are set are in reached
	reached []int
	queue   waiting
	entered []int // by cycle ID: the last effect in which lanes entered it apart
	effects int
}

func newSync(g *cfg.Graph, loops *cfg.CycleForest) *syncDependence {
	order := forwardOrder(g, loops)
	s := &syncDependence{g: g, loops: loops, pos: cfg.Positions(order, g.Len()), rounds: make([]bool, len(loops.Cycles))}
	s.label = slices.Repeat([]int{-1}, g.Len())
	s.queue = newWaiting(order, s.pos)
	s.entered = make([]int, len(loops.Cycles))
	return s
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
	s.effects++
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
	exits := map[int]int{}
	var distinct, back few // labels that left c or went back; those that went back
	label, queue := s.label, &s.queue
	defer func() {
		for _, b := range s.reached {
			label[b] = -1
		}
		s.reached = s.reached[:0]
		queue.clear()
	}()
	header := -1
	if c != nil {
		header = c.Header
	}
	reach := func(t, l int) {
		switch {
		case t == header:
			back.add(l)
			distinct.add(l)
		case c != nil && !s.loops.Contains(c, t):
			distinct.add(l)
			if old, ok := exits[t]; ok && old != l {
				out.joins = append(out.joins, t)
				exits[t] = t
				return
			}
			exits[t] = l
		default:
			old := label[t]
			if old < 0 {
				label[t] = l
				s.reached = append(s.reached, t)
				queue.push(t)
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
	for queue.n > 0 {
		b := queue.pop()
		if queue.n == 0 && distinct.n == 0 && label[b] == b {
			return nil // all labels have met here
		}
		for _, t := range s.g.Succs[b] {
			if label[t] >= 0 && s.pos[t] <= s.pos[b] && t != header {
				continue // round an inner cycle, with the label it had
			}
			reach(t, label[b])
		}
	}
	if c == nil {
		return nil
	}
	if back.n > 1 {
		out.joins = append(out.joins, header)
	}
	irreducible := !c.Reducible()
	if irreducible {
		out.asynchronous = append(out.asynchronous, c.Blocks...)
	}
	if !irreducible && (distinct.n < 2 || len(exits) == 0) {
		return nil
	}
	if back.n == 0 && !irreducible {
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
		if !inner.Reducible() && s.entered[inner.ID] != s.effects {
			s.entered[inner.ID] = s.effects
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

// few counts distinct labels as far as it matters: none, one, or more.
type few struct{ n, first int }

func (f *few) add(l int) {
	switch {
	case f.n == 0:
		f.n, f.first = 1, l
	case f.n == 1 && f.first != l:
		f.n = 2
	}
}

// waiting is a set of blocks of which the first in order is taken out: a bit for each
// position. Labels run forward, so that hardly any bit is looked at twice.
type waiting struct {
	order, pos []int
	words      []uint64
	low        int // no word before it has a bit
	n          int
}

func newWaiting(order, pos []int) waiting {
	return waiting{order: order, pos: pos, words: make([]uint64, len(order)/64+1)}
}

func (w *waiting) push(b int) {
	p := w.pos[b]
	if w.n == 0 || p/64 < w.low {
		w.low = p / 64
	}
	w.words[p/64] |= 1 << (p % 64)
	w.n++
}

func (w *waiting) pop() int {
	for w.words[w.low] == 0 {
		w.low++
	}
	x := w.words[w.low]
	w.words[w.low] = x & (x - 1)
	w.n--
	return w.order[w.low*64+bits.TrailingZeros64(x)]
}

func (w *waiting) clear() {
	for w.n > 0 {
		w.pop()
	}
}
