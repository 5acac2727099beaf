package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Lesser are the comparisons by which one of two numbers is chosen, with the
// operations that choose the lesser and the greater.
var Lesser = map[vir.Op]struct{ Min, Max vir.Op }{
	alu.Slt: {alu.SMin, alu.SMax}, alu.Sle: {alu.SMin, alu.SMax},
	alu.Ult: {alu.UMin, alu.UMax}, alu.Ule: {alu.UMin, alu.UMax},
	alu.FLt: {alu.PMin, alu.PMax},
}

// ChosenByOrder returns the minimum or maximum that the choice v is between two numbers of
// its type, whose comparison is in the table of lesser.
func ChosenByOrder(v *vir.Value) (op vir.Op, ok bool) {
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	x, y := c.Args[0], c.Args[1]
	same := func(p, q *vir.Value) bool {
		return p == q || p.Op == vir.Const && q.Op == vir.Const && p.Type == q.Type && p.Const == q.Const
	}
	switch {
	case same(x, a) && same(y, b): // x < y ? x : y
		return Lesser[c.Op].Min, true
	case same(x, b) && same(y, a): // x < y ? y : x
		return Lesser[c.Op].Max, true
	}
	return 0, false
}
