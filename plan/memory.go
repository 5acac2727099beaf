package plan

import (
	"cmp"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// findRoots finds the memory object of each address, if visible: the load of the argument
// or of the private memory's base that it is computed from.
func (w *flow) findRoots() {
	w.root = make([]*vir.Value, w.f.NumValues())
	visited := make([]bool, w.f.NumValues())
	var find func(v *vir.Value) *vir.Value
	find = func(v *vir.Value) *vir.Value {
		if visited[v.ID] {
			return w.root[v.ID]
		}
		visited[v.ID] = true
		var from []*vir.Value // the root is that of the first value that has one
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

// private reports whether an access is to the lanes' private memory.
func (w *flow) private(v *vir.Value) bool {
	r := w.root[v.Args[0].ID]
	return r != nil && vir.IsPrivateBase(r)
}

// cached reports whether an access is to the lanes' private memory or to the local memory of a
// group.
func (w *flow) cached(v *vir.Value) bool {
	r := w.root[v.Args[0].ID]
	return r != nil && (vir.IsPrivateBase(r) || r.Args[0].Op == vir.Context && r.Disp == vir.CtxLocal)
}

// streamed returns the number of bytes that b accesses contiguously to those of the
// previous work-items. Overlapping bytes are loaded once; of several distant rows, all but
// one are in the cache since another work-item loaded them. So are all but one of the rows of
// an object around that of the work-item.
func (w *flow) streamed(b *vir.Block) int {
	type span struct{ from, to int }
	loads := map[*vir.Value][]span{} // by address
	var addresses []*vir.Value
	seen := map[[2]*vir.Value]bool{} // bases and indices of accesses to fields of the same elements
	bytes := 0
	for _, v := range b.Values {
		switch {
		case !vir.InfoOf(v.Op).Memory || w.cached(v) || w.width == 1 && !w.varying[v.Args[0].ID]:
		case v.Op == vir.Gather || v.Op == vir.Scatter:
			// Lanes a few elements distance touch all the cache lines between.
			stride, ok := v.Args[1].Steps()
			distance := max(stride, -stride) * int64(v.Scale)
			if group := [2]*vir.Value{v.Args[0], v.Args[1]}; ok && distance <= vir.CacheLine && !seen[group] {
				seen[group] = true
				bytes += v.Accessed().Lanes * int(distance)
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
	rows := map[*vir.Value]int{} // by object, the bytes of a row
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
		if r := w.root[a.ID]; r != nil && isOfRow(a, rowDepth) {
			longest, rows[r] = max(0, longest-rows[r]), max(rows[r], longest)
		}
		bytes += longest
	}
	return bytes
}

// rowDepth limits the operations between a work-item's ID and an address.
const rowDepth = 12

// isOfRow reports whether v depends on the work-item's ID along dimension 1 or 2.
func isOfRow(v *vir.Value, depth int) bool {
	switch {
	case depth == 0:
		return false
	case v.Op == vir.Load:
		return v.Args[0].Op == vir.Context && (v.Disp == vir.CtxStart+8 || v.Disp == vir.CtxStart+16)
	case !v.Op.Pure():
		return false
	}
	return slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return isOfRow(a, depth-1) })
}

// pageStrided reports whether the lanes of v access memory at a distance of whole pages.
func (w *flow) pageStrided(v *vir.Value) bool {
	const page = 4096
	if v.Op != vir.Gather && v.Op != vir.Scatter || w.cached(v) {
		return false
	}
	stride, ok := v.Args[1].Steps()
	distance := stride * int64(v.Scale)
	return ok && distance != 0 && distance%page == 0
}

// aliasing reports whether a loop gathers and scatters at distances of whole pages: processors compare
// the low bits of addresses first, so that each load of a lane seems to depend on the stores of all.
func (w *flow) aliasing(l *cfg.Cycle) bool {
	if l == nil || l == w.strip {
		return false
	}
	found := map[vir.Op]bool{}
	for _, b := range l.Blocks {
		for _, v := range w.f.Blocks[b].Values {
			if w.pageStrided(v) {
				found[v.Op] = true
			}
		}
	}
	return len(found) == 2
}
