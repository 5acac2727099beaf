package interp

import (
	"cmp"
	"context"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/joinpoints"
	"github.com/simtc/simtc/kernel"
)

// A sub-group's work-items run one after the other up to an operation at which
// they exchange something. Those that come to it together would do so if they
// all walked along one line of blocks, on which nobody is passed by and that
// goes back at the end of a cycle while somebody has to (package joinpoints).
// When a work-item comes where on that walk follows from its own path: from the
// rounds of the cycles around it and the place of the block.

// DefaultSubGroup is how many work-items a sub-group has where nobody says.
const DefaultSubGroup = 16

// line places the blocks of a kernel on the line.
type line struct {
	pos    []int
	cycles [][]int // by block ID: the cycles around it, outermost first
}

func newLine(f *kernel.Func) *line {
	g := f.Graph()
	forest := cfg.Cycles(g)
	l := &line{pos: cfg.Positions(joinpoints.Order(g, forest), g.Len()), cycles: make([][]int, g.Len())}
	for b := range l.cycles {
		for c := forest.InnermostCycle(b); c != nil; c = c.Parent {
			l.cycles[b] = append(l.cycles[b], c.ID)
		}
		slices.Reverse(l.cycles[b])
	}
	return l
}

// common returns how many cycles are around both blocks.
func (l *line) common(a, b int) int {
	n := 0
	for x, y := l.cycles[a], l.cycles[b]; n < len(x) && n < len(y) && x[n] == y[n]; n++ {
	}
	return n
}

// advance counts the rounds of a work-item that goes from one block to another.
func (l *line) advance(it *item, from, to int) {
	n := l.common(from, to)
	it.rounds = it.rounds[:n]
	if l.pos[to] <= l.pos[from] && n > 0 {
		it.rounds[n-1]++
	}
	for range len(l.cycles[to]) - n {
		it.rounds = append(it.rounds, 0)
	}
}

// compare tells which of two waiting work-items the walk comes to first.
func (l *line) compare(a, b *item) int {
	n := l.common(a.block.ID, b.block.ID)
	if x := slices.Compare(a.rounds[:n], b.rounds[:n]); x != 0 {
		return x
	}
	if x := cmp.Compare(l.pos[a.block.ID], l.pos[b.block.ID]); x != 0 {
		return x
	}
	return cmp.Compare(a.at, b.at)
}

// subGroup lets the work-items of one sub-group go on until each has ended or
// waits at a barrier.
func (m *machine) subGroup(ctx context.Context, items []*item) error {
	run := func(it *item) (err error) {
		it.waits, err = m.turn(ctx, it)
		return err
	}
	for _, it := range items {
		it.waits = nil
		if it.ended {
			continue
		}
		if err := run(it); err != nil {
			return err
		}
	}
	active := make([]*item, 0, len(items))
	for {
		active = active[:0]
		for _, it := range items {
			if it.waits == nil || !kernel.Convergent(it.waits.Op) {
				continue
			}
			c := -1
			if len(active) > 0 {
				c = m.line.compare(it, active[0])
			} else {
				active = append(active, it)
				continue
			}
			if c < 0 {
				active = active[:0]
			}
			if c <= 0 {
				active = append(active, it)
			}
		}
		if len(active) == 0 {
			return nil
		}
		m.exchange(active)
		for _, it := range active {
			if err := run(it); err != nil {
				return err
			}
		}
	}
}

// exchange executes the operation at which the work-items wait.
func (m *machine) exchange(active []*item) {
	v := active[0].waits
	w := m.l.SubGroup
	lane := func(it *item) uint64 { return it.id[0] % m.l.Local[0] % w }
	values := make([]uint64, w)
	var ballot uint64
	for _, it := range active {
		if len(v.Args) == 0 {
			continue
		}
		x := it.regs[m.slot[v.Args[0].ID]]
		values[lane(it)] = x
		ballot |= x & 1 << lane(it)
	}
	for _, it := range active {
		x := ballot
		switch v.Op {
		case kernel.Shuffle:
			x = 0
			if from := it.regs[m.slot[v.Args[1].ID]]; from < w {
				x = values[from]
			}
		case kernel.FewLanes:
			x = 0
			if len(active) < kernel.Few(int(w)) {
				x = 1
			}
		}
		it.regs[m.slot[v.ID]] = x
		it.at++
		if m.l.Trace != nil {
			m.l.Trace(it.id, v, x)
		}
	}
}

// subGroups returns the sub-groups of a work-group, whose work-items are in
// order: single work-items if the kernel does not know sub-groups.
func (m *machine) subGroups(items []*item) [][]*item {
	var out [][]*item
	for i := 0; i < len(items); {
		n := 1
		for first := items[i].id; m.line != nil && i+n < len(items); n++ {
			if id := items[i+n].id; uint64(n) == m.l.SubGroup || id[1] != first[1] || id[2] != first[2] {
				break
			}
		}
		out = append(out, items[i:i+n])
		i += n
	}
	return out
}
