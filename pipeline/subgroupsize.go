package pipeline

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// steps is the unroll limit of loops in which lanes exchange values: unrolling makes the source
// lanes constant. As many steps double a distance up to the size of any sub-group.
const steps = 8

// sized returns f, which is prepared, specialized for sub-groups of the Choice's width. It
// does not modify the prepared kernel, which all widths share; profiles use its blocks.
func (c Choice) sized(f *kernel.Func, stats opt.Stats) *kernel.Func {
	if c.counting || !f.Uses(kernel.Lanes) {
		return f
	}
	f = kernel.Clone(f)
	width := f.Const(alu.I32, uint64(c.width))
	replace := func(vs []*kernel.Value) {
		for i, v := range vs {
			if v.Op == kernel.Lanes {
				vs[i] = width
			}
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			replace(v.Args)
		}
		for _, e := range b.Edges {
			replace(e.Args)
		}
	}
	loops := cfg.Cycles(f.Graph())
	for _, l := range loops.Cycles {
		header := f.Blocks[l.Header]
		exchanges := slices.ContainsFunc(l.Blocks, func(id int) bool {
			return slices.ContainsFunc(f.Blocks[id].Values, func(v *kernel.Value) bool { return v.Op == kernel.Shuffle })
		})
		if exchanges && header.Unroll == 0 && len(l.Children) == 0 {
			header.Unroll = steps
		}
	}
	for _, p := range opt.Resize {
		p.Run(f, stats)
	}
	return f
}
