package avx512

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
)

// crowded returns a function with a loop that carries and changes n
// vectors, and the range of the loop's lines in its text.
func crowded(t *testing.T, n int) (f *vir.Func, from, to int) {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	list := func(format string) string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf(format, i))
		}
		return strings.Join(out, ", ")
	}
	line("vir f width 16 scratch 0 {")
	line("b0.entry:")
	line("  %%c = context")
	line("  %%n = load.i64 %%c disp 24 align 8 invariant")
	line("  %%args = load.i64 %%c disp 184 align 8 invariant")
	line("  %%a = load.i64 %%args align 8 invariant")
	line("  %%m = prefix.i1x16 %%n at 0")
	for i := range n {
		line("  %%x%d = vload.i32x16 %%a, %%m disp %d align 4", i, 64*i)
	}
	line("  jump b1(0, %s)", list("%%x%d"))
	line("b1(%%i: i64, %s):", list("%%y%d: i32x16"))
	from = strings.Count(s.String(), "\n") + 1
	for i := range n {
		line("  %%z%d = add.i32x16 %%y%d, %%y%d", i, i, (i+1)%n)
	}
	line("  %%j = add.i64 %%i, 1")
	line("  %%more = slt.i64 %%j, %%n")
	line("  branch %%more, b1(%%j, %s), b2", list("%%z%d"))
	to = strings.Count(s.String(), "\n")
	line("b2:")
	for i := range n {
		line("  vstore.i32x16 %%a, %%z%d, %%m disp %d align 4", i, 64*i)
	}
	line("  return\n}")
	f, err := vir.Parse("f", strings.ReplaceAll(s.String(), "%%", "%"))
	require.NoError(t, err)
	require.NoError(t, vir.Verify(f))
	return f, from, to
}

// Spills in loops that are not in the source have depth 0.
func TestSpillsOutsideOfSourceLoops(t *testing.T) {
	for _, over := range []vir.Over{vir.OverStrips, vir.OverRows} {
		f, _, _ := crowded(t, 48)
		f.Blocks[1].Over = over
		code, err := Compile(f, Options{})
		require.NoError(t, err)
		require.NotEmpty(t, code.Spills())
		for _, s := range code.Spills() {
			require.Equal(t, 0, s.Depth)
			require.Equal(t, over == vir.OverStrips, s.Strip)
		}
	}
}

// All spill code in loops is reported, by the source lines of the loop.
func TestSpillsByLine(t *testing.T) {
	f, _, _ := crowded(t, 20)
	code, err := Compile(f, Options{})
	require.NoError(t, err)
	require.Empty(t, code.Spills())

	f, from, to := crowded(t, 48)
	code, err = Compile(f, Options{})
	require.NoError(t, err)
	stores, reloads := 0, 0
	for _, s := range code.Spills() {
		require.Equal(t, 1, s.Depth)
		require.GreaterOrEqual(t, s.At.Line, from)
		require.LessOrEqual(t, s.At.Line, to)
		stores += s.Stores
		reloads += s.Reloads
	}
	require.Equal(t, code.Stats.LoopSpills, stores)
	require.GreaterOrEqual(t, reloads, code.Stats.LoopReloads)
	require.LessOrEqual(t, reloads, code.Stats.LoopReloads+code.Stats.Folded)
	require.GreaterOrEqual(t, stores, 48-32)
}
