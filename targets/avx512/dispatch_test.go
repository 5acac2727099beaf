package avx512

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// interpreter is a loop that decodes a word and executes one of n operations.
func interpreter(n int, test string) string {
	var s strings.Builder
	s.WriteString(`vir f width 1 scratch 0 {
b0:
  %c = context
  %p = load.i64 %c disp 184 align 8
  %n = load.i32 %p align 4
  jump loop(0, 0)
loop(%i: i32, %sum: i32):
  %t = slt.i32 %i, ` + test + `
  branch %t, decode, end
decode:
  %j = add.i32 %i, 1
  %o = zext.i64 %i
  %a = add.i64 %p, %o
  %w = load.i32 %a align 4
  %x = and.i32 %w, 7
  %f = lshr.i32 %w, 8
  %d = and.i32 %f, 15
  jump t0
`)
	for i := range n - 1 {
		to := fmt.Sprintf("t%d", i+1)
		if i == n-2 {
			to = fmt.Sprintf("c%d", n-1)
		}
		fmt.Fprintf(&s, "t%d:\n  %%e%d = eq.i32 %%x, %d\n  branch %%e%d, c%d, %s\n", i, i, i, i, i, to)
	}
	for i := range n {
		fmt.Fprintf(&s, "c%d:\n  %%r%d = mul.i32 %%sum, %d\n  %%s%d = add.i32 %%r%d, %%d\n  jump loop(%%j, %%s%d)\n", i, i, i*i+3, i, i, i)
	}
	s.WriteString("end:\n  store.i32 %p, %sum align 4\n  return\n}\n")
	return s.String()
}

// Every operation ends with its own decoding and dispatch of the next one.
func TestInterpretersThreadTheirDispatch(t *testing.T) {
	for _, limit := range []string{"%n", "5000"} {
		out, _ := listing(t, interpreter(7, limit))
		require.Equal(t, 8, strings.Count(out, "movsxd"), "one in the loop, one for each operation")
	}

	out, _ := listing(t, interpreter(4, "%n"))
	require.NotContains(t, out, "movsxd", "too few operations for a table")
}

// A field is extracted by a rotation into another register if the word is still live.
func TestFieldsRotate(t *testing.T) {
	text := interpreter(7, "%n")
	out, _ := listing(t, text)
	require.Contains(t, out, "rorx")
	require.NotContains(t, out, "shr")

	// All bits of the shifted word are used, including those shifted in.
	out, _ = listing(t, strings.Replace(text, "and.i32 %f, 15", "and.i32 %f, 33554431", 1))
	require.NotContains(t, out, "rorx")
	out, _ = listing(t, strings.Replace(text, "and.i32 %f, 15", "add.i32 %f, 15", 1))
	require.NotContains(t, out, "rorx")
	// The word has no other use.
	out, _ = listing(t, strings.Replace(text, "and.i32 %w, 7", "and.i32 %n, 7", 1))
	require.NotContains(t, out, "rorx")
}

// Comparisons of a byte and of its extension are cases of one table.
func TestTablesOfBytesAndTheirExtensions(t *testing.T) {
	for _, extend := range []string{"zext", "sext"} {
		text := chain(7, "  %b = load.i8 %p align 1\n  %x = "+extend+".i32 %b\n")
		text = strings.Replace(text, "eq.i32 %x, 3", "eq.i8 %b, 3", 1)
		text = strings.Replace(text, "eq.i32 %x, 6", "ult.i32 %x, 7", 1)
		out, _ := scalarListing(t, text)
		require.Contains(t, out, ".long ", extend)
		require.Equal(t, 1, strings.Count(out, "cmp "), "%s: the check of the range", extend)
	}
}

// If all operations lead to a common last block of the loop, that block is copied too.
func TestThreadedLoopsCopyTheirLastBlock(t *testing.T) {
	text := interpreter(7, "%n")
	for i := range 7 {
		text = strings.Replace(text, fmt.Sprintf("jump loop(%%j, %%s%d)", i), fmt.Sprintf("jump last(%%s%d)", i), 1)
	}
	text = strings.Replace(text, "end:\n", "last(%q: i32):\n  %q2 = xor.i32 %q, 5\n  jump loop(%j, %q2)\nend:\n", 1)
	out, _ := listing(t, text)
	require.Greater(t, strings.Count(out, "movsxd"), 1)
	require.Equal(t, strings.Count(out, "movsxd"), strings.Count(out, ", 0x5\n")+strings.Count(out, ", 5\n"), "one operation falls through to the block itself")
}

// Opcodes without an operation do not prevent threading.
func TestDefaultsThatDoNothingAreThreaded(t *testing.T) {
	text := strings.Replace(interpreter(8, "%n"), "and.i32 %w, 7", "and.i32 %w, 31", 1)
	text = strings.Replace(text, "branch %e6, c6, c7", "branch %e6, c6, loop(%j, %sum)", 1)
	text = text[:strings.Index(text, "c7:")] + text[strings.Index(text, "end:"):]
	out, _ := listing(t, text)
	require.Equal(t, 9, strings.Count(out, "movsxd"), "one in the loop, one for each operation and for none")
}
