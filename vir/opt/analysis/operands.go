package analysis

import "github.com/simtc/simtc/vir"

// A tree of equal operations whose inner nodes have one use each, such as a | b | c, is
// treated as one operation with several operands.

// operand is a leaf of such a tree with its depth.
type operand struct {
	X     *vir.Value
	Depth int
}

// PartOfSame reports whether the only use of v is an equal operation in the same block.
func PartOfSame(v *vir.Value, uses [][]Use) bool {
	us := uses[v.ID]
	return len(us) == 1 && us[0].By != nil && us[0].By.Block == v.Block && us[0].By.Op == v.Op && us[0].By.Type == v.Type
}

// OperandsOf lists, from left to right, the leaves of the tree of equal operations rooted
// at v. It expands no further nodes once it has found max leaves.
func OperandsOf(v *vir.Value, uses [][]Use, max int) []operand {
	var out []operand
	var list func(v *vir.Value, depth int)
	list = func(v *vir.Value, depth int) {
		for _, a := range v.Args {
			if a.Op == v.Op && a.Block == v.Block && PartOfSame(a, uses) && len(out) < max {
				list(a, depth+1)
			} else {
				out = append(out, operand{a, depth})
			}
		}
	}
	list(v, 1)
	return out
}
