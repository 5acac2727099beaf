package opt_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// randomNumbers returns a kernel that combines bytes to numbers: mostly
// neighbours in order, sometimes not, sometimes with a store in between.
func randomNumbers(rng *rand.Rand) string {
	var s strings.Builder
	s.WriteString(`kernel k {
  arg p buffer ptr.global uchar 1 "uchar*"
  arg q buffer ptr.global ulong 1 "ulong*"
  arg s scalar i32 int 1 "int"
b0:
  %p = arg.ptr.global 0
  %q = arg.ptr.global 1
`)
	id := 0
	def := func(format string, args ...any) string {
		id++
		fmt.Fprintf(&s, "  %%v%d = %s\n", id, fmt.Sprintf(format, args...))
		return fmt.Sprintf("%%v%d", id)
	}
	for k := range 4 {
		width := []int{16, 32, 64}[rng.Intn(3)]
		n := []int{2, 3, 4, 8}[rng.Intn(4)]
		n = min(n, width/8)
		big, low := rng.Intn(2) == 0, rng.Intn(width/8-n+1)
		at := rng.Intn(8)
		order := rng.Perm(n)
		sum := ""
		var parts []string
		for _, i := range order {
			place := i
			if big {
				place = n - 1 - i
			}
			if rng.Intn(12) == 0 {
				place = rng.Intn(n)
			}
			a := def("ptradd.ptr.global %%p, %d", at+i)
			b := def("load.i8 %s align 1", a)
			if rng.Intn(16) == 0 {
				fmt.Fprintf(&s, "  store.i8 %s, %d align 1\n", a, rng.Intn(256))
			}
			extend := "zext"
			if rng.Intn(8) == 0 {
				extend = "sext"
			}
			x := def("%s.i%d %s", extend, width, b)
			if place+low > 0 {
				x = def("shl.i%d %s, %d", width, x, 8*(place+low))
			}
			parts = append(parts, x)
		}
		for _, x := range parts {
			if sum == "" {
				sum = x
				continue
			}
			sum = def("%s.i%d %s, %s", []string{"or", "or", "add", "xor"}[rng.Intn(4)], width, sum, x)
		}
		if rng.Intn(8) == 0 { // another use of a part
			sum = def("xor.i%d %s, %s", width, sum, parts[0])
		}
		fmt.Fprintf(&s, "  %%q%d = ptradd.ptr.global %%q, %d\n  store.i%d %%q%d, %s align 2\n", k, 8*k, width, k, sum)
	}
	s.WriteString("  return\n}\n")
	return s.String()
}

func TestCombinedLoadsKeepValues(t *testing.T) {
	st := opt.Stats{}
	for seed := range 4 * cases() {
		text := randomNumbers(rand.New(rand.NewSource(seed)))
		m, err := kernel.Parse("in.simt", text)
		require.NoError(t, err, text)
		f := m.Funcs[0]
		before, err := fuzz.Clone(f)
		require.NoError(t, err)
		opt.CombineLoads(f, st)
		require.NoError(t, kernel.Verify(f), text)
		canonical.SameMeaning(t, before, f, uint64(seed))
	}
	require.Greater(t, st["loads combined"], int(cases()), "too few numbers are combined")
}

// The analysis of a number takes time linear in its size, even if its parts are
// shared.
func TestCombineLoadsIsLinear(t *testing.T) {
	var s strings.Builder
	s.WriteString("kernel k {\n  arg p buffer ptr.global uint 1 \"uint*\"\nb0:\n  %p = arg.ptr.global 0\n  %p1 = ptradd.ptr.global %p, 1\n" +
		"  %a = load.i8 %p align 1\n  %b = load.i8 %p1 align 1\n  %x = zext.i32 %a\n  %y = zext.i32 %b\n  %z = mul.i32 %x, %y\n  %c0 = or.i32 %x, %z\n")
	for i := range 2000 {
		fmt.Fprintf(&s, "  %%s%d = shl.i32 %%c%d, 8\n  %%c%d = xor.i32 %%c%d, %%s%d\n", i, i, i+1, i, i)
	}
	s.WriteString("  store.i32 %p, %c2000 align 4\n  return\n}\n")
	m, err := kernel.Parse("in.simt", s.String())
	require.NoError(t, err)
	st := opt.Stats{}
	opt.CombineLoads(m.Funcs[0], st)
	require.Empty(t, st)
}
