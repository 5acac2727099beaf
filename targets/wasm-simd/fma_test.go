package wasmsimd

import (
	"math"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/vir"
)

// fmaOperands returns operands that often give a sum with cancellation, a subnormal or an
// overflowing result, or a tie.
func fmaOperands(r *rand.Rand, t alu.Type) (a, b, c uint64) {
	num := func(spread int) float64 {
		return math.Ldexp(1+r.Float64(), r.Intn(2*spread)-spread) * float64(1-2*r.Intn(2))
	}
	if t == alu.F32 {
		x, y := float32(num(60)), float32(num(60))
		z := float32(num(60))
		switch r.Intn(4) {
		case 0:
			z = -x * y
		case 1:
			x, y = float32(num(75)), float32(math.Ldexp(num(20), -60))
		}
		return uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), uint64(math.Float32bits(z))
	}
	x, y, z := num(500), num(500), num(1000)
	switch r.Intn(6) {
	case 0:
		z = -x * y
	case 1:
		z = x * y * num(60)
	case 2:
		x, y, z = num(30), math.Ldexp(num(30), -1040), math.Ldexp(num(40), -1060)
	case 3:
		x, y = math.Float64frombits(math.Float64bits(num(2))&^(1<<30-1)), math.Float64frombits(math.Float64bits(num(2))&^(1<<30-1))
		z = math.Ldexp(num(1), -52)
	case 4:
		return interesting(r, t), interesting(r, t), interesting(r, t)
	}
	return math.Float64bits(x), math.Float64bits(y), math.Float64bits(z)
}

func TestFMA(t *testing.T) {
	for _, h := range hosts() {
		fused, err := wasmhost.FusedMadd(h)
		require.NoError(t, err)
		require.Equal(t, h.Name() == "wasmtime", fused, "on the machines the tests run on, wasmtime fuses")
		for _, elem := range []alu.Type{alu.F32, alu.F64} {
			for _, useFused := range []bool{false, true} {
				if useFused && !fused {
					continue
				}
				const w = 64
				for seed := range int64(8) {
					r := rand.New(rand.NewSource(seed))
					x := newBuild(w)
					n := w * elem.Size()
					buf := make([]byte, 4*n)
					for l := range w {
						a, b, c := fmaOperands(r, elem)
						for i, v := range []uint64{a, b, c} {
							put(buf[i*n+l*elem.Size():], elem, v)
						}
					}
					vec := vir.Vec(elem, w)
					v := x.op(alu.FMA, vec, x.load(vec, 0), x.load(vec, n), x.load(vec, 2*n))
					x.store(v, 3*n)
					x.b.Return()
					regions := []region{{what: "fma", typ: vec, at: 3 * n, input: []int{0, n, 2 * n}, from: []vir.Type{vec, vec, vec}}}
					want := reference(t, x.f, buf, 1)
					requireSame(t, regions, buf, want, run(t, h, x.f, buf, 1, Options{FusedMadd: useFused}))
				}
			}
		}
	}
}
