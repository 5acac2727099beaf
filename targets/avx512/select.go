// Package avx512 compiles legal vir to x86-64 machine code with AVX-512: it selects instructions
// for vectors and masks (select*.go). Package isel selects those for scalars; package x86 allocates
// registers, orders blocks and assembles. The operations that the target supports and their costs
// are in legal.go and costs.go.
//
// It must not know how vir was built or how the code is run.
package avx512

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// selector selects instructions for vectors and masks.
type selector struct {
	*isel.Selector
	singly    bool // full gathers become scalar loads
	countdown map[*vir.Block]*countdown
}

// selectFunc returns the machine code of f over virtual registers; counted holds the loops
// that count down.
//
// requires: f legal for Legal, with any number of lanes in masks
func selectFunc(f *vir.Func, counted map[*vir.Block]*countdown, opt Options) (*x86.Func, error) {
	m := &x86.Func{
		Func:   mach.Func[asm.Inst]{Scalar: f.Width == 1, Places: &diag.Places{}, SlotBytes: map[mach.Reg]int{}},
		Target: "avx512", SharedDispatch: opt.SharedDispatch, Pool: &asm.Pool{},
	}
	s := &selector{
		Selector: isel.New(f, m), countdown: counted,
		singly: !opt.GathersFast && isel.ElementsGathered(f) <= isel.MaxSingly,
	}
	err := s.Run(isel.Vectors{Value: s.value, Scalar: s.scalar, Constant: s.constant, TestMask: s.testMask, Branch: s.branch})
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
		s.vectorOp(v, s.Reg(v), asm.NoReg, false)
	}
}

// scalar emits scalar operations that have no scalar instruction. The vector forms compute
// the low element too.
func (s *selector) scalar(v *vir.Value, d asm.Reg) {
	if v.Op == alu.DotUS || v.Op == alu.DotUSSat {
		s.scalarDotProduct(v, d)
		return
	}
	s.vectorOp(v, d, asm.NoReg, false)
}

// scalarDotProduct computes a dot product in vector registers.
func (s *selector) scalarDotProduct(v *vir.Value, d asm.Reg) {
	var in [3]asm.Reg
	for i, a := range v.Args {
		if a.Op == vir.Const && a.Const == 0 {
			in[i] = s.ZeroVec()
			continue
		}
		in[i] = s.M.NewReg(asm.ClassVec)
		s.Emit(s.Place(asm.VMOVD, a, in[i]))
	}
	s.Emit(asm.Make(dotOps[v.Op], in[2], in[0], in[1]).Len(asm.V128))
	s.Emit(asm.Make(asm.VMOVD, d, in[2]))
}

// constant materializes a mask or a vector with equal lanes.
func (s *selector) constant(r asm.Reg, v *vir.Value) {
	t := v.Type
	if t.IsMask() {
		s.maskInto(r, t.Lanes, v.Const != 0)
		return
	}
	size := t.Elem.Size()
	s.Emit(asm.Make(isel.BroadcastMem[isel.Log2(size)], r, asm.InMem).Len(isel.Length(t)).WithMem(s.Pooled(v.Const, size)))
}

// maskInto materializes a mask of n lanes, all set or all clear. Bits above the lanes are
// clear, as in every mask register.
func (s *selector) maskInto(r asm.Reg, n int, on bool) {
	switch {
	case !on:
		s.Emit(asm.Make(asm.ZEROK, r))
	case n == 64:
		s.Emit(asm.Make(asm.ONESK, r))
	default:
		t := s.M.NewReg(asm.ClassGPR)
		s.Emit(asm.MoveImm(t, 1<<n-1))
		s.Emit(asm.Make(maskMove.of(n), r, t))
	}
}

// testMask sets ZF when the mask is empty.
func (s *selector) testMask(m *vir.Value) {
	k := s.Reg(m)
	s.Emit(asm.Make(maskTest.exactly(m.Type.Lanes), k, k))
}

// branch emits the end of a loop that counts down.
func (s *selector) branch(b *vir.Block) (on asm.Cond, with *vir.Value, ok bool) {
	x := s.countdown[b]
	if x == nil {
		return 0, nil, false
	}
	return s.countDown(x), x.left, true
}
