// Package avx512 compiles legal vir to x86-64 machine code: instruction selection
// (select*.go), register allocation (regalloc*.go), block layout and assembly
// (compile.go). The operations that the target supports and their costs are in
// target.go.
//
// It must not know how vir was built or how the code is run.
package avx512

import (
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// machineFunc is a function of machine instructions over virtual registers.
// A virtual register may be written several times (two-address forms, merge
// masking), always in one block or by the copies on edges.
type machineFunc struct {
	blocks         []*machineBlock // blocks[0] is the entry; order is the layout
	next           [4]int          // by asm.Class: number of virtual registers
	pool           *asm.Pool
	places         *diag.Places    // source positions, which instructions refer to by number
	scalar         bool            // the code has one lane
	v3             bool            // for processors without AVX-512
	sharedDispatch bool            // see Options
	private        bool            // instructions address private memory through r14
	singly         int             // number of full gathers emitted as scalar loads
	fetched        int             // number of prefetched rows of later work-items
	size           map[asm.Reg]int // bytes of vector registers narrower than 64, hence of their spill slots
}

// encoding avoids EVEX in scalar code, so that it runs on processors without AVX-512
// where possible.
func (f *machineFunc) encoding() asm.Options { return asm.Options{AvoidEVEX: f.scalar} }

// machineBlock is a basic block. Its label is its index in blocks.
type machineBlock struct {
	insts []asm.Inst // without the copies and jumps that end the block
	// copies are parallel and run after insts: each dst gets the value that its src had
	// before all of them. Only a block that jumps to one successor has copies.
	copies      []regCopy
	term        terminator
	line        int32 // source line of the jumps, if no instruction of the block has one
	over        vir.Over
	depth       int  // loop depth
	sourceDepth int  // depth counting only loops of the source
	inStripLoop bool // the loop over strips is among the others
	preds       []int
}

type regCopy struct{ dst, src asm.Reg }

// terminator ends a block. If cond is set, it jumps to yes if condition on holds, else
// to no. Otherwise it jumps to yes. The block's last instruction sets the flags; only
// moves that preserve the flags may follow it. If targets is not empty, the block's
// last instruction is a jump through a table.
type terminator struct {
	ret  bool
	cond bool
	on   asm.Cond
	yes  int
	no   int

	targets []int // without duplicates
	entries []int // of the table: indices in targets
	table   asm.ConstID
}

// jumpsTo reports whether t is an unconditional jump to block b.
func (t terminator) jumpsTo(b int) bool {
	return !t.ret && !t.cond && t.targets == nil && t.yes == b
}

// redirect changes the k-th successor of b.
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
