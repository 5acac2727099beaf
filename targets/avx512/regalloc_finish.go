package avx512

import (
	"slices"

	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/targets/avx512/frame"
)

// hoisted is a store of v after its definition.
type hoisted struct {
	at int32 // index in the block's list before which it goes
	v  int32
}

// finish joins the pieces of every block, decides where values are stored,
// gives them slots and writes the instructions back into f.
func (a *allocator) finish(heads, tails [][]outInst) *allocation {
	f := a.f
	n := len(f.blocks)
	for len(a.out) < n {
		a.out = append(a.out, nil)
	}
	shift := make([]int32, n)
	for _, b := range a.order {
		shift[b] = int32(len(heads[b]))
		if len(heads[b])+len(tails[b]) > 0 {
			a.out[b] = slices.Concat(heads[b], a.out[b], tails[b])
		}
	}
	a.placeStores(shift)
	a.assignSlots()

	result := &allocation{origin: make([][]int32, n), retied: a.retied}
	for _, bi := range a.order {
		b := f.blocks[bi]
		list := a.out[bi]
		insts := make([]asm.Inst, 0, len(list))
		origin := make([]int32, 0, len(list))
		for i := range list {
			o := &list[i]
			if o.dead {
				continue
			}
			if o.kind == spillStore || o.kind == reload {
				o.in.Mem.Disp = a.slots[a.slotIndex[o.v]].offset
			}
			a.stats.count(o.kind, b.depth > 0, a.inner[bi])
			insts = append(insts, o.in)
			origin = append(origin, o.orig)
		}
		b.insts, b.copies = insts, nil
		result.origin[bi] = origin
	}
	// Blocks that cannot be reached keep nothing.
	reached := make([]bool, n)
	for _, bi := range a.order {
		reached[bi] = true
	}
	for bi, b := range f.blocks {
		if !reached[bi] {
			b.insts, b.copies = nil, nil
		}
	}
	f.next = [4]int{}
	result.stats = a.stats
	return result
}

func (s *AllocStats) count(kind outKind, loop, inner bool) {
	var all, loops, inners *int
	switch kind {
	case spillStore:
		all, loops, inners = &s.Spills, &s.LoopSpills, &s.InnerSpills
	case reload:
		all, loops, inners = &s.Reloads, &s.LoopReloads, &s.InnerReloads
	case remat:
		all, loops, inners = &s.Remats, &s.LoopRemats, &s.InnerRemats
	case regMove:
		all, loops, inners = &s.Moves, &s.LoopMoves, &s.InnerMoves
	default:
		return
	}
	*all++
	if loop {
		*loops++
	}
	if inner {
		*inners++
	}
}

// placeStores replaces the stores of a value where it is evicted by one after
// its definition, if that runs less often.
func (a *allocator) placeStores(shift []int32) {
	cost := make([]float32, len(a.vals))
	for _, bi := range a.order {
		for i := range a.out[bi] {
			if o := &a.out[bi][i]; o.own {
				cost[o.v] += a.freq[bi]
			}
		}
	}
	after := make([][]hoisted, len(a.out))
	for i := range a.vals {
		d := a.vals[i].lastDef
		if cost[i] == 0 || d.block < 0 || a.freq[d.block] >= cost[i] {
			cost[i] = 0
			continue
		}
		after[d.block] = append(after[d.block], hoisted{d.index + shift[d.block], int32(i)})
	}
	for _, bi := range a.order {
		for i := range a.out[bi] {
			if o := &a.out[bi][i]; o.own && cost[o.v] > 0 {
				o.dead = true
			}
		}
		if len(after[bi]) > 0 {
			a.out[bi] = a.insertStores(a.out[bi], after[bi])
		}
	}
}

func (a *allocator) insertStores(list []outInst, stores []hoisted) []outInst {
	slices.SortStableFunc(stores, func(x, y hoisted) int { return int(x.at - y.at) })
	out := make([]outInst, 0, len(list)+len(stores))
	for i := 0; i <= len(list); i++ {
		for len(stores) > 0 && int(stores[0].at) == i {
			v := stores[0].v
			stores = stores[1:]
			if i > 0 {
				a.walk.line = list[i-1].in.Line
			} else if len(list) > 0 {
				a.walk.line = list[0].in.Line
			}
			out = append(out, outInst{in: a.storeInst(v, a.vals[v].lastDef.reg), orig: -1, kind: spillStore, v: v})
		}
		if i < len(list) {
			out = append(out, list[i])
		}
	}
	return out
}

// spillSlot is a place in the spill space shared by values that are not in
// memory at the same time.
type spillSlot struct {
	size   int32
	offset int32 // from r14
	free   int32 // first position after its last value
}

// extent is the range of positions at which a slot's value is needed.
type extent struct{ v, first, last int32 }

// assignSlots removes stores that nothing reads and packs values that are not
// in memory at the same time into shared slots. The larger slots come first,
// so that all are aligned.
func (a *allocator) assignSlots() {
	total := len(a.vals) + emergencySlots
	a.slotIndex = make([]int32, total)
	for i := range a.slotIndex {
		a.slotIndex[i] = -1
	}
	var spilled []extent // by dense number, which slotIndex holds for now
	for _, bi := range a.order {
		for i := range a.out[bi] {
			o := &a.out[bi][i]
			if (o.kind == reload || o.kind == spillStore) && a.slotIndex[o.v] < 0 {
				a.slotIndex[o.v] = int32(len(spilled))
				spilled = append(spilled, extent{o.v, never, -1})
			}
		}
	}
	if len(spilled) == 0 {
		return
	}
	in := newBitsets(len(a.f.blocks), len(spilled))
	live := make(bitset, len(in[0]))
	liveOut := func(bi int) {
		clear(live)
		for _, s := range a.f.blocks[bi].succs() {
			for w, word := range in[s] {
				live[w] |= word
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for k := len(a.order) - 1; k >= 0; k-- {
			bi := a.order[k]
			liveOut(bi)
			for i := len(a.out[bi]) - 1; i >= 0; i-- {
				switch o := &a.out[bi][i]; {
				case o.dead:
				case o.kind == reload:
					live.add(a.slotIndex[o.v])
				case o.kind == spillStore:
					live.remove(a.slotIndex[o.v])
				}
			}
			for w, word := range live {
				if in[bi][w] != word {
					in[bi][w] = word
					changed = true
				}
			}
		}
	}
	position := int32(0)
	reach := func(x int32) {
		spilled[x].first = min(spilled[x].first, position)
		spilled[x].last = max(spilled[x].last, position)
	}
	for _, bi := range a.order {
		// Positions run backwards within a block; only the hull matters.
		liveOut(bi)
		live.each(reach)
		for i := len(a.out[bi]) - 1; i >= 0; i-- {
			o := &a.out[bi][i]
			if o.dead || o.kind != reload && o.kind != spillStore {
				continue
			}
			position++
			x := a.slotIndex[o.v]
			if o.kind == reload {
				live.add(x)
				reach(x)
				continue
			}
			if !live.has(x) {
				o.dead = true
				continue
			}
			live.remove(x)
			reach(x)
		}
		position++
		in[bi].each(reach)
		position++
	}
	a.packSlots(spilled)
}

func (a *allocator) packSlots(spilled []extent) {
	slices.SortStableFunc(spilled, func(x, y extent) int { return int(x.first - y.first) })
	for _, s := range spilled {
		a.slotIndex[s.v] = -1
		if s.last < 0 {
			continue
		}
		class := asm.ClassGPR
		if e := int(s.v) - len(a.vals); e >= 0 {
			class = asm.Class(e / 2)
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
	for size := int32(64); size >= 8; size /= 2 {
		for i := range a.slots {
			if slot := &a.slots[i]; slot.size == size {
				slot.offset = frame.SpillOffset + offset
				offset += size
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
