package mach

// ISA describes the instructions of type I as data. The zero I is no instruction: it
// stands for one that was removed.
type ISA[I any] struct {
	// Info returns the row of the instruction's op, in which volatile accesses are side effects.
	// Instructions with equal ops and volatility share a row.
	Info func(in *I) *Info
	// Operands adds the registers that an instruction names. They can be replaced.
	Operands func(in *I, list *Operands)
	// Line returns the source line of an instruction, as a number in Func.Places.
	Line func(in *I) *int32
	// Copy reports whether an instruction only copies one whole register to another of
	// its class, so that it can be removed if both are the same.
	Copy func(in *I) (dst, src Reg, ok bool)
	// Memory returns how an instruction accesses memory, other than constants.
	Memory func(in *I) Role
	// Format renders an instruction.
	Format func(in *I) string
	// Unlikely predicts the rarely taken successor of a block from its branch, or returns
	// -1.
	Unlikely func(b *Block[I]) int
}

// Info holds the properties of an op.
type Info struct {
	Fixed []Fixed
	Props Prop
}

// Prop is a set of properties of an op.
type Prop uint16

// Properties of ops.
const (
	Removed      Prop = 1 << iota // no instruction
	ReadsFlags                    // its result depends on the flags
	WritesFlags                   // it changes the flags
	EarlyClobber                  // the registers that it writes must differ from those it reads
	SideEffect                    // it has effects beyond its operands: neither removed nor reordered
	Pinned                        // never removed: it transfers control, or is no real instruction
	Pseudo                        // a label or an alignment
	CheapAsMove                   // it makes a constant at about the cost of a move
	Selects                       // its result often is a new version of the first value that it reads
	Reties                        // RetieOperand may have a form that overwrites another operand
)
