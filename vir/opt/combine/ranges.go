package combine

import (
	"cmp"
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Ranges merges comparisons of one scalar with constants that are joined by and or or if
// their intervals combine to one interval:
//
//	'A' <= c and c <= 'Z'    c - 'A' <=u 25
//
// It also merges two branches on such comparisons, if one follows the other and both have
// one target in common. Tests of the high bits or signs of two values become one:
//
//	x <u 16 and y <u 16      (x | y) <u 16
//
// and so do two intervals that differ in one bit, such as lower-case and upper-case letters.
//
// Intervals are cyclic: they may wrap from the greatest value to the least. Masks are not
// merged, since a comparison under a mask is one operation as well.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Ranges(f *vir.Func, stats edit.Stats) {
	var uses [][]analysis.Use
	n := 0
	for _, b := range f.Blocks {
		edit.InsertBefore(b, func(v *vir.Value) []*vir.Value {
			if !joinsConditions(v) {
				return nil
			}
			if uses == nil {
				uses = analysis.UsesOf(f)
			}
			j := testMerger{f: f, b: b, op: v.Op, uses: uses}
			if analysis.PartOfSame(v, uses) || !j.merge(v) && !j.mergesUnequal() {
				return nil
			}
			before := j.finish(v)
			n += j.merged
			return before
		})
	}
	if n > 0 {
		stats.Add("range tests merged", n)
		f.Renumber()
		edit.Dead(f, nil)
	}
	if n := branchOnRanges(f); n > 0 {
		stats.Add("range branches merged", n)
		vir.RemoveUnreachable(f)
		f.Renumber()
		edit.Dead(f, nil)
	}
}

// branchOnRanges merges branches that test parts of an interval in sequence.
func branchOnRanges(f *vir.Func) int {
	in, n := analysis.InEdges(f), 0
	var uses [][]analysis.Use
	for _, b := range f.Blocks {
		if b.Kind != vir.Branch || b.Edges[0].To == b.Edges[1].To {
			continue
		}
		x, r := analysis.IntervalOf(b.Cond)
		if x == nil {
			continue
		}
		for i, onEdge := 0, [2]analysis.Interval{r, r.Not()}; i < 2; i++ {
			next, out := b.Edges[i].To, b.Edges[1-i]
			if next == b || next.Kind != vir.Branch || len(next.Params) > 0 || len(in[next.ID]) != 1 {
				continue
			}
			y, s := analysis.IntervalOf(next.Cond)
			if y != x {
				continue
			}
			if uses == nil {
				uses = analysis.UsesOf(f)
			}
			k := slices.IndexFunc(next.Edges, func(e vir.Edge) bool { return e.To == out.To && slices.Equal(e.Args, out.Args) })
			if k < 0 || next.Edges[1-k].To == out.To || !feedsOnlyBranch(next, uses) {
				continue
			}
			if k == 0 {
				s = s.Not()
			}
			both, ok := onEdge[i].And(s)
			if !ok {
				continue
			}
			pos := b.Cond.Pos
			cond := both.Compare(f, x, func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
				v := b.Append(op, t, args...)
				v.Pos = pos
				return v
			})
			b.Branch(cond, next.Edges[1-k], out)
			n++
			break
		}
	}
	return n
}

// feedsOnlyBranch reports whether the values of b have no use but its branch. Values that are newer
// than uses were made for the branch; other uses can only have been removed since.
func feedsOnlyBranch(b *vir.Block, uses [][]analysis.Use) bool {
	for _, v := range b.Values {
		if v.ID >= len(uses) {
			continue
		}
		if !v.Op.Pure() || slices.ContainsFunc(uses[v.ID], func(u analysis.Use) bool { return u.Place() != b.ID || u.Edge >= 0 }) {
			return false
		}
	}
	return true
}

func joinsConditions(v *vir.Value) bool {
	return (v.Op == alu.And || v.Op == alu.Or) && v.Type == vir.Scalar(alu.I1)
}

// testMerger merges the operands of one and or or, flattened.
type testMerger struct {
	f      *vir.Func
	b      *vir.Block
	op     vir.Op
	uses   [][]analysis.Use
	tests  []rangeTest
	merged int
}

// rangeTest is an operand: x is in r, or any other condition if x is nil. sum is x plus a
// constant if the original comparison was of that.
type rangeTest struct {
	test *vir.Value
	x    *vir.Value
	r    analysis.Interval
	sum  *vir.Value
}

// withoutAdd returns the test as one of sum instead of x if that saves the addition.
func (t rangeTest) withoutAdd() rangeTest {
	if t.x == nil || t.sum == nil || !t.r.NeedsAdd() {
		return t
	}
	r := t.r
	r.First = (r.First + t.sum.Args[1].Const) & r.Mask
	if r.NeedsAdd() {
		return t
	}
	return rangeTest{test: t.test, x: t.sum, r: r}
}

// mergesUnequal reports whether tests of different values, or with a bit cleared, can be merged.
func (j *testMerger) mergesUnequal() bool {
	for i, a := range j.tests {
		for _, b := range j.tests[:i] {
			_, ok := j.mergeOp(a, b)
			if _, _, less := j.mergeByBit(a, b); ok || less {
				return true
			}
		}
	}
	return false
}

// mergeOp returns the operation that combines the values of two tests into one tested value.
func (j *testMerger) mergeOp(a, b rangeTest) (op vir.Op, ok bool) {
	a, b = a.withoutAdd(), b.withoutAdd()
	if a.x == nil || b.x == nil || a.x.Type != b.x.Type || a.r != b.r {
		return op, false
	}
	return a.r.BitsOp(j.op == alu.And)
}

// mergeByBit returns the interval and the bit to clear if two tests of x become one that way.
func (j *testMerger) mergeByBit(a, b rangeTest) (r analysis.Interval, bit uint64, ok bool) {
	if a.x == nil || a.x != b.x {
		return r, 0, false
	}
	if j.op == alu.Or {
		return a.r.MergeByBit(b.r)
	}
	r, bit, ok = a.r.Not().MergeByBit(b.r.Not())
	return r.Not(), bit, ok
}

// maxJoined bounds the tests that are compared pairwise.
const maxJoined = 16

// merge collects the operands of v and merges tests of one value; it reports whether it did.
func (j *testMerger) merge(v *vir.Value) bool {
	for _, x := range analysis.OperandsOf(v, j.uses, math.MaxInt) {
		j.collect(x.X)
	}
	for i := 0; i < len(j.tests); i++ {
		for k := i + 1; k < len(j.tests) && k < maxJoined; k++ {
			a, b := j.tests[i], j.tests[k]
			if a.x == nil || a.x != b.x {
				continue
			}
			r, ok := a.r.And(b.r)
			if j.op == alu.Or {
				r, ok = a.r.Or(b.r)
			}
			if !ok {
				continue
			}
			j.tests[i] = rangeTest{x: a.x, r: r, sum: cmp.Or(a.sum, b.sum)}
			j.tests = slices.Delete(j.tests, k, k+1)
			j.merged++
			k = i // retry with the other tests
		}
	}
	return j.merged > 0
}

func (j *testMerger) collect(v *vir.Value) {
	t := rangeTest{test: v}
	if v.Op != vir.Const && len(j.uses[v.ID]) == 1 {
		t.x, t.r = analysis.IntervalOf(v)
		for _, a := range v.Args {
			if t.x != nil && a != t.x && a.Op == alu.Add {
				t.sum = a
			}
		}
	}
	j.tests = append(j.tests, t)
}

// finish builds the remaining tests, merging those of different values, and rewrites v to join
// them. It returns the operations to insert before v.
func (j *testMerger) finish(v *vir.Value) []*vir.Value {
	var out []*vir.Value
	op := func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
		n := j.b.NewValue(op, t, args...)
		n.Pos = v.Pos
		out = append(out, n)
		return n
	}
	for i := 0; i < len(j.tests); i++ {
		for k := i + 1; k < len(j.tests); k++ {
			one := rangeTest{}
			if both, ok := j.mergeOp(j.tests[i], j.tests[k]); ok {
				a, b := j.tests[i].withoutAdd(), j.tests[k].withoutAdd()
				one = rangeTest{x: op(both, a.x.Type, a.x, b.x), r: a.r}
			} else if r, bit, ok := j.mergeByBit(j.tests[i], j.tests[k]); ok {
				x := j.tests[i].x
				one = rangeTest{x: op(alu.And, x.Type, x, j.f.Const(x.Type, r.Mask&^bit)), r: r}
			} else {
				continue
			}
			j.tests[i] = one
			j.tests = slices.Delete(j.tests, k, k+1)
			j.merged++
			k--
		}
	}
	var all *vir.Value
	for _, t := range j.tests {
		t = t.withoutAdd()
		x := t.test
		if x == nil {
			x = t.r.Compare(j.f, t.x, op)
		}
		if all == nil {
			all = x
		} else {
			all = op(j.op, v.Type, all, x)
		}
	}
	if len(out) > 0 && out[len(out)-1] == all { // v takes the place of the last operation
		v.Op, v.Args = all.Op, all.Args
		return out[:len(out)-1]
	}
	v.Args = []*vir.Value{all, all} // a constant or an existing test
	return out
}
