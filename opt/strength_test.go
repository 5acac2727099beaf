package opt_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// ofArgument returns a function with a block, and its argument there.
func ofArgument(typ alu.Type) (*kernel.Func, *kernel.Block, *kernel.Value) {
	f := &kernel.Func{Name: "f", Args: []kernel.Arg{{Name: "x", Type: typ, Count: 1, Size: typ.Size(), Align: typ.Size()}}}
	b := f.NewBlock("")
	return f, b, b.Append(kernel.Argument, typ)
}

// evalBlock computes the operations of one block of pure operations, x being
// the value of its only other operand.
func evalBlock(b *kernel.Block, x uint64) uint64 {
	values := make([]uint64, b.Func.NumValues())
	last := uint64(0)
	for _, v := range b.Values {
		switch {
		case v.Op == kernel.Argument:
			values[v.ID] = x
		case v.Op.Pure():
			var a [3]uint64
			for i, w := range v.Args {
				if a[i] = values[w.ID]; w.Op == kernel.Const {
					a[i] = w.Const
				}
			}
			last = alu.Eval(v.Op, v.Type, v.Args[0].Type, a[0], a[1], a[2])
			values[v.ID] = last
		}
	}
	return last
}

// edgeValues lists values of type t at which division by d could go wrong.
func edgeValues(t alu.Type, d uint64) []uint64 {
	w := t.Bits()
	var out []uint64
	for _, base := range []uint64{0, 1 << (w - 1), t.Mask(), t.Mask() / 3, d, -d, d * 2, d * 3, t.Mask() / max(d, 1) * d, (1 << (w - 1)) / max(d, 1) * d} {
		for k := range uint64(5) {
			out = append(out, (base+k-2)&t.Mask())
		}
	}
	return out
}

func TestStrengthIsExact(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for _, typ := range []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64} {
		w := typ.Bits()
		divisors := []uint64{0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13, 25, 28, 100, 125, 641, 1000, 60000}
		for k := range w {
			divisors = append(divisors, 1<<k, 1<<k-1, 1<<k+1)
		}
		for range 150 {
			divisors = append(divisors, rng.Uint64()>>rng.Intn(w))
		}
		for _, d := range divisors {
			for _, d := range []uint64{d & typ.Mask(), -d & typ.Mask()} {
				for _, op := range []alu.Op{alu.UDiv, alu.SDiv, alu.URem, alu.SRem} {
					f, b, x := ofArgument(typ)
					b.Append(op, typ, x, f.Const(typ, d))
					b.Return()
					st := opt.Stats{}
					opt.Strength(f, st)
					require.NoError(t, kernel.Verify(f))
					if w >= 16 {
						require.Equal(t, 1, st["divisions by constants replaced"], "%v by %d", op, d)
						require.NotContains(t, f.String(), "div.")
						require.NotContains(t, f.String(), "rem.")
					}
					xs := edgeValues(typ, d)
					for range 40 {
						xs = append(xs, rng.Uint64()>>rng.Intn(w)&typ.Mask())
					}
					if w == 8 {
						for x := range uint64(256) {
							xs = append(xs, x)
						}
					}
					for _, x := range xs {
						want := alu.Eval(op, typ, typ, x, d, 0)
						require.Equal(t, want, evalBlock(b, x), "%s %s: %d by %d\n%s", alu.InfoOf(op).Name, typ, x, d, f)
					}
				}
			}
		}
	}
}

// A division of a number that is known to be small takes a multiplication without a high
// half.
func TestStrengthOfSmallNumbers(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for _, typ := range []alu.Type{alu.I16, alu.I32, alu.I64} {
		for _, mask := range []uint64{0, 1, 7, 0x1f, 0x7f, 0xff, 0x3ff, 0xfff, 0xffff, 0xfffff, 0x7fffffff} {
			for _, d := range []uint64{3, 5, 6, 7, 9, 10, 25, 28, 60, 100, 127, 129, 255, 641, 1000, 40000, 60000} {
				mask := mask & typ.Mask()
				for _, op := range []alu.Op{alu.UDiv, alu.SDiv, alu.URem, alu.SRem} {
					f, b, x := ofArgument(typ)
					small := b.Append(alu.And, typ, x, f.Const(typ, mask))
					b.Append(op, typ, small, f.Const(typ, d))
					b.Return()
					opt.Strength(f, nil)
					require.NoError(t, kernel.Verify(f))
					if d*mask*2 <= typ.Mask() && mask*mask*4 <= typ.Mask() && d <= mask && d>>(typ.Bits()-1) == 0 {
						require.NotContains(t, f.String(), "mulhi", "%v of %d by %d", op, mask, d)
					}
					for n := range uint64(300) {
						v := n
						if n > 256 {
							v = rng.Uint64()
						}
						if n > 290 {
							v = mask - v%8
						}
						v &= mask
						require.Equal(t, alu.Eval(op, typ, typ, v, d&typ.Mask(), 0), evalBlock(b, v), "%s %s: %d by %d\n%s", alu.InfoOf(op).Name, typ, v, d, f)
					}
				}
			}
		}
	}
}

// A nonnegative dividend is divided without corrections.
func TestStrengthOfNonnegativeNumbers(t *testing.T) {
	m, err := kernel.Parse("x", `kernel f {
  arg p buffer ptr.global uint 1 "__global uint*"
b0:
  %p = arg.ptr.global 0
  %x = load.i32 %p align 4
  %half = lshr.i32 %x, 1
  %q = sdiv.i32 %half, 8
  %r = srem.i32 %half, 8
  %s = sdiv.i32 %half, 10
  store.i32x3 %p, %q, %r, %s align 4
  return
}
`)
	require.NoError(t, err)
	f := m.Funcs[0]
	opt.Strength(f, nil)
	text := f.String()
	require.Contains(t, text, "lshr.i32 %2, 3")
	require.Contains(t, text, "and.i32 %2, 7")
	require.Contains(t, text, "umulhi.i32")
	require.NotContains(t, text, "ashr")
}

func ExampleStrength() {
	m, _ := kernel.Parse("x", `kernel f {
  arg p buffer ptr.global int 1 "__global int*"
b0:
  %p = arg.ptr.global 0
  %x = load.i32 %p align 4
  %q = sdiv.i32 %x, 7
  store.i32 %p, %q align 4
  return
}
`)
	opt.Strength(m.Funcs[0], nil)
	_, body, _ := strings.Cut(m.Funcs[0].String(), "load.i32 %0 align 4\n")
	fmt.Print(body)
	// Output:
	//   %2 = smulhi.i32 %1, -1840700269
	//   %3 = add.i32 %2, %1
	//   %4 = ashr.i32 %3, 2
	//   %5 = ashr.i32 %1, 31
	//   %6 = sub.i32 %4, %5
	//   store.i32 %0, %6 align 4
	//   return
	// }
}
