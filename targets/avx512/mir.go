// Package avx512 turns legal vir into x86-64 machine code: it selects
// instructions (select*.go), allocates registers (regalloc*.go), lays the
// blocks out and assembles them (compile.go). The tables that say what the
// target has, and at what price, are in target.go.
//
// It must not know how vir came to be, nor how the code is run.
package avx512

import (
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/vir"
)

// machineFunc is a function of machine instructions over virtual registers.
// A virtual register may be written several times (two-address forms, merging
// masks), always in one block or by the copies on edges.
type machineFunc struct {
	blocks         []*machineBlock // blocks[0] is the entry; order is the layout
	next           [4]int          // by asm.Class: numbers of virtual registers in use
	pool           *asm.Pool
	places         *diag.Places    // that instructions name by number
	scalar         bool            // of one lane
	v3             bool            // for processors without AVX-512
	sharedDispatch bool            // see Options
	private        bool            // its instructions find private memory at r14
	singly         int             // full gathers that are single loads
	fetched        int             // rows of later work-items that are asked for
	size           map[asm.Reg]int // bytes of vector registers narrower than 64; spill slots need no more
}

// encoding is how its instructions are encoded: those of one lane for any processor, as
// far as that goes.
func (f *machineFunc) encoding() asm.Options { return asm.Options{AvoidEVEX: f.scalar} }

// machineBlock is a basic block. Its label is its index in blocks.
type machineBlock struct {
	insts []asm.Inst // without the copies and jumps that end it
	// copies happen at once after insts: each dst takes the value its src had
	// before any of them. Only a block that jumps to one successor has copies.
	copies []regCopy
	// term is how the block ends.
	term  terminator
	line  int32 // of the jumps, where no instruction of the block has one
	over  vir.Over
	depth int  // loops around it
	own   int  // those of them that the source has
	strip bool // one of them is that over the strips
	preds []int
}

type regCopy struct{ dst, src asm.Reg }

// terminator ends a block: with cond != none, a jump to yes on cond, else to
// no; without, a jump to yes. Flags are set by the block's last instruction,
// which nothing may come after but moves that leave flags alone. With targets,
// the block's last instruction jumps to one of them by a table.
type terminator struct {
	ret  bool
	cond bool
	on   asm.Cond
	yes  int
	no   int

	targets []int // each once
	entries []int // of the table: indices of targets
	table   asm.ConstID
}

// jumpsTo reports whether t does nothing but go on to block b.
func (t terminator) jumpsTo(b int) bool {
	return !t.ret && !t.cond && t.targets == nil && t.yes == b
}

// redirect makes the k-th successor of b another block.
func (b *machineBlock) redirect(k, to int) {
	switch {
	case b.term.targets != nil:
		b.term.targets[k] = to
	case k == 0:
		b.term.yes = to
	default:
		b.term.no = to
	}
}

func (f *machineFunc) newReg(c asm.Class) asm.Reg {
	r := asm.Virtual(c, f.next[c])
	f.next[c]++
	return r
}

func (b *machineBlock) emit(in asm.Inst) *asm.Inst {
	b.insts = append(b.insts, in)
	return &b.insts[len(b.insts)-1]
}

// succs lists the successors by index.
func (b *machineBlock) succs() []int {
	switch {
	case b.term.ret:
		return nil
	case b.term.targets != nil:
		return b.term.targets
	case b.term.cond:
		return []int{b.term.yes, b.term.no}
	}
	return []int{b.term.yes}
}
