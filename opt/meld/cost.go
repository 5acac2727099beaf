package meld

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Costs are what 16 lanes take, in units of 0.04 ns: a simple vector operation
// is 4. They need be no better than to tell what is worth a few selects; the
// plan prices in earnest what comes out.

// form is how a value is kept: as one scalar (lane l holds lane 0's value plus
// l*step) or as a vector.
type form struct {
	step   int64
	vector bool
}

// opCost prices a pure operation on scalars and on vectors of elements of up
// to 4 bytes and of 8.
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
	// guardCost is that of a branch that lanes diverge at: masks for both
	// sides, tests whether any lane goes there, jumps.
	guardCost = 40
	// anchorCost is what an operation must cost at least to be aligned for its
	// own sake; cheaper ones meld where their users do.
	anchorCost = 60
	// never is more than anything saves.
	never = 1 << 20
)

// pureCost prices a pure operation by its operator and its widest operand.
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

// selectCost prices a select of vectors, also one that linearization makes of
// a block parameter. What an address is computed from (inAddress) is kept in 32
// bits, and as a scalar and an offset, unless it is selected.
func selectCost(t kernel.Type, inAddress bool) int {
	switch {
	case t == alu.PtrPrivate:
		return never // its place in the frame would be lost
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

// addressCost prices an operation that an address is computed with: what the
// address of a gather does itself is free.
func addressCost(v *kernel.Value) int {
	switch v.Op {
	case kernel.PtrAdd, alu.SExt, alu.ZExt, alu.Shl:
		return 1
	}
	return pureCost(v, true)
}

// addressForm is the form that an access has its address in, which may be
// better than that of the pointer: computed in 32 bits, extensions do not wrap
// and so keep steps.
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

// accessCost prices a load or a store of n components of size bytes at an
// address of form at.
func accessCost(store bool, at form, private bool, size, n int) int {
	step := at.step
	if private && !at.vector { // every lane's own
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
