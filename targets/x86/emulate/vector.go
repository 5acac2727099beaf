package emulate

import "github.com/simtc/simtc/targets/x86/asm"

// elements returns the number of elements of elem bytes in the vectors of in.
func elements(in *asm.Inst, elem int) int { return in.VL.Bytes() / elem }

// run returns a function that loads the sources, calls f to compute m.out from m.in, and
// stores m.out. The mask applies to elements of the target.
func run(d target, sources []source, f func(m *Machine)) exec {
	switch len(sources) {
	case 1:
		a := sources[0]
		return func(m *Machine) {
			active := d.active(m)
			a.load(m, &m.in[0], active)
			f(m)
			d.store(m, &m.out, active)
		}
	case 2:
		a, b := sources[0], sources[1]
		return func(m *Machine) {
			active := d.active(m)
			a.load(m, &m.in[0], active)
			b.load(m, &m.in[1], active)
			f(m)
			d.store(m, &m.out, active)
		}
	}
	a, b, c := sources[0], sources[1], sources[2]
	return func(m *Machine) {
		active := d.active(m)
		a.load(m, &m.in[0], active)
		b.load(m, &m.in[1], active)
		c.load(m, &m.in[2], active)
		f(m)
		d.store(m, &m.out, active)
	}
}

// lane1 builds dst[i] = f(src[i]) for elements of elem bytes.
func lane1(elem int, signed bool, f func(x uint64) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, a := t.target(in, elem, n), t.source(in, 1, elem, n)
		a.signed = signed
		return run(d, []source{a}, func(m *Machine) { map1(m, n, f) })
	}
}

func map1(m *Machine, n int, f func(x uint64) uint64) {
	out, a := m.out[:n], m.in[0][:n]
	for i := range out {
		out[i] = f(a[i])
	}
}

// lane2 builds dst[i] = f(a[i], b[i]).
func lane2(elem int, signed bool, f func(x, y uint64) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, a, b := t.target(in, elem, n), t.source(in, 1, elem, n), t.source(in, 2, elem, n)
		a.signed, b.signed = signed, signed
		return run(d, []source{a, b}, func(m *Machine) { map2(m, n, f) })
	}
}

func map2(m *Machine, n int, f func(x, y uint64) uint64) {
	out, a, b := m.out[:n], m.in[0][:n], m.in[1][:n]
	for i := range out {
		out[i] = f(a[i], b[i])
	}
}

// laneImm builds dst[i] = f(src[i], imm).
func laneImm(elem int, signed bool, f func(x, imm uint64) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		n, imm := elements(in, elem), uint64(uint8(in.Imm))
		d, a := t.target(in, elem, n), t.source(in, 1, elem, n)
		a.signed = signed
		return run(d, []source{a}, func(m *Machine) {
			out, a := m.out[:n], m.in[0][:n]
			for i := range out {
				out[i] = f(a[i], imm)
			}
		})
	}
}

// whole builds dst = f(sources) for sources and dst with elements of elem bytes. A memory
// operand is read whole, whatever the mask.
func whole(elem, sources int, f func(m *Machine, n int, imm int)) build {
	return func(t *translator, in *asm.Inst) exec {
		n, imm := elements(in, elem), int(uint8(in.Imm))
		var s []source
		for i := range sources {
			a := t.source(in, 1+i, elem, n)
			a.whole = true
			s = append(s, a)
		}
		return run(t.target(in, elem, n), s, func(m *Machine) { f(m, n, imm) })
	}
}

// blocks is whole for operations on each 128-bit block: f gets the first element of a block
// and the number of elements.
func blocks(elem, sources int, f func(m *Machine, from, n, imm int)) build {
	per := 16 / elem
	return whole(elem, sources, func(m *Machine, n, imm int) {
		for i := 0; i < n; i += per {
			f(m, i, per, imm)
		}
	})
}

// unmaskedElem returns elem for a masked instruction or a broadcast, else 8: without them
// bitwise operations and moves do not depend on the element size, and 8 is fastest.
func unmaskedElem(in *asm.Inst, elem int) int {
	if in.K == asm.NoReg && !in.Mem.Broadcast {
		return 8
	}
	return elem
}

// bitwise2 is lane2 for bitwise operations.
func bitwise2(elem int, f func(x, y uint64) uint64) build {
	return func(t *translator, in *asm.Inst) exec {
		return lane2(unmaskedElem(in, elem), false, f)(t, in)
	}
}

// toMask builds dst = the mask of the elements of a and b for which f holds, within the write
// mask.
func toMask(elem int, signed bool, f func(x, y uint64) bool) build {
	return func(t *translator, in *asm.Inst) exec { return t.compare(in, elem, signed, f) }
}

func (t *translator) compare(in *asm.Inst, elem int, signed bool, f func(x, y uint64) bool) exec {
	n := elements(in, elem)
	d, k := t.register(in.Args[0], asm.ClassMask), t.writeMask(in)
	a, b := t.source(in, 1, elem, n), t.source(in, 2, elem, n)
	a.signed, b.signed = signed, signed
	return func(m *Machine) {
		active := ones(n)
		if k >= 0 {
			active &= m.mask[k]
		}
		a.load(m, &m.in[0], active)
		b.load(m, &m.in[1], active)
		r := uint64(0)
		x, y := m.in[0][:n], m.in[1][:n]
		for i := range x {
			if f(x[i], y[i]) {
				r |= 1 << i
			}
		}
		m.mask[d] = r & active
	}
}
