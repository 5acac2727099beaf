package simtc

import (
	"slices"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/meld"
)

// melded returns what a linearizer is given with the arms of divergent
// branches melded. The prepared kernel, which all widths share, stays as it is.
//
// Where blocks are counted, they are those of the prepared kernel: profiles of
// all targets tell of the same ones.
func (in lowering) melded(stats opt.Stats) lowering {
	if in.cfg.counting || !slices.Contains(in.info.Divergent, true) {
		return in
	}
	f := kernel.Clone(in.kernel)
	changed := meld.Arms(f, meld.Lanes{
		Divergent: in.info.Divergent, Joins: in.info.Joins,
		Stride: func(v *kernel.Value) (int64, bool) {
			// The clone's values have the IDs of the original's.
			s := in.info.Shapes[v.ID]
			return s.Stride, s.IsStrided()
		},
	}, stats)
	if !changed {
		return in
	}
	return lowering{f, divergence.Analyze(f, in.cfg.divergence()), in.cfg}
}
