package pipeline

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/targets"
	viropt "github.com/simtc/simtc/vir/opt"
)

func TestDisabledPassesExist(t *testing.T) {
	for _, g := range allTargets {
		if g.DisabledPasses == nil {
			continue
		}
		for _, processor := range targets.Processors() {
			for _, width := range g.AllWidths() {
				for _, name := range g.DisabledPasses(width, targets.Options{Processor: processor}) {
					require.True(t, slices.ContainsFunc(slices.Concat(viropt.Passes, viropt.Final), func(p viropt.Pass) bool { return p.Name == name }), "%s disables %q", g.Name, name)
				}
			}
		}
	}
}
