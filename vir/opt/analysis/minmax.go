package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// MinMax maps a comparison to the operations that select the lesser and the greater of its
// operands.
var MinMax = map[vir.Op]struct{ Min, Max vir.Op }{
	alu.Slt: {alu.SMin, alu.SMax}, alu.Sle: {alu.SMin, alu.SMax},
	alu.Ult: {alu.UMin, alu.UMax}, alu.Ule: {alu.UMin, alu.UMax},
	alu.FLt: {alu.PMin, alu.PMax},
}

// MinMaxOf returns the operation that the select v is equal to if it selects between the
// operands of its comparison, which must be a key of MinMax.
func MinMaxOf(v *vir.Value) (op vir.Op, ok bool) {
	c, a, b := v.Args[0], v.Args[1], v.Args[2]
	x, y := c.Args[0], c.Args[1]
	same := func(p, q *vir.Value) bool {
		return p == q || p.Op == vir.Const && q.Op == vir.Const && p.Type == q.Type && p.Const == q.Const
	}
	switch {
	case same(x, a) && same(y, b): // x < y ? x : y
		return MinMax[c.Op].Min, true
	case same(x, b) && same(y, a): // x < y ? y : x
		return MinMax[c.Op].Max, true
	}
	return 0, false
}
