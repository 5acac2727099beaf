// Package mach models a register machine without an instruction set: registers in classes,
// the roles of operands, and functions of basic blocks. The type of an instruction is a
// parameter I. The code generator's common parts, the register allocator (mach/regalloc)
// and the block layout (mach/layout), see an instruction only through the table of
// functions ISA.
//
// The package and those below it must be free of vir and of every instruction set.
package mach

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
)

// Func is a function of machine instructions. Before register allocation its registers
// are virtual. A virtual register may be written several times (two-address forms, merge
// masking), always in one block or by the copies on edges.
type Func[I any] struct {
	Blocks []*Block[I]     // Blocks[0] is the entry; the order is the layout
	Next   [NumClasses]int // by class: the number of virtual registers
	Places *diag.Places    // source positions, which instructions refer to by number
	// SlotBytes has the size in bytes of virtual registers that are narrower than those
	// of their class, hence of their spill slots.
	SlotBytes map[Reg]int
	Scalar    bool // the code has one lane: its branches depend on the data
}

// Block is a basic block. Its label is its index in Func.Blocks.
type Block[I any] struct {
	Insts []I // without the copies and jumps that end the block
	// Copies are parallel and run after Insts: each Dst gets the value that its Src had
	// before all of them. Only a block that jumps to one successor has copies.
	Copies []Copy
	Term   Terminator
	Line   int32 // source line of the jumps, if no instruction of the block has one
	Loop   LoopKind

	// Set by register allocation.
	Depth       int  // loop depth
	SourceDepth int  // depth counting only loops of the source
	InStripLoop bool // the loop over strips is among the others
	Preds       []int
}

// LoopKind distinguishes the loops of the source from those that the compiler makes. That
// of a loop is the one of its head.
type LoopKind uint8

// Loop kinds.
const (
	SourceLoop    LoopKind = iota
	StripLoop              // over strips of work-items
	GeneratedLoop          // any other
)

// Copy assigns Src to Dst.
type Copy struct{ Dst, Src Reg }

// Cond is a branch condition in the machine's encoding, in which conditions that differ in
// bit 0 are opposites.
type Cond uint8

// Negate returns the opposite condition.
func (c Cond) Negate() Cond { return c ^ 1 }

// Terminator ends a block. If Cond is set, it jumps to Yes if condition On holds, else
// to No. Otherwise it jumps to Yes. The block's last instruction sets the flags; only
// moves that preserve the flags may follow it. If Targets is not empty, the block's
// last instructions are a jump through a table.
type Terminator struct {
	Ret  bool
	Cond bool
	On   Cond
	Yes  int
	No   int

	Targets []int // without duplicates
	Entries []int // of the table: indices in Targets
	Table   int32 // the constant that holds the table
}

// JumpsTo reports whether t is an unconditional jump to block b.
func (t Terminator) JumpsTo(b int) bool {
	return !t.Ret && !t.Cond && t.Targets == nil && t.Yes == b
}

// Redirect changes the k-th successor of b.
func (b *Block[I]) Redirect(k, to int) {
	switch {
	case b.Term.Targets != nil:
		b.Term.Targets[k] = to
	case k == 0:
		b.Term.Yes = to
	default:
		b.Term.No = to
	}
}

// Succs lists the successors by index.
func (b *Block[I]) Succs() []int {
	switch {
	case b.Term.Ret:
		return nil
	case b.Term.Targets != nil:
		return b.Term.Targets
	case b.Term.Cond:
		return []int{b.Term.Yes, b.Term.No}
	}
	return []int{b.Term.Yes}
}

// Emit appends an instruction.
func (b *Block[I]) Emit(in I) *I {
	b.Insts = append(b.Insts, in)
	return &b.Insts[len(b.Insts)-1]
}

// NewReg returns a new virtual register of a class.
func (f *Func[I]) NewReg(c Class) Reg {
	r := Virtual(c, f.Next[c])
	f.Next[c]++
	return r
}

// Clone returns a deep copy of f's code.
func (f *Func[I]) Clone() *Func[I] {
	c := *f
	c.Blocks = make([]*Block[I], len(f.Blocks))
	for i, b := range f.Blocks {
		d := *b
		d.Insts, d.Copies, d.Preds = slices.Clone(b.Insts), slices.Clone(b.Copies), slices.Clone(b.Preds)
		d.Term.Targets = slices.Clone(b.Term.Targets)
		c.Blocks[i] = &d
	}
	return &c
}

// Graph returns the flow graph of f. A branch with equal targets becomes a jump.
func (f *Func[I]) Graph() *cfg.Graph {
	succs := make([][]int, len(f.Blocks))
	for i, b := range f.Blocks {
		if b.Term.Cond && b.Term.Yes == b.Term.No {
			b.Term.Cond = false
		}
		succs[i] = b.Succs()
	}
	return cfg.NewGraph(succs)
}
