package check

import (
	"fmt"
	"strings"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

// member types x.name and p->name, where name is a field or vector components.
func (c *checker) member(e *ast.Member) ast.Expr {
	x := c.expr(e.X)
	if isBad(x) {
		return c.bad(e)
	}
	if e.Arrow {
		p := c.element(x)
		ptr, ok := p.Type().(*types.Pointer)
		if !ok {
			hint := ""
			switch x.Type().(type) {
			case *types.Record, *types.Vector:
				hint = fmt.Sprintf(" (use '.%s')", e.Name)
			}
			c.errorf(e.At, "'->%s' needs a pointer, found '%s'%s", e.Name, x.Type(), hint)
			return c.bad(e)
		}
		d := &ast.Unary{Op: ast.OpDeref, X: p}
		d.ExprInfo = ast.ExprInfo{At: e.At, Typ: ptr.Elem, LValue: true, Space: ptr.Space, Quals: ptr.Quals}
		e.X, e.Arrow = d, false
		x = d
	}
	switch t := x.Type().(type) {
	case *types.Record:
		if !t.Complete {
			c.errorf(e.At, "'%s' is incomplete here", t)
			return c.bad(e)
		}
		f, off, q := t.Lookup(e.Name)
		if f == nil {
			c.errorf(e.At, "'%s' has no member '%s'%s", t, e.Name, suggestion(e.Name, flatNames(t)))
			return c.bad(e)
		}
		i := x.Info()
		e.X, e.Field, e.Offset = x, f, off
		e.Typ, e.LValue, e.Space, e.Quals = f.Type, i.LValue, i.Space, i.Quals|q
		return e
	case *types.Vector:
		return c.swizzle(e, x, t)
	case *types.Pointer:
		c.errorf(e.At, "'.%s' of a pointer '%s' (use '->%s')", e.Name, t, e.Name)
	default:
		c.errorf(e.At, "'.%s' needs a struct, union or vector, found '%s'", e.Name, t)
	}
	return c.bad(e)
}

// swizzle types the component selection e.Name of vector x (OpenCL C 1.2 §6.1.7).
func (c *checker) swizzle(e *ast.Member, x ast.Expr, vec *types.Vector) ast.Expr {
	idx, why := components(e.Name, vec.N)
	if why != "" {
		c.errorf(e.At, "'.%s' of '%s': %s", e.Name, vec, why)
		return c.bad(e)
	}
	s := &ast.Swizzle{X: x, Idx: idx}
	s.ExprInfo = *x.Info()
	s.At = e.At
	s.Typ = types.VectorOf(vec.Elem, len(idx))
	if s.Typ == nil {
		c.errorf(e.At, "'.%s' of '%s': there is no vector of %d components", e.Name, vec, len(idx))
		return c.bad(e)
	}
	if inner, ok := x.(*ast.Swizzle); ok { // v.zw.x is v.z
		n := uint8(types.NumElems(inner.X.Type()))
		for k, i := range idx {
			if int(i) < len(inner.Idx) {
				s.Idx[k] = inner.Idx[i]
			} else {
				s.Idx[k] = n
			}
		}
		s.X = inner.X
	}
	var seen uint32
	for _, i := range s.Idx {
		if seen&(1<<i) != 0 {
			s.LValue = false
		}
		seen |= 1 << i
	}
	return s
}

// components resolves a component name for a vector with n components.
func components(name string, n int) (idx []uint8, why string) {
	half := (n + 1) / 2
	switch name {
	case "lo", "hi", "even", "odd":
		for i := range half {
			j := i
			switch name {
			case "hi":
				j = half + i
			case "even":
				j = 2 * i
			case "odd":
				j = 2*i + 1
			}
			idx = append(idx, uint8(j))
		}
		return idx, ""
	}
	if len(name) > 1 && (name[0] == 's' || name[0] == 'S') {
		for _, r := range strings.ToLower(name[1:]) {
			i := strings.IndexRune("0123456789abcdef", r)
			if i < 0 {
				return nil, fmt.Sprintf("'%c' is not a hexadecimal digit", r)
			}
			if i >= n {
				return nil, fmt.Sprintf("there is no component %d", i)
			}
			idx = append(idx, uint8(i))
		}
		if len(idx) > 16 {
			return nil, "more than 16 components"
		}
		return idx, ""
	}
	set := "xyzw"
	if strings.IndexByte("rgba", name[0]) >= 0 {
		set = "rgba"
	}
	for _, r := range name {
		i := strings.IndexRune(set, r)
		if i < 0 {
			return nil, fmt.Sprintf("'%c' is not one of %s", r, set)
		}
		if i >= n {
			return nil, fmt.Sprintf("there is no component '%c'", r)
		}
		idx = append(idx, uint8(i))
	}
	if len(idx) > 16 {
		return nil, "more than 16 components"
	}
	return idx, ""
}

// suggest proposes a name similar to the unknown name, from the declared names and
// others.
func (c *checker) suggest(name string, others ...string) string {
	names := others
	for _, s := range c.scopes {
		for n, o := range s.names {
			if _, ok := o.(*typedef); !ok {
				names = append(names, n)
			}
		}
	}
	return suggestion(name, names)
}

// suggestion returns " (did you mean 'x'?)" for the nearest of names within an edit
// distance of one (two for long names); of equally near ones, the first in alphabetical
// order.
func suggestion(name string, names []string) string {
	best, bestDist := "", 2
	if len(name) > 4 {
		bestDist = 3
	}
	if len(name) < 3 || len(name) > 64 {
		return ""
	}
	for _, n := range names {
		if n == "" || len(n) > 64 || len(n)-len(name) > 2 || len(name)-len(n) > 2 {
			continue
		}
		d := distance(name, n)
		if d < bestDist || d == bestDist && best != "" && n < best {
			best, bestDist = n, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean '%s'?)", best)
}

// distance is the Levenshtein distance of a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := prev
			if a[i] != b[j] {
				d++
			}
			prev = row[j+1]
			row[j+1] = min(d, prev+1, row[j]+1)
		}
	}
	return row[len(b)]
}
