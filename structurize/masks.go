package structurize

import (
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/widen"
)

// guard is the reason why the head of a block tests for an empty mask.
type guard uint8

const (
	unguarded guard = iota
	// guardNeeded: with an empty mask the block, or another one with the same mask,
	// would have an effect that no mask prevents: a scalar memory access, or iterations
	// of a uniform loop.
	guardNeeded
	// guardLoop: the block is the latch of a masked cycle, and the live mask may become
	// empty before it.
	guardLoop
	// guardBypass: the region that can be skipped is worth a test.
	guardBypass
)

var guardNames = [...]string{"", "guard", "loop test", "bypass"}

// masks describes how every block gets its mask. Tables are indexed by block ID.
type masks struct {
	*flow
	// leader is the block whose mask the block shares, or the entry of the cycle whose
	// lanes it has; the block itself if it has its own mask.
	leader    []int
	guard     []guard
	nonempty  []bool       // by tester: the mask is never empty
	need      []widen.Test // by tester: the reason for a needed guard
	tripCount []int        // by cycle ID: a constant, byArguments, or 0 if it may depend on lanes
	// firstIn is the source of the first edge to a block with its own mask if that
	// source always sets the mask; else -1, and the mask starts empty.
	firstIn []int
	// copyEnd is the position after the region that starts at a block and has an
	// unmasked copy, or 0.
	copyEnd []int
}

func newMasks(f *flow, w *widen.Widener, opt Options) *masks {
	m := &masks{flow: f}
	m.leader = f.Leaders(f.maskedHeader, func(p, b int) bool { return !f.waited[b] && !f.diverges[p] }, f.maskedHeader)
	m.findFirst()
	m.findTripCounts()
	m.findGuards(w, opt)
	return m
}

// own reports whether b has its own mask instead of sharing another block's.
func (m *masks) own(b int) bool { return b != 0 && m.leader[b] == b }

// tester returns the block whose head may test the mask of b.
func (m *masks) tester(b int) int { return m.leader[b] % m.G.Len() }

// findFirst finds the blocks whose mask is set, not added to, by the first edge in order:
// its source runs and computes the edge mask whenever control reaches the block. One side
// of a uniform branch does not compute its edge mask when the other side is taken.
func (m *masks) findFirst() {
	m.firstIn = make([]int, m.G.Len())
	for b := range m.firstIn {
		m.firstIn[b] = -1
		first := -1
		for _, p := range m.G.Preds[b] {
			if !m.Back(p, b) && (first < 0 || m.Pos[p] < m.Pos[first]) {
				first = p
			}
		}
		if first < 0 || m.Leaves(first, b) || !m.Dom.Dominates(first, b) {
			continue
		}
		if m.diverges[first] || len(m.G.Succs[first]) == 1 || len(m.G.Preds[b]) == 1 {
			m.firstIn[b] = first
		}
	}
}

// harm is the effect that blocks would have if their mask were empty.
type harm uint8

const (
	harmless   harm = iota
	misplaced       // loads from an address that may be invalid; widen.EmitIdle loads from another
	pointless       // iterates a loop whose trip count the arguments determine
	disastrous      // stores, or may loop forever
)

// findGuards decides which heads test for an empty mask.
func (m *masks) findGuards(w *widen.Widener, opt Options) {
	n := m.G.Len()
	m.guard, m.nonempty = make([]guard, n), make([]bool, n)
	m.nonempty[0] = true
	if w.W == 1 {
		return
	}
	m.need = make([]widen.Test, n)
	harms := m.findHarms(w)
	tolerated := harmless
	if opt.Bypass == BypassNone {
		tolerated = pointless
	}
	for _, b := range m.Order {
		if !m.own(b) {
			continue
		}
		c := m.Loops.InnermostCycle(b)
		p := m.firstIn[b]
		switch {
		case p >= 0 && m.maskedHeader(b) && !m.diverges[p] && !m.waited[b] && m.nonempty[m.tester(p)]:
			m.nonempty[b] = true
			continue
		case harms[b] > tolerated:
			m.guard[b] = guardNeeded
		case c != nil && m.masked[c.ID] && c.Header != b && m.leader[m.latch(c.Header)] == b && !m.diverges[m.latch(c.Header)]:
			m.guard[b] = guardLoop
		case opt.Bypass == BypassAll || opt.Bypass == BypassAuto && m.worthSkipping(b, opt):
			m.guard[b] = guardBypass
		}
		m.nonempty[b] = m.guard[b] != unguarded
	}
}

// findHarms returns the worst harm by tester, and records its cause in need.
func (m *masks) findHarms(w *widen.Widener) []harm {
	harms := make([]harm, m.G.Len())
	for _, b := range m.Order {
		l := m.tester(b)
		does := func(h harm, t widen.Test) {
			if h > harms[l] {
				harms[l], m.need[l] = h, t
			}
		}
		if m.Loops.IsHeader(b) && !m.maskedHeader(b) {
			switch m.tripCount[m.Loops.InnermostCycle(b).ID] {
			case 0:
				does(disastrous, widen.Test{Reason: widen.ForLoop, Loop: m.K.Blocks[b]})
			case byArguments:
				does(pointless, widen.Test{Reason: widen.ForTripCount, Loop: m.K.Blocks[b]})
			}
		}
		for _, v := range m.K.Blocks[b].Values {
			switch {
			case !w.Unmasked(v):
			case w.Elsewhere(v):
				does(misplaced, widen.Test{Reason: widen.ForAccess, Access: v})
			default:
				does(disastrous, widen.Test{Reason: widen.ForAccess, Access: v})
			}
		}
	}
	return harms
}

// test describes the test in the head of b, for the report.
func (m *masks) test(b int) widen.Test {
	t := m.need[b]
	switch m.guard[b] {
	case guardLoop:
		t = widen.Test{Reason: widen.ForLeave}
	case guardBypass:
		t = widen.Test{Reason: widen.ForWorth}
	}
	t.Block, t.Else = m.K.Blocks[b], m.blockOf(m.skip[b])
	return t
}

// blockOf returns the block with an ID, nil for the end.
func (m *masks) blockOf(b int) *kernel.Block {
	if b == end {
		return nil
	}
	return m.K.Blocks[b]
}

// Costs, in tests, from which a region gets a bypass; minSkippedRare is for regions that
// are marked as rare.
const (
	minSkipped     = 5
	minSkippedRare = 1
)

// assumedTrips is the trip count of loops whose trip count is unknown.
const assumedTrips = 8

// worthSkipping compares the cost of the region that a bypass at b would skip with that of
// the test.
func (m *masks) worthSkipping(b int, opt Options) bool {
	until := len(m.Order)
	if m.skip[b] != end {
		until = m.Pos[m.skip[b]]
	}
	tests := float64(minSkipped)
	if m.Rare(b) {
		tests = minSkippedRare
	}
	enough := tests * opt.Test
	return m.workUpTo(enough, m.Pos[b], until, opt.Weigh) >= enough
}
