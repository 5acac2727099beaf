package avx512

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// A select on loaded data that determines the next load becomes a
// branch if it compares for equality, not if it compares by order.
// A select that only feeds a sum does not.
func TestSelectsThatControlLoopsBranch(t *testing.T) {
	compiled := func(test, next, steer string) string {
		out, _ := scalarListing(t, strings.NewReplacer("TEST", test, "NEXT", next, "STEER", steer).Replace(`  jump loop(0, 0)
loop(%i: i64, %sum: i64):
  %a = add.i64 %p, %i
  %x = load.i64 %a align 8
  %e = TEST.i64 %x, 9
  %one = add.i64 %i, 8
  %two = add.i64 %i, 24
  %next = select.i64 %e, %one, %two
  %more = add.i64 %sum, NEXT
  %t = slt.i64 STEER, 4096
  branch %t, loop(STEER, %more), end
end:
  store.i64 %p, %more align 8
  return
`))
		return out
	}
	require.NotContains(t, compiled("eq", "%x", "%next"), "cmov")
	require.Contains(t, compiled("slt", "%x", "%next"), "cmov")
	require.Contains(t, compiled("eq", "%next", "%one"), "cmov")
}

// A select by order becomes a branch if its condition is computed for long after its loads, so
// that the next load does not wait for it.
func TestSelectsByLongConditionsBranch(t *testing.T) {
	compiled := func(limit string) string {
		out, _ := scalarListing(t, strings.ReplaceAll(`  jump loop(0, 0)
loop(%i: i64, %sum: i64):
  %a = add.i64 %p, %i
  %x = load.f64 %a align 8
  %y = fmul.f64 %x, %x
  %z = fadd.f64 %y, %x
  %w = fmul.f64 %z, %y
  %e = flt.f64 LIMIT, %y
  %one = add.i64 %i, 8
  %two = add.i64 %i, 24
  %next = select.i64 %e, %one, %two
  %n = load.i64 %a align 8
  %more = add.i64 %sum, %n
  %t = slt.i64 %next, 4096
  branch %t, loop(%next, %more), end
end:
  store.i64 %p, %more align 8
  return
`, "LIMIT", limit))
		return out
	}
	require.NotContains(t, compiled("%w"), "cmov")
	require.Contains(t, compiled("%x"), "cmov", "a short condition")
}

// A select on the order of loaded data becomes a branch if it determines the next operand
// of a switch, which is mispredicted in the same cases.
func TestSelectsThatChooseCasesBranch(t *testing.T) {
	compiled := func(tested string) string {
		out, _ := scalarListing(t, strings.ReplaceAll(`  jump loop(0, 0)
loop(%pc: i64, %sum: i64):
  %a = add.i64 %p, %pc
  %op = load.i64 %a align 8
  %x = load.i64 %a disp 8 align 8
  %less = slt.i64 %x, %sum
  %zero = eq.i64 TESTED, 0
  %one = eq.i64 TESTED, 1
  branch %zero, skip, other
skip:
  %far = add.i64 %pc, 32
  %next = select.i64 %less, %far, %pc
  jump latch(%next, %sum)
other:
  branch %one, up, others
others:
  %two = eq.i64 TESTED, 2
  branch %two, down, rest
rest:
  %three = eq.i64 TESTED, 3
  branch %three, up, down
up:
  %more = add.i64 %sum, %x
  jump latch(%pc, %more)
down:
  %fewer = sub.i64 %sum, %x
  jump latch(%pc, %fewer)
latch(%at: i64, %s: i64):
  %on = add.i64 %at, 16
  %t = slt.i64 %on, 4096
  branch %t, loop(%on, %s), end
end:
  store.i64 %p, %s align 8
  return
`, "TESTED", tested))
		return out
	}
	require.NotContains(t, compiled("%op"), "cmov")
	require.Contains(t, compiled("%p"), "cmov")
}

// A select that only determines when a loop ends becomes a branch if one arm is a constant,
// like a state. A counter does not.
func TestSelectsThatEndLoops(t *testing.T) {
	compiled := func(deeper string) string {
		out, _ := scalarListing(t, strings.ReplaceAll(`  jump loop(0, 1)
loop(%i: i64, %depth: i64):
  %a = add.i64 %p, %i
  %x = load.i64 %a align 8
  %e = eq.i64 %x, 9
  %more = add.i64 %depth, -3
  %next = select.i64 %e, DEEPER, %depth
  %on = add.i64 %i, 8
  %t = slt.i64 0, %next
  branch %t, loop(%on, %next), end
end:
  store.i64 %p, %i align 8
  return
`, "DEEPER", deeper))
		return out
	}
	require.Contains(t, compiled("%more"), "cmov")
	require.NotContains(t, compiled("-5"), "cmov")
}

// A select that sets one of several packed flags, as in emulators of processors, stays a
// select, since such flags are rarely tested. One that sets a separate flag becomes a branch.
func TestPackedFlagsStaySelects(t *testing.T) {
	compiled := func(word string) string {
		out, _ := scalarListing(t, strings.ReplaceAll(`  jump loop(0, 0)
loop(%i: i64, %flags: i64):
  %a = add.i64 %p, %i
  %x = load.i64 %a align 8
  %z = eq.i64 %x, 9
  %rest = and.i64 %flags, 125
  %bit = select.i64 %z, 6, 4
  %all = or.i64 %rest, %bit
  %set = and.i64 %flags, 2
  %f = ne.i64 %set, 0
  %one = add.i64 %i, 8
  %two = add.i64 %i, 24
  %next = select.i64 %f, %one, %two
  %t = slt.i64 %next, 4096
  branch %t, loop(%next, WORD), end
end:
  store.i64 %p, %flags align 8
  return
`, "WORD", word))
		return out
	}
	require.Equal(t, 2, strings.Count(compiled("%all"), "cmov"))
	require.Equal(t, 1, strings.Count(compiled("%bit"), "cmov"))
}

// Selects with one condition become one branch, and their operands are
// computed in the arms.
func TestSelectsByOneConditionShareABranch(t *testing.T) {
	out, _ := scalarListing(t, `  jump loop(0, 4096)
loop(%lo: i64, %hi: i64):
  %sum = add.i64 %lo, %hi
  %mid = lshr.i64 %sum, 1
  %at = shl.i64 %mid, 3
  %a = add.i64 %p, %at
  %x = load.i64 %a align 8
  %e = eq.i64 %x, 9
  %up = mul.i64 %mid, 7
  %low = select.i64 %e, %up, %lo
  %down = mul.i64 %mid, 11
  %high = select.i64 %e, %hi, %down
  %t = slt.i64 %low, %high
  branch %t, loop(%low, %high), end
end:
  store.i64 %p, %low align 8
  return
`)
	require.NotContains(t, out, "cmov")
	require.Equal(t, 2, strings.Count(out, "cmp "), "%s", out)
	up, down := strings.Index(out, "imul "), strings.LastIndex(out, "imul ")
	require.Contains(t, out[up:down], ".L", "the products are in one block")
}

// A branch on the conjunction of a comparison and a value in a register also becomes two
// branches.
func TestConditionJoinedWithValueBranches(t *testing.T) {
	out, _ := scalarListing(t, `  %x = load.i32 %p align 4
  %y = load.i32 %p disp 4 align 4
  %e = slt.i32 %x, %y
  branch %e, small, large
small:
  jump joined(1)
large:
  %f = slt.i32 %y, 7
  jump joined(%f)
joined(%b: i1):
  %g = ult.i32 %x, 30
  %h = and.i1 %b, %g
  branch %h, yes, no
yes:
  store.i32 %p, 1:i32 align 4
  return
no:
  return
`)
	require.Equal(t, 1, strings.Count(out, "set"), "%s", out)
	require.NotContains(t, out, "and ")
}

// A select on a flag that the previous iteration computed from a load becomes a branch. A
// select on a number does not.
func TestSelectsByFlagsBranch(t *testing.T) {
	compiled := func(left string) string {
		out, _ := scalarListing(t, strings.ReplaceAll(`  jump loop(0, 0)
loop(%i: i64, %flag: i64):
  %set = ne.i64 %flag, 0
  %one = add.i64 %i, 8
  %two = add.i64 %i, 24
  %next = select.i64 %set, %one, %two
  %a = add.i64 %p, %i
  %x = load.i64 %a align 8
  %less = slt.i64 %x, %i
  %bit = zext.i64 %less
  %t = slt.i64 %next, 4096
  branch %t, loop(%next, LEFT), end
end:
  store.i64 %p, %x align 8
  return
`, "LEFT", left))
		return out
	}
	require.NotContains(t, compiled("%bit"), "cmov")
	require.Contains(t, compiled("%x"), "cmov")
}

// A test of a switch counts as predictable although it compares by order.
func TestSelectsOfSwitchesBranch(t *testing.T) {
	compiled := func(limit string) string {
		out, _ := scalarListing(t, strings.ReplaceAll(`  jump loop(0, 0)
loop(%i: i64, %sum: i64):
  %a = add.i64 %p, %i
  %x = load.i64 %a align 8
  %high = ult.i64 %x, 4
  branch %high, low(%sum), mid
mid:
  %y = add.i64 %sum, %x
  %other = ult.i64 %x, 6
  branch %other, low(%y), top
top:
  %one = add.i64 %i, 8
  %two = add.i64 %i, 24
  %least = ult.i64 %x, LIMIT
  %next = select.i64 %least, %one, %two
  jump latch(%next, %sum)
low(%s: i64):
  %on = add.i64 %i, 16
  jump latch(%on, %s)
latch(%j: i64, %r: i64):
  %t = slt.i64 %j, 4096
  branch %t, loop(%j, %r), end
end:
  store.i64 %p, %r align 8
  return
`, "LIMIT", limit))
		return out
	}
	require.NotContains(t, compiled("7"), "cmov")
	require.Contains(t, compiled("%sum"), "cmov")
}

// Of nested selects the outer one is converted first, so that their tests become cases of
// the enclosing switch and entries of its table, although their operands are truncated
// next to them.
func TestNestedSelectsAreCasesOfTheirSwitch(t *testing.T) {
	out, code := scalarListing(t, `  jump loop(0, 0)
loop(%i: i64, %sum: i64):
  %a = add.i64 %p, %i
  %b = load.i8 %a align 1
  %x = zext.i32 %b
  %below2 = ult.i32 %x, 2
  branch %below2, first, more
first:
  %is0 = eq.i32 %x, 0
  branch %is0, case0, case1
more:
  %below4 = ult.i32 %x, 4
  branch %below4, middle, last
middle:
  %n = trunc.i32 %i
  %below3 = ult.i32 %x, 3
  %is2 = eq.i32 %x, 2
  %back = add.i32 %n, -1
  %two = select.i32 %is2, %back, %n
  %is3 = eq.i32 %x, 3
  %on = add.i32 %n, 9
  %three = select.i32 %is3, %on, %n
  %either = select.i32 %below3, %two, %three
  %wide = sext.i64 %either
  jump latch(%wide, %sum)
last:
  %is4 = eq.i32 %x, 4
  branch %is4, case4, case5
case0:
  %s0 = add.i64 %sum, 10
  jump latch(%i, %s0)
case1:
  %s1 = xor.i64 %sum, 11
  jump latch(%i, %s1)
case4:
  %s4 = sub.i64 %sum, 14
  jump latch(%i, %s4)
case5:
  %s5 = mul.i64 %sum, 15
  jump latch(%i, %s5)
latch(%j: i64, %r: i64):
  %k = add.i64 %j, 1
  %t = slt.i64 %k, 4096
  branch %t, loop(%k, %r), end
end:
  store.i64 %p, %r align 8
  return
`)
	require.Equal(t, 3, code.Stats.Branched)
	require.NotContains(t, out, "cmov")
	require.Positive(t, code.Stats.Dispatches)
	require.NotRegexp(t, `cmp \w+, (0x)?[23]\b`, out, "tested by the table alone")
}

// A block that branches on a condition computed in another block keeps its truncations,
// and the condition is not duplicated.
func TestTruncationsBeforeABranchByAnEarlierTest(t *testing.T) {
	f, err := vir.Parse("f", scalarFunc(`  jump loop(0, 0)
loop(%i: i64, %sum: i64):
  %a = add.i64 %p, %i
  %x = load.i64 %a align 8
  %e = eq.i64 %x, 9
  %low = and.i64 %i, 512
  %z = eq.i64 %low, 0
  branch %z, choose, latch(%i, %sum)
choose:
  %n = trunc.i32 %i
  %on = add.i32 %n, 24
  %next = select.i32 %e, %on, %n
  %wide = sext.i64 %next
  %plus = add.i64 %sum, 1
  jump latch(%wide, %plus)
latch(%j: i64, %r: i64):
  %k = add.i64 %j, 8
  %t = slt.i64 %k, 4096
  branch %t, loop(%k, %r), end
end:
  store.i64 %p, %r align 8
  return
`))
	require.NoError(t, err)
	require.Equal(t, 1, isel.BranchSelects(f))
	require.NoError(t, vir.Verify(f))
}
