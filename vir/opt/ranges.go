package opt

import (
	"cmp"
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
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
// Numbers count round here: the range may go from the greatest to the least.
// Masks are left alone, for a comparison under a mask is one operation, too.
func Ranges(f *vir.Func, stats Stats) {
	var uses [][]use
	n := 0
	for _, b := range f.Blocks {
		insertBefore(b, func(v *vir.Value) []*vir.Value {
			if !joinsTests(v) {
				return nil
			}
			if uses == nil {
				uses = usesOf(f)
			}
			j := joining{f: f, b: b, op: v.Op, uses: uses}
			if partOfSame(v, uses) || !j.merge(v) && !j.alike() {
				return nil
			}
			before := j.finish(v)
			n += j.merged
			return before
		})
	}
	if n > 0 {
		stats.add("ranges", n)
		f.Renumber()
		Dead(f, nil)
	}
	if n := branchOnRanges(f); n > 0 {
		stats.add("ranges of branches", n)
		vir.RemoveUnreachable(f)
		f.Renumber()
		Dead(f, nil)
	}
}

// branchOnRanges makes branches one that ask for parts of a range one after the other.
func branchOnRanges(f *vir.Func) int {
	in, n := inEdges(f), 0
	var uses [][]use
	for _, b := range f.Blocks {
		if b.Kind != vir.Branch || b.Edges[0].To == b.Edges[1].To {
			continue
		}
		x, r := rangeOf(b.Cond)
		if x == nil {
			continue
		}
		for i, ways := 0, [2]numbers{r, r.not()}; i < 2; i++ {
			next, out := b.Edges[i].To, b.Edges[1-i]
			if next == b || next.Kind != vir.Branch || len(next.Params) > 0 || len(in[next.ID]) != 1 {
				continue
			}
			y, s := rangeOf(next.Cond)
			if y != x {
				continue
			}
			if uses == nil {
				uses = usesOf(f)
			}
			k := slices.IndexFunc(next.Edges, func(e vir.Edge) bool { return e.To == out.To && slices.Equal(e.Args, out.Args) })
			if k < 0 || next.Edges[1-k].To == out.To || !onlyAsks(next, uses) {
				continue
			}
			if k == 0 {
				s = s.not()
			}
			both, ok := ways[i].and(s)
			if !ok {
				continue
			}
			pos := b.Cond.Pos
			cond := both.test(f, x, func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
				v := b.Append(op, t, args...)
				v.Pos = pos
				return v
			})
			b.Branch(cond, next.Edges[1-k], out)
			uses = nil // there are new ones
			n++
			break
		}
	}
	return n
}

// onlyAsks reports whether nothing of b is used but for its branch.
func onlyAsks(b *vir.Block, uses [][]use) bool {
	for _, v := range b.Values {
		if !v.Op.Pure() || slices.ContainsFunc(uses[v.ID], func(u use) bool { return u.place() != b.ID || u.edge >= 0 }) {
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
	uses   [][]use
	tests  []joinedRange
	merged int
}

// joinedRange is a test of x, or one that is none of a range, x being nil. What it
// compared, if that was the sum of x and a constant, is sum.
type joinedRange struct {
	test *vir.Value
	x    *vir.Value
	r    numbers
	sum  *vir.Value
}

// plainly tells the sum apart from x where that is compared without another addition.
func (t joinedRange) plainly() joinedRange {
	if t.x == nil || t.sum == nil || !t.r.shifts() {
		return t
	}
	r := t.r
	r.first = (r.first + t.sum.Args[1].Const) & r.mask
	if r.shifts() {
		return t
	}
	return joinedRange{test: t.test, x: t.sum, r: r}
}

// bits returns how what holds for both of two numbers holds for one, the bits of which
// are made of theirs: or, if it says that high bits are clear, and if it says that the
// sign is set. What holds for either is the opposite.
func (r numbers) bits(both bool) (op vir.Op, ok bool) {
	if !both {
		r = r.not()
	}
	sign := r.mask>>1 + 1
	switch {
	case r.empty || r.full():
		return op, false
	case r.first == 0 && r.count&(r.count+1) == 0: // under and: all are clear; under or: one is set
		return alu.Or, true
	case r.first == sign && r.last() == r.mask:
		return alu.And, true
	}
	return op, false
}

// alike reports whether two tests of different numbers may become one.
func (j *joining) alike() bool {
	for i, a := range j.tests {
		for _, b := range j.tests[:i] {
			if _, ok := j.together(a, b); ok {
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
	return a.r.bits(j.op == alu.And)
}

// mostJoined bounds the tests that are compared with each other.
const mostJoined = 16

// merge collects what v joins and reports whether some tests became one.
func (j *joining) merge(v *vir.Value) bool {
	for _, x := range operandsOf(v, j.uses, math.MaxInt) {
		j.collect(x.x)
	}
	for i := 0; i < len(j.tests); i++ {
		for k := i + 1; k < len(j.tests) && k < mostJoined; k++ {
			a, b := j.tests[i], j.tests[k]
			if a.x == nil || a.x != b.x {
				continue
			}
			r, ok := a.r.and(b.r)
			if j.op == alu.Or {
				r, ok = a.r.or(b.r)
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
		t.x, t.r = rangeOf(v)
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
			if both, ok := j.together(j.tests[i], j.tests[k]); ok {
				a, b := j.tests[i].plainly(), j.tests[k].plainly()
				j.tests[i] = joinedRange{x: op(both, a.x.Type, a.x, b.x), r: a.r}
				j.tests = slices.Delete(j.tests, k, k+1)
				j.merged++
				k--
			}
		}
	}
	var all *vir.Value
	for _, t := range j.tests {
		t = t.plainly()
		x := t.test
		if x == nil {
			x = t.r.test(j.f, t.x, op)
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

// numbers are the count+1 numbers of some bits from first on, counted round;
// none if empty.
type numbers struct {
	first, count uint64
	mask         uint64 // the greatest number
	empty        bool
}

func (r numbers) full() bool   { return !r.empty && r.count == r.mask }
func (r numbers) last() uint64 { return (r.first + r.count) & r.mask }

// not is all other numbers.
func (r numbers) not() numbers {
	switch {
	case r.empty:
		return numbers{count: r.mask, mask: r.mask}
	case r.full():
		return numbers{mask: r.mask, empty: true}
	}
	return numbers{first: (r.last() + 1) & r.mask, count: r.mask - r.count - 1, mask: r.mask}
}

// and is the numbers of both; ok is false if they are two ranges.
func (r numbers) and(s numbers) (both numbers, ok bool) {
	switch {
	case r.empty || s.full():
		return r, true
	case s.empty || r.full():
		return s, true
	}
	at := (s.first - r.first) & r.mask // r is 0 to r.count from here on
	end := (at + s.count) & r.mask
	begins, wraps := at <= r.count, end < at
	switch {
	case begins && wraps:
		return r, false
	case begins:
		return numbers{first: s.first, count: min(end, r.count) - at, mask: r.mask}, true
	case wraps:
		return numbers{first: r.first, count: min(end, r.count), mask: r.mask}, true
	}
	return numbers{mask: r.mask, empty: true}, true
}

// or is the numbers of either; ok is false if they are two ranges.
func (r numbers) or(s numbers) (either numbers, ok bool) {
	neither, ok := r.not().and(s.not())
	return neither.not(), ok
}

// rangeOf returns for which numbers x the test holds, x being nil if it is no
// comparison of a scalar integer with a constant.
func rangeOf(test *vir.Value) (x *vir.Value, r numbers) {
	if test.Op == alu.Xor && isOnes(test.Args[1]) {
		x, r = rangeOf(test.Args[0])
		return x, r.not()
	}
	if _, ok := alu.OrderOf(test.Op); !ok {
		return nil, r
	}
	x, y := test.Args[0], test.Args[1]
	if !x.Type.IsScalar() || !x.Type.Elem.IsInt() || x.Type.Elem == alu.I1 || (x.Op == vir.Const) == (y.Op == vir.Const) {
		return nil, r
	}
	r = comparedWith(test.Op, x, y)
	if x.Op == vir.Const {
		x = y
	}
	if x.Op == alu.Add && x.Args[1].Op == vir.Const {
		r.first = (r.first - x.Args[1].Const) & r.mask
		x = x.Args[0]
	}
	return x, r
}

// comparedWith returns the numbers for which a comparison holds of which one
// operand is a constant.
func comparedWith(op vir.Op, x, y *vir.Value) numbers {
	mask := x.Type.Elem.Mask()
	least := uint64(0)
	if op == alu.Slt || op == alu.Sle {
		least = mask>>1 + 1
	}
	upTo := func(c uint64) numbers { return numbers{first: least, count: (c - least) & mask, mask: mask} }
	switch op {
	case alu.Eq, alu.Ne:
		c := y
		if x.Op == vir.Const {
			c = x
		}
		r := numbers{first: c.Const, mask: mask}
		if op == alu.Ne {
			r = r.not()
		}
		return r
	case alu.Slt, alu.Ult:
		if x.Op == vir.Const { // c < y: not y <= c
			return upTo(x.Const).not()
		}
		if y.Const == least {
			return numbers{mask: mask, empty: true}
		}
		return upTo(y.Const - 1)
	default:
		if x.Op != vir.Const {
			return upTo(y.Const)
		}
		if x.Const == least { // c <= y: not y < c
			return numbers{count: mask, mask: mask}
		}
		return upTo(x.Const - 1).not()
	}
}

// shifts reports whether the comparison for r adds something to the number.
func (r numbers) shifts() bool {
	least := r.mask>>1 + 1
	return !r.empty && !r.full() && r.count != 0 && r.count != r.mask-1 && r.first != 0 && r.last() != r.mask &&
		r.first != least && r.last() != least-1
}

// test makes the comparison that holds if x is one of the numbers.
func (r numbers) test(f *vir.Func, x *vir.Value, op func(vir.Op, vir.Type, ...*vir.Value) *vir.Value) *vir.Value {
	bit := vir.Scalar(alu.I1)
	c := func(bits uint64) *vir.Value { return f.Const(x.Type, bits&r.mask) }
	least := r.mask>>1 + 1
	switch {
	case r.empty || r.full():
		if r.empty {
			return f.Const(bit, 0)
		}
		return f.Const(bit, 1)
	case r.count == 0:
		return op(alu.Eq, bit, x, c(r.first))
	case r.count == r.mask-1:
		return op(alu.Ne, bit, x, c(r.first-1))
	case r.first == least && r.last() == r.mask: // a test of the sign compares with nothing
		return op(alu.Slt, bit, x, c(0))
	case r.first == 0 && r.last() == least-1:
		return op(alu.Sle, bit, c(0), x)
	case r.first == 0:
		return op(alu.Ule, bit, x, c(r.count))
	case r.last() == r.mask:
		return op(alu.Ule, bit, c(r.first), x)
	case r.first == least:
		return op(alu.Sle, bit, x, c(r.last()))
	case r.last() == least-1:
		return op(alu.Sle, bit, c(r.first), x)
	}
	return op(alu.Ule, bit, op(alu.Add, x.Type, x, c(-r.first)), c(r.count))
}
