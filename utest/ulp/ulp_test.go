package ulp_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/utest/ulp"
)

// Sizes of the sweeps: what needs big numbers takes some 20 us each.
const floats, doubles = 24_000, 1_800

// TestErrors asks that no error exceeds what the specification allows.
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
