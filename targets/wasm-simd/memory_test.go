package wasmsimd

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

// TestStoredValuesAreUsedUnconditionally: the first use of every stored value is outside
// conditional code. wasmtime sinks a computation into each conditional use if there is no
// other use; kernels with scatters were fifteen times as large and as slow with a branch
// around each lane.
func TestStoredValuesAreUsedUnconditionally(t *testing.T) {
	for name, source := range map[string]string{
		"scatter": "scatter.f32x8 %0, %3, %5, %2 scale 4 align 4",
		"bytes":   "scatter.i8x8 %0, %3, %6, %2 scale 4 align 1",
		"vstore":  "vstore.f32x8 %0, %5, %2 align 4",
	} {
		t.Run(name, func(t *testing.T) {
			f, err := vir.Parse("t.vir", `vir t width 8 scratch 0 {
b0:
  %8 = context
  %0 = load.i64 %8 disp 184 align 8
  %1 = load.i64 %8 disp 24 align 8
  %2 = prefix.i1x8 %1 at 0
  %3 = iota.i32x8 at 0
  %4 = vload.f32x8 %0, true:i1x8 align 4
  %5 = fadd.f32x8 %4, %4
  %6 = trunc.i8x8 %3
  `+source+`
  return
}
`)
			require.NoError(t, err)
			m, err := Compile([]*vir.Func{f}, Options{})
			require.NoError(t, err)
			depth, stores := 0, 0
			for _, in := range m.Funcs[0].Body {
				switch in.Op {
				case wasm.If:
					require.NotZero(t, stores, "a branch before the first store")
					depth++
				case wasm.End:
					depth--
				case wasm.V128Store, wasm.V128Store32Lane, wasm.V128Store8Lane:
					if depth == 0 {
						stores++
					}
				}
			}
			require.NotZero(t, stores)
		})
	}
}

// TestPrivateStoresAreBlended: masked stores to private or local memory store the old
// contents in inactive lanes: without a branch if the location is valid in any case, with
// one for all lanes if the address was computed or is out of bounds.
func TestPrivateStoresAreBlended(t *testing.T) {
	for source, branches := range map[string]int{
		"vstore.f32x8 %9, %4, %2 disp 64 align 4":   0,
		"vstore.f32x8 %10, %4, %2 disp 64 align 4":  0,
		"vstore.f32x8 %10, %4, %2 disp 864 align 4": 0,
		"vstore.f32x8 %10, %4, %2 disp 868 align 4": 1,
		"vstore.f32x8 %9, %4, %2 disp -4 align 4":   1,
		"vstore.f32x8 %11, %4, %2 disp 64 align 4":  1,
		"vstore.f32x8 %0, %4, %2 align 4 local":     1,
	} {
		f, err := vir.Parse("t.vir", `vir t width 8 scratch 1024 {
b0:
  %8 = context
  %0 = load.i64 %8 disp 184 align 8
  %1 = load.i64 %8 disp 24 align 8
  %9 = load.i64 %8 disp 192 align 8 invariant
  %10 = add.i64 %9, 128
  %7 = and.i64 %1, 256
  %11 = add.i64 %7, %10
  %2 = prefix.i1x8 %1 at 0
  %4 = vload.f32x8 %0, true:i1x8 align 4
  `+source+`
  return
}
`)
		require.NoError(t, err)
		m, err := Compile([]*vir.Func{f}, Options{})
		require.NoError(t, err)
		ifs, blends := 0, 0
		for _, in := range m.Funcs[0].Body {
			switch in.Op {
			case wasm.If:
				ifs++
			case wasm.V128Bitselect:
				blends++
			}
		}
		require.Equal(t, branches, ifs, source)
		require.Equal(t, 2, blends, source)
	}
}

// TestLanesAreStoredWithoutBranches: a masked store to memory that other threads may use has one branch
// for each register, around the lanes of a partly active one.
func TestLanesAreStoredWithoutBranches(t *testing.T) {
	f, err := vir.Parse("t.vir", `vir t width 8 scratch 0 {
b0:
  %8 = context
  %0 = load.i64 %8 disp 184 align 8
  %1 = load.i64 %8 disp 24 align 8
  %2 = prefix.i1x8 %1 at 0
  %4 = vload.f32x8 %0, true:i1x8 align 4
  vstore.f32x8 %0, %4, %2 disp 64 align 4
  return
}
`)
	require.NoError(t, err)
	m, err := Compile([]*vir.Func{f}, Options{})
	require.NoError(t, err)
	ifs, lanes := 0, 0
	for _, in := range m.Funcs[0].Body {
		switch in.Op {
		case wasm.If:
			ifs++
		case wasm.V128Store32Lane:
			lanes++
		}
	}
	require.Equal(t, 2, ifs)
	require.Equal(t, 8, lanes)
}

// TestEvenSteps: active lanes at constant distances are loaded and stored through
// displacements, without extracting addresses from a vector. If the distances are too
// large, addresses are computed as usual.
func TestEvenSteps(t *testing.T) {
	const size, center = 1 << 18, 1 << 17
	r := rand.New(rand.NewSource(7))
	buf := make([]byte, size)
	r.Read(buf)
	for _, width := range []int{4, 16} {
		for _, elem := range []alu.Type{alu.I8, alu.I16, alu.I32, alu.F64} {
			for _, step := range []int64{2, 3, -1, -9, 100, -900, 3000} {
				for _, disp := range []int64{0, 40000, -40000, 32760} {
					x := newBuild(width)
					it := vir.Vec(alu.I32, width)
					iota := x.op(vir.Iota, it)
					iota.Index = r.Intn(3)
					index := x.op(alu.Mul, it, iota, x.cst(it, uint64(step)))
					at := x.op(alu.Add, vir.Scalar(alu.I64), x.buf, x.cst(vir.Scalar(alu.I64), center))
					access := func(op vir.Op, typ vir.Type, args ...*vir.Value) *vir.Value {
						v := x.op(op, typ, args...)
						v.Scale, v.Disp = 1, disp
						return v
					}
					v := access(vir.Gather, vir.Vec(elem, width), at, index, x.on(width))
					x.store(v, 64)
					access(vir.Scatter, vir.Type{}, at, index, x.load(vir.Vec(elem, width), 512), x.on(width))
					x.b.Return()
					x.f.Renumber()
					name := fmt.Sprintf("width %d, %s, step %d, disp %d", width, elem, step, disp)
					want := reference(t, x.f, buf, 1)
					for _, h := range hosts() {
						require.Equal(t, want, run(t, h, x.f, buf, 1, Options{}), name)
					}
					m, err := Compile([]*vir.Func{x.f}, Options{})
					require.NoError(t, err)
					extracts := slices.ContainsFunc(m.Funcs[0].Body, func(in wasm.Instr) bool { return in.Op == wasm.I32x4ExtractLane })
					require.Equal(t, max(step, -step)*int64(width-1) >= maxFold/2, extracts, name)
				}
			}
		}
	}
}
