package structurize

import "github.com/simtc/simtc/widen"

// most is the share of the kernel's work that a region must have to be the one
// with unmasked code, longest how many operations it may have.
const (
	most    = 0.6
	longest = 2000
)

// findCopies decides which regions have a second, unmasked copy, for when all
// lanes are there, and whether full strips have one: in kernels that begin with
// a look at the range's end, that asks less than is known behind the look.
func (m *masks) findCopies(w *widen.Widener, opt Options) (fullStrips bool) {
	m.copyEnd = make([]int, m.g.Len())
	if opt.Ones == OnesNone || w.W == 1 {
		return false
	}
	all := m.work(0, len(m.order), opt.Weigh)
	best := -1
	for p := 1; p < len(m.order); p++ {
		b := m.order[p]
		if !m.own(b) || m.maskedHeader(b) {
			continue
		}
		until := m.regionEnd(b)
		if opt.Ones == OnesAll {
			m.copyEnd[b] = until
			p = until - 1
			continue
		}
		inLoop := m.loops.Depth(b) > 0
		if m.work(p, until, opt.Weigh) >= most*all && m.work(p, until, opt.Masked) > opt.Test && m.size(p, until) <= longest && !inLoop {
			best = b // the innermost one knows most
		}
	}
	if best >= 0 {
		m.copyEnd[best] = m.regionEnd(best)
		return false
	}
	return m.size(0, len(m.order)) <= longest
}

// regionEnd returns the position behind the blocks that follow b and that only
// lanes of b run, without those that go back to before it.
func (m *masks) regionEnd(b int) int {
	from, until := m.pos[b], m.pos[b]+1
	for until < len(m.order) && m.dom.Dominates(b, m.order[until]) {
		until++
	}
	for p := from; p < until; p++ {
		for _, t := range m.g.Succs[m.order[p]] {
			if m.back(m.order[p], t) && m.pos[t] < from {
				until = p
			}
		}
	}
	// A loop is in it or not.
	for p := until; p < len(m.order) && p > from; {
		c := m.loops.InnermostCycle(m.order[p])
		for c != nil && c.Parent != nil && m.pos[c.Parent.Header] >= from {
			c = c.Parent
		}
		if c == nil || m.pos[c.Header] < from || m.pos[c.Header] == p {
			break
		}
		p = m.pos[c.Header]
		until = p
	}
	return max(until, from+1)
}

// work adds up what weigh says of the operations between two positions, those
// in loops as often as the loops are taken to go round.
func (m *masks) work(from, until int, weigh Weigh) float64 {
	total, depth := 0.0, m.loops.Depth(m.order[from])
	for _, b := range m.order[from:until] {
		times := 1.0
		for range m.loops.Depth(b) - depth {
			times *= trips
		}
		for _, v := range m.k.Blocks[b].Values {
			total += times * weigh(v)
		}
	}
	return total
}

func (m *masks) size(from, until int) int {
	n := 0
	for _, b := range m.order[from:until] {
		n += len(m.k.Blocks[b].Values)
	}
	return n
}
