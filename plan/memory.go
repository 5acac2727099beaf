package plan

import (
	"cmp"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// findRoots finds for each value which block of memory it is an address in, as
// far as that can be seen: the load of the argument or of the private memory's
// place that it is computed from.
func (w *flow) findRoots() {
	w.root = make([]*vir.Value, w.f.NumValues())
	asked := make([]bool, w.f.NumValues())
	var find func(v *vir.Value) *vir.Value
	find = func(v *vir.Value) *vir.Value {
		if asked[v.ID] {
			return w.root[v.ID]
		}
		asked[v.ID] = true
		var from []*vir.Value // the first that has a root
		switch v.Op {
		case vir.Load:
			if b := v.Args[0]; v.Invariant && v.Type.Elem == alu.I64 && (b.Op != vir.Context || v.Disp == vir.CtxScratch || v.Disp == vir.CtxLocal || v.Disp == vir.CtxData) {
				w.root[v.ID] = v
			}
		case vir.Param:
			from = w.passed[v.ID]
		case alu.Add, alu.Sub:
			from = v.Args
		case alu.Select:
			from = v.Args[1:]
		}
		for _, a := range from {
			if r := find(a); r != nil {
				w.root[v.ID] = r
				break
			}
		}
		return w.root[v.ID]
	}
	for _, id := range w.order {
		for _, v := range w.f.Blocks[id].Values {
			if vir.InfoOf(v.Op).Memory {
				find(v.Args[0])
			}
		}
	}
}

// private reports whether an access is one to the lanes' private memory.
func (w *flow) private(v *vir.Value) bool {
	r := w.root[v.Args[0].ID]
	return r != nil && vir.IsPrivateBase(r)
}

// streamed is how many bytes b loads and stores that are next to those of the
// work-items before. What overlaps is loaded once; and of rows that lie far apart
// all but one have been in the cache since another work-item loaded them.
func (w *flow) streamed(b *vir.Block) int {
	type span struct{ from, to int }
	loads := map[*vir.Value][]span{} // by address
	var addresses []*vir.Value
	seen := map[[2]*vir.Value]bool{} // bases and indices of accesses to fields of the same elements
	bytes := 0
	for _, v := range b.Values {
		switch {
		case !vir.InfoOf(v.Op).Memory || w.private(v) || w.width == 1 && !w.varying[v.Args[0].ID]:
		case v.Op == vir.Gather || v.Op == vir.Scatter:
			// Lanes a few elements apart go through what lies between, too.
			stride, ok := v.Args[1].Steps()
			apart := max(stride, -stride) * int64(v.Scale)
			if group := [2]*vir.Value{v.Args[0], v.Args[1]}; ok && apart <= vir.CacheLine && !seen[group] {
				seen[group] = true
				bytes += v.Accessed().Lanes * int(apart)
			}
		case v.Op == vir.VStore || v.Op == vir.Store && w.width == 1:
			bytes += v.Args[1].Type.Bits() / 8
		case v.Op == vir.VLoad || v.Op == vir.Load && w.width == 1:
			a, from := v.Args[0], int(v.Disp)
			if loads[a] == nil {
				addresses = append(addresses, a)
			}
			loads[a] = append(loads[a], span{from, from + v.Type.Bits()/8})
		}
	}
	for _, a := range addresses {
		slices.SortFunc(loads[a], func(x, y span) int { return cmp.Compare(x.from, y.from) })
		row, longest := loads[a][0], 0
		for _, s := range loads[a] {
			if s.from > row.to {
				row = s
			}
			row.to = max(row.to, s.to)
			longest = max(longest, row.to-row.from)
		}
		bytes += longest
	}
	return bytes
}
