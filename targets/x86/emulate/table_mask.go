package emulate

import "github.com/simtc/simtc/targets/x86/asm"

// Mask registers. An instruction on n bits clears the bits above.

var maskRows = concat(
	[]row{
		{asm.ZEROK, constantMask(0)},
		{asm.ONESK, constantMask(^uint64(0))},
		{asm.KMOVB, moveMask(1)},
		{asm.KMOVW, moveMask(2)},
		{asm.KMOVD, moveMask(4)},
		{asm.KMOVQ, moveMask(8)},
	},
	masks([4]asm.Op{asm.KANDB, asm.KANDW, asm.KANDD, asm.KANDQ}, func(x, y uint64) uint64 { return x & y }),
	masks([4]asm.Op{asm.KANDNB, asm.KANDNW, asm.KANDND, asm.KANDNQ}, func(x, y uint64) uint64 { return ^x & y }),
	masks([4]asm.Op{asm.KORB, asm.KORW, asm.KORD, asm.KORQ}, func(x, y uint64) uint64 { return x | y }),
	masks([4]asm.Op{asm.KXORB, asm.KXORW, asm.KXORD, asm.KXORQ}, func(x, y uint64) uint64 { return x ^ y }),
	masks([4]asm.Op{asm.KXNORB, asm.KXNORW, asm.KXNORD, asm.KXNORQ}, func(x, y uint64) uint64 { return ^(x ^ y) }),
	masks([4]asm.Op{asm.KADDB, asm.KADDW, asm.KADDD, asm.KADDQ}, func(x, y uint64) uint64 { return x + y }),
	[]row{
		{asm.KNOTB, notMask(1)},
		{asm.KNOTW, notMask(2)},
		{asm.KNOTD, notMask(4)},
		{asm.KNOTQ, notMask(8)},
		{asm.KORTESTB, testMasks(1, orTest)},
		{asm.KORTESTW, testMasks(2, orTest)},
		{asm.KORTESTD, testMasks(4, orTest)},
		{asm.KORTESTQ, testMasks(8, orTest)},
		{asm.KTESTB, testMasks(1, andTest)},
		{asm.KTESTW, testMasks(2, andTest)},
		{asm.KTESTD, testMasks(4, andTest)},
		{asm.KTESTQ, testMasks(8, andTest)},
		{asm.KSHIFTLB, shiftMask(1, true)},
		{asm.KSHIFTLW, shiftMask(2, true)},
		{asm.KSHIFTLD, shiftMask(4, true)},
		{asm.KSHIFTLQ, shiftMask(8, true)},
		{asm.KSHIFTRB, shiftMask(1, false)},
		{asm.KSHIFTRW, shiftMask(2, false)},
		{asm.KSHIFTRD, shiftMask(4, false)},
		{asm.KSHIFTRQ, shiftMask(8, false)},
		{asm.KUNPCKBW, joinMasks(1)},
		{asm.KUNPCKWD, joinMasks(2)},
		{asm.KUNPCKDQ, joinMasks(4)},
	},
)

func constantMask(v uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		d := t.register(in.Args[0], asm.ClassMask)
		return func(m *Machine) { m.mask[d] = v }
	}
}

// moveMask moves n bytes between masks, memory and general-purpose registers. It writes all
// bits of a general-purpose register.
func moveMask(n int) build {
	return func(t *translator, in *asm.Inst) exec {
		if in.Args[1].Class() == asm.ClassMask {
			s := t.register(in.Args[1], asm.ClassMask)
			if in.Args[0].Class() == asm.ClassMask {
				d := t.register(in.Args[0], asm.ClassMask)
				return func(m *Machine) { m.mask[d] = truncate(m.mask[s], n) }
			}
			d := t.scalar(in, 0, n)
			if d.kind == inRegister {
				d.size = 8
			}
			return func(m *Machine) { d.set(m, truncate(m.mask[s], n)) }
		}
		d, s := t.register(in.Args[0], asm.ClassMask), t.scalar(in, 1, n)
		return func(m *Machine) { m.mask[d] = s.get(m) }
	}
}

// masks returns the rows of dst = f(a, b) for the four sizes.
func masks(ops [4]asm.Op, f func(x, y uint64) uint64) []row {
	var out []row
	for i, op := range ops {
		n := 1 << i
		out = append(out, row{op, func(t *translator, in *asm.Inst) exec {
			d, a, b := t.register(in.Args[0], asm.ClassMask), t.register(in.Args[1], asm.ClassMask), t.register(in.Args[2], asm.ClassMask)
			return func(m *Machine) { m.mask[d] = truncate(f(m.mask[a], m.mask[b]), n) }
		}})
	}
	return out
}

func notMask(n int) build {
	return func(t *translator, in *asm.Inst) exec {
		d, s := t.register(in.Args[0], asm.ClassMask), t.register(in.Args[1], asm.ClassMask)
		return func(m *Machine) { m.mask[d] = truncate(^m.mask[s], n) }
	}
}

// testMasks sets all flags to f of the low n bytes of two masks.
func testMasks(n int, f func(x, y uint64, n int) flags) build {
	return func(t *translator, in *asm.Inst) exec {
		a, b := t.register(in.Args[0], asm.ClassMask), t.register(in.Args[1], asm.ClassMask)
		return func(m *Machine) { m.setFlags(f(m.mask[a], m.mask[b], n), 0) }
	}
}

func orTest(x, y uint64, n int) flags {
	r := truncate(x|y, n)
	return when(r == 0, zero) | when(r == truncate(^uint64(0), n), carry)
}

func andTest(x, y uint64, n int) flags {
	return when(truncate(x&y, n) == 0, zero) | when(truncate(^x&y, n) == 0, carry)
}

// shiftMask shifts by an immediate that is not reduced modulo the size.
func shiftMask(n int, left bool) build {
	return func(t *translator, in *asm.Inst) exec {
		d, s := t.register(in.Args[0], asm.ClassMask), t.register(in.Args[1], asm.ClassMask)
		by := uint8(in.Imm)
		if left {
			return func(m *Machine) { m.mask[d] = truncate(m.mask[s]<<by, n) }
		}
		return func(m *Machine) { m.mask[d] = truncate(m.mask[s], n) >> by }
	}
}

// joinMasks concatenates n bytes of each mask, those of the first above those of the second.
func joinMasks(n int) build {
	return func(t *translator, in *asm.Inst) exec {
		d, a, b := t.register(in.Args[0], asm.ClassMask), t.register(in.Args[1], asm.ClassMask), t.register(in.Args[2], asm.ClassMask)
		return func(m *Machine) { m.mask[d] = truncate(m.mask[a], n)<<(8*n) | truncate(m.mask[b], n) }
	}
}
