package isel

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// Memory operands: a load with a single use, in its block, becomes part of the user's
// instruction if no operation between them writes memory.

// countWrites records for the block's values the number of operations before them that
// write memory, and returns the number of all of them.
func (s *Selector) countWrites(b *vir.Block) int32 {
	n := int32(0)
	for _, v := range b.Values {
		s.written[v.ID] = n
		if vir.InfoOf(v.Op).Effect == vir.Writes {
			n++
		}
	}
	return n
}

// Folds reports whether the scalar v may be read from memory by the instruction being
// emitted.
func (s *Selector) Folds(v *vir.Value) bool { return v.Op == vir.Load && s.readsHere(v) }

// FoldsWhole reports whether the vector v may be read from memory by the instruction being
// emitted, if it reads exactly as many bytes.
func (s *Selector) FoldsWhole(v *vir.Value) bool {
	return v.Op == vir.VLoad && AllLanes(v.Args[1]) && s.readsHere(v)
}

// readsHere reports whether the load v has one user and may be moved to the instruction
// being emitted.
func (s *Selector) readsHere(v *vir.Value) bool {
	return s.uses[v.ID] == 1 && v.Block == s.block && s.regs[v.ID] == asm.NoReg &&
		!v.Volatile && (v.Invariant || s.written[v.ID] == s.writes)
}

// operand completes an instruction of size sz with the scalar integer v as its last source:
// an immediate, a memory operand if v has that size, or a register.
func (s *Selector) operand(op asm.Op, v *vir.Value, sz asm.Size, args ...asm.Reg) asm.Inst {
	if c, ok := immediate(v); ok {
		return asm.Make(op, append(args, asm.InImm)...).WithImm(c).Bits(sz)
	}
	if asm.Size(v.Type.Elem.Bits()) == sz && s.Folds(v) {
		return asm.Make(op, append(args, asm.InMem)...).WithMem(s.Address(v.Args[0], v.Disp)).Bits(sz)
	}
	return asm.Make(op, append(args, s.Reg(v))...).Bits(sz)
}

// Place completes an instruction with the scalar v, which is not a constant, as its last
// source: a memory operand or a register. The instruction reads no more bytes than v has.
func (s *Selector) Place(op asm.Op, v *vir.Value, args ...asm.Reg) asm.Inst {
	if s.Folds(v) {
		return asm.Make(op, append(args, asm.InMem)...).WithMem(s.Address(v.Args[0], v.Disp))
	}
	return asm.Make(op, append(args, s.Reg(v))...)
}

// Own reports whether v is computed only for the value being emitted,
// so that both may become one instruction.
func (s *Selector) Own(v *vir.Value) bool {
	return v.Op != vir.Const && v.Op != vir.Param && v.Block == s.block && s.uses[v.ID] == 1 && s.regs[v.ID] == asm.NoReg
}

// countAddresses counts the uses of values as addresses of accesses that have an index and a
// displacement. A value without other uses is folded into all of them.
func (s *Selector) countAddresses(order []int) {
	s.addresses = make([]int, s.F.NumValues())
	for _, id := range order { // users first
		b := s.F.Blocks[id]
		for i := len(b.Values) - 1; i >= 0; i-- {
			v := b.Values[i]
			switch v.Op {
			case vir.Load, vir.Store, vir.VLoad, vir.VStore, vir.Atomic, vir.CmpXchg:
				s.addresses[v.Args[0].ID]++
			case alu.Add:
				if v.Args[1].Op == vir.Const && s.onlyAddress(v) {
					s.addresses[v.Args[0].ID]++
				}
			}
		}
	}
}

// onlyAddress reports whether v is used only in addresses.
func (s *Selector) onlyAddress(v *vir.Value) bool { return s.addresses[v.ID] == s.uses[v.ID] }

// updated matches a store of an operation on the value at the same address, which is one
// read-modify-write instruction: op [address], x. The operation's other operand is x.
func (s *Selector) updated(store *vir.Value) (op asm.Op, x *vir.Value, ok bool) {
	v := store.Args[1]
	if store.Volatile || !s.Own(v) || len(v.Args) != 2 {
		return 0, nil, false
	}
	if op, ok = intOps[v.Op]; !ok || v.Op == alu.Mul || v.Type.Elem == alu.I1 {
		return 0, nil, false
	}
	same := func(load *vir.Value) bool {
		return s.Folds(load) && load.Args[0] == store.Args[0] && load.Disp == store.Disp
	}
	a, b := v.Args[0], v.Args[1]
	switch {
	case same(a):
		x = b
	case alu.InfoOf(v.Op).Commutative && same(b):
		x = a
	default:
		return 0, nil, false
	}
	return op, x, true
}

// LastUse reports whether the operation being emitted is likely the last use of v.
func (s *Selector) LastUse(v *vir.Value) bool {
	return v.Op != vir.Const && v.Op != vir.Param && v.Block == s.block && s.uses[v.ID] == 1
}
