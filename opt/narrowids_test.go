package opt_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// A division of ids that fit an int by a constant takes one multiplication and shifts,
// signed or not, and is exact.
func TestDivisionsOfNarrowIDs(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	divisors := []uint64{641, 1920, 65535, 1 << 20, 1<<20 + 7}
	for d := range uint64(700) {
		divisors = append(divisors, d+2)
	}
	for _, d := range divisors {
		for _, div := range []string{"sdiv", "udiv"} {
			m, err := kernel.Parse("near.simt", fmt.Sprintf(`kernel k {
  arg p buffer ptr.global int 1 "int*"
b0:
  %%p = arg.ptr.global 0
  %%g = globalid 0
  %%i = trunc.i32 %%g
  %%q = %s.i32 %%i, %d
  store.i32 %%p, %%q align 4
  return
}
`, div, d))
			require.NoError(t, err)
			f := m.Funcs[0]
			opt.Strength(f, nil)
			opt.Fold(f, nil)
			before := f.String()
			f = opt.Near(f, nil)
			values := f.Blocks[0].Values
			require.LessOrEqual(t, len(values), 7, "%s by %d\n%s\n%s", div, d, before, f)
			for range 300 {
				x := uint64(r.Int63n(kernel.NearItems))
				switch r.Intn(3) {
				case 0:
					x = min(x/d*d, kernel.NearItems-1)
				case 1:
					x = x/d*d + d - 1
				}
				if x >= kernel.NearItems {
					x = kernel.NearItems - 1
				}
				of := map[*kernel.Value]uint64{}
				get := func(v *kernel.Value) uint64 {
					if v.Op == kernel.Const {
						return v.Const
					}
					return of[v]
				}
				for _, v := range values[:len(values)-1] {
					switch {
					case v.Op == kernel.GlobalID:
						of[v] = x
					case v.Op.Pure():
						args := [3]uint64{}
						for i, a := range v.Args {
							args[i] = get(a)
						}
						of[v] = alu.Eval(v.Op, v.Type, v.Args[0].Type, args[0], args[1], args[2])
					}
				}
				require.Equal(t, x/d, get(values[len(values)-1].Args[1]), "%s of %d by %d\n%s", div, x, d, f)
			}
		}
	}
}
