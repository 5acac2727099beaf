package plan

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// missRate selects a misprediction rate by a scalar condition's form: an order of computed
// values, a test of bits, remainders or earlier decisions, or a comparison with a
// work-item's own data in memory. Shared data, such as an interpreter's program, recurs, so
// that the predictor learns it.
func (w *flow) missRate(cond *vir.Value, order, test, data float64) float64 {
	const depth = 4
	switch {
	case w.testsSharedData(cond, depth):
		return missShared
	case w.testsBits(cond, depth):
		return test
	case w.testsData(cond, depth):
		return data
	}
	return order
}

// testsSharedData reports whether a condition depends only on memory that no work-item has
// for itself.
func (w *flow) testsSharedData(v *vir.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch {
	case (v.Op == alu.And || v.Op == alu.Or || v.Op == alu.Xor) && v.Type.Elem == alu.I1:
		return w.testsSharedData(v.Args[0], depth-1) && (!w.varying[v.Args[1].ID] || w.testsSharedData(v.Args[1], depth-1))
	case alu.InfoOf(v.Op).Class == alu.Compare:
		for i, a := range v.Args {
			if l := origin(a, depth); l.Op == vir.Load && w.varying[l.ID] && !w.fresh(l) && !w.varying[v.Args[1-i].ID] {
				return true
			}
		}
	}
	return false
}

// testsData reports whether a scalar condition compares a loaded value.
func (w *flow) testsData(v *vir.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch {
	case (v.Op == alu.And || v.Op == alu.Or || v.Op == alu.Xor) && v.Type.Elem == alu.I1:
		return w.testsData(v.Args[0], depth-1) || w.testsData(v.Args[1], depth-1)
	case alu.InfoOf(v.Op).Class == alu.Compare:
		for i, a := range v.Args {
			if l := origin(a, depth); l.Op == vir.Load && w.varying[v.Args[1-i].ID] || w.fresh(l) {
				return true
			}
		}
	}
	return false
}

// fresh reports whether a value is loaded from a work-item's own data.
func (w *flow) fresh(v *vir.Value) bool {
	return v.Op == vir.Load && w.varying[v.ID] && (w.linearInID[v.Args[0].ID] || w.private(v))
}

// origin strips constants added, shifts by constants, masks and conversions from v.
func origin(v *vir.Value, depth int) *vir.Value {
	for ; depth > 0; depth-- {
		if !v.Op.Pure() || v.Op != alu.ZExt && v.Op != alu.SExt && v.Op != alu.Trunc && (len(v.Args) != 2 || v.Args[1].Op != vir.Const) {
			break
		}
		v = v.Args[0]
	}
	return v
}

// testsBits reports whether a condition tests bits, remainders or earlier decisions, which
// follow no order.
func (w *flow) testsBits(v *vir.Value, depth int) bool {
	switch v.Op {
	case alu.Eq, alu.Ne:
		x, y := v.Args[0], v.Args[1]
		return w.pathSelector[x.ID] && y.Op == vir.Const || x.Op == alu.And && x.Args[1].Op == vir.Const && y.Op == vir.Const || x.Op == alu.Sub && x.Args[1].Op == alu.Mul ||
			y.Op == alu.Mul || x.Op == alu.URem
	case alu.Ule, alu.Ult, alu.Sle, alu.Slt, alu.FLe, alu.FLt:
		_, ok := ranged(v)
		return ok
	case alu.And, alu.Or, alu.Xor:
		return depth > 0 && v.Type.Elem == alu.I1 && (w.testsBits(v.Args[0], depth-1) || w.testsBits(v.Args[1], depth-1))
	}
	return false
}
