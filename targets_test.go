package simtc

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	viropt "github.com/simtc/simtc/vir/opt"
)

func TestTargetsLeaveOutPassesThatThereAre(t *testing.T) {
	for _, g := range targets {
		for _, name := range g.without {
			require.True(t, slices.ContainsFunc(slices.Concat(viropt.Passes, viropt.Final), func(p viropt.Pass) bool { return p.Name == name }), "%s goes without %q", g.name, name)
		}
	}
}
