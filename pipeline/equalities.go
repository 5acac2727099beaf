package pipeline

import (
	"slices"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/equalities"
)

// withEqualities returns the input of a linearizer with addresses and conditions that are
// uniform under the masks of their blocks. It does not modify the prepared kernel, which all
// widths share.
func (in lowering) withEqualities(stats opt.Stats) lowering {
	if !slices.Contains(in.info.Divergent, true) {
		return in
	}
	f := kernel.Clone(in.kernel)
	uniform := make([]bool, len(in.info.Shapes)) // values of the clone have the IDs of the original values
	for i, s := range in.info.Shapes {
		uniform[i] = s.IsUniform()
	}
	if !equalities.Use(f, in.info.Divergent, uniform, !in.cfg.counting, stats) {
		return in
	}
	return lowering{f, divergence.Analyze(f, in.cfg.analysis()), in.cfg}
}
