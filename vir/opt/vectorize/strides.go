package vectorize

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// stride is the change of a value from one iteration to the next, if it is constant.
type stride struct {
	by int64
	ok bool
}

// stride finds the change of v, an address or part of one, per iteration. An index that wraps
// would leave the object that every iteration accesses.
func (r *reduction) stride(v *vir.Value) stride {
	if s, ok := r.strides[v]; ok {
		return s
	}
	s := r.newStride(v)
	if s.by != int64(int32(s.by)) {
		s.ok = false
	}
	r.strides[v] = s
	return s
}

func (r *reduction) newStride(v *vir.Value) stride {
	if r.lp.Outside(v) {
		return stride{0, true}
	}
	if v.Op == vir.Param {
		if slices.Contains(r.counters, v) {
			return stride{analysis.StepOf(r.lp, v).Signed(), true}
		}
		return stride{}
	}
	arg := func(i int) stride { return r.stride(v.Args[i]) }
	if v.Op.Pure() && !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return r.stride(a) != stride{0, true} }) {
		return stride{0, true}
	}
	switch v.Op {
	case alu.Add:
		a, b := arg(0), arg(1)
		return stride{a.by + b.by, a.ok && b.ok}
	case alu.Sub:
		a, b := arg(0), arg(1)
		return stride{a.by - b.by, a.ok && b.ok}
	case alu.Shl, alu.Mul:
		a, c := arg(0), v.Args[1]
		if c.Op != vir.Const {
			break
		}
		by := c.Signed()
		if v.Op == alu.Shl {
			by = 1 << min(c.Const, 32) // more is beyond any object
		}
		return stride{a.by * by, a.ok && by == int64(int32(by))}
	case alu.SExt, alu.ZExt:
		if v.Args[0].Type.Elem == alu.I32 {
			return arg(0)
		}
	}
	return stride{}
}
