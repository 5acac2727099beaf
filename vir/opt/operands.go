package opt

import "github.com/simtc/simtc/vir"

// Operations like each other that only serve one another, such as a or b or c, are
// one of several operands.

// operand is one of them, and how many operations it goes through.
type operand struct {
	x     *vir.Value
	depth int
}

// partOfSame reports whether v serves nothing but one operation like it in its block.
func partOfSame(v *vir.Value, uses [][]use) bool {
	us := uses[v.ID]
	return len(us) == 1 && us[0].by != nil && us[0].by.Block == v.Block && us[0].by.Op == v.Op && us[0].by.Type == v.Type
}

// operandsOf lists the operands of v and of the operations that are part of it, from
// the left, which are no longer looked into once there are most.
func operandsOf(v *vir.Value, uses [][]use, most int) []operand {
	var out []operand
	var list func(v *vir.Value, depth int)
	list = func(v *vir.Value, depth int) {
		for _, a := range v.Args {
			if a.Op == v.Op && a.Block == v.Block && partOfSame(a, uses) && len(out) < most {
				list(a, depth+1)
			} else {
				out = append(out, operand{a, depth})
			}
		}
	}
	list(v, 1)
	return out
}
