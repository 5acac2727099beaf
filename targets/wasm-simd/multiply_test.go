package wasmsimd

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/vir"
)

func TestProductsWithConstants(t *testing.T) {
	for _, elem := range []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64} {
		for _, w := range []int{1, 8} {
			r := rand.New(rand.NewSource(int64(w)))
			x := newBuild(w)
			typ := vir.Vec(elem, w)
			n := w * elem.Size()
			constants := []uint64{0, 1, 2, 3, 4, 5, 6, 7, 9, 17, 31, 63, 127, 1<<31 + 1, 1<<31 - 1, 1<<32 - 1, 1<<32 + 1, 1<<63 + 1, 1<<63 - 1, 1<<64 - 1}
			buf := make([]byte, n*(1+len(constants)))
			for l := range w {
				put(buf[l*elem.Size():], elem, interesting(r, elem))
			}
			var regions []region
			for i, c := range constants {
				at := n * (1 + i)
				x.store(x.op(alu.Mul, typ, x.load(typ, 0), x.cst(typ, c&elem.Mask())), at)
				regions = append(regions, region{what: "product", typ: typ, at: at, input: []int{0}, from: []vir.Type{typ}})
			}
			x.b.Return()
			want := reference(t, x.f, buf, 1)
			for _, h := range hosts() {
				requireSame(t, regions, buf, want, run(t, h, x.f, buf, 1, Options{}))
			}
		}
	}
}

func TestProductsNextToPowersOfTwoAreShifts(t *testing.T) {
	for c, want := range map[uint64]int{3: 0, 5: 0, 7: 0, 6: 4, 11: 4, 1<<32 - 1: 0, 1<<64 - 1: 4} {
		x := newBuild(8)
		typ := vir.Vec(alu.I64, 8)
		x.store(x.op(alu.Mul, typ, x.load(typ, 0), x.cst(typ, c)), 0)
		x.b.Return()
		require.Equal(t, want, opsOf(t, x.f, Options{})[wasm.I64x2Mul], "times %d", c)
	}
	for c, want := range map[uint64]int{3: 0, 5: 0, 9: 0, 7: 1, 17: 1} {
		x := newBuild(1)
		typ := vir.Scalar(alu.I64)
		x.store(x.op(alu.Mul, typ, x.load(typ, 0), x.cst(typ, c)), 0)
		x.b.Return()
		require.Equal(t, want, opsOf(t, x.f, Options{})[wasm.I64Mul], "times %d", c)
	}
}
