package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// counting is the test of a loop's head that lets it go on while k, a parameter
// that grows by a constant each round, is below a limit.
type counting struct {
	stay   int // which edge of the head's branch goes on
	k      *vir.Value
	limit  *vir.Value
	step   int64 // by which k grows, at least 1
	strict bool  // the limit itself is not reached
	signed bool  // the comparison is
}

// counting finds the test, with no k if there is none.
func (l *simpleLoop) counting() counting {
	x := counting{stay: l.stays()}
	if x.stay < 0 {
		return counting{}
	}
	c := l.head.Cond
	switch c.Op {
	case alu.Slt, alu.Ult:
		x.strict = true
	case alu.Sle, alu.Ule:
	default:
		return counting{}
	}
	x.k, x.limit = c.Args[0], c.Args[1]
	x.signed = c.Op == alu.Slt || c.Op == alu.Sle
	if x.stay == 1 { // out if limit < k
		x.k, x.limit, x.strict = x.limit, x.k, !x.strict
	}
	if x.k.Op != vir.Param || x.k.Block != l.head || !x.k.Type.IsScalar() || x.k.Type.Elem.Bits() < 32 || !l.outside(x.limit) {
		return counting{}
	}
	by := stepOf(l, x.k)
	if by == nil || by.Op != vir.Const || by.Signed() <= 0 {
		return counting{}
	}
	x.step = by.Signed()
	return x
}

// reaches reports whether the number that ends the loop is in its type, so that it
// is not less than the limit for having wrapped.
func (x *counting) reaches() bool {
	most := x.limit.Type.Elem.Mask()
	if x.signed {
		most >>= 1
	}
	beyond := uint64(x.step - 1)
	if !x.strict {
		beyond++
	}
	return beyond == 0 || x.limit.Op == vir.Const && (x.signed && x.limit.Signed() < 0 || x.limit.Const <= most-beyond)
}

// rounds is how many rounds lp makes from a constant to another, 0 if it is not
// so or it makes none.
func (x *counting) rounds(lp *simpleLoop) int64 {
	start := x.start(lp)
	if start == nil || x.limit.Op != vir.Const || !x.reaches() {
		return 0
	}
	from, to := start.Signed(), x.limit.Signed()
	if !x.signed {
		from, to = int64(start.Const), int64(x.limit.Const)
		if from < 0 || to < 0 { // not with numbers that large
			return 0
		}
	}
	way := to - from
	if !x.strict {
		way++
	}
	return max(0, (way+x.step-1)/x.step)
}

// start is the constant that the number begins with, nil if there is none.
func (x *counting) start(lp *simpleLoop) *vir.Value {
	start := lp.entry[0].edge().Args[x.k.Index]
	for _, e := range lp.entry {
		if a := e.edge().Args[x.k.Index]; a.Op != vir.Const || a.Const != start.Const {
			return nil
		}
	}
	return start
}
