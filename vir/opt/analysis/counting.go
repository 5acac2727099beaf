package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Counting describes a loop that its head continues while the counter K, which grows by a
// constant in every iteration, is below a limit.
type Counting struct {
	Stay   int // index of the head's edge that continues the loop
	K      *vir.Value
	Limit  *vir.Value
	Step   int64 // by which K grows, at least 1
	Strict bool  // K < Limit continues; else K <= Limit
	Signed bool  // K and Limit are compared as signed integers
}

// Counting matches the test of the loop's head; K is nil if it is no such test.
func (l *SimpleLoop) Counting() Counting {
	x := Counting{Stay: l.Stays()}
	if x.Stay < 0 {
		return Counting{}
	}
	c := l.Head.Cond
	switch c.Op {
	case alu.Slt, alu.Ult:
		x.Strict = true
	case alu.Sle, alu.Ule:
	default:
		return Counting{}
	}
	x.K, x.Limit = c.Args[0], c.Args[1]
	x.Signed = c.Op == alu.Slt || c.Op == alu.Sle
	if x.Stay == 1 { // leaves if limit < k
		x.K, x.Limit, x.Strict = x.Limit, x.K, !x.Strict
	}
	if x.K.Op != vir.Param || x.K.Block != l.Head || !x.K.Type.IsScalar() || x.K.Type.Elem.Bits() < 32 || !l.Outside(x.Limit) {
		return Counting{}
	}
	by := StepOf(l, x.K)
	if by == nil || by.Op != vir.Const || by.Signed() <= 0 {
		return Counting{}
	}
	x.Step = by.Signed()
	return x
}

// Reaches reports whether the first value of K that ends the loop is representable in its
// type: K then cannot wrap past the limit.
func (x *Counting) Reaches() bool {
	highest := x.Limit.Type.Elem.Mask()
	if x.Signed {
		highest >>= 1
	}
	beyond := uint64(x.Step - 1)
	if !x.Strict {
		beyond++
	}
	return beyond == 0 || x.Limit.Op == vir.Const && (x.Signed && x.Limit.Signed() < 0 || x.Limit.Const <= highest-beyond)
}

// TripCount returns the number of iterations if K starts from a constant and the limit is
// one; 0 if they are not constants or the body never runs.
func (x *Counting) TripCount(lp *SimpleLoop) int64 {
	start := x.Start(lp)
	if start == nil || x.Limit.Op != vir.Const || !x.Reaches() {
		return 0
	}
	from, to := start.Signed(), x.Limit.Signed()
	if !x.Signed {
		from, to = int64(start.Const), int64(x.Limit.Const)
		if from < 0 || to < 0 { // beyond the signed range
			return 0
		}
	}
	distance := to - from
	if !x.Strict {
		distance++
	}
	return max(0, (distance+x.Step-1)/x.Step)
}

// Start returns the constant that K has on every entry, nil if there is none.
func (x *Counting) Start(lp *SimpleLoop) *vir.Value {
	start := lp.Entry[0].Edge().Args[x.K.Index]
	for _, e := range lp.Entry {
		if a := e.Edge().Args[x.K.Index]; a.Op != vir.Const || a.Const != start.Const {
			return nil
		}
	}
	return start
}
