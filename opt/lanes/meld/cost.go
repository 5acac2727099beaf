package meld

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Costs are for 16 lanes, in units of 0.04 ns: a simple vector operation costs 4. They only
// have to tell whether a few selects pay; the cost model of package plan prices the result.

// form is the representation of a value: a scalar (lane l holds lane 0's value plus
// l*step) or a vector.
type form struct {
	step   int64
	vector bool
}

// opCost is the cost of a pure operation on scalars, and on vectors of elements of up to 4
// bytes and of 8 bytes.
type opCost struct{ scalar, narrow, wide int }

var (
	dividing = opCost{50, 320, 1100}
	highHalf = opCost{10, 40, 250}
	floating = opCost{4, 7, 14}
	extremum = opCost{10, 20, 40}
	rounding = opCost{5, 8, 16}
	simple   = opCost{2, 4, 8}
)

var opCosts = map[kernel.Op]opCost{
	alu.UDiv: dividing, alu.SDiv: dividing, alu.URem: dividing, alu.SRem: dividing,
	alu.UMulHi: highHalf, alu.SMulHi: highHalf, alu.Mul: {6, 14, 40},
	alu.Shl: {3, 7, 14}, alu.LShr: {3, 7, 14}, alu.AShr: {3, 7, 14}, alu.Rotl: {3, 7, 14},
	alu.Clz: {5, 8, 16}, alu.Popcount: {5, 50, 100},
	alu.FAdd: floating, alu.FSub: floating, alu.FMul: floating, alu.FMA: floating,
	alu.PMin: floating, alu.PMax: floating, alu.FMin: extremum, alu.FMax: extremum,
	alu.FDiv: {25, 70, 230}, alu.FSqrt: {35, 100, 350},
	alu.FFloor: rounding, alu.FCeil: rounding, alu.FTrunc: rounding, alu.FRint: rounding,
	alu.Trunc: {1, 9, 13}, alu.ZExt: {1, 6, 9}, alu.SExt: {1, 6, 9},
	alu.FPTrunc: {5, 10, 20}, alu.FPExt: {5, 10, 20}, alu.SIToFP: {5, 10, 20}, alu.UIToFP: {5, 10, 20},
	alu.FPToSI: {5, 10, 20}, alu.FPToUI: {5, 10, 20}, alu.Bitcast: {1, 0, 0},
	kernel.PtrAdd: {2, 4, 4}, kernel.Component: {},
}

const (
	// guardCost is the cost of a divergent branch: masks for both sides, tests for active
	// lanes, jumps.
	guardCost = 40
	// anchorCost is the minimal cost of operations that are aligned themselves; cheaper ones
	// meld along with their users.
	anchorCost = 60
	// never exceeds every possible gain.
	never = 1 << 20
)

// pureCost prices a pure operation by its opcode and its widest operand.
func pureCost(v *kernel.Value, vector bool) int {
	c, ok := opCosts[v.Op]
	if !ok {
		c = simple
	}
	wide := v.Type.Size() > 4
	for _, a := range v.Args {
		wide = wide || a.Type.Size() > 4
	}
	switch {
	case v.Op == alu.Select && vector:
		return selectCost(v.Type, false)
	case !vector:
		return c.scalar
	case wide:
		return c.wide
	}
	return c.narrow
}

// selectCost prices a select of vectors, including those that linearization makes of block
// parameters. Parts of an address (inAddress) are otherwise computed in 32 bits and split
// into a scalar and an offset, which a select prevents.
func selectCost(t kernel.Type, inAddress bool) int {
	switch {
	case t == alu.PtrPrivate:
		return never // the object's frame offset would be lost
	case t.IsPtr():
		return 45
	case t == alu.I1:
		return 20
	case t.Size() > 4 && inAddress:
		return 25
	case t.Size() > 4:
		return 12
	}
	return 6
}

// addressCost prices an operation within an address. Those that the addressing of a gather
// performs itself are nearly free.
func addressCost(v *kernel.Value) int {
	switch v.Op {
	case kernel.PtrAdd, alu.SExt, alu.ZExt, alu.Shl:
		return 1
	}
	return pureCost(v, true)
}

// addressForm returns the form of an access's address, which may be better than that of the
// pointer: extensions of 32-bit parts do not wrap and so keep strides.
func addressForm(v *kernel.Value, formOf func(*kernel.Value) form, args operands, depth int) form {
	f := formOf(v)
	if !f.vector || depth == 0 {
		return f
	}
	part := func(x *kernel.Value) form { return addressForm(x, formOf, args, depth-1) }
	xs := args(v)
	switch v.Op {
	case alu.SExt, alu.ZExt:
		if xs[0].Type == alu.I32 {
			return part(xs[0])
		}
	case kernel.PtrAdd, alu.Add, alu.Sub:
		x, y := part(xs[0]), part(xs[1])
		if v.Op == alu.Sub {
			y.step = -y.step
		}
		return form{x.step + y.step, x.vector || y.vector}
	case alu.Mul, alu.Shl:
		if xs[1].Op != kernel.Const {
			return f
		}
		scale := int64(xs[1].Const)
		if v.Op == alu.Shl {
			scale = 1 << (xs[1].Const & 31)
		}
		x := part(xs[0])
		return form{x.step * scale, x.vector}
	}
	return f
}

// accessCost prices a load or store of n components of size bytes at an address of the given
// form.
func accessCost(store bool, at form, private bool, size, n int) int {
	step := at.step
	if private && !at.vector { // private memory of lanes is adjacent
		step += int64(size * n)
	}
	pick := func(load, st int) int {
		if store {
			return st
		}
		return load
	}
	switch {
	case at.vector:
		c := pick(190, 230)
		if size < 4 {
			c = pick(380, 490)
		} else if size > 4 {
			c = pick(210, 250)
		}
		return n * c
	case step == 0:
		return n * pick(4, 7)
	case step == int64(size*n) && n == 1:
		return pick(11, 20)
	case step == int64(size*n):
		return n * pick(22, 40)
	}
	return n * pick(60, 100)
}
