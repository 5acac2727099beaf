package interp

import (
	"cmp"
	"context"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/joinpoints"
	"github.com/simtc/simtc/kernel"
)

// A sub-group's work-items run one after the other up to an operation that exchanges values. The
// work-items that execute it together are those that would if all followed one order of blocks,
// in which no work-item is overtaken and which goes back at the end of a cycle while some
// work-item has to (package joinpoints). The position of a work-item in this order follows from
// its own path: from the iterations of the cycles around its block and the block's position.

// DefaultSubGroup is the number of work-items of a sub-group, if unspecified.
const DefaultSubGroup = 16

// line is the order of a kernel's blocks.
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

// common returns the number of cycles around both blocks.
func (l *line) common(a, b int) int {
	n := 0
	for x, y := l.cycles[a], l.cycles[b]; n < len(x) && n < len(y) && x[n] == y[n]; n++ {
	}
	return n
}

// advance counts the iterations of a work-item that goes from one block to another.
func (l *line) advance(it *item, from, to int) {
	n := l.common(from, to)
	it.iterations = it.iterations[:n]
	if l.pos[to] <= l.pos[from] && n > 0 {
		it.iterations[n-1]++
	}
	for range len(l.cycles[to]) - n {
		it.iterations = append(it.iterations, 0)
	}
}

// compare orders two waiting work-items by position.
func (l *line) compare(a, b *item) int {
	n := l.common(a.block.ID, b.block.ID)
	if x := slices.Compare(a.iterations[:n], b.iterations[:n]); x != 0 {
		return x
	}
	if x := cmp.Compare(l.pos[a.block.ID], l.pos[b.block.ID]); x != 0 {
		return x
	}
	return cmp.Compare(a.at, b.at)
}

// subGroup runs the work-items of one sub-group until each has ended or waits at a barrier.
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
	lane := func(it *item) uint64 { return m.lane(it.id) }
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

// lane returns the number of a work-item in its sub-group.
func (m *machine) lane(id [3]uint64) uint64 {
	local := m.l.Local
	at := id[0] % local[0]
	if m.spanRows {
		at += local[0] * (id[1]%local[1] + local[1]*(id[2]%local[2]))
	}
	return at % m.l.SubGroup
}

// subGroups returns the sub-groups of a work-group, whose work-items are in order: single
// work-items if the kernel does not use sub-groups.
func (m *machine) subGroups(items []*item) [][]*item {
	var out [][]*item
	for i := 0; i < len(items); {
		n := 1
		for first := items[i].id; m.line != nil && i+n < len(items); n++ {
			if id := items[i+n].id; uint64(n) == m.l.SubGroup || !m.spanRows && (id[1] != first[1] || id[2] != first[2]) {
				break
			}
		}
		out = append(out, items[i:i+n])
		i += n
	}
	return out
}
