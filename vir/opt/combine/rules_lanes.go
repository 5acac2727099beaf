package combine

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

func laneRules() map[vir.Op][]rule {
	return map[vir.Op][]rule{
		alu.Popcount: {popcountRule},

		vir.Splat:   {splatRule},
		vir.Prefix:  {prefixRule},
		vir.Any:     {anyRule},
		vir.All:     {allRule},
		vir.Count:   {countRule},
		vir.Bits:    {bitsRule},
		vir.Unbits:  {unbitsRule},
		vir.Extract: {extractRule},
		vir.Insert:  {insertRule},
		vir.First:   {firstRule},
		vir.Part:    {partRule},
		vir.Concat:  {concatRule},
		vir.Shuffle: {shuffleRule},
	}
}

func splatRule(s *rewriter, v *vir.Value) *vir.Value {
	switch x := v.Args[0]; {
	case x.Op == vir.Const:
		return s.constant(v.Type, x.Const)
	case x.Op == vir.Extract && x.Args[0].Type == v.Type && v.Type.IsVec() && s.f.Width == 1:
		from := x.Args[0]
		return s.value(&vir.Value{Op: vir.Shuffle, Type: v.Type, Args: []*vir.Value{from, from}, Lanes: slices.Repeat([]int{x.Index}, v.Type.Lanes)}, true)
	}
	return nil
}

func prefixRule(s *rewriter, v *vir.Value) *vir.Value {
	n := v.Args[0]
	if n.Op != vir.Const {
		return nil
	}
	switch left := int64(n.Const); {
	case int64(v.Index+v.Type.Lanes-1) < left:
		return s.constant(v.Type, 1)
	case int64(v.Index) >= left:
		return s.constant(v.Type, 0)
	}
	return nil
}

// prefixReaches returns whether lane i of the prefix mask v is set.
func (s *rewriter) prefixReaches(v *vir.Value, i int) *vir.Value {
	return s.make(alu.Slt, vir.Scalar(alu.I1), s.constant(address, uint64(i)), v.Args[0])
}

func anyRule(s *rewriter, v *vir.Value) *vir.Value {
	m := v.Args[0]
	switch {
	case m.Op == vir.Const:
		return s.constant(v.Type, m.Const)
	case s.hasLane(m, maxImplied):
		s.stats.Add("implied any", 1)
		return s.constant(v.Type, 1)
	case m.Op == vir.Splat:
		return m.Args[0]
	case m.Op == vir.Prefix:
		return s.prefixReaches(m, m.Index)
	}
	return nil
}

// allRule keeps the test of a prefix: later passes recognize full masks by it.
func allRule(s *rewriter, v *vir.Value) *vir.Value {
	switch m := v.Args[0]; m.Op {
	case vir.Const:
		return s.constant(v.Type, m.Const)
	case vir.Splat:
		return m.Args[0]
	}
	return nil
}

func countRule(s *rewriter, v *vir.Value) *vir.Value {
	lanes := uint64(v.Args[0].Type.Lanes)
	switch m := v.Args[0]; m.Op {
	case vir.Const:
		return s.constant(v.Type, m.Const*lanes)
	case vir.Splat:
		return s.make(alu.Select, v.Type, m.Args[0], s.constant(v.Type, lanes), s.constant(v.Type, 0))
	}
	return nil
}

func bitsRule(s *rewriter, v *vir.Value) *vir.Value {
	all := uint64(2)<<(v.Args[0].Type.Lanes-1) - 1
	switch m := v.Args[0]; m.Op {
	case vir.Const:
		return s.constant(v.Type, m.Const*all)
	case vir.Splat:
		return s.make(alu.Select, v.Type, m.Args[0], s.constant(v.Type, all), s.constant(v.Type, 0))
	}
	return nil
}

// unbitsRule folds constant masks that are full or empty, such as that of the remainder of a
// loop whose trip count is a multiple of the width.
func unbitsRule(s *rewriter, v *vir.Value) *vir.Value {
	x, all := v.Args[0], uint64(2)<<(v.Type.Lanes-1)-1
	switch {
	case x.Op != vir.Const:
		return nil
	case x.Const&all == 0:
		return s.constant(v.Type, 0)
	case x.Const&all == all:
		return s.constant(v.Type, 1)
	}
	return nil
}

// popcountRule recognizes the number of active lanes of a mask, and of those below each lane.
func popcountRule(s *rewriter, v *vir.Value) *vir.Value {
	x, n := v.Args[0], v.Type.Lanes
	if v.Type.Elem != alu.I64 {
		return nil
	}
	if x.Op == vir.Bits {
		return s.make(vir.Count, v.Type, x.Args[0])
	}
	if x.Op != alu.And {
		return nil
	}
	for i, a := range x.Args {
		if a.Op == vir.Splat && a.Args[0].Op == vir.Bits && a.Args[0].Args[0].Type.Lanes == n && lanesBelow(x.Args[1-i]) {
			return s.make(alu.ZExt, v.Type, s.make(vir.Rank, v.Type.With(alu.I32), a.Args[0].Args[0]))
		}
	}
	return nil
}

// lanesBelow reports whether lane i of v is the number 1<<i - 1.
func lanesBelow(v *vir.Value) bool {
	if v.Op != alu.Add || !analysis.IsOnes(v.Args[1]) {
		return false
	}
	bit := v.Args[0]
	return bit.Op == alu.Shl && analysis.IsConst(bit.Args[0], 1) && bit.Args[1].Op == vir.Iota && bit.Args[1].Index == 0
}

func extractRule(s *rewriter, v *vir.Value) *vir.Value {
	x, i := v.Args[0], v.Index
	switch x.Op {
	case vir.Const:
		return s.constant(v.Type, x.Const)
	case vir.Splat:
		return x.Args[0]
	case vir.Iota:
		return s.constant(v.Type, uint64(x.Index+i))
	case vir.Prefix:
		return s.prefixReaches(x, x.Index+i)
	case vir.Insert:
		if x.Index == i {
			return x.Args[1]
		}
		return s.makeAt(vir.Extract, v.Type, i, x.Args[0])
	case vir.Concat:
		n := x.Args[0].Type.Lanes
		return s.makeAt(vir.Extract, v.Type, i%n, x.Args[i/n])
	case vir.Part:
		return s.makeAt(vir.Extract, v.Type, x.Index*x.Type.Lanes+i, x.Args[0])
	case vir.Shuffle:
		from, n := x.Lanes[i], x.Args[0].Type.Lanes
		return s.makeAt(vir.Extract, v.Type, from%n, x.Args[from/n])
	}
	return nil
}

func insertRule(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	switch {
	case x.Op == vir.Const && y.Op == vir.Const && x.Const == y.Const,
		x.Op == vir.Splat && x.Args[0] == y,
		y.Op == vir.Extract && y.Args[0] == x && y.Index == v.Index:
		return x
	case x.Op == vir.Insert && x.Index == v.Index:
		return s.makeAt(vir.Insert, v.Type, v.Index, x.Args[0], y)
	}
	return nil
}

func firstRule(s *rewriter, v *vir.Value) *vir.Value {
	x, m := v.Args[0], v.Args[1]
	switch {
	case x.Op == vir.Const:
		return s.constant(v.Type, x.Const)
	case x.Op == vir.Splat:
		return x.Args[0]
	case m.Op == vir.Const:
		return s.makeAt(vir.Extract, v.Type, 0, x)
	}
	return nil
}

func partRule(s *rewriter, v *vir.Value) *vir.Value {
	x, n := v.Args[0], v.Type.Lanes
	if x.Type == v.Type {
		return x
	}
	first := v.Index * n
	switch x.Op {
	case vir.Const:
		return s.constant(v.Type, x.Const)
	case vir.Splat:
		return s.make(vir.Splat, v.Type, x.Args[0])
	case vir.Iota:
		return s.makeAt(vir.Iota, v.Type, x.Index+first)
	case vir.Prefix:
		return s.makeAt(vir.Prefix, v.Type, x.Index+first, x.Args[0])
	case vir.Part:
		return s.makeAt(vir.Part, v.Type, (x.Index*x.Type.Lanes+first)/n, x.Args[0])
	case vir.Concat:
		k := x.Args[0].Type.Lanes
		switch {
		case k%n == 0:
			return s.makeAt(vir.Part, v.Type, first%k/n, x.Args[first/k])
		case n%k == 0:
			return s.make(vir.Concat, v.Type, x.Args[first/k:first/k+n/k]...)
		}
	}
	return nil
}

func concatRule(s *rewriter, v *vir.Value) *vir.Value {
	x := v.Args[0]
	if len(v.Args) == 1 {
		return x
	}
	same, whole := true, x.Op == vir.Part && x.Args[0].Type == v.Type
	for i, a := range v.Args {
		same = same && a == x
		whole = whole && a.Op == vir.Part && a.Args[0] == x.Args[0] && a.Index == i
	}
	switch {
	case whole:
		return x.Args[0]
	case same && x.Op == vir.Const:
		return s.constant(v.Type, x.Const)
	case same && x.Op == vir.Splat:
		return s.make(vir.Splat, v.Type, x.Args[0])
	}
	return nil
}

func shuffleRule(s *rewriter, v *vir.Value) *vir.Value {
	x, y := v.Args[0], v.Args[1]
	n := x.Type.Lanes
	if x.Op == vir.Const && x == y {
		return s.constant(v.Type, x.Const)
	}
	for k, from := range []*vir.Value{x, y} {
		same := len(v.Lanes) == n
		for i, l := range v.Lanes {
			same = same && l == k*n+i
		}
		if same {
			return from
		}
	}
	return nil
}
