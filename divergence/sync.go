package divergence

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/cfg"
)

// effect lists the blocks and cycles that a divergent branch affects.
type effect struct {
	joins        []int        // blocks that lanes of the branch may reach through different edges
	temporal     []int        // blocks that they may reach in different iterations of an irreducible cycle
	asynchronous []int        // blocks of irreducible cycles in which they diverge
	cycles       []*cfg.Cycle // cycles that lanes newly exit in different iterations
}

// syncDependence computes the effect of divergent branches by propagating labels:
// every successor of the branch starts a label; a block reached by two labels is a join
// and starts a label of its own.
type syncDependence struct {
	g     *cfg.Graph
	loops *cfg.CycleForest
	pos   []int

	// exitsDiverge is indexed by cycle ID: lanes exit the cycle in different iterations.
	// The consequences outside of the cycle do not depend on the branch.
	exitsDiverge []bool

	lanes *cfg.Cycle // the loop whose iterations are lanes; nil: lanes are work-items

	// Work space of propagation, allocated once for the function, so that a branch costs
	// no more than the blocks below it.
	label   []int // by block ID, or -1; the blocks with a label are in reached
	reached []int
	queue   blockQueue
	entered []int // by cycle ID: the last effect in which lanes entered it divergently
	effects int
}

func newSync(g *cfg.Graph, loops *cfg.CycleForest) *syncDependence {
	order := forwardOrder(g, loops)
	s := &syncDependence{g: g, loops: loops, pos: cfg.Positions(order, g.Len()), exitsDiverge: make([]bool, len(loops.Cycles))}
	s.label = slices.Repeat([]int{-1}, g.Len())
	s.queue = newBlockQueue(order, s.pos)
	s.entered = make([]int, len(loops.Cycles))
	return s
}

// forwardOrder is a reverse postorder of the graph without its back edges, which is
// acyclic.
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

// of computes the effect of a divergent branch at the end of block d. It works outward:
// first within the innermost cycle of d, then from the exits that lanes took within the
// next cycle.
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
			out.cycles = slices.DeleteFunc(out.cycles, func(r *cfg.Cycle) bool { return r == c })
			out.withinIteration(s.loops, c)
			return out
		}
		if c == nil || level == nil {
			return out
		}
		start = level
		c = c.Parent
	}
}

// propagate runs labels from start within cycle c (nil: the function). It returns the
// labels of the exit targets outside c, or nil if the lanes have reconverged or the
// effect of their exits is already recorded.
func (s *syncDependence) propagate(c *cfg.Cycle, start map[int]int, out *effect) map[int]int {
	exits := map[int]int{}
	var distinct, back labelCount // labels that left c or took a back edge; those of back edges
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
				s.enterDivergently(t, c, out)
			}
		}
	}
	for _, t := range sortedKeys(start) {
		reach(t, start[t])
	}
	for queue.n > 0 {
		b := queue.pop()
		if queue.n == 0 && distinct.n == 0 && label[b] == b {
			return nil // all labels have joined here
		}
		for _, t := range s.g.Succs[b] {
			if label[t] >= 0 && s.pos[t] <= s.pos[b] && t != header {
				continue // a back edge of an inner cycle, whose header has this label
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
		return exits // all lanes exit in the same iteration
	}
	// Some lanes exit and others continue: exits collect lanes of several iterations.
	if s.exitsDiverge[c.ID] {
		return nil
	}
	s.exitsDiverge[c.ID] = true
	out.cycles = append(out.cycles, c)
	all := map[int]int{}
	for _, e := range s.loops.Exits(c) {
		all[e.To] = e.To
	}
	return all
}

// enterDivergently marks the irreducible cycles inside c that lanes enter through
// different edges, because t is a join in them.
func (s *syncDependence) enterDivergently(t int, c *cfg.Cycle, out *effect) {
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

// labelCount counts distinct labels up to two.
type labelCount struct{ n, first int }

func (f *labelCount) add(l int) {
	switch {
	case f.n == 0:
		f.n, f.first = 1, l
	case f.n == 1 && f.first != l:
		f.n = 2
	}
}

// blockQueue is a priority queue of blocks by position: a bit for each position. Labels
// run forward, so few words are scanned twice.
type blockQueue struct {
	order, pos []int
	words      []uint64
	low        int // words before it are zero
	n          int
}

func newBlockQueue(order, pos []int) blockQueue {
	return blockQueue{order: order, pos: pos, words: make([]uint64, len(order)/64+1)}
}

func (w *blockQueue) push(b int) {
	p := w.pos[b]
	if w.n == 0 || p/64 < w.low {
		w.low = p / 64
	}
	w.words[p/64] |= 1 << (p % 64)
	w.n++
}

func (w *blockQueue) pop() int {
	for w.words[w.low] == 0 {
		w.low++
	}
	x := w.words[w.low]
	w.words[w.low] = x & (x - 1)
	w.n--
	return w.order[w.low*64+bits.TrailingZeros64(x)]
}

func (w *blockQueue) clear() {
	for w.n > 0 {
		w.pop()
	}
}
