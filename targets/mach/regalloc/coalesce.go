package regalloc

import (
	"cmp"
	"slices"
)

// maxInterference bounds the words of the interference sets. In functions that exceed
// it, only the values of the most frequent moves share slots.
const maxInterference = 8 << 20

// coalesceSlots assigns one slot to values that edges move from slot to slot, the most
// frequent edges first, unless one value is stored while the other is still to be
// reloaded (Chaitin, "Register Allocation & Spilling via Graph Coloring", 1982).
// shared maps the number of a value to the number of the value whose slot it uses.
func (a *allocator[I]) coalesceSlots(l *slotLiveness[I], spilled []extent, shared []int32) {
	type move struct {
		dst, src int32
		freq     float32
	}
	var moves []move
	for _, bi := range a.order {
		for i := range a.out[bi] {
			if o := &a.out[bi][i]; o.kind == slotMove && !o.dead {
				moves = append(moves, move{a.slotIndex[o.v], a.slotIndex[o.from], a.freq[bi]})
			}
		}
	}
	slices.SortStableFunc(moves, func(x, y move) int { return cmp.Compare(y.freq, x.freq) })
	// clash is indexed by values that are moved: the values whose slots are live when it
	// is stored. alike holds the values that share its slot.
	clash, alike := make([]bitset, len(spilled)), make([]bitset, len(spilled))
	words := 0
	for n, m := range moves {
		if words > maxInterference {
			moves = moves[:n]
			break
		}
		for _, x := range []int32{m.dst, m.src} {
			if clash[x] == nil {
				clash[x], alike[x] = make(bitset, len(l.live)), make(bitset, len(l.live))
				alike[x].add(x)
				words += 2 * len(l.live)
			}
		}
	}
	for _, bi := range a.order {
		l.toEnd(bi)
		for i := range slices.Backward(a.out[bi]) {
			o := &a.out[bi][i]
			if !o.dead && o.stores() {
				if x := a.slotIndex[o.v]; clash[x] != nil && l.live.has(x) {
					if o.kind == slotMove {
						l.live.remove(a.slotIndex[o.from]) // holds the same value, and is live before the move
					}
					for w, word := range l.live {
						clash[x][w] |= word
					}
				}
			}
			l.toBefore(o)
		}
	}
	find := func(x int32) int32 {
		for shared[x] != x {
			x = shared[x]
		}
		return x
	}
	for _, m := range moves {
		x, y := find(m.dst), find(m.src)
		if x == y || !a.sameSlotSize(spilled[x].v, spilled[y].v) || clash[x].meets(alike[y]) || clash[y].meets(alike[x]) {
			continue
		}
		shared[y] = x
		for w := range clash[x] {
			clash[x][w] |= clash[y][w]
			alike[x][w] |= alike[y][w]
		}
		a.stats.SharedSlots++
	}
	for x := range shared {
		shared[x] = find(int32(x))
	}
}

// sameSlotSize reports whether two values may share a slot. Emergency slots are never
// shared.
func (a *allocator[I]) sameSlotSize(v, w int32) bool {
	n := int32(len(a.vals))
	return v < n && w < n && a.vals[v].class == a.vals[w].class && a.vals[v].size == a.vals[w].size
}

// expandSlotMoves expands moves between slots into a reload and a store. It removes
// moves from a slot to itself and emergency saves that are restored at once.
func (a *allocator[I]) expandSlotMoves() {
	for _, bi := range a.order {
		list := a.out[bi]
		if !slices.ContainsFunc(list, func(o outInst[I]) bool { return o.kind == slotMove }) {
			continue
		}
		out := make([]outInst[I], 0, 2*len(list))
		for i, o := range list {
			switch {
			case o.dead:
			case o.kind == slotMove:
				if a.slotIndex[o.v] == a.slotIndex[o.from] && a.slotReg[o.v] == a.slotReg[o.from] {
					continue
				}
				load := o
				load.kind, load.v = reload, o.from
				through := a.regs.reg(o.reg)
				a.walk.line = *a.m.Line(&list[i].in)
				out = a.add(a.add(out, load), outInst[I]{in: a.m.Spill(through, int(a.slotSize(o.v, through.Class()))), orig: -1, kind: spillStore, v: o.v, reg: o.reg})
			case o.kind == reload && len(out) > 0 && out[len(out)-1].kind == spillStore && out[len(out)-1].v == o.v &&
				int(o.v) >= len(a.vals) && out[len(out)-1].reg == o.reg:
				out = out[:len(out)-1]
			default:
				out = append(out, o)
			}
		}
		a.out[bi] = out
	}
}
