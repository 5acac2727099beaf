package check

import (
	"slices"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

// declaration checks one declaration, at file scope or in a function.
func (c *checker) declaration(d *ast.Declaration, file bool) {
	if d.Assert != nil {
		c.staticAssert(d.Assert)
		return
	}
	b := c.spec(d.Spec, len(d.Decls) == 0)
	if len(d.Decls) == 0 {
		if d.Spec.Base.Record == nil && d.Spec.Base.Enum == nil {
			c.errorf(d.At, "the declaration declares nothing")
		}
		return
	}
	for _, id := range d.Decls {
		t := c.derive(b, id.Dcl)
		if d.Spec.Storage&ast.Typedef != 0 {
			c.typedef(d.Spec, id, t)
			continue
		}
		if f, ok := t.t.(*types.Func); ok {
			if id.Init != nil {
				c.errorf(id.Init.Pos(), "function '%s' cannot have an initializer", id.Dcl.Name)
			}
			if len(id.Dcl.Chain) == 0 || id.Dcl.Chain[0].Kind != ast.FuncOf {
				c.errorf(id.Dcl.At, "declaring function '%s' through a typedef is not supported", id.Dcl.Name)
				continue
			}
			c.declareFunc(d.Spec, id.Dcl, f)
			continue
		}
		if d.Spec.Storage&(ast.KernelFn|ast.Inline) != 0 && t.t != nil {
			c.errorf(id.Dcl.At, "kernel and inline apply only to functions, '%s' is a variable", id.Dcl.Name)
		}
		c.variable(d, id, t, file)
	}
}

func (c *checker) staticAssert(a *ast.StaticAssert) {
	x := c.rvalue(c.expr(a.X))
	if isBad(x) {
		return
	}
	switch v, ok := EvalInt(x); {
	case !ok:
		c.errorf(x.Pos(), "the condition of _Static_assert must be an integer constant")
	case v == 0 && len(a.Message) > 0:
		c.errorf(x.Pos(), "static assertion failed: %s", a.Message)
	case v == 0:
		c.errorf(x.Pos(), "static assertion failed")
	}
}

func (c *checker) typedef(s *ast.DeclSpec, id *ast.InitDeclarator, t qt) {
	name, at := id.Dcl.Name, id.Dcl.At
	if id.Init != nil {
		c.errorf(id.Init.Pos(), "a typedef cannot have an initializer")
	}
	for _, attrs := range [][]ast.Attr{s.Attrs, id.Dcl.Attrs} {
		for _, a := range attrs {
			if a.Name == "aligned" {
				t.align = max(t.align, c.alignAttr(&a))
			}
		}
	}
	if t.t == nil {
		// Keep the name, so that its uses do not cause more errors.
		if c.top().get(name) == nil {
			c.top().set(name, &typedef{qt: t, at: at})
		}
		return
	}
	if r, ok := t.t.(*types.Record); ok && r.Tag == "" && r.Typedef == "" {
		r.Typedef = name
	}
	if reserved := types.ByName(name); reserved != nil && !types.Identical(reserved, t.t) {
		c.errorf(at, "'%s' is a reserved type and cannot be made '%s'", name, t.t)
		return
	}
	if old, ok := c.top().get(name).(*typedef); ok {
		if old.t != nil && !(types.Identical(old.t, t.t) && old.q == t.q) {
			c.errorNote(at, old.at, "previous definition is here", "typedef '%s' is redefined as '%s', it was '%s'", name, t.t, old.t)
		}
		return
	}
	c.declare(name, at, &typedef{qt: t, at: at})
}

// variable declares one variable and resolves its initializer.
func (c *checker) variable(d *ast.Declaration, id *ast.InitDeclarator, t qt, file bool) {
	dcl := id.Dcl
	v := &ast.Var{
		Name: dcl.Name, At: dcl.At, Type: t.t, Quals: t.q, Space: t.space, Global: file, Func: c.fn,
		Extern: d.Spec.Storage&ast.Extern != 0 && id.Init == nil,
		Static: d.Spec.Storage&ast.Static != 0,
	}
	if t.t == nil {
		// A variable of unknown type; its uses are not reported again.
		if c.top().get(v.Name) == nil {
			c.top().set(v.Name, v)
		}
		return
	}
	if types.ByName(v.Name) != nil {
		c.errorf(v.At, "'%s' is a reserved type name", v.Name)
	}
	c.place(v, d, t, file)
	v.Align = max(v.Align, t.align)
	for _, attrs := range [][]ast.Attr{d.Spec.Attrs, dcl.Attrs} {
		for _, a := range attrs {
			if a.Name == "aligned" {
				v.Align = max(v.Align, c.alignAttr(&a))
			}
		}
	}
	if types.IsVoid(v.Type) {
		c.errorf(v.At, "variable '%s' cannot have type 'void'", v.Name)
		v.Type = nil
	} else if arr, open := v.Type.(*types.Array); !types.IsComplete(v.Type) && !v.Extern &&
		!(open && arr.Len < 0 && (id.Init != nil || file && types.IsComplete(arr.Elem))) {
		if open && arr.Len < 0 {
			c.errorf(v.At, "array '%s' needs a length or an initializer", v.Name)
		} else {
			c.errorf(v.At, "variable '%s' has type '%s', which is incomplete", v.Name, v.Type)
		}
		v.Type = nil
	}
	if old, ok := c.top().get(v.Name).(*ast.Var); ok && file && old.Type != nil && v.Type != nil {
		if v = c.redeclare(old, v, id); v == nil {
			return
		}
	} else {
		c.declare(v.Name, v.At, v)
		if file {
			c.file.Globals = append(c.file.Globals, v)
		} else {
			d.Vars = append(d.Vars, v)
			if v.Global {
				c.file.Statics = append(c.file.Statics, v)
			}
		}
	}
	c.initVar(v, id)
}

// place determines the address space of a variable and reports spaces that are not
// allowed.
func (c *checker) place(v *ast.Var, d *ast.Declaration, t qt, file bool) {
	if o, opaque := v.Type.(*types.Opaque); opaque && o.IsImage() {
		c.errorf(v.At, "variable '%s' cannot have type '%s': only parameters can be images", v.Name, o)
		return
	} else if opaque && !t.hasSpace {
		return // samplers and events have no address
	}
	static := d.Spec.Storage&ast.Static != 0
	if file || static {
		what := "program-scope"
		if !file {
			what = "static"
		}
		v.Global = true
		switch {
		case v.Space == types.Constant:
		case c.opts.GlobalVariables && (v.Space == types.Global || !t.hasSpace):
			v.Space = types.Global
		case c.opts.GlobalVariables:
			c.errorf(v.At, "%s variable '%s' cannot be in %s, only in __global or __constant", what, v.Name, v.Space)
		case !t.hasSpace && v.Quals&types.Const != 0 && v.Quals&types.Volatile == 0:
			v.Space = types.Constant // other compilers accept this before OpenCL C 2.0 too
		case !t.hasSpace:
			c.errorf(v.At, "%s variable '%s' must be __constant or const before OpenCL C 2.0 (-cl-std=CL2.0)", what, v.Name)
			v.Space = types.Global // its space in OpenCL C 2.0
		case v.Space == types.Global:
			c.errorf(v.At, "%s variable '%s' cannot be in __global before OpenCL C 2.0 (-cl-std=CL2.0), only in __constant", what, v.Name)
		default:
			c.errorf(v.At, "%s variable '%s' cannot be in %s, only in __constant", what, v.Name, v.Space)
		}
		return
	}
	switch {
	case v.Space == types.Global, v.Space == types.Generic:
		c.errorf(v.At, "a variable of a function cannot be in %s", v.Space)
	case v.Space == types.Local && c.opts.LocalAnywhere:
	case v.Space == types.Local && !c.fn.IsKernel:
		c.errorf(v.At, "a __local variable must be declared in a kernel, '%s' is not a kernel", c.fn.Name)
	case v.Space == types.Local && len(c.scopes) > 2:
		c.errorf(v.At, "a __local variable must be declared in the outermost block of the kernel")
	case d.Spec.Storage&ast.Extern != 0:
		c.errorf(v.At, "extern variables in functions are not supported")
	}
}

// redeclare merges another declaration of a program-scope variable into the first. It
// returns nil after an error.
func (c *checker) redeclare(old, v *ast.Var, id *ast.InitDeclarator) *ast.Var {
	oa, ok1 := old.Type.(*types.Array)
	va, ok2 := v.Type.(*types.Array)
	open := ok1 && ok2 && types.Identical(oa.Elem, va.Elem) && (oa.Len < 0 || va.Len < 0)
	if !(open || types.Identical(old.Type, v.Type)) || old.Quals != v.Quals || old.Space != v.Space {
		c.errorNote(v.At, old.At, "previous declaration is here", "'%s' is redeclared as '%s', it was '%s'",
			v.Name, types.Declare(v.Name, v.Type, v.Quals), types.Declare(v.Name, old.Type, old.Quals))
		return nil
	}
	if id.Init != nil && old.Init != nil {
		c.errorNote(v.At, old.At, "previous definition is here", "'%s' is defined twice", v.Name)
		return nil
	}
	if open && va.Len >= 0 {
		old.Type = v.Type
	}
	old.Extern = old.Extern && v.Extern
	old.Static = old.Static || v.Static
	old.Align = max(old.Align, v.Align)
	if id.Init != nil {
		old.At = v.At
	}
	return old
}

func (c *checker) initVar(v *ast.Var, id *ast.InitDeclarator) {
	if id.Init != nil && v.Space == types.Local {
		c.errorf(id.Init.Pos(), "a __local variable cannot have an initializer")
		return
	}
	if id.Init == nil {
		if v.Space == types.Constant && !v.Extern && v.Type != nil {
			c.errorf(v.At, "%s variable '%s' needs an initializer", v.Space, v.Name)
		}
		if v.Type != nil {
			v.Align = max(v.Align, v.Type.Align())
		}
		return
	}
	init, t := c.initializer(v.Type, id.Init)
	v.Init = init
	if v.Type == nil || t == nil {
		return
	}
	v.Type = t
	v.Align = max(v.Align, t.Align())
	foldConst(v)
	if init != nil && (v.Global || v.Space == types.Constant) {
		for _, s := range init.Stores {
			if isBad(s.X) {
				continue
			}
			if _, str := s.X.(*ast.StringLit); str {
				continue
			}
			if _, ok := Eval(s.X); !ok {
				c.errorf(s.X.Pos(), "the initializer of '%s' is not a constant", v.Name)
				return
			}
		}
		init.Constant = true
	}
}

// declareFunc enters a function or returns its earlier declaration.
func (c *checker) declareFunc(s *ast.DeclSpec, d *ast.Declarator, t *types.Func) *ast.Func {
	fn := &ast.Func{
		Name: d.Name, At: d.At, Type: t,
		IsKernel: s.Storage&ast.KernelFn != 0,
		Inline:   s.Storage&ast.Inline != 0,
		Static:   s.Storage&ast.Static != 0,
	}
	for _, attrs := range [][]ast.Attr{s.Attrs, d.Attrs} {
		c.funcAttrs(fn, attrs)
	}
	if fn.IsKernel && fn.Static {
		c.errorf(d.At, "kernel '%s' cannot be static", d.Name)
	}
	handle := c.declaredBuiltin(d.Name, t)
	if t.Variadic && handle == nil {
		c.errorf(d.At, "variadic functions are not supported")
	}
	scope := c.scopes[0]
	old := scope.get(d.Name)
	set, isFunc := old.(*funcSet)
	if old != nil && !isFunc {
		c.declare(d.Name, d.At, &funcSet{fns: []*ast.Func{fn}})
		return fn
	}
	if handle != nil {
		fn.Builtin = handle
	}
	if set == nil {
		set = &funcSet{}
		scope.set(d.Name, set)
	}
	for _, f := range set.fns {
		if sameParams(f.Type, t) {
			if !types.Identical(f.Type.Result, t.Result) {
				c.errorNote(d.At, f.At, "previous declaration is here", "'%s' is redeclared with result '%s', it was '%s'",
					d.Name, t.Result, f.Type.Result)
				if f.Body != nil {
					return fn
				}
				f.Type = t // so that errors in its body are not caused by the conflict
			}
			f.IsKernel = f.IsKernel || fn.IsKernel
			f.Inline = f.Inline || fn.Inline
			f.Static = f.Static || fn.Static
			f.Overloadable = f.Overloadable || fn.Overloadable
			mergeAttrs(&f.Attrs, &fn.Attrs)
			return f
		}
	}
	if plain := set.plain(); plain != nil && !fn.Overloadable {
		c.errorNote(d.At, plain.At, "previous declaration is here",
			"'%s' is redeclared with other parameters (overloads need __attribute__((overloadable)))", d.Name)
		// Use the new declaration instead, so that its body and calls cause no more
		// errors.
		set.fns = set.fns[:0]
	}
	set.fns = append(set.fns, fn)
	return fn
}

// declaredBuiltin returns the handle of the built-in function with this name and type t,
// or nil.
func (c *checker) declaredBuiltin(name string, t *types.Func) any {
	if c.builtins == nil {
		return nil
	}
	result, params, handle, err := c.builtins.Lookup(name, t.Params)
	if result == nil || err != nil || !types.Identical(result, t.Result) || !identicalTypes(params, t.Params) {
		return nil
	}
	return handle
}

func sameParams(a, b *types.Func) bool {
	return a.Variadic == b.Variadic && identicalTypes(a.Params, b.Params)
}

func identicalTypes(a, b []types.Type) bool {
	return slices.EqualFunc(a, b, types.Identical)
}

func mergeAttrs(to, from *ast.FuncAttrs) {
	if from.ReqdWorkGroupSize != [3]int64{} {
		to.ReqdWorkGroupSize = from.ReqdWorkGroupSize
	}
	if from.WorkGroupSizeHint != [3]int64{} {
		to.WorkGroupSizeHint = from.WorkGroupSizeHint
	}
	if from.VecTypeHint != nil {
		to.VecTypeHint = from.VecTypeHint
	}
	to.SubGroupSize = max(to.SubGroupSize, from.SubGroupSize)
	to.AlwaysInline = to.AlwaysInline || from.AlwaysInline
	to.NoInline = to.NoInline || from.NoInline
}

// kernelAttrs lists the attributes that only kernels may have (OpenCL C 1.2 §6.7.2).
var kernelAttrs = map[string]bool{
	"reqd_work_group_size": true, "work_group_size_hint": true, "vec_type_hint": true, "intel_reqd_sub_group_size": true,
}

// vecTypeHint returns the type of a vec_type_hint, or nil after an error.
func (c *checker) vecTypeHint(a *ast.Attr) types.Type {
	if a.Type == nil {
		c.errorf(a.At, "vec_type_hint needs a type")
		return nil
	}
	t := c.typeName(a.Type)
	if t == nil {
		return nil
	}
	if s := types.ElemScalar(t); s == nil || s.Kind <= types.KindBool {
		c.errorf(a.At, "vec_type_hint needs a number or vector type, not '%s'", t)
		return nil
	}
	return t
}

// funcAttrs interprets the attributes of a function.
func (c *checker) funcAttrs(fn *ast.Func, attrs []ast.Attr) {
	for i := range attrs {
		a := &attrs[i]
		if kernelAttrs[a.Name] && !fn.IsKernel {
			c.errorf(a.At, "attribute '%s' applies only to kernels, '%s' is not a kernel", a.Name, fn.Name)
		}
		switch a.Name {
		case "reqd_work_group_size":
			c.sizes(a, &fn.Attrs.ReqdWorkGroupSize)
		case "work_group_size_hint":
			c.sizes(a, &fn.Attrs.WorkGroupSizeHint)
		case "vec_type_hint":
			fn.Attrs.VecTypeHint = c.vecTypeHint(a)
		case "intel_reqd_sub_group_size":
			if len(a.Args) == 1 {
				fn.Attrs.SubGroupSize, _ = c.intConst(a.Args[0], "a sub-group size")
			}
		case "overloadable":
			fn.Overloadable = true
		case "always_inline":
			fn.Attrs.AlwaysInline = true
		case "noinline":
			fn.Attrs.NoInline = true
		}
	}
}

func (c *checker) sizes(a *ast.Attr, to *[3]int64) {
	if len(a.Args) != 3 {
		c.errorf(a.At, "%s takes 3 sizes, found %d", a.Name, len(a.Args))
		return
	}
	for i, x := range a.Args {
		n, ok := c.intConst(x, "a work-group size")
		if ok && (n < 1 || n > 1<<31-1) {
			c.errorf(x.Pos(), "a work-group size must be from 1 to %d, not %d", int64(1<<31-1), n)
		}
		to[i] = n
	}
}

// typedefName returns ast.Var.Typedef of a parameter.
func typedefName(p *ast.ParamDecl) string {
	name := p.Spec.Base.Name
	if name == "" || types.ByName(name) != nil {
		return ""
	}
	for _, d := range p.Dcl.Chain {
		if d.Kind == ast.FuncOf {
			return ""
		}
		name += "*" // an array is a pointer
	}
	return name
}

// funcDef checks a function and its body.
func (c *checker) funcDef(d *ast.FuncDef) {
	t, ok := c.derive(c.spec(d.Spec, false), d.Dcl).t.(*types.Func)
	if !ok {
		// The signature is invalid; checking the body would repeat the errors.
		if c.scopes[0].get(d.Dcl.Name) == nil {
			c.scopes[0].set(d.Dcl.Name, &ast.Var{Name: d.Dcl.Name, At: d.Dcl.At})
		}
		return
	}
	fn := c.declareFunc(d.Spec, d.Dcl, t)
	if fn.Body != nil {
		c.errorNote(d.Dcl.At, fn.At, "first defined here", "function '%s' is defined twice", fn.Name)
		return
	}
	fn.At, fn.Type, fn.Body, fn.Labels = d.Dcl.At, t, d.Body, d.Labels
	d.Func = fn
	c.file.Funcs = append(c.file.Funcs, fn)
	c.fn, c.calls, c.unknown = fn, map[*ast.Func]bool{}, map[string]bool{}
	c.push()
	for i, p := range d.Dcl.Chain[0].Params {
		v := &ast.Var{Name: p.Dcl.Name, At: p.Dcl.At, Type: t.Params[i], Quals: c.paramQuals(p), Param: true, Func: fn}
		v.Align = v.Type.Align()
		v.Typedef = typedefName(p)
		if !types.IsComplete(v.Type) {
			c.errorf(v.At, "parameter '%s' has type '%s', which is incomplete", v.Name, v.Type)
			v.Type = nil
		}
		if v.Name != "" {
			c.declare(v.Name, v.At, v)
		}
		fn.Params = append(fn.Params, v)
	}
	if !types.IsVoid(t.Result) && !types.IsComplete(t.Result) {
		c.errorf(d.Dcl.At, "function '%s' returns '%s', which is incomplete", fn.Name, t.Result)
	}
	if fn.IsKernel {
		c.kernelSignature(fn, d.Dcl.Chain[0].Params)
	}
	c.stmts(d.Body.Items)
	for _, l := range fn.Labels {
		if l.Def == nil {
			c.errorf(l.At, "label '%s' is not defined in this function", l.Name)
		}
	}
	c.pop()
	c.fn = nil
}

// paramQuals returns the qualifiers of a parameter itself, not those of its element type.
func (c *checker) paramQuals(p *ast.ParamDecl) types.Quals {
	if len(p.Dcl.Chain) > 0 {
		return p.Dcl.Chain[0].Quals
	}
	q := p.Spec.Quals &^ (types.ReadOnly | types.WriteOnly | types.ReadWrite) // the type has them
	if td, ok := c.lookup(p.Spec.Base.Name).(*typedef); ok {
		q |= td.q
	}
	return q
}

// deviceSized lists the types that kernels must not take by value (OpenCL C 1.2 §6.9.k).
var deviceSized = map[string]bool{"size_t": true, "ptrdiff_t": true, "intptr_t": true, "uintptr_t": true}

// kernelSignature reports types that a kernel must not take or return (OpenCL C 1.2
// §6.9). decls are the parameters as written.
func (c *checker) kernelSignature(fn *ast.Func, decls []*ast.ParamDecl) {
	if !types.IsVoid(fn.Type.Result) {
		c.errorf(fn.At, "kernel '%s' must return void, not '%s'", fn.Name, fn.Type.Result)
	}
	if fn.Overloadable {
		c.errorf(fn.At, "kernel '%s' cannot be overloadable", fn.Name)
	}
	for i, p := range fn.Params {
		ptr, ok := p.Type.(*types.Pointer)
		if !ok {
			if base := decls[i].Spec.Base.Word; deviceSized[base] {
				c.errorf(p.At, "kernel parameter '%s' must not be a %s, whose size differs between devices; use uint or ulong", p.Name, base)
			}
			continue
		}
		switch {
		case types.IsPointer(ptr.Elem):
			c.errorf(p.At, "kernel parameter '%s' cannot point to pointers ('%s')", p.Name, p.Type)
		case ptr.Space == types.Private || ptr.Space == types.Generic:
			c.errorf(p.At, "kernel parameter '%s' must point to __global, __constant or __local, not to %s", p.Name, ptr.Space)
		}
	}
}
