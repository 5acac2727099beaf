package wasmsimd

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// doubleFMA returns the number of the helper function (f64, f64, f64) -> f64 that computes
// a*b+c, rounded once, with integers. The first call adds it to the module.
//
// Product and addend are 128-bit numbers with their leading ones at bits 124 to 125. The
// one with the smaller exponent is shifted right, with the lost bits kept as a sticky last
// bit. The sum is normalized, rounded to nearest even and assembled.
func (c *compiler) doubleFMA() uint32 {
	if c.hasFMA {
		return c.fma
	}
	c.hasFMA, c.fma = true, uint32(len(c.m.Imports)+len(c.m.Funcs))
	fn := &wasm.Func{
		Name:    "fma.f64",
		Params:  []wasm.Local{{Type: wasm.F64, Name: "a"}, {Type: wasm.F64, Name: "b"}, {Type: wasm.F64, Name: "c"}},
		Results: []wasm.ValType{wasm.F64},
	}
	c.m.Funcs = append(c.m.Funcs, fn)
	h := fmaHelper{selector{c: c, b: wasm.NewBuilder(fn)}}
	h.build()
	return c.fma
}

type fmaHelper struct{ selector }

func (h *fmaHelper) variable(name string) reg {
	return reg{typ: wasm.I64, local: h.b.Local(wasm.I64, name)}
}

func (h *fmaHelper) add(a, b reg) reg { return h.do(wasm.I64Add, a, b) }
func (h *fmaHelper) sub(a, b reg) reg { return h.do(wasm.I64Sub, a, b) }
func (h *fmaHelper) and(a, b reg) reg { return h.do(wasm.I64And, a, b) }
func (h *fmaHelper) or(a, b reg) reg  { return h.do(wasm.I64Or, a, b) }
func (h *fmaHelper) shl(a, b reg) reg { return h.do(wasm.I64Shl, a, b) }
func (h *fmaHelper) shr(a, b reg) reg { return h.do(wasm.I64ShrU, a, b) }

// set copies an operand that is used again, which move does not support.
func (h *fmaHelper) set(dst, src reg) {
	src.isTmp = false
	h.move(dst, src)
}

// nonZero returns 1 for a number other than 0.
func (h *fmaHelper) nonZero(a reg) reg {
	return h.do(wasm.I64ExtendI32U, h.do(wasm.I64Ne, a, k64(0)))
}

// ifElse emits then if an i32 is not zero, else otherwise (which may be nil).
func (h *fmaHelper) ifElse(cond reg, then, otherwise func()) {
	h.push(cond)
	h.b.If(wasm.BlockVoid)
	then()
	if otherwise != nil {
		h.b.Else()
		otherwise()
	}
	h.b.End()
}

func (h *fmaHelper) build() {
	param := func(i uint32) reg { return reg{typ: wasm.F64, local: i} }
	a, b, c := param(0), param(1), param(2)
	finite := func(x reg) reg { return h.do(wasm.F64Lt, h.do(wasm.F64Abs, x), floatInf()) }
	ret := func(r reg) {
		h.push(r)
		h.b.Op(wasm.Return)
	}
	// Infinities, NaNs and zero products: the plain operations are exact, except that a
	// product that overflows must not be added to an infinite c.
	zeroF := reg{typ: wasm.F64, isCst: true}
	easy := h.do(wasm.I32Or, h.do(wasm.F64Eq, a, zeroF), h.do(wasm.F64Eq, b, zeroF))
	bothFinite := h.do(wasm.I32And, finite(a), finite(b))
	easy = h.do(wasm.I32Or, easy, h.do(wasm.I32Eqz, bothFinite))
	h.ifElse(easy, func() { ret(h.do(wasm.F64Add, h.do(wasm.F64Mul, a, b), c)) }, nil)
	h.ifElse(h.do(wasm.I32Eqz, finite(c)), func() { ret(h.do(wasm.F64Add, c, c)) }, nil)

	ma, ea := h.split(a, "a")
	mb, eb := h.split(b, "b")
	mc, ec := h.split(c, "c")
	bits := func(x reg) reg { return h.do(wasm.I64ReinterpretF64, x) }
	sp := h.shr(h.do(wasm.I64Xor, bits(a), bits(b)), k64(63))
	sc := h.shr(bits(c), k64(63))

	ph, pl, ch, cl := h.variable("p.high"), h.variable("p.low"), h.variable("c.high"), h.variable("c.low")
	e := h.variable("exponent")
	hi := h.mulHigh(alu.UMulHi, alu.I64, ma, mb)
	lo := h.do(wasm.I64Mul, ma, mb)
	h.move(ph, h.or(h.shl(hi, k64(20)), h.shr(lo, k64(44))))
	h.move(pl, h.shl(lo, k64(20)))
	h.move(ch, h.shl(mc, k64(8)))
	h.move(cl, k64(0))
	ep := h.sub(h.add(ea, eb), k64(20))
	ec = h.sub(ec, k64(72))
	d := h.sub(ep, ec)
	h.ifElse(h.do(wasm.I64GeS, d, k64(0)), func() {
		h.set(e, ep)
		h.shiftRight(ch, cl, d)
	}, func() {
		h.set(e, ec)
		h.shiftRight(ph, pl, h.sub(k64(0), d))
	})

	rh, rl, sign := h.variable("high"), h.variable("low"), h.variable("sign")
	h.set(sign, sp)
	h.ifElse(h.do(wasm.I64Eq, sp, sc), func() {
		low := h.add(pl, cl)
		carry := h.do(wasm.I64ExtendI32U, h.do(wasm.I64LtU, low, pl))
		h.move(rh, h.add(h.add(ph, ch), carry))
		h.set(rl, low)
	}, func() {
		low := h.sub(pl, cl)
		borrow := h.do(wasm.I64ExtendI32U, h.do(wasm.I64LtU, pl, cl))
		h.move(rh, h.sub(h.sub(ph, ch), borrow))
		h.set(rl, low)
		h.ifElse(h.do(wasm.I64LtS, rh, k64(0)), func() {
			h.move(rh, h.sub(h.sub(k64(0), rh), h.nonZero(rl)))
			h.move(rl, h.sub(k64(0), rl))
			h.move(sign, h.do(wasm.I64Xor, sign, k64(1)))
		}, nil)
	})
	// The product is exactly -c.
	h.ifElse(h.do(wasm.I64Eqz, h.or(rh, rl)), func() { ret(zeroF) }, nil)
	h.round(rh, rl, e, sign)
}

func floatInf() reg { return reg{typ: wasm.F64, isCst: true, lo: 0x7FF << 52} }

// split returns the significand and the exponent of a finite number x = m * 2^e; m has 53
// bits, or is 0 with the minimum exponent.
func (h *fmaHelper) split(x reg, name string) (m, e reg) {
	m, e = h.variable(name+".significand"), h.variable(name+".exponent")
	bits := h.do(wasm.I64ReinterpretF64, x)
	h.move(m, h.and(bits, k64(1<<52-1)))
	h.move(e, h.and(h.shr(bits, k64(52)), k64(0x7FF)))
	h.ifElse(h.do(wasm.I64Eqz, e), func() {
		// Subnormal: shift the leading one to bit 52. Zero moves by 53.
		n := h.sub(h.do(wasm.I64Clz, m), k64(11))
		h.move(m, h.shl(m, n))
		h.move(e, h.sub(k64(1), n))
		h.ifElse(h.do(wasm.I64Eqz, m), func() { h.move(e, k64(-100000)) }, nil)
	}, func() {
		h.move(m, h.or(m, k64(1<<52)))
	})
	h.move(e, h.sub(e, k64(1075)))
	return m, e
}

// shiftRight shifts a 128-bit number right by n and sets its last bit if a one was shifted
// out.
func (h *fmaHelper) shiftRight(hi, lo, n reg) {
	h.ifElse(h.do(wasm.I64GeU, n, k64(128)), func() {
		h.move(lo, h.nonZero(h.or(hi, lo)))
		h.move(hi, k64(0))
	}, func() {
		h.ifElse(h.do(wasm.I64GeU, n, k64(64)), func() {
			sticky := h.nonZero(lo)
			h.move(lo, hi)
			h.move(hi, k64(0))
			// The rest of the shift is below 64.
			h.shiftWithin(hi, lo, h.sub(n, k64(64)))
			h.move(lo, h.or(lo, sticky))
		}, func() { h.shiftWithin(hi, lo, n) })
	})
}

// shiftWithin is shiftRight by less than 64.
func (h *fmaHelper) shiftWithin(hi, lo, n reg) {
	h.ifElse(h.do(wasm.I64Ne, n, k64(0)), func() {
		back := h.sub(k64(64), n)
		sticky := h.nonZero(h.shl(lo, back))
		low := h.or(h.shr(lo, n), h.shl(hi, back))
		h.move(lo, h.or(low, sticky))
		h.move(hi, h.shr(hi, n))
	}, nil)
}

// round returns the double nearest to a nonzero number.
func (h *fmaHelper) round(hi, lo, e, sign reg) {
	r := h.variable("significand")
	// 64 bits with the leading one on top and a sticky last bit.
	h.ifElse(h.do(wasm.I64Eqz, hi), func() {
		n := h.do(wasm.I64Clz, lo)
		h.move(r, h.shl(lo, n))
		h.move(e, h.sub(e, n))
	}, func() {
		n := h.do(wasm.I64Clz, hi)
		h.ifElse(h.do(wasm.I64Eqz, n), func() {
			h.move(r, h.or(hi, h.nonZero(lo)))
		}, func() {
			low := h.shr(lo, h.sub(k64(64), n))
			h.move(r, h.or(h.or(h.shl(hi, n), low), h.nonZero(h.shl(lo, n))))
		})
		h.move(e, h.add(e, h.sub(k64(64), n)))
	})
	// The biased exponent of r * 2^e; below 1 the number is subnormal and loses more than
	// 11 bits.
	biased, drop := h.variable("biased"), h.variable("drop")
	h.move(biased, h.add(e, k64(63+1023)))
	h.move(drop, k64(11))
	signBit := h.shl(sign, k64(63))
	h.ifElse(h.do(wasm.I64LtS, biased, k64(1)), func() {
		h.move(drop, h.sub(k64(12), biased))
		h.move(biased, k64(1))
	}, nil)
	give := func(bits reg) {
		h.push(h.do(wasm.F64ReinterpretI64, h.or(bits, signBit)))
		h.b.Op(wasm.Return)
	}
	h.ifElse(h.do(wasm.I64GtS, biased, k64(2046)), func() { give(k64(0x7FF << 52)) }, nil)
	// A shift by 64 or more leaves at most a carry.
	h.ifElse(h.do(wasm.I64GtS, drop, k64(64)), func() { give(k64(0)) }, nil)
	h.ifElse(h.do(wasm.I64Eq, drop, k64(64)), func() {
		give(h.do(wasm.I64ExtendI32U, h.do(wasm.I64GtU, r, k64(-1<<63))))
	}, nil)
	q := h.shr(r, drop)
	rest := h.shl(r, h.sub(k64(64), drop))
	half := k64(-1 << 63)
	tie := h.do(wasm.I32And, h.do(wasm.I64Eq, rest, half), h.do(wasm.I32WrapI64, h.and(q, k64(1))))
	up := h.do(wasm.I64ExtendI32U, h.do(wasm.I32Or, h.do(wasm.I64GtU, rest, half), tie))
	// The leading one of q adds 1 to the exponent; so does a carry, correctly.
	bits := h.add(h.add(h.shl(h.sub(biased, k64(1)), k64(52)), q), up)
	h.push(h.do(wasm.F64ReinterpretI64, h.or(bits, signBit)))
}
