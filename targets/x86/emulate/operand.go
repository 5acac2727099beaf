package emulate

import (
	"encoding/binary"
	"math/bits"

	"github.com/simtc/simtc/targets/x86/asm"
)

// scalar is a decoded operand of general-purpose instructions: a register, memory or an
// immediate.
type scalar struct {
	kind operandKind
	reg  int
	size int    // bytes
	imm  uint64 // truncated to size
	addr address
}

type operandKind uint8

const (
	inRegister operandKind = iota
	inMemory
	isImmediate
)

// scalar decodes operand i of in, of size bytes.
func (t *translator) scalar(in *asm.Inst, i, size int) scalar {
	o := scalar{size: size}
	switch x := in.Args[i]; x {
	case asm.InMem:
		o.kind, o.addr = inMemory, t.address(in)
	case asm.InImm:
		o.kind, o.imm = isImmediate, truncate(uint64(in.Imm), size)
	default:
		o.reg = t.register(x, asm.ClassGPR)
	}
	return o
}

// size returns the operand size of in in bytes.
func (t *translator) size(in *asm.Inst) int {
	switch in.Size {
	case asm.Size8, asm.Size16, asm.Size32, asm.Size64:
		return int(in.Size) / 8
	}
	t.fail("it has no operand size")
	return 8
}

// get reads the operand.
func (o *scalar) get(m *Machine) uint64 {
	switch o.kind {
	case inRegister:
		return truncate(m.gpr[o.reg], o.size)
	case isImmediate:
		return o.imm
	}
	return m.load(o.addr.of(m), o.size)
}

// set writes the operand. A 32-bit write to a register clears the upper half, a smaller one
// keeps the other bits (SDM volume 1, 3.4.1.1).
func (o *scalar) set(m *Machine, v uint64) {
	if o.kind == inMemory {
		m.store(o.addr.of(m), o.size, v)
		return
	}
	m.setGPR(o.reg, o.size, v)
}

func (m *Machine) setGPR(reg, size int, v uint64) {
	switch size {
	case 8:
		m.gpr[reg] = v
	case 4:
		m.gpr[reg] = uint64(uint32(v))
	default:
		keep := ^uint64(0) << (8 * size)
		m.gpr[reg] = m.gpr[reg]&keep | v&^keep
	}
}

// lanes holds the elements of a vector, zero-extended or, for signed sources, sign-extended.
type lanes [64]uint64

// source is a decoded input operand of a vector instruction.
type source struct {
	kind      operandKind
	reg       int
	addr      address
	elem      int // bytes of an element
	n         int // elements
	signed    bool
	broadcast bool
	whole     bool // memory is read whole, whatever the mask (exception classes such as E4NF, SDM 2.8)
	align     int  // required alignment of memory in bytes; 0: none
}

// source decodes operand i of in: n elements of elem bytes.
func (t *translator) source(in *asm.Inst, i, elem, n int) source {
	s := source{elem: elem, n: n}
	if in.Args[i] == asm.InMem {
		s.kind, s.addr, s.broadcast = inMemory, t.address(in), in.Mem.Broadcast
	} else {
		s.reg = t.register(in.Args[i], asm.ClassVec)
	}
	return s
}

// load reads the elements. Memory of inactive elements is not accessed.
func (s *source) load(m *Machine, out *lanes, active uint64) {
	if s.kind == inRegister {
		unpack(out, m.vec[s.reg][:], s.elem, s.n)
	} else {
		s.loadMemory(m, out, active)
	}
	if s.signed {
		for i := range out[:s.n] {
			out[i] = uint64(extend(out[i], s.elem))
		}
	}
}

func (s *source) loadMemory(m *Machine, out *lanes, active uint64) {
	at := s.addr.of(m)
	all := ones(s.n)
	if s.whole {
		active = all
	}
	active &= all
	switch {
	case active == 0:
		clear(out[:s.n])
	case s.broadcast:
		x := m.load(at, s.elem)
		for i := range out[:s.n] {
			out[i] = x
		}
	case active == all:
		if s.align > 0 && at%uint64(s.align) != 0 {
			panic(&Fault{Kind: Misaligned, Address: at, Size: s.align})
		}
		unpack(out, m.readable(at, s.elem*s.n), s.elem, s.n)
	default:
		if s.align > 0 && at%uint64(s.align) != 0 {
			panic(&Fault{Kind: Misaligned, Address: at, Size: s.align})
		}
		for i := range s.n {
			out[i] = 0
			if active>>i&1 != 0 {
				out[i] = m.load(at+uint64(i*s.elem), s.elem)
			}
		}
	}
}

// ones returns a full mask of n lanes.
func ones(n int) uint64 { return ^uint64(0) >> (64 - n) }

// unpack reads n elements of elem bytes.
func unpack(out *lanes, b []byte, elem, n int) {
	o := out[:n]
	b = b[:n*elem]
	switch elem {
	case 1:
		for i := range o {
			o[i] = uint64(b[i])
		}
	case 2:
		for i := range o {
			o[i] = uint64(binary.LittleEndian.Uint16(b))
			b = b[2:]
		}
	case 4:
		for i := range o {
			o[i] = uint64(binary.LittleEndian.Uint32(b))
			b = b[4:]
		}
	default:
		for i := range o {
			o[i] = binary.LittleEndian.Uint64(b)
			b = b[8:]
		}
	}
}

// pack writes n elements of elem bytes.
func pack(b []byte, in *lanes, elem, n int) {
	o := in[:n]
	b = b[:n*elem]
	switch elem {
	case 1:
		for i, x := range o {
			b[i] = byte(x)
		}
	case 2:
		for _, x := range o {
			binary.LittleEndian.PutUint16(b, uint16(x))
			b = b[2:]
		}
	case 4:
		for _, x := range o {
			binary.LittleEndian.PutUint32(b, uint32(x))
			b = b[4:]
		}
	default:
		for _, x := range o {
			binary.LittleEndian.PutUint64(b, x)
			b = b[8:]
		}
	}
}

// target is a decoded output operand of a vector instruction, with the write mask.
type target struct {
	kind    operandKind
	reg     int
	addr    address
	elem, n int
	mask    int // register, or -1
	zeroing bool
	align   int
}

// target decodes operand 0 of in: n elements of elem bytes.
func (t *translator) target(in *asm.Inst, elem, n int) target {
	d := target{elem: elem, n: n, mask: t.writeMask(in), zeroing: in.Zeroing}
	if in.Args[0] == asm.InMem {
		d.kind, d.addr = inMemory, t.address(in)
	} else {
		d.reg = t.register(in.Args[0], asm.ClassVec)
	}
	return d
}

// writeMask returns the number of in's write mask register, or -1.
func (t *translator) writeMask(in *asm.Inst) int {
	if in.K == asm.NoReg {
		return -1
	}
	return t.register(in.K, asm.ClassMask)
}

// active returns the mask of the elements to be computed.
func (d *target) active(m *Machine) uint64 {
	if d.mask < 0 {
		return ones(d.n)
	}
	return m.mask[d.mask] & ones(d.n)
}

// store writes the active elements. In a register the others are kept or cleared, and the
// bits above the vector length are cleared (SDM 2.7.3 and 2.3.10).
func (d *target) store(m *Machine, v *lanes, active uint64) {
	if d.kind == inMemory {
		d.storeMemory(m, v, active)
		return
	}
	r := &m.vec[d.reg]
	size := d.elem * d.n
	switch {
	case active == ones(d.n):
		pack(r[:size], v, d.elem, d.n)
	case d.zeroing:
		clear(r[:size])
		fallthrough
	default:
		for k := active; k != 0; k &= k - 1 {
			i := bits.TrailingZeros64(k)
			putNumber(r[i*d.elem:], d.elem, v[i])
		}
	}
	clear(r[size:])
}

func (d *target) storeMemory(m *Machine, v *lanes, active uint64) {
	at := d.addr.of(m)
	if active == 0 {
		return
	}
	if d.align > 0 && at%uint64(d.align) != 0 {
		panic(&Fault{Kind: Misaligned, Address: at, Size: d.align})
	}
	if active == ones(d.n) {
		pack(m.writable(at, d.elem*d.n), v, d.elem, d.n)
		return
	}
	for k := active; k != 0; k &= k - 1 {
		i := bits.TrailingZeros64(k)
		m.store(at+uint64(i*d.elem), d.elem, v[i])
	}
}
