package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/kernel"
)

// testOptions has the settings that tests need of package simtc.
type testOptions struct {
	Settings
	Strategy
	clc clc.Options
}

// compile compiles a source as package simtc does and returns its kernels.
func compile(t testing.TB, source string, o testOptions) []*Kernel {
	t.Helper()
	if o.File == "" {
		o.File = "kernel.cl"
	}
	if o.Processor == "" {
		o.Processor = targets.Zen4
	}
	choice, err := o.Strategy.Choose()
	require.NoError(t, err)
	lower := func(names ...string) (*kernel.Module, error) {
		opt := o.clc
		opt.Kernels = names
		return clc.CompileAll([]clc.Source{{File: o.File, Text: source}}, opt)
	}
	m, err := lower()
	require.NoError(t, err)
	p := &Program{
		Settings: o.Settings, Module: m,
		Lower:   func(name string) (*kernel.Module, error) { return lower(name) },
		Source:  func(file string) (string, bool) { return source, file == o.File },
		Located: func(err error) error { return err },
	}
	ks := p.Kernels(choice)
	t.Cleanup(func() {
		for _, k := range ks {
			require.NoError(t, k.Close())
		}
		require.NoError(t, p.Close())
	})
	return ks
}

func mustWith(t *testing.T, k *Kernel, s Strategy) *Kernel {
	t.Helper()
	k, err := k.With(s)
	require.NoError(t, err)
	return k
}
