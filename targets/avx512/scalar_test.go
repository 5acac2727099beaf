package avx512

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/vir"
)

// listing compiles the text of a vector function and returns its listing
// without the bytes, and its code.
func listing(t *testing.T, text string) (string, *x86.Code) {
	t.Helper()
	f, err := vir.Parse("f", text)
	require.NoError(t, err)
	require.NoError(t, vir.Verify(f))
	code, err := Compile(f, Options{})
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(code.Listing()) {
		line, _, _ = strings.Cut(line, "#")
		lines = append(lines, strings.TrimSpace(line))
	}
	return strings.Join(lines, "\n"), code
}

// scalarListing is listing for a function of width 1 whose first block continues with
// the text; %p is the address of the arguments.
func scalarListing(t *testing.T, text string) (string, *x86.Code) {
	t.Helper()
	return listing(t, scalarFunc(text))
}

// scalarFunc is a scalar function whose first block starts with the address %p.
func scalarFunc(text string) string {
	return `vir f width 1 scratch 0 {
b0:
  %c = context
  %p = load.i64 %c disp 184 align 8
` + text + "}\n"
}

// chain is the body of a function that compares %x with 0 to n-1 in turn and
// stores another number for each.
func chain(n int, prepare string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "  %%y = load.i32 %%p align 4\n%s", prepare)
	for i := range n {
		fmt.Fprintf(&s, "  %%e%d = eq.i32 %%x, %d\n  branch %%e%d, c%d, b%d\nb%d:\n", i, i, i, i, i+1, i+1)
	}
	s.WriteString("  store.i32 %p, 77:i32 align 4\n  return\n")
	for i := range n {
		fmt.Fprintf(&s, "c%d:\n  store.i32 %%p, %d:i32 align 4\n  return\n", i, i*i+3)
	}
	return s.String()
}

// A chain of comparisons is a jump through a table, with a check of the range
// unless the bits of the operand are known.
func TestChainsBecomeTables(t *testing.T) {
	checked, _ := scalarListing(t, chain(7, "  %x = add.i32 %y, 0\n"))
	require.Contains(t, checked, "cmp ")
	require.Contains(t, checked, ".long ")
	require.NotContains(t, checked, "\nje ")

	masked, _ := scalarListing(t, chain(7, "  %x = and.i32 %y, 7\n"))
	require.Contains(t, masked, ".long ")
	require.NotContains(t, masked, "cmp ")

	short, _ := scalarListing(t, chain(3, "  %x = and.i32 %y, 7\n"))
	require.NotContains(t, short, ".long ")
}

// A comparison with another use is kept.
func TestChainKeepsWhatIsShared(t *testing.T) {
	text := chain(7, "  %x = and.i32 %y, 7\n")
	text = strings.Replace(text, "c4:\n  store.i32 %p, 19:i32 align 4", "c4:\n  %z = zext.i32 %e3\n  store.i32 %p, %z align 4", 1)
	out, _ := scalarListing(t, text)
	require.Contains(t, out, "set")
}

// A branch on two comparisons becomes two branches, and neither result is kept in a register.
func TestJoinedComparisonsBranch(t *testing.T) {
	for _, op := range []string{"and", "or"} {
		out, _ := scalarListing(t, `  %x = load.i32 %p align 4
  %y = load.i32 %p disp 4 align 4
  %a = eq.i32 %x, 7
  %b = slt.i32 %y, 3
  %d = `+op+`.i1 %a, %b
  branch %d, yes, no
yes:
  store.i32 %p, 1:i32 align 4
  return
no:
  return
`)
		require.NotContains(t, out, "set")
		require.Equal(t, 2, strings.Count(out, "cmp "), op)
	}
}

// The lowest set bit is isolated and cleared by one instruction each, a
// negation is one instruction, and the high half of a product with a constant needs no
// register for the constant.
func TestBitsAndHighHalves(t *testing.T) {
	text, _ := scalarListing(t, `  %x = load.i32 %p align 4
  %n = sub.i32 0, %x
  %bit = and.i32 %x, %n
  store.i32 %p, %bit align 4
  %d = add.i32 %x, -1
  %rest = and.i32 %x, %d
  store.i32 %p, %rest disp 4 align 4
  %m = sub.i32 0, %rest
  store.i32 %p, %m disp 8 align 4
  %h = smulhi.i32 %rest, 354224107
  store.i32 %p, %h disp 12 align 4
  return
`)
	for _, want := range []string{"blsi ", "blsr ", "neg ", ", 0x151d07eb"} {
		require.Equal(t, 1, strings.Count(text, want), "%s in\n%s", want, text)
	}
	require.NotContains(t, text, "sub ")
}

// Each form of the number of the lowest set bit is one instruction, if the result for zero
// matches or the operand is not zero, and the result needs no extension.
func TestLowestBits(t *testing.T) {
	const negated, less = "  %n = sub.i32 0, %x\n  %bit = and.i32 %n, %x\n", "  %less = add.i32 %x, -1\n"
	for text, found := range map[string]int{
		less + "  %not = xor.i32 %x, -1\n  %below = and.i32 %not, %less\n  %b = popcount.i32 %below\n": 1,
		less + "  %not = xor.i32 %x, -1\n  %below = and.i32 %less, %not\n  %b = popcount.i32 %below\n": 1,
		less + "  %not = xor.i32 %x, -2\n  %below = and.i32 %not, %less\n  %b = popcount.i32 %below\n": 0,
		negated + "  %below = add.i32 %bit, -1\n  %b = popcount.i32 %below\n":                          1,
		negated + "  %below = add.i32 %bit, -2\n  %b = popcount.i32 %below\n":                          0,
		negated + "  %z = clz.i32 %bit\n  %b = sub.i32 31, %z\n":                                       0,
		negated + "  %z = clz.i32 %bit\n  %b = sub.i32 30, %z\n":                                       0,
	} {
		const end = "  %i = sext.i64 %b\n  %a = add.i64 %p, %i\n  store.i32 %a, %x disp 8 align 1\n  return\n"
		out, _ := scalarListing(t, "  %x = load.i32 %p align 4\n"+text+end)
		require.Equal(t, found, strings.Count(out, "tzcnt "), text+out)
		if found > 0 {
			require.NotContains(t, out, "movsx")
		}
		out, _ = scalarListing(t, "  %x = load.i32 %p align 4\n  %some = ne.i32 %x, 0\n  branch %some, on, off\non:\n"+text+end+"off:\n  return\n")
		if strings.Contains(text, "31, %z") {
			found = 1
			require.NotContains(t, out, "movsx")
		}
		require.Equal(t, found, strings.Count(out, "tzcnt "), text+out)
	}
}

// A 32-bit counter whose upper half is clear on all edges into the loop is
// an index without an extension; one that starts as the low half of a value is extended.
func TestClearHalvesAreNotExtended(t *testing.T) {
	loop := func(start string) string {
		out, _ := scalarListing(t, `  %w = load.i64 %p align 8
  %low = trunc.i32 %w
  jump b1(`+start+`, 0)
b1(%i: i32, %s: i32):
  %x = zext.i64 %i
  %a = add.i64 %p, %x
  %v = load.i8 %a align 1
  %z = zext.i32 %v
  %t = add.i32 %s, %z
  %n = add.i32 %i, -1
  %e = ne.i32 %n, %t
  branch %e, b1(%n, %t), b2
b2:
  store.i32 %p, %t align 4
  return
`)
		return out
	}
	require.NotRegexp(t, `mov \w+, [er]`, loop("-1"))
	require.Regexp(t, `mov \w+, [er]`, loop("%low"))
}

// An AND that clears no bit that may be set is removed.
func TestRedundantMasksAreRemoved(t *testing.T) {
	cut := func(mask string) string {
		out, _ := scalarListing(t, `  %w = load.i32 %p align 4
  %l = slt.i32 %w, 9
  branch %l, b1, b2(3)
b1:
  %b = load.i8 %p disp 9 align 1
  %z = zext.i32 %b
  jump b2(%z)
b2(%x: i32):
  %y = and.i32 %x, `+mask+`
  store.i32 %p, %y align 4
  return
`)
		return out
	}
	require.Equal(t, 1, strings.Count(cut("255"), "movzx"), "the load")
	require.NotContains(t, cut("1023"), "and ")
	require.Contains(t, cut("127"), "and ")
	require.Contains(t, cut("254"), "and ")
}

// A copy of a loop head that precedes neither of its successors exits the loop through
// the jump that is not on the path of an iteration.
func TestIterationsTakeOneJump(t *testing.T) {
	text := strings.ReplaceAll(fmt.Sprintf(searching, "slt", "done, body"), "%i, 0", "%i, 77")
	out, _ := scalarListing(t, text)
	require.Regexp(t, `jge \.L\d+\n+jmp \.L`, out, "to the body or the exit")
	require.NotRegexp(t, `jl \.L\d+\n+jmp \.L`, out)
}

// Bytes that are truncations of numbers are compared without extracting them.
func TestTruncatedBytesAreNotExtracted(t *testing.T) {
	compare := func(test string) string {
		out, _ := scalarListing(t, `  %x = load.i32 %p align 4
  %y = load.i32 %p disp 4 align 4
  %b = load.i8 %p disp 8 align 1
  %z = zext.i32 %b
  %h = add.i8 %b, 9
  %w = zext.i32 %h
  %s = mul.i32 %x, %y
  %t = add.i32 %x, %y
  %l = and.i32 %s, 255
  %m = and.i32 %t, 255
  %k = `+test+`
  branch %k, b1, b2
b1:
  store.i32 %p, %z align 4
  return
b2:
  return
`)
		return out
	}
	for _, test := range []string{"eq.i32 %l, %m", "ult.i32 %m, %l", "ule.i32 %z, %l", "ne.i32 %l, 200", "ult.i32 %l, %z", "slt.i32 %l, %m", "ult.i32 %w, 200"} {
		out := compare(test)
		require.Regexp(t, `cmp (\w+[bl]), (\w+[bl]|-0x38|0xc8)\n`, out)
		require.NotRegexp(t, `movzx \w+, \w+\n`, out)
	}
	for _, test := range []string{"slt.i32 %l, %x", "eq.i32 %l, %x"} {
		require.Regexp(t, `movzx \w+, \w+\n`, compare(test))
	}
}

// A constant added to a small index becomes part of the displacement, and
// the index is not extended; a sum that may be negative is.
func TestSmallSumsAreDisplaced(t *testing.T) {
	access := func(sum string) string {
		out, _ := scalarListing(t, `  %b = load.i8 %p disp 8 align 1
  %z = zext.i32 %b
  %s = `+sum+`
  %x = sext.i64 %s
  %k = shl.i64 %x, 2
  %a = add.i64 %p, %k
  %v = load.i32 %a disp 16 align 4
  store.i32 %p, %v align 4
  return
`)
		return out
	}
	require.Regexp(t, `\[\w+\+\w+\*4\+0x30\]`, access("add.i32 %z, 8"))
	require.NotContains(t, access("add.i32 %z, 8"), "movsxd")
	require.Contains(t, access("add.i32 %z, -8"), "movsxd")
	require.Contains(t, access("add.i32 %z, 2000000000"), "movsxd")
	require.NotContains(t, access("mul.i32 %z, 300"), "movsxd")
	require.NotContains(t, access("shl.i32 %z, 23"), "movsxd")
	require.Contains(t, access("shl.i32 %z, 24"), "movsxd")
}

// A select between floats by their order uses masks only.
func TestFloatChoiceKeepsMasks(t *testing.T) {
	for _, op := range []string{"flt", "feq"} {
		out, _ := scalarListing(t, `  %x = load.f32 %p align 4
  %y = load.f32 %p disp 4 align 4
  %k = `+op+`.f32 %x, %y
  %s = select.f32 %k, 1.0:f32, %y
  store.f32 %p, %s align 4
  return
`)
		require.Contains(t, out, "vcmpss k")
		require.NotContains(t, out, "kmov")
	}
}

// A select overwrites the operand that ends there, and two shifts that
// extend a sign are one instruction.
func TestSelectsOverwriteDeadOperands(t *testing.T) {
	out, _ := scalarListing(t, `  %x = load.i32 %p align 4
  %y = load.i32 %p disp 4 align 4
  %z = add.i32 %x, %y
  %k = slt.i32 %x, %y
  %s = select.i32 %k, %z, %x
  %m = smin.i32 %s, %x
  store.i32 %p, %x disp 12 align 4
  store.i32 %p, %m disp 16 align 4
  %w = shl.i32 %y, 16
  %e = ashr.i32 %w, 16
  store.i32 %p, %e disp 20 align 4
  return
`)
	require.Equal(t, 2, strings.Count(out, "cmov"))
	require.NotRegexp(t, `mov r\w+, r\w+\n`, out)
	require.Contains(t, out, "movsx ")
	require.NotContains(t, out, "sar")
}

// The head of a large outer loop is aligned; that of a small
// one is not, nor that of the loop over all work-items.
func TestLargeLoopsAreAligned(t *testing.T) {
	count := func(sums int) int {
		var body strings.Builder
		last := "%j"
		for i := range sums {
			fmt.Fprintf(&body, "  %%s%d = mul.i32 %s, %%k\n", i, last)
			last = fmt.Sprintf("%%s%d", i)
		}
		out, _ := scalarListing(t, `  %k = load.i32 %p align 4
  jump strip(0)
strip(%i: i32):
  jump outer(%i)
outer(%j: i32):
`+body.String()+`  jump inner(`+last+`)
inner(%n: i32):
  %m = mul.i32 %n, %k
  %x = ne.i32 %m, %i
  branch %x, inner(%m), after
after:
  %y = ne.i32 %m, %j
  branch %y, outer(%m), done
done:
  store.i32 %p, %m align 4
  %i1 = add.i32 %i, 1
  %z = slt.i32 %i1, %k
  branch %z, strip(%i1), end
end:
  return
`)
		return strings.Count(out, ".balign 32")
	}
	require.Equal(t, 1, count(40))
	require.Equal(t, 0, count(20))
}

// searching is a loop with two latches, one of which follows the case of equal numbers.
const searching = `  %%n = load.i32 %%p align 4
  jump loop(%%n, 0)
loop(%%i: i32, %%m: i32):
  %%t = %s.i32 %%i, 0
  branch %%t, %s
body:
  %%j = sext.i64 %%i
  %%a = add.i64 %%p, %%j
  %%x = load.i32 %%a disp 4 align 1
  %%e = eq.i32 %%x, 7
  branch %%e, found, other
found:
  %%k = load.i32 %%a disp 8 align 1
  %%m1 = add.i32 %%m, 1
  jump loop(%%k, %%m1)
other:
  store.i32 %%p, %%m disp 8 align 4
  %%l = load.i32 %%a disp 12 align 1
  jump loop(%%l, %%m)
done:
  store.i32 %%p, %%m align 4
  return
`

// Each latch has its own copy of the loop test, and the case of equal numbers is placed
// last.
func TestLatchesTestAndRareSidesAreLast(t *testing.T) {
	for test, edges := range map[string]string{"ne": "body, done", "eq": "done, body"} {
		text, _ := scalarListing(t, fmt.Sprintf(searching, test, edges))
		require.Equal(t, 3, strings.Count(text, "test e"), "the head and two latches\n%s", text)
		require.Less(t, strings.Index(text, "+0xc]"), strings.LastIndex(text, "+0x8]"), "the case of equal numbers is last\n%s", text)
	}
}

// A latch that has computed the number that the head tests uses its flags.
func TestLatchesReuseFlags(t *testing.T) {
	for step, tests := range map[string]int{
		"  %k = add.i32 %m, -1\n  %n = and.i32 %m, %k\n": 1, // the head's
		"  %n = load.i32 %p disp 8 align 4\n":            2,
	} {
		out, _ := scalarListing(t, "  %m0 = load.i32 %p align 4\n  jump loop(%m0)\nloop(%m: i32):\n  %t = ne.i32 %m, 0\n  branch %t, body, done\n"+
			"body:\n  store.i32 %p, %m disp 4 align 4\n"+step+"  jump loop(%n)\ndone:\n  return\n")
		require.Equal(t, tests, strings.Count(out, "test e"), out)
	}
}

// A divisor that is known to be nonzero is not compared with zero. A sum that may
// wrap is.
func TestDivisorsKnownAreNotCompared(t *testing.T) {
	for divisor, compared := range map[string]int{
		"  %low = and.i32 %y, 7\n  %d = add.i32 %low, 1\n":                               0,
		"  %d = or.i32 %y, 1\n":                                                          0,
		"  %b = trunc.i8 %y\n  %z = zext.i32 %b\n  %d = add.i32 %z, 1\n":                 0,
		"  %o = or.i32 %y, 8\n  %less = ult.i32 %y, 3\n  %d = select.i32 %less, 5, %o\n": 0,
		"  %d = add.i32 %y, 1\n":                                                         1,
		"  %low = and.i32 %y, 7\n  %d = add.i32 %low, -3\n":                              1,
		"  %d = and.i32 %y, 7\n":                                                         1,
	} {
		out, _ := scalarListing(t, "  %x = load.i32 %p align 4\n  %y = load.i32 %p disp 4 align 4\n"+divisor+
			"  %q = udiv.i32 %x, %d\n  store.i32 %p, %q align 4\n  return\n")
		require.Equal(t, compared, strings.Count(out, "cmove"), "%s%s", divisor, out)
		require.Contains(t, out, "div ")
	}
}

// Divisions whose quotient is known to fit use the 32-bit instruction.
func TestDivisionsIn32Bits(t *testing.T) {
	const loads = "  %x = load.i32 %p align 4\n  %y = load.i32 %p disp 4 align 4\n  %w = load.i16 %p disp 8 align 2\n" +
		"  %xl = zext.i64 %x\n  %yl = zext.i64 %y\n  %ys = sext.i64 %y\n  %z = load.i16 %p disp 10 align 2\n  %ws = sext.i32 %w\n  %wz = zext.i32 %w\n"
	const in32, in64 = ` (e[a-z]{2}|r\d+d)\n`, ` (r[a-z]{2}|r\d+)\n`
	for division, instruction := range map[string]string{
		"udiv.i32 %x, %y":    "div" + in32,
		"sdiv.i32 %x, %y":    "idiv" + in64,
		"sdiv.i32 %x, %ws":   "idiv" + in64,
		"sdiv.i32 %x, %wz":   "idiv" + in32,
		"srem.i32 %wz, %x":   "idiv" + in32,
		"sdiv.i32 1000, %x":  "idiv" + in32,
		"sdiv.i32 %min, %x":  "idiv" + in64,
		"srem.i16 %w, %z":    "idiv" + in32,
		"udiv.i64 %xl, %yl":  "div" + in32,
		"srem.i64 %xl, %yl":  "div" + in32,
		"srem.i64 %xl, %ys":  "idiv" + in64,
		"udiv.i64 %ys, 1000": "div" + in64,
	} {
		typ := division[5:8]
		division = strings.ReplaceAll(division, "%min", "2147483648")
		out, code := scalarListing(t, loads+"  %d = "+division+"\n  store."+typ+" %p, %d align 2\n  return\n")
		require.Regexp(t, "\n"+instruction, out, division)
		narrowed := strings.HasSuffix(instruction, in32) && division != "udiv.i32 %x, %y"
		require.Equal(t, narrowed, code.Stats.Narrowed == 1, division)
	}
}

// A divisor that a branch has found to be nonzero is not compared again.
func TestDivisorsBranchedOnAreNotCompared(t *testing.T) {
	for branch, compared := range map[string]int{
		"  %c0 = eq.i32 %y, 0\n  branch %c0, none, some\n":                                                                         0,
		"  %c0 = ne.i32 %y, 0\n  branch %c0, some, none\n":                                                                         0,
		"  %c0 = ne.i32 %y, 0\n  branch %c0, none, some\n":                                                                         1,
		"  %c0 = eq.i32 %y, 1\n  branch %c0, none, some\n":                                                                         1,
		"  %c0 = eq.i32 %x, 0\n  branch %c0, none, some\n":                                                                         1,
		"  %c0 = slt.i32 %y, 9\n  branch %c0, none, both\nboth:\n  %c1 = eq.i32 %y, 0\n  branch %c1, none, on\non:\n  jump some\n": 0,
		"  %c0 = slt.i32 %y, 9\n  branch %c0, some, both\nboth:\n  %c1 = eq.i32 %y, 0\n  branch %c1, none, some\n":                 1,
	} {
		out, _ := scalarListing(t, "  %x = load.i32 %p align 4\n  %y = load.i32 %p disp 4 align 4\n"+branch+
			"some:\n  %wide = zext.i64 %y\n  %x64 = zext.i64 %x\n  %q = udiv.i64 %x64, %wide\n  store.i64 %p, %q align 8\n  jump none\nnone:\n  return\n")
		require.Equal(t, compared, strings.Count(out, "cmove"), "%s%s", branch, out)
		require.Contains(t, out, "div ")
	}
}

// x == y - z is compared as x + z == y. Comparisons by order are not, nor differences with
// other uses.
func TestDifferencesComparedAsSums(t *testing.T) {
	for text, want := range map[string]string{
		"  %d = sub.i32 %x, %y\n  %c0 = eq.i32 %z, %d\n":                                     `(?:add|lea) e\w+, .*\s+cmp `,
		"  %d = sub.i32 %x, %y\n  %c0 = ne.i32 %d, %z\n":                                     `(?:add|lea) e\w+, .*\s+cmp `,
		"  %d = sub.i32 %x, %y\n  %c0 = slt.i32 %z, %d\n":                                    `sub e\w+, e\w+`,
		"  %d = sub.i32 %x, %y\n  store.i32 %p, %d disp 32 align 4\n  %c0 = eq.i32 %z, %d\n": `sub e\w+, e\w+`,
		"  %d = sub.i32 40, %y\n  %c0 = eq.i32 %z, %d\n":                                     `sub e\w+, e\w+`,
	} {
		out, _ := scalarListing(t, "  %x = load.i32 %p align 4 volatile\n  %y = load.i32 %p disp 4 align 4 volatile\n  %z = load.i32 %p disp 8 align 4 volatile\n"+
			text+"  branch %c0, some, none\nsome:\n  store.i32 %p, %x disp 16 align 4\n  jump none\nnone:\n  return\n")
		require.Regexp(t, want, out, text)
	}
}

// Conversions between integers and floats have memory operands.
func TestConversionsReadMemory(t *testing.T) {
	for text, want := range map[string]string{
		"  %x = load.f32 %p align 4\n  %y = fptosi.i32 %x\n  store.i32 %p, %y disp 8 align 4\n": "vcvttss2si r?\\w+, DWORD PTR",
		"  %x = load.f64 %p align 8\n  %y = fptosi.i64 %x\n  store.i64 %p, %y disp 8 align 8\n": "vcvttsd2si r?\\w+, QWORD PTR",
		"  %x = load.f32 %p align 4\n  %y = fptoui.i32 %x\n  store.i32 %p, %y disp 8 align 4\n": "vcvttss2usi r?\\w+, DWORD PTR",
		"  %x = load.i32 %p align 4\n  %y = sitofp.f32 %x\n  store.f32 %p, %y disp 8 align 4\n": "vcvtsi2ss xmm\\d+, xmm\\d+, DWORD PTR",
		"  %x = load.i64 %p align 8\n  %y = sitofp.f64 %x\n  store.f64 %p, %y disp 8 align 8\n": "vcvtsi2sd xmm\\d+, xmm\\d+, QWORD PTR",
	} {
		out, _ := scalarListing(t, text+"  return\n")
		require.Regexp(t, want, out, text)
	}
}

// Short vectors within a work-item are moved without masks, extended as they are
// loaded, and permuted by one instruction where possible.
func TestShortVectors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"%x = vload.i8x4 %p, true:i1x4 align 1\n  vstore.i8x4 %p, %x, true:i1x4 disp 64 align 1\n", `vmovd xmm0, DWORD PTR \[rax\]\s+vmovd DWORD PTR`},
		{"%x = vload.i32x2 %p, true:i1x2 align 4\n  vstore.i32x2 %p, %x, true:i1x2 disp 64 align 4\n", `vmovq xmm0, QWORD PTR \[rax\]\s+vmovq QWORD PTR`},
		{"%x = vload.i8x8 %p, true:i1x8 align 1\n  %y = sext.i32x8 %x\n  vstore.i32x8 %p, %y, true:i1x8 disp 64 align 4\n", `vpmovsxbd ymm0, QWORD PTR`},
		{"%x = vload.i8x2 %p, true:i1x2 align 1\n  %y = sext.i32x2 %x\n  vstore.i32x2 %p, %y, true:i1x2 disp 64 align 4\n", `vpmovsxbd xmm0, xmm`},
		{"%x = vload.i32x4 %p, true:i1x4 align 4\n  %y = shuffle.i32x4 %x, %x lanes 2 3 0 1\n  vstore.i32x4 %p, %y, true:i1x4 disp 64 align 4\n", `vpshufd xmm0, xmm0, 0x4e`},
		{"%x = vload.i64x2 %p, true:i1x2 align 8\n  %y = shuffle.i64x2 %x, %x lanes 1 0\n  vstore.i64x2 %p, %y, true:i1x2 disp 64 align 8\n", `vpshufd xmm0, xmm0, 0x4e`},
		{"%x = vload.i32x8 %p, true:i1x8 align 4\n  %y = shuffle.i32x8 %x, %x lanes 7 6 5 4 3 2 1 0\n  vstore.i32x8 %p, %y, true:i1x8 disp 64 align 4\n", `vpermd ymm`},
		{"%x = vload.i32x4 %p, true:i1x4 align 4\n  %y = extract.i32 %x at 0\n  store.i32 %p, %y disp 64 align 4\n", `vmovd r?\w+, xmm0`},
	} {
		out, _ := scalarListing(t, "  "+c.text+"  return\n")
		require.Regexp(t, c.want, out, c.text)
	}
}

// Vector operations use memory operands for loads without other uses, whole or broadcast,
// but not across a store, and not for elements of another size.
func TestVectorsReadMemory(t *testing.T) {
	const load, all = "%x = vload.i32x4 %p, true:i1x4 align 4\n  ", ", true:i1x4 disp 64 align 4\n"
	for _, c := range []struct{ text, want string }{
		{load + "%y = add.i32x4 %x, %x\n  vstore.i32x4 %p, %y" + all, `vpaddd xmm0, xmm0, xmm0`},
		{load + "%w = vload.i32x4 %p, true:i1x4 disp 16 align 4\n  %y = sub.i32x4 %x, %w\n  vstore.i32x4 %p, %y" + all, `vpsubd xmm0, xmm0, XMMWORD PTR \[rax\+0x10\]\n`},
		{load + "%s = load.i32 %p disp 8 align 4\n  %w = splat.i32x4 %s\n  %y = mul.i32x4 %w, %x\n  vstore.i32x4 %p, %y" + all, `vpmulld xmm0, xmm0, (XMMWORD PTR \[rax\]\n|DWORD PTR \[rax\+0x8\]\{1to4\})`},
		{load + "%w = vload.i32x4 %p, true:i1x4 disp 16 align 4\n  store.i32 %p, 5:i32 disp 20 align 4\n  %y = add.i32x4 %x, %w\n  vstore.i32x4 %p, %y" + all, `vpaddd xmm0, xmm0, xmm1`},
		{"%x = vload.i8x16 %p, true:i1x16 align 1\n  %s = load.i8 %p disp 8 align 1\n  %w = splat.i8x16 %s\n  %y = and.i8x16 %x, %w\n  vstore.i8x16 %p, %y, true:i1x16 disp 64 align 1\n", `vpbroadcastb xmm\d, BYTE PTR`},
		{"%x = vload.f64x4 %p, true:i1x4 align 8\n  %s = load.f64 %p disp 8 align 8\n  %w = splat.f64x4 %s\n  %z = vload.f64x4 %p, true:i1x4 disp 32 align 8\n  %y = fma.f64x4 %w, %x, %z\n  vstore.f64x4 %p, %y, true:i1x4 disp 64 align 8\n", `vfmadd231pd ymm\d, ymm\d, (YMMWORD PTR \[rax\]|QWORD PTR \[rax\+0x8\]\{1to4\})`},
	} {
		out, _ := scalarListing(t, "  "+c.text+"  return\n")
		require.Regexp(t, c.want, out, c.text)
	}
}

// A shift of the upper half of a product is one shift of the product.
func TestHighHalvesShift(t *testing.T) {
	out, _ := scalarListing(t, `  %x = load.i32 %p align 4
  %h = umulhi.i32 %x, 3435973837
  %q = lshr.i32 %h, 18
  store.i32 %p, %q disp 8 align 4
  return
`)
	require.Equal(t, 1, strings.Count(out, "shr "), "%s", out)
	require.Contains(t, out, "0x32\n")
}

// Tests and changes of one bit of a word are one instruction.
func TestBitsByNumber(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"%b = shl.T 1, %n\n  %r = or.T %x, %b\n", "bts"},
		{"%b = shl.T 1, %n\n  %r = or.T %b, %x\n", "bts"},
		{"%b = shl.T 1, %n\n  %r = xor.T %x, %b\n", "btc"},
		{"%b = shl.T 1, %n\n  %m = xor.T %b, -1\n  %r = and.T %x, %m\n", "btr"},
		{"%b = shl.T 1, %n\n  %m = and.T %b, %x\n  %c0 = ne.T %m, 0\n  %r = select.T %c0, %x, %n\n", "bt"},
		{"%b = lshr.T %x, %n\n  %m = and.T %b, 1\n  %c0 = eq.T %m, 0\n  %r = select.T %c0, %x, %n\n", "bt"},
		{"%b = ashr.T %x, %n\n  %m = and.T %b, 1\n  %c0 = eq.T %m, 0\n  %r = select.T %c0, %x, %n\n", "bt"},
	} {
		for _, typ := range []string{"i32", "i64"} {
			text := "  %x = load.T %p align 8\n  %n = load.T %p disp 8 align 8\n  " + c.text + "  store.T %p, %r disp 16 align 8\n  return\n"
			out, _ := scalarListing(t, strings.ReplaceAll(text, ".T", "."+typ))
			require.Regexp(t, `(?m)^`+c.want+" ", out, c.text)
			require.NotContains(t, out, "shlx")
			require.NotContains(t, out, "test")
		}
	}

	// A power of two with another use is computed, and bit instructions do not apply to
	// 16-bit numbers.
	shared, _ := scalarListing(t, "  %x = load.i32 %p align 8\n  %n = load.i32 %p disp 8 align 8\n  %b = shl.i32 1, %n\n  %r = or.i32 %x, %b\n  store.i32 %p, %r disp 16 align 8\n  store.i32 %p, %b disp 20 align 4\n  return\n")
	require.Contains(t, shared, "shlx")
	small, _ := scalarListing(t, "  %x = load.i16 %p align 8\n  %n = load.i16 %p disp 8 align 8\n  %b = shl.i16 1, %n\n  %r = or.i16 %x, %b\n  store.i16 %p, %r disp 16 align 8\n  return\n")
	require.NotContains(t, small, "bts")
}

// An index that is a product with 3, 5 or 9 times a scale needs no multiplication.
func TestProductsScaleAddresses(t *testing.T) {
	indexed := func(factor int) string {
		out, _ := scalarListing(t, fmt.Sprintf(`  %%x = load.i64 %%p align 8
  %%m = mul.i64 %%x, %d
  %%at = add.i64 %%p, %%m
  %%y = load.i32 %%at align 4
  store.i32 %%p, %%y disp 8 align 4
  return
`, factor))
		return out
	}
	for factor, scales := range map[int][2]int{6: {2, 2}, 20: {4, 4}, 72: {8, 8}, 12: {2, 4}} {
		out := indexed(factor)
		require.NotContains(t, out, "imul", factor)
		require.Regexp(t, fmt.Sprintf(`lea \w+, \[(\w+)\+\w+\*%d\]\s+mov \w+, DWORD PTR \[\w+\+\w+\*%d\]`, scales[0], scales[1]), out, factor)
	}
	for _, factor := range []int{7, 48, 22} {
		require.Contains(t, indexed(factor), "imul", factor)
	}
}

// An element of a 16-byte vector is inserted by one instruction without a mask.
func TestInsertShort(t *testing.T) {
	for _, c := range []struct {
		vector, scalar string
		lanes          int
		want           []string // by lane; the last applies to the remaining ones
	}{
		{"i8", "i8", 16, []string{"vpinsrb xmm"}}, {"i16", "i16", 8, []string{"vpinsrw xmm"}},
		{"i32", "i32", 4, []string{"vpinsrd xmm"}}, {"i64", "i64", 2, []string{"vpinsrq xmm"}},
		{"f32", "f32", 4, []string{"vinsertps xmm"}}, {"f64", "f64", 2, []string{"vmovsd xmm0, xmm0, xmm", "vunpcklpd xmm"}},
		{"f16", "f16", 8, []string{"vpinsrw xmm"}}, {"i32", "i32", 2, []string{"vpinsrd xmm"}},
	} {
		for at := range c.lanes {
			typ := fmt.Sprintf("%sx%d", c.vector, c.lanes)
			text, code := scalarListing(t, fmt.Sprintf(`  %%v = vload.%s %%p, true:i1x%d align 1
  %%s = load.%s %%p disp 64 align 1
  %%w = insert.%s %%v, %%s at %d
  vstore.%s %%p, %%w, true:i1x%d align 1
  return
`, typ, c.lanes, c.scalar, typ, at, typ, c.lanes))
			require.Equal(t, 1, strings.Count(text, c.want[min(at, len(c.want)-1)]), "%s at %d: %s", typ, at, text)
			require.Equal(t, 3, code.Level)
		}
	}
}

// Bytes and words are rotated by one instruction, which clears the upper bits.
func TestRotateShort(t *testing.T) {
	for elem, want := range map[string]string{"i8": `rol \wl, 3`, "i16": `rol \wx, 3`} {
		out, _ := scalarListing(t, fmt.Sprintf(`  %%x = load.%[1]s %%p align 1
  %%y = rotl.%[1]s %%x, 3
  %%z = zext.i64 %%y
  store.i64 %%p, %%z disp 8 align 8
  return
`, elem))
		require.Regexp(t, want, out)
		require.Equal(t, 1, strings.Count(out, "movzx"), out)
		require.NotContains(t, out, "shlx")
	}
}

// A full gather becomes scalar loads, for all element and index types; a masked one does not.
func TestFullGathersAreSingleLoads(t *testing.T) {
	for _, index := range []string{"i32", "i64"} {
		for elem, put := range map[string]string{"i8": "vpinsrb", "i16": "vpinsrw", "f16": "vpinsrw", "i32": "vpinsrd", "f32": "vpinsrd", "i64": "vpinsrq", "f64": "vpinsrq"} {
			gather := func(mask string) string {
				f := strings.Replace(scalarFunc(fmt.Sprintf(`  %%i = vload.%[2]sx8 %%p, true:i1x8 disp 8 align 1
  %%n = load.i64 %%p disp 512 align 8
  %%m = prefix.i1x8 %%n at 0
  %%x = gather.%[1]sx8 %%p, %%i, %[3]s disp 256 scale 4 align 1
  vstore.%[1]sx8 %%p, %%x, true:i1x8 disp 128 align 1
  return
`, elem, index, mask)), "width 1", "width 8", 1)
				out, code := listing(t, f)
				require.Equal(t, mask != "%m", code.Stats.Singly == 1)
				return out
			}
			all := gather("true:i1x8")
			require.NotContains(t, all, "vpgather", "%s %s", index, elem)
			require.Contains(t, all, put+" xmm")
			require.Equal(t, 8, strings.Count(all, "*4+0x100]"), "%s %s: %s", index, elem, all)
			require.Contains(t, gather("%m"), "vpgather", "%s %s", index, elem)
		}
	}
}

// Many full gathers stay gather instructions, whose code is shorter.
func TestManyFullGathers(t *testing.T) {
	for n, want := range map[int]int{64: 64, 65: 0} {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "  %%x%d = gather.i32x16 %%p, %%i, true:i1x16 disp %d scale 4 align 4\n  vstore.i32x16 %%p, %%x%d, true:i1x16 disp %d align 4\n", i, 64*i, i, 8192+64*i)
		}
		f := strings.Replace(scalarFunc("  %i = vload.i32x16 %p, true:i1x16 align 4\n"+text.String()+"  return\n"), "width 1", "width 16", 1)
		_, code := listing(t, f)
		require.Equal(t, want, code.Stats.Singly)
	}
}

// An inserted element is a memory operand if its load has no other use.
func TestInsertFromMemory(t *testing.T) {
	insert := func(elem string, lanes int, more string) string {
		text, _ := scalarListing(t, fmt.Sprintf(`  %%v = vload.%[1]sx%[2]d %%p, true:i1x%[2]d align 1
  %%s = load.%[1]s %%p disp 64 align 1
  %%w = insert.%[1]sx%[2]d %%v, %%s at 1
%[3]s  vstore.%[1]sx%[2]d %%p, %%w, true:i1x%[2]d align 1
  return
`, elem, lanes, more))
		return text
	}
	for elem, want := range map[string]string{"i8": "vpinsrb", "i16": "vpinsrw", "i32": "vpinsrd", "i64": "vpinsrq", "f32": "vinsertps"} {
		lanes := 4
		if elem == "i64" {
			lanes = 2
		}
		require.Regexp(t, want+` xmm\d, xmm\d, \w+ PTR \[\w+\+0x40\], `, insert(elem, lanes, ""))
		require.NotRegexp(t, want+` xmm\d, xmm\d, \w+ PTR`, insert(elem, lanes, fmt.Sprintf("  store.%s %%p, %%s disp 128 align 1\n", elem)), elem)
	}
}

// A loop-carried pointer stays in its register, although the load from it becomes part
// of a later instruction.
func TestCarriedPointersStayInTheirRegister(t *testing.T) {
	out, _ := scalarListing(t, `  %end = add.i64 %p, 800
  jump loop(%p, %p, 0:f32)
loop(%q: i64, %r: i64, %s: f32):
  %on = add.i64 %q, 4
  %x = load.f32 %q align 4
  %y = load.f32 %p align 4 volatile
  %sum = fma.f32 %x, %y, %s
  %next = add.i64 %r, 8
  %t = ult.i64 %r, %end
  branch %t, loop(%on, %next, %sum), done
done:
  store.f32 %p, %sum align 4
  return
`)
	require.Contains(t, out, "vfmadd231ss xmm0, xmm1, DWORD PTR [rdx]")
	require.Contains(t, out, "lea rdx, [rdx+0x4]")
}

// Unsigned integers are converted to floats by one instruction, with a memory operand where
// possible.
func TestUnsignedToFloat(t *testing.T) {
	text := scalarFunc(`  %x = load.i32 %p align 4
  %f = uitofp.f32 %x
  store.f32 %p, %f disp 8 align 4
  return
`)
	out, _ := listing(t, text)
	require.Regexp(t, `vcvtusi2ss xmm\d+, xmm\d+, DWORD PTR \[`, out)
}
