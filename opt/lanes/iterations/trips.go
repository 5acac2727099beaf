package iterations

import (
	"math"
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// countExits gives loops whose only exit is a test of their header, or of the block that jumps back, a
// trip count, computed before the loop, if it is not the test of an increasing counter in the header
// already: loops that count down, up to a number (`i != n`) or an address, end with the first of several
// counters, or test at the end of an iteration. The loop then counts its iterations up to that number,
// in its header. The result are the IDs of the headers of such loops, which stay the same.
//
// requires: a prepared kernel; maintains: what f computes
func countExits(f *kernel.Func) (headers []int) {
	loops, in := cfg.Cycles(f.Graph()), opt.InEdges(f)
	for _, c := range loops.Cycles {
		l := &loop{f: f, loops: loops, cycle: c, header: f.Blocks[c.Header], in: in, step: map[*kernel.Value]int64{}}
		if l.edges(); !c.Reducible() || l.entries != 1 || l.backs != 1 || len(l.exits) != 1 {
			continue
		}
		for _, p := range l.header.Params {
			if by, ok := kernel.Step(p, l.passed(p)); ok && by != 0 && by == int64(int16(by)) {
				l.step[p] = by
			}
		}
		if l.testsAtEnd() {
			if tests, ok := l.tests(l.back.From.Cond, l.exits[0].N == 1, nil); ok && l.testAtHead(tests) {
				return append([]int{c.Header}, countExits(f)...) // the forest has changed
			}
		}
		if l.exits[0].From != l.header {
			continue
		}
		if k, _, _ := l.count(); k == nil && l.header.Cond != nil {
			if tests, ok := l.tests(l.header.Cond, l.exits[0].N == 1, nil); ok {
				l.countTo(l.trips(tests))
				in = opt.InEdges(f)
				headers = append(headers, c.Header)
			}
		}
	}
	return headers
}

// test is a comparison of a counter while which the loop continues.
type test struct {
	op      kernel.Op // Ne, Slt, Sle, Ult or Ule
	k       *kernel.Value
	as      *kernel.Value // the compared value: the counter, or its extension to 64 bits
	limit   *kernel.Value
	greater bool // limit < k instead of k < limit
	next    bool // the value of k in the next iteration is compared
}

// tests appends the tests that must all hold so that c is want, and reports whether there are trip
// counts for all.
func (l *loop) tests(c *kernel.Value, want bool, out []test) ([]test, bool) {
	if c.Op == alu.And && want || c.Op == alu.Or && !want {
		out, ok := l.tests(c.Args[0], want, out)
		if !ok {
			return nil, false
		}
		return l.tests(c.Args[1], want, out)
	}
	if alu.InfoOf(c.Op).Class != alu.Compare {
		return nil, false
	}
	op, a, b := c.Op, c.Args[0], c.Args[1]
	if !want { // the opposite comparison
		opposite := map[kernel.Op]kernel.Op{alu.Eq: alu.Ne, alu.Slt: alu.Sle, alu.Sle: alu.Slt, alu.Ult: alu.Ule, alu.Ule: alu.Ult}
		if op = opposite[op]; op != alu.Ne {
			a, b = b, a
		}
	}
	x := test{op: op, as: a, limit: b}
	if x.k, x.next = l.counter(a); x.k == nil {
		x.as, x.limit, x.greater = b, a, true
		x.k, x.next = l.counter(b)
	}
	if x.k == nil || !l.invariant(x.limit, maxLimit) || !x.countable(l.step[x.k]) {
		return nil, false
	}
	return append(out, x), true
}

// counter returns the counter that v is, or from which it is extended; or of which it is the value in
// the next iteration, if the loop tests at its end.
func (l *loop) counter(v *kernel.Value) (k *kernel.Value, next bool) {
	if (v.Op == alu.SExt || v.Op == alu.ZExt) && v.Type == alu.I64 {
		v = v.Args[0]
	}
	if v.Type.Bits() < 32 && !v.Type.IsPtr() {
		return nil, false
	}
	if l.step[v] != 0 {
		return v, false
	}
	if l.testsAtEnd() {
		for _, p := range l.header.Params {
			if l.step[p] != 0 && l.passed(p) == v {
				return p, true
			}
		}
	}
	return nil, false
}

// signed reports whether x compares signed numbers.
func (x test) signed() bool { return x.op == alu.Slt || x.op == alu.Sle }

// strict reports whether the loop ends when the limit is reached.
func (x test) strict() bool { return x.op == alu.Ne || x.op == alu.Slt || x.op == alu.Ult }

// extended reports whether the counter has fewer bits than the limit.
func (x test) extended() bool { return x.as.Type != x.k.Type }

// countable reports whether a counter with the given step reaches the limit of x without wrapping,
// except where countTo finds out.
func (x test) countable(by int64) bool {
	switch x.op {
	case alu.Ne:
		size := max(by, -by)
		return !x.extended() && (size == 1 || x.k.Type.IsPtr() && size&(size-1) == 0)
	case alu.Slt, alu.Sle, alu.Ult, alu.Ule:
		if x.extended() && (x.as.Op == alu.SExt) != x.signed() {
			return false
		}
		if x.k.Type.IsPtr() { // no object is at the end of the addresses
			return x.strict() && (by > 0) != x.greater && by&(by-1) == 0 && by > 0
		}
		return x.greater && by == -1 || !x.greater && by == 1
	}
	return false
}

// trips computes before the loop how often the tests hold until one fails: a number of 32 bits if that
// is enough, else of 64 bits.
func (l *loop) trips(tests []test) (count *kernel.Value) {
	f, b := l.f, l.entry.From
	narrow := true
	for _, x := range tests {
		n, never := l.tripsOf(x)
		if never != nil { // the loop does not end by this test
			n = b.Append(alu.Select, alu.I64, never, f.Const(alu.I64, math.MaxUint64), n)
		}
		narrow = narrow && never == nil && x.strict() && x.k.Type == alu.I32 && !x.extended()
		if l.testsAtEnd() { // one iteration more must be a number of 32 bits, too
			start := l.entry.Edge().Args[x.k.Index]
			narrow = narrow && x.op != alu.Ne && l.step[x.k] > 0 && start.Op == kernel.Const && start.Const < math.MaxInt32 &&
				(x.op == alu.Slt || x.next || start.Const > 0)
		}
		if count == nil {
			count = n
		} else {
			count = b.Append(alu.UMin, alu.I64, count, n)
		}
	}
	if narrow {
		count = b.Append(alu.Trunc, alu.I32, count)
	}
	return count
}

// countTo lets the loop end by a count of its iterations.
func (l *loop) countTo(count *kernel.Value) {
	count.Name, count.Pos = "count", l.header.Cond.Pos
	trip := l.addTrip(count)
	l.header.Cond = l.header.Append(alu.Ult, alu.I1, trip, count)
	l.header.Cond.Pos = count.Pos
	if l.exits[0].N == 0 {
		l.header.Edges[0], l.header.Edges[1] = l.header.Edges[1], l.header.Edges[0]
	}
}

// addTrip adds a counter of the iterations.
func (l *loop) addTrip(count *kernel.Value) *kernel.Value {
	t := count.Type
	trip := l.header.NewParam(t, "trip")
	trip.Pos = count.Pos
	l.entry.Edge().Args = append(l.entry.Edge().Args, l.f.Const(t, 0))
	next := l.back.From.Append(alu.Add, t, trip, l.f.Const(t, 1))
	l.back.Edge().Args = append(l.back.Edge().Args, next)
	return trip
}

// tripsOf computes before the loop how often x holds until it fails, and the condition under which it
// never does, or nil.
func (l *loop) tripsOf(x test) (n, never *kernel.Value) {
	f, b := l.f, l.entry.From
	num := func(n uint64) *kernel.Value { return f.Const(alu.I64, n) }
	wide := func(v *kernel.Value) *kernel.Value {
		switch {
		case v.Type.IsPtr():
			return b.Append(alu.Bitcast, alu.I64, v)
		case v.Type.Bits() == 64:
			return v
		case x.signed():
			return b.Append(alu.SExt, alu.I64, v)
		}
		return b.Append(alu.ZExt, alu.I64, v)
	}
	by := l.step[x.k]
	start, limit := l.entry.Edge().Args[x.k.Index], l.invariantIn(b, x.limit)
	if x.next {
		start = l.stepped(x.k, start)
	}
	from, to := wide(start), wide(limit)
	if by < 0 {
		from, to = to, from
	}
	distance := b.Append(alu.Sub, alu.I64, to, from)
	size := uint64(max(by, -by))
	if x.op == alu.Ne {
		if bits := x.k.Type.Bits(); bits < 64 && !x.k.Type.IsPtr() {
			distance = b.Append(alu.And, alu.I64, distance, num(1<<bits-1))
		}
		if size > 1 {
			rest := b.Append(alu.And, alu.I64, distance, num(size-1))
			never = b.Append(alu.Ne, alu.I1, rest, num(0))
		}
		return l.divided(distance, size), never
	}
	if size > 1 { // rounded up
		distance = b.Append(alu.Add, alu.I64, distance, num(size-1))
	}
	n = l.divided(distance, size)
	if !x.strict() {
		n = b.Append(alu.Add, alu.I64, n, num(1))
	}
	n = b.Append(alu.Select, alu.I64, b.Append(x.op, alu.I1, from, to), n, num(0))
	// The counter wraps before it is beyond a limit that is the last number, or larger.
	if !x.strict() || x.extended() {
		last := x.k.Type.Mask()
		switch {
		case x.signed() && by < 0:
			last = -(last>>1 + 1)
		case x.signed():
			last >>= 1
		case by < 0:
			last = 0
		}
		edge, far := num(last), wide(limit)
		if by < 0 {
			edge, far = far, edge
		}
		never = b.Append(x.op, alu.I1, edge, far) // x holds for the last number
	}
	return n, never
}

// divided returns n divided by a power of two, computed before the loop.
func (l *loop) divided(n *kernel.Value, size uint64) *kernel.Value {
	if size == 1 {
		return n
	}
	return l.entry.From.Append(alu.LShr, alu.I64, n, l.f.Const(alu.I64, uint64(bits.TrailingZeros64(size))))
}
