package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// phaseTrips is the number of iterations of a loop around a barrier.
const phaseTrips = defaultTrips

// requestedPhase is the position in the context of two words: the minimum and the maximum of the
// phases that work-items request at a barrier. The phase that runs is at CtxState.
const requestedPhase = vir.CtxState + 8

// phase is a part of a kernel between barriers.
type phase struct {
	number uint64
	runs   float64 // for each group
	blocks []bool  // those that it may run
	stays  []bool  // the blocks from which it may continue the innermost loop around its barriers; nil: there is none
}

// findPhases finds the phases of a work-group, and how often each runs: loops around barriers are
// cycles of requests.
func (w *flow) findPhases() {
	start := slices.IndexFunc(w.f.Blocks, func(b *vir.Block) bool { return slices.ContainsFunc(b.Values, isPhase) })
	if !w.f.Phases || w.strip == nil || start < 0 {
		return
	}
	w.phases = []phase{{blocks: w.blocksOf(start, 0)}}
	var next [][]int // by phase, indices of those that it requests
	for i := 0; i < len(w.phases); i++ {
		next = append(next, nil)
		for _, b := range w.f.Blocks {
			if !w.phases[i].blocks[b.ID] {
				continue
			}
			for _, v := range b.Values {
				n, ok := requests(v)
				if !ok {
					continue
				}
				k := slices.IndexFunc(w.phases, func(p phase) bool { return p.number == n })
				if k < 0 {
					k = len(w.phases)
					w.phases = append(w.phases, phase{number: n, blocks: w.blocksOf(start, n)})
				}
				next[i] = append(next[i], k)
			}
		}
	}
	cycles := cfg.Cycles(cfg.NewGraph(next))
	for i := range w.phases {
		w.phases[i].runs = 1
		if c := cycles.InnermostCycle(i); c != nil {
			w.phases[i].runs = math.Pow(phaseTrips, float64(c.Depth))
			w.phases[i].stays = w.staying(w.phases[i], func(number uint64) bool {
				return cycles.Contains(c, slices.IndexFunc(w.phases, func(p phase) bool { return p.number == number }))
			})
		}
	}
}

// staying returns the blocks of p from which a request of one of some phases is reachable.
func (w *flow) staying(p phase, within func(number uint64) bool) []bool {
	out := make([]bool, len(w.f.Blocks))
	for i := len(w.order) - 1; i >= 0; i-- { // successors first, except in loops
		b := w.f.Blocks[w.order[i]]
		if !p.blocks[b.ID] {
			continue
		}
		out[b.ID] = slices.ContainsFunc(b.Edges, func(e vir.Edge) bool { return out[e.To.ID] }) || slices.ContainsFunc(b.Values, func(v *vir.Value) bool {
			n, ok := requests(v)
			return ok && within(n)
		})
	}
	return out
}

// isPhase reports whether v is the phase that runs.
func isPhase(v *vir.Value) bool {
	return v.Op == vir.Load && v.Args[0].Op == vir.Context && v.Disp == vir.CtxState && v.Type == vir.Scalar(alu.I32)
}

// requests returns the phase that v requests, if any.
func requests(v *vir.Value) (number uint64, ok bool) {
	if !vir.InfoOf(v.Op).Memory || len(v.Args) < 2 || v.Args[0].Op != vir.Context || v.Disp < requestedPhase || v.Disp > requestedPhase+4 {
		return 0, false
	}
	x := v.Args[1]
	return x.Const & math.MaxUint32, x.Op == vir.Const
}

// blocksOf returns the blocks of the strip loop that a phase runs, which is tested from block
// start on.
func (w *flow) blocksOf(start int, number uint64) []bool {
	visited := make([]bool, len(w.f.Blocks))
	visited[start] = true
	for work := []int{start}; len(work) > 0; {
		b := w.f.Blocks[work[len(work)-1]]
		work = work[:len(work)-1]
		edges := b.Edges
		if b.Kind == vir.Branch {
			if x, ok := valueIn(b.Cond, number); ok {
				edges = edges[1-x&1 : 2-x&1]
			}
		}
		for _, e := range edges {
			if to := e.To.ID; !visited[to] && (to != w.strip.Header || start == to) && w.loops.Contains(w.strip, to) {
				visited[to] = true
				work = append(work, to)
			}
		}
	}
	return visited
}

// valueIn returns the value of v in a phase, if it only depends on that.
func valueIn(v *vir.Value, number uint64) (x uint64, ok bool) {
	switch {
	case v.Op == vir.Const:
		return v.Const, true
	case isPhase(v):
		return number, true
	case !v.Op.Pure() || !v.Type.IsScalar() || len(v.Args) == 0:
		return 0, false
	}
	var args [3]uint64
	for i, a := range v.Args {
		if args[i], ok = valueIn(a, number); !ok {
			return 0, false
		}
	}
	return alu.Eval(v.Op, v.Type.Elem, v.Args[len(v.Args)-1].Type.Elem, args[0], args[1], args[2]), true
}

// phaseRuns returns the number of runs of all phases for a work-group.
func (w *flow) phaseRuns() float64 {
	if len(w.phases) == 0 {
		return 1
	}
	all := 0.0
	for _, p := range w.phases {
		all += p.runs
	}
	return all
}

// barrierLoopProbability is the probability that b's branch takes its first edge, if it decides
// whether a loop around a barrier continues.
func (w *flow) barrierLoopProbability(b *vir.Block) (p float64, ok bool) {
	all := 0.0
	for _, q := range w.phases {
		if !q.blocks[b.ID] {
			continue
		}
		if q.stays == nil || q.stays[b.Edges[0].To.ID] == q.stays[b.Edges[1].To.ID] {
			return 0, false
		}
		all += q.runs
		if stay := 1 - 1/phaseTrips; q.stays[b.Edges[0].To.ID] {
			p += q.runs * stay
		} else {
			p += q.runs * (1 - stay)
		}
	}
	return p / all, all > 0
}

// phaseProbability is the probability that b's branch takes its first edge, if only the phase
// decides that.
func (w *flow) phaseProbability(b *vir.Block) (p float64, ok bool) {
	all := 0.0
	for _, q := range w.phases {
		if !q.blocks[b.ID] {
			continue
		}
		x, ok := valueIn(b.Cond, q.number)
		if !ok {
			return 0, false
		}
		all += q.runs
		p += q.runs * float64(x&1)
	}
	return p / all, all > 0
}
