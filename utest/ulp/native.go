package ulp

import "math"

// native are the native_ and half_ functions. The specification requires little; these are
// this implementation's bounds, for the arguments on which they hold.
var native = func() []Function {
	var out []Function
	for _, r := range []struct {
		of     []Function
		name   string
		bound  float64
		lo, hi float64
	}{
		{exponential, "exp", 8, -0x1.5d589ep+6, 0x1.62e42ep+6},
		{exponential, "exp2", 8, -126, 0x1.fffffep+6},
		{exponential, "exp10", 8, -0x1.2f703p+5, 0x1.344134p+5},
		{exponential, "log", 6, 0x1p-126, math.MaxFloat32},
		{exponential, "log2", 6, 0x1p-126, math.MaxFloat32},
		{exponential, "log10", 6, 0x1p-126, math.MaxFloat32},
		{exponential, "powr", 256, 0.01, 17},
		{trigonometric, "sin", 4, -math.Pi, math.Pi},
		{trigonometric, "cos", 4, -math.Pi, math.Pi},
		{trigonometric, "tan", 5, -math.Pi, math.Pi},
	} {
		for _, f := range r.of {
			if f.Name != r.name {
				continue
			}
			for _, prefix := range []string{"native_", "half_"} {
				f.Name, f.Float, f.Double, f.Lo, f.Hi = prefix+r.name, r.bound, 0, r.lo, r.hi
				f.Absolute = 0x1p-149 // allows either sign of 0
				out = append(out, f)
			}
		}
	}
	return out
}()
