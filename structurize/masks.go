package structurize

import (
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/widen"
)

// guard says why the head of a block asks whether any lane is there.
type guard uint8

const (
	unguarded guard = iota
	// guardNeeded: without lanes the block, or one with its mask, would do what
	// no mask prevents: access memory as a scalar, or go round a uniform loop.
	guardNeeded
	// guardLoop: the live mask of a cycle loses its last lanes before this
	// block, which is where the cycle is left.
	guardLoop
	// guardBypass: what can be skipped is worth the question.
	guardBypass
)

var guardNames = [...]string{"", "guard", "loop test", "bypass"}

// masks says how every block finds the lanes that run it. All tables are
// indexed by block ID.
type masks struct {
	*flow
	// leader is the block whose mask the block shares, or the entry of the cycle
	// whose lanes it has; itself if none.
	leader []int
	guard  []guard
	some   []bool       // by who asks: a lane is there for certain
	need   []widen.Test // by who asks: for what a guard is needed
	rounds []int        // by cycle: how many, or argued, if that does not depend on lanes; else 0
	// firstIn is the block with the first edge to a block of its own mask if it
	// always says which lanes take the edge; else -1, and the mask starts empty.
	firstIn []int
	// copyEnd is the position behind the region that starts at a block and has
	// an unmasked copy, 0 where none does.
	copyEnd []int
}

func newMasks(f *flow, w *widen.Widener, opt Options) *masks {
	m := &masks{flow: f}
	m.leader = f.Leaders(f.maskedHeader, func(p, b int) bool { return !f.waited[b] && !f.parts[p] }, f.maskedHeader)
	m.findFirst()
	m.findRounds()
	m.findGuards(w, opt)
	return m
}

// own reports whether b does not share the mask of another block.
func (m *masks) own(b int) bool { return b != 0 && m.leader[b] == b }

// asks is the block whose head may ask whether any lane is there for b.
func (m *masks) asks(b int) int { return m.leader[b] % m.G.Len() }

// findFirst finds the blocks whose mask is set, not added to, by the first edge
// in order: its source runs, and says who takes the edge, whenever control comes
// to the block. The side of a uniform branch says nothing when the other one is
// taken.
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
		if m.parts[first] || len(m.G.Succs[first]) == 1 || len(m.G.Preds[b]) == 1 {
			m.firstIn[b] = first
		}
	}
}

// harm is what the blocks with a mask would do if it were empty.
type harm uint8

const (
	harmless   harm = iota
	misplaced       // they load from where only lanes are sure of; widen.EmitIdle loads from elsewhere
	pointless       // a loop goes through all of its rounds, however many the arguments tell
	disastrous      // they store, or loop without end
)

// findGuards decides which heads are tested.
func (m *masks) findGuards(w *widen.Widener, opt Options) {
	n := m.G.Len()
	m.guard, m.some = make([]guard, n), make([]bool, n)
	m.some[0] = true
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
		case p >= 0 && m.maskedHeader(b) && !m.parts[p] && !m.waited[b] && m.some[m.asks(p)]:
			m.some[b] = true
			continue
		case harms[b] > tolerated:
			m.guard[b] = guardNeeded
		case c != nil && m.masked[c.ID] && c.Header != b && m.leader[m.latch(c.Header)] == b && !m.parts[m.latch(c.Header)]:
			m.guard[b] = guardLoop
		case opt.Bypass == BypassAll || opt.Bypass == BypassAuto && m.worthSkipping(b, opt):
			m.guard[b] = guardBypass
		}
		m.some[b] = m.guard[b] != unguarded
	}
}

// findHarms finds, by who asks, the worst harm, and keeps in need what does it.
func (m *masks) findHarms(w *widen.Widener) []harm {
	harms := make([]harm, m.G.Len())
	for _, b := range m.Order {
		l := m.asks(b)
		does := func(h harm, t widen.Test) {
			if h > harms[l] {
				harms[l], m.need[l] = h, t
			}
		}
		if m.Loops.IsHeader(b) && !m.maskedHeader(b) {
			switch m.rounds[m.Loops.InnermostCycle(b).ID] {
			case 0:
				does(disastrous, widen.Test{Reason: widen.ForLoop, Loop: m.K.Blocks[b]})
			case argued:
				does(pointless, widen.Test{Reason: widen.ForRounds, Loop: m.K.Blocks[b]})
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

// test describes the question at the head of b, for the report.
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

// blockOf returns the block that control goes to, nil for the end.
func (m *masks) blockOf(b int) *kernel.Block {
	if b == end {
		return nil
	}
	return m.K.Blocks[b]
}

// worth is how many tests a region must cost to be skipped where no lane needs
// it, and worthRare the same for one that hardly any lane ever needs.
const (
	worth     = 5
	worthRare = 1
)

// trips is how often a loop is taken to go round that does not count its rounds.
const trips = 8

// worthSkipping weighs what is run between the head of b and where control goes
// if no lane is there.
func (m *masks) worthSkipping(b int, opt Options) bool {
	until := len(m.Order)
	if m.skip[b] != end {
		until = m.Pos[m.skip[b]]
	}
	tests := float64(worth)
	if m.Rare(b) {
		tests = worthRare
	}
	enough := tests * opt.Test
	return m.workUpTo(enough, m.Pos[b], until, opt.Weigh) >= enough
}
