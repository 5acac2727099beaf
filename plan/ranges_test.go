package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
)

// A number uniform in a range is below a constant with probability proportional to the
// constant.
func TestUniformRanges(t *testing.T) {
	price := func(condition, number string) float64 {
		return avx512.Costs.Price(scalar(t, `%at = add.i64 %a, %i
%x = load.i32 %at align 4
%y = load.i32 %at disp 4 align 4
%f = load.f32 %at disp 8 align 4
`+condition+`
branch %in, b3, b4
b3:
  %q = `+number+` %x, %y
  store.i32 %at, %q align 4
  jump b4
b4:`)).Parts[plan.Division]
	}
	arm := func(condition string) float64 { return price(condition, "udiv.i32") - price(condition, "add.i32") }
	even := arm("%in = slt.i32 %x, 100") // may be any number
	for condition, probability := range map[string]float64{
		"%l = and.i32 %x, 1023\n%in = slt.i32 %l, 16": 1.0 / 64,
		"%l = and.i32 %x, 1023\n%in = sle.i32 %l, 15": 1.0 / 64,
		"%l = and.i32 %x, 1023\n%in = slt.i32 15, %l": 63.0 / 64,
		"%l = and.i32 %x, 1000\n%in = slt.i32 %l, 16": 0.5,
		"%l = and.i32 %x, 1023\n%in = slt.i32 %l, %y": 0.5,
		"%h = umulhi.i32 %x, 274877907\n%d = lshr.i32 %h, 6\n%m = mul.i32 %d, 1000\n%l = sub.i32 %x, %m\n%in = ult.i32 %l, 10": 0.01,
		"%m = mul.i32 %y, 1000\n%l = sub.i32 %x, %m\n%in = ult.i32 %l, 10":                                                     0.5,
		"%l = lshr.i32 %x, 24\n%in = slt.i32 %l, 64":                                                                           0.25,
		"%l = lshr.i32 %x, 4\n%in = slt.i32 %l, 64":                                                                            0.5,
		"%h = mul.i32 %x, -1640531535\n%in = ult.i32 %h, 268435456":                                                            1.0 / 16,
		"%h = mul.i32 %x, -1640531535\n%in = slt.i32 %h, 268435456":                                                            0.5,
		"%h = mul.i32 %x, -1640531535\n%g = add.i32 %h, 1\n%l = lshr.i32 %g, 8\n%in = ult.i32 %l, 1048576":                     1.0 / 16,
		"%s = shl.i32 %x, 13\n%h = xor.i32 %x, %s\n%in = ult.i32 %h, 268435456":                                                1.0 / 16,
		"%l = lshr.i32 %x, 8\n%v = uitofp.f32 %l\n%u = fmul.f32 %v, 5.9604645e-08\n%in = flt.f32 %u, 0.125":                    0.125,
		"%l = and.i32 %x, 255\n%v = sitofp.f32 %l\n%u = fdiv.f32 %v, 256.0\n%in = flt.f32 0.75, %u":                            0.25,
		"%v = uitofp.f32 %x\n%u = fmul.f32 %v, 0.5\n%in = flt.f32 %u, 0.125":                                                   0.5,
		"%in = flt.f32 %f, 0.125": 0.5,
	} {
		require.InEpsilon(t, probability/0.5, arm(condition)/even, 0.02, condition)
	}
}
