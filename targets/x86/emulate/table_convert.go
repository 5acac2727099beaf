package emulate

import "github.com/simtc/simtc/targets/x86/asm"

// Conversions between integers and floats, and between float widths.

var convertRows = []row{
	{asm.VCVTDQ2PS, intToFloat(4, true, single)},
	{asm.VCVTDQ2PD, intToFloat(4, true, double)},
	{asm.VCVTUDQ2PS, intToFloat(4, false, single)},
	{asm.VCVTUDQ2PD, intToFloat(4, false, double)},
	{asm.VCVTQQ2PS, intToFloat(8, true, single)},
	{asm.VCVTQQ2PD, intToFloat(8, true, double)},
	{asm.VCVTUQQ2PS, intToFloat(8, false, single)},
	{asm.VCVTUQQ2PD, intToFloat(8, false, double)},
	{asm.VCVTPS2DQ, floatToInt(single, 4, true, false)},
	{asm.VCVTPS2UDQ, floatToInt(single, 4, false, false)},
	{asm.VCVTPS2QQ, floatToInt(single, 8, true, false)},
	{asm.VCVTPS2UQQ, floatToInt(single, 8, false, false)},
	{asm.VCVTPD2DQ, floatToInt(double, 4, true, false)},
	{asm.VCVTPD2UDQ, floatToInt(double, 4, false, false)},
	{asm.VCVTPD2QQ, floatToInt(double, 8, true, false)},
	{asm.VCVTPD2UQQ, floatToInt(double, 8, false, false)},
	{asm.VCVTTPS2DQ, floatToInt(single, 4, true, true)},
	{asm.VCVTTPS2UDQ, floatToInt(single, 4, false, true)},
	{asm.VCVTTPS2QQ, floatToInt(single, 8, true, true)},
	{asm.VCVTTPS2UQQ, floatToInt(single, 8, false, true)},
	{asm.VCVTTPD2DQ, floatToInt(double, 4, true, true)},
	{asm.VCVTTPD2UDQ, floatToInt(double, 4, false, true)},
	{asm.VCVTTPD2QQ, floatToInt(double, 8, true, true)},
	{asm.VCVTTPD2UQQ, floatToInt(double, 8, false, true)},
	{asm.VCVTPS2PD, floatToFloat(single, double)},
	{asm.VCVTPD2PS, floatToFloat(double, single)},
	{asm.VCVTPH2PS, floatToFloat(half, single)},
	{asm.VCVTPS2PH, toHalf},

	{asm.VCVTSI2SS, intToScalar(true, single)},
	{asm.VCVTSI2SD, intToScalar(true, double)},
	{asm.VCVTUSI2SS, intToScalar(false, single)},
	{asm.VCVTUSI2SD, intToScalar(false, double)},
	{asm.VCVTSS2SI, scalarToInt(single, true, false)},
	{asm.VCVTSD2SI, scalarToInt(double, true, false)},
	{asm.VCVTSS2USI, scalarToInt(single, false, false)},
	{asm.VCVTSD2USI, scalarToInt(double, false, false)},
	{asm.VCVTTSS2SI, scalarToInt(single, true, true)},
	{asm.VCVTTSD2SI, scalarToInt(double, true, true)},
	{asm.VCVTTSS2USI, scalarToInt(single, false, true)},
	{asm.VCVTTSD2USI, scalarToInt(double, false, true)},
	{asm.VCVTSS2SD, scalarToScalar(single, double)},
	{asm.VCVTSD2SS, scalarToScalar(double, single)},
}

// convertLanes builds dst[i] = f(src[i]). The vector length is that of the wider type.
func convertLanes(from, to int, signed bool, f func(e *floatEnv, x uint64) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n, env := elements(in, max(from, to)), environment(in)
		a := t.source(in, 1, from, n)
		a.signed = signed
		return run(t.target(in, to, n), []source{a}, func(m *Machine) {
			out, a, e := m.out[:n], m.in[0][:n], &m.envs[env]
			for i := range out {
				out[i] = f(e, a[i])
			}
		})
	}
}

func intToFloat(from int, signed bool, f *format) build {
	return convertLanes(from, f.size, signed, func(e *floatEnv, x uint64) uint64 { return f.fromInteger(e, x, signed) })
}

func floatToInt(f *format, to int, signed, trunc bool) build {
	return convertLanes(f.size, to, false, func(e *floatEnv, x uint64) uint64 {
		return f.toInteger(e, x, to, signed, truncation(e, trunc))
	})
}

// truncation returns the rounding mode of a conversion to an integer.
func truncation(e *floatEnv, trunc bool) rounding {
	if trunc {
		return toZero
	}
	return e.mode
}

func floatToFloat(from, to *format) build {
	return convertLanes(from.size, to.size, false, func(e *floatEnv, x uint64) uint64 {
		if from == half {
			e = &floatEnv{} // DAZ does not apply to halves, and no result is a denormal single
		}
		return to.convert(e, from, x)
	})
}

// toHalf rounds by the mode in its immediate. Denormal halves are never flushed.
func toHalf(t *translator, in *asm.Inst) exec {
	n, imm := elements(in, 4), int(in.Imm)
	return run(t.target(in, 2, n), []source{t.source(in, 1, 4, n)}, func(m *Machine) {
		e := &m.envs[0]
		to := floatEnv{mode: immediateMode(e, imm), daz: e.daz}
		for i := range n {
			m.out[i] = half.convert(&to, single, m.in[0][i])
		}
	})
}

// intToScalar converts an integer of the operand size to the lowest element.
func intToScalar(signed bool, f *format) build {
	return func(t *translator, in *asm.Inst) exec {
		n, env := t.size(in), environment(in)
		d, a, s := t.register(in.Args[0], asm.ClassVec), t.register(in.Args[1], asm.ClassVec), t.scalar(in, 2, n)
		return func(m *Machine) {
			x := s.get(m)
			if signed {
				x = uint64(extend(x, n))
			}
			v := m.vec[a]
			clear(v[16:])
			putNumber(v[:], f.size, f.fromInteger(&m.envs[env], x, signed))
			m.vec[d] = v
		}
	}
}

func scalarToInt(f *format, signed, trunc bool) build {
	return func(t *translator, in *asm.Inst) exec {
		n, env := t.size(in), environment(in)
		d, s := t.scalar(in, 0, n), t.source(in, 1, f.size, 1)
		return func(m *Machine) {
			s.load(m, &m.in[0], 1)
			e := &m.envs[env]
			d.set(m, f.toInteger(e, m.in[0][0], n, signed, truncation(e, trunc)))
		}
	}
}

// scalarToScalar converts the lowest element of the second source. The other elements of 128
// bits are those of the first.
func scalarToScalar(from, to *format) build {
	return func(t *translator, in *asm.Inst) exec {
		d, env := t.target(in, to.size, 1), environment(in)
		a, s := t.register(in.Args[1], asm.ClassVec), t.source(in, 2, from.size, 1)
		return func(m *Machine) {
			active := d.active(m)
			s.load(m, &m.in[0], active)
			v := m.vec[a]
			clear(v[16:])
			r := number(m.vec[d.reg][:], to.size)
			switch {
			case active != 0:
				r = to.convert(&m.envs[env], from, m.in[0][0])
			case d.zeroing:
				r = 0
			}
			putNumber(v[:], to.size, r)
			m.vec[d.reg] = v
		}
	}
}
