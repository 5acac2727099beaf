package iterations

import (
	"maps"
	"math"
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// clamp describes the iterations whose strided loads are known to stay in their objects, a range
// that is computed once before the loop. Chunks in it need no tests of these loads.
type clamp struct {
	loads map[*kernel.Value]bool
	from  *kernel.Value // parameter of chunk: its first iteration, relative to the start of the range
	size  *kernel.Value // the number of values of from for which a chunk is in the range
	start *kernel.Value // the value of from in the first chunk

	low, high *kernel.Value // in the block before the loop: the range of iterations
}

// clampable reports whether the iterations in which the load v stays in its object are a range that is
// known before the loop.
func (l *loop) clampable(v *kernel.Value) bool {
	if x := l.extent(v); !l.sized(v) || l.inside(x.base.Block) {
		return false
	}
	by := l.stride(v.Args[0], strideDepth)
	return by <= maxStride && by >= -maxStride && l.linear(v.Args[0], strideDepth)
}

// linear reports whether v increases by its stride in every iteration.
func (l *loop) linear(v *kernel.Value, depth int) bool {
	if l.stride(v, depth) == 0 {
		return l.invariant(v, maxLimit)
	}
	if l.step[v] != 0 {
		return true
	}
	for _, a := range v.Args {
		if !l.linear(a, depth-1) {
			return false
		}
	}
	return true
}

// clampLoads computes before the loop the range of iterations in which those of the loads that are
// clampable stay in their objects. start has the values of the header's parameters there.
func (l *loop) clampLoads(loads []*kernel.Value, start map[*kernel.Value]*kernel.Value) {
	c := &clamp{loads: map[*kernel.Value]bool{}}
	first := maps.Clone(start)
	for _, v := range loads {
		if l.clampable(v) {
			c.loads[v] = true
			l.narrow(c, v, first)
		}
	}
	if len(c.loads) == 0 {
		return
	}
	num := func(n int64) *kernel.Value { return l.f.Const(alu.I64, uint64(n)) }
	b := l.before
	c.start = b.Append(alu.Sub, alu.I64, num(0), c.low)
	size := b.Append(alu.Sub, alu.I64, b.Append(alu.Sub, alu.I64, c.high, c.low), num(int64(l.o.Width)-1))
	c.size = b.Append(alu.SMax, alu.I64, size, num(0))
	c.size.Name = "inside"
	c.from = l.chunk.NewParam(alu.I64, "from")
	l.clamp = c
}

// narrow limits the range of c to the iterations in which the load v stays in its object and no number
// in its address wraps.
func (l *loop) narrow(c *clamp, v *kernel.Value, first map[*kernel.Value]*kernel.Value) {
	b := l.before
	num := func(n int64) *kernel.Value { return l.f.Const(alu.I64, uint64(n)) }
	add := func(x, y *kernel.Value) *kernel.Value { return b.Append(alu.Add, alu.I64, x, y) }
	sub := func(x, y *kernel.Value) *kernel.Value { return b.Append(alu.Sub, alu.I64, x, y) }
	// reached returns the number of steps by which a distance is reached, or exceeded; at least 0.
	// Steps that are no power of two are rounded so that the range becomes smaller.
	reached := func(distance *kernel.Value, step int64, larger bool) *kernel.Value {
		shift := bits.Len64(uint64(step)) - 1
		if larger && step&(step-1) != 0 {
			shift++
		}
		n := b.Append(alu.AShr, alu.I64, sub(distance, num(1)), num(int64(shift)))
		return b.Append(alu.SMax, alu.I64, add(n, num(1)), num(0))
	}
	from := func(x *kernel.Value) {
		if c.low != nil {
			x = b.Append(alu.SMax, alu.I64, c.low, x)
		}
		c.low = x
	}
	below := func(x *kernel.Value) {
		if c.high != nil {
			x = b.Append(alu.SMin, alu.I64, c.high, x)
		}
		c.high = x
	}
	p, x := v.Args[0], l.extent(v)
	room := l.roomFor(x, int64(v.Type.Size()*v.Count))
	offset := sub(b.Append(alu.Bitcast, alu.I64, l.inFirst(p, first)), b.Append(alu.Bitcast, alu.I64, x.base))
	switch by := l.stride(p, strideDepth); {
	case by == 0:
		in := b.Append(alu.Ult, alu.I1, offset, room)
		from(num(0))
		below(b.Append(alu.Select, alu.I64, in, num(math.MaxInt32), num(0)))
	case by > 0:
		from(reached(sub(num(0), offset), by, false))
		below(reached(sub(room, offset), by, true))
	default:
		from(reached(add(sub(offset, room), num(1)), -by, false))
		below(reached(add(offset, num(1)), -by, true))
	}
	l.extended(p, strideDepth, map[*kernel.Value]bool{}, func(v *kernel.Value) {
		x := v.Args[0]
		wide := b.Append(v.Op, alu.I64, l.inFirst(x, first))
		low, high := int64(0), int64(x.Type.Mask())
		if v.Op == alu.SExt {
			low, high = -(high>>1)-1, high>>1
		}
		if by := l.stride(x, strideDepth); by > 0 {
			below(reached(sub(num(high+1), wide), by, true))
		} else {
			below(reached(sub(wide, num(low-1)), -by, true))
		}
	})
}

// extended calls do for the extensions of numbers that v adds up and that differ between iterations.
func (l *loop) extended(v *kernel.Value, depth int, done map[*kernel.Value]bool, do func(*kernel.Value)) {
	if l.stride(v, depth) == 0 || l.step[v] != 0 || done[v] {
		return
	}
	done[v] = true
	if (v.Op == alu.SExt || v.Op == alu.ZExt) && v.Args[0].Type.Bits() < 64 {
		do(v)
	}
	for _, a := range v.Args {
		l.extended(a, depth-1, done, do)
	}
}

// guard branches to the tests of loads that the range does not cover, appended by fits to the block
// that it is given. It returns the block after the tests and their result, or nil for no loads.
func (l *loop) guard(c *kernel.Block, loads []*kernel.Value) (*kernel.Block, *kernel.Value) {
	test := func(b *kernel.Block, loads []*kernel.Value) (fit *kernel.Value) {
		for _, v := range loads {
			if x := l.fits(b, v); fit == nil {
				fit = x
			} else {
				fit = b.Append(alu.And, alu.I1, fit, x)
			}
		}
		return fit
	}
	var covered, others []*kernel.Value
	for _, v := range loads {
		if l.clamp != nil && l.clamp.loads[v] {
			covered = append(covered, v)
		} else {
			others = append(others, v)
		}
	}
	if len(covered) == 0 {
		return c, test(c, others)
	}
	tests, tested := l.f.NewBlock("tests"), l.f.NewBlock("tested")
	fit := tested.NewParam(alu.I1, "fit")
	inside := c.Append(alu.Ult, alu.I1, l.clamp.from, l.clamp.size)
	c.Branch(inside, kernel.Edge{To: tested, Args: []*kernel.Value{l.f.Const(alu.I1, 1)}}, kernel.Edge{To: tests, Rare: true})
	tests.Jump(tested, test(tests, covered))
	c.Pos, tests.Pos = loads[0].Pos, loads[0].Pos
	if len(others) > 0 {
		fit = tested.Append(alu.And, alu.I1, fit, test(tested, others))
	}
	return tested, fit
}
