// Package canonical brings the inputs of golden tests into the form that divergence analysis
// and the linearizers require: lowered and canonicalized OpenCL C or kernel IR, with all
// branches of the text. Only tests import it.
package canonical

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Kernel returns the single kernel of section in.cl or in.simt, canonicalized.
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

// Simplify removes redundancy of lowering and keeps the control flow.
func Simplify(f *kernel.Func) {
	for _, pass := range []func(*kernel.Func, opt.Stats){
		opt.RemoveUnreachable, opt.Promote, opt.RemoveTrivialParams, opt.Fold, opt.CSE, opt.RemoveDead,
	} {
		pass(f, nil)
	}
}

// Form establishes the preconditions of package blockip.
func Form(t testing.TB, f *kernel.Func) {
	t.Helper()
	for _, pass := range []func(*kernel.Func, opt.Stats){
		opt.RemoveUnreachable, opt.LowerSwitch, opt.MergeReturns, opt.CanonicalizeLoops, opt.RemoveTrivialParams, opt.LCSSA,
	} {
		pass(f, nil)
		require.NoError(t, kernel.Verify(f))
	}
}
