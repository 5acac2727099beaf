package regalloc

import (
	"slices"

	"github.com/simtc/simtc/targets/mach"
)

// spillSlot is a range of the spill area, shared by values with disjoint
// lifetimes in memory.
type spillSlot struct {
	size   int32
	offset int32 // from the end of the spill area, negative
	free   int32 // first position after the lifetime of its last value
}

// extent is the range of positions at which a slot holds a live value.
type extent struct{ v, first, last int32 }

// slotLiveness computes backwards which values are in memory for a later
// reload, by their numbers in slotIndex.
type slotLiveness[I comparable] struct {
	a    *allocator[I]
	in   []bitset // by block: live slots at its head
	live bitset   // live slots at the current position
}

// toEnd moves to the end of block bi.
func (l *slotLiveness[I]) toEnd(bi int) {
	clear(l.live)
	for _, s := range l.a.f.Blocks[bi].Succs() {
		for w, word := range l.in[s] {
			l.live[w] |= word
		}
	}
}

// toBefore moves from after o to before it.
func (l *slotLiveness[I]) toBefore(o *outInst[I]) {
	x := int32(-1)
	if !o.dead && (o.loads() || o.stores()) {
		x = l.a.slotIndex[o.v]
	}
	switch {
	case x < 0:
	case o.loads():
		l.live.add(x)
	case l.live.has(x):
		l.live.remove(x)
		if o.kind == slotMove {
			l.live.add(l.a.slotIndex[o.from])
		}
	}
}

// assignSlots removes dead stores and assigns shared slots to values with disjoint
// lifetimes in memory. Larger slots come first, which aligns
// all of them.
func (a *allocator[I]) assignSlots() {
	total := len(a.vals) + emergencySlots
	a.slotIndex, a.slotReg = make([]int32, total), make([]mach.Reg, total)
	for i := range a.slotIndex {
		a.slotIndex[i] = -1
	}
	var spilled []extent // by dense number, temporarily held in slotIndex
	moves := false
	number := func(v int32) {
		if a.slotIndex[v] < 0 {
			a.slotIndex[v] = int32(len(spilled))
			spilled = append(spilled, extent{v, never, -1})
		}
	}
	for _, bi := range a.order {
		for i := range a.out[bi] {
			o := &a.out[bi][i]
			if o.loads() || o.stores() {
				number(o.v)
			}
			if o.kind == slotMove {
				number(o.from)
				moves = true
			}
		}
	}
	if len(spilled) == 0 {
		return
	}
	l := &slotLiveness[I]{a: a, in: newBitsets(len(a.f.Blocks), len(spilled))}
	l.live = make(bitset, len(l.in[0]))
	for changed := true; changed; {
		changed = false
		for _, bi := range slices.Backward(a.order) {
			l.toEnd(bi)
			for i := range slices.Backward(a.out[bi]) {
				l.toBefore(&a.out[bi][i])
			}
			for w, word := range l.live {
				if l.in[bi][w] != word {
					l.in[bi][w] = word
					changed = true
				}
			}
		}
	}
	shared := make([]int32, len(spilled)) // by number: the value whose slot it uses
	for x := range shared {
		shared[x] = int32(x)
	}
	if moves {
		a.coalesceSlots(l, spilled, shared)
	}
	position := int32(0)
	bounds := make([]int32, 0, len(a.order)) // by index in order: the last position of the block
	reach := func(x int32) {
		s := &spilled[shared[x]]
		s.first, s.last = min(s.first, position), max(s.last, position)
	}
	for _, bi := range a.order {
		// Positions run backwards within a block; extents only need their hull.
		l.toEnd(bi)
		l.live.each(reach)
		for i := range slices.Backward(a.out[bi]) {
			o := &a.out[bi][i]
			if o.dead || !o.loads() && !o.stores() {
				continue
			}
			position++
			x := a.slotIndex[o.v]
			if o.stores() && !l.live.has(x) {
				o.dead = true
				continue
			}
			l.toBefore(o)
			reach(x)
			if o.kind == slotMove {
				reach(a.slotIndex[o.from])
			}
		}
		position++
		l.in[bi].each(reach)
		bounds = append(bounds, position)
		position++
	}
	a.spillToRegisters(spilled, bounds)
	values := make([]int32, len(spilled))
	for x, s := range spilled {
		values[x] = s.v
	}
	a.packSlots(spilled)
	for x, of := range shared {
		v, slot := values[x], values[of]
		a.slotIndex[v], a.slotReg[v] = a.slotIndex[slot], a.slotReg[slot]
	}
	if moves {
		a.expandSlotMoves()
	}
}

// spillToRegisters keeps spilled values of classes with SpillTo in registers that are
// unused in all blocks of their lifetime, which is faster than memory.
func (a *allocator[I]) spillToRegisters(spilled []extent, bounds []int32) {
	var used []regSet // by index in order
	for _, s := range spilled {
		if s.last < 0 || int(s.v) >= len(a.vals) {
			continue
		}
		to := a.m.Classes[a.vals[s.v].class].SpillTo
		if to == 0 {
			continue
		}
		if used == nil {
			used = a.usedRegisters()
		}
		first, _ := slices.BinarySearch(bounds, s.first)
		last, _ := slices.BinarySearch(bounds, s.last)
		free := a.regs.usable[to]
		for k := first; k <= last; k++ {
			free &^= used[k]
		}
		if free == 0 {
			continue
		}
		p := free.first()
		a.slotReg[s.v] = a.regs.reg(p)
		for k := first; k <= last; k++ {
			used[k].add(p)
		}
	}
}

// usedRegisters returns, by index in order, the registers that each block mentions or
// that hold values live through it.
func (a *allocator[I]) usedRegisters() []regSet {
	used := make([]regSet, len(a.order))
	var ops mach.Operands
	for k, bi := range a.order {
		s := &used[k]
		note := func(list []location) {
			for _, l := range list {
				if l.reg != noPhys {
					s.add(l.reg)
				}
			}
		}
		if bi < len(a.entry) {
			note(a.entry[bi])
			note(a.exit[bi])
		} else { // a block on an edge
			note(a.exit[a.f.Blocks[bi].Preds[0]])
			note(a.entry[a.f.Blocks[bi].Term.Yes])
		}
		for i := range a.out[bi] {
			in := &a.out[bi][i].in
			ops.N = 0
			a.m.Operands(in, &ops)
			for _, o := range ops.All() {
				s.add(a.regs.phys(*o.Reg))
			}
			for _, fixed := range a.m.Info(in).Fixed {
				s.add(a.regs.phys(fixed.Reg))
			}
		}
	}
	return used
}

// placeSlot sets the slot's address, or the register that replaces it, in a store or reload.
func (a *allocator[I]) placeSlot(o *outInst[I]) {
	slot := Slot{Reg: a.slotReg[o.v]}
	if slot.Reg == mach.NoReg {
		s := &a.slots[a.slotIndex[o.v]]
		slot.Offset, slot.Bytes = s.offset, s.size
	}
	a.m.Place(&o.in, slot)
}

// maxSlot is the size in bytes of the largest slots.
const maxSlot = 128

// packSlots assigns ranges of the spill area.
func (a *allocator[I]) packSlots(spilled []extent) {
	slices.SortStableFunc(spilled, func(x, y extent) int { return int(x.first - y.first) })
	for _, s := range spilled {
		a.slotIndex[s.v] = -1
		if s.last < 0 || a.slotReg[s.v] != mach.NoReg {
			continue
		}
		class := mach.Class(0)
		if e := int(s.v) - len(a.vals); e >= 0 {
			class = mach.Class(e / 2)
		}
		size := int32(a.slotSize(s.v, class))
		for i := range a.slots {
			if slot := &a.slots[i]; slot.size == size && slot.free <= s.first {
				a.slotIndex[s.v], slot.free = int32(i), s.last+1
				break
			}
		}
		if a.slotIndex[s.v] < 0 {
			a.slotIndex[s.v] = int32(len(a.slots))
			a.slots = append(a.slots, spillSlot{size: size, free: s.last + 1})
		}
	}
	offset := int32(0)
	for size := int32(maxSlot); size > 0; size /= 2 {
		for i := range a.slots {
			if slot := &a.slots[i]; slot.size == size {
				offset += size
				slot.offset = -offset
			}
		}
	}
	a.stats.SpillBytes = int(offset)
	for _, slot := range a.slots {
		if slot.size > 8 {
			a.stats.VectorSlots++
		} else {
			a.stats.ScalarSlots++
		}
	}
}
