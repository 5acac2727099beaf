package combine

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// fact records that a value has these bits in all blocks that from dominates.
type fact struct {
	from *vir.Block
	bits uint64
}

// maxImplied bounds the depth to which conditions are decomposed.
const maxImplied = 6

// recordBranch records the condition of the branch that leads into the block, if that is the block's
// only incoming edge.
func (s *rewriter) recordBranch() {
	in := s.in[s.b.ID]
	if len(in) != 1 || in[0].From.Kind != vir.Branch || in[0].From.Cond.Op == vir.Const {
		return
	}
	taken := uint64(1)
	if in[0].N == 1 {
		taken = 0
	}
	s.recordFact(in[0].From.Cond, taken, maxImplied)
}

// recordFact records that v has these bits in the blocks dominated by the current one, with what
// follows for its operands.
func (s *rewriter) recordFact(v *vir.Value, bits uint64, depth int) {
	if v.Op == vir.Const || depth == 0 {
		return
	}
	if _, ok := s.decided(v); !ok {
		s.known[v] = fact{s.b, bits}
	}
	if v.Type.Elem != alu.I1 {
		return
	}
	yes := bits != 0
	s.recordBounds(v, yes)
	switch {
	case v.Op == alu.Xor && analysis.IsOnes(v.Args[1]):
		s.recordFact(v.Args[0], 1-bits, depth-1)
	case v.Op == alu.And && yes, v.Op == alu.Or && !yes:
		s.recordFact(v.Args[0], bits, depth-1)
		s.recordFact(v.Args[1], bits, depth-1)
	case v.Op == vir.Any && yes:
		s.recordNonEmpty(v.Args[0], depth-1)
	case v.Op == vir.Any || v.Op == vir.All && yes:
		s.recordFact(v.Args[0], bits, depth-1)
	case v.Op == alu.Eq && yes || v.Op == alu.Ne && !yes:
		if c := v.Args[1]; c.Op == vir.Const {
			s.recordFact(v.Args[0], c.Const, depth-1)
		}
	}
}

// bounds records that a value is nonnegative and from min to max in all blocks that from
// dominates.
type bounds struct {
	from     *vir.Block
	min, max uint64
}

// maxBounds limits the bounds recorded for a value.
const maxBounds = 4

// recordBounds records the bounds that the comparison test implies for its operand in the blocks
// dominated by the current one, if they show it to be nonnegative.
func (s *rewriter) recordBounds(test *vir.Value, yes bool) {
	x, r := analysis.IntervalOf(test)
	if x == nil {
		return
	}
	if !yes {
		r = r.Not()
	}
	if high := r.Mask >> 1; r.Empty || r.First > high || r.Last() > high || r.First > r.Last() {
		return
	}
	kept := s.bounds[x][:0]
	for _, k := range s.bounds[x] {
		if s.dom.Dominates(k.from.ID, s.b.ID) {
			kept = append(kept, k)
		}
	}
	if len(kept) < maxBounds {
		kept = append(kept, bounds{s.b, r.First, r.Last()})
	}
	s.bounds[x] = kept
}

// isNonnegative reports whether x is known to be nonnegative in the current block: by the bits
// that may be set, or by the bounds of x or of y for x = y + constant.
func (s *rewriter) isNonnegative(x *vir.Value) bool {
	top := x.Type.Elem.Mask() >> 1
	if mayBeSet(x, 4) <= top || s.valueBounds.isNonnegative(x, s.b) {
		return true
	}
	c := uint64(0)
	if x.Op == alu.Add && x.Args[1].Op == vir.Const {
		if s.isWithin(x, 0, top) {
			return true
		}
		x, c = x.Args[0], x.Args[1].Const
	}
	if c > top {
		return s.isWithin(x, -c&(2*top+1), top)
	}
	return s.isWithin(x, 0, top-c)
}

// isWithin reports whether x is known to be from low to high in the current block.
func (s *rewriter) isWithin(x *vir.Value, low, high uint64) bool {
	for _, k := range s.bounds[x] {
		if k.min >= low && k.max <= high && s.dom.Dominates(k.from.ID, s.b.ID) {
			return true
		}
	}
	return false
}

// recordNonEmpty records that mask has an active lane in the blocks dominated by the current one.
func (s *rewriter) recordNonEmpty(mask *vir.Value, depth int) {
	if mask.Op == vir.Const || depth == 0 {
		return
	}
	if from := s.nonEmpty[mask]; from == nil || !s.dom.Dominates(from.ID, s.b.ID) {
		s.nonEmpty[mask] = s.b
	}
	if mask.Op == alu.And {
		s.recordNonEmpty(mask.Args[0], depth-1)
		s.recordNonEmpty(mask.Args[1], depth-1)
	}
}

// decided returns the constant that v is known to be in the current block.
func (s *rewriter) decided(v *vir.Value) (*vir.Value, bool) {
	k, ok := s.known[v]
	if !ok || !s.dom.Dominates(k.from.ID, s.b.ID) {
		return nil, false
	}
	return s.constant(v.Type, k.bits), true
}

// hasLane reports whether mask is known to have an active lane in the current block.
func (s *rewriter) hasLane(mask *vir.Value, depth int) bool {
	if from := s.nonEmpty[mask]; from != nil && s.dom.Dominates(from.ID, s.b.ID) {
		return true
	}
	return depth > 0 && mask.Op == alu.Or &&
		(s.hasLane(mask.Args[0], depth-1) || s.hasLane(mask.Args[1], depth-1))
}
