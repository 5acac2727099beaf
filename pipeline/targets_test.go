package pipeline

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	viropt "github.com/simtc/simtc/vir/opt"
)

func TestDisabledPassesExist(t *testing.T) {
	for _, g := range targets {
		for _, name := range g.disabledPasses {
			require.True(t, slices.ContainsFunc(slices.Concat(viropt.Passes, viropt.Final), func(p viropt.Pass) bool { return p.Name == name }), "%s disables %q", g.name, name)
		}
	}
}
