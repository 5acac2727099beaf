package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// usesLowHalf reports whether v needs only the low half of its operand i, as memory
// accesses do of addresses.
func usesLowHalf(v *vir.Value, i int) bool {
	switch {
	case v.Op == alu.Trunc:
		return v.Type.IsScalar() && v.Type.Elem.Bits() <= 32
	case v.Op.Pure():
		return false
	case i == 0:
		return vir.InfoOf(v.Op).Memory
	}
	return false
}

// lowComputed reports whether the low half of v depends only on the low halves of its
// operands.
func lowComputed(v *vir.Value) bool {
	if !v.Type.IsScalar() || scalarType(v.Type.Elem) != wasm.I64 {
		return false
	}
	switch v.Op {
	case alu.Add, alu.Sub, alu.Mul, alu.And, alu.Or, alu.Xor, alu.Select, alu.ZExt, alu.SExt, vir.Param, vir.Context:
		return true
	case alu.Shl:
		return v.Args[1].Op == vir.Const
	case vir.Load:
		return !v.Volatile
	}
	return false
}

// findLow finds the 64-bit scalars of which only the low half is needed. They are computed
// in 32 bits: most are addresses, which engines would truncate first.
func (s *selector) findLow() {
	s.low = make([]bool, s.f.NumValues())
	from := map[*vir.Value][]*vir.Value{} // values passed to parameters
	var whole []*vir.Value
	need := func(v *vir.Value) {
		if s.low[v.ID] {
			s.low[v.ID] = false
			whole = append(whole, v)
		}
	}
	for _, b := range s.f.Blocks {
		for _, v := range b.Params {
			s.low[v.ID] = lowComputed(v)
		}
		for _, v := range b.Values {
			s.low[v.ID] = lowComputed(v)
		}
	}
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				if !s.low[v.ID] && !usesLowHalf(v, i) {
					need(a)
				}
			}
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				p := e.To.Params[i]
				from[p] = append(from[p], a)
				if !s.low[p.ID] {
					need(a)
				}
			}
		}
	}
	for len(whole) > 0 {
		v := whole[len(whole)-1]
		whole = whole[:len(whole)-1]
		for i, a := range v.Args {
			if !usesLowHalf(v, i) {
				need(a)
			}
		}
		for _, a := range from[v] {
			need(a)
		}
	}
}

// lowOf returns the low half of a 64-bit scalar.
func (s *selector) lowOf(v *vir.Value) reg {
	r := s.get(v)[0]
	switch {
	case r.typ != wasm.I64:
		return r
	case r.isCst:
		return k32(int32(uint32(r.lo)))
	}
	return s.do(wasm.I32WrapI64, r)
}

// lowHalf computes the low half of v.
func (s *selector) lowHalf(v *vir.Value) {
	var out reg
	switch v.Op {
	case vir.Context:
		out = reg{typ: wasm.I32, local: 0}
	case vir.Load:
		base, off := s.address(v)
		s.push(base)
		s.b.Mem(wasm.I32Load, off, align(v.Align, 2))
		out = s.pop(wasm.I32)
	case alu.ZExt, alu.SExt:
		out = s.scalarConvert(v.Op, alu.I32, v.Args[0].Type.Elem, s.get(v.Args[0])[0])
	case alu.Select:
		out = s.choose(s.lowOf(v.Args[1]), s.lowOf(v.Args[2]), s.get(v.Args[0])[0])
	case alu.Shl:
		if n := v.Args[1].Const & 63; n < 32 {
			out = s.do(wasm.I32Shl, s.lowOf(v.Args[0]), k32(int32(n)))
		} else {
			out = k32(0)
		}
	case alu.And:
		if m := v.Args[1]; m.Op == vir.Const && uint32(m.Const) == 1<<32-1 {
			out = s.lowOf(v.Args[0])
			break
		}
		fallthrough
	default:
		out = s.scalar(v.Op, alu.I32, alu.I32, []reg{s.lowOf(v.Args[0]), s.lowOf(v.Args[1])})
	}
	s.move(s.def(v)[0], out)
}
