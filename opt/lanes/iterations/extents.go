package iterations

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// extent is the object that a load reads, and its size.
type extent struct {
	known bool
	base  *kernel.Value // the object's address
	arg   int           // index of the buffer argument; -1 if bytes is the size
	bytes int64
}

// extent finds the object that the load v reads.
func (l *loop) extent(v *kernel.Value) extent {
	p := v.Args[0]
	for p.Op == kernel.PtrAdd || p.Op == kernel.Param && l.step[p] != 0 {
		if p.Op == kernel.Param {
			p = l.entry.Edge().Args[p.Index]
		} else {
			p = p.Args[0]
		}
	}
	switch {
	case p.Op == kernel.Argument && l.f.Args[p.Index].Kind == kernel.ArgBuffer:
		return extent{true, p, p.Index, 0}
	case p.Op == kernel.Argument && l.f.Args[p.Index].Kind == kernel.ArgVariables:
		return extent{true, p, -1, int64(len(l.f.Data[0].Bytes))}
	case p.Op == kernel.Alloca:
		return extent{true, p, -1, int64(p.Size)}
	case p.Op == kernel.DataAddr:
		return extent{true, p, -1, int64(len(l.f.Data[p.Index].Bytes))}
	}
	return extent{}
}

// sized reports whether the size of the object that the load v reads is known.
func (l *loop) sized(v *kernel.Value) bool {
	x := l.extent(v)
	return x.known && (l.o.Extents || x.arg < 0)
}

// pageSize is a number of bytes, a power of two, such that aligned blocks of that size are readable
// as a whole: it divides the page sizes of processors and of WebAssembly.
const pageSize = 4096

// inPage reports whether it suffices that the addresses of all lanes are in one page, because their
// distance is small and a lane whose iteration is not speculative executes the load v, so that its
// page is readable. leads or a test finds such a lane. This is what loads that report only a fault of
// the first lane would permit. Launches know sizes, which interpreters check exactly.
func (l *loop) inPage(v *kernel.Value) bool {
	by := l.stride(v.Args[0], strideDepth)
	return !l.o.Extents && by != 0 && l.span(v, by) <= pageSize
}

// leads reports whether the first lane that executes the load v, if any does, is not speculative.
func (l *loop) leads(v *kernel.Value) bool {
	counted := func(x opt.InEdge) bool { // all lanes before one that passes the test pass it
		k, _, _ := l.count()
		return k != nil && x.From == l.header && l.exits[0] == x
	}
	// Lanes before it have not left the loop where all other exits follow the load.
	return l.loops.InnermostCycle(v.Block.ID) == l.cycle && !slices.ContainsFunc(l.exits, func(x opt.InEdge) bool {
		return !counted(x) && !l.dom.Dominates(v.Block.ID, x.From.ID)
	})
}

// led returns the number of loads for which it is tested that the first lane executes them.
func (l *loop) led() (n int) {
	for _, v := range l.tested {
		if !l.sized(v) && !l.leads(v) {
			n++
		}
	}
	return n
}

// span is the number of bytes from the lowest address of v's lanes to the end of the highest, at a
// distance of by bytes.
func (l *loop) span(v *kernel.Value, by int64) int64 {
	return max(by, -by)*int64(l.o.Width-1) + int64(v.Type.Size()*v.Count)
}

// strideDepth limits the depth of expressions that stride inspects.
const strideDepth = 12

// stride returns the increment per iteration of v, a number or an address of the loop,
// as far as its expression shows, and otherwise 0. It assumes that nothing wraps.
func (l *loop) stride(v *kernel.Value, depth int) int64 {
	if depth == 0 || !l.inside(v.Block) {
		return 0
	}
	if by, ok := l.step[v]; ok {
		return by
	}
	arg := func(i int) int64 { return l.stride(v.Args[i], depth-1) }
	switch v.Op {
	case alu.Add, kernel.PtrAdd:
		return arg(0) + arg(1)
	case alu.Sub:
		return arg(0) - arg(1)
	case alu.Shl:
		if c := v.Args[1]; c.Op == kernel.Const && c.Const < 16 {
			return arg(0) << c.Const
		}
	case alu.Mul:
		if c := v.Args[1]; c.Op == kernel.Const && c.Const < 1<<16 {
			return arg(0) * int64(c.Const)
		}
	case alu.SExt, alu.ZExt:
		if v.Args[0].Type.Bits() >= 32 {
			return arg(0)
		}
	}
	return 0
}

// minContiguous is the share of contiguous accesses that makes an innermost loop profitable.
const minContiguous = 0.5

// contiguous returns the share of the loop's accesses that are contiguous in its iterations.
func (l *loop) contiguous() float64 {
	n, all := 0, l.accessed()
	for _, v := range all {
		if l.stride(v.Args[0], strideDepth) == int64(v.Accessed().Size()*max(v.Count, 1)) {
			n++
		}
	}
	return float64(n) / float64(len(all))
}

// maxStride limits the strides in use: a 32-bit number wraps at most once between the
// first lane and the last.
const maxStride = 1 << 20

// fits appends to b the test that the copy of the load v stays in its object. For a
// strided address it tests the first and the last lane, which makes the test uniform: if a
// number wrapped between them, their distance would exceed the size of any object.
func (l *loop) fits(b *kernel.Block, v *kernel.Value) *kernel.Value {
	if !l.sized(v) {
		by := l.stride(v.Args[0], strideDepth)
		first := b.Append(alu.Bitcast, alu.I64, l.inLane(b, v.Args[0], l.base, strideDepth))
		last := b.Append(alu.Bitcast, alu.I64, l.inLane(b, v.Args[0], l.last, strideDepth))
		at := first
		if by < 0 {
			at = last
		}
		in := b.Append(alu.And, alu.I64, at, l.f.Const(alu.I64, pageSize-1))
		in = b.Append(alu.Ule, alu.I1, in, l.f.Const(alu.I64, uint64(pageSize-l.span(v, by))))
		distance := b.Append(alu.Sub, alu.I64, last, first) // differs if a number wraps between the lanes
		in = b.Append(alu.And, alu.I1, in, b.Append(alu.Eq, alu.I1, distance, l.f.Const(alu.I64, uint64(by*int64(l.o.Width-1)))))
		if !l.leads(v) { // the first lane of the chunk is not speculative
			lanes := b.Append(kernel.Ballot, alu.I64, l.f.Const(alu.I1, 1))
			one := l.f.Const(alu.I64, 1)
			in = b.Append(alu.And, alu.I1, in, b.Append(alu.Eq, alu.I1, b.Append(alu.And, alu.I64, lanes, one), one))
		}
		return in
	}
	x := l.extent(v)
	base, room := b.Append(alu.Bitcast, alu.I64, l.of(x.base)), l.roomFor(x, int64(v.Type.Size()*v.Count))
	in := func(address *kernel.Value) *kernel.Value {
		off := b.Append(alu.Sub, alu.I64, b.Append(alu.Bitcast, alu.I64, address), base)
		return b.Append(alu.Ult, alu.I1, off, room)
	}
	p := v.Args[0]
	if by := l.stride(p, strideDepth); by == 0 || by > maxStride || by < -maxStride {
		return in(l.of(p))
	}
	return b.Append(alu.And, alu.I1, in(l.inLane(b, p, l.base, strideDepth)), in(l.inLane(b, p, l.last, strideDepth)))
}

// inLane returns v in the lane with the given counters, as far as stride sees through it.
func (l *loop) inLane(b *kernel.Block, v *kernel.Value, counters map[*kernel.Value]*kernel.Value, depth int) *kernel.Value {
	if x := counters[v]; x != nil {
		return x
	}
	if l.stride(v, depth) == 0 {
		return l.of(v)
	}
	var args []*kernel.Value
	for _, a := range v.Args {
		args = append(args, l.inLane(b, a, counters, depth-1))
	}
	x := b.Append(v.Op, v.Type, args...)
	x.Index, x.Size, x.Pos = v.Index, v.Size, v.Pos
	return x
}

// roomFor returns the number of offsets in an object at which n bytes fit. It is computed
// in the entry block.
func (l *loop) roomFor(x extent, n int64) *kernel.Value {
	f := l.f
	if x.arg < 0 {
		return f.Const(alu.I64, uint64(max(x.bytes-n+1, 0)))
	}
	key := roomKey{x.arg, n}
	if l.rooms[key] == nil {
		b := f.Blocks[0]
		at := b.Append(kernel.ArgAddr, alu.PtrConstant)
		at.Index = x.arg
		at = b.Append(kernel.PtrAdd, alu.PtrConstant, at, f.Const(alu.I64, uint64(f.ExtentOffset(x.arg)-f.Args[x.arg].Offset)))
		bytes := b.Append(kernel.Load, alu.I64, at)
		bytes.Count, bytes.Align = 1, 8
		left := b.Append(alu.Add, alu.I64, bytes, f.Const(alu.I64, uint64(1-n)))
		l.rooms[key] = b.Append(alu.SMax, alu.I64, left, f.Const(alu.I64, 0))
	}
	return l.rooms[key]
}

type roomKey struct {
	arg int
	n   int64
}
