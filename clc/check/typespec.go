package check

import (
	"fmt"
	"math"
	"strings"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// qt is a type together with declaration properties that are not part of the type.
type qt struct {
	t        types.Type // nil after an error
	q        types.Quals
	space    types.Space
	hasSpace bool
	align    int64 // from aligned(n) on a typedef, 0 if none
}

// spec resolves declaration specifiers. alone reports that no declarator follows, so that
// "struct S;" declares a new S.
func (c *checker) spec(s *ast.DeclSpec, alone bool) qt {
	r := c.typeAttrs(c.base(&s.Base, alone), s.Attrs)
	r.q |= s.Quals
	if s.HasSpace {
		if r.hasSpace && r.space != s.Space {
			c.errorf(s.SpaceAt, "two address spaces: %s, and %s from the type", s.Space, r.space)
		}
		r.space, r.hasSpace = s.Space, true
	}
	if s.Quals&types.Restrict != 0 && r.t != nil && !types.IsPointer(r.t) {
		c.errorf(s.At, "restrict needs a pointer, not '%s'", r.t)
	}
	r.q &^= types.Restrict
	if access := s.Quals & (types.ReadOnly | types.WriteOnly | types.ReadWrite); access != 0 && r.t != nil {
		o, ok := r.t.(*types.Opaque)
		switch {
		case !ok || !o.IsImage():
			c.errorf(s.At, "access qualifiers apply only to images, not to '%s'", r.t)
		case access&(access-1) != 0:
			c.errorf(s.At, "an image has one access qualifier, not several")
		default:
			r.t = o.WithAccess(access)
		}
		r.q &^= access
	}
	return r
}

func (c *checker) base(b *ast.BaseType, alone bool) qt {
	switch {
	case b.Type != nil:
		return qt{t: b.Type}
	case b.Name != "":
		if td, ok := c.lookup(b.Name).(*typedef); ok {
			return td.qt
		}
		if t := types.ByName(b.Name); t != nil {
			return qt{t: t}
		}
		c.errorf(b.At, "unknown type name '%s'", b.Name)
	case b.Record != nil:
		return qt{t: c.recordSpec(b.Record, alone)}
	case b.Enum != nil:
		return qt{t: c.enumSpec(b.Enum)}
	case b.TypeofT != nil:
		return c.typeNameQ(b.TypeofT)
	case b.TypeofX != nil:
		x := c.expr(b.TypeofX)
		return qt{t: x.Type(), q: x.Info().Quals}
	}
	return qt{}
}

// derive applies a declarator's derivations to the base type, the innermost last.
func (c *checker) derive(b qt, d *ast.Declarator) qt {
	for i := len(d.Chain) - 1; i >= 0 && b.t != nil; i-- {
		dv := &d.Chain[i]
		switch dv.Kind {
		case ast.PointerTo:
			b = c.pointerTo(b, dv)
		case ast.ArrayOf:
			b = c.arrayOf(b, dv, i == 0)
		case ast.FuncOf:
			b = c.funcOf(b, dv)
		}
	}
	return c.typeAttrs(b, d.Attrs)
}

func (c *checker) pointerTo(b qt, d *ast.Derivation) qt {
	if _, ok := b.t.(*types.Func); ok {
		c.errorf(d.At, "pointers to functions are not supported")
		return qt{}
	}
	if o, ok := b.t.(*types.Opaque); ok && o.Name != "event_t" && o.Name != "clk_event_t" && o.Name != "ndrange_t" {
		c.errorf(d.At, "pointers to '%s' are not allowed", o.Name)
		return qt{}
	}
	space := b.space
	if !b.hasSpace && c.opts.GenericPointers {
		space = types.Generic
	}
	return qt{
		t:     &types.Pointer{Elem: b.t, Space: space, Quals: b.q &^ types.Restrict},
		q:     d.Quals,
		space: d.Space, hasSpace: d.HasSpace,
	}
}

func (c *checker) arrayOf(b qt, d *ast.Derivation, outermost bool) qt {
	n := int64(-1)
	if d.Len != nil {
		v, ok := c.intConst(d.Len, "the length of an array")
		if !ok {
			return qt{}
		}
		if v < 0 {
			c.errorf(d.Len.Pos(), "the length of an array is negative (%d)", v)
			return qt{}
		}
		n = v
	} else if !outermost {
		c.errorf(d.At, "only the first dimension of an array may be left out")
		return qt{}
	}
	switch t := b.t.(type) {
	case *types.Func:
		c.errorf(d.At, "arrays of functions are not allowed")
		return qt{}
	case *types.Opaque:
		if t.Name != "event_t" {
			c.errorf(d.At, "arrays of '%s' are not allowed", t.Name)
			return qt{}
		}
	}
	if !types.IsComplete(b.t) {
		c.errorf(d.At, "array of '%s', which is incomplete", b.t)
		return qt{}
	}
	if size := b.t.Size(); n > 0 && size > 0 && n > types.MaxSize/size {
		c.errorf(d.At, "the array is too large (%d elements of %d bytes)", n, size)
		return qt{}
	}
	b.t = &types.Array{Elem: b.t, Len: n}
	return b
}

func (c *checker) funcOf(b qt, d *ast.Derivation) qt {
	switch b.t.(type) {
	case *types.Array:
		c.errorf(d.At, "a function cannot return an array ('%s')", b.t)
		return qt{}
	case *types.Func:
		c.errorf(d.At, "a function cannot return a function")
		return qt{}
	case *types.Opaque:
		if b.t.(*types.Opaque).IsImage() {
			c.errorf(d.At, "a function cannot return an image")
			return qt{}
		}
	}
	if b.hasSpace && b.space != types.Private {
		c.errorf(d.At, "a function's result cannot be in %s", b.space)
	}
	f := &types.Func{Result: b.t, Variadic: d.Variadic}
	for _, p := range d.Params {
		f.Params = append(f.Params, c.paramType(p).t)
	}
	for _, t := range f.Params {
		if t == nil {
			return qt{}
		}
	}
	return qt{t: f}
}

// paramType resolves the type of a parameter; arrays become pointers.
func (c *checker) paramType(p *ast.ParamDecl) qt {
	b := c.derive(c.spec(p.Spec, false), p.Dcl)
	switch t := b.t.(type) {
	case *types.Array:
		space := b.space
		if !b.hasSpace && c.opts.GenericPointers {
			space = types.Generic
		}
		var q types.Quals
		if len(p.Dcl.Chain) > 0 {
			q = p.Dcl.Chain[0].Quals
		}
		return qt{t: &types.Pointer{Elem: t.Elem, Space: space, Quals: b.q}, q: q}
	case *types.Func:
		c.errorf(p.Dcl.At, "parameters of function type are not supported")
		return qt{}
	case nil:
		return b
	}
	if types.IsVoid(b.t) {
		c.errorf(p.At, "a parameter cannot have type 'void'")
		return qt{}
	}
	if b.hasSpace && b.space != types.Private {
		name := ""
		if p.Dcl.Name == "" {
			name = fmt.Sprintf(" ('%s' is a keyword, not a name)", strings.TrimPrefix(b.space.String(), "__"))
		}
		c.errorf(p.At, "a parameter cannot be in %s; only the target of a pointer can%s", b.space, name)
	}
	return b
}

// typeName resolves the type of a cast or sizeof. It returns nil after an error.
func (c *checker) typeName(n *ast.TypeName) types.Type { return c.typeNameQ(n).t }

func (c *checker) typeNameQ(n *ast.TypeName) qt {
	b := c.derive(c.spec(n.Spec, false), n.Dcl)
	n.Type = b.t
	return b
}

// intConst evaluates an integer constant expression.
func (c *checker) intConst(e ast.Expr, what string) (int64, bool) {
	v, big, ok := c.wideConst(e, what)
	if ok && big {
		c.errorf(e.Pos(), "%s is too large", what)
		return 0, false
	}
	return v, ok
}

// wideConst is intConst for all 64-bit values: if big is set, the value is v + 2^64.
func (c *checker) wideConst(e ast.Expr, what string) (v int64, big, ok bool) {
	x := c.rvalue(c.expr(e))
	if isBad(x) {
		return 0, false, false
	}
	if !types.IsInteger(x.Type()) {
		c.errorf(e.Pos(), "%s must be an integer, found '%s'", what, x.Type())
		return 0, false, false
	}
	v, ok = EvalInt(x)
	if !ok {
		hint := ""
		if what == "the length of an array" {
			hint = " (variable length arrays are not supported)"
		}
		c.errorf(e.Pos(), "%s is not a constant%s", what, hint)
		return 0, false, false
	}
	return v, types.ScalarType(x.Type()) == types.ULong && v < 0, true
}

// recordSpec resolves a struct or union specifier.
func (c *checker) recordSpec(s *ast.RecordSpec, alone bool) types.Type {
	var r *types.Record
	if s.Tag != "" {
		t := c.top().tags[s.Tag]
		if t == nil && !s.HasBody && !alone {
			t = c.lookupTag(s.Tag)
		}
		if t != nil {
			var ok bool
			if r, ok = t.typ.(*types.Record); !ok || r.Union != s.Union {
				c.errorNote(s.At, t.at, "previous declaration is here", "'%s' is already the tag of '%s'", s.Tag, t.typ)
				return nil
			}
			if s.HasBody && r.Complete {
				c.errorNote(s.At, t.at, "first defined here", "'%s' is defined twice", r)
				return nil
			}
		}
	}
	if r == nil {
		r = &types.Record{Tag: s.Tag, Union: s.Union}
		c.setTag(s.Tag, &tag{r, s.At})
	}
	if s.HasBody {
		c.recordBody(r, s)
	}
	return r
}

func (c *checker) setTag(name string, t *tag) {
	if name == "" {
		return
	}
	top := c.top()
	if top.tags == nil {
		top.tags = map[string]*tag{}
	}
	top.tags[name] = t
}

func (c *checker) recordBody(r *types.Record, s *ast.RecordSpec) {
	var fields []*types.Field
	seen := map[string]diag.Pos{}
	add := func(f *types.Field, at diag.Pos) {
		if f.Name != "" {
			if old, dup := seen[f.Name]; dup {
				c.errorNote(at, old, "previous member is here", "member '%s' is declared twice", f.Name)
				return
			}
			seen[f.Name] = at
		}
		fields = append(fields, f)
	}
	for _, m := range s.Members {
		b := c.spec(m.Spec, len(m.Decls) == 0)
		if m.Spec.Storage != 0 {
			c.errorf(m.At, "a member cannot have a storage class")
		}
		if len(m.Decls) == 0 {
			inner, ok := b.t.(*types.Record)
			if ok && inner.Tag == "" && inner.Complete {
				for _, f := range flatNames(inner) {
					if old, dup := seen[f]; dup {
						c.errorNote(m.At, old, "previous member is here", "member '%s' is declared twice", f)
					}
					seen[f] = m.At
				}
				fields = append(fields, &types.Field{Type: inner, Quals: b.q})
			} else if b.t != nil && m.Spec.Base.Record == nil && m.Spec.Base.Enum == nil {
				c.errorf(m.At, "the member has no name")
			}
			continue
		}
		for _, d := range m.Decls {
			if f := c.field(b, m, d); f != nil {
				add(f, d.At)
			}
		}
	}
	for i, f := range fields {
		if t, ok := f.Type.(*types.Array); ok && t.Len == 0 && (r.Union || i == 0 || i+1 < len(fields)) {
			c.errorf(seen[f.Name], "member '%s': an array without a length must be the last of several members of a struct", f.Name)
		}
	}
	c.noTypeAttrs(s.Attrs, "a struct or union")
	r.Pack = s.Pack
	var align int64
	for _, a := range s.Attrs {
		switch a.Name {
		case "packed":
			r.Packed = true
		case "aligned":
			align = max(align, c.alignAttr(&a))
		}
	}
	if !r.Finish(fields, align) {
		c.errorf(s.At, "'%s' is too large", r)
	}
}

// noTypeAttrs reports attributes that change a type in a place where there is no type to
// change.
func (c *checker) noTypeAttrs(attrs []ast.Attr, where string) {
	for i := range attrs {
		if a := &attrs[i]; isTypeAttr(a) {
			c.errorf(a.At, "attribute '%s' cannot apply to %s", a.Name, where)
		}
	}
}

// flatNames lists the member names introduced by an anonymous member.
func flatNames(r *types.Record) []string {
	var out []string
	for _, f := range r.Fields {
		if inner, ok := f.Type.(*types.Record); ok && f.Name == "" {
			out = append(out, flatNames(inner)...)
		} else {
			out = append(out, f.Name)
		}
	}
	return out
}

func (c *checker) field(b qt, m *ast.MemberDecl, d *ast.Declarator) *types.Field {
	if d.BitField != nil {
		c.errorf(d.At, "bit-fields are not supported")
		return nil
	}
	f := c.derive(b, d)
	switch t := f.t.(type) {
	case nil:
		return nil
	case *types.Func:
		c.errorf(d.At, "member '%s' is a function", d.Name)
		return nil
	case *types.Opaque:
		c.errorf(d.At, "member '%s' cannot have type '%s'", d.Name, t)
		return nil
	case *types.Array:
		if t.Len <= 0 { // a flexible array member (C99 §6.7.2.1) refers to memory after the struct
			f.t = &types.Array{Elem: t.Elem}
		}
	}
	if !types.IsComplete(f.t) {
		c.errorf(d.At, "member '%s' has type '%s', which is incomplete", d.Name, f.t)
		return nil
	}
	if f.hasSpace && f.space != types.Private {
		c.errorf(d.At, "member '%s' cannot be in %s of its own", d.Name, f.space)
	}
	out := &types.Field{Name: d.Name, Type: f.t, Quals: f.q, TypeAlign: f.align}
	for _, attrs := range [][]ast.Attr{m.Spec.Attrs, d.Attrs} {
		for _, a := range attrs {
			switch a.Name {
			case "packed":
				out.Packed = true
			case "aligned":
				out.Align = max(out.Align, c.alignAttr(&a))
			}
		}
	}
	return out
}

// alignAttr returns the value of an aligned attribute, in bytes.
func (c *checker) alignAttr(a *ast.Attr) int64 {
	switch {
	case a.Type != nil:
		if t := c.typeName(a.Type); t != nil {
			return t.Align()
		}
		return 0
	case len(a.Args) == 0:
		return 16
	}
	n, ok := c.intConst(a.Args[0], "an alignment")
	if !ok {
		return 0
	}
	if n <= 0 || n&(n-1) != 0 || n > 1<<20 {
		c.errorf(a.At, "an alignment must be a power of two up to %d, not %d", 1<<20, n)
		return 0
	}
	return n
}

// enumSpec resolves an enum specifier and declares its constants.
func (c *checker) enumSpec(s *ast.EnumSpec) types.Type {
	var e *types.Enum
	if s.Tag != "" {
		t := c.top().tags[s.Tag]
		if t == nil && !s.HasBody {
			t = c.lookupTag(s.Tag)
		}
		if t != nil {
			var ok bool
			if e, ok = t.typ.(*types.Enum); !ok {
				c.errorNote(s.At, t.at, "previous declaration is here", "'%s' is already the tag of '%s'", s.Tag, t.typ)
				return nil
			}
			if s.HasBody && e.Complete {
				c.errorNote(s.At, t.at, "first defined here", "'%s' is defined twice", e)
				return nil
			}
		} else if !s.HasBody {
			c.errorf(s.At, "'enum %s' is not defined", s.Tag)
			return nil
		}
	}
	if e == nil {
		e = &types.Enum{Tag: s.Tag, Under: types.Int}
		c.setTag(s.Tag, &tag{e, s.At})
	}
	c.noTypeAttrs(s.Attrs, "an enum")
	if !s.HasBody {
		return e
	}
	next, lo, hi := int64(0), int64(0), int64(0)
	big, anyBig := false, false // the next value, or any value, exceeds the largest long
	for _, k := range s.Consts {
		if k.X != nil {
			if v, b, ok := c.wideConst(k.X, fmt.Sprintf("the value of '%s'", k.Name)); ok {
				next, big = v, b
			}
		}
		if big {
			k.Value, k.Type, anyBig = next, types.ULong, true
			next++
			big = next != 0
			c.declare(k.Name, k.At, k)
			continue
		}
		k.Value, k.Type = next, types.Long
		switch {
		case next >= math.MinInt32 && next <= math.MaxInt32:
			k.Type = types.Int
		case next >= 0 && next <= math.MaxUint32:
			k.Type = types.UInt
		}
		lo, hi = min(lo, next), max(hi, next)
		next++
		big = next == math.MinInt64
		c.declare(k.Name, k.At, k)
	}
	switch {
	case anyBig:
		e.Under = types.ULong
	case lo >= 0 && hi <= math.MaxUint32:
		e.Under = types.UInt
	case lo >= math.MinInt32 && hi <= math.MaxInt32:
		e.Under = types.Int
	default:
		e.Under = types.Long
	}
	for _, a := range s.Attrs {
		if a.Name == "packed" {
			e.Under = narrowest(e.Under, lo, hi)
		}
	}
	e.Complete = true
	return e
}

// narrowest returns the smallest integer type that holds lo and hi, or under if none is
// smaller (GNU C's attribute packed for enums).
func narrowest(under *types.Scalar, lo, hi int64) *types.Scalar {
	for _, size := range []int64{1, 2} {
		t := types.SignedOf(size)
		bits := uint(8 * size)
		switch {
		case lo >= 0 && hi < 1<<bits:
			return t.Unsigned()
		case lo >= -1<<(bits-1) && hi < 1<<(bits-1):
			return t
		}
	}
	return under
}
