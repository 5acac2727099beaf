package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// Columns of the op tables.
const (
	colI32 = iota
	colI64
	colF32
	colF64
)

// scalarOps lists the operations with a single instruction on i32, i64, f32 or f64.
// Integers below 32 bits use the i32 column: operands are zero- or sign-extended according
// to signedOps, and the result is truncated.
var scalarOps = map[alu.Op][4]wasm.Op{
	alu.Add:      {wasm.I32Add, wasm.I64Add},
	alu.Sub:      {wasm.I32Sub, wasm.I64Sub},
	alu.Mul:      {wasm.I32Mul, wasm.I64Mul},
	alu.And:      {wasm.I32And, wasm.I64And},
	alu.Or:       {wasm.I32Or, wasm.I64Or},
	alu.Xor:      {wasm.I32Xor, wasm.I64Xor},
	alu.Shl:      {wasm.I32Shl, wasm.I64Shl},
	alu.LShr:     {wasm.I32ShrU, wasm.I64ShrU},
	alu.AShr:     {wasm.I32ShrS, wasm.I64ShrS},
	alu.Rotl:     {wasm.I32Rotl, wasm.I64Rotl},
	alu.Clz:      {wasm.I32Clz, wasm.I64Clz},
	alu.Popcount: {wasm.I32Popcnt, wasm.I64Popcnt},
	alu.Eq:       {wasm.I32Eq, wasm.I64Eq},
	alu.Ne:       {wasm.I32Ne, wasm.I64Ne},
	alu.Slt:      {wasm.I32LtS, wasm.I64LtS},
	alu.Sle:      {wasm.I32LeS, wasm.I64LeS},
	alu.Ult:      {wasm.I32LtU, wasm.I64LtU},
	alu.Ule:      {wasm.I32LeU, wasm.I64LeU},
	alu.FAdd:     {colF32: wasm.F32Add, colF64: wasm.F64Add},
	alu.FSub:     {colF32: wasm.F32Sub, colF64: wasm.F64Sub},
	alu.FMul:     {colF32: wasm.F32Mul, colF64: wasm.F64Mul},
	alu.FDiv:     {colF32: wasm.F32Div, colF64: wasm.F64Div},
	alu.FNeg:     {colF32: wasm.F32Neg, colF64: wasm.F64Neg},
	alu.FAbs:     {colF32: wasm.F32Abs, colF64: wasm.F64Abs},
	alu.FSqrt:    {colF32: wasm.F32Sqrt, colF64: wasm.F64Sqrt},
	alu.FFloor:   {colF32: wasm.F32Floor, colF64: wasm.F64Floor},
	alu.FCeil:    {colF32: wasm.F32Ceil, colF64: wasm.F64Ceil},
	alu.FTrunc:   {colF32: wasm.F32Trunc, colF64: wasm.F64Trunc},
	alu.FRint:    {colF32: wasm.F32Nearest, colF64: wasm.F64Nearest},
	alu.FEq:      {colF32: wasm.F32Eq, colF64: wasm.F64Eq},
	alu.FNe:      {colF32: wasm.F32Ne, colF64: wasm.F64Ne},
	alu.FLt:      {colF32: wasm.F32Lt, colF64: wasm.F64Lt},
	alu.FLe:      {colF32: wasm.F32Le, colF64: wasm.F64Le},
}

func column(t alu.Type) int {
	switch scalarType(t) {
	case wasm.I64:
		return colI64
	case wasm.F32:
		return colF32
	case wasm.F64:
		return colF64
	}
	return colI32
}

// signed sign-extends a narrow integer to the whole i32.
func (s *selector) signed(t alu.Type, r reg) reg {
	switch t {
	case alu.I8:
		return s.do(wasm.I32Extend8S, r)
	case alu.I16:
		return s.do(wasm.I32Extend16S, r)
	}
	return r
}

// cut clears the bits above a narrow integer.
func (s *selector) cut(t alu.Type, r reg) reg {
	switch t {
	case alu.I1, alu.I8, alu.I16:
		return s.do(wasm.I32And, r, k32(int32(t.Mask())))
	}
	return r
}

// scalar computes a pure operation on scalars; arg is the type T of its class. The zero reg
// means that there is no rule.
func (s *selector) scalar(op alu.Op, res, arg alu.Type, in []reg) reg {
	col := column(arg)
	narrow := col == colI32 && arg != alu.I32 && arg != alu.I1
	switch op {
	case alu.AShr, alu.Slt, alu.Sle:
		if narrow {
			in = []reg{s.signed(arg, in[0]), s.signedUnlessShift(op, arg, in[1])}
		}
	case alu.UDiv, alu.SDiv, alu.URem, alu.SRem:
		return s.divide(op, arg, in[0], in[1])
	case alu.Mul:
		if out, ok := s.multiplyScalar(arg, in[0], in[1]); ok {
			return out
		}
	case alu.UMulHi, alu.SMulHi:
		return s.mulHigh(op, arg, in[0], in[1])
	case alu.SMin, alu.SMax, alu.UMin, alu.UMax:
		less := map[alu.Op]alu.Op{alu.SMin: alu.Slt, alu.SMax: alu.Slt, alu.UMin: alu.Ult, alu.UMax: alu.Ult}[op]
		c := s.scalar(less, alu.I1, arg, in)
		if op == alu.SMax || op == alu.UMax {
			return s.choose(in[1], in[0], c)
		}
		return s.choose(in[0], in[1], c)
	case alu.UAddSat, alu.SAddSat, alu.USubSat, alu.SSubSat:
		return s.saturate(op, arg, in[0], in[1])
	case alu.FMin, alu.FMax:
		less := s.scalar(alu.FLt, alu.I1, arg, map[bool][]reg{true: {in[0], in[1]}, false: {in[1], in[0]}}[op == alu.FMin])
		nan := s.scalar(alu.FNe, alu.I1, arg, []reg{in[1], in[1]})
		return s.choose(in[0], in[1], s.do(wasm.I32Or, less, nan))
	case alu.PMin:
		return s.choose(in[0], in[1], s.scalar(alu.FLt, alu.I1, arg, in))
	case alu.PMax:
		return s.choose(in[0], in[1], s.scalar(alu.FLt, alu.I1, arg, []reg{in[1], in[0]}))
	case alu.DotUS, alu.DotUSSat:
		return s.dotProduct(op, in)
	case alu.FMA:
		return s.scalarFMA(arg, in)
	case alu.Abs:
		x := s.signed(arg, in[0])
		zero := zero(x.typ)
		neg := s.do(scalarOps[alu.Sub][col], zero, x)
		return s.cut(arg, s.choose(neg, x, s.do(scalarOps[alu.Slt][col], x, zero)))
	case alu.Select:
		return s.choose(in[1], in[2], in[0])
	case alu.Trunc, alu.ZExt, alu.SExt, alu.FPTrunc, alu.FPExt, alu.SIToFP, alu.UIToFP, alu.FPToSI, alu.FPToUI, alu.Bitcast:
		return s.scalarConvert(op, res, arg, in[0])
	}
	if narrow {
		switch op {
		case alu.Shl, alu.LShr, alu.AShr:
			in = []reg{in[0], s.do(wasm.I32And, in[1], k32(int32(arg.Bits()-1)))}
		case alu.Rotl:
			n := s.do(wasm.I32And, in[1], k32(int32(arg.Bits()-1)))
			back := s.do(wasm.I32Sub, k32(int32(arg.Bits())), n)
			return s.cut(arg, s.do(wasm.I32Or, s.do(wasm.I32Shl, in[0], n), s.do(wasm.I32ShrU, in[0], back)))
		case alu.Clz:
			return s.do(wasm.I32Sub, s.do(wasm.I32Clz, in[0]), k32(int32(32-arg.Bits())))
		}
	}
	row, ok := scalarOps[op]
	if !ok || row[col] == wasm.Unreachable {
		return reg{}
	}
	out := s.do(row[col], in...)
	if res != alu.I1 {
		switch op {
		case alu.Add, alu.Sub, alu.Mul, alu.Shl, alu.AShr:
			out = s.cut(arg, out)
		}
	}
	return out
}

func (s *selector) signedUnlessShift(op alu.Op, t alu.Type, r reg) reg {
	if op == alu.AShr {
		return r
	}
	return s.signed(t, r)
}

// divide computes quotients and remainders without traps: a divisor of 0 counts as 1, and
// MIN / -1 is MIN.
func (s *selector) divide(op alu.Op, t alu.Type, a, b reg) reg {
	col := column(t)
	one, minusOne := k32(1), k32(-1)
	if col == colI64 {
		one, minusOne = k64(1), k64(-1)
	}
	sign := op == alu.SDiv || op == alu.SRem
	if sign {
		a, b = s.signed(t, a), s.signed(t, b)
	}
	eqz := []wasm.Op{wasm.I32Eqz, wasm.I64Eqz}[col]
	b = s.choose(one, b, s.do(eqz, b))
	var out reg
	switch op {
	case alu.UDiv:
		out = s.do([]wasm.Op{wasm.I32DivU, wasm.I64DivU}[col], a, b)
	case alu.URem:
		out = s.do([]wasm.Op{wasm.I32RemU, wasm.I64RemU}[col], a, b)
	case alu.SRem: // rem_s defines MIN % -1 as 0
		out = s.do([]wasm.Op{wasm.I32RemS, wasm.I64RemS}[col], a, b)
	default:
		// Divide by 1 instead of -1 and negate.
		back := s.do(scalarOps[alu.Eq][col], b, minusOne)
		q := s.do([]wasm.Op{wasm.I32DivS, wasm.I64DivS}[col], a, s.choose(one, b, back))
		out = s.choose(s.do(scalarOps[alu.Sub][col], zero(q.typ), q), q, back)
	}
	return s.cut(t, out)
}

// mulHigh returns the upper half of a product.
func (s *selector) mulHigh(op alu.Op, t alu.Type, a, b reg) reg {
	if t != alu.I64 {
		extend := wasm.I64ExtendI32U
		if op == alu.SMulHi {
			extend = wasm.I64ExtendI32S
			a, b = s.signed(t, a), s.signed(t, b)
		}
		p := s.do(wasm.I64Mul, s.do(extend, a), s.do(extend, b))
		return s.cut(t, s.do(wasm.I32WrapI64, s.do(wasm.I64ShrU, p, k64(int64(t.Bits())))))
	}
	// Schoolbook multiplication of 32-bit digits.
	m := k64(0xFFFFFFFF)
	lo := func(x reg) reg { return s.do(wasm.I64And, x, m) }
	hi := func(x reg) reg { return s.do(wasm.I64ShrU, x, k64(32)) }
	mul := func(x, y reg) reg { return s.do(wasm.I64Mul, x, y) }
	add := func(x, y reg) reg { return s.do(wasm.I64Add, x, y) }
	a0, a1, b0, b1 := lo(a), hi(a), lo(b), hi(b)
	mid := add(mul(a1, b0), hi(mul(a0, b0)))
	low := add(mul(a0, b1), lo(mid))
	out := add(add(mul(a1, b1), hi(mid)), hi(low))
	if op == alu.SMulHi {
		minus := func(x, y reg) reg {
			return s.do(wasm.I64Sub, out, s.do(wasm.I64And, s.do(wasm.I64ShrS, x, k64(63)), y))
		}
		out = minus(a, b)
		out = minus(b, a)
	}
	return out
}

// scalarConvert computes the conversions.
func (s *selector) scalarConvert(op alu.Op, to, from alu.Type, x reg) reg {
	toWide, fromWide := column(to) == colI64, column(from) == colI64
	switch op {
	case alu.Trunc:
		if fromWide && x.typ == wasm.I64 {
			x = s.do(wasm.I32WrapI64, x)
		}
		return s.cut(to, x)
	case alu.ZExt:
		if toWide {
			return s.do(wasm.I64ExtendI32U, x)
		}
		return x
	case alu.SExt:
		if from == alu.I1 {
			x = s.do(wasm.I32Sub, k32(0), x)
		} else {
			x = s.signed(from, x)
		}
		if toWide {
			return s.do(wasm.I64ExtendI32S, x)
		}
		return s.cut(to, x)
	case alu.Bitcast:
		switch {
		case scalarType(to) == scalarType(from):
			return x
		case to == alu.F32:
			return s.do(wasm.F32ReinterpretI32, x)
		case to == alu.F64:
			return s.do(wasm.F64ReinterpretI64, x)
		case from == alu.F32:
			return s.do(wasm.I32ReinterpretF32, x)
		}
		return s.do(wasm.I64ReinterpretF64, x)
	case alu.FPTrunc, alu.FPExt:
		return s.scalarFloats(to, from, x)
	case alu.SIToFP, alu.UIToFP:
		row := map[alu.Op][2][2]wasm.Op{ // by operand, then result
			alu.SIToFP: {{wasm.F32ConvertI32S, wasm.F64ConvertI32S}, {wasm.F32ConvertI64S, wasm.F64ConvertI64S}},
			alu.UIToFP: {{wasm.F32ConvertI32U, wasm.F64ConvertI32U}, {wasm.F32ConvertI64U, wasm.F64ConvertI64U}},
		}[op]
		return s.do(row[column(from)][column(to)-colF32], x)
	}
	return s.scalarToInt(op, to, from, x)
}

// scalarToInt converts toward zero. NaN and numbers out of range give MIN or, unsigned, all
// ones; WebAssembly's saturating conversion gives 0 and the nearest integer.
func (s *selector) scalarToInt(op alu.Op, to, from alu.Type, x reg) reg {
	row := map[alu.Op][2][2]wasm.Op{ // by result, then operand
		alu.FPToSI: {{wasm.I32TruncSatF32S, wasm.I32TruncSatF64S}, {wasm.I64TruncSatF32S, wasm.I64TruncSatF64S}},
		alu.FPToUI: {{wasm.I32TruncSatF32U, wasm.I32TruncSatF64U}, {wasm.I64TruncSatF32U, wasm.I64TruncSatF64U}},
	}[op]
	fc := column(from)
	q := s.do(row[column(to)][fc-colF32], x)
	if op == alu.FPToSI {
		bad := k32(-1 << 31)
		if to == alu.I64 {
			bad = k64(-1 << 63)
		}
		limit := floatConst(from, float64(uint64(1)<<(to.Bits()-1)))
		return s.choose(q, bad, s.do(scalarOps[alu.FLt][fc], x, limit))
	}
	bad := k32(-1)
	if to == alu.I64 {
		bad = k64(-1)
	}
	return s.choose(q, bad, s.do(scalarOps[alu.FLt][fc], floatConst(from, -1), x))
}

// scalarFloats converts between floating-point types. Halves are converted as vectors.
func (s *selector) scalarFloats(to, from alu.Type, x reg) reg {
	switch {
	case to == alu.F32 && from == alu.F64:
		return s.do(wasm.F32DemoteF64, x)
	case to == alu.F64 && from == alu.F32:
		return s.do(wasm.F64PromoteF32, x)
	case from == alu.F16:
		f := s.doLane(wasm.F32x4ExtractLane, 0, s.halfToFloat(s.do(wasm.I32x4Splat, x)))
		if to == alu.F64 {
			return s.do(wasm.F64PromoteF32, f)
		}
		return f
	case from == alu.F64:
		v := s.do(wasm.F64x2Splat, x)
		return s.doLane(wasm.I32x4ExtractLane, 0, s.floatToHalf(s.demoteToOdd(v, v)))
	}
	return s.doLane(wasm.I32x4ExtractLane, 0, s.floatToHalf(s.do(wasm.F32x4Splat, x)))
}
