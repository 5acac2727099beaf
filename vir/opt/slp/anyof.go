package slp

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// minTests and maxTests bound the tests that become one vector test.
const minTests, maxTests = 4, 16

// AnyOf combines tests of the bits of one value into a vector comparison, in scalar code:
//
//	(b & 7) == 7 || (b & 56) == 56 || …     any((splat b & {7, 56, …}) == {7, 56, …})
//
// The constants are hoisted out of loops.
//
// requires: dense IDs
// maintains: the graph
func AnyOf(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	a := anyOf{f: f, uses: analysis.UsesOf(f)}
	found := 0
	for _, b := range f.Blocks {
		edit.InsertBefore(b, func(v *vir.Value) []*vir.Value {
			x, tests, others := a.tests(v)
			if len(tests) < minTests {
				return nil
			}
			found++
			return a.join(v, x, tests, others)
		})
	}
	if found > 0 {
		stats.Add("bit tests merged", found)
		f.Renumber()
		edit.Dead(f, stats)
	}
}

type anyOf struct {
	f    *vir.Func
	uses [][]analysis.Use
}

// bitTest is the condition x & mask == value.
type bitTest struct{ mask, value *vir.Value }

// tests splits an or into bit tests of one value x and other conditions. It returns none if v is no
// such or, or part of a larger one.
func (a *anyOf) tests(v *vir.Value) (x *vir.Value, tests []bitTest, others []*vir.Value) {
	if v.Op != alu.Or || v.Type != vir.Scalar(alu.I1) || analysis.PartOfSame(v, a.uses) {
		return nil, nil, nil
	}
	for _, c := range analysis.OperandsOf(v, a.uses, 2*maxTests) {
		if y, t := bitTestOf(c.X); y != nil && (x == nil || x == y) && len(tests) < maxTests {
			x, tests = y, append(tests, t)
		} else {
			others = append(others, c.X)
		}
	}
	return x, tests, others
}

// bitTestOf matches c as a bit test of x; x is nil if it is none.
func bitTestOf(c *vir.Value) (x *vir.Value, t bitTest) {
	if c.Op != alu.Eq || c.Args[1].Op != vir.Const || c.Args[0].Op != alu.And || c.Args[0].Type != vir.Scalar(alu.I32) {
		return nil, t
	}
	and := c.Args[0]
	if and.Args[1].Op != vir.Const || and.Args[0].Op == vir.Const {
		return nil, t
	}
	return and.Args[0], bitTest{and.Args[1], c.Args[1]}
}

// join rewrites v to the or of the vector test and the other conditions. It returns the operations
// to insert before v.
func (a *anyOf) join(v, x *vir.Value, tests []bitTest, others []*vir.Value) []*vir.Value {
	var out []*vir.Value
	n := minTests
	for n < len(tests) {
		n *= 2
	}
	typ := vir.Vec(alu.I32, n)
	add := func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
		w := v.Block.NewValue(op, t, args...)
		w.Pos = v.Pos
		out = append(out, w)
		return w
	}
	vector := func(of func(bitTest) *vir.Value) *vir.Value {
		k := a.f.Const(typ, of(tests[0]).Const) // repeated in unused lanes
		for i, t := range tests {
			if of(t) != of(tests[0]) {
				k = add(vir.Insert, typ, k, of(t))
				k.Index = i
			}
		}
		return k
	}
	same := true
	for _, t := range tests {
		same = same && t.mask == t.value
	}
	masks := vector(func(t bitTest) *vir.Value { return t.mask })
	values := masks
	if !same {
		values = vector(func(t bitTest) *vir.Value { return t.value })
	}
	bits := add(alu.And, typ, add(vir.Splat, typ, x), masks)
	equal := add(alu.Eq, vir.Mask(n), bits, values)
	if len(others) == 0 {
		v.Op, v.Args = vir.Any, []*vir.Value{equal}
		return out
	}
	or := add(vir.Any, v.Type, equal)
	for _, c := range others[1:] {
		or = add(alu.Or, v.Type, or, c)
	}
	v.Args = []*vir.Value{or, others[0]}
	return out
}
