package combine

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// fact says that a value has these bits wherever from dominates.
type fact struct {
	from *vir.Block
	bits uint64
}

// maxImplied bounds how deep conditions are taken apart.
const maxImplied = 6

// enter notes what the only way into the block decides.
func (s *rewriter) enter() {
	in := s.in[s.b.ID]
	if len(in) != 1 || in[0].From.Kind != vir.Branch || in[0].From.Cond.Op == vir.Const {
		return
	}
	taken := uint64(1)
	if in[0].N == 1 {
		taken = 0
	}
	s.note(in[0].From.Cond, taken, maxImplied)
}

// note records that v has these bits from here on, and what follows for the
// values it is made of.
func (s *rewriter) note(v *vir.Value, bits uint64, depth int) {
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
	s.noteBounds(v, yes)
	switch {
	case v.Op == alu.Xor && analysis.IsOnes(v.Args[1]):
		s.note(v.Args[0], 1-bits, depth-1)
	case v.Op == alu.And && yes, v.Op == alu.Or && !yes:
		s.note(v.Args[0], bits, depth-1)
		s.note(v.Args[1], bits, depth-1)
	case v.Op == vir.Any && yes:
		s.noteSome(v.Args[0], depth-1)
	case v.Op == vir.Any || v.Op == vir.All && yes:
		s.note(v.Args[0], bits, depth-1)
	case v.Op == alu.Eq && yes || v.Op == alu.Ne && !yes:
		if c := v.Args[1]; c.Op == vir.Const {
			s.note(v.Args[0], c.Const, depth-1)
		}
	}
}

// bounds says that a number is least at least and most at most, neither being
// negative, wherever from dominates.
type bounds struct {
	from        *vir.Block
	least, most uint64
}

// maxBounds limits how much is noted of a number.
const maxBounds = 4

// noteBounds records between what a number is from here on if the comparison
// test, being yes, says that it is not negative.
func (s *rewriter) noteBounds(test *vir.Value, yes bool) {
	x, r := analysis.IntervalOf(test)
	if x == nil {
		return
	}
	if !yes {
		r = r.Not()
	}
	if most := r.Mask >> 1; r.Empty || r.First > most || r.Last() > most || r.First > r.Last() {
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

// isPositive reports whether the sign of x is known to be clear here, be it
// that of a number and a constant, or of what its operations leave.
func (s *rewriter) isPositive(x *vir.Value) bool {
	top := x.Type.Elem.Mask() >> 1
	if mayBeSet(x, 4) <= top || s.between.isPositive(x, s.b) {
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

// isWithin reports whether x is known to be from least to most here.
func (s *rewriter) isWithin(x *vir.Value, least, most uint64) bool {
	for _, k := range s.bounds[x] {
		if k.least >= least && k.most <= most && s.dom.Dominates(k.from.ID, s.b.ID) {
			return true
		}
	}
	return false
}

// noteSome records that mask has a lane from here on.
func (s *rewriter) noteSome(mask *vir.Value, depth int) {
	if mask.Op == vir.Const || depth == 0 {
		return
	}
	if from := s.some[mask]; from == nil || !s.dom.Dominates(from.ID, s.b.ID) {
		s.some[mask] = s.b
	}
	if mask.Op == alu.And {
		s.noteSome(mask.Args[0], depth-1)
		s.noteSome(mask.Args[1], depth-1)
	}
}

// decided returns the constant that v is here.
func (s *rewriter) decided(v *vir.Value) (*vir.Value, bool) {
	k, ok := s.known[v]
	if !ok || !s.dom.Dominates(k.from.ID, s.b.ID) {
		return nil, false
	}
	return s.constant(v.Type, k.bits), true
}

// hasLane reports whether mask is known to have a lane here.
func (s *rewriter) hasLane(mask *vir.Value, depth int) bool {
	if from := s.some[mask]; from != nil && s.dom.Dominates(from.ID, s.b.ID) {
		return true
	}
	return depth > 0 && mask.Op == alu.Or &&
		(s.hasLane(mask.Args[0], depth-1) || s.hasLane(mask.Args[1], depth-1))
}
