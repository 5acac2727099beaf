package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// findLaneZero finds the scalar floats that are kept in lane 0 of a vector: sums of
// products, and the values loaded or passed for them. Only vectors have a fused
// multiply-add. Reading a scalar from lane 0 is free; putting it there takes an
// instruction, whose latency would be added to every iteration of a sum.
func (s *selector) findLaneZero() {
	s.laneZero = make([]bool, s.f.NumValues())
	if !s.c.opt.FusedMadd {
		return
	}
	from := map[*vir.Value][]*vir.Value{} // values passed to parameters
	for _, b := range s.f.Blocks {
		for _, e := range b.Edges {
			for i, a := range e.Args {
				from[e.To.Params[i]] = append(from[e.To.Params[i]], a)
			}
		}
	}
	var work []*vir.Value
	keep := func(v *vir.Value) {
		if !s.laneZero[v.ID] {
			s.laneZero[v.ID] = true
			work = append(work, v)
		}
	}
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if v.Op == alu.FMA && v.Type.IsScalar() {
				keep(v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		operands := from[v]
		if v.Op == alu.FMA {
			operands = v.Args
		}
		for _, a := range operands {
			if a.Op == vir.Param || a.Op == vir.Load && !a.Volatile {
				keep(a)
			}
		}
	}
}

// inLaneZero returns a vector whose lane 0 is v, a scalar float.
func (s *selector) inLaneZero(v *vir.Value) reg {
	switch {
	case v.Op == vir.Const:
		return k(v.Type.Elem.Bits(), v.Const)
	case s.laneZero[v.ID]:
		return s.vals[v.ID][0]
	}
	return s.do(splats[laneColumn(v.Type.Elem)], s.get(v)[0])
}

// laneZeroOf computes v in lane 0.
func (s *selector) laneZeroOf(v *vir.Value) {
	var out reg
	if v.Op == vir.Load {
		base, off := s.address(v)
		s.push(base)
		op := wasm.V128Load32Zero
		if v.Type.Elem == alu.F64 {
			op = wasm.V128Load64Zero
		}
		s.b.Mem(op, off, align(v.Align, log2(v.Type.Elem.Size())))
		out = s.pop(wasm.V128)
	} else {
		out = s.vectorFMA(v.Type.Elem, []reg{s.inLaneZero(v.Args[0]), s.inLaneZero(v.Args[1]), s.inLaneZero(v.Args[2])})
	}
	s.move(s.def(v)[0], out)
}
