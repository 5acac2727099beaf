// Package x86 holds what the targets for x86-64 share: machine functions and the
// descriptions of their registers and instructions for the register allocator and
// the block layout, peephole optimizations, machine code and object files.
//
// It must not know how a target selects instructions, nor how the code is run.
package x86

import (
	"fmt"

	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86/asm"
)

// Func is a function of machine instructions.
type Func struct {
	mach.Func[asm.Inst]
	Target         string // for messages
	Pool           *asm.Pool
	V3             bool      // for processors without AVX-512
	SharedDispatch bool      // a loop with a jump table has one copy of the table jump
	Private        bool      // instructions address private memory through r14
	Stats          CodeStats // counts of instruction selection
}

// Block is a basic block.
type Block = mach.Block[asm.Inst]

// Terminator ends a block.
type Terminator = mach.Terminator

// NewReg returns a new virtual register of a class.
func (f *Func) NewReg(c asm.Class) asm.Reg { return asm.Reg(f.Func.NewReg(mach.Class(c))) }

// Clone returns a deep copy of f's code.
func (f *Func) Clone() *Func {
	c := *f
	c.Func = *f.Func.Clone()
	return &c
}

// CopyOf returns an assignment of src to dst for an edge.
func CopyOf(dst, src asm.Reg) mach.Copy { return mach.Copy{Dst: mach.Reg(dst), Src: mach.Reg(src)} }

// encoding avoids EVEX in scalar code, so that it runs on processors without AVX-512
// where possible.
func (f *Func) encoding() asm.Options { return asm.Options{AvoidEVEX: f.Scalar || f.V3} }

// check returns an error unless all jumps lead to blocks and all registers are physical.
func (f *Func) check() (err error) {
	for i, b := range f.Blocks {
		for _, s := range b.Succs() {
			if s < 0 || s >= len(f.Blocks) {
				return fmt.Errorf("block %d jumps to block %d of %d", i, s, len(f.Blocks))
			}
		}
		for k := range b.Insts {
			in := &b.Insts[k]
			in.Regs(func(r *asm.Reg, _ asm.Role) {
				if r.IsVirtual() && err == nil {
					err = fmt.Errorf("block %d: %s: virtual register %s", i, asm.AppendFormat(nil, in, asm.Options{}), *r)
				}
			})
		}
	}
	return err
}

// String returns the instructions by block.
func (f *Func) String() string {
	var s []byte
	line := func(in asm.Inst) { s = append(asm.AppendFormat(append(s, '\t'), &in, asm.Options{}), '\n') }
	for i, b := range f.Blocks {
		s = asm.AppendFormat(s, &asm.Inst{Op: asm.LABEL, Args: [4]asm.Reg{asm.InLabel}, Target: asm.Label(i)}, asm.Options{})
		s = append(s, '\n')
		for _, in := range b.Insts {
			line(in)
		}
		for _, c := range b.Copies {
			s = append(s, "\t"+c.Dst.String()+" <- "+c.Src.String()+"\n"...)
		}
		switch t := b.Term; {
		case t.Ret:
			line(asm.Make(asm.RET))
		case t.Targets != nil:
			s = fmt.Appendf(s, "\t# one of %v\n", t.Targets)
		case t.Cond:
			line(asm.JumpIf(asm.Cond(t.On), asm.Label(t.Yes)))
			line(asm.Jump(asm.Label(t.No)))
		default:
			line(asm.Jump(asm.Label(t.Yes)))
		}
	}
	return string(s)
}

// VectorBytes is the size of a vector register.
func (f *Func) VectorBytes() int {
	if f.V3 {
		return 32
	}
	return 64
}
