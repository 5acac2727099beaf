package legalize

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// rearrange splits or expands Compress or Expand. Elements that the target cannot rearrange are
// extended to 32 bits where it can rearrange those.
func (l *legalizer) rearrange(v *vir.Value) []*vir.Value {
	x, m, t := v.Args[0], v.Args[1], v.Type
	bits := t
	if t.Elem.IsFloat() {
		bits = t.With([]alu.Type{alu.I16, alu.I32, alu.I64}[t.Elem.Size()/4])
	}
	wide := t.With(alu.I32)
	one := func(t vir.Type) bool { return l.count(t) == 1 && l.t.Has(v.Op, t, t) }
	switch {
	case one(t):
		return []*vir.Value{l.b.op(v.Op, t, l.of(x)[0], l.in(m, t.Lanes)[0])}
	case t.Elem.Size() < 4 && one(wide):
		x = l.make(v.Op, wide, l.make(alu.ZExt, wide, l.bitcast(bits, x)), l.resized(m, wide.Elem.Bits()))
		return l.of(l.bitcast(t, l.make(alu.Trunc, bits, x)))
	case v.Op == vir.Compress:
		return l.of(l.compress(x, m))
	}
	return l.of(l.unpack(x, m))
}

// bitcast returns x as type t.
func (l *legalizer) bitcast(t vir.Type, x *vir.Value) *vir.Value {
	if x.Type == t {
		return x
	}
	return l.make(alu.Bitcast, t, x)
}

// compress computes Compress in log2(lanes) steps. Each active lane moves by the number of inactive
// lanes below it, in powers of two from the smallest on, which avoids collisions (Warren, "Hacker's
// Delight", section 7-4).
func (l *legalizer) compress(x, m *vir.Value) *vir.Value {
	steps := l.steps(m)
	for by, s := range steps {
		x = l.make(alu.Select, x.Type, s.arrives, l.moved(x, 1<<by), x)
	}
	n := l.make(vir.Count, vir.Scalar(alu.I64), m)
	return l.make(alu.Select, x.Type, l.make(vir.Prefix, m.Type, n), x, l.constant(x.Type, 0))
}

// unpack computes Expand: the steps of compress in reverse.
func (l *legalizer) unpack(x, m *vir.Value) *vir.Value {
	steps := l.steps(m)
	for by := len(steps) - 1; by >= 0; by-- {
		x = l.make(alu.Select, x.Type, steps[by].leaves, l.moved(x, -1<<by), x)
	}
	return l.make(alu.Select, x.Type, m, x, l.constant(x.Type, 0))
}

// move is a step of compress: the lanes that leave their place, and those where one arrives.
type move struct{ leaves, arrives *vir.Value }

// steps returns the steps that compress the active lanes of m: step k moves by 2^k lanes.
func (l *legalizer) steps(m *vir.Value) (steps []move) {
	t := m.Type.With(alu.I32)
	zero := l.constant(t, 0)
	// The distance that a lane still has to move.
	left := l.make(alu.Select, t, m, l.make(alu.Sub, t, l.make(vir.Iota, t), l.make(vir.Rank, t, l.resized(m, t.Elem.Bits()))), zero)
	for by := 1; by < m.Type.Lanes; by *= 2 {
		bit := l.constant(t, uint64(by))
		moves := func(left *vir.Value) *vir.Value {
			return l.make(alu.Ne, m.Type, l.make(alu.And, t, left, bit), zero)
		}
		from := l.moved(left, by)
		s := move{leaves: moves(left), arrives: moves(from)}
		left = l.make(alu.Select, t, s.leaves, zero, left)
		left = l.make(alu.Select, t, s.arrives, from, left)
		steps = append(steps, s)
	}
	return steps
}

// moved returns x with each lane replaced by that which is by lanes above it, or zero.
func (l *legalizer) moved(x *vir.Value, by int) *vir.Value {
	v := l.old(vir.Shuffle, x.Type, x, l.constant(x.Type, 0))
	for lane := range x.Type.Lanes {
		from := lane + by
		if from < 0 || from >= x.Type.Lanes {
			from = x.Type.Lanes
		}
		v.Lanes = append(v.Lanes, from)
	}
	if l.err == nil {
		l.parts[v.ID], l.err = l.value(v)
	}
	if l.err != nil {
		return l.constant(x.Type, 0)
	}
	return v
}
