package emulate

import (
	"math/bits"

	"github.com/simtc/simtc/targets/x86/asm"
)

// Vector moves, broadcasts, compress, expand, gathers and scatters.

var moveRows = []row{
	{asm.ZEROV, constantVector(0)},
	{asm.ONESV, constantVector(0xFF)},
	{asm.VMOVDQU8, moveVector(1, false)},
	{asm.VMOVDQU16, moveVector(2, false)},
	{asm.VMOVDQU32, moveVector(4, false)},
	{asm.VMOVDQU64, moveVector(8, false)},
	{asm.VMOVDQA32, moveVector(4, true)},
	{asm.VMOVDQA64, moveVector(8, true)},
	{asm.VMOVUPS, moveVector(4, false)},
	{asm.VMOVUPD, moveVector(8, false)},
	{asm.VMOVAPS, moveVector(4, true)},
	{asm.VMOVAPD, moveVector(8, true)},
	{asm.VMOVNTDQ, moveVector(8, true)},
	{asm.VMOVNTDQA, moveVector(8, true)},
	{asm.VMOVNTPS, moveVector(4, true)},
	{asm.VMOVNTPD, moveVector(8, true)},
	{asm.VMOVD, moveElement(4)},
	{asm.VMOVQ, moveElement(8)},
	{asm.VMOVSS, moveScalar(4)},
	{asm.VMOVSD, moveScalar(8)},
	{asm.VMOVSSR, scalar2(4, func(_ *floatEnv, _, y uint64) uint64 { return y })},
	{asm.VMOVSDR, scalar2(8, func(_ *floatEnv, _, y uint64) uint64 { return y })},
	{asm.VMOVSHDUP, whole(4, 1, func(m *Machine, n, _ int) { rearrange(m, n, func(i int) int { return i | 1 }) })},
	{asm.VMOVSLDUP, whole(4, 1, func(m *Machine, n, _ int) { rearrange(m, n, func(i int) int { return i &^ 1 }) })},
	{asm.VMOVDDUP, doubleEven},
	{asm.VMOVHLPS, halves(1, 1)},
	{asm.VMOVLHPS, halves(0, 0)},

	{asm.VPBROADCASTB, broadcast(1, 1)},
	{asm.VPBROADCASTW, broadcast(2, 1)},
	{asm.VPBROADCASTD, broadcast(4, 1)},
	{asm.VPBROADCASTQ, broadcast(8, 1)},
	{asm.VPBROADCASTBR, broadcastGPR(1)},
	{asm.VPBROADCASTWR, broadcastGPR(2)},
	{asm.VPBROADCASTDR, broadcastGPR(4)},
	{asm.VPBROADCASTQR, broadcastGPR(8)},
	{asm.VBROADCASTSS, broadcast(4, 1)},
	{asm.VBROADCASTSD, broadcast(8, 1)},
	{asm.VBROADCASTI32X2, broadcast(4, 2)},
	{asm.VBROADCASTI32X4, broadcast(4, 4)},
	{asm.VBROADCASTI32X8, broadcast(4, 8)},
	{asm.VBROADCASTF32X2, broadcast(4, 2)},
	{asm.VBROADCASTF32X4, broadcast(4, 4)},
	{asm.VBROADCASTF32X8, broadcast(4, 8)},
	{asm.VBROADCASTI64X2, broadcast(8, 2)},
	{asm.VBROADCASTI64X4, broadcast(8, 4)},
	{asm.VBROADCASTF64X2, broadcast(8, 2)},
	{asm.VBROADCASTF64X4, broadcast(8, 4)},
	{asm.VPBROADCASTMW2D, broadcastMask(4, 2)},
	{asm.VPBROADCASTMB2Q, broadcastMask(8, 1)},

	{asm.VPCOMPRESSD, compress(4)},
	{asm.VPCOMPRESSQ, compress(8)},
	{asm.VCOMPRESSPS, compress(4)},
	{asm.VCOMPRESSPD, compress(8)},
	{asm.VPEXPANDD, expand(4)},
	{asm.VPEXPANDQ, expand(8)},
	{asm.VEXPANDPS, expand(4)},
	{asm.VEXPANDPD, expand(8)},

	{asm.VPGATHERDD, gather(4, 4)},
	{asm.VPGATHERDQ, gather(4, 8)},
	{asm.VPGATHERQD, gather(8, 4)},
	{asm.VPGATHERQQ, gather(8, 8)},
	{asm.VGATHERDPS, gather(4, 4)},
	{asm.VGATHERDPD, gather(4, 8)},
	{asm.VGATHERQPS, gather(8, 4)},
	{asm.VGATHERQPD, gather(8, 8)},
	{asm.VPSCATTERDD, scatter(4, 4)},
	{asm.VPSCATTERDQ, scatter(4, 8)},
	{asm.VPSCATTERQD, scatter(8, 4)},
	{asm.VPSCATTERQQ, scatter(8, 8)},
	{asm.VSCATTERDPS, scatter(4, 4)},
	{asm.VSCATTERDPD, scatter(4, 8)},
	{asm.VSCATTERQPS, scatter(8, 4)},
	{asm.VSCATTERQPD, scatter(8, 8)},
}

// constantVector fills a vector with a byte and clears the bits above the vector length.
func constantVector(x byte) build {
	return func(t *translator, in *asm.Inst) exec {
		d, n := t.register(in.Args[0], asm.ClassVec), in.VL.Bytes()
		var v vector
		for i := range n {
			v[i] = x
		}
		return func(m *Machine) { m.vec[d] = v }
	}
}

func moveVector(elem int, aligned bool) build {
	return func(t *translator, in *asm.Inst) exec {
		e := unmaskedElem(in, elem)
		n := elements(in, e)
		d, s := t.target(in, e, n), t.source(in, 1, e, n)
		if aligned {
			d.align, s.align = e*n, e*n
		}
		if in.K == asm.NoReg && d.kind == inRegister && s.kind == inRegister {
			size := e * n
			return func(m *Machine) {
				v := m.vec[s.reg]
				clear(v[size:])
				m.vec[d.reg] = v
			}
		}
		if in.K == asm.NoReg && !aligned {
			size := e * n
			if d.kind == inMemory {
				return func(m *Machine) { copy(m.writable(d.addr.of(m), size), m.vec[s.reg][:size]) }
			}
			return func(m *Machine) {
				v := &m.vec[d.reg]
				copy(v[:size], m.readable(s.addr.of(m), size))
				clear(v[size:])
			}
		}
		return run(d, []source{s}, func(m *Machine) { copy(m.out[:n], m.in[0][:n]) })
	}
}

// moveElement moves the low element between vectors, general-purpose registers and memory.
func moveElement(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		from := func(m *Machine) uint64 { return 0 }
		if in.Args[1].Class() == asm.ClassVec {
			s := t.register(in.Args[1], asm.ClassVec)
			from = func(m *Machine) uint64 { return number(m.vec[s][:], elem) }
		} else {
			s := t.scalar(in, 1, elem)
			from = s.get
		}
		if in.Args[0].Class() == asm.ClassVec {
			d := t.register(in.Args[0], asm.ClassVec)
			return func(m *Machine) {
				x := from(m)
				clear(m.vec[d][:])
				putNumber(m.vec[d][:], 8, x)
			}
		}
		d := t.scalar(in, 0, elem)
		return func(m *Machine) { d.set(m, from(m)) }
	}
}

// moveScalar loads an element and clears the other bits, or stores one.
func moveScalar(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		d, s := t.target(in, elem, 1), t.source(in, 1, elem, 1)
		return run(d, []source{s}, func(m *Machine) { m.out[0] = m.in[0][0] })
	}
}

// rearrange computes out[i] = in[0][from(i)].
func rearrange(m *Machine, n int, from func(i int) int) {
	for i := range n {
		m.out[i] = m.in[0][from(i)]
	}
}

// doubleEven is VMOVDDUP. With 128 bits it reads only eight bytes of memory.
func doubleEven(t *translator, in *asm.Inst) exec {
	n := elements(in, 8)
	s := t.source(in, 1, 8, max(n, 1))
	if n == 2 {
		s.n = 1
	}
	s.whole = true
	return run(t.target(in, 8, n), []source{s}, func(m *Machine) {
		rearrange(m, n, func(i int) int { return i &^ 1 })
	})
}

// halves combines half keep of the first source with half from of the second in the other
// half; 0 is the low half.
func halves(from, keep int) build {
	return func(t *translator, in *asm.Inst) exec {
		a, b := t.source(in, 1, 8, 2), t.source(in, 2, 8, 2)
		return run(t.target(in, 8, 2), []source{a, b}, func(m *Machine) {
			m.out[keep] = m.in[0][keep]
			m.out[1-keep] = m.in[1][from]
		})
	}
}

// broadcast repeats the lowest n elements.
func broadcast(elem, n int) build {
	return func(t *translator, in *asm.Inst) exec {
		s := t.source(in, 1, elem, n)
		s.whole = true
		total := elements(in, elem)
		d := t.target(in, elem, total)
		return func(m *Machine) {
			active := d.active(m)
			if active == 0 && s.kind == inMemory {
				d.store(m, &m.out, 0)
				return
			}
			s.load(m, &m.in[0], active)
			for i := range total {
				m.out[i] = m.in[0][i%n]
			}
			d.store(m, &m.out, active)
		}
	}
}

func broadcastGPR(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, s := t.target(in, elem, n), t.scalar(in, 1, elem)
		return func(m *Machine) {
			x := s.get(m)
			for i := range n {
				m.out[i] = x
			}
			d.store(m, &m.out, d.active(m))
		}
	}
}

// broadcastMask repeats the low bytes of a mask.
func broadcastMask(elem, bytes int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, s := t.target(in, elem, n), t.register(in.Args[1], asm.ClassMask)
		return func(m *Machine) {
			for i := range n {
				m.out[i] = truncate(m.mask[s], bytes)
			}
			d.store(m, &m.out, ones(n))
		}
	}
}

// compress packs the active elements. The elements after them are merged or cleared in a
// register and not written in memory.
func compress(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, s := t.target(in, elem, n), t.source(in, 1, elem, n)
		return func(m *Machine) {
			active := d.active(m)
			s.load(m, &m.in[0], active)
			k := 0
			for i := range n {
				if active>>i&1 != 0 {
					m.out[k] = m.in[0][i]
					k++
				}
			}
			d.store(m, &m.out, ones(k)&-min(uint64(k), 1))
		}
	}
}

// expand distributes the lowest elements to the active ones. It reads only as many elements of
// memory as are active.
func expand(elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, elem)
		d, s := t.target(in, elem, n), t.source(in, 1, elem, n)
		return func(m *Machine) {
			active := d.active(m)
			k := bits.OnesCount64(active)
			s.load(m, &m.in[0], ones(k)&-min(uint64(k), 1))
			k = 0
			for i := range n {
				if active>>i&1 != 0 {
					m.out[i] = m.in[0][k]
					k++
				}
			}
			d.store(m, &m.out, active)
		}
	}
}

// indexed decodes a memory operand with a vector of n indices, of the given size in bytes.
func (t *translator) indexed(in *asm.Inst, bytes, n int) (a address, index source) {
	a = t.address(in)
	index = source{reg: t.register(in.Mem.Index, asm.ClassVec), elem: bytes, n: n, signed: true}
	return a, index
}

// gather loads the active elements from lowest to highest and clears their mask bits, so that
// after a fault the mask holds the elements that were not loaded.
func gather(index, elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, max(index, elem))
		a, at := t.indexed(in, index, n)
		d := t.target(in, elem, n)
		if d.mask < 0 {
			t.fail("it needs a write mask")
		}
		return func(m *Machine) {
			active := d.active(m)
			base := a.of(m)
			at.load(m, &m.in[0], active)
			r := &m.vec[d.reg]
			for k := active; k != 0; k &= k - 1 {
				i := bits.TrailingZeros64(k)
				putNumber(r[i*elem:], elem, m.load(base+m.in[0][i]<<a.shift, elem))
				m.mask[d.mask] = k & (k - 1)
			}
			m.mask[d.mask] = 0
			clear(r[n*elem:])
		}
	}
}

// scatter stores the active elements from lowest to highest, so that of several elements with
// the same address the highest one remains.
func scatter(index, elem int) build {
	return func(t *translator, in *asm.Inst) exec {
		n := elements(in, max(index, elem))
		a, at := t.indexed(in, index, n)
		s, mask := t.source(in, 1, elem, n), t.writeMask(in)
		if mask < 0 {
			t.fail("it needs a write mask")
			return nil
		}
		return func(m *Machine) {
			base := a.of(m)
			at.load(m, &m.in[0], 0)
			s.load(m, &m.in[1], 0)
			for k := m.mask[mask] & ones(n); k != 0; k &= k - 1 {
				i := bits.TrailingZeros64(k)
				m.store(base+m.in[0][i]<<a.shift, elem, m.in[1][i])
				m.mask[mask] = k & (k - 1)
			}
			m.mask[mask] = 0
		}
	}
}
