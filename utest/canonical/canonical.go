// Package canonical brings the inputs of golden tests into the form that
// divergence analysis and the linearizers take: OpenCL C or kernel IR, lowered
// and canonicalized, but with every branch the text has. Only tests import it.
package canonical

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Kernel returns the one kernel of section in.cl or in.simt, canonicalized.
func Kernel(t *testing.T, files map[string]string) *kernel.Func {
	t.Helper()
	var m *kernel.Module
	var err error
	if text, ok := files["in.cl"]; ok {
		m, err = clc.Compile("in.cl", text, clc.Options{})
	} else {
		require.Contains(t, files, "in.simt")
		m, err = kernel.Parse("in.simt", files["in.simt"])
	}
	require.NoError(t, err)
	require.Len(t, m.Funcs, 1)
	if _, ok := files["in.cl"]; ok {
		Simplify(m.Funcs[0])
	}
	Form(t, m.Funcs[0])
	return m.Funcs[0]
}

// Simplify takes out what lowering leaves; control flow stays as written.
func Simplify(f *kernel.Func) {
	for _, pass := range []func(*kernel.Func, opt.Stats){
		opt.RemoveUnreachable, opt.Promote, opt.RemoveTrivialParams, opt.Fold, opt.CSE, opt.RemoveDead,
	} {
		pass(f, nil)
	}
}

// Form establishes what package blockip requires, and nothing more.
func Form(t testing.TB, f *kernel.Func) {
	t.Helper()
	for _, pass := range []func(*kernel.Func, opt.Stats){
		opt.RemoveUnreachable, opt.LowerSwitch, opt.MergeReturns, opt.CanonicalizeLoops, opt.RemoveTrivialParams, opt.LCSSA,
	} {
		pass(f, nil)
		require.NoError(t, kernel.Verify(f))
	}
}
