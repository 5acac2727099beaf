package regalloc

import (
	"slices"

	"github.com/simtc/simtc/targets/mach"
)

// hoisted is a store of v after its definition.
type hoisted struct {
	at int32 // index in the block's list of the instruction that it precedes
	v  int32
}

// finish concatenates the code of every block, decides where values are stored,
// assigns slots and writes the instructions back into f.
func (a *allocator[I]) finish(heads, tails [][]outInst[I]) *Allocation[I] {
	f := a.f
	n := len(f.Blocks)
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

	result := &Allocation[I]{origin: make([][]int32, n), retied: a.retied, reordered: a.reordered, merged: a.merged}
	for _, bi := range a.order {
		b := f.Blocks[bi]
		list := a.out[bi]
		insts := make([]I, 0, len(list))
		origin := make([]int32, 0, len(list))
		line := a.firstLine(bi)
		for i := range list {
			o := &list[i]
			if o.dead {
				continue
			}
			if n := *a.m.Line(&o.in); n > 0 {
				line = n
			}
			if o.loads() || o.stores() {
				a.placeSlot(o)
				if a.slotReg[o.v] == mach.NoReg {
					result.countSpill(o.stores(), b, f.Places.At(int(line)))
				}
				if o.kind == original {
					a.stats.Folded++
				}
			}
			a.stats.count(o.kind, b.Depth > 0, a.inner[bi])
			insts = append(insts, o.in)
			origin = append(origin, o.orig)
		}
		b.Insts, b.Copies = insts, nil
		result.origin[bi] = origin
	}
	// Unreachable blocks become empty.
	reached := make([]bool, n)
	for _, bi := range a.order {
		reached[bi] = true
	}
	for bi, b := range f.Blocks {
		if !reached[bi] {
			b.Insts, b.Copies = nil, nil
		}
	}
	f.Next = [mach.NumClasses]int{}
	a.stats.Reordered, a.stats.Retied, a.stats.Merged = len(a.reordered), len(a.retied), len(a.merged)
	result.Stats = a.stats
	result.sortSpills()
	return result
}

func (s *Stats) count(kind outKind, loop, inner bool) {
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
func (a *allocator[I]) placeStores(shift []int32) {
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

func (a *allocator[I]) insertStores(list []outInst[I], stores []hoisted) []outInst[I] {
	slices.SortStableFunc(stores, func(x, y hoisted) int { return int(x.at - y.at) })
	out := make([]outInst[I], 0, len(list)+len(stores))
	for i := 0; i <= len(list); i++ {
		for len(stores) > 0 && int(stores[0].at) == i {
			v := stores[0].v
			stores = stores[1:]
			if i > 0 {
				a.walk.line = *a.m.Line(&list[i-1].in)
			} else if len(list) > 0 {
				a.walk.line = *a.m.Line(&list[0].in)
			}
			out = a.add(out, a.storeInst(v, a.vals[v].lastDef.reg))
		}
		if i < len(list) {
			out = append(out, list[i])
		}
	}
	return out
}
