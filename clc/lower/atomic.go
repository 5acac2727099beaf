package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/kernel"
)

// Memory orders with which a store need not come before all later accesses: the values of
// memory_order_relaxed and memory_order_release.
const (
	orderRelaxed = 0
	orderRelease = 3
)

// atomicCall lowers the atomic functions. All operations are sequentially consistent, as
// in the kernel IR, except stores with an explicit weaker order.
func atomicCall(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	p := args[0].val[0]
	t := scalarType(c.Elem)
	bits := alu.IntOf(t.Bits())
	operand := func(i int) *kernel.Value { return l.asBits(bits, args[i].val[0]) }
	found := func(v *kernel.Value) []*kernel.Value { return []*kernel.Value{l.asBits(t, v)} }
	store := func(x *kernel.Value) []*kernel.Value {
		l.store(p, []*kernel.Value{x}, c.Elem.Size(), true)
		return nil
	}
	update := func(k alu.RMW, x *kernel.Value) *kernel.Value {
		v := l.emit(kernel.Atomic, bits, p, x)
		v.Index = int(k)
		return v
	}
	k := c.Func.Atomic.RMW[1]
	if c.Elem.IsSigned() {
		k = c.Func.Atomic.RMW[0]
	}
	switch c.Func.Atomic.Do {
	case builtins.AtomicUpdate:
		if c.Elem.IsFloat() && k != alu.RMWXchg {
			return l.runBody(c.Func.FloatBody(), c.Elem, 1, []arg{{val: []*kernel.Value{p}}, args[1]})
		}
		return found(update(k, operand(1)))
	case builtins.AtomicStep:
		return found(update(k, l.konst(bits, 1)))
	case builtins.AtomicCmpXchg:
		return found(l.emit(kernel.CmpXchg, bits, p, operand(1), operand(2)))
	case builtins.AtomicCompare:
		// On failure the expected value is replaced by the value found. On success both
		// are equal, so the store needs no condition.
		place := args[1].val[0]
		expected := l.load(bits, 1, place, c.Elem.Size(), volatilePointer(c.Params[1]))[0]
		old := l.emit(kernel.CmpXchg, bits, p, expected, operand(2))
		l.store(place, []*kernel.Value{old}, c.Elem.Size(), volatilePointer(c.Params[1]))
		return []*kernel.Value{l.op(alu.Eq, old, expected)}
	case builtins.AtomicLoad:
		return l.load(t, 1, p, c.Elem.Size(), true)
	case builtins.AtomicInit:
		return store(args[1].val[0])
	case builtins.AtomicTestAndSet:
		return []*kernel.Value{l.op(alu.Ne, update(alu.RMWXchg, l.konst(bits, 1)), l.konst(bits, 0))}
	}
	x, order := l.konst(bits, 0), args[1:]
	if c.Func.Atomic.Do == builtins.AtomicStore {
		x, order = operand(1), args[2:]
	}
	if len(order) > 0 {
		if o := order[0].val[0]; o.Op == kernel.Const && (o.Const == orderRelaxed || o.Const == orderRelease) {
			return store(x)
		}
	}
	update(alu.RMWXchg, x)
	return nil
}

// asBits reinterprets x as a value of type t of the same size.
func (l *lowerer) asBits(t alu.Type, x *kernel.Value) *kernel.Value {
	if x.Type == t {
		return x
	}
	return l.conv(alu.Bitcast, t, x)
}
