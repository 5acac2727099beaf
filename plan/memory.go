package plan

import (
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
	return r != nil && r.Args[0].Op == vir.Context && r.Disp == vir.CtxScratch
}
