package structurize

import (
	"math"

	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/widen"
)

// most is the share of the kernel's work that a region must have to be the one
// with unmasked code, longest how many operations it may have. The kernel as a whole
// may have longestWhole: where no lane is missing, rows of records are loaded one after
// the other and not gathered, as long kernels do that have no loops left.
const (
	most         = 0.6
	longest      = 2000
	longestWhole = 5000
)

// findCopies decides which regions have a second, unmasked copy, for when all
// lanes are there, and whether full strips have one: in kernels that begin with
// a look at the range's end, that asks less than is known behind the look. Behind
// a look at data it is seldom that all lanes are there, unless it is said that hardly
// any goes another way.
func (m *masks) findCopies(w *widen.Widener, opt Options) (fullStrips bool) {
	m.copyEnd = make([]int, m.G.Len())
	if opt.Ones == OnesNone || w.W == 1 {
		return false
	}
	all := m.work(0, len(m.Order), opt.Weigh)
	best := -1
	for p := 1; p < len(m.Order); p++ {
		b := m.Order[p]
		if !m.own(b) || m.maskedHeader(b) {
			continue
		}
		until := m.regionEnd(b)
		masked := m.work(p, until, opt.Masked)
		fits := m.size(p, until) <= longest && m.Loops.Depth(b) == 0
		place, rare := m.missing(b)
		switch {
		case opt.Ones == OnesAll, fits && place && rare && masked > 0: // a store to whole lines need not read them
			m.copyEnd[b] = until
			p = until - 1
		case fits && place && masked > opt.Test && m.work(p, until, opt.Weigh) >= most*all:
			best = b // the innermost one knows most
		}
	}
	if best >= 0 {
		m.copyEnd[best] = m.regionEnd(best)
		return false
	}
	return m.size(0, len(m.Order)) <= longestWhole
}

// missing reports whether it depends on the place of lanes in the range alone which of
// them come to b, and on no data: then all do but for the last ones. Those that go ways
// which are said to be rare do not count; rare tells whether there are such.
func (m *masks) missing(b int) (place, rare bool) {
	for d := m.Dom.IDom[b]; d >= 0; d = m.Dom.IDom[d] {
		away := func(e kernel.Edge) bool { return e.Rare && !m.Dom.Dominates(e.To.ID, b) }
		switch {
		case !m.Info.Divergent[d] || m.comparesPlaces(m.K.Blocks[d].Cond):
		case slices.ContainsFunc(m.K.Blocks[d].Edges, away):
			rare = true
		default:
			return false, rare
		}
	}
	return true, rare
}

// comparesPlaces reports whether the condition v compares numbers that go by the lane.
func (m *masks) comparesPlaces(v *kernel.Value) bool {
	if alu.InfoOf(v.Op).Class == alu.Compare {
		return !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !m.Info.Shape(a).IsStrided() })
	}
	return v.Op.Pure() && v.Type == alu.I1 && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !m.comparesPlaces(a) })
}

// regionEnd returns the position behind the blocks that follow b and that only
// lanes of b run, without those that go back to before it.
func (m *masks) regionEnd(b int) int {
	from, until := m.Pos[b], m.Pos[b]+1
	for until < len(m.Order) && m.Dom.Dominates(b, m.Order[until]) {
		until++
	}
	for p := from; p < until; p++ {
		for _, t := range m.G.Succs[m.Order[p]] {
			if m.Back(m.Order[p], t) && m.Pos[t] < from {
				until = p
			}
		}
	}
	// A loop is in it or not.
	for p := until; p < len(m.Order) && p > from; {
		c := m.Loops.InnermostCycle(m.Order[p])
		for c != nil && c.Parent != nil && m.Pos[c.Parent.Header] >= from {
			c = c.Parent
		}
		if c == nil || m.Pos[c.Header] < from || m.Pos[c.Header] == p {
			break
		}
		p = m.Pos[c.Header]
		until = p
	}
	return max(until, from+1)
}

// work adds up what weigh says of the operations between two positions, those
// in loops as often as the loops go round or are taken to; what begins with the
// header of a loop has all of its rounds.
func (m *masks) work(from, until int, weigh Weigh) float64 {
	return m.workUpTo(math.Inf(1), from, until, weigh)
}

// workUpTo is work as long as that is less than enough.
func (m *masks) workUpTo(enough float64, from, until int, weigh Weigh) float64 {
	total, depth := 0.0, m.Loops.Depth(m.Order[from])
	if m.Loops.IsHeader(m.Order[from]) {
		depth--
	}
	for _, b := range m.Order[from:until] {
		times := 1.0
		for c := m.Loops.InnermostCycle(b); c != nil && c.Depth > depth; c = c.Parent {
			if n := m.rounds[c.ID]; n > 0 {
				times *= float64(n)
			} else {
				times *= trips
			}
		}
		for _, v := range m.K.Blocks[b].Values {
			total += times * weigh(v)
		}
		if total >= enough {
			break
		}
	}
	return total
}

func (m *masks) size(from, until int) int {
	n := 0
	for _, b := range m.Order[from:until] {
		n += len(m.K.Blocks[b].Values)
	}
	return n
}
