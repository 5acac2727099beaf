package pipeline

import (
	"slices"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/meld"
)

// melded returns the input of a linearizer with the arms of divergent branches melded. It does
// not modify the prepared kernel, which all widths share. Profiles count the blocks of the
// prepared kernel, so that those of all targets agree.
func (in lowering) melded(stats opt.Stats) lowering {
	if in.cfg.counting || !slices.Contains(in.info.Divergent, true) {
		return in
	}
	f := kernel.Clone(in.kernel)
	changed := meld.Arms(f, meld.Lanes{
		Divergent: in.info.Divergent, Joins: in.info.Joins, NoAlias: !in.cfg.overlap,
		Stride: func(v *kernel.Value) (int64, bool) {
			// Values of the clone have the IDs of the original values.
			s := in.info.Shapes[v.ID]
			return s.Stride, s.IsStrided()
		},
	}, stats)
	if !changed {
		return in
	}
	return lowering{f, divergence.Analyze(f, in.cfg.analysis()), in.cfg}
}
