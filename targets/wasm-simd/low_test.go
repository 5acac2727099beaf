package wasmsimd

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// opsOf counts the instructions of f.
func opsOf(t *testing.T, f *vir.Func, opt Options) map[wasm.Op]int {
	m, err := Compile([]*vir.Func{f}, opt)
	require.NoError(t, err)
	count := map[wasm.Op]int{}
	for _, in := range m.Funcs[0].Body {
		count[in.Op]++
	}
	return count
}

// loop makes a loop of n iterations: body gets the counter, an i32, and a loop-carried
// value, and returns the next one. The result is the last one.
func (x *build) loop(n int, first *vir.Value, body func(i, v *vir.Value) *vir.Value) *vir.Value {
	i32 := vir.Scalar(alu.I32)
	head, exit := x.f.NewBlock("loop"), x.f.NewBlock("exit")
	i, v := head.NewParam(i32, "i"), head.NewParam(first.Type, "v")
	x.b.Jump(head, x.cst(i32, 0), first)
	x.b = head
	next := body(i, v)
	up := x.op(alu.Add, i32, i, x.cst(i32, 1))
	more := x.op(alu.Ult, vir.Scalar(alu.I1), up, x.cst(i32, uint64(n)))
	x.b.Branch(more, vir.Edge{To: head, Args: []*vir.Value{up, next}}, vir.Edge{To: exit})
	x.b = exit
	return next
}

// Addresses are computed in 32 bits, also when they are loop-carried.
func TestAddressesAreComputedInLowHalves(t *testing.T) {
	i32, i64 := vir.Scalar(alu.I32), vir.Scalar(alu.I64)
	x := newBuild(1)
	x.loop(8, x.buf, func(i, at *vir.Value) *vir.Value {
		index := x.op(alu.Shl, i64, x.op(alu.ZExt, i64, i), x.cst(i64, 2))
		v := x.op(vir.Load, i32, x.op(alu.Add, i64, x.buf, index))
		st := x.op(vir.Store, vir.Type{}, at, x.op(alu.Mul, i32, v, v))
		st.Disp = 32
		return x.op(alu.Add, i64, at, x.cst(i64, 4))
	})
	x.b.Return()
	buf := make([]byte, 64)
	for i := range 8 {
		put(buf[4*i:], alu.I32, uint64(3*i+1))
	}
	want := reference(t, x.f, buf, 1)
	require.EqualValues(t, 22*22, peek(want[32+28:], alu.I32))
	for _, h := range hosts() {
		require.Equal(t, want, run(t, h, x.f, buf, 1, Options{}))
	}
	count := opsOf(t, x.f, Options{})
	for _, op := range []wasm.Op{wasm.I64Add, wasm.I64Shl, wasm.I64Load, wasm.I64ExtendI32U, wasm.I32WrapI64} {
		require.Zero(t, count[op], wasm.Rows[op].Name)
	}
	require.NotZero(t, count[wasm.I32Shl])
}

// The low half of a result equals that of the full computation, for any high halves of the
// operands; a value that is also used in full is computed in full.
func TestLowHalves(t *testing.T) {
	i32, i64 := vir.Scalar(alu.I32), vir.Scalar(alu.I64)
	for seed := range int64(60) {
		r := rand.New(rand.NewSource(seed))
		x := newBuild(1)
		const words, results = 8, 24
		buf := make([]byte, 8*words+8*results)
		for i := range words {
			put(buf[8*i:], alu.I64, interesting(r, alu.I64))
		}
		var all []*vir.Value
		for i := range words {
			all = append(all, x.load(i64, 8*i))
		}
		all = append(all, x.cst(i64, r.Uint64()), x.cst(i64, r.Uint64()|1<<32-1))
		any := func() *vir.Value { return all[r.Intn(len(all))] }
		var regions []region
		for i := range results {
			var v *vir.Value
			switch ops := []vir.Op{alu.Add, alu.Sub, alu.Mul, alu.And, alu.Or, alu.Xor, alu.Shl, alu.ZExt, alu.SExt, alu.Select, alu.LShr}; ops[i%len(ops)] {
			case alu.Shl:
				v = x.op(alu.Shl, i64, any(), x.cst(i64, uint64(r.Intn(70))))
			case alu.ZExt, alu.SExt:
				from := []alu.Type{alu.I1, alu.I8, alu.I16, alu.I32}[r.Intn(4)]
				v = x.op(ops[i%len(ops)], i64, x.op(alu.Trunc, vir.Scalar(from), any()))
			case alu.Select:
				v = x.op(alu.Select, i64, x.op(alu.Slt, vir.Scalar(alu.I1), any(), any()), any(), any())
			default:
				v = x.op(ops[i%len(ops)], i64, any(), any())
			}
			all = append(all, v)
			at := 8*words + 8*i
			if r.Intn(8) == 0 {
				x.store(v, at)
				regions = append(regions, region{what: vir.FormatValue(v), typ: i64, at: at})
			} else {
				x.store(x.op(alu.Trunc, i32, v), at)
				regions = append(regions, region{what: vir.FormatValue(v), typ: i32, at: at})
			}
		}
		x.b.Return()
		want := reference(t, x.f, buf, 1)
		for _, h := range hosts() {
			requireSame(t, regions, buf, want, run(t, h, x.f, buf, 1, Options{}))
		}
	}
}

// A sum of products stays in a vector across iterations; only its initial value is moved
// there.
func TestSumsOfProductsStayInLaneZero(t *testing.T) {
	for _, elem := range []alu.Type{alu.F32, alu.F64} {
		typ, i64 := vir.Scalar(elem), vir.Scalar(alu.I64)
		size := elem.Size()
		x := newBuild(1)
		start := x.op(alu.FAdd, typ, x.load(typ, 0), x.load(typ, size))
		sum := x.loop(6, start, func(i, sum *vir.Value) *vir.Value {
			at := x.op(alu.Add, i64, x.buf, x.op(alu.Mul, i64, x.op(alu.ZExt, i64, i), x.cst(i64, uint64(size))))
			return x.op(alu.FMA, typ, x.op(vir.Load, typ, at), x.cst(typ, map[alu.Type]uint64{alu.F32: 0x40400000, alu.F64: 0x4008 << 48}[elem]), sum)
		})
		x.store(sum, 6*size)
		x.store(x.op(alu.FMul, typ, sum, sum), 7*size)
		x.b.Return()
		buf := make([]byte, 8*size)
		r := rand.New(rand.NewSource(1))
		for i := range 6 {
			a, _, _ := fmaOperands(r, elem)
			put(buf[i*size:], elem, a)
		}
		regions := []region{{what: "sum and square", typ: vir.Vec(elem, 2), at: 6 * size}}
		want := reference(t, x.f, buf, 1)
		for _, h := range hosts() {
			fused, err := wasmhost.FusedMadd(h)
			require.NoError(t, err)
			requireSame(t, regions, buf, want, run(t, h, x.f, buf, 1, Options{FusedMadd: fused}))
		}
		count := opsOf(t, x.f, Options{FusedMadd: true})
		require.Equal(t, 1, count[wasm.F32x4Splat]+count[wasm.F64x2Splat], "the initial value")
		require.Equal(t, 1, count[wasm.V128Load32Zero]+count[wasm.V128Load64Zero])
	}
}
