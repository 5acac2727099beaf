package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/targets/x86/isel"
	"github.com/simtc/simtc/vir"
)

// logicTree is an expression of and, or and xor over at most three values: one
// vpternlog, which computes any function of three bits from its truth table
// (SDM, VPTERNLOGD).
type logicTree struct {
	leaves []*vir.Value
	nodes  int
}

// tables holds the truth tables of the three operands.
var tables = [3]uint8{0xF0, 0xCC, 0xAA}

// logicTree grows the tree below v to at most three leaves. An inner node must have no other
// user, or it would be computed twice.
func (s *selector) logicTree(v *vir.Value) logicTree {
	t := logicTree{leaves: v.Args, nodes: 1}
	if v.Args[0] == v.Args[1] {
		t.leaves = v.Args[:1]
	}
	t.leaves = slices.Clone(t.leaves)
	for grown := true; grown; {
		grown = false
		for i, x := range t.leaves {
			if !isLogic(x) || !s.Own(x) {
				continue
			}
			next := slices.Delete(slices.Clone(t.leaves), i, i+1)
			for _, a := range x.Args {
				if !slices.Contains(next, a) {
					next = append(next, a)
				}
			}
			if countLeaves(next) <= 3 {
				t.leaves = next
				t.nodes++
				grown = true
				break
			}
		}
	}
	return t
}

// countLeaves counts the leaves except all ones and zero, which the table absorbs.
func countLeaves(leaves []*vir.Value) int {
	n := 0
	for _, x := range leaves {
		if !absorbed(x) {
			n++
		}
	}
	return n
}

func absorbed(x *vir.Value) bool {
	return x.Op == vir.Const && (x.Const == 0 || x.Const == x.Type.Elem.Mask())
}

func isLogic(v *vir.Value) bool {
	return (v.Op == alu.And || v.Op == alu.Or || v.Op == alu.Xor) && v.Type.IsVec()
}

// ternary emits v and the logic operations that only v uses as one instruction. It reports
// false if that saves no instruction.
func (s *selector) ternary(v *vir.Value, d asm.Reg) bool {
	if !isLogic(v) {
		return false
	}
	t := s.logicTree(v)
	if t.nodes < 2 {
		return false
	}
	leaves := slices.DeleteFunc(slices.Clone(t.leaves), absorbed)
	if len(leaves) == 0 {
		return false
	}
	// The last operand may be a constant in memory.
	slices.SortStableFunc(leaves, func(a, b *vir.Value) int {
		switch last := a.Op == vir.Const; {
		case last == (b.Op == vir.Const):
			return 0
		case last:
			return 1
		}
		return -1
	})
	op := asm.VPTERNLOGD
	if v.Type.Elem.Size() == 8 {
		op = asm.VPTERNLOGQ
	}
	for len(leaves) < 3 {
		leaves = append([]*vir.Value{leaves[0]}, leaves...)
	}
	first := s.Reg(leaves[0])
	in := s.source(op, leaves[2], d, s.Reg(leaves[1]))
	in.Args[3] = asm.InImm
	s.Move(d, first)
	s.Emit(in.WithImm(int64(truthTable(v, leaves))).Len(isel.Length(v.Type)))
	return true
}

// truthTable computes the truth table of v over the operands. A leaf that occurs as several
// operands is read from the last one.
func truthTable(v *vir.Value, leaves []*vir.Value) uint8 {
	for i := len(leaves) - 1; i >= 0; i-- {
		if leaves[i] == v {
			return tables[i]
		}
	}
	if v.Op == vir.Const {
		if v.Const == 0 {
			return 0
		}
		return 0xFF
	}
	x, y := truthTable(v.Args[0], leaves), truthTable(v.Args[1], leaves)
	switch v.Op {
	case alu.And:
		return x & y
	case alu.Or:
		return x | y
	}
	return x ^ y
}
