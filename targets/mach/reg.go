package mach

import "strconv"

// Class is a register file, such as the general or the vector registers. A machine gives
// the classes from 1 on a meaning; 0 is that of no register.
type Class uint8

// NumClasses is the number of classes, with 0.
const NumClasses = 4

// Reg is a virtual or physical register. 0 is none.
//
// Layout: bit 31 virtual, bits 28-29 class, bits 0-27 number. An assembler for which
// instructions with virtual registers are built uses the same layout.
type Reg uint32

const (
	regVirtual   Reg = 1 << 31
	regClassBits     = 28
	regNumber    Reg = 1<<regClassBits - 1
)

// NoReg is no register.
const NoReg Reg = 0

// Virtual returns virtual register n of a class, 0 <= n < 1<<28. Numbers of different
// classes are different registers.
func Virtual(c Class, n int) Reg { return regVirtual | Physical(c, n) }

// Physical returns register n of a class.
func Physical(c Class, n int) Reg { return Reg(c)<<regClassBits | Reg(n) }

// IsVirtual reports whether r is a virtual register.
func (r Reg) IsVirtual() bool { return r&regVirtual != 0 }

// IsPhysical reports whether r is a register of the machine.
func (r Reg) IsPhysical() bool { return r>>regClassBits != 0 && r&regVirtual == 0 }

// Class returns the register's file.
func (r Reg) Class() Class { return Class(r >> regClassBits & 3) }

// Num returns the number within the class.
func (r Reg) Num() int { return int(r & regNumber) }

// String returns v, for a virtual register, or r, the class and the number: v1.7, r2.3.
func (r Reg) String() string {
	kind := "r"
	if r.IsVirtual() {
		kind = "v"
	}
	return kind + strconv.Itoa(int(r.Class())) + "." + strconv.Itoa(r.Num())
}

// Role is the access of an instruction to an operand.
type Role uint8

// Roles. An operand that is read and written is tied: its old and new values share a
// register.
const (
	Read      Role = 1
	Write     Role = 2
	ReadWrite Role = Read | Write
)

// OperandKind is the place of a register in an instruction.
type OperandKind uint8

// Operand kinds.
const (
	Value     OperandKind = iota
	Address               // part of the address of a memory operand
	Predicate             // the mask of lanes that are computed or accessed
)

// Operand is a register that an instruction names. Reg points into the instruction.
type Operand struct {
	Reg  *Reg
	Role Role
	Kind OperandKind
}

// Operands are the registers that an instruction names: first those that it reads, a tied
// destination before all others, then those that it only writes.
type Operands struct {
	List [8]Operand
	N    int
}

// Add appends an operand.
func (o *Operands) Add(r *Reg, role Role, kind OperandKind) {
	if o.N < len(o.List) {
		o.List[o.N] = Operand{r, role, kind}
		o.N++
	}
}

// All returns the operands.
func (o *Operands) All() []Operand { return o.List[:o.N] }

// Fixed is a physical register that an op accesses without naming it. One that is written
// only is clobbered or defined.
type Fixed struct {
	Reg  Reg
	Role Role
}
