package isel

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// knownDepth is the maximum depth of the expression that known examines.
const knownDepth = 5

// known returns n such that the bits of v's register from n on are zero, 64 if nothing is
// known. Operations on 32 bits clear the upper half; bits above bytes and words are
// undefined.
func (s *Selector) known(v *vir.Value) int { return s.knownBits(v, knownDepth) }

func (s *Selector) knownBits(v *vir.Value, depth int) int {
	if v.Type.Lanes > 1 || v.Type.Elem.IsFloat() && v.Type.Elem != alu.F16 {
		return 64
	}
	w := v.Type.Elem.Bits()
	switch v.Op {
	case vir.Const:
		c := signedBits(v.Type.Elem, v.Const)
		if w == 32 {
			c = int64(uint32(c)) // as in constantInto
		}
		if c < 0 {
			return 64
		}
		return bits.Len64(uint64(c))
	case vir.Load: // loads of bytes and words extend
		return w
	}
	if v.Type.Elem == alu.I1 {
		return 1
	}
	if v.Op == vir.Param && s.params != nil {
		return int(s.params[v.ID])
	}
	if depth == 0 {
		return 64
	}
	arg := func(i int) int { return s.knownBits(v.Args[i], depth-1) }
	size := 64 // the bits that an instruction of v's size may set
	if w <= 32 {
		size = 32
	}
	switch v.Op {
	case alu.Add:
		return min(size, max(arg(0), arg(1))+1)
	case alu.Mul:
		return min(size, arg(0)+arg(1))
	case alu.Popcount, alu.Clz:
		return min(size, bits.Len(uint(w)))
	case alu.Sub:
		if _, ok := s.lowestBit(v); ok {
			return bits.Len(uint(w))
		}
		return size
	case alu.Abs, alu.UDiv, alu.URem:
		return size
	case alu.And:
		return min(size, arg(0), arg(1))
	case alu.Or, alu.Xor, alu.Select:
		i := len(v.Args) - 2
		return min(size, max(arg(i), arg(i+1)))
	case alu.SMin, alu.SMax, alu.UMin, alu.UMax:
		return size
	case alu.AShr:
		if v.Args[1].Op != vir.Const || v.Args[1].Const&uint64(w-1) != 0 {
			return size
		}
	case alu.Shl:
		if v.Args[1].Op != vir.Const {
			return size
		}
		if c := int(v.Args[1].Const & uint64(w-1)); c != 0 {
			return min(size, arg(0)+c)
		}
	case alu.Rotl:
		if w >= 32 {
			return size
		}
		if n := arg(0); v.Args[1].Op == vir.Const && n <= w {
			return w
		}
	case alu.LShr:
		if s.rotated != nil && s.rotated[v.ID] {
			return size
		}
		if v.Args[1].Op == vir.Const {
			if c := int(v.Args[1].Const & uint64(w-1)); c != 0 {
				return max(0, min(w, arg(0))-c)
			}
			return 64
		}
		return min(size, w, max(arg(0), 0))
	case alu.Trunc: // a copy
		return arg(0)
	case alu.ZExt:
		return min(v.Args[0].Type.Elem.Bits(), arg(0))
	}
	return 64
}

// nonZero reports whether the scalar integer v is known to be nonzero at the instruction
// being emitted.
func (s *Selector) nonZero(v *vir.Value, depth int) bool {
	switch {
	case depth == 0:
		return false
	case s.branchedOn(v):
		return true
	}
	arg := func(i int) bool { return s.nonZero(v.Args[i], depth-1) }
	switch v.Op {
	case vir.Const:
		return v.Const != 0
	case alu.Or, alu.UMax:
		return arg(0) || arg(1)
	case alu.ZExt, alu.SExt:
		return arg(0)
	case alu.Select:
		return arg(1) && arg(2)
	case alu.Add: // of a positive constant, without a carry
		if c := v.Args[1]; c.Op == vir.Const && c.Const != 0 {
			mask := v.Type.Elem.Mask()
			n := s.known(v.Args[0])
			return n < v.Type.Elem.Bits() && 1<<n-1 <= mask-c.Const
		}
	}
	return false
}

// inEdge is an edge by its source.
type inEdge struct {
	from *vir.Block
	edge int
}

// branchesBefore is the maximum number of branches before a block that branchedOn examines.
const branchesBefore = 6

// branchedOn reports whether control reaches the block only through the nonzero edge of a
// comparison of v with 0.
func (s *Selector) branchedOn(v *vir.Value) bool {
	if s.inEdges == nil {
		s.inEdges = make([][]inEdge, len(s.F.Blocks))
		for _, b := range s.F.Blocks {
			for i, e := range b.Edges {
				s.inEdges[e.To.ID] = append(s.inEdges[e.To.ID], inEdge{b, i})
			}
		}
	}
	for b, n := s.block, 0; n < branchesBefore && len(s.inEdges[b.ID]) == 1; n++ {
		e := s.inEdges[b.ID][0]
		if b = e.from; b.Kind != vir.Branch || b.Cond.Op != alu.Eq && b.Cond.Op != alu.Ne {
			continue
		}
		x, y := b.Cond.Args[0], b.Cond.Args[1]
		if x == v && y.Op == vir.Const && y.Const == 0 && (b.Cond.Op == alu.Eq) == (e.edge == 1) {
			return true
		}
	}
	return false
}

// widenAfter is the number of iterations over all edges after which knownParams widens:
// from then on only bounds of 32 and 64 bits are distinguished.
const widenAfter = 4

// knownParams computes known for scalar block parameters: the maximum over the arguments of
// all edges, as the least fixed point, starting from 0 bits.
func (s *Selector) knownParams(postorder []int) {
	s.params = make([]uint8, s.F.NumValues())
	for iteration, changed := 0, true; changed; iteration++ {
		changed = false
		for i := len(postorder) - 1; i >= 0; i-- {
			for _, e := range s.F.Blocks[postorder[i]].Edges {
				for j, a := range e.Args {
					p := e.To.Params[j]
					if s.params[p.ID] == 64 {
						continue
					}
					n := uint8(s.known(a))
					switch {
					case n <= s.params[p.ID]:
						continue
					case iteration >= widenAfter && n <= 32:
						n = 32
					case iteration >= widenAfter:
						n = 64
					}
					s.params[p.ID] = n
					changed = true
				}
			}
		}
	}
}
