package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// vectorRow holds the instructions of an operation on lanes of i8 i16 i32 i64 f32 f64;
// Unreachable if there is none.
type vectorRow [6]wasm.Op

var vectorOps = map[alu.Op]vectorRow{
	alu.Add:     {wasm.I8x16Add, wasm.I16x8Add, wasm.I32x4Add, wasm.I64x2Add},
	alu.Sub:     {wasm.I8x16Sub, wasm.I16x8Sub, wasm.I32x4Sub, wasm.I64x2Sub},
	alu.Mul:     {1: wasm.I16x8Mul, 2: wasm.I32x4Mul, 3: wasm.I64x2Mul},
	alu.And:     {wasm.V128And, wasm.V128And, wasm.V128And, wasm.V128And},
	alu.Or:      {wasm.V128Or, wasm.V128Or, wasm.V128Or, wasm.V128Or},
	alu.Xor:     {wasm.V128Xor, wasm.V128Xor, wasm.V128Xor, wasm.V128Xor},
	alu.SMin:    {wasm.I8x16MinS, wasm.I16x8MinS, wasm.I32x4MinS},
	alu.SMax:    {wasm.I8x16MaxS, wasm.I16x8MaxS, wasm.I32x4MaxS},
	alu.UMin:    {wasm.I8x16MinU, wasm.I16x8MinU, wasm.I32x4MinU},
	alu.UMax:    {wasm.I8x16MaxU, wasm.I16x8MaxU, wasm.I32x4MaxU},
	alu.UAddSat: {wasm.I8x16AddSatU, wasm.I16x8AddSatU},
	alu.SAddSat: {wasm.I8x16AddSatS, wasm.I16x8AddSatS},
	alu.USubSat: {wasm.I8x16SubSatU, wasm.I16x8SubSatU},
	alu.SSubSat: {wasm.I8x16SubSatS, wasm.I16x8SubSatS},
	alu.Abs:     {wasm.I8x16Abs, wasm.I16x8Abs, wasm.I32x4Abs, wasm.I64x2Abs},
	alu.FAdd:    {4: wasm.F32x4Add, 5: wasm.F64x2Add},
	alu.FSub:    {4: wasm.F32x4Sub, 5: wasm.F64x2Sub},
	alu.FMul:    {4: wasm.F32x4Mul, 5: wasm.F64x2Mul},
	alu.FDiv:    {4: wasm.F32x4Div, 5: wasm.F64x2Div},
	alu.FNeg:    {4: wasm.F32x4Neg, 5: wasm.F64x2Neg},
	alu.FAbs:    {4: wasm.F32x4Abs, 5: wasm.F64x2Abs},
	alu.FSqrt:   {4: wasm.F32x4Sqrt, 5: wasm.F64x2Sqrt},
	alu.FFloor:  {4: wasm.F32x4Floor, 5: wasm.F64x2Floor},
	alu.FCeil:   {4: wasm.F32x4Ceil, 5: wasm.F64x2Ceil},
	alu.FTrunc:  {4: wasm.F32x4Trunc, 5: wasm.F64x2Trunc},
	alu.FRint:   {4: wasm.F32x4Nearest, 5: wasm.F64x2Nearest},
	alu.Eq:      {wasm.I8x16Eq, wasm.I16x8Eq, wasm.I32x4Eq, wasm.I64x2Eq},
	alu.Ne:      {wasm.I8x16Ne, wasm.I16x8Ne, wasm.I32x4Ne, wasm.I64x2Ne},
	alu.Slt:     {wasm.I8x16LtS, wasm.I16x8LtS, wasm.I32x4LtS, wasm.I64x2LtS},
	alu.Sle:     {wasm.I8x16LeS, wasm.I16x8LeS, wasm.I32x4LeS, wasm.I64x2LeS},
	alu.Ult:     {wasm.I8x16LtU, wasm.I16x8LtU, wasm.I32x4LtU},
	alu.Ule:     {wasm.I8x16LeU, wasm.I16x8LeU, wasm.I32x4LeU},
	alu.FEq:     {4: wasm.F32x4Eq, 5: wasm.F64x2Eq},
	alu.FNe:     {4: wasm.F32x4Ne, 5: wasm.F64x2Ne},
	alu.FLt:     {4: wasm.F32x4Lt, 5: wasm.F64x2Lt},
	alu.FLe:     {4: wasm.F32x4Le, 5: wasm.F64x2Le},
}

// laneColumn returns the column of a vectorRow; f16 lanes use that of i16, pointers that of
// i64.
func laneColumn(t alu.Type) int {
	switch t {
	case alu.F32:
		return 4
	case alu.F64:
		return 5
	}
	switch t.Bits() {
	case 8:
		return 0
	case 16:
		return 1
	case 32:
		return 2
	}
	return 3
}

// value emits one operation.
func (s *selector) value(v *vir.Value) {
	switch {
	case s.low[v.ID]:
		s.lowHalf(v)
	case s.laneZero[v.ID]:
		s.laneZeroOf(v)
	case !v.Op.Pure():
		s.special(v)
	case v.Type.IsScalar():
		in := make([]reg, len(v.Args))
		for i, a := range v.Args {
			in[i] = s.get(a)[0]
		}
		out := s.scalar(v.Op, v.Type.Elem, v.Args[len(v.Args)-1].Type.Elem, in)
		if out.typ == 0 {
			s.fail(v, "unsupported operation")
			return
		}
		s.move(s.def(v)[0], out)
	case v.Type.IsMask() && v.Args[len(v.Args)-1].Type.IsMask():
		s.maskOp(v)
	case v.Type.IsMask():
		s.toMask(v)
	default:
		s.vector(v)
	}
}

// toMask emits the operations that turn vectors into masks: comparisons, and truncation to
// i1.
func (s *selector) toMask(v *vir.Value) {
	arg := v.Args[0].Type
	a := s.get(v.Args[0])
	bits := arg.Elem.Bits()
	s.into(v, func(p int) reg {
		if v.Op == alu.Trunc {
			row := laneColumn(arg.Elem)
			one := k(bits, 1)
			return s.do(vectorOps[alu.Eq][row], s.do(wasm.V128And, a[p], one), one)
		}
		b := s.get(v.Args[1])[p]
		x := a[p]
		op := v.Op
		if bits == 64 && (op == alu.Ult || op == alu.Ule) {
			// Unsigned order is signed order with the sign bits flipped.
			x, b = s.do(wasm.V128Xor, x, k(64, 1<<63)), s.do(wasm.V128Xor, b, k(64, 1<<63))
			op = map[alu.Op]alu.Op{alu.Ult: alu.Slt, alu.Ule: alu.Sle}[op]
		}
		in := vectorOps[op][laneColumn(arg.Elem)]
		if in == wasm.Unreachable {
			s.fail(v, "unsupported operation")
			return zero(wasm.V128)
		}
		return s.do(in, x, b)
	})
}

// vector emits the pure operations whose result is a vector of numbers.
func (s *selector) vector(v *vir.Value) {
	t := v.Type.Elem
	if v.Op >= alu.Trunc && v.Op <= alu.Bitcast {
		s.vectorConvert(v)
		return
	}
	if v.Op == alu.Select {
		s.vectorSelect(v)
		return
	}
	in := make([][]reg, len(v.Args))
	for i, a := range v.Args {
		in[i] = s.get(a)
	}
	if v.Op == alu.Mul && s.multiplyVector(v, in[0]) {
		return
	}
	if op := vectorOps[v.Op][laneColumn(t)]; op != wasm.Unreachable {
		s.into(v, func(p int) reg { return s.do(op, column1(in, p)...) })
		return
	}
	switch v.Op {
	case alu.Shl, alu.LShr, alu.AShr, alu.Rotl:
		s.shift(v, in)
	case alu.UDiv, alu.SDiv, alu.URem, alu.SRem:
		s.vectorDivide(v, in)
	case alu.Mul: // of bytes; the low half does not depend on the signs
		s.viaWider(v, in, false, func(bits int, x []reg) reg { return s.do(wasm.I16x8Mul, x...) })
	case alu.UMulHi, alu.SMulHi:
		s.vectorMulHigh(v, in)
	case alu.SMin, alu.SMax, alu.UMin, alu.UMax: // of 64 bits
		s.into(v, func(p int) reg { return s.minMax64(v.Op, in[0][p], in[1][p]) })
	case alu.UAddSat, alu.SAddSat, alu.USubSat, alu.SSubSat: // of 32 and 64 bits
		s.into(v, func(p int) reg { return s.saturateVector(v.Op, t, in[0][p], in[1][p]) })
	case alu.DotUS, alu.DotUSSat:
		s.into(v, func(p int) reg { return s.dotProductVector(v.Op, column1(in, p)) })
	case alu.FMin, alu.FMax:
		s.into(v, func(p int) reg { return s.floatMinMax(v.Op, t, in[0][p], in[1][p]) })
	case alu.PMin, alu.PMax:
		s.into(v, func(p int) reg { return s.pseudoMinMax(v.Op, t, in[0][p], in[1][p]) })
	case alu.FMA:
		s.into(v, func(p int) reg { return s.vectorFMA(t, column1(in, p)) })
	case alu.Clz:
		s.vectorClz(v, in)
	case alu.Popcount:
		s.into(v, func(p int) reg { return s.popcount(t.Bits(), in[0][p]) })
	default:
		s.lanewise(v, in)
	}
}

// column1 returns part p of every operand.
func column1(in [][]reg, p int) []reg {
	out := make([]reg, len(in))
	for i := range in {
		out[i] = in[i][p]
	}
	return out
}

func (s *selector) vectorSelect(v *vir.Value) {
	a, b := s.get(v.Args[1]), s.get(v.Args[2])
	if !v.Args[0].Type.IsMask() {
		c := s.get(v.Args[0])[0]
		s.into(v, func(p int) reg { return s.choose(a[p], b[p], c) })
		return
	}
	m := s.get(v.Args[0])
	s.into(v, func(p int) reg {
		switch {
		case isZero(b[p]):
			return s.do(wasm.V128And, a[p], m[p])
		case isZero(a[p]):
			return s.do(wasm.V128Andnot, b[p], m[p])
		}
		return s.do(wasm.V128Bitselect, a[p], b[p], m[p])
	})
}

// pseudoMinMax: WebAssembly's pmin(b, a) is a < b ? a : b.
func (s *selector) pseudoMinMax(op alu.Op, t alu.Type, a, b reg) reg {
	row := [2]wasm.Op{wasm.F32x4Pmin, wasm.F64x2Pmin}
	if op == alu.PMax {
		row = [2]wasm.Op{wasm.F32x4Pmax, wasm.F64x2Pmax}
	}
	return s.do(row[laneColumn(t)-4], b, a)
}

// floatMinMax is pseudoMinMax except that a NaN in b gives a.
func (s *selector) floatMinMax(op alu.Op, t alu.Type, a, b reg) reg {
	m := s.pseudoMinMax(map[alu.Op]alu.Op{alu.FMin: alu.PMin, alu.FMax: alu.PMax}[op], t, a, b)
	return s.do(wasm.V128Bitselect, a, m, s.do(vectorOps[alu.FNe][laneColumn(t)], b, b))
}

func (s *selector) minMax64(op alu.Op, a, b reg) reg {
	x, y := a, b
	if op == alu.UMin || op == alu.UMax {
		x, y = s.do(wasm.V128Xor, a, k(64, 1<<63)), s.do(wasm.V128Xor, b, k(64, 1<<63))
	}
	if op == alu.SMax || op == alu.UMax {
		x, y = y, x
	}
	return s.do(wasm.V128Bitselect, a, b, s.do(wasm.I64x2LtS, x, y))
}

func (s *selector) popcount(bits int, x reg) reg {
	x = s.do(wasm.I8x16Popcnt, x)
	if bits >= 16 {
		x = s.do(wasm.I16x8ExtaddPairwiseI8x16U, x)
	}
	if bits >= 32 {
		x = s.do(wasm.I32x4ExtaddPairwiseI16x8U, x)
	}
	if bits == 64 {
		high := s.do(wasm.I64x2ShrU, x, k32(32))
		x = s.do(wasm.I64x2Add, s.do(wasm.V128And, x, k(64, 0xFFFFFFFF)), high)
	}
	return x
}

// viaWider computes on lanes of twice the width (bytes via 16, 16 via 32 bits) and keeps
// the low halves. compute gets one vector of each operand.
func (s *selector) viaWider(v *vir.Value, in [][]reg, signed bool, compute func(bits int, x []reg) reg) {
	bits := v.Type.Elem.Bits()
	n := partsFor(v.Type.Lanes, 2*bits)
	wide := make([][]reg, len(in))
	for i := range in {
		wide[i] = s.extend(in[i], bits, signed, n)
	}
	out := make([]reg, n)
	for p := range out {
		out[p] = compute(2*bits, column1(wide, p))
	}
	s.into(v, func(p int) reg { return s.narrow(2*bits, out[2*p], out[min(2*p+1, n-1)]) })
}

// narrow keeps the low halves of the lanes of a and b.
func (s *selector) narrow(bits int, a, b reg) reg {
	if bits == 64 {
		return s.shuffle(a, b, evenLanes(4))
	}
	m := k(bits, 1<<(bits/2)-1)
	a = s.do(wasm.V128And, a, m)
	b = s.do(wasm.V128And, b, m)
	if bits == 16 {
		return s.do(wasm.I8x16NarrowI16x8U, a, b)
	}
	return s.do(wasm.I16x8NarrowI32x4U, a, b)
}

// lanewise computes each lane with scalar instructions, for operations without a vector
// form.
func (s *selector) lanewise(v *vir.Value, in [][]reg) {
	res, arg := v.Type.Elem, v.Args[len(v.Args)-1].Type.Elem
	out := s.def(v)
	per := 128 / res.Bits()
	for l := range v.Type.Lanes {
		x := make([]reg, len(in))
		for i := range in {
			x[i] = s.extractLane(arg, in[i], l)
		}
		r := s.scalar(v.Op, res, arg, x)
		if r.typ == 0 {
			s.fail(v, "unsupported operation")
			return
		}
		dst := out[l/per]
		if l%per == 0 {
			s.move(dst, s.do(splats[laneColumn(res)], r))
		} else {
			s.move(dst, s.doLane(replaces[laneColumn(res)], l%per, dst, r))
		}
	}
}

var (
	splats   = vectorRow{wasm.I8x16Splat, wasm.I16x8Splat, wasm.I32x4Splat, wasm.I64x2Splat, wasm.F32x4Splat, wasm.F64x2Splat}
	replaces = vectorRow{wasm.I8x16ReplaceLane, wasm.I16x8ReplaceLane, wasm.I32x4ReplaceLane, wasm.I64x2ReplaceLane, wasm.F32x4ReplaceLane, wasm.F64x2ReplaceLane}
	extracts = vectorRow{wasm.I8x16ExtractLaneU, wasm.I16x8ExtractLaneU, wasm.I32x4ExtractLane, wasm.I64x2ExtractLane, wasm.F32x4ExtractLane, wasm.F64x2ExtractLane}
)

// extractLane returns lane l of a vector as a scalar.
func (s *selector) extractLane(t alu.Type, in []reg, l int) reg {
	per := 128 / t.Bits()
	return s.doLane(extracts[laneColumn(t)], l%per, in[l/per])
}
