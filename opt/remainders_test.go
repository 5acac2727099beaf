package opt_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// The comparison that replaces that of a remainder is exact for every number of 16 bits, and
// for edge cases of wider types.
func TestRemainderComparisonsAreExact(t *testing.T) {
	rng := rand.New(rand.NewSource(7))
	for _, typ := range []alu.Type{alu.I16, alu.I32, alu.I64} {
		for _, d := range []uint64{3, 5, 6, 7, 10, 12, 25, 96, 1000, 12288, 32767, 65535, typ.Mask() / 2, typ.Mask() - 1, typ.Mask()/2 - 1, rng.Uint64() & typ.Mask()} {
			for _, op := range []alu.Op{alu.URem, alu.SRem} {
				for _, test := range []alu.Op{alu.Eq, alu.Ne} {
					for _, r := range []uint64{0, 1, 2, d / 2, d - 1} {
						testRemainder(t, typ, op, test, d&typ.Mask(), r&typ.Mask())
						testRemainder(t, typ, op, test, -d&typ.Mask(), r&typ.Mask())
					}
				}
			}
		}
	}
}

func testRemainder(t *testing.T, typ alu.Type, op, test alu.Op, d, r uint64) {
	f, b, x := ofArgument(typ)
	b.Append(test, alu.I1, b.Append(op, typ, x, f.Const(typ, d)), f.Const(typ, r))
	b.Return()
	st := opt.Stats{}
	opt.Remainders(f, st)
	size := d // of the divisor
	if op == alu.SRem {
		size = min(d, -d&typ.Mask())
	}
	fires := 0
	if size&(size-1) != 0 && r < size {
		fires = 1
	}
	require.Equal(t, fires, st["remainder comparisons reduced"], "%s: %s by %d compared with %d", typ, alu.InfoOf(op).Name, d, r)
	require.NoError(t, kernel.Verify(f))
	xs := append(edgeValues(typ, d), r, d, d+r, r-d, -r, -d)
	if typ == alu.I16 && test == alu.Eq {
		for x := range uint64(1 << 16) {
			xs = append(xs, x)
		}
	}
	for _, x := range xs {
		x &= typ.Mask()
		want := alu.Eval(test, alu.I1, typ, alu.Eval(op, typ, typ, x, d, 0), r, 0)
		if got := evalBlock(b, x); got != want {
			require.Equal(t, want, got, "%s: %s of %d by %d compared with %d\n%s", typ, alu.InfoOf(op).Name, x, d, r, f)
		}
	}
}

// A remainder stays if it has other uses or if the divisor is a power of two.
func TestUsedRemaindersStay(t *testing.T) {
	m, err := kernel.Parse("x", `kernel f {
  arg p buffer ptr.global uint 1 "__global uint*"
b0:
  %p = arg.ptr.global 0
  %x = load.i32 %p align 4
  %r = urem.i32 %x, 10
  %a = eq.i32 %r, 3
  %s = urem.i32 %x, 12
  %b = eq.i32 %s, 4
  %u = urem.i32 %x, 16
  %c = eq.i32 %u, 5
  %d = or.i1 %a, %b
  %e = or.i1 %c, %d
  %z = zext.i32 %e
  store.i32x2 %p, %z, %r align 4
  return
}`)
	require.NoError(t, err)
	st := opt.Stats{}
	opt.Remainders(m.Funcs[0], st)
	require.Equal(t, 1, st["remainder comparisons reduced"])
}
