package opt

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// invariant reports whether v is the same in all rounds of the loop c.
func invariant(loops *cfg.CycleForest, c *cfg.Cycle, v *kernel.Value) bool {
	if v.Block == nil || !loops.Contains(c, v.Block.ID) {
		return true
	}
	return v.Op != kernel.Param && kernel.InfoOf(v.Op).Effect == kernel.Pure &&
		!slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !invariant(loops, c, a) })
}

// copyInvariant returns v, which is invariant, or a copy at the end of b of what the
// loop c computes of it.
func copyInvariant(b *kernel.Block, loops *cfg.CycleForest, c *cfg.Cycle, v *kernel.Value) *kernel.Value {
	if v.Block == nil || !loops.Contains(c, v.Block.ID) {
		return v
	}
	args := make([]*kernel.Value, len(v.Args))
	for i, a := range v.Args {
		args[i] = copyInvariant(b, loops, c, a)
	}
	x := b.Append(v.Op, v.Type, args...)
	x.Index, x.Size, x.Name, x.Pos = v.Index, v.Size, v.Name, v.Pos
	return x
}
