package isel

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/targets/mach"
	"github.com/simtc/simtc/targets/x86"
	"github.com/simtc/simtc/targets/x86/asm"
	"github.com/simtc/simtc/vir"
)

// A branch on the conjunction or disjunction of conditions that include comparisons becomes
// a branch on each of them: a comparison and a branch are two instructions, while moving the
// result to a register takes two and combining it a third.

// maxConditions is the maximum number of branches that one branch becomes.
const maxConditions = 4

// split is a branch that becomes several.
type split struct {
	block  int
	or     bool
	conds  []asm.Cond
	blocks []*x86.Block // of the conditions after the first
}

// splitBranch emits the first condition of the branch at the end of b and creates blocks for
// the others. It reports false if the branch is not split.
func (s *Selector) splitBranch(b *vir.Block) bool {
	c := b.Cond
	if c.Op != alu.And && c.Op != alu.Or {
		return false
	}
	leaves := s.conditions(c, c.Op, nil)
	if len(leaves) < 2 || len(leaves) > maxConditions || !slices.ContainsFunc(leaves, s.inFlags) {
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
			x.blocks = append(x.blocks, &x86.Block{Insts: s.group})
			s.group = kept
		}
	}
	s.splits = append(s.splits, x)
	return true
}

// conditions appends the operands that v joins by op to list.
func (s *Selector) conditions(v *vir.Value, op vir.Op, list []*vir.Value) []*vir.Value {
	if v.Op == op && s.Own(v) {
		return s.conditions(v.Args[1], op, s.conditions(v.Args[0], op, list))
	}
	return append(list, v)
}

// inFlags reports whether v is a comparison whose result is needed only in the flags.
func (s *Selector) inFlags(v *vir.Value) bool {
	if v.Op == alu.Xor && v.Args[1].Op == vir.Const && s.Own(v) {
		v = v.Args[0]
	}
	if !s.Own(v) {
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

// finishSplits sets the targets of the branches, once edges with copies have blocks of their
// own.
func (s *Selector) finishSplits() {
	for _, x := range s.splits {
		at := s.M.Blocks[x.block]
		yes, no := at.Term.Yes, at.Term.No
		for i, on := range x.conds {
			end := x86.Terminator{Cond: true, On: mach.Cond(on), Yes: yes, No: no}
			if i == len(x.conds)-1 {
				at.Term = end
				break
			}
			next := len(s.M.Blocks)
			s.M.Blocks = append(s.M.Blocks, x.blocks[i])
			if x.or {
				end.No = next
			} else {
				end.Yes = next
			}
			at.Term = end
			at = x.blocks[i]
		}
	}
}
