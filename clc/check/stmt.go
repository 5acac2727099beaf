package check

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

func (c *checker) stmts(items []ast.Stmt) {
	for _, s := range items {
		c.stmt(s)
	}
}

func (c *checker) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.Block:
		c.push()
		c.stmts(s.Items)
		c.pop()
	case *ast.Declaration:
		c.declaration(s, false)
	case *ast.ExprStmt:
		s.X = c.rvalue(c.expr(s.X))
	case *ast.If:
		for {
			s.Cond = c.cond(s.Cond)
			c.stmt(s.Then)
			next, ok := s.Else.(*ast.If)
			if !ok {
				break
			}
			s = next
		}
		if s.Else != nil {
			c.stmt(s.Else)
		}
	case *ast.For:
		c.push()
		if s.Init != nil {
			c.stmt(s.Init)
		}
		if s.Cond != nil {
			s.Cond = c.cond(s.Cond)
		}
		if s.Post != nil {
			s.Post = c.rvalue(c.expr(s.Post))
		}
		c.unroll(&s.Unroll)
		c.loopBody(s, s.Body)
		c.pop()
	case *ast.While:
		s.Cond = c.cond(s.Cond)
		c.unroll(&s.Unroll)
		c.loopBody(s, s.Body)
	case *ast.DoWhile:
		c.unroll(&s.Unroll)
		c.loopBody(s, s.Body)
		s.Cond = c.cond(s.Cond)
	case *ast.Switch:
		c.switchStmt(s)
	case *ast.Case:
		c.labels(s)
	case *ast.Labeled:
		c.labels(s)
	case *ast.Break:
		if n := len(c.breaks); n > 0 {
			s.Target = c.breaks[n-1]
		} else {
			c.errorf(s.At, "'break' outside of a loop or switch")
		}
	case *ast.Continue:
		if n := len(c.loops); n > 0 {
			s.Target = c.loops[n-1]
		} else {
			c.errorf(s.At, "'continue' outside of a loop")
		}
	case *ast.Return:
		c.returnStmt(s)
	}
}

// labels checks a chain of labels iteratively, as long chains are common.
func (c *checker) labels(s ast.Stmt) {
	for {
		switch l := s.(type) {
		case *ast.Case:
			c.caseLabel(l)
			s = l.Body
		case *ast.Labeled:
			if l.Label.Def != l {
				c.errorNote(l.At, l.Label.At, "first defined here", "label '%s' is defined twice", l.Label.Name)
			}
			s = l.Body
		case nil:
			return
		default:
			c.stmt(s)
			return
		}
	}
}

func (c *checker) loopBody(loop, body ast.Stmt) {
	c.breaks = append(c.breaks, loop)
	c.loops = append(c.loops, loop)
	c.stmt(body)
	c.breaks = c.breaks[:len(c.breaks)-1]
	c.loops = c.loops[:len(c.loops)-1]
}

// unroll evaluates the unroll count of a pragma or attribute. 0 and 1 disable unrolling.
func (c *checker) unroll(u *ast.Unroll) {
	if u.X == nil {
		return
	}
	n, ok := c.intConst(u.X, "the count of an unrolled loop")
	if ok && n < 0 {
		c.errorf(u.X.Pos(), "the count of an unrolled loop is negative (%d)", n)
	}
	u.X, u.Count = nil, int(min(max(n, 1), math.MaxInt32))
}

// cond checks a condition and converts it to bool.
func (c *checker) cond(e ast.Expr) ast.Expr { return c.toBool(c.rvalue(c.expr(e))) }

func (c *checker) switchStmt(s *ast.Switch) {
	x := c.rvalue(c.expr(s.X))
	if !isBad(x) {
		if types.IsInteger(x.Type()) {
			x = c.promote(x)
		} else {
			c.errorf(s.X.Pos(), "switch needs an integer, found '%s'", x.Type())
			x = c.bad(x)
		}
	}
	s.X = x
	c.switches = append(c.switches, s)
	c.breaks = append(c.breaks, s)
	c.stmt(s.Body)
	c.switches = c.switches[:len(c.switches)-1]
	c.breaks = c.breaks[:len(c.breaks)-1]

	// After sorting by value, duplicates are adjacent.
	t, _ := s.X.Type().(*types.Scalar)
	if t == nil || len(s.Cases) < 2 {
		return
	}
	byValue := slices.Clone(s.Cases)
	slices.SortStableFunc(byValue, func(a, b *ast.Case) int {
		if !t.IsSigned() {
			return cmp.Compare(uint64(a.Low), uint64(b.Low))
		}
		return cmp.Compare(a.Low, b.Low)
	})
	for i := 1; i < len(byValue); i++ {
		a, b := byValue[i-1], byValue[i]
		if t.IsSigned() && a.High < b.Low || !t.IsSigned() && uint64(a.High) < uint64(b.Low) {
			continue
		}
		if a.At.Line > b.At.Line || a.At.Line == b.At.Line && a.At.Col > b.At.Col {
			a, b = b, a
		}
		c.errorNote(b.At, a.At, "first used here", "case value %s is used twice", decimal(t, b.Low))
	}
}

// decimal formats the value v of integer type t.
func decimal(t *types.Scalar, v int64) string {
	if t.IsSigned() {
		return strconv.FormatInt(v, 10)
	}
	return strconv.FormatUint(uint64(v), 10)
}

func (c *checker) caseLabel(s *ast.Case) {
	if len(c.switches) == 0 {
		what := "case"
		if s.IsDefault {
			what = "default"
		}
		c.errorf(s.At, "'%s' outside of a switch", what)
		return
	}
	sw := c.switches[len(c.switches)-1]
	s.Switch = sw
	if s.IsDefault {
		if sw.Default != nil {
			c.errorNote(s.At, sw.Default.At, "first used here", "'default' is used twice in a switch")
			return
		}
		sw.Default = s
		return
	}
	lo, _, ok := c.wideConst(s.Lo, "a case value")
	hi := lo
	if ok && s.Hi != nil {
		hi, _, ok = c.wideConst(s.Hi, "a case value")
	}
	t, isInt := sw.X.Type().(*types.Scalar)
	if !ok || !isInt {
		return
	}
	s.Low, s.High = int64(wrap(t, uint64(lo))), int64(wrap(t, uint64(hi)))
	if t.IsSigned() && s.High < s.Low || !t.IsSigned() && uint64(s.High) < uint64(s.Low) {
		c.errorf(s.At, "the case range %s ... %s is empty", decimal(t, s.Low), decimal(t, s.High))
		return
	}
	sw.Cases = append(sw.Cases, s)
}

func (c *checker) returnStmt(s *ast.Return) {
	if c.fn == nil {
		return
	}
	result := c.fn.Type.Result
	if s.X == nil {
		if !types.IsVoid(result) {
			c.errorNote(s.At, c.fn.At, "declared here", "'return' without a value in '%s', which returns '%s'", c.fn.Name, result)
		}
		return
	}
	x := c.rvalue(c.expr(s.X))
	s.X = x
	if isBad(x) {
		return
	}
	if types.IsVoid(result) {
		if !types.IsVoid(x.Type()) {
			c.errorNote(s.X.Pos(), c.fn.At, "declared here", "'return' with a value in '%s', which returns void", c.fn.Name)
		}
		return
	}
	s.X = c.assignConv(x, result, "return")
}
