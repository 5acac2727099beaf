package ulp

import (
	"fmt"
	"math"
	"strconv"
)

// Result is the largest error found, and its arguments.
type Result struct {
	Function string
	Type     Type
	Mode     string // "all" arguments, or a "sweep" of Count arguments
	Count    uint64 // number of arguments
	Max      float64

	X, Y, Got, Want float64 // at the largest error
}

func (r *Result) String() string {
	at := number(r.X)
	if f := Find(r.Function); f != nil && f.Arity == 2 {
		at += ", " + number(r.Y)
	}
	return fmt.Sprintf("%-14s %-6s %-5s %11d  max %8.3f ULP at (%s): %s, not %s",
		r.Function, r.Type, r.Mode, r.Count, r.Max, at, number(r.Got), number(r.Want))
}

func number(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }

// Bound is the largest error that the specification allows.
func (f *Function) Bound(t Type) float64 {
	if t == Float {
		return f.Float
	}
	return f.Double
}

// judge returns the error of got in ULP, and the right result.
func (f *Function) judge(t Type, x, y, got float64) (err, want float64) {
	want = f.Ref(x, y)
	if f.exact(t, x, y, want) {
		err = t.errorOf(got, want)
	} else {
		exact := f.Big(num().SetFloat64(x), num().SetFloat64(y))
		err = t.errorOfBig(got, exact)
		want, _ = exact.Float64()
	}
	if f.Absolute != 0 && err != 0 && math.Abs(got-want) <= f.Absolute {
		err = 0
	}
	return err, want
}

// exact reports whether want, the result of Ref, is accurate enough.
func (f *Function) exact(t Type, x, y, want float64) bool {
	finite := func(x float64) bool { return x-x == 0 }
	return t == Float && !f.Coarse || f.Big == nil || !finite(want) || want == 0 || !finite(x) || !finite(y)
}

func (r *Result) note(f *Function, t Type, x, y, got float64) {
	r.Count++
	if err, want := f.judge(t, x, y, got); err > r.Max {
		r.Max, r.X, r.Y, r.Got, r.Want = err, x, y, got, want
	}
}

// Measure applies the function to the arguments and compares.
func (r *Runner) Measure(a, b []float64) (*Result, error) {
	res := &Result{Function: r.Function.Name, Type: r.Type, Mode: "sweep"}
	out, err := r.Apply(a, b)
	if err != nil {
		return nil, err
	}
	for i := range a {
		res.note(r.Function, r.Type, a[i], b[i], out[i])
	}
	return res, nil
}

// Apply applies the function to arguments given as doubles, which must be representable in the
// type.
func (r *Runner) Apply(a, b []float64) ([]float64, error) {
	out := make([]float64, len(a))
	if r.Type == Double {
		return out, r.doubles(a, b, out)
	}
	x, y, z := singles(a), singles(b), make([]float32, len(a))
	err := r.floats(x, y, z)
	for i := range z {
		out[i] = float64(z[i])
	}
	return out, err
}

func singles(a []float64) []float32 {
	out := make([]float32, len(a))
	for i, x := range a {
		out[i] = float32(x)
	}
	return out
}

// All measures a function of one argument for every float. It computes the exact error only
// where the result differs from the double kernel's by more than the largest error so far;
// the double kernel's errors are negligible here and measured separately. progress, if not
// nil, is called from time to time with the number of arguments done.
func (r *Runner) All(progress func(done uint64)) (*Result, error) {
	f := r.Function
	if r.Type != Float || f.Arity != 1 || f.Coarse {
		return nil, fmt.Errorf("%s of %s cannot be measured for all arguments", f.Name, r.Type)
	}
	wide, err := NewRunner(f, Double, "")
	if err != nil {
		return nil, err
	}
	defer wide.Close()
	const chunk = 1 << 14
	res := &Result{Function: f.Name, Type: r.Type, Mode: "all"}
	in, out := make([]float32, chunk), make([]float32, chunk)
	in64, out64 := make([]float64, chunk), make([]float64, chunk)
	for first := uint64(0); first < 1<<32; first += chunk {
		for i := range in {
			in[i] = math.Float32frombits(uint32(first) + uint32(i))
			in64[i] = float64(in[i])
		}
		if err := r.floats(in, nil, out); err != nil {
			return nil, err
		}
		if err := wide.doubles(in64, nil, out64); err != nil {
			return nil, err
		}
		near := res.Max * 0x1p-24 // relative: a ULP exceeds 2^-24 of the number
		for i, got := range out {
			want := out64[i]
			if math.Abs(float64(got)-want) <= near*math.Abs(want) && want != 0 || same(got, float32(want)) {
				continue
			}
			if f.Hi != 0 && !(f.Lo <= in64[i] && in64[i] <= f.Hi) {
				continue
			}
			res.note(f, Float, in64[i], 0, float64(got))
			near = res.Max * 0x1p-24
		}
		if progress != nil && first&(1<<26-1) == 0 {
			progress(first)
		}
	}
	res.Count = 1 << 32
	res.Max = max(res.Max, 0.5) // the error of correctly rounded results
	return res, nil
}

// same reports whether a and b have the same bits or are both NaN.
func same(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}
