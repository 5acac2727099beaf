package ulp_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/simtc/simtc/internal/testgc"
	"github.com/simtc/simtc/utest/ulp"
)

// Sizes of the sweeps: the multi-precision references take about 20 us per argument.
const floats, doubles = 5_000, 450

// TestErrors checks that no error exceeds the specification's bound.
func TestErrors(t *testing.T) {
	for i := range ulp.Functions {
		f := &ulp.Functions[i]
		for _, typ := range []ulp.Type{ulp.Float, ulp.Double} {
			if f.Bound(typ) == 0 {
				continue
			}
			t.Run(f.Name+"/"+typ.String(), func(t *testing.T) {
				r, err := ulp.NewRunner(f, typ, "")
				require.NoError(t, err)
				defer r.Close()
				n := floats
				if typ == ulp.Double || f.Coarse {
					n = doubles
				}
				a, b := f.Sweep(typ, n, 7)
				res, err := r.Measure(a, b)
				require.NoError(t, err)
				require.LessOrEqual(t, res.Max, f.Bound(typ), res.String())
			})
		}
	}
}

// TestHalfAngles checks that half_sin, half_cos and half_tan have errors of at most 8192 ULP up
// to 2^16 (OpenCL C 1.2 7.4), including their zeros and poles.
func TestHalfAngles(t *testing.T) {
	var x []float64
	for n := 1; float64(n)*math.Pi/2 < 1<<16; n++ {
		near := float32(float64(n) * math.Pi / 2)
		for _, v := range []float32{near, math.Nextafter32(near, 0), math.Nextafter32(near, 1<<16)} {
			x = append(x, float64(v), -float64(v))
		}
	}
	for _, f := range ulp.Functions {
		if f.Name != "half_sin" && f.Name != "half_cos" && f.Name != "half_tan" {
			continue
		}
		f.Lo, f.Hi = -1<<16, 1<<16
		r, err := ulp.NewRunner(&f, ulp.Float, "")
		require.NoError(t, err)
		res, err := r.Measure(x, make([]float64, len(x)))
		require.NoError(t, err)
		require.LessOrEqual(t, res.Max, 8192.0, res.String())
		require.NoError(t, r.Close())
	}
}

func TestRecordKeepsTheBestKnown(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.tsv")
	all := &ulp.Result{Function: "rsqrt", Type: ulp.Float, Mode: "all", Count: 1 << 32, Max: 1.2345, X: 3}
	require.NoError(t, ulp.Record(file, all))
	require.NoError(t, ulp.Record(file,
		&ulp.Result{Function: "sqrt", Type: ulp.Double, Mode: "sweep", Count: 7, Max: 0.5},
		&ulp.Result{Function: "rsqrt", Type: ulp.Float, Mode: "sweep", Count: 9, Max: 0.1}))
	got, err := ulp.Load(file)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.Equal(t, "sqrt", got[0].Function)
	require.Equal(t, "all", got[1].Mode)
	require.Equal(t, 1.235, got[1].Max)
	require.Equal(t, 3.0, got[1].X)
}
