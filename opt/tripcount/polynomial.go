package tripcount

import (
	"cmp"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// polynomial is a sum of products of values and a number, modulo 2^bits of their type:
// what differences of bounds are compared by, as (i+1)*n - i*n is n. A nil one is unknown.
type polynomial []term

// term is factor times the values in of, which go by their IDs.
type term struct {
	of     []*kernel.Value
	factor uint64
}

// What a polynomial has at most: terms, values in a term, and operations in which it is
// looked for.
const (
	mostTerms = 4
	mostOf    = 2
	mostDepth = 6
)

func constant(c uint64) polynomial { return polynomial{{nil, c}} }

// polynomialOf takes v apart.
func polynomialOf(v *kernel.Value) polynomial { return expand(v, mostDepth) }

func expand(v *kernel.Value, depth int) polynomial {
	atom := polynomial{{[]*kernel.Value{v}, 1}}
	if v.Op == kernel.Const {
		return constant(v.Const)
	}
	if depth == 0 {
		return atom
	}
	operand := func(i int) polynomial { return expand(v.Args[i], depth-1) }
	t := v.Type
	switch v.Op {
	case alu.Add:
		return operand(0).plus(operand(1), t)
	case alu.Sub:
		return operand(0).minus(operand(1), t)
	case alu.Shl:
		if c := v.Args[1]; c.Op == kernel.Const && c.Const < uint64(t.Bits()) {
			return operand(0).times(constant(1<<c.Const), t)
		}
	case alu.Mul:
		if p := operand(0).times(operand(1), t); p != nil {
			return p
		}
	}
	return atom
}

// normal brings p into the form in which no two terms are of the same values, and none is
// zero.
func normal(p polynomial, t alu.Type) polynomial {
	slices.SortStableFunc(p, func(a, b term) int { return compareValues(a.of, b.of) })
	out := polynomial{}
	for _, x := range p {
		if n := len(out); n > 0 && compareValues(out[n-1].of, x.of) == 0 {
			out[n-1].factor += x.factor
		} else {
			out = append(out, x)
		}
	}
	out = slices.DeleteFunc(out, func(x term) bool { return x.factor&t.Mask() == 0 })
	for i := range out {
		out[i].factor &= t.Mask()
	}
	return out
}

func compareValues(a, b []*kernel.Value) int {
	return slices.CompareFunc(a, b, func(x, y *kernel.Value) int { return cmp.Compare(x.ID, y.ID) })
}

func (p polynomial) plus(q polynomial, t alu.Type) polynomial {
	return normal(slices.Concat(p, q), t)
}

func (p polynomial) minus(q polynomial, t alu.Type) polynomial {
	return p.plus(q.times(constant(t.Mask()), t), t)
}

// times is the product, nil if a term is of too many values.
func (p polynomial) times(q polynomial, t alu.Type) polynomial {
	out := polynomial{}
	for _, x := range p {
		for _, y := range q {
			of := slices.Concat(x.of, y.of)
			if len(of) > mostOf {
				return nil
			}
			slices.SortFunc(of, func(a, b *kernel.Value) int { return cmp.Compare(a.ID, b.ID) })
			out = append(out, term{of, x.factor * y.factor})
		}
	}
	return normal(out, t)
}

// atoms lists the values of p.
func (p polynomial) atoms() []*kernel.Value {
	var out []*kernel.Value
	for _, x := range p {
		out = append(out, x.of...)
	}
	return out
}
