package plan

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// constantDistance returns to - from if both are computed from the same values, assuming
// that nothing wraps: 64 for the bounds of a loop from 64*i to 64*(i+1).
func constantDistance(from, to *vir.Value) (n int64, ok bool) {
	const depth = 8
	var s combination
	s.add(to, 1, depth)
	s.add(from, -1, depth)
	for _, times := range s.coeffs {
		if times != 0 {
			return 0, false
		}
	}
	return s.constant, true
}

// combination is a linear combination of values plus a constant.
type combination struct {
	constant int64
	coeffs   map[*vir.Value]int64
}

func (s *combination) add(v *vir.Value, coeff int64, depth int) {
	if depth > 0 {
		switch v.Op {
		case vir.Const:
			s.constant += coeff * v.Signed()
			return
		case alu.Add:
			s.add(v.Args[0], coeff, depth-1)
			s.add(v.Args[1], coeff, depth-1)
			return
		case alu.Sub:
			s.add(v.Args[0], coeff, depth-1)
			s.add(v.Args[1], -coeff, depth-1)
			return
		case alu.Mul:
			if c := v.Args[1]; c.Op == vir.Const {
				s.add(v.Args[0], coeff*c.Signed(), depth-1)
				return
			}
		case alu.Shl:
			if c := v.Args[1]; c.Op == vir.Const {
				s.add(v.Args[0], coeff<<(c.Const&63), depth-1)
				return
			}
		case alu.AShr, alu.LShr: // after a left shift by the same amount they are extensions
			if x := v.Args[0]; x.Op == alu.Shl && x.Args[1] == v.Args[1] {
				s.add(x.Args[0], coeff, depth-1)
				return
			}
		case alu.SExt, alu.ZExt, alu.Trunc, vir.Splat:
			if v.Args[0].Type.Elem.IsInt() {
				s.add(v.Args[0], coeff, depth-1)
				return
			}
		}
	}
	if s.coeffs == nil {
		s.coeffs = map[*vir.Value]int64{}
	}
	s.coeffs[v] += coeff
}
