package legalize_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/avx2"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

// permuted loads a vector, permutes it by lanes and stores it.
func permuted(e alu.Type, lanes []int) *vir.Func {
	f := &vir.Func{Name: "permuted", Width: 64}
	b := f.NewBlock("")
	ctx := b.Append(vir.Context, vir.Scalar(alu.I64))
	t := vir.Vec(e, len(lanes))
	all := f.Const(vir.Mask(t.Lanes), 1)
	x := b.Append(vir.VLoad, t, ctx, all)
	x.Disp, x.Align = operands, 1
	y := b.Append(vir.Shuffle, t, x, x)
	y.Lanes = lanes
	s := b.Append(vir.VStore, vir.Type{}, ctx, y, all)
	s.Disp, s.Align = 2*space, 1
	b.Return()
	f.Renumber()
	return f
}

// TestPermutationNetworks checks permutations of the bits of lane numbers, and that those of structs
// take the logarithm of the number of their components in shuffles per register.
func TestPermutationNetworks(t *testing.T) {
	engine := legalize.Target{Whole: true, RegisterBits: 128, SimpleShuffles: 8, Has: strict.Has}
	for _, c := range []struct {
		name   string
		target legalize.Target
	}{{"avx512", avx512.Legal}, {"avx2", avx2.Legal}, {"whole", engine}} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewSource(1))
			check := func(e alu.Type, from []int) (f *vir.Func, shuffles int) {
				lanes := make([]int, 1<<len(from))
				for i := range lanes {
					for p, b := range from {
						lanes[i] |= i >> p & 1 << b
					}
				}
				f = permuted(e, lanes)
				g, err := legalize.Func(f, c.target)
				require.NoError(t, err)
				requireLegal(t, g, c.target)
				bytes := make([]byte, 4*space)
				rng.Read(bytes)
				require.Equal(t, run(t, f, bytes), run(t, g, bytes), "%v\n%s", from, g)
				for _, b := range g.Blocks {
					for _, v := range b.Values {
						if v.Op == vir.Shuffle {
							shuffles++
						}
					}
				}
				return g, shuffles
			}
			for range 300 {
				e := []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64}[rng.Intn(4)]
				check(e, rng.Perm(2+rng.Intn(7)))
			}
			for _, e := range []alu.Type{alu.I32, alu.F32, alu.I64} {
				for _, n := range []int{1, 2, 3, 4} { // the logarithm of the number of components
					for _, inverse := range []bool{false, true} {
						from := make([]int, 4+n)
						for p := range from { // bit p of the component is the highest
							from[p] = (p + n) % len(from)
							if inverse {
								from[p] = (p + 4) % len(from)
							}
						}
						g, shuffles := check(e, from)
						registers := 1 << len(from) * e.Bits() / c.target.RegisterBits
						steps := n
						if per := c.target.RegisterBits / e.Bits(); 1<<n > per {
							steps = log2(per)
						}
						if c.target.SimpleShuffles > 0 && e.Size() <= c.target.SimpleShuffles && n < log2(c.target.RegisterBits/e.Bits()) {
							steps++ // to sort the lanes of each register
						}
						message := fmt.Sprintf("%d components of %s, inverse: %v\n%s", 1<<n, e, inverse, g)
						require.LessOrEqual(t, shuffles, registers*steps, message)
						if c.target.SimpleShuffles < e.Size() {
							continue
						}
						for _, b := range g.Blocks {
							for _, v := range b.Values {
								if v.Op != vir.Shuffle || v.Args[0] == v.Args[1] || c.target.Whole {
									continue
								}
								_, _, ok := isel.JoinOf(v.Lanes, v.Args[0].Type.Lanes, e.Size(), asm.V256)
								require.True(t, ok, "more than one instruction: %s in %s", vir.FormatValue(v), message)
							}
						}
					}
				}
			}
		})
	}
}

func log2(n int) (k int) {
	for ; n > 1; n /= 2 {
		k++
	}
	return k
}
