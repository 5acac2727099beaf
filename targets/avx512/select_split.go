package avx512

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/avx512/asm"
	"github.com/simtc/simtc/vir"
)

// A branch on the conjunction or disjunction of conditions, comparisons among
// them, is a branch on each: two instructions for one, where bringing it into a
// register takes two and joining it another.

// mostConditions bounds the branches that one becomes.
const mostConditions = 4

// split is a branch that becomes several.
type split struct {
	block  int
	or     bool
	conds  []asm.Cond
	blocks []*machineBlock // of all but the first condition
}

// splitBranch emits the first condition of the branch at the end of b and makes
// blocks for the others; it reports false if there is just one.
func (s *selector) splitBranch(b *vir.Block) bool {
	c := b.Cond
	if c.Op != alu.And && c.Op != alu.Or {
		return false
	}
	leaves := s.conditions(c, c.Op, nil)
	if len(leaves) < 2 || len(leaves) > mostConditions || !slices.ContainsFunc(leaves, s.inFlags) {
		return false
	}
	x := split{block: b.ID, or: c.Op == alu.Or}
	for i, l := range leaves {
		kept := s.group
		if i > 0 {
			s.group = nil
		}
		x.conds = append(x.conds, s.condition(l))
		if i > 0 {
			x.blocks = append(x.blocks, &machineBlock{insts: s.group})
			s.group = kept
		}
	}
	s.splits = append(s.splits, x)
	return true
}

// conditions lists what v joins by op.
func (s *selector) conditions(v *vir.Value, op vir.Op, list []*vir.Value) []*vir.Value {
	if v.Op == op && s.ownOperation(v) {
		return s.conditions(v.Args[1], op, s.conditions(v.Args[0], op, list))
	}
	return append(list, v)
}

// inFlags reports whether v is a comparison that need not come into a register.
func (s *selector) inFlags(v *vir.Value) bool {
	if v.Op == alu.Xor && v.Args[1].Op == vir.Const && s.ownOperation(v) {
		v = v.Args[0]
	}
	if !s.ownOperation(v) {
		return false
	}
	switch v.Op {
	case alu.Eq, alu.Ne, alu.Slt, alu.Sle, alu.Ult, alu.Ule:
		return v.Args[0].Type.Elem != alu.I1
	case alu.FLt, alu.FLe:
		return true
	}
	return false
}

// finishSplits says where the branches lead, once edges that copy have blocks
// of their own.
func (s *selector) finishSplits() {
	for _, x := range s.splits {
		at := s.m.blocks[x.block]
		yes, no := at.term.yes, at.term.no
		for i, on := range x.conds {
			end := terminator{cond: true, on: on, yes: yes, no: no}
			if i == len(x.conds)-1 {
				at.term = end
				break
			}
			next := len(s.m.blocks)
			s.m.blocks = append(s.m.blocks, x.blocks[i])
			if x.or {
				end.no = next
			} else {
				end.yes = next
			}
			at.term = end
			at = x.blocks[i]
		}
	}
}
