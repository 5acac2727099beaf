// Package avx2 compiles legal vir to x86-64 machine code with AVX2, whose masks are in vectors: it
// selects instructions for vectors and masks (select*.go). Package isel selects those for scalars;
// package x86 allocates registers, orders blocks and assembles. The operations that the target
// supports are in legal.go, their costs in costs.go.
//
// It must not know how vir was built or how the code is run.
package avx2

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// selector selects instructions for vectors and masks. A vector is in the low bytes of a register;
// the bits above it are arbitrary. A mask is a vector of lanes of all ones or all zeros.
type selector struct {
	*isel.Selector
	singly bool // full gathers become scalar loads
}

// selectFunc returns the machine code of f over virtual registers.
//
// requires: f legal for Legal
func selectFunc(f *vir.Func, opt Options) (*x86.Func, error) {
	m := &x86.Func{
		Func:   mach.Func[asm.Inst]{Scalar: f.Width == 1, Places: &diag.Places{}, SlotBytes: map[mach.Reg]int{}},
		Target: Name, V3: true, SharedDispatch: opt.SharedDispatch, Pool: &asm.Pool{},
	}
	s := &selector{
		Selector: isel.New(f, m),
		singly:   !opt.GathersFast && isel.ElementsGathered(f) <= isel.MaxSingly,
	}
	err := s.Run(isel.Vectors{
		Value: s.value, Scalar: s.vectorOp, Constant: s.constant, TestMask: s.testAny, TestAll: s.testAll,
		Branch: func(*vir.Block) (on asm.Cond, with *vir.Value, ok bool) { return 0, nil, false },
	})
	return m, err
}

// value emits an operation on vectors or masks.
func (s *selector) value(v *vir.Value) {
	switch {
	case vir.InfoOf(v.Op).Memory:
		s.memory(v)
	case !v.Op.Pure():
		s.lanes(v)
	case v.Type.IsMask():
		s.maskOp(v)
	default:
		s.vectorOp(v, s.Reg(v))
	}
}

// constant materializes a vector with equal lanes.
func (s *selector) constant(r asm.Reg, v *vir.Value) {
	size := v.Type.Elem.Size()
	s.Emit(asm.Make(isel.BroadcastMem[isel.Log2(size)], r, asm.InMem).Len(isel.Length(v.Type)).WithMem(s.Pooled(v.Const, size)))
}

// pooledVector returns a memory operand with n elements of a register for vectors of type t.
func (s *selector) pooledVector(t vir.Type, bits uint64) asm.Mem {
	size := t.LaneBits() / 8
	return s.PooledLanes(size, slices.Repeat([]uint64{bits}, isel.Length(t).Bytes()/size))
}

// source completes an instruction with v as its last source: a constant or a load of a whole
// register in memory, or a register.
func (s *selector) source(op asm.Op, v *vir.Value, args ...asm.Reg) asm.Inst {
	if m, ok := s.memorySource(v); ok {
		return asm.Make(op, append(args, asm.InMem)...).WithMem(m)
	}
	return asm.Make(op, append(args, s.Reg(v))...)
}

// memorySource returns a memory operand for v if it can be read from memory.
func (s *selector) memorySource(v *vir.Value) (asm.Mem, bool) {
	switch {
	case !v.Type.IsVec():
		return asm.Mem{}, false
	case v.Op == vir.Const && v.Const != 0 && v.Const != v.Type.Elem.Mask():
		return s.pooledVector(v.Type, v.Const), true
	case v.Type.Bits() >= 128 && s.FoldsWhole(v):
		return s.Address(v.Args[0], v.Disp), true
	}
	return asm.Mem{}, false
}

// inMemory reports whether source would read v from memory.
func (s *selector) inMemory(v *vir.Value) bool {
	return v.Op == vir.Const && v.Const != 0 && v.Const != v.Type.Elem.Mask() || v.Type.IsVec() && v.Type.Bits() >= 128 && s.FoldsWhole(v)
}

// log returns the log2 of the size in bytes of a lane of t.
func log(t vir.Type) int { return isel.Log2(max(t.LaneBits()/8, 1)) }

// temp returns a new register for vectors of type t.
func (s *selector) temp(t vir.Type) asm.Reg { return s.NewReg(t) }

// emit emits an instruction of the vector length of t.
func (s *selector) emit(t vir.Type, in asm.Inst) { s.Emit(in.Len(isel.Length(t))) }

// logic returns the bitwise instruction of op.
func logic(op alu.Op) asm.Op {
	switch op {
	case alu.And:
		return asm.VPANDD
	case alu.Or:
		return asm.VPORD
	}
	return asm.VPXORD
}
