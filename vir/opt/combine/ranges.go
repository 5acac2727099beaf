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

// Ranges makes comparisons of one scalar with constants that are joined by and
// or or a single comparison where the numbers for which they hold are a range:
//
//	'A' <= c and c <= 'Z'    c - 'A' <=u 25
//
// So it does with those that are asked one after the other, and go to one place
// unless both hold. Of two numbers it asks together whether bits of either are set:
//
//	x <u 16 and y <u 16      (x | y) <u 16
//
// and of two ranges that are the same but for a bit, as of small letters and of capitals,
// without that bit.
//
// Numbers count round here: the range may go from the greatest to the least.
// Masks are left alone, for a comparison under a mask is one operation, too.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Ranges(f *vir.Func, stats edit.Stats) {
	var uses [][]analysis.Use
	n := 0
	for _, b := range f.Blocks {
		edit.InsertBefore(b, func(v *vir.Value) []*vir.Value {
			if !joinsTests(v) {
				return nil
			}
			if uses == nil {
				uses = analysis.UsesOf(f)
			}
			j := joining{f: f, b: b, op: v.Op, uses: uses}
			if analysis.PartOfSame(v, uses) || !j.merge(v) && !j.alike() {
				return nil
			}
			before := j.finish(v)
			n += j.merged
			return before
		})
	}
	if n > 0 {
		stats.Add("ranges", n)
		f.Renumber()
		edit.Dead(f, nil)
	}
	if n := branchOnRanges(f); n > 0 {
		stats.Add("ranges of branches", n)
		vir.RemoveUnreachable(f)
		f.Renumber()
		edit.Dead(f, nil)
	}
}

// branchOnRanges makes branches one that ask for parts of a range one after the other.
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
		for i, ways := 0, [2]analysis.Interval{r, r.Not()}; i < 2; i++ {
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
			if k < 0 || next.Edges[1-k].To == out.To || !onlyAsks(next, uses) {
				continue
			}
			if k == 0 {
				s = s.Not()
			}
			both, ok := ways[i].And(s)
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

// onlyAsks reports whether nothing of b is used but for its branch. Values that are newer
// than uses were made for the branch; other uses have only become fewer, or were outside of b before.
func onlyAsks(b *vir.Block, uses [][]analysis.Use) bool {
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

func joinsTests(v *vir.Value) bool {
	return (v.Op == alu.And || v.Op == alu.Or) && v.Type == vir.Scalar(alu.I1)
}

// joining is what one and or or joins, others of the same kind included.
type joining struct {
	f      *vir.Func
	b      *vir.Block
	op     vir.Op
	uses   [][]analysis.Use
	tests  []joinedRange
	merged int
}

// joinedRange is a test of x, or one that is none of a range, x being nil. What it
// compared, if that was the sum of x and a constant, is sum.
type joinedRange struct {
	test *vir.Value
	x    *vir.Value
	r    analysis.Interval
	sum  *vir.Value
}

// plainly tells the sum apart from x where that is compared without another addition.
func (t joinedRange) plainly() joinedRange {
	if t.x == nil || t.sum == nil || !t.r.NeedsAdd() {
		return t
	}
	r := t.r
	r.First = (r.First + t.sum.Args[1].Const) & r.Mask
	if r.NeedsAdd() {
		return t
	}
	return joinedRange{test: t.test, x: t.sum, r: r}
}

// alike reports whether two tests of different numbers may become one.
func (j *joining) alike() bool {
	for i, a := range j.tests {
		for _, b := range j.tests[:i] {
			_, ok := j.together(a, b)
			if _, _, less := j.butForBit(a, b); ok || less {
				return true
			}
		}
	}
	return false
}

// together returns how two tests become one.
func (j *joining) together(a, b joinedRange) (op vir.Op, ok bool) {
	a, b = a.plainly(), b.plainly()
	if a.x == nil || b.x == nil || a.x.Type != b.x.Type || a.r != b.r {
		return op, false
	}
	return a.r.BitsOp(j.op == alu.And)
}

// butForBit returns the one test of a number without a bit that two tests of it become.
func (j *joining) butForBit(a, b joinedRange) (r analysis.Interval, bit uint64, ok bool) {
	if a.x == nil || a.x != b.x {
		return r, 0, false
	}
	if j.op == alu.Or {
		return a.r.MergeByBit(b.r)
	}
	r, bit, ok = a.r.Not().MergeByBit(b.r.Not())
	return r.Not(), bit, ok
}

// mostJoined bounds the tests that are compared with each other.
const mostJoined = 16

// merge collects what v joins and reports whether some tests became one.
func (j *joining) merge(v *vir.Value) bool {
	for _, x := range analysis.OperandsOf(v, j.uses, math.MaxInt) {
		j.collect(x.X)
	}
	for i := 0; i < len(j.tests); i++ {
		for k := i + 1; k < len(j.tests) && k < mostJoined; k++ {
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
			j.tests[i] = joinedRange{x: a.x, r: r, sum: cmp.Or(a.sum, b.sum)}
			j.tests = slices.Delete(j.tests, k, k+1)
			j.merged++
			k = i // once more with the others
		}
	}
	return j.merged > 0
}

func (j *joining) collect(v *vir.Value) {
	t := joinedRange{test: v}
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

// finish makes v, which joined the tests, join those that are left. It returns
// the operations that go before v.
func (j *joining) finish(v *vir.Value) []*vir.Value {
	var out []*vir.Value
	op := func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
		n := j.b.NewValue(op, t, args...)
		n.Pos = v.Pos
		out = append(out, n)
		return n
	}
	for i := 0; i < len(j.tests); i++ {
		for k := i + 1; k < len(j.tests); k++ {
			one := joinedRange{}
			if both, ok := j.together(j.tests[i], j.tests[k]); ok {
				a, b := j.tests[i].plainly(), j.tests[k].plainly()
				one = joinedRange{x: op(both, a.x.Type, a.x, b.x), r: a.r}
			} else if r, bit, ok := j.butForBit(j.tests[i], j.tests[k]); ok {
				x := j.tests[i].x
				one = joinedRange{x: op(alu.And, x.Type, x, j.f.Const(x.Type, r.Mask&^bit)), r: r}
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
		t = t.plainly()
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
	if len(out) > 0 && out[len(out)-1] == all { // v itself is the last
		v.Op, v.Args = all.Op, all.Args
		return out[:len(out)-1]
	}
	v.Args = []*vir.Value{all, all} // a constant or a test that was there
	return out
}
