package loops

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/combine"
	"github.com/simtc/simtc/vir/opt/control"
	"github.com/simtc/simtc/vir/opt/edit"
)

// PhaseLoops gives each phase of a work-group its own loops over rows and strips: the phase is
// tested once before them instead of for every strip. Values that are invariant within a phase
// then leave the loops.
//
// The phase is a word of the group's state, which only the loop over phases writes. The outermost
// cycle that does not write it is copied for every combination of results of the tests.
//
// requires: no unreachable block, dense IDs
// maintains: what f computes; a reducible graph stays so
func PhaseLoops(f *vir.Func, stats edit.Stats) {
	if !f.Phases {
		return
	}
	p := findPhases(f)
	if p == nil {
		return
	}
	p.split(stats)
	vir.RemoveUnreachable(f)
	f.Renumber()
	for _, pass := range []func(*vir.Func, edit.Stats){edit.Params, combine.Redundancy, edit.Dead, control.Control, Hoist, edit.Dead, control.Control} {
		pass(f, stats)
	}
}

// phases describes the cycle in which the phase is invariant.
type phases struct {
	f      *vir.Func
	cycle  *cfg.Cycle
	inside func(*vir.Block) bool
	loads  map[*vir.Value]bool // loads of the phase
	starts []uint64            // ascending: phases from one of these up to the next give the same results
}

// findPhases returns nil if the phase is used other than by branches that compare it with
// constants, or if a value of the cycle is used after it.
func findPhases(f *vir.Func) *phases {
	cycles := cfg.Cycles(f.Graph())
	p := &phases{f: f, loads: map[*vir.Value]bool{}, starts: []uint64{0}}
	ofPhase := func(v *vir.Value) bool {
		return v.Args[0].Op == vir.Context && v.Disp == vir.CtxState && v.Accessed() == vir.Scalar(alu.I32)
	}
	sets := make([]bool, len(cycles.Cycles))
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == vir.Store && ofPhase(v) {
				for c := cycles.InnermostCycle(b.ID); c != nil; c = c.Parent {
					sets[c.ID] = true
				}
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != vir.Load || !ofPhase(v) {
				continue
			}
			var around *cfg.Cycle
			for c := cycles.InnermostCycle(b.ID); c != nil && !sets[c.ID]; c = c.Parent {
				around = c
			}
			if around == nil || v.Volatile || p.cycle != nil && p.cycle != around {
				return nil
			}
			p.cycle, p.loads[v] = around, true
		}
	}
	if p.cycle == nil || !p.cycle.Reducible() {
		return nil
	}
	p.inside = func(b *vir.Block) bool { return cycles.Contains(p.cycle, b.ID) }
	if !p.collectTests() {
		return nil
	}
	return p
}

// collectTests collects the phases at which a result changes, and reports whether all uses are
// supported.
func (p *phases) collectTests() bool {
	ok := true
	use := func(b *vir.Block, vs []*vir.Value, by *vir.Value) {
		for _, v := range vs {
			if v.Op == vir.Const {
				continue
			}
			ok = ok && (p.inside(b) || !p.inside(v.Block))
			if p.loads[v] && (by == nil || !p.compares(by)) {
				ok = false
			}
		}
	}
	for _, b := range p.f.Blocks {
		for _, v := range b.Values {
			use(b, v.Args, v)
		}
		if b.Cond != nil {
			use(b, []*vir.Value{b.Cond}, nil)
		}
		for _, e := range b.Edges {
			use(b, e.Args, nil)
		}
	}
	slices.Sort(p.starts)
	p.starts = slices.Compact(p.starts)
	return ok
}

// compares collects the phases at which the result of v changes, if v compares the phase with a
// constant.
func (p *phases) compares(v *vir.Value) bool {
	if alu.InfoOf(v.Op).Class != alu.Compare {
		return false
	}
	c, first := v.Args[1], true
	if p.loads[c] {
		c, first = v.Args[0], false
	}
	if c.Op != vir.Const {
		return false
	}
	at := c.Const
	switch {
	case v.Op == alu.Eq, v.Op == alu.Ne:
		p.starts = append(p.starts, at)
		at++
	case v.Op == alu.Ult && !first, v.Op == alu.Ule && first:
		at++
	case v.Op != alu.Ult && v.Op != alu.Ule:
		return false
	}
	if at < 1<<32 {
		p.starts = append(p.starts, at)
	}
	return true
}

// taken returns the edge of b that phase n takes, -1 if b does not test the phase.
func (p *phases) taken(b *vir.Block, n uint64) int {
	if b.Kind != vir.Branch || b.Cond.Op == vir.Const || len(b.Cond.Args) != 2 || !p.loads[b.Cond.Args[0]] && !p.loads[b.Cond.Args[1]] {
		return -1
	}
	x := [2]uint64{n, n}
	for i, a := range b.Cond.Args {
		if a.Op == vir.Const {
			x[i] = a.Const
		}
	}
	is := false
	switch b.Cond.Op {
	case alu.Eq:
		is = x[0] == x[1]
	case alu.Ne:
		is = x[0] != x[1]
	case alu.Ult:
		is = x[0] < x[1]
	case alu.Ule:
		is = x[0] <= x[1]
	}
	if is {
		return 0
	}
	return 1
}

// next returns the edge that phase n takes from b, past blocks that only test the phase; nil if b
// does not test it.
func (p *phases) next(b *vir.Block, n uint64) *vir.Edge {
	var e *vir.Edge
	for i := p.taken(b, n); i >= 0; i = p.taken(b, n) {
		if e != nil && (len(b.Params) > 0 || slices.ContainsFunc(b.Values, func(v *vir.Value) bool { return v != b.Cond })) {
			break
		}
		e = &b.Edges[i]
		b = e.To
	}
	return e
}

// reached lists the blocks of the cycle that phase n executes.
func (p *phases) reached(n uint64) []int {
	header := p.f.Blocks[p.cycle.Header]
	seen := map[*vir.Block]bool{header: true}
	work := []*vir.Block{header}
	var out []int
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		out = append(out, b.ID)
		edges := b.Edges
		if e := p.next(b, n); e != nil {
			edges = []vir.Edge{*e}
		}
		for _, e := range edges {
			if p.inside(e.To) && !seen[e.To] {
				seen[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	slices.Sort(out)
	return out
}

// split copies the cycle for each set of results, and selects the copy before it.
func (p *phases) split(stats edit.Stats) {
	f := p.f
	header, known := f.Blocks[p.cycle.Header], len(f.Blocks)
	outside := f.Blocks[:known:known]
	var copied []*vir.Block // headers, by index in starts
	var made [][]int        // blocks, with the successors that phases select
	for _, n := range p.starts {
		blocks := p.reached(n)
		same := slices.Clone(blocks)
		for _, id := range blocks {
			if e := p.next(outside[id], n); e != nil {
				same = append(same, e.To.ID)
			}
		}
		i := slices.IndexFunc(made, func(x []int) bool { return slices.Equal(x, same) })
		made = append(made, same)
		if i >= 0 {
			copied = append(copied, copied[i]) // the same code as for another phase
			continue
		}
		c := edit.CopyBlocks(f, blocks, nil)
		for _, id := range blocks {
			b := outside[id]
			if e := p.next(b, n); e != nil {
				to := e.To
				if p.inside(to) {
					to = c.Blocks[to]
				}
				c.Blocks[b].Jump(to, c.Of(e.Args)...)
			}
		}
		copied = append(copied, c.Blocks[header])
		stats.Add("loops specialized by phase", 1)
	}
	dispatch := f.NewBlock("phase")
	dispatch.Pos = header.Pos
	var args []*vir.Value
	for _, v := range header.Params {
		args = append(args, dispatch.NewParam(v.Type, v.Name))
	}
	for _, b := range outside {
		for i := range b.Edges {
			if e := &b.Edges[i]; e.To == header && !p.inside(b) {
				e.To = dispatch
			}
		}
	}
	phase := dispatch.Append(vir.Load, vir.Scalar(alu.I32), p.context(dispatch))
	phase.Disp, phase.Align, phase.Name = vir.CtxState, 4, "phase"
	p.choose(dispatch, phase, copied, args, 0, len(copied))
}

// context returns the address of the launch context.
func (p *phases) context(b *vir.Block) *vir.Value {
	for v := range p.loads {
		if p.f.Blocks[0] == v.Args[0].Block {
			return v.Args[0]
		}
	}
	return b.Append(vir.Context, vir.Scalar(alu.I64))
}

// choose ends b with a binary search for the copy of the phase, from index lo to hi-1.
func (p *phases) choose(b *vir.Block, phase *vir.Value, copied []*vir.Block, args []*vir.Value, lo, hi int) {
	for hi-lo > 1 && copied[hi-1] == copied[hi-2] {
		hi--
	}
	if hi-lo == 1 {
		b.Jump(copied[lo], args...)
		return
	}
	mid := (lo + hi) / 2
	below, above := p.f.NewBlock("case"), p.f.NewBlock("case")
	b.Branch(b.Append(alu.Ult, vir.Scalar(alu.I1), phase, p.f.Const(phase.Type, p.starts[mid])), vir.Edge{To: below}, vir.Edge{To: above})
	p.choose(below, phase, copied, args, lo, mid)
	p.choose(above, phase, copied, args, mid, hi)
}
