// Package avx512 compiles legal vir to x86-64 machine code with AVX-512, or with AVX2 for
// code of one lane: instruction selection (select*.go). Package x86 allocates registers,
// orders blocks and assembles. The operations that the target supports and their costs are
// in target.go and costs.go.
//
// It must not know how vir was built or how the code is run.
package avx512

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

// selector chooses instructions bottom up, uses before definitions, so that an operation
// that is unused or folded into all its users is never emitted. Blocks are visited in
// postorder; within a block, the instructions of one value form a group in forward order,
// and groups are reversed at the end.
type selector struct {
	f    *vir.Func
	m    *x86.Func
	regs []asm.Reg // by value ID; NoReg: no use selected so far
	uses []int     // by value ID: uses in vir
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
	singly    bool // full gathers become scalar loads
	streams   map[*vir.Block][]stream
	countdown map[*vir.Block]*countdown
	group     []asm.Inst
	done      [][]asm.Inst // groups of the block, last first
	block     *vir.Block
	ended     *vir.Value // the value whose instructions the terminator emitted, or nil
	line      int32      // in m.places
	err       error
}

// loopKinds maps the kinds of loops of vir to those of package mach.
var loopKinds = map[vir.Over]mach.LoopKind{
	vir.OverNothing: mach.SourceLoop, vir.OverStrips: mach.StripLoop, vir.OverRows: mach.GeneratedLoop, vir.OverLanes: mach.GeneratedLoop,
}

// selectFunc returns the machine code of f over virtual registers; counted holds the loops
// that count down.
//
// requires: f legal for Target, with any number of lanes in masks, or for TargetV3
func selectFunc(f *vir.Func, counted map[*vir.Block]*countdown, opt Options) (*x86.Func, error) {
	s := &selector{
		f: f, m: &x86.Func{
			Func:   mach.Func[asm.Inst]{Scalar: f.Width == 1, Places: &diag.Places{}, SlotBytes: map[mach.Reg]int{}},
			Target: "avx512", V3: opt.V3, SharedDispatch: opt.SharedDispatch, Pool: &asm.Pool{},
		},
		regs: make([]asm.Reg, f.NumValues()), uses: make([]int, f.NumValues()),
		written: make([]int32, f.NumValues()), countdown: counted, singly: !opt.GathersFast && elementsGathered(f) <= maxSingly,
	}
	if opt.FetchAhead {
		s.streams = findStreams(f)
	}
	s.countUses()
	s.m.Blocks = make([]*x86.Block, len(f.Blocks))
	for i := range f.Blocks {
		s.m.Blocks[i] = &x86.Block{Loop: loopKinds[f.Blocks[i].Over]}
	}
	order := f.Graph().PostOrder()
	s.countAddresses(order)
	s.findDecisions()
	s.findFields()
	s.knownParams(order)
	for _, id := range order {
		s.selectBlock(f.Blocks[id])
		if s.err != nil {
			return nil, fmt.Errorf("avx512: %s: %w", f.Name, s.err)
		}
	}
	// Copies to parameters can only name registers once all uses are known.
	for _, id := range order {
		s.edges(f.Blocks[id])
	}
	s.finishDecisions(order)
	s.finishSplits()
	return s.m, s.err
}

func (s *selector) countUses() {
	use := func(v *vir.Value) { s.uses[v.ID]++ }
	for _, b := range s.f.Blocks {
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
		for _, x := range s.streams[b] {
			use(x.base)
			if x.index != nil {
				use(x.index)
			}
		}
	}
}

func (s *selector) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// at sets the source position of the instructions emitted next.
func (s *selector) at(p diag.Pos) { s.line = int32(s.m.Places.Number(p)) }

func (s *selector) emit(in asm.Inst) {
	in.Line = s.line
	s.group = append(s.group, in)
}

// flush ends the group of one value.
func (s *selector) flush() {
	if len(s.group) > 0 {
		s.done = append(s.done, s.group)
		s.group = nil
	}
}

func (s *selector) selectBlock(b *vir.Block) {
	s.block, s.ended, s.done, s.group = b, nil, nil, nil
	mb := s.m.Blocks[b.ID]
	// Arguments of edges are needed in registers at the end of the block, except
	// constants, which edges materializes.
	for _, e := range b.Edges {
		for _, a := range e.Args {
			if a.Op != vir.Const {
				s.reg(a)
			}
		}
	}
	s.at(b.Pos)
	s.writes = s.countWrites(b)
	s.terminator(b, mb)
	s.flush()
	s.fetchStreams(b)
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		if s.regs[v.ID] == asm.NoReg && vir.InfoOf(v.Op).Effect != vir.Writes {
			continue // folded or unused; unused loads have no effect
		}
		if v == s.ended {
			continue
		}
		s.at(v.Pos)
		s.writes = s.written[v.ID]
		s.value(v)
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
func (s *selector) placeLoop(b *vir.Block, mb *x86.Block) {
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
func (s *selector) terminator(b *vir.Block, mb *x86.Block) {
	switch b.Kind {
	case vir.Return:
		mb.Term = x86.Terminator{Ret: true}
	case vir.Jump:
		mb.Term = x86.Terminator{Yes: b.Edges[0].To.ID}
	case vir.Branch:
		mb.Term = x86.Terminator{Cond: true, Yes: b.Edges[0].To.ID, No: b.Edges[1].To.ID}
		switch d, x := s.decisions[b.ID], s.countdown[b]; {
		case d != nil:
			s.tableJump(d)
		case x != nil:
			mb.Term.On = mach.Cond(s.countDown(x))
			s.ended = x.left
		case !s.decided[b.ID]:
			if d := s.findDifference(b); d != nil {
				mb.Term.On = mach.Cond(s.emitDifference(d))
				s.ended = d.value
			} else if !s.splitBranch(b) {
				mb.Term.On = mach.Cond(s.condition(b.Cond))
			}
		}
	}
}

// condition emits instructions that set the flags for a scalar i1 and returns the condition
// code that holds when it is true. Comparisons are emitted here instead of being read back
// from a register.
func (s *selector) condition(c *vir.Value) asm.Cond {
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
			s.testMask(arg(0))
			return asm.CondNE
		}
	}
	r := s.reg(c)
	s.emit(asm.Make(asm.TEST, r, r).Bits(asm.Size8)) // the size that joinBit operates on
	return asm.CondNE
}

// testMask sets ZF when the mask is empty.
func (s *selector) testMask(m *vir.Value) {
	k := s.reg(m)
	s.emit(asm.Make(maskTest.exactly(m.Type.Lanes), k, k))
}

// edges adds the parallel copies of b's edges. An edge of a branch that needs copies gets a
// block of its own.
func (s *selector) edges(b *vir.Block) {
	mb := s.m.Blocks[b.ID]
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
				t := s.newReg(a.Type)
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
			n := len(s.m.Blocks)
			s.m.Blocks = append(s.m.Blocks, at)
			if i == 0 {
				mb.Term.Yes = n
			} else {
				mb.Term.No = n
			}
		}
	}
}

// class is the register file of a type.
func class(t vir.Type) asm.Class {
	switch {
	case t.IsMask():
		return asm.ClassMask
	case t.Lanes > 1, t.Elem == alu.F32, t.Elem == alu.F64:
		return asm.ClassVec
	}
	return asm.ClassGPR
}

func (s *selector) newReg(t vir.Type) asm.Reg {
	c := class(t)
	r := s.m.NewReg(c)
	if c == asm.ClassVec {
		if n := max(t.Bits()/8, 16); n < 64 {
			s.m.SlotBytes[mach.Reg(r)] = n
		}
	}
	return r
}

// reg returns the register of v and marks v as needed. Constants are rematerialized at each
// use; a truncation or extension that is free shares the register of its operand.
func (s *selector) reg(v *vir.Value) asm.Reg {
	if v.Op == vir.Const {
		r := s.newReg(v.Type)
		s.constantInto(r, v)
		return r
	}
	if s.regs[v.ID] == asm.NoReg {
		if isLowPart(v) || s.isExtended(v) {
			s.regs[v.ID] = s.reg(v.Args[0])
		} else {
			s.regs[v.ID] = s.newReg(v.Type)
		}
	}
	return s.regs[v.ID]
}

// isLowPart reports whether v is the low bits of a scalar, with garbage above.
func isLowPart(v *vir.Value) bool {
	return v.Op == alu.Trunc && v.Type.IsScalar() && v.Type.Elem != alu.I1 && v.Args[0].Op != vir.Const
}

// isExtended reports whether v extends a scalar whose register already holds v.
func (s *selector) isExtended(v *vir.Value) bool {
	if v.Op != alu.ZExt && v.Op != alu.SExt || !v.Type.IsScalar() || v.Args[0].Op == vir.Const {
		return false
	}
	n, from := s.known(v.Args[0]), v.Args[0].Type.Elem
	if v.Op == alu.SExt {
		return from != alu.I1 && n < from.Bits()
	}
	return n <= from.Bits()
}

// length is the vector length that holds t.
func length(t vir.Type) asm.VL { return asm.VLBytes(max(t.Bits()/8, 16)) }

func bytesOf(bits uint64, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(bits >> (8 * (i % 8)))
	}
	return out
}

// constantInto materializes a constant. It does not change the flags.
func (s *selector) constantInto(r asm.Reg, v *vir.Value) {
	t := v.Type
	switch class(t) {
	case asm.ClassGPR:
		c := signedBits(t.Elem, v.Const)
		if t.Elem == alu.I32 {
			c = int64(uint32(c)) // shorter, and the upper half is clear
		}
		s.emit(asm.MoveImm(r, c))
	case asm.ClassMask:
		s.maskInto(r, t.Lanes, v.Const != 0)
	default:
		size := t.Elem.Size()
		switch {
		case v.Const == 0:
			s.emit(asm.Make(asm.ZEROV, r))
		case v.Const == t.Elem.Mask() && t.Elem.IsInt():
			s.emit(asm.Make(asm.ONESV, r).Len(asm.VLBytes(s.m.VectorBytes())))
		case t.Lanes == 1 && size == 4:
			s.emit(asm.Make(asm.VMOVSS, r, asm.InMem).WithMem(s.pooled(v.Const, 4)))
		case t.Lanes == 1:
			s.emit(asm.Make(asm.VMOVSD, r, asm.InMem).WithMem(s.pooled(v.Const, 8)))
		default:
			s.emit(asm.Make(broadcastMem[log2(size)], r, asm.InMem).Len(length(t)).WithMem(s.pooled(v.Const, size)))
		}
	}
}

// maskInto materializes a mask of n lanes, all set or all clear. Bits above the lanes are
// clear, as in every mask register.
func (s *selector) maskInto(r asm.Reg, n int, on bool) {
	switch {
	case !on:
		s.emit(asm.Make(asm.ZEROK, r))
	case n == 64:
		s.emit(asm.Make(asm.ONESK, r))
	default:
		t := s.m.NewReg(asm.ClassGPR)
		s.emit(asm.MoveImm(t, 1<<n-1))
		s.emit(asm.Make(maskMove.of(n), r, t))
	}
}

// signedBits sign-extends a scalar constant, so that most fit an immediate.
func signedBits(t alu.Type, bits uint64) int64 {
	if t == alu.I1 {
		return int64(bits)
	}
	return t.Signed(bits)
}

func log2(n int) int {
	i := 0
	for n > 1 {
		n >>= 1
		i++
	}
	return i
}

// pooled returns a memory operand that reads an n-byte constant.
func (s *selector) pooled(bits uint64, n int) asm.Mem {
	return asm.ConstMem(s.m.Pool.AddUint(bits, n))
}

// pooledLanes returns a memory operand that reads a whole vector.
func (s *selector) pooledLanes(size int, lanes []uint64) asm.Mem {
	var data []byte
	for _, x := range lanes {
		data = append(data, bytesOf(x, size)...)
	}
	for len(data) < 16 {
		data = append(data, 0)
	}
	return asm.ConstMem(s.m.Pool.Add(data))
}

// value emits one operation.
func (s *selector) value(v *vir.Value) {
	switch {
	case vir.InfoOf(v.Op).Memory:
		s.memory(v)
	case v.Op == vir.Fence:
		s.fence()
	case v.Op == vir.Context:
		s.emit(x86.Move(s.reg(v), asm.RDI))
	case !v.Op.Pure():
		s.lanes(v)
	case v.Type.IsMask():
		s.maskOp(v)
	case v.Type.Lanes > 1:
		s.vectorOp(v, s.reg(v), asm.NoReg, false)
	default:
		s.scalarOp(v)
	}
}

func (s *selector) move(dst, src asm.Reg) { s.emit(x86.Move(dst, src)) }
