package plan

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// surprise picks what a scalar condition is: an order of computed values, a look
// at bits, remainders or earlier decisions, or one at what each work-item has for
// itself in memory. What all share is seen again and again, as an interpreter's
// program is: the predictor knows it.
func (w *flow) surprise(cond *vir.Value, order, test, data float64) float64 {
	const depth = 4
	switch {
	case w.shared(cond, depth):
		return known
	case w.tests(cond, depth):
		return test
	case w.ofData(cond, depth):
		return data
	}
	return order
}

// shared reports whether a condition asks for what is in memory that no
// work-item has for itself, and for nothing else.
func (w *flow) shared(v *vir.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch {
	case (v.Op == alu.And || v.Op == alu.Or || v.Op == alu.Xor) && v.Type.Elem == alu.I1:
		return w.shared(v.Args[0], depth-1) && (!w.varying[v.Args[1].ID] || w.shared(v.Args[1], depth-1))
	case alu.InfoOf(v.Op).Class == alu.Compare:
		for i, a := range v.Args {
			if l := origin(a, depth); l.Op == vir.Load && w.varying[l.ID] && !w.fresh(l) && !w.varying[v.Args[1-i].ID] {
				return true
			}
		}
	}
	return false
}

// ofData reports whether a scalar condition compares what has just been loaded.
func (w *flow) ofData(v *vir.Value, depth int) bool {
	if depth == 0 {
		return false
	}
	switch {
	case (v.Op == alu.And || v.Op == alu.Or || v.Op == alu.Xor) && v.Type.Elem == alu.I1:
		return w.ofData(v.Args[0], depth-1) || w.ofData(v.Args[1], depth-1)
	case alu.InfoOf(v.Op).Class == alu.Compare:
		for i, a := range v.Args {
			if l := origin(a, depth); l.Op == vir.Load && w.varying[v.Args[1-i].ID] || w.fresh(l) {
				return true
			}
		}
	}
	return false
}

// fresh reports whether a value is loaded from where each work-item has its own
// numbers.
func (w *flow) fresh(v *vir.Value) bool {
	return v.Op == vir.Load && w.varying[v.ID] && (w.own[v.Args[0].ID] || w.private(v))
}

// origin is what v is but for constants added, shifts, masks and extensions.
func origin(v *vir.Value, depth int) *vir.Value {
	for ; depth > 0; depth-- {
		if !v.Op.Pure() || v.Op != alu.ZExt && v.Op != alu.SExt && v.Op != alu.Trunc && (len(v.Args) != 2 || v.Args[1].Op != vir.Const) {
			break
		}
		v = v.Args[0]
	}
	return v
}

// tests reports whether a condition looks at bits, remainders or earlier
// decisions, which differ without any order.
func (w *flow) tests(v *vir.Value, depth int) bool {
	switch v.Op {
	case alu.Eq, alu.Ne:
		x, y := v.Args[0], v.Args[1]
		return w.chosen[x.ID] && y.Op == vir.Const || x.Op == alu.And && x.Args[1].Op == vir.Const && y.Op == vir.Const || x.Op == alu.Sub && x.Args[1].Op == alu.Mul ||
			y.Op == alu.Mul || x.Op == alu.URem
	case alu.Ule, alu.Ult, alu.Sle, alu.Slt, alu.FLe, alu.FLt:
		_, ok := ranged(v)
		return ok
	case alu.And, alu.Or, alu.Xor:
		return depth > 0 && v.Type.Elem == alu.I1 && (w.tests(v.Args[0], depth-1) || w.tests(v.Args[1], depth-1))
	}
	return false
}
