package slp

import (
	"slices"

	"github.com/simtc/simtc/vir"
)

// mayConflict reports whether the order of two memory operations may matter: one writes, and they are
// not known to access different memory.
func (p *grouper) mayConflict(a, b *vir.Value) bool {
	writes := func(v *vir.Value) bool { return vir.InfoOf(v.Op).Effect == vir.Writes || v.Volatile }
	reads := func(v *vir.Value) bool { return vir.InfoOf(v.Op).Effect != vir.Pure && !v.Invariant }
	if !(writes(a) && reads(b) || writes(b) && reads(a)) {
		return false
	}
	return !p.objects.Accessed(a).Distinct(p.objects.Accessed(b)) && !disjoint(a, b)
}

// disjoint reports whether two accesses have the same base address and displacements so that they do
// not overlap.
func disjoint(a, b *vir.Value) bool {
	contiguous := func(v *vir.Value) bool {
		return (v.Op == vir.Load || v.Op == vir.Store || v.Op == vir.VLoad || v.Op == vir.VStore) && !v.Volatile
	}
	end := func(v *vir.Value) int64 { return v.Disp + int64(v.Accessed().Lanes*v.Accessed().Elem.Size()) }
	return contiguous(a) && contiguous(b) && a.Args[0] == b.Args[0] && (end(a) <= b.Disp || end(b) <= a.Disp)
}

// mayMove reports whether loads may be done where the first of them stands, or stores where the last
// stands.
func (t *groupTree) mayMove(lanes []*vir.Value) bool {
	first, last := t.span(lanes)
	for i, v := range lanes[0].Block.Values[first : last+1] {
		if vir.InfoOf(v.Op).Effect == vir.Pure || slices.Contains(lanes, v) {
			continue
		}
		for _, l := range lanes {
			passes := t.position[l.ID] > first+i
			if l.Op == vir.Store {
				passes = !passes
			}
			if passes && t.mayConflict(l, v) {
				return false
			}
		}
	}
	return true
}

// keepsOrder reports whether the schedule of a block keeps the order of memory operations that may
// conflict. Loads of one group that move up may pass stores of another that move down, although each
// group could move alone.
func (t *groupTree) keepsOrder(b *vir.Block) bool {
	to := map[*vir.Value]int{}
	var members, all []*vir.Value
	for i, x := range t.order[b] {
		switch x := x.(type) {
		case *vir.Value:
			if vir.InfoOf(x.Op).Effect != vir.Pure {
				all = append(all, x)
				to[x] = i
			}
		case *group:
			if x.kind != loadGroup && x.kind != storeGroup {
				continue
			}
			for _, v := range x.lanes {
				members = append(members, v)
				to[v] = i
			}
		}
	}
	all = append(all, members...)
	for _, m := range members {
		for _, v := range all {
			before := t.position[m.ID] < t.position[v.ID]
			if to[m] != to[v] && before != (to[m] < to[v]) && t.mayConflict(m, v) {
				return false
			}
		}
	}
	return true
}
