package iterations

import (
	"maps"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// testDistances adds to the block before the loop the tests that the distances between addresses, which
// are those of the first iteration, permit to run iterations as lanes. start has the values of the
// header's parameters there.
func (l *loop) testDistances(start map[*kernel.Value]*kernel.Value, test func(*kernel.Value)) {
	b, first := l.before, maps.Clone(start)
	num := func(n int64) *kernel.Value { return l.f.Const(alu.I64, uint64(n)) }
	// within adds the test that x is from low to below high.
	within := func(x *kernel.Value, low, high int64) *kernel.Value {
		return b.Append(alu.Ult, alu.I1, b.Append(alu.Sub, alu.I64, x, num(low)), num(high-low))
	}
	for _, d := range l.distances {
		low, high := d.Conflicts(int64(l.o.Width) - 1)
		if low >= high {
			continue
		}
		address := func(v *kernel.Value) *kernel.Value {
			return b.Append(alu.Bitcast, alu.I64, l.inFirst(v.Args[0], first))
		}
		x := b.Append(alu.Sub, alu.I64, address(d.To), address(d.From))
		test(b.Append(alu.Xor, alu.I1, within(x, low, high), l.f.Const(alu.I1, 1)))
		if d.Wraps {
			test(within(x, -1<<31, 1<<31))
		}
	}
}

// inFirst returns v, which depends only on counters and invariant values, as the first iteration
// computes it. It adds the operations to the block before the loop, and the results to first.
func (l *loop) inFirst(v *kernel.Value, first map[*kernel.Value]*kernel.Value) *kernel.Value {
	switch x := first[v]; {
	case x != nil:
		return x
	case !l.inside(v.Block):
		return v
	}
	args := make([]*kernel.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = l.inFirst(a, first)
	}
	first[v] = l.before.AppendLike(v, args...)
	return first[v]
}
