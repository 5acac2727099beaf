package divergence

import (
	"fmt"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// AnalyzeLoop is Analyze for lanes that are Width consecutive rounds of the
// loop with the given header, instead of work-items: what vectorizing that
// loop asks (the loop front end of Moll's divergence analysis for LLVM). A
// counter, which goes up by a constant in every round, is strided there, other
// parameters of the header vary, and what is computed outside of the loop is
// uniform, the ids included. Inside, lanes part and meet as work-items do; a
// lane ends where it leaves the loop or goes back to the header. All lanes
// share private memory. Whether rounds depend on each other through memory is
// not looked at.
//
// It returns an error if no loop has that header, or one of several entries.
//
// requires: as Analyze
func AnalyzeLoop(f *kernel.Func, header *kernel.Block, opt Options) (*Info, error) {
	a := newAnalysis(f, opt)
	c := a.loops.InnermostCycle(header.ID)
	switch {
	case c == nil || c.Header != header.ID:
		return nil, fmt.Errorf("divergence: kernel %s: %s heads no loop", f.Name, kernel.Label(header))
	case !c.Reducible():
		return nil, fmt.Errorf("divergence: kernel %s: the cycle of %s has several entries", f.Name, kernel.Label(header))
	}
	a.lanes, a.sync.lanes = c, c
	a.run()
	return a.Info, nil
}

// outside reports whether a block is not run by lanes.
func (in *Info) outside(id int) bool { return in.lanes != nil && !in.loops.Contains(in.lanes, id) }

// starts reports whether a block is where lanes start that are rounds.
func (in *Info) starts(id int) bool { return in.lanes != nil && in.lanes.Header == id }

// once is the shape of what is computed outside of the loop, by one lane as it
// were.
func (a *analysis) once(v *kernel.Value, s Shape, b Bounds) (Shape, Bounds) {
	if s.Kind == Strided && s.Stride == 0 {
		return s, b
	}
	return Uniform(1), anything(v.Type)
}

// counter is the shape of a parameter of the header of the loop whose rounds
// are lanes.
func (a *analysis) counter(p *kernel.Value) (Shape, Bounds) {
	all := anything(p.Type)
	start, step, known := Shape{}, int64(0), false
	for _, from := range a.Func.Blocks {
		for _, e := range from.Edges {
			if e.To != p.Block {
				continue
			}
			x := e.Args[p.Index]
			if a.outside(from.ID) {
				start = join(start, a.Shapes[x.ID])
				continue
			}
			s, ok := kernel.Step(p, x)
			if !ok || known && s != step {
				return varying, all
			}
			step, known = s, true
		}
	}
	if start.Kind == Bottom {
		return Shape{}, Bounds{}
	}
	if !known {
		return varying, all
	}
	s := Shape{Strided, wrapStride(p.Type, step), min(start.Align, constAlign(uint64(step)*uint64(a.opt.Width)))}
	return s, all.refine(p.Type, s, a.opt.Width)
}

// withinRound leaves of an effect what concerns lanes that are rounds: they meet
// inside the loop and below its header.
func (e *effect) withinRound(loops *cfg.CycleForest, lanes *cfg.Cycle) {
	keep := func(blocks []int) []int {
		var out []int
		for _, b := range blocks {
			if loops.Contains(lanes, b) && b != lanes.Header {
				out = append(out, b)
			}
		}
		return out
	}
	e.joins, e.temporal = keep(e.joins), keep(e.temporal)
}
