package emulate

import "github.com/simtc/simtc/targets/x86/asm"

// Float arithmetic and compares.

var floatRows = concat(
	float4(floatAdd, asm.VADDPS, asm.VADDPD, asm.VADDSS, asm.VADDSD),
	float4(floatMul, asm.VMULPS, asm.VMULPD, asm.VMULSS, asm.VMULSD),
	float4(floatSub, asm.VSUBPS, asm.VSUBPD, asm.VSUBSS, asm.VSUBSD),
	float4(floatMin, asm.VMINPS, asm.VMINPD, asm.VMINSS, asm.VMINSD),
	float4(floatDiv, asm.VDIVPS, asm.VDIVPD, asm.VDIVSS, asm.VDIVSD),
	float4(floatMax, asm.VMAXPS, asm.VMAXPD, asm.VMAXSS, asm.VMAXSD),
	[]row{
		{asm.VSQRTPS, packed1(4, floatSqrt)},
		{asm.VSQRTPD, packed1(8, floatSqrt)},
		{asm.VSQRTSS, scalar2(4, floatSqrt(single))},
		{asm.VSQRTSD, scalar2(8, floatSqrt(double))},
		{asm.VANDPS, bitwise2(4, and)},
		{asm.VANDPD, bitwise2(8, and)},
		{asm.VANDNPS, bitwise2(4, notAnd)},
		{asm.VANDNPD, bitwise2(8, notAnd)},
		{asm.VORPS, bitwise2(4, or)},
		{asm.VORPD, bitwise2(8, or)},
		{asm.VXORPS, bitwise2(4, xor)},
		{asm.VXORPD, bitwise2(8, xor)},

		{asm.VCMPPS, compareFloats(single, false)},
		{asm.VCMPPD, compareFloats(double, false)},
		{asm.VCMPSS, compareFloats(single, true)},
		{asm.VCMPSD, compareFloats(double, true)},
		{asm.VCMPPSV, compareElements(4, false)},
		{asm.VCMPPDV, compareElements(8, false)},
		{asm.VCMPSSV, compareElements(4, true)},
		{asm.VCMPSDV, compareElements(8, true)},
		{asm.VBLENDVPS, blendBySign(4)},
		{asm.VBLENDVPD, blendBySign(8)},
		{asm.VUCOMISS, compareToFlags(single)},
		{asm.VUCOMISD, compareToFlags(double)},
		{asm.VCOMISS, compareToFlags(single)},
		{asm.VCOMISD, compareToFlags(double)},
	},
	fma(plus, plus, [3][4]asm.Op{{asm.VFMADD132PS, asm.VFMADD132PD, asm.VFMADD132SS, asm.VFMADD132SD},
		{asm.VFMADD213PS, asm.VFMADD213PD, asm.VFMADD213SS, asm.VFMADD213SD},
		{asm.VFMADD231PS, asm.VFMADD231PD, asm.VFMADD231SS, asm.VFMADD231SD}}),
	fma(plus, minus, [3][4]asm.Op{{asm.VFMSUB132PS, asm.VFMSUB132PD, asm.VFMSUB132SS, asm.VFMSUB132SD},
		{asm.VFMSUB213PS, asm.VFMSUB213PD, asm.VFMSUB213SS, asm.VFMSUB213SD},
		{asm.VFMSUB231PS, asm.VFMSUB231PD, asm.VFMSUB231SS, asm.VFMSUB231SD}}),
	fma(minus, plus, [3][4]asm.Op{{asm.VFNMADD132PS, asm.VFNMADD132PD, asm.VFNMADD132SS, asm.VFNMADD132SD},
		{asm.VFNMADD213PS, asm.VFNMADD213PD, asm.VFNMADD213SS, asm.VFNMADD213SD},
		{asm.VFNMADD231PS, asm.VFNMADD231PD, asm.VFNMADD231SS, asm.VFNMADD231SD}}),
	fma(minus, minus, [3][4]asm.Op{{asm.VFNMSUB132PS, asm.VFNMSUB132PD, asm.VFNMSUB132SS, asm.VFNMSUB132SD},
		{asm.VFNMSUB213PS, asm.VFNMSUB213PD, asm.VFNMSUB213SS, asm.VFNMSUB213SD},
		{asm.VFNMSUB231PS, asm.VFNMSUB231PD, asm.VFNMSUB231SS, asm.VFNMSUB231SD}}),
	fma(plus, minusEven, [3][4]asm.Op{{asm.VFMADDSUB132PS, asm.VFMADDSUB132PD}, {asm.VFMADDSUB213PS, asm.VFMADDSUB213PD},
		{asm.VFMADDSUB231PS, asm.VFMADDSUB231PD}}),
	fma(plus, minusOdd, [3][4]asm.Op{{asm.VFMSUBADD132PS, asm.VFMSUBADD132PD}, {asm.VFMSUBADD213PS, asm.VFMSUBADD213PD},
		{asm.VFMSUBADD231PS, asm.VFMSUBADD231PD}}),
	[]row{
		{asm.VROUNDPS, packedImm(4, (*format).round)},
		{asm.VROUNDPD, packedImm(8, (*format).round)},
		{asm.VROUNDSS, scalarImm(4, (*format).round)},
		{asm.VROUNDSD, scalarImm(8, (*format).round)},
		{asm.VRNDSCALEPS, packedImm(4, (*format).roundScale)},
		{asm.VRNDSCALEPD, packedImm(8, (*format).roundScale)},
		{asm.VRNDSCALESS, scalarImm(4, (*format).roundScale)},
		{asm.VRNDSCALESD, scalarImm(8, (*format).roundScale)},
	},
)

// float4 are the packed and scalar rows of an operation.
func float4(op operation, ps, pd, ss, sd asm.Op) []row {
	return []row{{ps, packed2(4, op)}, {pd, packed2(8, op)}, {ss, scalar2(4, op(single))}, {sd, scalar2(8, op(double))}}
}

func packed2(elem int, op operation) build {
	f := op(formatOf(elem))
	return func(t *translator, in *asm.Inst) exec {
		n, env := elements(in, elem), environment(in)
		s := []source{t.source(in, 1, elem, n), t.source(in, 2, elem, n)}
		return run(t.target(in, elem, n), s, func(m *Machine) {
			out, a, b, e := m.out[:n], m.in[0][:n], m.in[1][:n], &m.envs[env]
			for i := range out {
				out[i] = f(e, a[i], b[i])
			}
		})
	}
}

// packed1 is dst[i] = op(0, src[i]).
func packed1(elem int, op operation) build {
	f := op(formatOf(elem))
	return func(t *translator, in *asm.Inst) exec {
		n, env := elements(in, elem), environment(in)
		return run(t.target(in, elem, n), []source{t.source(in, 1, elem, n)}, func(m *Machine) {
			for i := range n {
				m.out[i] = f(&m.envs[env], 0, m.in[0][i])
			}
		})
	}
}

func packedImm(elem int, op func(f *format, e *floatEnv, x uint64, imm int) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		f, n, env, imm := formatOf(elem), elements(in, elem), environment(in), int(uint8(in.Imm))
		return run(t.target(in, elem, n), []source{t.source(in, 1, elem, n)}, func(m *Machine) {
			for i := range n {
				m.out[i] = op(f, &m.envs[env], m.in[0][i], imm)
			}
		})
	}
}

// scalarImm is scalar2 of the second source and an immediate.
func scalarImm(elem int, op func(f *format, e *floatEnv, x uint64, imm int) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		f, imm := formatOf(elem), int(uint8(in.Imm))
		return scalar2(elem, func(e *floatEnv, _, x uint64) uint64 { return op(f, e, x, imm) })(t, in)
	}
}

// scalar2 computes the lowest element and copies the others of 128 bits from the first source.
func scalar2(elem int, f func(e *floatEnv, x, y uint64) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		return t.lowest(in, elem, 1, func(e *floatEnv, v *[3]uint64) uint64 { return f(e, v[1], v[2]) })
	}
}

// lowest computes the lowest element of the destination from those of the operands, and
// copies the others of 128 bits from operand rest.
func (t *translator) lowest(in *asm.Inst, elem, rest int, f func(e *floatEnv, v *[3]uint64) uint64) exec {
	d, env := t.target(in, elem, 1), environment(in)
	a, b := t.register(in.Args[1], asm.ClassVec), t.source(in, 2, elem, 1)
	keep := d.reg
	if rest == 1 {
		keep = a
	}
	return func(m *Machine) {
		active := d.active(m)
		b.load(m, &m.in[0], active)
		v := [3]uint64{number(m.vec[d.reg][:], elem), number(m.vec[a][:], elem), m.in[0][0]}
		r := v[0]
		switch {
		case active != 0:
			r = f(&m.envs[env], &v)
		case d.zeroing:
			r = 0
		}
		old := &m.vec[keep]
		low := [2]uint64{number(old[:], 8), number(old[8:], 8)}
		x := &m.vec[d.reg]
		putNumber(x[:], 8, low[0])
		putNumber(x[8:], 8, low[1])
		putNumber(x[:], elem, r)
		clear(x[16:])
	}
}

// compareFloats builds dst = the mask of the elements for which the predicate holds.
func compareFloats(f *format, scalar bool) build {
	return func(t *translator, in *asm.Inst) exec {
		n, env := elements(in, f.size), environment(in)
		if scalar {
			n = 1
		}
		holds := floatPredicates[in.Imm&15]
		d, k := t.register(in.Args[0], asm.ClassMask), t.writeMask(in)
		a, b := t.source(in, 1, f.size, n), t.source(in, 2, f.size, n)
		return func(m *Machine) {
			active := ones(n)
			if k >= 0 {
				active &= m.mask[k]
			}
			a.load(m, &m.in[0], active)
			b.load(m, &m.in[1], active)
			r := uint64(0)
			for i := range n {
				if f.compare(&m.envs[env], m.in[0][i], m.in[1][i])&holds != 0 {
					r |= 1 << i
				}
			}
			m.mask[d] = r & active
		}
	}
}

// compareElements sets elements to ones if the predicate holds, else to zero.
func compareElements(elem int, scalar bool) build {
	return func(t *translator, in *asm.Inst) exec {
		predicate := floatPredicates[in.Imm&15]
		op := func(f *format) func(e *floatEnv, x, y uint64) uint64 {
			return func(e *floatEnv, x, y uint64) uint64 {
				if f.compare(e, x, y)&predicate != 0 {
					return ones(8 * elem)
				}
				return 0
			}
		}
		if scalar {
			return scalar2(elem, op(formatOf(elem)))(t, in)
		}
		return packed2(elem, op)(t, in)
	}
}

// blendBySign takes elements of the second source if the sign bit of the last is set, else of
// the first.
func blendBySign(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		s := []source{t.source(in, 1, elem, n), t.source(in, 2, elem, n), t.source(in, 3, elem, n)}
		return run(t.target(in, elem, n), s, func(m *Machine) {
			for i := range n {
				m.out[i] = m.in[m.in[2][i]>>(8*elem-1)][i]
			}
		})
	}
}

// compareToFlags sets CF and ZF as a comparison of unsigned integers does, and CF, ZF and PF
// if an operand is a NaN.
func compareToFlags(f *format) build {
	return func(t *translator, in *asm.Inst) exec {
		a, b := t.source(in, 0, f.size, 1), t.source(in, 1, f.size, 1)
		return func(m *Machine) {
			a.load(m, &m.in[0], 1)
			b.load(m, &m.in[1], 1)
			switch f.compare(&m.envs[0], m.in[0][0], m.in[1][0]) {
			case isLess:
				m.setFlags(carry, 0)
			case isEqual:
				m.setFlags(zero, 0)
			case isGreater:
				m.setFlags(0, 0)
			default:
				m.setFlags(carry|zero|parity, 0)
			}
		}
	}
}

// negation reports whether element i of a product or addend is negated.
type negation func(i int) bool

func plus(int) bool        { return false }
func minus(int) bool       { return true }
func minusEven(i int) bool { return i&1 == 0 }
func minusOdd(i int) bool  { return i&1 != 0 }

// fma returns the rows of a fused operation for the three orders of operands: the digits of
// a mnemonic are the numbers of the operands that are multiplied and of the one that is
// added.
func fma(product, addend negation, ops [3][4]asm.Op) []row {
	var out []row
	for i, at := range [3][3]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}} {
		for k, op := range ops[i] {
			if op == asm.INVALID {
				continue
			}
			elem := 4 << (k & 1)
			if k < 2 {
				out = append(out, row{op, fusedPacked(elem, at, product, addend)})
			} else {
				out = append(out, row{op, fusedScalar(elem, at, product, addend)})
			}
		}
	}
	return out
}

// multiplyAdd computes one element from the operands v; flips holds the sign bits to invert
// in the product and the addend.
func (f *format) multiplyAdd(e *floatEnv, v *[3]uint64, at [3]int, flips [2]uint64) uint64 {
	x, y, z := v[at[0]], v[at[1]], v[at[2]]
	return f.fused(e, x^flips[0], y, z^flips[1], x, y, z)
}

// flips returns the sign bits to invert in element i.
func (f *format) flips(product, addend negation, i int) (out [2]uint64) {
	if product(i) {
		out[0] = f.signBit()
	}
	if addend(i) {
		out[1] = f.signBit()
	}
	return out
}

func fusedPacked(elem int, at [3]int, product, addend negation) build {
	f := formatOf(elem)
	flips := [2][2]uint64{f.flips(product, addend, 0), f.flips(product, addend, 1)}
	return func(t *translator, in *asm.Inst) exec {
		n, env := elements(in, elem), environment(in)
		s := []source{t.source(in, 0, elem, n), t.source(in, 1, elem, n), t.source(in, 2, elem, n)}
		return run(t.target(in, elem, n), s, func(m *Machine) {
			e := &m.envs[env]
			plain := e.plain()
			x, y, z := m.in[at[0]][:n], m.in[at[1]][:n], m.in[at[2]][:n]
			for i := range x {
				flip := &flips[i&1]
				if plain {
					if r := f.fusedNear(x[i]^flip[0], y[i], z[i]^flip[1]); !f.isNaN(r) {
						m.out[i] = r
						continue
					}
				}
				m.out[i] = f.fused(e, x[i]^flip[0], y[i], z[i]^flip[1], x[i], y[i], z[i])
			}
		})
	}
}

func fusedScalar(elem int, at [3]int, product, addend negation) build {
	f := formatOf(elem)
	flips := f.flips(product, addend, 0)
	return func(t *translator, in *asm.Inst) exec {
		return t.lowest(in, elem, 0, func(e *floatEnv, v *[3]uint64) uint64 {
			return f.multiplyAdd(e, v, at, flips)
		})
	}
}
