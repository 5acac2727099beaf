// Package polynomial writes integer expressions as sums of products, so that different
// expressions of one number compare equal: (i+1)*n - i*n is n.
package polynomial

import (
	"cmp"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Sum is a sum modulo 2^bits of its type. No two terms have the same values, and none is
// zero. A nil Sum is unknown.
type Sum []Term

// Term is Factor times the values in Of, which are sorted by ID. Of is empty in the constant
// term.
type Term struct {
	Of     []*kernel.Value
	Factor uint64
}

// Limits of a sum: values per term, and depth of expressions.
const (
	maxOf    = 2
	maxDepth = 6
)

// Constant returns the sum that is c.
func Constant(c uint64) Sum { return Sum{{nil, c}} }

// Of expands the expression of v.
func Of(v *kernel.Value) Sum { return expand(v, maxDepth) }

func expand(v *kernel.Value, depth int) Sum {
	atom := Sum{{[]*kernel.Value{v}, 1}}
	if v.Op == kernel.Const {
		return Constant(v.Const)
	}
	if depth == 0 {
		return atom
	}
	operand := func(i int) Sum { return expand(v.Args[i], depth-1) }
	t := v.Type
	switch v.Op {
	case alu.Add:
		return operand(0).Plus(operand(1), t)
	case alu.Sub:
		return operand(0).Minus(operand(1), t)
	case alu.Shl:
		if c := v.Args[1]; c.Op == kernel.Const && c.Const < uint64(t.Bits()) {
			return operand(0).Times(Constant(1<<c.Const), t)
		}
	case alu.Mul:
		if p := operand(0).Times(operand(1), t); p != nil {
			return p
		}
	}
	return atom
}

// normal sorts the terms of p, merges those of the same values and removes zero terms.
func normal(p Sum, t alu.Type) Sum {
	slices.SortStableFunc(p, func(a, b Term) int { return compareValues(a.Of, b.Of) })
	out := Sum{}
	for _, x := range p {
		if n := len(out); n > 0 && compareValues(out[n-1].Of, x.Of) == 0 {
			out[n-1].Factor += x.Factor
		} else {
			out = append(out, x)
		}
	}
	out = slices.DeleteFunc(out, func(x Term) bool { return x.Factor&t.Mask() == 0 })
	for i := range out {
		out[i].Factor &= t.Mask()
	}
	return out
}

func compareValues(a, b []*kernel.Value) int {
	return slices.CompareFunc(a, b, func(x, y *kernel.Value) int { return cmp.Compare(x.ID, y.ID) })
}

// Plus returns p + q.
func (p Sum) Plus(q Sum, t alu.Type) Sum {
	return normal(slices.Concat(p, q), t)
}

// Minus returns p - q.
func (p Sum) Minus(q Sum, t alu.Type) Sum {
	return p.Plus(q.Times(Constant(t.Mask()), t), t)
}

// Times returns the product, or nil if a term has too many values.
func (p Sum) Times(q Sum, t alu.Type) Sum {
	out := Sum{}
	for _, x := range p {
		for _, y := range q {
			of := slices.Concat(x.Of, y.Of)
			if len(of) > maxOf {
				return nil
			}
			slices.SortFunc(of, func(a, b *kernel.Value) int { return cmp.Compare(a.ID, b.ID) })
			out = append(out, Term{of, x.Factor * y.Factor})
		}
	}
	return normal(out, t)
}

// Values lists the values of all terms.
func (p Sum) Values() []*kernel.Value {
	var out []*kernel.Value
	for _, x := range p {
		out = append(out, x.Of...)
	}
	return out
}

// Make computes p, which has type t, with the constant term last: op appends an operation,
// and value returns the operand for a value of p.
func (p Sum) Make(t alu.Type, f *kernel.Func, op func(op kernel.Op, x, y *kernel.Value) *kernel.Value, value func(*kernel.Value) *kernel.Value) *kernel.Value {
	var sum *kernel.Value
	add := func(x *kernel.Value) {
		if sum == nil {
			sum = x
		} else {
			sum = op(alu.Add, sum, x)
		}
	}
	number := uint64(0)
	var less []*kernel.Value
	for _, x := range p {
		if len(x.Of) == 0 {
			number = x.Factor
			continue
		}
		product := value(x.Of[0])
		for _, y := range x.Of[1:] {
			product = op(alu.Mul, product, value(y))
		}
		if x.Factor == t.Mask() {
			less = append(less, product)
			continue
		}
		if x.Factor != 1 {
			product = op(alu.Mul, product, f.Const(t, x.Factor))
		}
		add(product)
	}
	if number != 0 || sum == nil {
		add(f.Const(t, number))
	}
	for _, x := range less {
		sum = op(alu.Sub, sum, x)
	}
	return sum
}
