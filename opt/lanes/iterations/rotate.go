package iterations

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// testsAtEnd reports whether the only exit is the test of the block that jumps back, after what that
// block computes: the loop is a do-while loop.
func (l *loop) testsAtEnd() bool {
	b := l.back.From
	return l.exits[0].From == b && b.Kind == kernel.Branch && b.Edges[0].To != b.Edges[1].To
}

// stepped returns the value of the counter k after one step from start, computed before the loop.
func (l *loop) stepped(k, start *kernel.Value) *kernel.Value {
	if k.Type.IsPtr() {
		return l.entry.From.Append(kernel.PtrAdd, k.Type, start, l.f.Const(alu.I64, uint64(l.step[k])))
	}
	return l.entry.From.Append(alu.Add, k.Type, start, l.f.Const(k.Type, uint64(l.step[k])&k.Type.Mask()))
}

// testAtHead turns a loop that ends by tests at the end of an iteration into one that compares the
// number of the iteration with the trip count in its header. It reports false where the code after the
// loop uses values of the last iteration other than those that the next one would begin with.
func (l *loop) testAtHead(tests []test) bool {
	f, latch := l.f, l.back.From
	exit := *l.exits[0].Edge()
	exit.Args = slices.Clone(exit.Args)
	for i, a := range exit.Args {
		if !l.inside(a.Block) {
			continue
		}
		p := slices.IndexFunc(l.header.Params, func(p *kernel.Value) bool { return l.passed(p) == a })
		if p < 0 {
			return false
		}
		exit.Args[i] = l.header.Params[p]
	}
	if l.usedOutside() {
		return false
	}
	at := latch.Cond.Pos
	before, count := l.entry.From, l.trips(tests)
	if count.Type == alu.I64 { // a loop that never ends makes 2^64-1 iterations
		count = before.Append(alu.UMin, alu.I64, count, f.Const(alu.I64, math.MaxUint64-1))
	}
	count = before.Append(alu.Add, count.Type, count, f.Const(count.Type, 1))
	count.Name, count.Pos = "count", at
	trip := l.addTrip(count)
	back := *l.back.Edge()

	body := f.NewBlock("body")
	h := l.header
	body.Values, h.Values = h.Values, nil
	for _, v := range body.Values {
		v.Block = body
	}
	body.Kind, body.Cond, body.Cases, body.Edges, body.Pos = h.Kind, h.Cond, h.Cases, h.Edges, h.Pos
	if latch == h {
		latch = body
	}
	latch.Jump(h, back.Args...)
	cond := h.Append(alu.Ult, alu.I1, trip, count)
	cond.Pos, h.Pos = at, at
	h.Branch(cond, kernel.Edge{To: body}, exit)
	return true
}

// usedOutside reports whether code outside of the loop uses its values other than as arguments of the
// exit's edge.
func (l *loop) usedOutside() bool {
	inside := func(v *kernel.Value) bool { return v != nil && l.inside(v.Block) }
	for _, b := range l.f.Blocks {
		if l.inside(b) {
			continue
		}
		if inside(b.Cond) {
			return true
		}
		for _, v := range b.Values {
			if slices.ContainsFunc(v.Args, inside) {
				return true
			}
		}
		for _, e := range b.Edges {
			if slices.ContainsFunc(e.Args, inside) {
				return true
			}
		}
	}
	return false
}
