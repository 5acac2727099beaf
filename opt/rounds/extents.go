package rounds

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// extent is the object that a load reads, and how large it is.
type extent struct {
	known bool
	base  *kernel.Value // where it begins
	arg   int           // the argument whose buffer it is, -1 if bytes tells the size
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

// strideDepth bounds how far a stride is looked for.
const strideDepth = 12

// stride is by how much v, a number or an address of the loop, goes up from round to
// round as far as that is told by how it is computed, else 0, and if nothing wraps.
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

// farthest bounds the strides that are made use of: numbers of 32 bits wrap once at most
// between the first lane and the last.
const farthest = 1 << 20

// fits puts into b whether the load v, of which is the copy, lies in its object. Of
// addresses a stride apart it asks for the first lane and the last, which is the same in
// all: if a number wrapped between them, they would lie farther apart than any object.
func (l *loop) fits(b *kernel.Block, v *kernel.Value) *kernel.Value {
	x := l.extent(v)
	base, room := b.Append(alu.Bitcast, alu.I64, l.of(x.base)), l.roomFor(x, int64(v.Type.Size()*v.Count))
	in := func(address *kernel.Value) *kernel.Value {
		off := b.Append(alu.Sub, alu.I64, b.Append(alu.Bitcast, alu.I64, address), base)
		return b.Append(alu.Ult, alu.I1, off, room)
	}
	p := v.Args[0]
	if by := l.stride(p, strideDepth); by == 0 || by > farthest || by < -farthest {
		return in(l.of(p))
	}
	return b.Append(alu.And, alu.I1, in(l.inLane(b, p, l.base, strideDepth)), in(l.inLane(b, p, l.last, strideDepth)))
}

// inLane is v in a lane of which counters are given, as far as its stride tells.
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

// roomFor returns how many places there are for n bytes in an object; it is computed
// before the loop.
func (l *loop) roomFor(x extent, n int64) *kernel.Value {
	f := l.f
	if x.arg < 0 {
		return f.Const(alu.I64, uint64(max(x.bytes-n+1, 0)))
	}
	key := roomKey{x.arg, n}
	if l.rooms[key] == nil {
		b := l.before
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
