// Package isel selects x86-64 instructions for legal vir: scalars, addresses and memory
// operands, comparisons and branches, which all targets have in common. A target's package
// selects those for vectors and masks, see Vectors.
//
// It must not know the targets.
package isel

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Selector chooses instructions bottom up, uses before definitions, so that an operation
// that is unused or folded into all its users is never emitted. Blocks are visited in
// postorder; within a block, the instructions of one value form a group in forward order,
// and groups are reversed at the end.
type Selector struct {
	F       *vir.Func // compiled
	M       *x86.Func // the result
	vectors Vectors
	regs    []asm.Reg // by value ID; NoReg: no use selected so far
	uses    []int     // by value ID: uses in vir
	// addresses counts, by value ID, the uses as an address of a scalar or
	// contiguous access.
	addresses []int
	params    []uint8           // by value ID: the result of known for block parameters; see knownParams
	inEdges   [][]inEdge        // by block ID; nil until branchedOn needs it
	written   []int32           // by value ID: operations before it in its block that write memory
	writes    int32             // the same for the instructions being emitted
	decisions map[int]*decision // by block ID of the root
	decided   []bool            // by block ID: belongs to a decision
	rotated   []bool            // by value ID: shifts that may be rotations; nil if none
	splits    []split
	group     []asm.Inst
	done      [][]asm.Inst // groups of the block, last first
	block     *vir.Block
	ended     *vir.Value // the value whose instructions the terminator emitted, or nil
	line      int32      // in M.Places
	volatile  bool       // the value being selected is a volatile access
	err       error
}

// loopKinds maps the kinds of loops of vir to those of package mach.
var loopKinds = map[vir.Over]mach.LoopKind{
	vir.OverNothing: mach.SourceLoop, vir.OverStrips: mach.StripLoop, vir.OverRows: mach.GeneratedLoop, vir.OverLanes: mach.GeneratedLoop,
}

// Vectors selects a target's instructions for vectors and masks.
type Vectors struct {
	// Value emits an operation on vectors or masks, between them and scalars, or a vector access.
	Value func(v *vir.Value)
	// Scalar emits a scalar operation that is computed in vector registers, into d.
	Scalar func(v *vir.Value, d asm.Reg)
	// Constant materializes a mask or a vector with equal lanes that are neither all zeros
	// nor all ones. It does not change the flags.
	Constant func(r asm.Reg, v *vir.Value)
	// TestMask clears ZF if a lane of m is set, else sets it.
	TestMask func(m *vir.Value)
	// TestAll sets the flags and returns the condition that holds if all lanes of m are set; nil:
	// Value computes the vote.
	TestAll func(m *vir.Value) asm.Cond
	// Branch emits the instructions that set the flags of the branch at the end of b, if the
	// target has a form of its own. It returns the condition on which the first edge is taken,
	// and the value that it has emitted along with it, or nil.
	Branch func(b *vir.Block) (on asm.Cond, with *vir.Value, ok bool)
}

// New prepares the selection of instructions for f, which is legal for the target, into m.
func New(f *vir.Func, m *x86.Func) *Selector {
	return &Selector{
		F: f, M: m,
		regs: make([]asm.Reg, f.NumValues()), uses: make([]int, f.NumValues()),
		written: make([]int32, f.NumValues()),
	}
}

// Run selects the instructions of the function.
func (s *Selector) Run(vectors Vectors) error {
	f := s.F
	s.vectors = vectors
	s.countUses()
	s.M.Blocks = make([]*x86.Block, len(f.Blocks))
	for i := range f.Blocks {
		s.M.Blocks[i] = &x86.Block{Loop: loopKinds[f.Blocks[i].Over]}
	}
	order := f.Graph().PostOrder()
	s.countAddresses(order)
	s.findDecisions()
	s.findFields()
	s.knownParams(order)
	for _, id := range order {
		s.selectBlock(f.Blocks[id])
		if s.err != nil {
			return fmt.Errorf("%s: %s: %w", s.M.Target, f.Name, s.err)
		}
	}
	// Copies to parameters can only name registers once all uses are known.
	for _, id := range order {
		s.edges(f.Blocks[id])
	}
	s.finishDecisions(order)
	s.finishSplits()
	return s.err
}

func (s *Selector) countUses() {
	use := func(v *vir.Value) { s.uses[v.ID]++ }
	for _, b := range s.F.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				use(a)
			}
		}
		if b.Cond != nil {
			use(b.Cond)
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				use(a)
			}
		}
	}
}

// Fail records the first error.
func (s *Selector) Fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// at sets the source position of the instructions emitted next.
func (s *Selector) at(p diag.Pos) { s.line = int32(s.M.Places.Number(p)) }

// Emit appends an instruction for the current value.
func (s *Selector) Emit(in asm.Inst) {
	in.Line = s.line
	in.Mem.Volatile = s.volatile && slices.Contains(in.Args[:], asm.InMem) && in.Mem.Kind == asm.MemAddr
	s.group = append(s.group, in)
}

// Last returns the last instruction emitted for the current value.
func (s *Selector) Last() *asm.Inst { return &s.group[len(s.group)-1] }

// InsertBeforeLast emits in, as it is, before Last.
func (s *Selector) InsertBeforeLast(in asm.Inst) {
	s.group = slices.Insert(s.group, len(s.group)-1, in)
}

// flush ends the group of one value.
func (s *Selector) flush() {
	if len(s.group) > 0 {
		s.done = append(s.done, s.group)
		s.group = nil
	}
}

func (s *Selector) selectBlock(b *vir.Block) {
	s.block, s.ended, s.done, s.group = b, nil, nil, nil
	mb := s.M.Blocks[b.ID]
	// Arguments of edges are needed in registers at the end of the block, except
	// constants, which edges materializes.
	for _, e := range b.Edges {
		for _, a := range e.Args {
			if a.Op != vir.Const {
				s.Reg(a)
			}
		}
	}
	s.at(b.Pos)
	s.writes = s.countWrites(b)
	s.terminator(b, mb)
	s.flush()
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		if v.Volatile && v.Type.Elem != alu.Void {
			s.Reg(v) // loaded even if unused
		}
		if s.regs[v.ID] == asm.NoReg && vir.InfoOf(v.Op).Effect != vir.Writes {
			continue // folded or unused; unused loads have no effect
		}
		if v == s.ended {
			continue
		}
		s.at(v.Pos)
		s.writes = s.written[v.ID]
		s.volatile = v.Volatile
		s.value(v)
		s.volatile = false
		s.flush()
		if s.err != nil {
			return
		}
	}
	for i := len(s.done) - 1; i >= 0; i-- {
		mb.Insts = append(mb.Insts, s.done[i]...)
	}
	s.placeLoop(b, mb)
}

// placeLoop gives a loop of one block the line where it begins in the source, if none of its
// instructions has one. Otherwise a stop in the loop would be reported at the preceding line.
func (s *Selector) placeLoop(b *vir.Block, mb *x86.Block) {
	if !slices.ContainsFunc(b.Edges, func(e vir.Edge) bool { return e.To == b }) ||
		slices.ContainsFunc(mb.Insts, func(in asm.Inst) bool { return in.Line != 0 }) {
		return
	}
	s.at(b.At)
	mb.Line = s.line
	for i := range mb.Insts {
		mb.Insts[i].Line = s.line
	}
}

// terminator emits the instructions that set the flags of the final branch.
func (s *Selector) terminator(b *vir.Block, mb *x86.Block) {
	switch b.Kind {
	case vir.Return:
		mb.Term = x86.Terminator{Ret: true}
	case vir.Jump:
		mb.Term = x86.Terminator{Yes: b.Edges[0].To.ID}
	case vir.Branch:
		mb.Term = x86.Terminator{Cond: true, Yes: b.Edges[0].To.ID, No: b.Edges[1].To.ID}
		if d := s.decisions[b.ID]; d != nil {
			s.tableJump(d)
			return
		}
		if on, with, ok := s.vectors.Branch(b); ok {
			mb.Term.On, s.ended = mach.Cond(on), with
			return
		}
		if s.decided[b.ID] {
			return
		}
		if d := s.findDifference(b); d != nil {
			mb.Term.On = mach.Cond(s.emitDifference(d))
			s.ended = d.value
		} else if !s.splitBranch(b) {
			mb.Term.On = mach.Cond(s.condition(b.Cond))
		}
	}
}

// condition emits instructions that set the flags for a scalar i1 and returns the condition
// code that holds when it is true. Comparisons are emitted here instead of being read back
// from a register.
func (s *Selector) condition(c *vir.Value) asm.Cond {
	if c.Op == alu.Xor && c.Args[1].Op == vir.Const && c.Args[1].Const == 1 && c.Type.Lanes == 1 {
		return s.condition(c.Args[0]).Negate()
	}
	arg := func(i int) *vir.Value { return c.Args[i] }
	switch c.Op {
	case alu.Eq, alu.Ne, alu.Slt, alu.Sle, alu.Ult, alu.Ule:
		if arg(0).Type.Elem != alu.I1 {
			return s.compareInts(c)
		}
	case alu.FLt, alu.FLe:
		return s.compareFloats(c)
	case vir.Any:
		if c.Block == s.block || s.uses[c.ID] == 1 {
			s.vectors.TestMask(arg(0))
			return asm.CondNE
		}
	}
	if c.Op == vir.All && s.vectors.TestAll != nil && (c.Block == s.block || s.uses[c.ID] == 1) {
		return s.vectors.TestAll(arg(0))
	}
	r := s.Reg(c)
	s.Emit(asm.Make(asm.TEST, r, r).Bits(asm.Size8)) // the size that joinBit operates on
	return asm.CondNE
}

// edges adds the parallel copies of b's edges. An edge of a branch that needs copies gets a
// block of its own.
func (s *Selector) edges(b *vir.Block) {
	mb := s.M.Blocks[b.ID]
	for i, e := range b.Edges {
		var copies []mach.Copy
		at := mb
		if len(b.Edges) > 1 {
			at = &x86.Block{Term: x86.Terminator{Yes: e.To.ID}}
		}
		s.group = nil
		s.at(b.Pos)
		for j, a := range e.Args {
			p := s.regs[e.To.Params[j].ID]
			if p == asm.NoReg {
				continue // the parameter is unused
			}
			if a.Op == vir.Const {
				// p is written only after the other copies have read its old value.
				t := s.NewReg(a.Type)
				s.constantInto(t, a)
				copies = append(copies, x86.CopyOf(p, t))
				continue
			}
			copies = append(copies, x86.CopyOf(p, s.regs[a.ID]))
		}
		if len(copies) == 0 && len(b.Edges) > 1 {
			continue
		}
		at.Insts = append(at.Insts, s.group...)
		at.Copies = copies
		if at != mb {
			n := len(s.M.Blocks)
			s.M.Blocks = append(s.M.Blocks, at)
			if i == 0 {
				mb.Term.Yes = n
			} else {
				mb.Term.No = n
			}
		}
	}
}

// Class is the register file of a type.
func Class(t vir.Type) asm.Class {
	switch {
	case t.IsMask() && t.MaskBits == 0:
		return asm.ClassMask
	case t.Lanes > 1, t.Elem == alu.F32, t.Elem == alu.F64:
		return asm.ClassVec
	}
	return asm.ClassGPR
}

// NewReg returns a new virtual register for values of type t.
func (s *Selector) NewReg(t vir.Type) asm.Reg {
	c := Class(t)
	r := s.M.NewReg(c)
	if c == asm.ClassVec {
		if n := max(t.Bits()/8, 16); n < 64 {
			s.M.SlotBytes[mach.Reg(r)] = n
		}
	}
	return r
}

// Reg returns the register of v and marks v as needed. Constants are rematerialized at each
// use; a truncation or extension that is free shares the register of its operand.
func (s *Selector) Reg(v *vir.Value) asm.Reg {
	if v.Op == vir.Const {
		r := s.NewReg(v.Type)
		s.constantInto(r, v)
		return r
	}
	if s.regs[v.ID] == asm.NoReg {
		if isLowPart(v) || s.isExtended(v) {
			s.regs[v.ID] = s.Reg(v.Args[0])
		} else {
			s.regs[v.ID] = s.NewReg(v.Type)
		}
	}
	return s.regs[v.ID]
}

// isLowPart reports whether v is the low bits of a scalar, with garbage above.
func isLowPart(v *vir.Value) bool {
	return v.Op == alu.Trunc && v.Type.IsScalar() && v.Type.Elem != alu.I1 && v.Args[0].Op != vir.Const
}

// isExtended reports whether v extends a scalar whose register already holds v.
func (s *Selector) isExtended(v *vir.Value) bool {
	if v.Op != alu.ZExt && v.Op != alu.SExt || !v.Type.IsScalar() || v.Args[0].Op == vir.Const {
		return false
	}
	n, from := s.known(v.Args[0]), v.Args[0].Type.Elem
	if v.Op == alu.SExt {
		return from != alu.I1 && n < from.Bits()
	}
	return n <= from.Bits()
}

// Length is the vector length that holds t.
func Length(t vir.Type) asm.VL { return asm.VLBytes(max(t.Bits()/8, 16)) }

func bytesOf(bits uint64, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(bits >> (8 * (i % 8)))
	}
	return out
}

// constantInto materializes a constant. It does not change the flags.
func (s *Selector) constantInto(r asm.Reg, v *vir.Value) {
	t := v.Type
	switch Class(t) {
	case asm.ClassGPR:
		c := signedBits(t.Elem, v.Const)
		if t.Elem == alu.I32 {
			c = int64(uint32(c)) // shorter, and the upper half is clear
		}
		s.Emit(asm.MoveImm(r, c))
	case asm.ClassMask:
		s.vectors.Constant(r, v)
	default:
		size := t.Elem.Size()
		switch {
		case v.Const == 0:
			s.Emit(asm.Make(asm.ZEROV, r))
		case v.Const == t.Elem.Mask() && (t.Elem.IsInt() || t.IsMask()):
			s.Emit(asm.Make(asm.ONESV, r).Len(asm.VLBytes(s.M.VectorBytes())))
		case t.Lanes == 1 && size == 4:
			s.Emit(asm.Make(asm.VMOVSS, r, asm.InMem).WithMem(s.Pooled(v.Const, 4)))
		case t.Lanes == 1:
			s.Emit(asm.Make(asm.VMOVSD, r, asm.InMem).WithMem(s.Pooled(v.Const, 8)))
		default:
			s.vectors.Constant(r, v)
		}
	}
}

// signedBits sign-extends a scalar constant, so that most fit an immediate.
func signedBits(t alu.Type, bits uint64) int64 {
	if t == alu.I1 {
		return int64(bits)
	}
	return t.Signed(bits)
}

// Log2 rounds the binary logarithm of n down.
func Log2(n int) int {
	i := 0
	for n > 1 {
		n >>= 1
		i++
	}
	return i
}

// Pooled returns a memory operand that reads an n-byte constant.
func (s *Selector) Pooled(bits uint64, n int) asm.Mem {
	return asm.ConstMem(s.M.Pool.AddUint(bits, n))
}

// PooledLanes returns a memory operand that reads a whole vector.
func (s *Selector) PooledLanes(size int, lanes []uint64) asm.Mem {
	var data []byte
	for _, x := range lanes {
		data = append(data, bytesOf(x, size)...)
	}
	for len(data) < 16 {
		data = append(data, 0)
	}
	return asm.ConstMem(s.M.Pool.Add(data))
}

// value emits one operation.
func (s *Selector) value(v *vir.Value) {
	switch {
	case v.Op == vir.Load:
		s.load(v)
	case v.Op == vir.Store:
		s.store(v)
	case v.Op == vir.Atomic || v.Op == vir.CmpXchg:
		s.atomic(v)
	case v.Op == vir.Fence:
		s.fence()
	case v.Op == vir.Context:
		s.Emit(x86.Move(s.Reg(v), asm.RDI))
	case vir.InfoOf(v.Op).Memory || !v.Op.Pure() || v.Type.Lanes > 1 || v.Type.IsMask():
		s.vectors.Value(v)
	default:
		s.scalarOp(v)
	}
}

// Move emits a move between registers of one class.
func (s *Selector) Move(dst, src asm.Reg) { s.Emit(x86.Move(dst, src)) }
