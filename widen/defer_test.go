package widen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt/lanes/deferral"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

// TestDefer prints the combination of two parts of a kernel and checks that the parts stay
// unchanged.
func TestDefer(t *testing.T) {
	golden.Run(t, "testdata/deferred/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		const width = 4
		f := canonical.Kernel(t, files)
		shapes := func(f *kernel.Func) *divergence.Info {
			return divergence.Analyze(f, divergence.Options{Width: width})
		}
		p := deferral.Split(f, shapes(f), deferral.Options{})
		require.NotNil(t, p)
		var parts [2]*vir.Func
		var text [2]string
		for i, k := range []*kernel.Func{p.Now, p.Later} {
			v, _, err := structurize.Linearize(k, shapes(k), structurize.Options{Options: widen.Options{Width: width}})
			require.NoError(t, err)
			v.Renumber()
			parts[i], text[i] = v, v.String()
		}
		v := widen.Defer(parts[0], parts[1], widen.Queue{FirstArg: deferral.FirstArg, Fields: p.Fields})
		require.NoError(t, vir.Verify(v))
		for i, part := range parts {
			require.Equal(t, text[i], part.String())
		}
		return map[string]string{"out.vir": v.String()}
	})
}
