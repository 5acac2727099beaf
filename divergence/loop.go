package divergence

import (
	"fmt"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// AnalyzeLoop is Analyze for lanes that are Width consecutive iterations of the loop with
// the given header instead of work-items, as needed for vectorizing the loop (compare the
// loop front end of Moll's divergence analysis for LLVM). A counter, which changes by a
// constant in every iteration, is strided; other parameters of the header vary; values
// computed outside of the loop are uniform, including IDs. Inside the loop, lanes diverge
// and reconverge like work-items; a lane ends where it exits the loop or returns to the
// header. All lanes share private memory. Dependences between iterations through memory
// are not examined.
//
// It returns an error if the header is not a loop header, or is that of a cycle with
// several entries.
//
// requires: as Analyze
func AnalyzeLoop(f *kernel.Func, header *kernel.Block, opt Options) (*Info, error) {
	a := newAnalysis(f, opt)
	c := a.loops.InnermostCycle(header.ID)
	switch {
	case c == nil || c.Header != header.ID:
		return nil, fmt.Errorf("divergence: kernel %s: %s is not a loop header", f.Name, kernel.Label(header))
	case !c.Reducible():
		return nil, fmt.Errorf("divergence: kernel %s: the cycle of %s has several entries", f.Name, kernel.Label(header))
	}
	a.lanes, a.sync.lanes = c, c
	a.run()
	return a.Info, nil
}

// outside reports whether a block lies outside of the loop whose iterations are lanes.
func (in *Info) outside(id int) bool { return in.lanes != nil && !in.loops.Contains(in.lanes, id) }

// starts reports whether a block is the header of the loop whose iterations are lanes.
func (in *Info) starts(id int) bool { return in.lanes != nil && in.lanes.Header == id }

// outsideLoop is the shape of a value computed once, outside of the loop whose
// iterations are lanes.
func (a *analysis) outsideLoop(v *kernel.Value, s Shape, b Bounds) (Shape, Bounds) {
	if s.Kind == Strided && s.Stride == 0 {
		return s, b
	}
	return Uniform(1), anything(v.Type)
}

// counter is the shape of a header parameter of the loop whose iterations are lanes.
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
	s := strided(wrapStride(p.Type, step), min(start.Align, constAlign(uint64(step)*uint64(a.opt.Width))))
	return s, all.refine(p.Type, s, a.opt.Width)
}

// withinIteration restricts an effect to one iteration of the loop whose iterations are
// lanes: lanes reconverge inside the loop, below its header.
func (e *effect) withinIteration(loops *cfg.CycleForest, lanes *cfg.Cycle) {
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
