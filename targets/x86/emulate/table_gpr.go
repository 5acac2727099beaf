package emulate

import (
	"math/bits"

	"github.com/simtc/simtc/targets/x86/asm"
)

// General-purpose instructions.

var gprRows = []row{
	{asm.ZEROR, zeroRegister},

	{asm.MOV, move(0, 0, false)},
	{asm.MOVZXB, move(0, 1, false)},
	{asm.MOVZXW, move(0, 2, false)},
	{asm.MOVSXB, move(0, 1, true)},
	{asm.MOVSXW, move(0, 2, true)},
	{asm.MOVSXD, move(8, 4, true)},
	{asm.LEA, lea},
	{asm.XCHG, exchange},
	{asm.BSWAP, unary(func(_ *Machine, x uint64, n int) uint64 { return bits.ReverseBytes64(x) >> (64 - 8*n) })},
	{asm.CMOVCC, conditionalMove},
	{asm.SETCC, setOn},

	{asm.ADD, arithmetic(true, (*Machine).add)},
	{asm.SUB, arithmetic(true, (*Machine).sub)},
	{asm.AND, arithmetic(true, (*Machine).and)},
	{asm.OR, arithmetic(true, (*Machine).or)},
	{asm.XOR, arithmetic(true, (*Machine).xor)},
	{asm.ADC, arithmetic(true, (*Machine).addCarry)},
	{asm.SBB, arithmetic(true, (*Machine).subBorrow)},
	{asm.CMP, arithmetic(false, (*Machine).sub)},
	{asm.TEST, arithmetic(false, (*Machine).and)},
	{asm.NEG, unary(func(m *Machine, x uint64, n int) uint64 { return m.sub(0, x, n) })},
	{asm.NOT, unary(func(_ *Machine, x uint64, n int) uint64 { return ^x })},
	{asm.INC, unary((*Machine).inc)},
	{asm.DEC, unary((*Machine).dec)},

	{asm.IMUL, multiply(0)},
	{asm.IMUL3, multiply(1)},
	{asm.IMUL1, multiplyWide((*Machine).mulSigned)},
	{asm.MUL, multiplyWide((*Machine).mulUnsigned)},
	{asm.MULX, multiplyTwoResults},
	{asm.DIV, divide((*Machine).divUnsigned)},
	{asm.IDIV, divide((*Machine).divSigned)},
	{asm.CDQ, signOfA(4)},
	{asm.CQO, signOfA(8)},

	{asm.SHL, shift(false, (*Machine).shl)},
	{asm.SHR, shift(false, (*Machine).shr)},
	{asm.SAR, shift(false, (*Machine).sar)},
	{asm.ROL, shift(false, (*Machine).rol)},
	{asm.ROR, shift(false, (*Machine).ror)},
	{asm.SHLCL, shift(true, (*Machine).shl)},
	{asm.SHRCL, shift(true, (*Machine).shr)},
	{asm.SARCL, shift(true, (*Machine).sar)},
	{asm.ROLCL, shift(true, (*Machine).rol)},
	{asm.RORCL, shift(true, (*Machine).ror)},
	{asm.SHLX, binary3(func(x, y uint64, n int) uint64 { return x << (y & uint64(8*n-1)) })},
	{asm.SHRX, binary3(func(x, y uint64, n int) uint64 { return x >> (y & uint64(8*n-1)) })},
	{asm.SARX, binary3(func(x, y uint64, n int) uint64 { return uint64(extend(x, n) >> (y & uint64(8*n-1))) })},
	{asm.BZHI, clearFrom},
	{asm.PDEP, binary3(func(x, y uint64, _ int) uint64 { return depositBits(x, y) })},
	{asm.PEXT, binary3(func(x, y uint64, _ int) uint64 { return extractBits(x, y) })},
	{asm.RORX, binary3(func(x, y uint64, n int) uint64 { return rotateRight(x, y, n) })},
	{asm.SHLDI, shiftDouble(true)},
	{asm.SHRDI, shiftDouble(false)},

	{asm.BSF, scan(func(x uint64) uint64 { return uint64(bits.TrailingZeros64(x)) })},
	{asm.BSR, scan(func(x uint64) uint64 { return uint64(63 - bits.LeadingZeros64(x)) })},
	{asm.LZCNT, count(func(m *Machine, x uint64, n int) uint64 {
		return m.zeros(uint64(bits.LeadingZeros64(x)-(64-8*n)), n)
	})},
	{asm.TZCNT, count(func(m *Machine, x uint64, n int) uint64 {
		return m.zeros(uint64(min(bits.TrailingZeros64(x), 8*n)), n)
	})},
	{asm.POPCNT, count(func(m *Machine, x uint64, n int) uint64 {
		m.setFlags(when(x == 0, zero), 0)
		return uint64(bits.OnesCount64(x))
	})},
	{asm.ANDN, andNot},
	{asm.BLSR, count(func(m *Machine, x uint64, n int) uint64 {
		return m.lowest(x&(x-1), n, x == 0)
	})},
	{asm.BLSI, count(func(m *Machine, x uint64, n int) uint64 {
		return m.lowest(x&-x, n, x != 0)
	})},
	{asm.BLSMSK, count(func(m *Machine, x uint64, n int) uint64 {
		r := m.lowest(truncate(x^(x-1), n), n, x == 0)
		m.change(zero, 0, 0)
		return r
	})},
	{asm.BT, bitTest(func(x, bit uint64) uint64 { return x }, false)},
	{asm.BTS, bitTest(func(x, bit uint64) uint64 { return x | bit }, true)},
	{asm.BTR, bitTest(func(x, bit uint64) uint64 { return x &^ bit }, true)},
	{asm.BTC, bitTest(func(x, bit uint64) uint64 { return x ^ bit }, true)},
}

func zeroRegister(t *translator, in *asm.Inst) exec {
	d := t.register(in.Args[0], asm.ClassGPR)
	return func(m *Machine) {
		m.gpr[d] = 0
		m.setFlags(zero|parity, 0)
	}
}

// move copies its source of from bytes, extended to to bytes; 0 means the operand size.
func move(to, from int, signed bool) build {
	return func(t *translator, in *asm.Inst) exec {
		to, from := to, from
		if to == 0 {
			to = t.size(in)
		}
		if from == 0 {
			from = to
		}
		d, s := t.scalar(in, 0, to), t.scalar(in, 1, from)
		switch {
		case signed:
			return func(m *Machine) { d.set(m, uint64(extend(s.get(m), from))) }
		case d.kind == inRegister && s.kind == inRegister && from == 8:
			return func(m *Machine) { m.gpr[d.reg] = m.gpr[s.reg] }
		}
		return func(m *Machine) { d.set(m, s.get(m)) }
	}
}

func lea(t *translator, in *asm.Inst) exec {
	d, a := t.scalar(in, 0, t.size(in)), t.address(in)
	return func(m *Machine) { d.set(m, a.of(m)) }
}

func exchange(t *translator, in *asm.Inst) exec {
	d, s := t.scalar(in, 0, t.size(in)), t.scalar(in, 1, t.size(in))
	return func(m *Machine) {
		x, y := d.get(m), s.get(m)
		d.set(m, y)
		s.set(m, x)
	}
}

// conditionalMove reads its source and clears the upper half of a 32-bit destination even if
// the condition is false.
func conditionalMove(t *translator, in *asm.Inst) exec {
	d, s, c := t.scalar(in, 0, t.size(in)), t.scalar(in, 1, t.size(in)), in.Cond
	return func(m *Machine) {
		x := s.get(m)
		if !m.holds(c) {
			x = d.get(m)
		}
		d.set(m, x)
	}
}

func setOn(t *translator, in *asm.Inst) exec {
	d, c := t.scalar(in, 0, 1), in.Cond
	return func(m *Machine) {
		x := uint64(0)
		if m.holds(c) {
			x = 1
		}
		d.set(m, x)
	}
}

// arithmetic builds dst = f(dst, src), where f sets the flags.
func arithmetic(write bool, f func(m *Machine, x, y uint64, n int) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		d, s := t.scalar(in, 0, n), t.scalar(in, 1, n)
		if !write {
			return func(m *Machine) { f(m, d.get(m), s.get(m), n) }
		}
		return func(m *Machine) { d.set(m, f(m, d.get(m), s.get(m), n)) }
	}
}

// unary builds dst = f(dst).
func unary(f func(m *Machine, x uint64, n int) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		d := t.scalar(in, 0, n)
		return func(m *Machine) { d.set(m, f(m, d.get(m), n)) }
	}
}

// count builds dst = f(src), where f sets the flags.
func count(f func(m *Machine, x uint64, n int) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		d, s := t.scalar(in, 0, n), t.scalar(in, 1, n)
		return func(m *Machine) { d.set(m, f(m, s.get(m), n)) }
	}
}

// binary3 builds dst = f(a, b), which does not change the flags.
func binary3(f func(x, y uint64, n int) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		d, a, b := t.scalar(in, 0, n), t.scalar(in, 1, n), t.scalar(in, 2, n)
		return func(m *Machine) { d.set(m, f(a.get(m), b.get(m), n)) }
	}
}

// depositBits moves the low bits of x to the positions of the bits set in mask (PDEP).
func depositBits(x, mask uint64) (r uint64) {
	for ; mask != 0; mask &= mask - 1 {
		if x&1 != 0 {
			r |= mask & -mask
		}
		x >>= 1
	}
	return r
}

// extractBits moves the bits of x at the positions of the bits set in mask to the low bits
// (PEXT).
func extractBits(x, mask uint64) (r uint64) {
	for n := 0; mask != 0; mask &= mask - 1 {
		if x&mask&-mask != 0 {
			r |= 1 << n
		}
		n++
	}
	return r
}

// clearFrom clears the bits from the one whose number is the low byte of the last operand
// (BZHI).
func clearFrom(t *translator, in *asm.Inst) exec {
	n := t.size(in)
	d, a, b := t.scalar(in, 0, n), t.scalar(in, 1, n), t.scalar(in, 2, n)
	return func(m *Machine) {
		from := b.get(m) & 0xFF
		r := a.get(m) & (1<<from - 1)
		m.setFlags(result(r, n)&^parity|when(from >= uint64(8*n), carry), parity)
		d.set(m, r)
	}
}

func (m *Machine) add(x, y uint64, n int) uint64 {
	r := truncate(x+y, n)
	m.setFlags(result(r, n)|when(r < x, carry)|flags((x^r)&(y^r)>>(8*n-1)&1)<<11, 0)
	return r
}

func (m *Machine) sub(x, y uint64, n int) uint64 {
	r := truncate(x-y, n)
	m.setFlags(result(r, n)|when(x < y, carry)|flags((x^y)&(x^r)>>(8*n-1)&1)<<11, 0)
	return r
}

func (m *Machine) addCarry(x, y uint64, n int) uint64 {
	c := m.carryIn()
	r := truncate(x+y+c, n)
	m.setFlags(result(r, n)|when(r < x || c != 0 && r == x, carry)|flags((x^r)&(y^r)>>(8*n-1)&1)<<11, 0)
	return r
}

func (m *Machine) subBorrow(x, y uint64, n int) uint64 {
	c := m.carryIn()
	r := truncate(x-y-c, n)
	m.setFlags(result(r, n)|when(x < y || c != 0 && x == y, carry)|flags((x^y)&(x^r)>>(8*n-1)&1)<<11, 0)
	return r
}

func (m *Machine) and(x, y uint64, n int) uint64 { return m.logic(x&y, n) }
func (m *Machine) or(x, y uint64, n int) uint64  { return m.logic(x|y, n) }
func (m *Machine) xor(x, y uint64, n int) uint64 { return m.logic(x^y, n) }

func (m *Machine) logic(r uint64, n int) uint64 {
	m.setFlags(result(r, n), 0)
	return r
}

// inc and dec do not change the carry flag.
func (m *Machine) inc(x uint64, n int) uint64 {
	r := truncate(x+1, n)
	m.change(allFlags&^carry, result(r, n)|when(r == 1<<(8*n-1), overflow), 0)
	return r
}

func (m *Machine) dec(x uint64, n int) uint64 {
	r := truncate(x-1, n)
	m.change(allFlags&^carry, result(r, n)|when(x == 1<<(8*n-1), overflow), 0)
	return r
}

// multiply builds dst = a * src, where operand first is a.
func multiply(first int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		d, a, b := t.scalar(in, 0, n), t.scalar(in, first, n), t.scalar(in, first+1, n)
		return func(m *Machine) {
			x, y := a.get(m), b.get(m)
			d.set(m, m.product(x, y, n))
		}
	}
}

// product returns the low half of a signed product. Carry and overflow are set if the product
// does not fit it.
func (m *Machine) product(x, y uint64, n int) uint64 {
	high, low := bits.Mul64(uint64(extend(x, n)), uint64(extend(y, n)))
	high -= uint64(extend(x, n)>>63)&uint64(extend(y, n)) + uint64(extend(y, n)>>63)&uint64(extend(x, n))
	r := truncate(low, n)
	sx := uint64(extend(r, n))
	m.setFlags(when(sx != low || high != uint64(int64(low)>>63), carry|overflow), sign|zero|parity)
	return r
}

// multiplyWide builds rdx:rax = rax * src.
func multiplyWide(f func(m *Machine, x, y uint64, n int) (high, low uint64)) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		s := t.scalar(in, 0, n)
		return func(m *Machine) {
			high, low := f(m, truncate(m.gpr[0], n), s.get(m), n)
			m.setGPR(0, n, low)
			m.setGPR(2, n, high)
		}
	}
}

func (m *Machine) mulUnsigned(x, y uint64, n int) (high, low uint64) {
	high, low = wide(x, y, n)
	m.setFlags(when(high != 0, carry|overflow), sign|zero|parity)
	return high, low
}

func (m *Machine) mulSigned(x, y uint64, n int) (high, low uint64) {
	low = m.product(x, y, n)
	high, _ = wide(x, y, n)
	if extend(x, n) < 0 {
		high -= y
	}
	if extend(y, n) < 0 {
		high -= x
	}
	return truncate(high, n), low
}

// wide returns the product of two numbers of n bytes as two halves of n bytes.
func wide(x, y uint64, n int) (high, low uint64) {
	high, low = bits.Mul64(x, y)
	if n < 8 {
		return low >> (8 * n) & (1<<(8*n) - 1), truncate(low, n)
	}
	return high, low
}

// multiplyTwoResults is MULX. The low half is written first, so that the register holds the
// high half if both results have the same one.
func multiplyTwoResults(t *translator, in *asm.Inst) exec {
	n := t.size(in)
	high, low, s := t.scalar(in, 0, n), t.scalar(in, 1, n), t.scalar(in, 2, n)
	return func(m *Machine) {
		h, l := wide(truncate(m.gpr[2], n), s.get(m), n)
		low.set(m, l)
		high.set(m, h)
	}
}

// divide builds rax, rdx = rdx:rax / src, rdx:rax % src.
func divide(f func(m *Machine, high, low, y uint64, n int) (quo, rem uint64)) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		s := t.scalar(in, 0, n)
		return func(m *Machine) {
			quo, rem := f(m, truncate(m.gpr[2], n), truncate(m.gpr[0], n), s.get(m), n)
			m.setGPR(0, n, quo)
			m.setGPR(2, n, rem)
			m.setFlags(0, allFlags)
		}
	}
}

func (m *Machine) divUnsigned(high, low, y uint64, n int) (quo, rem uint64) {
	if high >= y {
		panic(&Fault{Kind: DivideFault})
	}
	if n < 8 {
		x := high<<(8*n) | low
		return x / y, x % y
	}
	return bits.Div64(high, low, y)
}

func (m *Machine) divSigned(high, low, y uint64, n int) (quo, rem uint64) {
	negative, opposite := extend(high, n) < 0, extend(y, n) < 0
	if negative { // of 2n bytes
		var borrow uint64
		low = truncate(-low, n)
		if low != 0 {
			borrow = 1
		}
		high = truncate(-high-borrow, n)
	}
	if opposite {
		y = truncate(-y, n)
	}
	quo, rem = m.divUnsigned(high, low, y, n)
	limit := uint64(1) << (8*n - 1)
	if negative != opposite {
		if quo > limit {
			panic(&Fault{Kind: DivideFault})
		}
		quo = -quo
	} else if quo >= limit {
		panic(&Fault{Kind: DivideFault})
	}
	if negative {
		rem = -rem
	}
	return truncate(quo, n), truncate(rem, n)
}

// signOfA fills rdx with the sign of rax.
func signOfA(n int) build {
	return func(_ *translator, _ *asm.Inst) exec {
		return func(m *Machine) { m.setGPR(2, n, uint64(extend(m.gpr[0], n)>>63)) }
	}
}

// shift builds dst = f(dst, count), where count is an immediate or cl, modulo 32 or, for 64
// bits, 64. A count of 0 does not change the flags.
func shift(byCL bool, f func(m *Machine, x, count uint64, n int) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		maxCount := uint64(31)
		if n == 8 {
			maxCount = 63
		}
		d, by := t.scalar(in, 0, n), uint64(in.Imm)&maxCount
		return func(m *Machine) {
			count := by
			if byCL {
				count = m.gpr[1] & maxCount
			}
			x := d.get(m)
			if count != 0 {
				x = f(m, x, count, n)
			}
			d.set(m, x)
		}
	}
}

// unlessOne returns the undefined flags of a shift: the overflow flag unless count is 1.
func unlessOne(count uint64) flags { return when(count != 1, overflow) }

func (m *Machine) shl(x, count uint64, n int) uint64 {
	w := uint64(8 * n)
	r := truncate(x<<count, n)
	var c uint64
	if count <= w {
		c = x >> (w - count) & 1
	}
	m.setFlags(result(r, n)|flags(c)|flags(r>>(w-1)^c)<<11, unlessOne(count)|when(count > w, carry))
	return r
}

func (m *Machine) shr(x, count uint64, n int) uint64 {
	w := uint64(8 * n)
	r := x >> count
	m.setFlags(result(r, n)|flags(x>>(count-1)&1)|flags(x>>(w-1))<<11, unlessOne(count)|when(count > w, carry))
	return r
}

func (m *Machine) sar(x, count uint64, n int) uint64 {
	s := extend(x, n)
	r := truncate(uint64(s>>count), n)
	m.setFlags(result(r, n)|flags(s>>(count-1)&1), unlessOne(count))
	return r
}

func rotateRight(x, count uint64, n int) uint64 {
	w := uint64(8 * n)
	count %= w
	return truncate(x>>count|x<<(w-count), n)
}

// rol and ror change only carry and overflow.
func (m *Machine) rol(x, count uint64, n int) uint64 {
	w := uint64(8 * n)
	r := rotateRight(x, w-count%w, n)
	m.change(carry|overflow, flags(r&1)|flags(r>>(w-1)^r&1)<<11, unlessOne(count))
	return r
}

func (m *Machine) ror(x, count uint64, n int) uint64 {
	w := uint64(8 * n)
	r := rotateRight(x, count, n)
	top := r >> (w - 1)
	m.change(carry|overflow, flags(top)|flags(top^r>>(w-2)&1)<<11, unlessOne(count))
	return r
}

// shiftDouble shifts bits of the source into the destination. With a count above 16 for 16
// bits the destination and the flags are undefined; here bits of the destination follow those
// of the source.
func shiftDouble(left bool) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		most := uint64(31)
		if n == 8 {
			most = 63
		}
		d, s := t.scalar(in, 0, n), t.scalar(in, 1, n)
		count, w := uint64(in.Imm)&most, uint64(8*n)
		return func(m *Machine) {
			x, y := d.get(m), s.get(m)
			if count == 0 {
				d.set(m, x)
				return
			}
			if count > w {
				d.set(m, rotateRight(x, count, n))
				m.setFlags(0, allFlags)
				return
			}
			var r, c uint64
			if left {
				r, c = truncate(x<<count|y>>(w-count), n), x>>(w-count)&1
			} else {
				r, c = truncate(x>>count|y<<(w-count), n), x>>(count-1)&1
			}
			m.setFlags(result(r, n)|flags(c)|flags((x^r)>>(w-1)&1)<<11, unlessOne(count))
			d.set(m, r)
		}
	}
}

// scan is BSF or BSR. For a source of 0 it does not change the destination, as on all
// processors.
func scan(f func(x uint64) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		d, s := t.scalar(in, 0, n), t.scalar(in, 1, n)
		return func(m *Machine) {
			x := s.get(m)
			m.setFlags(when(x == 0, zero), allFlags&^zero)
			if x != 0 {
				d.set(m, f(x))
			}
		}
	}
}

// zeros sets the flags of LZCNT and TZCNT, whose result is r.
func (m *Machine) zeros(r uint64, n int) uint64 {
	m.setFlags(when(r == 0, zero)|when(r == uint64(8*n), carry), allFlags&^(zero|carry))
	return r
}

// lowest sets the flags of BLSI, BLSR and BLSMSK.
func (m *Machine) lowest(r uint64, n int, c bool) uint64 {
	m.setFlags(result(r, n)&^parity|when(c, carry), parity)
	return r
}

func andNot(t *translator, in *asm.Inst) exec {
	n := t.size(in)
	d, a, b := t.scalar(in, 0, n), t.scalar(in, 1, n), t.scalar(in, 2, n)
	return func(m *Machine) {
		r := b.get(m) &^ a.get(m)
		m.setFlags(result(r, n)&^parity, parity)
		d.set(m, r)
	}
}

// bitTest copies a bit to the carry flag and changes it. The zero flag is not changed.
func bitTest(f func(x, bit uint64) uint64, write bool) build {
	return func(t *translator, in *asm.Inst) exec {
		n := t.size(in)
		d, s := t.scalar(in, 0, n), t.scalar(in, 1, n)
		return func(m *Machine) {
			x, i := d.get(m), s.get(m)&uint64(8*n-1)
			m.change(carry, flags(x>>i&1), overflow|sign|parity)
			if write {
				d.set(m, f(x, 1<<i))
			}
		}
	}
}
