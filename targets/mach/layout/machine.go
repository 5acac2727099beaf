package layout

import "github.com/simtc/simtc/targets/mach"

// Machine describes the instructions that layout adds, and those whose results
// replication follows.
type Machine[I any] struct {
	*mach.ISA[I]

	Jump   func(to int) I
	JumpIf func(on mach.Cond, to int) I
	Return func() I
	Label  func(block int) I
	// Align pads to a multiple of the given bytes, or not at all if that takes more than limit
	// bytes and limit is positive.
	Align func(bytes, limit int) I
	// Bytes estimates the size of instructions. It may stop once that exceeds limit.
	Bytes func(insts []I, limit int) int
	// DropTests removes redundant comparisons.
	DropTests func(b *mach.Block[I])

	// Equal is the condition that the operands of a comparison are equal.
	Equal mach.Cond
	// Holds evaluates a condition after a comparison of x with y, if it compares integers.
	Holds func(on mach.Cond, x, y int64) (yes, ok bool)
	// Assignment describes an instruction that assigns a constant or a register to a
	// register of the class Integers. Others have a Dst of NoReg.
	Assignment func(in *I) Assignment
	Integers   mach.Class
	// Comparison describes an instruction that compares a register with a constant
	// and sets the flags. Others have a Reg of NoReg.
	Comparison func(in *I) Comparison
	// TableJump returns the register that indexes the jump table and the number of instructions
	// of the jump, which end a block with Targets; NoReg if it has another form.
	TableJump func(insts []I) (index mach.Reg, n int)
}

// Assignment sets Dst to Value, if Src is NoReg, or to Src. If Bits is 32, the upper half
// of Dst becomes 0.
type Assignment struct {
	Dst, Src mach.Reg
	Value    int64
	Bits     int // 32 or 64
}

// Comparison compares the low Bits of Reg with Value.
type Comparison struct {
	Reg   mach.Reg
	Value int64
	Bits  int // 32 or 64
}
