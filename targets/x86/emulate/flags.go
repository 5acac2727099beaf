package emulate

import (
	"math/bits"

	"github.com/simtc/simtc/targets/x86/asm"
)

// flags holds bits of rflags. It omits the adjust flag, which no instruction of the tables
// reads.
type flags uint32

const (
	carry    flags = 1 << 0
	parity   flags = 1 << 2
	zero     flags = 1 << 6
	sign     flags = 1 << 7
	overflow flags = 1 << 11

	allFlags = carry | parity | zero | sign | overflow
)

// conditionFlags holds the flags that a condition reads, by half its number: a condition and
// its negation read the same.
var conditionFlags = [8]flags{overflow, carry, zero, zero | carry, sign, parity, sign | overflow, sign | overflow | zero}

// holds evaluates a condition (SDM volume 1, appendix B).
func (m *Machine) holds(c asm.Cond) bool {
	if m.undef&conditionFlags[c>>1&7] != 0 {
		panic(&Fault{Kind: UndefinedFlag})
	}
	f, yes := m.flags, false
	switch c &^ 1 {
	case asm.CondO:
		yes = f&overflow != 0
	case asm.CondB:
		yes = f&carry != 0
	case asm.CondE:
		yes = f&zero != 0
	case asm.CondBE:
		yes = f&(carry|zero) != 0
	case asm.CondS:
		yes = f&sign != 0
	case asm.CondP:
		yes = f&parity != 0
	case asm.CondL:
		yes = (f&sign != 0) != (f&overflow != 0)
	case asm.CondLE:
		yes = f&zero != 0 || (f&sign != 0) != (f&overflow != 0)
	}
	return yes != (c&1 != 0)
}

// carryIn returns the carry flag, 0 or 1.
func (m *Machine) carryIn() uint64 {
	if m.undef&carry != 0 {
		panic(&Fault{Kind: UndefinedFlag})
	}
	return uint64(m.flags & carry)
}

// setFlags sets all flags and marks some of them as undefined.
func (m *Machine) setFlags(f, undefined flags) { m.flags, m.undef = f, undefined }

// change sets the flags in which to those of f, keeps the others, and marks some as undefined.
func (m *Machine) change(which, f, undefined flags) {
	m.flags = m.flags&^which | f&which
	m.undef = m.undef&^which | undefined
}

// when returns f if the condition holds, else no flags.
func when(condition bool, f flags) flags {
	if condition {
		return f
	}
	return 0
}

// result returns the sign, zero and parity flags of r, which has n bytes.
func result(r uint64, n int) flags {
	f := when(bits.OnesCount8(byte(r))&1 == 0, parity)
	if r == 0 {
		f |= zero
	}
	return f | flags(r>>(8*n-1)&1)<<7
}

// truncate returns the low n bytes of v.
func truncate(v uint64, n int) uint64 { return v << (64 - 8*n) >> (64 - 8*n) }

// extend returns the low n bytes of v, sign-extended.
func extend(v uint64, n int) int64 { return int64(v<<(64-8*n)) >> (64 - 8*n) }
