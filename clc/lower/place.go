package lower

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// storage is the location of a variable: in SSA variables ssa, ssa+1, … (one per
// component), or in memory.
type storage struct {
	ssa  variable // -1 if in memory
	addr *kernel.Value
}

// place is the object, or the part of one, that an lvalue designates.
type place struct {
	typ types.Type

	// In SSA: the first of the variables, n components.
	ssa variable // -1 if in memory
	n   int

	// In memory: off bytes from base, or from the start of data when base is
	// nil. align is known to divide base.
	base     *kernel.Value
	data     *constant
	off      int64
	align    int64
	volatile bool
	// For an element of an array member: the offset of the array from base, and its size
	// in bytes; 0 for other places. Row subscripts are not recorded, as programs commonly
	// index past the end of a row into the next.
	array, bytes int64

	// For part of a vector, whose component type is the scalar elem and whose count is n:
	// the components idx, or the one selected by dyn (i64).
	idx  []uint8
	dyn  *kernel.Value
	part bool
	elem *types.Scalar
}

// declare adds the variable v to this frame with its first value: val for register types,
// otherwise a copy of from. A from without a type leaves v uninitialized.
func (l *lowerer) declare(v *ast.Var, val []*kernel.Value, from place) {
	st := l.allocate(v)
	switch {
	case st.ssa >= 0:
		for i, x := range val {
			if x.Name == "" && x.Op != kernel.Const {
				x.Name = l.valueName(v.Name)
			}
			l.write(st.ssa+variable(i), x)
		}
	case val != nil:
		l.assign(l.variable(v), val)
	case from.typ != nil:
		l.copy(l.variable(v), from)
	}
}

// allocate returns the storage of v in the current frame, which is the same each time its
// scope is entered.
func (l *lowerer) allocate(v *ast.Var) storage {
	if st, ok := l.frame.vars[v]; ok {
		return st
	}
	st := storage{ssa: -1}
	t, n := regType(v.Type)
	if t != alu.Void && !v.Addressed && v.Quals&types.Volatile == 0 {
		st.ssa = l.newVariable(t, v.Name)
		for i := 1; i < n; i++ {
			l.newVariable(t, v.Name)
		}
	} else {
		l.checkObject(v)
		st.addr = l.alloca(v.Type.Size(), max(v.Align, v.Type.Align()), v.Name)
		st.addr.Members = members(v.Type, "")
	}
	l.frame.vars[v] = st
	return st
}

// maxMembers bounds the number of named parts of an object.
const maxMembers = 256

// members lists the scalars in an object of type t with their names, which begin with the
// object's name. The elements of an array share the name of the array. Members of a union
// that overlap have no names.
func members(t types.Type, name string) []kernel.Member {
	var out []kernel.Member
	var add func(t types.Type, at int64, name string, element bool)
	add = func(t types.Type, at int64, name string, element bool) {
		if len(out) >= maxMembers {
			return
		}
		switch t := t.(type) {
		case *types.Record:
			for _, f := range t.Fields {
				inner := name
				if n := hint(f.Name); n != "" {
					inner += "." + n
				} else if f.Name != "" {
					continue
				}
				add(f.Type, at+f.Offset, inner, element)
			}
		case *types.Array:
			for i := int64(0); i < t.Len && len(out) < maxMembers; i++ {
				add(t.Elem, at+i*t.Elem.Size(), name, true)
			}
		case *types.Vector:
			for i := range int64(t.N) {
				add(t.Elem, at+i*t.Elem.Size(), fmt.Sprintf("%s.s%x", name, i), element)
			}
		default:
			out = append(out, kernel.Member{At: int(at), Name: name, Element: element})
		}
	}
	add(t, 0, name, false)
	slices.SortStableFunc(out, func(a, b kernel.Member) int { return a.At - b.At })
	var named []kernel.Member
	for i, m := range out {
		if m.Name != "" && (i == 0 || out[i-1].At < m.At) && (i+1 == len(out) || m.At < out[i+1].At) {
			named = append(named, m)
		}
	}
	return named
}

// checkObject reports variables whose types are not supported yet.
func (l *lowerer) checkObject(v *ast.Var) {
	t := v.Type
	for {
		a, ok := t.(*types.Array)
		if !ok {
			break
		}
		t = a.Elem
	}
	if o, ok := t.(*types.Opaque); ok && !isReg(o) {
		l.errorf(v.At, "%s ('%s') is not supported yet", o, v.Name)
	}
}

// isSampler reports whether t is sampler_t. Samplers of the program are constants in
// every address space.
func isSampler(t types.Type) bool {
	o, ok := t.(*types.Opaque)
	return ok && o.Name == "sampler_t"
}

// local returns the address of a __local variable, which exists once per work-group.
func (l *lowerer) local(v *ast.Var) *kernel.Value {
	i, ok := l.locals[v]
	if !ok {
		i = len(l.f.Locals)
		l.locals[v] = i
		size, align := v.Type.Size(), max(v.Align, v.Type.Align(), 1)
		l.checkObject(v)
		if size < 0 || size > kernel.MaxLocal || int64(l.f.LocalSize())+size+align > kernel.MaxLocal {
			l.errorf(v.At, "'%s' and the local variables before it have more than %d bytes, which is not supported", v.Name, kernel.MaxLocal)
			size = 1
		}
		name := l.variableName(v.Name)
		if name == "" {
			name = "local"
		}
		l.f.Locals = append(l.f.Locals, kernel.Local{Name: name, Size: int(size), Align: alignOf(align)})
		l.f.LayoutLocals()
	}
	x := l.emit(kernel.LocalAddr, alu.PtrLocal)
	x.Index, x.Name = i, l.variableName(v.Name)
	return x
}

// variable returns the place of v.
func (l *lowerer) variable(v *ast.Var) place {
	if v.Definition != nil {
		v = v.Definition
	}
	p := place{typ: v.Type, ssa: -1, align: max(v.Align, v.Type.Align()), volatile: v.Quals&types.Volatile != 0}
	switch {
	case v.Space == types.Constant && (v.Global || v.Init != nil), v.Global && !isVariable(v):
		p.data = l.m.constantOf(v)
		return p
	case v.Space == types.Local:
		p.base = l.local(v)
		return p
	case v.Global:
		off, ok := l.m.places[v]
		if !ok && v.Extern { // else it was reported as too large
			l.errorf(v.At, "'%s' is declared extern but never defined", v.Name)
		}
		p.base, p.off = l.variables(), off
		return p
	}
	st := l.allocate(v)
	if st.ssa >= 0 {
		_, n := regType(v.Type)
		p.ssa, p.n = st.ssa, n
		return p
	}
	p.base = st.addr
	return p
}

// place evaluates an lvalue, or a record rvalue, which is in memory too.
func (l *lowerer) place(e ast.Expr) place {
	switch e := e.(type) {
	case *ast.Ident:
		if e.Var != nil {
			l.at(e.At)
			return l.variable(e.Var)
		}
	case *ast.StringLit:
		return place{typ: e.Typ, ssa: -1, data: l.m.stringConstant(e), align: 1}
	case *ast.CompoundLit:
		l.at(e.At)
		l.initialize(e.Var)
		return l.variable(e.Var)
	case *ast.Unary:
		if e.Op == ast.OpDeref {
			if p, ok := l.decayed(e.X, e.Typ); ok {
				return p
			}
			ptr := l.scalar(e.X)
			return place{typ: e.Typ, ssa: -1, base: ptr, align: e.Typ.Align(), volatile: e.Quals&types.Volatile != 0}
		}
	case *ast.Index:
		return l.index(e)
	case *ast.Member:
		p := l.objectPart(e.X)
		p.typ, p.off = e.Typ, p.off+e.Offset
		p.volatile = p.volatile || e.Quals&types.Volatile != 0
		if p.array, p.bytes = p.off, 0; isArray(e.Typ) {
			p.bytes = e.Typ.Size()
		}
		return p
	case *ast.Swizzle:
		p := l.place(e.X)
		if v, ok := e.X.Type().(*types.Vector); ok {
			p.part, p.idx, p.elem, p.n, p.typ = true, e.Idx, v.Elem, v.N, e.Typ
		}
		return p
	case *ast.VecIndex:
		p := l.place(e.X)
		if v, ok := e.X.Type().(*types.Vector); ok {
			i := l.scalar(e.I)
			n := int64(v.N)
			if n == 3 {
				n = 4
			}
			l.at(e.At)
			i = l.op(alu.And, i, l.i64(n-1))
			p.part, p.dyn, p.elem, p.n, p.typ = true, i, v.Elem, v.N, e.Typ
		}
		return p
	case *ast.Cast:
		if e.Kind == ast.NoOp || e.Kind == ast.LValueToRValue {
			p := l.place(e.X)
			p.typ = e.Typ
			return p
		}
	}
	return l.object(e)
}

// objectPart evaluates X of X.member.
func (l *lowerer) objectPart(e ast.Expr) place {
	if e.Info().LValue {
		return l.place(e)
	}
	return l.object(e)
}

// object evaluates an rvalue of record or array type and returns its place.
func (l *lowerer) object(e ast.Expr) place {
	switch e := e.(type) {
	case *ast.Cast:
		if e.Kind == ast.LValueToRValue || e.Kind == ast.NoOp {
			return l.objectPart(e.X)
		}
	case *ast.Member:
		return l.place(e)
	case *ast.Comma:
		l.effect(e.X)
		return l.object(e.Y)
	case *ast.Assign:
		to := l.place(e.X)
		from := l.object(e.Y)
		l.at(e.At)
		l.copy(to, from)
		return to
	case *ast.Call:
		return l.callObject(e)
	case *ast.Cond:
		tmp := l.temporary(e.Typ)
		l.diamond(e.C, func() { l.copy(tmp, l.object(e.X)) }, func() { l.copy(tmp, l.object(e.Y)) })
		return tmp
	case *ast.StmtExpr:
		tmp := l.temporary(e.Typ)
		if last := l.stmtExpr(e); last != nil {
			l.copy(tmp, l.object(last))
		}
		return tmp
	}
	// A register value whose address is needed.
	tmp := l.temporary(e.Type())
	if isReg(e.Type()) {
		l.assign(tmp, l.expr(e))
	}
	return tmp
}

// temporary allocates an unnamed private object.
func (l *lowerer) temporary(t types.Type) place {
	return place{typ: t, ssa: -1, base: l.alloca(max(t.Size(), 1), t.Align(), ""), align: t.Align()}
}

// decayed recognizes an array that becomes a pointer only to be indexed. Its place keeps
// the known alignment and constant offsets.
func (l *lowerer) decayed(x ast.Expr, elem types.Type) (place, bool) {
	c, ok := x.(*ast.Cast)
	if !ok || c.Kind != ast.ArrayDecay {
		return place{}, false
	}
	p := l.objectPart(c.X)
	p.typ = elem
	return p, true
}

func (l *lowerer) index(e *ast.Index) place {
	p, ok := l.decayed(e.X, e.Typ)
	if !ok {
		p = place{typ: e.Typ, ssa: -1, base: l.scalar(e.X), align: e.Typ.Align()}
	}
	p.volatile = p.volatile || e.Quals&types.Volatile != 0
	i := l.scalar(e.I)
	l.at(e.At)
	size := e.Typ.Size()
	if i.Op == kernel.Const {
		p.off += int64(i.Const) * size
		return p
	}
	if p.base == nil {
		p.base, p.align = l.dataAddr(p.data), p.data.align
	}
	from := p.base
	p.base = l.ptrAdd(from, l.op(alu.Mul, i, l.i64(size)))
	if p.base != from && p.base.Type == alu.PtrPrivate && p.array >= 0 {
		p.base.Size, p.base.Index = int(p.bytes), int(p.array)
	}
	p.bytes = 0
	p.align = min(p.align, lowBit(size))
	return p
}

func isArray(t types.Type) bool {
	_, ok := t.(*types.Array)
	return ok
}

// address returns a pointer to p, a place in memory.
func (l *lowerer) address(p place) *kernel.Value {
	if p.base == nil {
		if p.data == nil { // an SSA variable has no address; the checker marks variables that need one
			return l.konst(alu.PtrPrivate, 0)
		}
		p.base = l.dataAddr(p.data)
	}
	return l.ptrAdd(p.base, l.i64(p.off))
}

// alignment returns a known divisor of p's address.
func (p *place) alignment() int64 { return min(max(p.align, 1), lowBit(p.off)) }

// read loads the value of p, of a register type.
func (l *lowerer) read(p place) []*kernel.Value {
	t, n := regType(p.typ)
	if t == alu.Void {
		return nil
	}
	if p.part {
		return l.readPart(p)
	}
	if p.ssa >= 0 {
		out := make([]*kernel.Value, n)
		for i := range out {
			out[i] = l.readVar(p.ssa + variable(i))
		}
		return out
	}
	if p.base == nil && p.data != nil && !p.volatile {
		if out := l.fold(p, t, n); out != nil {
			return out
		}
	}
	return l.load(t, n, l.address(p), p.alignment(), p.volatile)
}

func (l *lowerer) readPart(p place) []*kernel.Value {
	t := scalarType(p.elem)
	size := p.elem.Size()
	whole := p
	whole.part, whole.typ = false, types.VectorOf(p.elem, p.n)
	switch {
	case p.dyn != nil && p.ssa < 0:
		return l.load(t, 1, l.ptrAdd(l.address(whole), l.op(alu.Mul, p.dyn, l.i64(size))), min(p.align, size), p.volatile)
	case p.dyn != nil:
		return []*kernel.Value{l.pick(l.read(whole), p.dyn)}
	case p.ssa >= 0:
		out := make([]*kernel.Value, len(p.idx))
		for i, c := range p.idx {
			if int(c) < p.n {
				out[i] = l.readVar(p.ssa + variable(c))
			} else {
				out[i] = l.konst(t, 0)
			}
		}
		return out
	case len(p.idx) == 1 && int(p.idx[0]) < p.n:
		whole.off += size * int64(p.idx[0])
		whole.typ = p.elem
		return l.read(whole)
	}
	return l.swizzle(l.read(whole), p.idx, t)
}

func (l *lowerer) swizzle(v []*kernel.Value, idx []uint8, t alu.Type) []*kernel.Value {
	out := make([]*kernel.Value, len(idx))
	for i, c := range idx {
		if int(c) < len(v) {
			out[i] = v[c]
		} else {
			out[i] = l.konst(t, 0)
		}
	}
	return out
}

// pick selects component i of v, where i is an i64 in range.
func (l *lowerer) pick(v []*kernel.Value, i *kernel.Value) *kernel.Value {
	if i.Op == kernel.Const {
		if i.Const < uint64(len(v)) {
			return v[i.Const]
		}
		return l.konst(v[0].Type, 0)
	}
	out := v[0]
	for c := 1; c < len(v); c++ {
		out = l.selectOp(l.op(alu.Eq, i, l.i64(int64(c))), v[c], out)
	}
	return out
}

// assign stores val to p, of a register type.
func (l *lowerer) assign(p place, val []*kernel.Value) {
	if len(val) == 0 {
		return
	}
	switch {
	case p.part:
		l.assignPart(p, val)
	case p.ssa >= 0:
		for i, x := range val {
			l.write(p.ssa+variable(i), x)
		}
	default:
		l.store(l.address(p), val, p.alignment(), p.volatile)
	}
}

func (l *lowerer) assignPart(p place, val []*kernel.Value) {
	size := p.elem.Size()
	one := func(c int, x *kernel.Value) {
		if c >= p.n {
			return
		}
		if p.ssa >= 0 {
			l.write(p.ssa+variable(c), x)
			return
		}
		q := p
		q.off += int64(c) * size
		l.store(l.address(q), []*kernel.Value{x}, q.alignment(), p.volatile)
	}
	if p.dyn == nil {
		if p.ssa < 0 && contiguous(p.idx, p.n) {
			q := p
			q.off += int64(p.idx[0]) * size
			l.store(l.address(q), val, q.alignment(), p.volatile)
			return
		}
		for i, c := range p.idx {
			one(int(c), val[i])
		}
		return
	}
	if p.ssa < 0 {
		q := p
		addr := l.ptrAdd(l.address(q), l.op(alu.Mul, p.dyn, l.i64(size)))
		l.store(addr, val[:1], min(p.align, size), p.volatile)
		return
	}
	for c := 0; c < p.n; c++ {
		is := l.op(alu.Eq, p.dyn, l.i64(int64(c)))
		one(c, l.selectOp(is, val[0], l.readVar(p.ssa+variable(c))))
	}
}

func contiguous(idx []uint8, n int) bool {
	for i, c := range idx {
		if int(c) != int(idx[0])+i || int(c) >= n {
			return false
		}
	}
	return true
}
