package plan

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// apart returns by how much to is larger than from if what both are computed from tells,
// nothing wrapping, as where a loop goes from 64*i to 64*(i+1).
func apart(from, to *vir.Value) (n int64, ok bool) {
	const depth = 8
	var s combination
	s.add(to, 1, depth)
	s.add(from, -1, depth)
	for _, times := range s.times {
		if times != 0 {
			return 0, false
		}
	}
	return s.plus, true
}

// combination is a sum of values, each so many times, and a constant.
type combination struct {
	plus  int64
	times map[*vir.Value]int64
}

func (s *combination) add(v *vir.Value, times int64, depth int) {
	if depth > 0 {
		switch v.Op {
		case vir.Const:
			s.plus += times * v.Signed()
			return
		case alu.Add:
			s.add(v.Args[0], times, depth-1)
			s.add(v.Args[1], times, depth-1)
			return
		case alu.Sub:
			s.add(v.Args[0], times, depth-1)
			s.add(v.Args[1], -times, depth-1)
			return
		case alu.Mul:
			if c := v.Args[1]; c.Op == vir.Const {
				s.add(v.Args[0], times*c.Signed(), depth-1)
				return
			}
		case alu.Shl:
			if c := v.Args[1]; c.Op == vir.Const {
				s.add(v.Args[0], times<<(c.Const&63), depth-1)
				return
			}
		case alu.AShr, alu.LShr: // behind as large a shift to the left they extend
			if x := v.Args[0]; x.Op == alu.Shl && x.Args[1] == v.Args[1] {
				s.add(x.Args[0], times, depth-1)
				return
			}
		case alu.SExt, alu.ZExt, alu.Trunc, vir.Splat:
			if v.Args[0].Type.Elem.IsInt() {
				s.add(v.Args[0], times, depth-1)
				return
			}
		}
	}
	if s.times == nil {
		s.times = map[*vir.Value]int64{}
	}
	s.times[v] += times
}
