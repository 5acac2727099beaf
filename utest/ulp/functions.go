package ulp

import (
	"math"
	"math/big"
)

// Function is a row of the table: a built-in function, its references and its bounds.
type Function struct {
	Name string
	// Arity is the number of arguments, 1 or 2. If Int is set, the second is an int.
	Arity int
	Int   bool

	// Float and Double are the maximal errors in ULP (OpenCL C 1.2 tables 7.1 and 7.2). Double
	// is 0 if the specification sets no bound for double.
	Float, Double float64

	// Ref returns the result for special arguments and wherever the result is NaN, infinite or
	// zero. Unless Coarse is set, float results are compared with it: its relative error must
	// be far below 2^-24.
	Ref    func(x, y float64) float64
	Coarse bool
	// Big returns the result to 100 bits or more, for finite arguments for which Ref is finite
	// and not 0.
	Big func(x, y *big.Float) *big.Float

	// Statement computes r from x and y; "" calls Name.
	Statement string

	// Lo and Hi, if Hi is not 0, limit the arguments of sweeps to the function's valid range.
	// Absolute, if not 0, is an absolute error that is always allowed.
	Lo, Hi   float64
	Absolute float64
}

// one adapts a function of one argument to two.
func one(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func oneBig(f func(*big.Float) *big.Float) func(x, y *big.Float) *big.Float {
	return func(x, _ *big.Float) *big.Float { return f(x) }
}

// Functions lists all measured functions, in the order of the specification's table, grouped
// by file.
var Functions = join(roots, exponential, trigonometric, native, inverse, hyperbolic, gamma, exact)

var roots = []Function{
	{Name: "sqrt", Arity: 1, Float: 3, Double: 0.5, Ref: one(math.Sqrt), Big: oneBig(bigSqrt)},
	{Name: "rsqrt", Arity: 1, Float: 2, Double: 2, Ref: one(refRsqrt), Big: oneBig(bigRsqrt)},
}

func join(lists ...[]Function) []Function {
	var out []Function
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// Find returns the row of a function, or nil.
func Find(name string) *Function {
	for i := range Functions {
		if Functions[i].Name == name {
			return &Functions[i]
		}
	}
	return nil
}

func refRsqrt(x float64) float64 { return 1 / math.Sqrt(x) }

func bigSqrt(x *big.Float) *big.Float { return num().Sqrt(x) }

func bigRsqrt(x *big.Float) *big.Float { return quo(whole(1), bigSqrt(x)) }
