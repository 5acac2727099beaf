package avx512

import (
	"slices"

	"github.com/simtc/simtc/targets/x86/asm"
)

// hoisted is a store of v after its definition.
type hoisted struct {
	at int32 // index in the block's list of the instruction that it precedes
	v  int32
}

// finish concatenates the code of every block, decides where values are stored,
// assigns slots and writes the instructions back into f.
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

	result := &allocation{origin: make([][]int32, n), retied: a.retied, reordered: a.reordered, merged: a.merged}
	for _, bi := range a.order {
		b := f.blocks[bi]
		list := a.out[bi]
		insts := make([]asm.Inst, 0, len(list))
		origin := make([]int32, 0, len(list))
		line := a.firstLine(bi)
		for i := range list {
			o := &list[i]
			if o.dead {
				continue
			}
			if o.in.Line > 0 {
				line = o.in.Line
			}
			if o.loads() || o.stores() {
				a.placeSlot(o)
				if a.slotReg[o.v] == asm.NoReg {
					result.countSpill(o, b, f.places.At(int(line)))
				}
				if o.kind == original {
					a.stats.Folded++
				}
			}
			a.stats.count(o.kind, b.depth > 0, a.inner[bi])
			insts = append(insts, o.in)
			origin = append(origin, o.orig)
		}
		b.insts, b.copies = insts, nil
		result.origin[bi] = origin
	}
	// Unreachable blocks become empty.
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
	result.sortSpills()
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

// placeStores replaces the stores of a value at its evictions by one after
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
