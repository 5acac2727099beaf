package interval

import (
	"math"

	"github.com/simtc/simtc/alu"
)

// Meet returns the intersection; x if it is empty, since such code is unreachable.
func Meet(t alu.Type, x, y Bounds) Bounds {
	both := Bounds{
		ULo: max(x.ULo, y.ULo), UHi: min(x.UHi, y.UHi), SLo: max(x.SLo, y.SLo), SHi: min(x.SHi, y.SHi),
	}
	if both = both.Both(t); both.ULo > both.UHi || both.SLo > both.SHi {
		return x
	}
	return both
}

// Compared narrows x, the bounds of one operand of type t, by the outcome yes of comparison op with
// the other operand, within y; first says that x belongs to the first operand.
func Compared(op alu.Op, t alu.Type, x, y Bounds, first, yes bool) Bounds {
	said := Any(t)
	if !yes { // x < y is not y <= x
		switch op {
		case alu.Slt:
			op, first = alu.Sle, !first
		case alu.Sle:
			op, first = alu.Slt, !first
		case alu.Ult:
			op, first = alu.Ule, !first
		case alu.Ule:
			op, first = alu.Ult, !first
		}
	}
	switch {
	case op == alu.Eq && yes || op == alu.Ne && !yes:
		said = y
	case op == alu.Eq || op == alu.Ne:
		return without(x, y)
	case op == alu.Sle && first:
		said.SHi = y.SHi
	case op == alu.Sle:
		said.SLo = y.SLo
	case op == alu.Slt && first:
		said.SHi = max(y.SHi, math.MinInt64+1) - 1
	case op == alu.Slt:
		said.SLo = min(y.SLo, math.MaxInt64-1) + 1
	case op == alu.Ule && first:
		said.UHi = y.UHi
	case op == alu.Ule:
		said.ULo = y.ULo
	case op == alu.Ult && first:
		said.UHi = max(y.UHi, 1) - 1
	case op == alu.Ult:
		said.ULo = min(y.ULo, math.MaxUint64-1) + 1
	}
	return Meet(t, x, said)
}

// without removes the number y from an end of x.
func without(x, y Bounds) Bounds {
	c, ok := y.Constant()
	if _, one := x.Constant(); !ok || one {
		return x
	}
	switch c {
	case x.ULo:
		x.ULo++
	case x.UHi:
		x.UHi--
	}
	switch y.SLo {
	case x.SLo:
		x.SLo++
	case x.SHi:
		x.SHi--
	}
	return x
}

// Widened extends the ends of x that moved since old as far as possible; the lower end to zero first.
func Widened(t alu.Type, old, x Bounds) Bounds {
	all := Any(t)
	if x.ULo < old.ULo {
		x.ULo = all.ULo
	}
	if x.UHi > old.UHi {
		x.UHi = all.UHi
	}
	if x.SLo < old.SLo && x.SLo < 0 {
		x.SLo = all.SLo
	} else if x.SLo < old.SLo {
		x.SLo = 0
	}
	if x.SHi > old.SHi {
		x.SHi = all.SHi
	}
	return x.Both(t)
}
