package opt

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// Invariants tells what is the same in all rounds of a loop. It asks of every value
// once: one may be an operand of many.
type Invariants struct {
	loops *cfg.CycleForest
	loop  *cfg.Cycle
	known map[*kernel.Value]bool          // of what the loop computes
	made  map[*kernel.Value]*kernel.Value // the copies of CopyTo
}

// NewInvariants returns what is to find of one loop.
func NewInvariants(loops *cfg.CycleForest, loop *cfg.Cycle) *Invariants {
	return &Invariants{loops, loop, map[*kernel.Value]bool{}, map[*kernel.Value]*kernel.Value{}}
}

// inside reports whether the loop computes v.
func (s *Invariants) inside(v *kernel.Value) bool {
	return v.Block != nil && s.loops.Contains(s.loop, v.Block.ID)
}

// Has reports whether v is the same in all rounds.
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

// CopyTo returns v, which is invariant, or a copy at the end of b of what the loop
// computes of it. One loop's copies are all of one block.
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
