package kernel

import "github.com/simtc/simtc/alu"

// Step returns the difference of x and p: the increment of loop variable p, if x is its value for the
// next iteration.
func Step(p, x *Value) (by int64, ok bool) {
	if x == p {
		return 0, true
	}
	constant := func(c *Value) (int64, bool) {
		return c.Type.Signed(c.Const), c.Op == Const
	}
	switch {
	case (x.Op == alu.Add || x.Op == PtrAdd) && x.Args[0] == p:
		return constant(x.Args[1])
	case x.Op == alu.Add && x.Args[1] == p:
		return constant(x.Args[0])
	case x.Op == alu.Sub && x.Args[0] == p:
		by, ok = constant(x.Args[1])
		return -by, ok
	}
	return 0, false
}
