package simtc

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// steps bounds the rounds of a loop in which lanes exchange values that are
// worth a copy each: then it is known by whom. As many double the distance to the
// size of any sub-group.
const steps = 8

// sized returns f, which is prepared, for sub-groups of a width that it asks
// for. The prepared kernel, which all widths share, stays as it is; where blocks
// are counted, they are its own.
func (c config) sized(f *kernel.Func, stats opt.Stats) *kernel.Func {
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
