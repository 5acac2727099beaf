package fuzz

import (
	"math/rand"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/cfg/cfgtest"
)

// skeleton is the control flow of a kernel before it has values. Block 0 is
// an entry without predecessors and the last one returns.
//
// Every retreating edge of a depth-first walk costs a unit of one of several fuel counters,
// and is taken only while fuel remains. Every cycle has such an edge, so every work-item
// terminates.
type skeleton struct {
	g      *cfg.Graph
	pos    []int // by block: position in a reverse postorder
	fuels  int
	burns  []int // by block: the counter its retreating edge costs; -1: none
	guard  []int // by block: which of its edges that is
	checks []bool
}

// makeSkeleton turns an arbitrary graph into one that terminates. It keeps a graph reducible
// if the option is set.
func makeSkeleton(rng *rand.Rand, g *cfg.Graph, reducible bool) *skeleton {
	n := g.Len()
	pos := cfg.Positions(g.ReversePostOrder(), n)
	// Blocks are shifted by one for the entry; checks and the return follow.
	succs := [][]int{{1}}
	for b := range n {
		var ss []int
		for _, t := range g.Succs[b] {
			ss = append(ss, t+1)
		}
		succs = append(succs, ss)
	}
	s := &skeleton{fuels: 1 + rng.Intn(4)}
	s.burns, s.guard, s.checks = make([]int, n+1), make([]int, n+1), make([]bool, n+1)
	for i := range s.burns {
		s.burns[i] = -1
	}
	fuelOf := make([]int, n+1) // one counter per target, so that trip counts differ
	for i := range fuelOf {
		fuelOf[i] = rng.Intn(s.fuels)
	}
	const last = -2 // patched below
	onward := func(u int) int {
		// The return, or a later block, which may be inside a cycle.
		if reducible {
			return last
		}
		if k := pos[u] + 1 + rng.Intn(n); k < n && rng.Intn(3) > 0 {
			for b, p := range pos {
				if p == k {
					return b + 1
				}
			}
		}
		return last
	}
	for u := range n {
		back := 0
		for _, t := range g.Succs[u] {
			if pos[t] <= pos[u] {
				back++
			}
		}
		for i, t := range g.Succs[u] {
			if pos[t] > pos[u] {
				continue
			}
			if back == 1 && len(g.Succs[u]) == 2 && rng.Intn(4) > 0 {
				s.burns[u+1], s.guard[u+1] = fuelOf[t+1], i
				continue
			}
			c := len(succs)
			succs = append(succs, []int{t + 1, onward(u)})
			s.burns, s.guard, s.checks = append(s.burns, fuelOf[t+1]), append(s.guard, 0), append(s.checks, true)
			succs[u+1][i] = c
		}
	}
	end := len(succs)
	succs = append(succs, nil)
	s.burns, s.guard, s.checks = append(s.burns, -1), append(s.guard, 0), append(s.checks, false)
	used := false
	for _, ss := range succs {
		for i := range ss {
			if ss[i] == last {
				ss[i] = end
				used = true
			}
		}
	}
	if !used {
		succs = succs[:end] // unreachable
		s.burns, s.guard, s.checks = s.burns[:end], s.guard[:end], s.checks[:end]
	}
	s.g = cfg.NewGraph(succs)
	s.pos = cfg.Positions(s.g.ReversePostOrder(), s.g.Len())
	return s
}

// randomGraph makes a graph of up to size blocks, reducible if the option is set.
func randomGraph(rng *rand.Rand, size int, reducible bool) *cfg.Graph {
	// Small graphs find as many bugs as large ones, in less time.
	n := 3 + rng.Intn([]int{max(size/4, 1), max(size/2, 1), size}[rng.Intn(3)])
	if reducible {
		return cfgtest.Structured(rng, n)
	}
	switch rng.Intn(6) {
	case 0:
		return cfgtest.Structured(rng, n)
	case 1, 2:
		return cfgtest.Local(rng, n)
	case 3:
		return knots(rng, n)
	}
	return joined(rng, cfgtest.Random(rng, n))
}

// joined adds a successor to most blocks without one, so that work-items do not end early.
func joined(rng *rand.Rand, g *cfg.Graph) *cfg.Graph {
	succs := make([][]int, g.Len())
	for b, ss := range g.Succs {
		succs[b] = append(succs[b], ss...)
		if len(ss) == 0 && rng.Intn(10) < 7 {
			succs[b] = []int{rng.Intn(g.Len())}
		}
	}
	return cfg.NewGraph(succs)
}

// knots makes a sequence of irreducible cycles, some nested: each is a ring of blocks that
// the previous one enters at random blocks.
func knots(rng *rand.Rand, n int) *cfg.Graph {
	var succs [][]int
	add := func() int { succs = append(succs, nil); return len(succs) - 1 }
	edge := func(a, b int) {
		if len(succs[a]) < 3 {
			succs[a] = append(succs[a], b)
		}
	}
	at := add()
	for len(succs) < n {
		k := 2 + rng.Intn(4)
		ring := make([]int, k)
		for i := range ring {
			ring[i] = add()
		}
		for i, b := range ring {
			edge(b, ring[(i+1)%k])
		}
		for range 1 + rng.Intn(2) {
			edge(at, ring[rng.Intn(k)])
		}
		if rng.Intn(2) == 0 { // a chord, which may nest a cycle in the ring
			edge(ring[rng.Intn(k)], ring[rng.Intn(k)])
		}
		after := add()
		for range 1 + rng.Intn(2) {
			edge(ring[rng.Intn(k)], after)
		}
		if rng.Intn(3) == 0 { // all previous blocks become one cycle
			edge(after, rng.Intn(after))
		}
		if len(succs[at]) == 0 {
			edge(at, ring[0])
		}
		at = after
	}
	for b := range succs { // block 0 is the entry, not a target
		for i, t := range succs[b] {
			if t == 0 {
				succs[b][i] = min(1, len(succs)-1)
			}
		}
	}
	return reachable(succs)
}

// reachable drops unreachable blocks.
func reachable(succs [][]int) *cfg.Graph {
	seen := cfg.NewGraph(succs).Reachable()
	number := make([]int, len(succs))
	var kept [][]int
	for b, ok := range seen {
		if ok {
			number[b] = len(kept)
			kept = append(kept, succs[b])
		}
	}
	for _, ss := range kept {
		for i := range ss {
			ss[i] = number[ss[i]]
		}
	}
	return cfg.NewGraph(kept)
}
