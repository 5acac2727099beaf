package legalize

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// lanewise makes a gather or scatter that the target lacks out of scalar
// accesses: for each lane a branch on its mask bit around one access, in the
// order of lanes, so that later lanes win. It splits the block and returns a
// gather's result. xs are the operands' parts, value is what is accessed.
func (l *legalizer) lanewise(v *vir.Value, value vir.Type, xs []*vir.Value) *vir.Value {
	mask := xs[len(xs)-1]
	var acc *vir.Value
	if v.Op == vir.Gather {
		acc = l.out.Const(value, 0)
	}
	if mask.Op == vir.Const && mask.Const == 0 {
		return acc
	}
	for lane := range value.Lanes {
		if mask.Op == vir.Const {
			acc = l.lane(v, value, xs, lane, acc)
			continue
		}
		on := l.b.op(vir.Extract, vir.Scalar(alu.I1), mask)
		on.Index = lane
		from, access, next := l.b.block, l.out.NewBlock(""), l.out.NewBlock("")
		skip, done := vir.Edge{To: next}, vir.Edge{To: next}
		l.b.block = access
		x := l.lane(v, value, xs, lane, acc)
		if acc != nil {
			skip.Args, done.Args = []*vir.Value{acc}, []*vir.Value{x}
			acc = next.NewParam(value, "")
		}
		from.Branch(on, vir.Edge{To: access}, skip)
		access.Jump(next, done.Args...)
		from.Pos, access.Pos = v.Pos, v.Pos
		l.b.block = next
	}
	return acc
}

// lane makes the access of one lane.
func (l *legalizer) lane(v *vir.Value, value vir.Type, xs []*vir.Value, lane int, acc *vir.Value) *vir.Value {
	addr := l.laneAddress(xs[0], l.extract(xs[1], lane), v.Scale)
	var access, result *vir.Value
	if v.Op == vir.Gather {
		access = l.b.op(vir.Load, vir.Scalar(value.Elem), addr)
		result = l.b.op(vir.Insert, value, acc, access)
		result.Index = lane
	} else {
		access = l.b.op(vir.Store, vir.Type{}, addr, l.extract(xs[2], lane))
	}
	access.Disp, access.Align, access.Volatile = v.Disp, v.Align, v.Volatile
	return result
}

// laneAddress is base + index*scale.
func (l *legalizer) laneAddress(base, index *vir.Value, scale int) *vir.Value {
	i64 := vir.Scalar(alu.I64)
	n := bits.TrailingZeros(uint(scale))
	if index.Op == vir.Const {
		c := index.Const
		if index.Type != i64 {
			c = uint64(int64(int32(c)))
		}
		return l.b.op(alu.Add, i64, base, l.out.Const(i64, c<<n))
	}
	if index.Type != i64 {
		index = l.b.op(alu.SExt, i64, index)
	}
	if n > 0 {
		index = l.b.op(alu.Shl, i64, index, l.out.Const(i64, uint64(n)))
	}
	return l.b.op(alu.Add, i64, base, index)
}

func (l *legalizer) extract(x *vir.Value, lane int) *vir.Value {
	t := vir.Scalar(x.Type.Elem)
	if x.Op == vir.Const {
		return l.out.Const(t, x.Const)
	}
	v := l.b.op(vir.Extract, t, x)
	v.Index = lane
	return v
}
