package analysis

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Counting is the test of a loop's head that lets it go on while k, a parameter
// that grows by a constant each round, is below a limit.
type Counting struct {
	Stay   int // which edge of the head's branch goes on
	K      *vir.Value
	Limit  *vir.Value
	Step   int64 // by which k grows, at least 1
	Strict bool  // the limit itself is not reached
	Signed bool  // the comparison is
}

// Counting finds the test, with no k if there is none.
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
	if x.Stay == 1 { // out if limit < k
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

// Reaches reports whether the number that ends the loop is in its type, so that it
// is not less than the limit for having wrapped.
func (x *Counting) Reaches() bool {
	most := x.Limit.Type.Elem.Mask()
	if x.Signed {
		most >>= 1
	}
	beyond := uint64(x.Step - 1)
	if !x.Strict {
		beyond++
	}
	return beyond == 0 || x.Limit.Op == vir.Const && (x.Signed && x.Limit.Signed() < 0 || x.Limit.Const <= most-beyond)
}

// Rounds is how many rounds lp makes from a constant to another, 0 if it is not
// so or it makes none.
func (x *Counting) Rounds(lp *SimpleLoop) int64 {
	start := x.Start(lp)
	if start == nil || x.Limit.Op != vir.Const || !x.Reaches() {
		return 0
	}
	from, to := start.Signed(), x.Limit.Signed()
	if !x.Signed {
		from, to = int64(start.Const), int64(x.Limit.Const)
		if from < 0 || to < 0 { // not with numbers that large
			return 0
		}
	}
	way := to - from
	if !x.Strict {
		way++
	}
	return max(0, (way+x.Step-1)/x.Step)
}

// Start is the constant that the number begins with, nil if there is none.
func (x *Counting) Start(lp *SimpleLoop) *vir.Value {
	start := lp.Entry[0].Edge().Args[x.K.Index]
	for _, e := range lp.Entry {
		if a := e.Edge().Args[x.K.Index]; a.Op != vir.Const || a.Const != start.Const {
			return nil
		}
	}
	return start
}
