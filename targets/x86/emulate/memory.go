package emulate

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"

	"github.com/simtc/simtc/targets/x86/asm"
)

// Region is a range of memory that code may access.
type Region struct {
	Address  uint64
	Bytes    []byte
	ReadOnly bool
}

// memory holds all regions, sorted by address.
type memory struct {
	regions []Region
	last    Region   // the region of the last access, as a cache
	part    [32]byte // the result of partly
}

func (m *memory) set(regions []Region) error {
	m.regions = slices.DeleteFunc(regions, func(r Region) bool { return len(r.Bytes) == 0 })
	slices.SortFunc(m.regions, func(a, b Region) int {
		if a.Address < b.Address {
			return -1
		}
		return 1
	})
	for i, r := range m.regions {
		end := r.Address + uint64(len(r.Bytes))
		if end < r.Address || i+1 < len(m.regions) && end > m.regions[i+1].Address {
			return fmt.Errorf("emulate: the region of %d bytes at address %#x overlaps another", len(r.Bytes), r.Address)
		}
	}
	return nil
}

// FaultKind is the cause of a fault.
type FaultKind uint8

// Kinds of faults.
const (
	ReadFault     FaultKind = iota // no memory at the address
	WriteFault                     // no memory at the address, or read-only memory
	Misaligned                     // the address is not a multiple of the required alignment
	DivideFault                    // #DE: a division by zero, or a quotient out of range
	UndefinedFlag                  // a condition reads an undefined flag
	JumpFault                      // no instruction at the target address
	InvalidOpcode                  // #UD
	EndOfCode                      // control passed the last instruction
)

// Fault is the error of an instruction that cannot be executed.
type Fault struct {
	Kind    FaultKind
	Address uint64
	Size    int // bytes of the access
	Inst    asm.Inst
}

func (f *Fault) Error() string {
	at := "emulated code: " + asm.Format(&f.Inst)
	switch f.Kind {
	case ReadFault:
		return fmt.Sprintf("%s: invalid read of %d bytes at address %#x", at, f.Size, f.Address)
	case WriteFault:
		return fmt.Sprintf("%s: invalid write of %d bytes at address %#x", at, f.Size, f.Address)
	case Misaligned:
		return fmt.Sprintf("%s: address %#x is not a multiple of %d", at, f.Address, f.Size)
	case DivideFault:
		return at + ": integer division fault"
	case UndefinedFlag:
		return at + ": its condition depends on an undefined flag"
	case JumpFault:
		return fmt.Sprintf("%s: jump to address %#x, where no instruction begins", at, f.Address)
	case InvalidOpcode:
		return at + ": invalid opcode"
	}
	return at + ": control reaches the end of the code"
}

// readable returns the n bytes at an address.
func (m *Machine) readable(at uint64, n int) []byte {
	r := &m.memory.last
	if off := at - r.Address; off < uint64(len(r.Bytes)) && uint64(len(r.Bytes))-off >= uint64(n) {
		return r.Bytes[off : off+uint64(n)]
	}
	if !m.memory.find(at, n) {
		if b := m.memory.partly(at, n); b != nil {
			return b
		}
		panic(&Fault{Kind: ReadFault, Address: at, Size: n})
	}
	off := at - r.Address
	return r.Bytes[off : off+uint64(n)]
}

// writable returns the n bytes at an address for writing.
func (m *Machine) writable(at uint64, n int) []byte {
	r := &m.memory.last
	off := at - r.Address
	if off >= uint64(len(r.Bytes)) || uint64(len(r.Bytes))-off < uint64(n) || r.ReadOnly {
		if !m.memory.find(at, n) || r.ReadOnly {
			panic(&Fault{Kind: WriteFault, Address: at, Size: n})
		}
		off = at - r.Address
	}
	return r.Bytes[off : off+uint64(n)]
}

// find sets last to the region that contains the n bytes at an address. It reports whether
// there is one.
func (m *memory) find(at uint64, n int) bool {
	i := sort.Search(len(m.regions), func(i int) bool { return m.regions[i].Address > at }) - 1
	if i < 0 {
		return false
	}
	r := &m.regions[i]
	if off := at - r.Address; off > uint64(len(r.Bytes)) || uint64(len(r.Bytes))-off < uint64(n) {
		return false
	}
	m.last = *r
	return true
}

// partly returns 4 bytes or more in one page that are partly in a region, with garbage for the rest, or
// nil for other accesses: code that needs one byte of a page may read all of it. Of 32 bytes none need
// be in a region that the page contains, since a value may have several registers.
func (m *memory) partly(at uint64, n int) []byte {
	const garbage, pageSize, register = 0xA5, 4096, 32
	first, size := at, uint64(n)
	if n == register {
		first, size = at&^(pageSize-1), pageSize
	}
	if n < 4 || n > len(m.part) || at%pageSize > pageSize-uint64(n) || !m.overlaps(first, size) {
		return nil
	}
	for i := range m.part[:n] {
		m.part[i] = garbage
		if m.find(at+uint64(i), 1) {
			m.part[i] = m.last.Bytes[at+uint64(i)-m.last.Address]
		}
	}
	return m.part[:n]
}

// overlaps reports whether a region contains any of the n bytes at an address.
func (m *memory) overlaps(at, n uint64) bool {
	i := sort.Search(len(m.regions), func(i int) bool { return m.regions[i].Address >= at+n }) - 1
	return i >= 0 && m.regions[i].Address+uint64(len(m.regions[i].Bytes)) > at
}

// load reads a little-endian number of n bytes, 1, 2, 4 or 8.
func (m *Machine) load(at uint64, n int) uint64 {
	return number(m.readable(at, n), n)
}

// store writes the low n bytes of v, 1, 2, 4 or 8.
func (m *Machine) store(at uint64, n int, v uint64) {
	putNumber(m.writable(at, n), n, v)
}

// number returns the little-endian number in the first n bytes of b.
func number(b []byte, n int) uint64 {
	switch n {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func putNumber(b []byte, n int, v uint64) {
	switch n {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// address is a decoded memory operand without a vector index.
type address struct {
	base, index int // registers, or noGPR
	shift       uint8
	disp        uint64
}

func (a *address) of(m *Machine) uint64 {
	return m.gpr[a.base] + m.gpr[a.index]<<a.shift + a.disp
}

// address decodes the memory operand of in.
func (t *translator) address(in *asm.Inst) address {
	mem := &in.Mem
	a := address{base: noGPR, index: noGPR, disp: uint64(int64(mem.Disp))}
	switch mem.Kind {
	case asm.MemConst:
		if int(mem.Const) >= len(t.code.Consts) {
			t.fail("its constant is not in the pool")
			return a
		}
		a.disp += CodeBase + uint64(t.code.Consts[mem.Const])
	case asm.MemLabel:
		if int(mem.Label) >= len(t.code.Labels) || t.code.Labels[mem.Label] < 0 {
			t.fail("its label is not bound")
			return a
		}
		a.disp += CodeBase + uint64(t.code.Labels[mem.Label])
	default:
		if mem.Base != asm.NoReg {
			a.base = t.register(mem.Base, asm.ClassGPR)
		}
		if mem.Index != asm.NoReg && mem.Index.Class() != asm.ClassVec {
			a.index = t.register(mem.Index, asm.ClassGPR)
		}
		a.shift = [9]uint8{2: 1, 4: 2, 8: 3}[mem.Scale]
	}
	return a
}
