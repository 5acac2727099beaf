package avx512

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/vir"
)

// machine executes machine functions over virtual registers: the few
// instructions that random functions have, on 16 lanes of 32 bits.
type machine struct {
	gpr, mask map[asm.Reg]uint64
	vec       map[asm.Reg][16]uint32
	pool      *asm.Pool
	buffer    []byte // at address 0 as far as the function knows, see context
	below     bool   // flags: a < b unsigned
	equal     bool
}

// contextAddress stands for the address of the context, whose only field is
// the address of the buffer, 0.
const contextAddress = 1 << 40

// run executes f and returns false if it takes more than the given steps.
func (m *machine) run(f *machineFunc, steps int) bool {
	m.gpr, m.mask = map[asm.Reg]uint64{asm.RDI: contextAddress}, map[asm.Reg]uint64{}
	m.vec = map[asm.Reg][16]uint32{}
	m.pool = f.pool
	at := 0
	for ; steps > 0; steps-- {
		b := f.blocks[at]
		for i := range b.insts {
			m.step(&b.insts[i])
		}
		m.copies(b.copies)
		switch {
		case b.term.ret:
			return true
		case !b.term.cond || !m.equal: // all branches are on NE
			at = b.term.yes
		default:
			at = b.term.no
		}
	}
	return false
}

func (m *machine) copies(copies []regCopy) {
	var set []func()
	for _, c := range copies {
		switch c.dst.Class() {
		case asm.ClassGPR:
			x := m.gpr[c.src]
			set = append(set, func() { m.gpr[c.dst] = x })
		case asm.ClassMask:
			x := m.mask[c.src]
			set = append(set, func() { m.mask[c.dst] = x })
		default:
			x := m.vec[c.src]
			set = append(set, func() { m.vec[c.dst] = x })
		}
	}
	for _, f := range set {
		f()
	}
}

// memory returns the n bytes in addresses.
func (m *machine) memory(in *asm.Inst, n int) []byte {
	if in.Mem.Kind == asm.MemConst {
		return []byte(m.pool.Data(in.Mem.Const))
	}
	at := m.address(in)
	if at == contextAddress+vir.CtxArgs {
		return make([]byte, n)
	}
	return m.buffer[at : at+uint64(n)]
}

func (m *machine) address(in *asm.Inst) uint64 {
	at := m.gpr[in.Mem.Base] + uint64(int64(in.Mem.Disp))
	if in.Mem.Index.Class() == asm.ClassGPR {
		at += m.gpr[in.Mem.Index] * uint64(max(in.Mem.Scale, 1))
	}
	return at
}

// source is the value of general-purpose operand i.
func (m *machine) source(in *asm.Inst, i int) uint64 {
	switch in.Args[i] {
	case asm.InImm:
		return uint64(in.Imm)
	case asm.InMem:
		return binary.LittleEndian.Uint64(m.memory(in, 8))
	}
	return m.gpr[in.Args[i]]
}

var lanewise = map[asm.Op]func(a, b uint32) uint32{
	asm.VPADDD: func(a, b uint32) uint32 { return a + b },
	asm.VPSUBD: func(a, b uint32) uint32 { return a - b },
	asm.VPXORD: func(a, b uint32) uint32 { return a ^ b },
	asm.VPMULLD: func(a, b uint32) uint32 {
		return a * b
	},
	asm.VPANDD: func(a, b uint32) uint32 { return a & b },
}

var scalar = map[asm.Op]func(a, b uint64) uint64{
	asm.ADD:  func(a, b uint64) uint64 { return a + b },
	asm.SUB:  func(a, b uint64) uint64 { return a - b },
	asm.XOR:  func(a, b uint64) uint64 { return a ^ b },
	asm.AND:  func(a, b uint64) uint64 { return a & b },
	asm.OR:   func(a, b uint64) uint64 { return a | b },
	asm.IMUL: func(a, b uint64) uint64 { return a * b },
	asm.SHR:  func(a, b uint64) uint64 { return a >> (b & 63) },
}

var onMasks = map[asm.Op]func(a, b uint64) uint64{
	asm.KANDW: func(a, b uint64) uint64 { return a & b & 0xFFFF },
	asm.KORW:  func(a, b uint64) uint64 { return (a | b) & 0xFFFF },
	asm.KXORW: func(a, b uint64) uint64 { return (a ^ b) & 0xFFFF },
}

func (m *machine) step(in *asm.Inst) {
	d := in.Args[0]
	if f, ok := scalar[in.Op]; ok {
		x := f(m.source(in, 0), m.source(in, 1))
		if d == asm.InMem {
			binary.LittleEndian.PutUint64(m.memory(in, 8), x)
		} else {
			m.gpr[d] = x
		}
		m.equal = x == 0
		return
	}
	if f, ok := lanewise[in.Op]; ok {
		a, b := m.vec[in.Args[1]], m.vec[in.Args[2]]
		for i := range a {
			a[i] = f(a[i], b[i])
		}
		m.setVec(in, a)
		return
	}
	if f, ok := onMasks[in.Op]; ok {
		m.mask[d] = f(m.mask[in.Args[1]], m.mask[in.Args[2]])
		return
	}
	switch in.Op {
	case asm.MOV:
		x := m.source(in, 1)
		if in.Size == asm.Size32 {
			x = uint64(uint32(x))
		}
		if d == asm.InMem {
			binary.LittleEndian.PutUint64(m.memory(in, 8), x)
		} else {
			m.gpr[d] = x
		}
	case asm.LEA:
		m.gpr[d] = m.address(in)
	case asm.NOT:
		m.gpr[d] = ^m.gpr[d]
	case asm.SHLX:
		m.gpr[d] = m.gpr[in.Args[1]] << (m.gpr[in.Args[2]] & 63)
	case asm.SHLCL:
		m.gpr[d] <<= m.gpr[asm.RCX] & 63
	case asm.CMP:
		a, b := m.source(in, 0), m.source(in, 1)
		m.equal, m.below = a == b, a < b
	case asm.CMOVCC:
		if map[asm.Cond]bool{asm.CondE: m.equal, asm.CondNE: !m.equal, asm.CondB: m.below, asm.CondAE: !m.below}[in.Cond] {
			m.gpr[d] = m.gpr[in.Args[1]]
		}
	case asm.DIV:
		x := m.gpr[d]
		m.gpr[asm.RAX], m.gpr[asm.RDX] = bits.Div64(m.gpr[asm.RDX], m.gpr[asm.RAX], x)
	case asm.MUL:
		m.gpr[asm.RDX], m.gpr[asm.RAX] = bits.Mul64(m.gpr[asm.RAX], m.gpr[d])
	case asm.MULX:
		m.gpr[d], m.gpr[in.Args[1]] = bits.Mul64(m.gpr[asm.RDX], m.gpr[in.Args[2]])
	default:
		m.stepVector(in)
	}
}

func (m *machine) stepVector(in *asm.Inst) {
	d := in.Args[0]
	var x [16]uint32
	switch in.Op {
	case asm.ZEROV:
		m.setVec(in, x)
	case asm.ONESV:
		for i := range x {
			x[i] = ^uint32(0)
		}
		m.setVec(in, x)
	case asm.VMOVDQA64:
		m.setVec(in, m.vec[in.Args[1]])
	case asm.VMOVDQU32:
		mem := m.memory(in, 64)
		if d != asm.InMem {
			for i := range x {
				x[i] = binary.LittleEndian.Uint32(mem[4*i:])
			}
			m.setVec(in, x)
			return
		}
		for i, lane := range m.vec[in.Args[1]] {
			if in.K == asm.NoReg || m.mask[in.K]>>i&1 != 0 {
				binary.LittleEndian.PutUint32(mem[4*i:], lane)
			}
		}
	case asm.VPBROADCASTDR, asm.VPBROADCASTD:
		lane := uint32(m.gpr[in.Args[1]])
		if in.Args[1] == asm.InMem {
			lane = binary.LittleEndian.Uint32(m.memory(in, 4))
		}
		for i := range x {
			x[i] = lane
		}
		m.setVec(in, x)
	case asm.VPTERNLOGD:
		a, b, c := m.vec[d], m.vec[in.Args[1]], m.vec[in.Args[2]]
		for i := range a {
			for bit := range 32 {
				k := a[i]>>bit&1<<2 | b[i]>>bit&1<<1 | c[i]>>bit&1
				x[i] |= uint32(in.Imm) >> k & 1 << bit
			}
		}
		m.setVec(in, x)
	case asm.VPGATHERDD:
		index := m.vec[in.Mem.Index]
		for i := range x {
			x[i] = binary.LittleEndian.Uint32(m.buffer[m.gpr[in.Mem.Base]+uint64(in.Mem.Disp)+4*uint64(index[i]):])
		}
		m.setVec(in, x)
		m.mask[in.K] = 0
	case asm.VPCMPUD:
		a, b := m.vec[in.Args[1]], m.vec[in.Args[2]]
		var k uint64
		for i := range a {
			x, y := a[i], b[i]
			if [8]bool{x == y, x < y, x <= y, false, x != y, x >= y, x > y, true}[in.Imm] {
				k |= 1 << i
			}
		}
		m.mask[d] = k
	case asm.KMOVW, asm.KMOVQ:
		switch {
		case d == asm.InMem:
			binary.LittleEndian.PutUint64(m.memory(in, 8), m.mask[in.Args[1]])
		case d.Class() == asm.ClassGPR:
			m.gpr[d] = m.mask[in.Args[1]] & 0xFFFF
		case in.Args[1].Class() == asm.ClassGPR:
			m.mask[d] = m.gpr[in.Args[1]] & 0xFFFF
		default:
			m.mask[d] = m.mask[in.Args[1]]
		}
	default:
		panic(fmt.Sprintf("no semantics for %s", asm.Format(in)))
	}
}

// setVec writes the destination under the write mask.
func (m *machine) setVec(in *asm.Inst, x [16]uint32) {
	old := m.vec[in.Args[0]]
	for i := range x {
		if in.K != asm.NoReg && m.mask[in.K]>>i&1 == 0 {
			if x[i] = old[i]; in.Zeroing {
				x[i] = 0
			}
		}
	}
	m.vec[in.Args[0]] = x
}
