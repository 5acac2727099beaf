package legalize

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// lanewise replaces a vector access, or a mask, that the target lacks by scalar accesses:
// for each lane in order, so that later lanes win, a branch on its mask bit around one
// access, except for stores (storeLanes). It splits the block and returns the result of a load.
// value is the type accessed, starting at lane first of v; xs are the parts of the operands, the
// mask last.
func (l *legalizer) lanewise(v *vir.Value, value vir.Type, first int, xs []*vir.Value) *vir.Value {
	var acc *vir.Value
	if v.Op == vir.Gather || v.Op == vir.VLoad {
		acc = l.out.Const(value, 0)
	}
	mask := xs[len(xs)-1]
	if acc == nil && mask.Op != vir.Const && l.context != nil && !v.Volatile {
		l.storeLanes(v, value, first, xs)
		return nil
	}
	bits := l.maskBits(mask)
	for lane := range value.Lanes {
		on := l.laneOf(mask, bits, lane)
		if on.Op == vir.Const {
			if on.Const != 0 {
				acc = l.lane(v, value, first, xs, lane, acc)
			}
			continue
		}
		from, access, next := l.b.block, l.out.NewBlock(""), l.out.NewBlock("")
		skip, done := vir.Edge{To: next}, vir.Edge{To: next}
		l.b.block = access
		x := l.lane(v, value, first, xs, lane, acc)
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

// storeLanes is lanewise for a store, without a branch for each lane, which would be mispredicted: if a
// lane is active, inactive ones store to a place that nothing reads.
func (l *legalizer) storeLanes(v *vir.Value, value vir.Type, first int, xs []*vir.Value) {
	i64 := vir.Scalar(alu.I64)
	mask := xs[len(xs)-1]
	next := l.out.NewBlock("")
	from, some := l.b.block, l.out.NewBlock("some")
	if v.Op == vir.Scatter { // a contiguous store has been tested
		full, other := l.out.NewBlock("all"), l.out.NewBlock("")
		from.Branch(l.b.op(vir.All, vir.Scalar(alu.I1), mask), vir.Edge{To: full}, vir.Edge{To: other})
		from.Pos, full.Pos = v.Pos, v.Pos
		l.b.enter(full)
		for lane := range value.Lanes {
			l.lane(v, value, first, xs, lane, nil)
		}
		full.Jump(next)
		l.b.enter(other)
		from = other
	}
	from.Branch(l.b.op(vir.Any, vir.Scalar(alu.I1), mask), vir.Edge{To: some}, vir.Edge{To: next})
	l.b.enter(some)
	bits := l.maskBits(mask)
	const space = 16 // bytes
	size := int64(value.Elem.Size())
	var sink *vir.Value
	at := int64(0) // displacement of its start
	for lane := range value.Lanes {
		on := l.laneOf(mask, bits, lane)
		addr, disp := l.place(v, value, first, xs, lane)
		if sink == nil || disp < at || disp+size > at+space {
			at = disp
			sink = l.b.op(alu.Add, i64, l.context, l.out.Const(i64, uint64(vir.CtxSink-at)))
		}
		x := l.b.op(vir.Store, vir.Type{}, l.b.op(alu.Select, i64, on, addr, sink), l.extract(xs[len(xs)-2], lane))
		x.Disp, x.Align = disp, v.Align
	}
	l.b.block.Jump(next)
	from.Pos, some.Pos = v.Pos, v.Pos
	l.b.enter(next)
}

// testedAccess emits the access of part of v with a mask, by a branch to an access without a mask
// if all lanes are active. It returns the result of a load.
func (l *legalizer) testedAccess(v *vir.Value, part vir.Type, first int, xs []*vir.Value, form Masked) *vir.Value {
	last := len(xs) - 1
	mask := xs[last]
	from, full, some, next := l.b.block, l.out.NewBlock("all"), l.out.NewBlock("some"), l.out.NewBlock("")
	from.Branch(l.b.op(vir.All, vir.Scalar(alu.I1), mask), vir.Edge{To: full}, vir.Edge{To: some})
	loads := v.Op == vir.VLoad
	var out [2]*vir.Value
	l.b.enter(full)
	out[0] = l.access(v, part, first, append(xs[:last:last], l.out.Const(mask.Type, 1)))
	l.b.enter(some)
	if form == Tested {
		out[1] = l.access(v, part, first, xs)
	} else {
		out[1] = l.lanewise(v, part, first, xs)
	}
	some = l.b.block
	for i, b := range []*vir.Block{full, some} {
		var args []*vir.Value
		if loads {
			args = []*vir.Value{out[i]}
		}
		b.Jump(next, args...)
	}
	for _, b := range []*vir.Block{from, full, some} {
		b.Pos = v.Pos
	}
	l.b.enter(next)
	if loads {
		return next.NewParam(part, "")
	}
	return nil
}

// pageLoad emits the load v in parts under masks, by a branch to loads of all lanes if a lane is active
// and one page contains all of them: that page is readable.
func (l *legalizer) pageLoad(v *vir.Value, part vir.Type, at *vir.Value, masks []*vir.Value) []*vir.Value {
	from, whole, some, next := l.b.block, l.out.NewBlock("whole"), l.out.NewBlock("some"), l.out.NewBlock("")
	i1, i64 := vir.Scalar(alu.I1), vir.Scalar(alu.I64)
	first := at
	if v.Disp != 0 {
		first = l.b.op(alu.Add, i64, at, l.out.Const(i64, uint64(v.Disp)))
	}
	offset := l.b.op(alu.And, i64, first, l.out.Const(i64, pageSize-1))
	fits := l.b.op(alu.Ule, i1, offset, l.out.Const(i64, uint64(pageSize-v.Type.Bits()/8)))
	from.Branch(l.b.op(alu.And, i1, l.b.op(vir.Any, i1, l.reduce(alu.Or, masks)), fits), vir.Edge{To: whole}, vir.Edge{To: some})
	var results [2][]*vir.Value
	for i, b := range []*vir.Block{whole, some} {
		l.b.enter(b)
		for k, m := range masks {
			x := l.access(v, part, k*part.Lanes, []*vir.Value{at, m})
			x.Readable = i == 0
			results[i] = append(results[i], x)
		}
		b.Jump(next, results[i]...)
		b.Pos = v.Pos
	}
	from.Pos = v.Pos
	l.b.enter(next)
	out := make([]*vir.Value, len(masks))
	for k := range out {
		out[k] = next.NewParam(part, "")
	}
	return out
}

// reduce combines masks by a balanced tree of operations.
func (l *legalizer) reduce(op vir.Op, masks []*vir.Value) *vir.Value {
	for len(masks) > 1 {
		var next []*vir.Value
		for i := 0; i+1 < len(masks); i += 2 {
			next = append(next, l.b.op(op, masks[i].Type, masks[i], masks[i+1]))
		}
		if len(masks)%2 == 1 {
			next = append(next, masks[len(masks)-1])
		}
		masks = next
	}
	return masks[0]
}

// maskBits returns the lanes of a mask as bits, if extracting them one by one takes more
// operations, else nil.
func (l *legalizer) maskBits(mask *vir.Value) *vir.Value {
	if mask.Type.MaskBits == 0 || mask.Op == vir.Const {
		return nil
	}
	return l.b.op(vir.Bits, vir.Scalar(alu.I64), mask)
}

// laneOf returns a lane of a mask as an i1. bits are those of maskBits.
func (l *legalizer) laneOf(mask, bits *vir.Value, lane int) *vir.Value {
	if bits == nil {
		return l.extract(mask, lane)
	}
	bit := l.b.op(alu.And, bits.Type, bits, l.out.Const(bits.Type, 1<<lane))
	return l.b.op(alu.Ne, vir.Scalar(alu.I1), bit, l.out.Const(bits.Type, 0))
}

// lane emits the access of one lane.
func (l *legalizer) lane(v *vir.Value, value vir.Type, first int, xs []*vir.Value, lane int, acc *vir.Value) *vir.Value {
	addr, disp := l.place(v, value, first, xs, lane)
	var access, result *vir.Value
	if acc != nil {
		access = l.b.op(vir.Load, vir.Scalar(value.Elem), addr)
		result = l.b.op(vir.Insert, value, acc, access)
		result.Index = lane
	} else {
		access = l.b.op(vir.Store, vir.Type{}, addr, l.extract(xs[len(xs)-2], lane))
	}
	access.Disp, access.Align, access.Volatile = disp, v.Align, v.Volatile
	return result
}

// place returns the address and the displacement of one lane's access.
func (l *legalizer) place(v *vir.Value, value vir.Type, first int, xs []*vir.Value, lane int) (addr *vir.Value, disp int64) {
	if v.Op == vir.Gather || v.Op == vir.Scatter {
		return l.laneAddress(xs[0], l.extract(xs[1], lane), v.Scale), v.Disp
	}
	return xs[0], v.Disp + int64((first+lane)*value.Elem.Size())
}

// laneAddress computes base + index*scale.
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
	switch {
	case x.Op == vir.Const:
		return l.out.Const(t, x.Const)
	case x.Type.Lanes == 1:
		return x
	}
	v := l.b.op(vir.Extract, t, x)
	v.Index = lane
	return v
}
