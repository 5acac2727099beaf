package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
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
	if len(in) != 1 || in[0].from.Kind != vir.Branch || in[0].from.Cond.Op == vir.Const {
		return
	}
	taken := uint64(1)
	if in[0].n == 1 {
		taken = 0
	}
	s.note(in[0].from.Cond, taken, maxImplied)
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
	s.noteSign(v, yes)
	switch {
	case v.Op == alu.Xor && isOnes(v.Args[1]):
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

// noteSign records that a number that was loaded is not negative from here on
// if the comparison test, being yes, says so.
func (s *rewriter) noteSign(test *vir.Value, yes bool) {
	x, r := rangeOf(test)
	if x == nil || x.Op != vir.Load {
		return
	}
	if !yes {
		r = r.not()
	}
	if most := r.mask >> 1; r.empty || r.first > most || r.last() > most || r.first > r.last() {
		return
	}
	if from := s.positive[x]; from == nil || !s.dom.Dominates(from.ID, s.b.ID) {
		s.positive[x] = s.b
	}
}

// isPositive reports whether the sign of x is known to be clear here.
func (s *rewriter) isPositive(x *vir.Value) bool {
	from := s.positive[x]
	return from != nil && s.dom.Dominates(from.ID, s.b.ID)
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
