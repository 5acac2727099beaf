package structurize

import (
	"math"

	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/widen"
)

const (
	minCopiedShare = 0.6 // of the kernel's work, for the region that gets an unmasked copy

	// Operations that an unmasked copy may have: of a region, and of the whole strip. The
	// limit of the strip is higher because unmasked records are loaded as rows instead of
	// gathered, which matters in long kernels whose loops are unrolled.
	maxCopiedRegion = 2000
	maxCopiedStrip  = 5000
)

// findCopies selects the regions that get a second, unmasked copy for a full mask, and
// reports whether full strips get one. In kernels that begin with a test of the range's
// end, a copy of the region after the test is preferred, as more is known there. Regions
// that depend on data seldom have a full mask, unless the other edge is marked as rare.
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
		fits := m.size(p, until) <= maxCopiedRegion && m.Loops.Depth(b) == 0
		byPlace, rare := m.controllingBranches(b)
		switch {
		case opt.Ones == OnesAll, fits && byPlace && rare && masked > 0: // a store to whole lines need not read them
			m.copyEnd[b] = until
			p = until - 1
		case fits && byPlace && masked > opt.Test && m.work(p, until, opt.Weigh) >= minCopiedShare*all:
			best = b // the innermost region has the most precise facts
		}
	}
	if best >= 0 {
		m.copyEnd[best] = m.regionEnd(best)
		return false
	}
	return m.size(0, len(m.Order)) <= maxCopiedStrip
}

// controllingBranches examines the divergent branches that dominate b. byPlace means that
// they compare only ids and uniform values, no data: all lanes reach b except near the
// end of the range. Branches whose edge away from b is marked as rare do not count; rare
// reports whether there are such.
func (m *masks) controllingBranches(b int) (byPlace, rare bool) {
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

// comparesPlaces reports whether the condition v compares strided values only.
func (m *masks) comparesPlaces(v *kernel.Value) bool {
	if alu.InfoOf(v.Op).Class == alu.Compare {
		return !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !m.Info.Shape(a).IsStrided() })
	}
	return v.Op.Pure() && v.Type == alu.I1 && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !m.comparesPlaces(a) })
}

// regionEnd returns the position after the blocks that follow b and that b dominates,
// without blocks that have a back edge to before b.
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
	// A loop lies inside the region or outside.
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

// work adds up the costs of the operations between two positions. Operations in loops are
// multiplied by the loops' trip counts, known or assumed. If the first block is a loop
// header, that loop counts with all its iterations.
func (m *masks) work(from, until int, weigh Weigh) float64 {
	return m.workUpTo(math.Inf(1), from, until, weigh)
}

// workUpTo is work, but stops once enough is reached.
func (m *masks) workUpTo(enough float64, from, until int, weigh Weigh) float64 {
	total, depth := 0.0, m.Loops.Depth(m.Order[from])
	if m.Loops.IsHeader(m.Order[from]) {
		depth--
	}
	for _, b := range m.Order[from:until] {
		times := 1.0
		for c := m.Loops.InnermostCycle(b); c != nil && c.Depth > depth; c = c.Parent {
			if n := m.tripCount[c.ID]; n > 0 {
				times *= float64(n)
			} else {
				times *= assumedTrips
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
