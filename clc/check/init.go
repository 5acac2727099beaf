package check

import (
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

// maxInitElems bounds the index of an initialized array element.
const maxInitElems = 1 << 31

// initializer resolves e as the initializer of an object of type t (C99 §6.7.8). It
// returns the object's type, which is t unless t is an array without a length, or nil
// after an error. t may be nil after an error; then e is only checked.
func (c *checker) initializer(t types.Type, e ast.Expr) (*ast.Init, types.Type) {
	if t == nil {
		if _, list := e.(*ast.InitList); !list {
			c.rvalue(c.expr(e))
		}
		return nil, nil
	}
	in := &initializer{c: c, init: &ast.Init{At: e.Pos()}}
	list, braced := e.(*ast.InitList)
	arr, isArr := t.(*types.Array)
	switch {
	case braced:
		t = in.braced(t, 0, list)
	case isArr && isCharString(arr, e):
		t = in.str(arr, 0, e.(*ast.StringLit))
	case isArr:
		lit, isLit := c.expr(e).(*ast.CompoundLit)
		if isLit {
			if a, ok := lit.Typ.(*types.Array); ok && a.Elem == arr.Elem && (arr.Len < 0 || arr.Len == a.Len) && lit.Var.Init != nil { // as GNU C
				lit.Var.Init.At = e.Pos()
				return lit.Var.Init, a
			}
		}
		if !isLit || lit.Typ != nil {
			c.errorf(e.Pos(), "an array must be initialized by a list in braces")
		}
		return nil, nil
	default:
		in.store(t, 0, c.assignConv(c.rvalue(c.expr(e)), t, "initialization"))
	}
	if in.failed {
		return nil, t
	}
	in.init.Zero = in.covered != t.Size()
	return in.init, t
}

type initializer struct {
	c       *checker
	init    *ast.Init
	covered int64 // bytes stored, for lists without designators
	failed  bool
}

func (in *initializer) store(t types.Type, off int64, x ast.Expr) {
	if isBad(x) {
		in.failed = true
		return
	}
	if lit := constantLiteral(x); lit != nil && in.c.fn == nil {
		for _, s := range lit.Stores {
			s.Offset += off
			in.init.Stores = append(in.init.Stores, s)
		}
		if !lit.Zero {
			in.covered += t.Size()
		}
		return
	}
	in.covered += t.Size()
	in.init.Stores = append(in.init.Stores, ast.InitStore{Offset: off, X: x, Count: 1})
}

// constantLiteral returns the initializer of the compound literal that is the value x, or
// nil. At file scope its elements are constants, like those of an initializer.
func constantLiteral(x ast.Expr) *ast.Init {
	read, ok := x.(*ast.Cast)
	if !ok || read.Kind != ast.LValueToRValue {
		return nil
	}
	if lit, ok := read.X.(*ast.CompoundLit); ok && lit.Var != nil {
		return lit.Var.Init
	}
	return nil
}

func isCharString(t *types.Array, e ast.Expr) bool {
	_, ok := e.(*ast.StringLit)
	return ok && (t.Elem == types.Char || t.Elem == types.UChar)
}

// str initializes a char array from a string; the terminating NUL may be dropped.
func (in *initializer) str(t *types.Array, off int64, s *ast.StringLit) types.Type {
	n := int64(len(s.Value))
	if t.Len < 0 {
		t = &types.Array{Elem: t.Elem, Len: n}
	} else if n-1 > t.Len {
		in.c.errorf(s.At, "a string of %d characters does not fit in '%s'", n-1, t)
		in.failed = true
		return t
	}
	s.Value = s.Value[:min(n, t.Len)]
	in.c.expr(s)
	in.store(s.Typ, off, s)
	return t
}

// cursor iterates over the items of one braced list.
type cursor struct {
	items []ast.InitItem
	i     int
	// value is the value of items[i] once checked. It is checked only once, even if the
	// walk descends into several aggregates before it finds the object it initializes.
	value ast.Expr
	// placed reports that the designators of items[i] have been resolved: brace elision
	// continues in the designated object.
	placed bool
}

func (cu *cursor) more() bool { return cu.i < len(cu.items) }

func (cu *cursor) next() {
	cu.i++
	cu.value, cu.placed = nil, false
}

// rvalue checks the current item's value.
func (in *initializer) rvalue(cu *cursor) ast.Expr {
	if cu.value == nil {
		cu.value = in.c.rvalue(in.c.expr(cu.items[cu.i].Value))
	}
	return cu.value
}

// braced initializes an object of type t at off from its own list.
func (in *initializer) braced(t types.Type, off int64, l *ast.InitList) types.Type {
	c := in.c
	cu := &cursor{items: l.Items}
	switch t := t.(type) {
	case *types.Array:
		if len(l.Items) == 1 && l.Items[0].Designators == nil && isCharString(t, l.Items[0].Value) { // braces around a string (C99 §6.7.8p14)
			return in.str(t, off, l.Items[0].Value.(*ast.StringLit))
		}
		n := in.aggregate(t, off, cu, nil, true)
		if t.Len < 0 {
			return &types.Array{Elem: t.Elem, Len: n}
		}
		return t
	case *types.Record:
		if !t.Complete {
			c.errorf(l.At, "'%s' is incomplete", t)
			in.failed = true
			return t
		}
		in.aggregate(t, off, cu, nil, true)
		return t
	case *types.Vector:
		in.vector(t, off, l)
		return t
	}
	switch {
	case len(l.Items) == 0:
	case l.Items[0].Designators != nil:
		c.errorf(l.Items[0].Designators[0].At, "a designator needs an array, struct or union, not '%s'", t)
		in.failed = true
	default:
		if len(l.Items) > 1 {
			c.errorf(l.Items[1].Value.Pos(), "more than one value in the initializer of a '%s'", t)
			in.failed = true
		}
		if inner, ok := l.Items[0].Value.(*ast.InitList); ok {
			in.braced(t, off, inner)
		} else {
			in.store(t, off, c.assignConv(in.rvalue(cu), t, "initialization"))
		}
	}
	return t
}

// vector initializes a vector from the components in l, which are all of them, or none
// for zeros.
func (in *initializer) vector(t *types.Vector, off int64, l *ast.InitList) {
	c := in.c
	lit := &ast.VectorLit{}
	lit.At, lit.Typ = l.At, t
	n := 0
	for _, it := range l.Items {
		if it.Designators != nil {
			c.errorf(it.Designators[0].At, "a designator needs an array, struct or union, not '%s'", t)
			in.failed = true
			return
		}
		x := c.rvalue(c.expr(it.Value))
		if isBad(x) {
			in.failed = true
			return
		}
		if v, ok := x.Type().(*types.Vector); ok && v.Elem == t.Elem {
			if v == t && len(l.Items) == 1 {
				in.store(t, off, x)
				return
			}
			n += v.N
		} else {
			if x = c.assignConv(x, t.Elem, "initialization"); isBad(x) {
				in.failed = true
				return
			}
			n++
		}
		lit.Elems = append(lit.Elems, x)
	}
	if n > t.N || n > 0 && n < t.N {
		c.errorf(l.At, "%d components in the initializer of a '%s'", n, t)
		in.failed = true
		return
	}
	for ; n < t.N; n++ {
		lit.Elems = append(lit.Elems, arith(newInt(l, types.Int, 0, "0"), t.Elem))
	}
	in.store(t, off, lit)
}

// aggregate initializes the parts of an array or record at off from the items at the
// cursor. If top, the items are a whole braced list; otherwise it takes as many as t
// needs and leaves the others. path holds the current item's designators that lead into
// t. It returns the number of elements that an array of unknown length needs.
func (in *initializer) aggregate(t types.Type, off int64, cu *cursor, path []ast.Designator, top bool) int64 {
	c := in.c
	count := in.parts(t)
	var next, length int64
	for cu.more() && !in.failed {
		item := &cu.items[cu.i]
		repeat := int64(1)
		fieldOff := int64(-1)
		var elem types.Type
		if path == nil && item.Designators != nil && !cu.placed {
			if !top {
				return length // the designator refers to an enclosing list
			}
			path, cu.placed = item.Designators, true
		}
		if path != nil {
			var inside, ok bool
			if next, repeat, elem, fieldOff, inside, ok = in.designated(t, &path[0]); !ok {
				in.failed = true
				return length
			}
			in.covered = -1 << 40 // stores may overlap; assume that there are gaps
			if !inside {
				path = path[1:]
			}
		} else if count >= 0 && next >= count {
			if top {
				c.errorf(item.Value.Pos(), "too many values in the initializer of '%s'", t)
				in.failed = true
			}
			return length
		}
		if elem == nil {
			elem, fieldOff = in.part(t, next)
		}
		first := len(in.init.Stores)
		in.part1(elem, off+fieldOff, cu, path)
		path = nil
		if repeat > 1 && !in.failed {
			for i := first; i < len(in.init.Stores); i++ {
				s := &in.init.Stores[i]
				if s.Count > 1 {
					c.errorf(item.Value.Pos(), "ranges of designators inside one another are not supported")
					in.failed = true
					break
				}
				s.Count, s.Stride = repeat, elem.Size()
			}
		}
		next += repeat
		length = max(length, next)
		if r, ok := t.(*types.Record); ok && r.Union {
			next = count // only one member is initialized, unless designated again
		}
	}
	return length
}

// parts returns the number of parts of t that are initialized without designators; -1 for
// any number.
func (in *initializer) parts(t types.Type) int64 {
	switch t := t.(type) {
	case *types.Array:
		return t.Len
	case *types.Record:
		if t.Union {
			return min(1, int64(len(t.Fields)))
		}
		return int64(len(t.Fields))
	}
	return 0
}

// part returns the type and offset of the i-th element or field.
func (in *initializer) part(t types.Type, i int64) (types.Type, int64) {
	switch t := t.(type) {
	case *types.Array:
		return t.Elem, i * t.Elem.Size()
	case *types.Record:
		f := t.Fields[i]
		return f.Type, f.Offset
	}
	return nil, 0
}

// designated resolves one designator within t. It returns the index of the part, the
// number of parts designated, and their type and offset. inside reports that the part is
// an anonymous member in which the designator must be resolved again.
func (in *initializer) designated(t types.Type, d *ast.Designator) (i, n int64, elem types.Type, off int64, inside, ok bool) {
	c := in.c
	switch t := t.(type) {
	case *types.Array:
		if d.Index == nil {
			c.errorf(d.At, "'.%s' designates a member, but '%s' is an array", d.Name, t)
			return
		}
		lo, ok1 := c.intConst(d.Index, "an array index")
		hi, ok2 := lo, true
		if d.Last != nil {
			hi, ok2 = c.intConst(d.Last, "an array index")
		}
		if !ok1 || !ok2 {
			return
		}
		if lo < 0 || hi < lo || t.Len >= 0 && hi >= t.Len || hi >= maxInitElems {
			c.errorf(d.At, "the designated index is outside of '%s'", t)
			return
		}
		return lo, hi - lo + 1, t.Elem, lo * t.Elem.Size(), false, true
	case *types.Record:
		if d.Index != nil {
			c.errorf(d.At, "an index designates an array element, but '%s' is not an array", t)
			return
		}
		for i, g := range t.Fields {
			if g.Name == d.Name && d.Name != "" {
				return int64(i), 1, g.Type, g.Offset, false, true
			}
			if inner, ok := g.Type.(*types.Record); ok && g.Name == "" {
				if f, _, _ := inner.Lookup(d.Name); f != nil {
					return int64(i), 1, inner, g.Offset, true, true
				}
			}
		}
		c.errorf(d.At, "'%s' has no member '%s'%s", t, d.Name, suggestion(d.Name, flatNames(t)))
		return
	}
	c.errorf(d.At, "a designator needs an array, struct or union, not '%s'", t)
	return
}

// part1 initializes one part of type t at off from the current item.
func (in *initializer) part1(t types.Type, off int64, cu *cursor, path []ast.Designator) {
	c := in.c
	_, isArr := t.(*types.Array)
	_, isRec := t.(*types.Record)
	if len(path) > 0 {
		if !isArr && !isRec {
			c.errorf(path[0].At, "a designator needs an array, struct or union, not '%s'", t)
			in.failed = true
			return
		}
		in.aggregate(t, off, cu, path, false)
		return
	}
	value := cu.items[cu.i].Value
	if list, ok := value.(*ast.InitList); ok {
		cu.next()
		in.braced(t, off, list)
		return
	}
	if arr, ok := t.(*types.Array); ok && isCharString(arr, value) && cu.value == nil {
		cu.next()
		in.str(arr, off, value.(*ast.StringLit))
		return
	}
	if isArr || isRec {
		// A string is checked only when the char array that it initializes is known.
		var x ast.Expr
		if _, str := value.(*ast.StringLit); !str {
			if x = in.rvalue(cu); isBad(x) {
				in.failed = true
				return
			}
		}
		if x == nil || !types.Identical(x.Type(), t) {
			before := cu.i
			in.aggregate(t, off, cu, nil, false)
			if cu.i == before && !in.failed { // an empty struct takes no value
				c.errorf(value.Pos(), "'%s' has no member to initialize", t)
				in.failed = true
			}
			return
		}
		cu.next()
		in.store(t, off, x)
		return
	}
	x := c.assignConv(in.rvalue(cu), t, "initialization")
	cu.next()
	in.store(t, off, x)
}
