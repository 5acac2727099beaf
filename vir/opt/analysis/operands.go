package analysis

import "github.com/simtc/simtc/vir"

// Operations like each other that only serve one another, such as a or b or c, are
// one of several operands.

// operand is one of them, and how many operations it goes through.
type operand struct {
	X     *vir.Value
	Depth int
}

// PartOfSame reports whether v serves nothing but one operation like it in its block.
func PartOfSame(v *vir.Value, uses [][]Use) bool {
	us := uses[v.ID]
	return len(us) == 1 && us[0].By != nil && us[0].By.Block == v.Block && us[0].By.Op == v.Op && us[0].By.Type == v.Type
}

// OperandsOf lists the operands of v and of the operations that are part of it, from
// the left, which are no longer looked into once there are most.
func OperandsOf(v *vir.Value, uses [][]Use, most int) []operand {
	var out []operand
	var list func(v *vir.Value, depth int)
	list = func(v *vir.Value, depth int) {
		for _, a := range v.Args {
			if a.Op == v.Op && a.Block == v.Block && PartOfSame(a, uses) && len(out) < most {
				list(a, depth+1)
			} else {
				out = append(out, operand{a, depth})
			}
		}
	}
	list(v, 1)
	return out
}
