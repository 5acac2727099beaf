package opt

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// Invariants finds the loop-invariant values of a loop. It caches its results: a value may
// be an operand of many.
type Invariants struct {
	loops *cfg.CycleForest
	loop  *cfg.Cycle
	known map[*kernel.Value]bool          // by value that the loop computes
	made  map[*kernel.Value]*kernel.Value // the copies that CopyTo created
}

// NewInvariants returns the Invariants of one loop.
func NewInvariants(loops *cfg.CycleForest, loop *cfg.Cycle) *Invariants {
	return &Invariants{loops, loop, map[*kernel.Value]bool{}, map[*kernel.Value]*kernel.Value{}}
}

// inside reports whether v is computed in the loop.
func (s *Invariants) inside(v *kernel.Value) bool {
	return v.Block != nil && s.loops.Contains(s.loop, v.Block.ID)
}

// Has reports whether v is loop-invariant.
func (s *Invariants) Has(v *kernel.Value) bool {
	if !s.inside(v) {
		return true
	}
	is, ok := s.known[v]
	if !ok {
		is = v.Op != kernel.Param && kernel.InfoOf(v.Op).Effect == kernel.Pure &&
			!slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !s.Has(a) })
		s.known[v] = is
	}
	return is
}

// CopyTo returns v, which is invariant, or a copy of it at the end of b if the loop computes
// it. All calls must pass the same block.
func (s *Invariants) CopyTo(b *kernel.Block, v *kernel.Value) *kernel.Value {
	if !s.inside(v) {
		return v
	}
	x := s.made[v]
	if x == nil {
		args := make([]*kernel.Value, len(v.Args))
		for i, a := range v.Args {
			args[i] = s.CopyTo(b, a)
		}
		x = b.AppendLike(v, args...)
		s.made[v] = x
	}
	return x
}
