// Package interval implements interval arithmetic on the integers of package alu,
// interpreted both as unsigned and as signed numbers (Moore, "Interval Analysis", 1966).
//
// It is independent of any IR.
package interval

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
)

// Bounds are ranges of an integer type, both ends included: of its unsigned and of its signed
// reading.
type Bounds struct {
	ULo, UHi uint64
	SLo, SHi int64
}

// Exact reports in which readings of its operands an operation equals that on unbounded numbers.
type Exact struct{ Unsigned, Signed bool }

// Any returns the bounds of a type without information.
func Any(t alu.Type) Bounds {
	n := max(t.Bits(), 1)
	return Bounds{0, t.Mask(), -1 << (n - 1), 1<<(n-1) - 1}
}

// Exactly returns the bounds of a constant.
func Exactly(t alu.Type, v uint64) Bounds {
	s := t.Signed(v)
	return Bounds{v, v, s, s}
}

// Unsigned returns bounds of the unsigned reading.
func Unsigned(t alu.Type, lo, hi uint64) Bounds {
	b := Any(t)
	b.ULo, b.UHi = lo, hi
	return b
}

// Signed returns bounds of the signed reading.
func Signed(t alu.Type, lo, hi int64) Bounds {
	b := Any(t)
	b.SLo, b.SHi = lo, hi
	return b
}

// Constant returns the only number of b, if there is just one.
func (b Bounds) Constant() (v uint64, ok bool) { return b.ULo, b.ULo == b.UHi }

// Nonnegative reports whether both readings are equal.
func (b Bounds) Nonnegative() bool { return b.SLo >= 0 }

// Both tightens each reading of numbers of type t by the other.
func (b Bounds) Both(t alu.Type) Bounds {
	if !t.IsInt() {
		return b
	}
	for range 2 {
		if top := t.Mask() >> 1; b.UHi <= top || b.ULo > top {
			b.SLo, b.SHi = max(b.SLo, t.Signed(b.ULo)), min(b.SHi, t.Signed(b.UHi))
		}
		if b.SLo >= 0 || b.SHi < 0 {
			b.ULo, b.UHi = max(b.ULo, uint64(b.SLo)&t.Mask()), min(b.UHi, uint64(b.SHi)&t.Mask())
		}
	}
	return b
}

// Cover returns the smallest bounds that contain both.
func Cover(a, b Bounds) Bounds {
	return Bounds{min(a.ULo, b.ULo), max(a.UHi, b.UHi), min(a.SLo, b.SLo), max(a.SHi, b.SHi)}
}

// ones returns a number with as many ones as v has bits.
func ones(v uint64) uint64 { return 1<<bits.Len64(v) - 1 }

// Of computes the bounds of a pure operation from those of its operands, the first of which has
// type t. Results that are not integers have no bounds.
func Of(op alu.Op, res, t alu.Type, xs ...Bounds) (Bounds, Exact) {
	switch {
	case alu.InfoOf(op).Class == alu.Compare:
		return compareBounds(op, t, xs[0], xs[1]), Exact{}
	case op == alu.Select:
		return selectBounds(xs[0], xs[1], xs[2]), Exact{}
	}
	if f, ok := arithmetic[op]; ok && (t.IsInt() || t == alu.I1) && (res.IsInt() || res == alu.I1) {
		var y Bounds
		if len(xs) > 1 {
			y = xs[1]
		}
		r := f(res, t, xs[0], y)
		return r.Bounds, r.exact
	}
	return Any(res), Exact{}
}

func compareBounds(op alu.Op, t alu.Type, x, y Bounds) Bounds {
	var yes, no bool
	if !t.IsInt() {
		return Any(alu.I1)
	}
	switch op {
	case alu.Eq, alu.Ne:
		a, okA := x.Constant()
		b, okB := y.Constant()
		yes = okA && okB && a == b
		no = x.UHi < y.ULo || y.UHi < x.ULo || x.SHi < y.SLo || y.SHi < x.SLo
		if op == alu.Ne {
			yes, no = no, yes
		}
	case alu.Ult:
		yes, no = x.UHi < y.ULo, x.ULo >= y.UHi
	case alu.Ule:
		yes, no = x.UHi <= y.ULo, x.ULo > y.UHi
	case alu.Slt:
		yes, no = x.SHi < y.SLo, x.SLo >= y.SHi
	case alu.Sle:
		yes, no = x.SHi <= y.SLo, x.SLo > y.SHi
	}
	switch {
	case yes:
		return Exactly(alu.I1, 1)
	case no:
		return Exactly(alu.I1, 0)
	}
	return Any(alu.I1)
}

func selectBounds(cond, a, b Bounds) Bounds {
	if c, ok := cond.Constant(); ok {
		if c != 0 {
			return a
		}
		return b
	}
	return Cover(a, b)
}
