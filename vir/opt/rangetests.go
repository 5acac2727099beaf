package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// RangeTests makes two branches that ask whether a number is neither negative nor as large
// as a constant, one after the other, one branch on the unsigned number, where
// both go to the same place if it is not.
//
// requires: no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func RangeTests(f *vir.Func, stats Stats) {
	in, uses := inEdges(f), usesOf(f)
	n := 0
	for _, b := range f.Blocks {
		if mergeRange(f, b, in, uses) {
			n++
		}
	}
	if n > 0 {
		stats.add("range tests merged", n)
		vir.RemoveUnreachable(f)
		f.Renumber()
	}
}

// bound is one side of a range as a branch tests it: x is at least 0, or below limit.
type bound struct {
	x      *vir.Value
	limit  uint64 // 0: the lower side
	within int    // the edge for what is within
}

// boundOf takes the test at the end of b apart.
func boundOf(b *vir.Block) (bound, bool) {
	if b.Kind != vir.Branch || b.Cond.Op != alu.Slt && b.Cond.Op != alu.Sle || !b.Cond.Type.IsScalar() {
		return bound{}, false
	}
	x, y := b.Cond.Args[0], b.Cond.Args[1]
	equal := int64(0) // what must be added to a limit that belongs to the range
	if b.Cond.Op == alu.Sle {
		equal = 1
	}
	if y.Op == vir.Const && x.Op != vir.Const { // x < limit, or x <= limit - 1
		switch limit := y.Type.Elem.Signed(y.Const) + equal; {
		case limit == 0:
			return bound{x, 0, 1}, true
		case limit > 0:
			return bound{x, uint64(limit), 0}, true
		}
	}
	if x.Op == vir.Const && y.Op != vir.Const { // limit <= y, or limit - 1 < y
		switch limit := x.Type.Elem.Signed(x.Const) + 1 - equal; {
		case limit == 0:
			return bound{y, 0, 0}, true
		case limit > 0:
			return bound{y, uint64(limit), 1}, true
		}
	}
	return bound{}, false
}

// mergeRange makes the branch of b and that of the next block one, if they test a range
// and the next block does nothing else.
func mergeRange(f *vir.Func, b *vir.Block, in [][]inEdge, uses [][]use) bool {
	first, ok := boundOf(b)
	if !ok {
		return false
	}
	next, out := b.Edges[first.within].To, b.Edges[1-first.within]
	second, ok := boundOf(next)
	if !ok || second.x != first.x || (first.limit == 0) == (second.limit == 0) || next == b || len(in[next.ID]) != 1 || len(next.Params) > 0 {
		return false
	}
	if len(next.Values) > 0 && (len(next.Values) > 1 || next.Values[0] != next.Cond || len(uses[next.Cond.ID]) != 1) {
		return false
	}
	inside, other := next.Edges[second.within], next.Edges[1-second.within]
	if other.To != out.To || inside.To == out.To || !slices.Equal(other.Args, out.Args) {
		return false
	}
	cond := b.Append(alu.Ult, b.Cond.Type, first.x, f.Const(first.x.Type, max(first.limit, second.limit)))
	cond.Pos = b.Cond.Pos
	b.Cond, b.Edges = nil, nil
	b.Branch(cond, inside, out)
	return true
}
