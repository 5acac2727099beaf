package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// lesser are the comparisons by which one of two numbers is chosen, with the
// operations that choose the lesser and the greater.
var lesser = map[vir.Op]struct{ min, max vir.Op }{
	alu.Slt: {alu.SMin, alu.SMax}, alu.Sle: {alu.SMin, alu.SMax},
	alu.Ult: {alu.UMin, alu.UMax}, alu.Ule: {alu.UMin, alu.UMax},
	alu.FLt: {alu.PMin, alu.PMax},
}

// chosenByOrder returns the minimum or maximum that the choice v is between two numbers of
// its type, whose comparison is in the table of lesser.
func chosenByOrder(v *vir.Value) (op vir.Op, ok bool) {
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	x, y := c.Args[0], c.Args[1]
	same := func(p, q *vir.Value) bool {
		return p == q || p.Op == vir.Const && q.Op == vir.Const && p.Type == q.Type && p.Const == q.Const
	}
	switch {
	case same(x, a) && same(y, b): // x < y ? x : y
		return lesser[c.Op].min, true
	case same(x, b) && same(y, a): // x < y ? y : x
		return lesser[c.Op].max, true
	}
	return 0, false
}
