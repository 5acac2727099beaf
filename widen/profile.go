package widen

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// Count adds code, if the options request it, that counts an execution of block b and the lanes
// of mask, in the counters of slot b.ID (vir.ProfileSlot). Linearizers call it once where b's
// operations begin, for every copy of b they make.
func (w *Widener) Count(b *kernel.Block, mask *vir.Value) {
	if !w.counting {
		return
	}
	i64 := vir.Scalar(alu.I64)
	counters := w.field(vir.CtxProfile)
	add := func(field int64, n *vir.Value) {
		disp := int64(b.ID)*vir.ProfileSlot + field
		sum := w.append(vir.Load, i64, counters)
		sum.Disp, sum.Align = disp, 8
		more := w.append(vir.Store, vir.Type{}, counters, w.append(alu.Add, i64, sum, n))
		more.Disp, more.Align = disp, 8
	}
	add(vir.ProfileRuns, w.const64(1))
	lanes := vir.Count
	if w.W == 1 {
		lanes = alu.ZExt
	}
	add(vir.ProfileLanes, w.append(lanes, i64, mask))
}
