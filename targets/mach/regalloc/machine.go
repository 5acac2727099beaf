package regalloc

import (
	"math/bits"

	"github.com/simtc/simtc/targets/mach"
)

// Machine describes a processor to the allocator: its registers, the instructions that the
// allocator inserts, and forms of instructions that save registers or moves. I is the type
// of an instruction. Its functions may refer to the function that is compiled, such as to its
// constants.
type Machine[I comparable] struct {
	*mach.ISA[I]
	Classes [mach.NumClasses]Class

	// Inserted instructions. They preserve the flags.

	Move     func(dst, src mach.Reg) I       // in one class
	Exchange func(x, y mach.Reg) I           // for classes with Exchange
	Reload   func(dst mach.Reg, bytes int) I // from a slot, which Place adds
	Spill    func(src mach.Reg, bytes int) I // to a slot, which Place adds
	Place    func(in *I, s Slot)             // sets the slot that in accesses
	Inserted func(in *I) Effect              // describes any of these, for the verifier
	// Dest returns the operand that a copy or an instruction that makes a constant writes.
	Dest func(in *I) *mach.Reg
	// Constant returns the instruction, without its destination and line, that makes the
	// constant which in assigns to Dest, if it can be placed anywhere. of returns that of a
	// register that holds a constant.
	Constant func(in *I, of func(r mach.Reg) (I, bool)) (made I, ok bool)

	// Forms of instructions. A machine without them leaves them nil.

	// Retie returns in with operand y, which it reads, as its tied operand instead of x:
	// the register of the tied operand is unchanged, and is to hold the old value of y.
	// Only ops with the property Reties have such forms.
	Retie func(in *I, y *mach.Reg, x mach.Reg) (I, bool)
	// Fold makes operand r of in, whose slot has the given size, a memory operand. other
	// is in with the operand in a register, after an exchange of its operands if need be.
	// Only values of classes with Folds are in memory operands.
	Fold func(in *I, r *mach.Reg, bytes int) (other I, ok bool)
	// Folded reports for the verifier which register of old is a slot in in, and returns
	// old with that operand in memory. The register is NoReg if there is none, and the
	// slot's Bytes are 0 if in accesses other memory.
	Folded func(old, in *I) (r mach.Reg, s Slot, with I)
}

// Class describes the registers of a class. Sets of registers have a bit for each number.
type Class struct {
	Count    int     // registers of the machine; all classes have at most 64 together
	Usable   uint64  // may hold values
	Capacity int     // the number of values that may be in registers at once
	Order    []uint8 // usable registers, preferred ones first; nil: by number
	Defined  uint64  // have a value at the function's entry, which its code may name
	// NoPredicate holds usable registers that cannot be a Predicate operand. They are used
	// for values that never are one, and Capacity does not count them.
	NoPredicate  uint64
	SlotBytes    uint8 // size of a spill slot, a power of two
	MinSlotBytes uint8 // of the slots of narrower values, a power of two
	// Reserve is the number of registers that scheduling tries to keep free. Blocks are
	// scheduled for the pressure of classes where it is positive.
	Reserve  int
	Folds    bool       // values may be memory operands
	Exchange bool       // two registers can be exchanged
	SpillTo  mach.Class // a class whose unused registers serve as spill slots, or 0
}

// Slot is the place of a spilled value: a register of another class, or Bytes bytes at
// Offset from the end of the spill area, which is negative.
type Slot struct {
	Reg           mach.Reg
	Offset, Bytes int32
}

// Effect describes an instruction that moves values between registers and slots.
type Effect struct {
	Kind     EffectKind
	Dst, Src mach.Reg // for a reload only Dst, for a spill only Src
	Slot     Slot     // of a reload or spill; Bytes is 0 for other memory
}

// EffectKind is the kind of an Effect.
type EffectKind uint8

// Kinds of effects.
const (
	Other EffectKind = iota // another instruction; the allocator inserts those that make constants
	Moves
	Exchanges
	Reloads
	Spills
)

// physReg numbers the physical registers of all classes densely.
type physReg int8

const (
	noPhys  physReg = -1
	numPhys         = 64
)

// regSet is a set of physical registers.
type regSet uint64

func (s regSet) has(p physReg) bool { return s>>uint(p)&1 != 0 }
func (s *regSet) add(p physReg)     { *s |= 1 << uint(p) }
func (s *regSet) remove(p physReg)  { *s &^= 1 << uint(p) }
func (s regSet) first() physReg     { return physReg(bits.TrailingZeros64(uint64(s))) }

// registerFile holds the descriptions of all classes by dense numbers of registers.
type registerFile struct {
	firstOf     [mach.NumClasses]physReg
	classOf     [numPhys]mach.Class
	usable      [mach.NumClasses]regSet
	capacity    [mach.NumClasses]int
	order       [mach.NumClasses][]physReg
	noPredicate regSet
}

func newRegisterFile(classes *[mach.NumClasses]Class) *registerFile {
	r := &registerFile{}
	at := physReg(0)
	for c := range classes {
		class := &classes[c]
		r.firstOf[c], r.capacity[c] = at, class.Capacity
		r.usable[c] = regSet(class.Usable) << uint(at)
		r.noPredicate |= regSet(class.NoPredicate) << uint(at)
		for _, n := range class.Order {
			r.order[c] = append(r.order[c], at+physReg(n))
		}
		for range class.Count {
			r.classOf[at] = mach.Class(c)
			at++
		}
	}
	return r
}

// phys returns the number of a physical register.
func (r *registerFile) phys(x mach.Reg) physReg { return r.firstOf[x.Class()] + physReg(x.Num()) }

// reg returns a physical register.
func (r *registerFile) reg(p physReg) mach.Reg {
	c := r.classOf[p]
	return mach.Physical(c, int(p-r.firstOf[c]))
}

// preferred returns the first register of a set, not empty, in the order of its class.
func (r *registerFile) preferred(c mach.Class, set regSet) physReg {
	for _, p := range r.order[c] {
		if set.has(p) {
			return p
		}
	}
	return set.first()
}
