package interp

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/simtc/simtc/kernel"
)

// item is a suspended work-item: its position, registers and private memory.
type item struct {
	id    [3]uint64 // relative to the offset
	block *kernel.Block
	at    int // the next operation of block
	steps uint64
	regs  []uint64
	mem   [][]byte // by order of the allocas
	ended bool

	waits      *kernel.Value // the operation it waits at: a barrier, or an operation of a sub-group
	iterations []int         // iterations of the cycles around block, if the kernel uses sub-groups
}

// cooperative reports whether the work-items of a group depend on each other, or share memory.
func cooperative(f *kernel.Func, l *Launch) bool {
	return l.LocalSize > 0 || f.Uses(kernel.Barrier, kernel.GroupState) || f.SubGroups()
}

// runGroups runs the work-groups one after the other. The work-items of a group run in turn, each
// up to the next barrier.
func (m *machine) runGroups(ctx context.Context) error {
	l := m.l
	var n [3]uint64
	for d := range 3 {
		n[d] = (l.Global[d] + l.Local[d] - 1) / l.Local[d]
	}
	var items []*item
	for z := range n[2] {
		for y := range n[1] {
			for x := range n[0] {
				group := [3]uint64{x, y, z}
				items = m.gather(group, items)
				if err := m.group(ctx, group, items); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// gather makes the work-items of a group, reusing items.
func (m *machine) gather(group [3]uint64, items []*item) []*item {
	all := items[:cap(items)]
	items = items[:0]
	var size [3]uint64
	for d := range 3 {
		size[d] = min(m.l.Local[d], m.l.Global[d]-group[d]*m.l.Local[d])
	}
	for z := range size[2] {
		for y := range size[1] {
			for x := range size[0] {
				var it *item
				if len(items) < len(all) {
					it = all[len(items)]
				}
				if it == nil {
					it = &item{}
					for _, a := range m.allocas {
						it.mem = append(it.mem, make([]byte, len(a.bytes)))
					}
				}
				for d, at := range [3]uint64{x, y, z} {
					it.id[d] = group[d]*m.l.Local[d] + at
				}
				it.regs = append(it.regs[:0], m.initial...)
				for _, b := range it.mem {
					clear(b)
				}
				it.ended = false
				it.restart(m.f)
				items = append(items, it)
			}
		}
	}
	return items
}

func (it *item) restart(f *kernel.Func) {
	it.block, it.at, it.steps = f.Blocks[0], -1, 0
	it.iterations = it.iterations[:0]
}

// turn runs a work-item until it ends or waits at a barrier or an operation of a sub-group, which
// is returned.
func (m *machine) turn(ctx context.Context, it *item) (*kernel.Value, error) {
	m.item, m.regs = it.id, it.regs
	for i, a := range m.allocas {
		copy(a.bytes, it.mem[i])
	}
	at, err := m.run(ctx, it)
	for i, a := range m.allocas {
		copy(it.mem[i], a.bytes)
	}
	if err != nil {
		return nil, m.located(it.id, err)
	}
	it.ended = at == nil
	return at, nil
}

func (m *machine) group(ctx context.Context, group [3]uint64, items []*item) error {
	if m.f.Uses(kernel.GroupState) {
		return m.phases(ctx, group, items)
	}
	for {
		var at *kernel.Value
		returned := false
		for _, sub := range m.subGroups(items) {
			if err := m.subGroup(ctx, sub); err != nil {
				return err
			}
			for _, it := range sub {
				switch v := it.waits; {
				case v == nil:
					returned = true
				case at != nil && at != v:
					return &kernel.BarrierFault{Group: group, At: at.Pos, Other: v.Pos}
				default:
					at = v
				}
			}
		}
		if at == nil {
			return nil
		}
		if returned && m.l.Strict {
			return &kernel.BarrierFault{Group: group, At: at.Pos, Returned: true}
		}
	}
}

// phases runs a kernel that was split at its barriers: every work-item runs the current phase from
// the entry block on.
func (m *machine) phases(ctx context.Context, group [3]uint64, items []*item) error {
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(m.state[at:]) }
	put := func(at int, x uint32) { binary.LittleEndian.PutUint32(m.state[at:], x) }
	clear(m.state)
	for {
		put(kernel.StateFirst, ^uint32(0))
		put(kernel.StateLast, 0)
		for _, sub := range m.subGroups(items) {
			for _, it := range sub {
				it.restart(m.f)
				it.ended = false
			}
			if err := m.subGroup(ctx, sub); err != nil {
				return err
			}
			for _, it := range sub {
				if v := it.waits; v != nil {
					return fmt.Errorf("%s: a barrier in a kernel that was split at its barriers", v.Pos)
				}
			}
		}
		next := word(kernel.StateLast)
		if word(kernel.StateReturned) != 0 && next != 0 {
			put(kernel.StateSplit, next)
		}
		if err := m.f.StateFault(group, word(kernel.StateFirst), next, word(kernel.StateSplit), m.l.Strict); err != nil {
			return err
		}
		if next == 0 {
			return nil
		}
		put(kernel.StatePhase, next)
	}
}
