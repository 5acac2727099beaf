package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// divisionKey identifies a division of integers by a value that is no constant.
type divisionKey struct {
	quotient kernel.Op // UDiv or SDiv
	a, b     *kernel.Value
}

// Quotients computes a remainder from the quotient of the same operands, if one of them dominates the
// other: a % b = a - a/b * b. A multiplication and a subtraction take less time than a second
// division. The divisor 0 counts as 1.
//
// requires: nothing; maintains: SSA
func Quotients(f *kernel.Func, st Stats) {
	if !f.Uses(alu.UDiv, alu.SDiv) || !f.Uses(alu.URem, alu.SRem) {
		return
	}
	quotients := map[divisionKey][]*kernel.Value{}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == alu.UDiv || v.Op == alu.SDiv {
				key := divisionKey{v.Op, v.Args[0], v.Args[1]}
				quotients[key] = append(quotients[key], v)
			}
		}
	}
	dom := cfg.Dominators(f.Graph())
	n := 0
	for _, b := range f.Blocks {
		for i := 0; i < len(b.Values); i++ {
			v := b.Values[i]
			if v.Op != alu.URem && v.Op != alu.SRem || v.Args[1].Op == kernel.Const {
				continue
			}
			key := divisionKey{alu.UDiv, v.Args[0], v.Args[1]}
			if v.Op == alu.SRem {
				key.quotient = alu.SDiv
			}
			if !slices.ContainsFunc(quotients[key], func(q *kernel.Value) bool {
				return dom.Dominates(q.Block.ID, b.ID) || dom.Dominates(b.ID, q.Block.ID)
			}) {
				continue
			}
			t := v.Type
			q := b.NewValue(key.quotient, t, key.a, key.b) // CSE finds the other
			zero := b.NewValue(alu.Eq, alu.I1, key.b, f.Const(t, 0))
			divisor := b.NewValue(alu.Select, t, zero, f.Const(t, 1), key.b)
			product := b.NewValue(alu.Mul, t, q, divisor)
			for _, x := range []*kernel.Value{q, zero, divisor, product} {
				x.Pos = v.Pos
			}
			v.Was = kernel.Replaced(v, key.a)
			v.Op, v.Args = alu.Sub, []*kernel.Value{key.a, product}
			b.Values = slices.Insert(b.Values, i, q, zero, divisor, product)
			i += 4
			n++
		}
	}
	st.Add("remainders computed from quotients", n)
	if n > 0 {
		f.Renumber()
	}
}
