package lower

import (
	"math"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// scalar evaluates e, a scalar or pointer.
func (l *lowerer) scalar(e ast.Expr) *kernel.Value {
	v := l.expr(e)
	if len(v) == 0 {
		t, _ := regType(e.Type())
		if t == alu.Void {
			t = alu.I32
		}
		return l.konst(t, 0)
	}
	return v[0]
}

// effect evaluates e for its side effects only.
func (l *lowerer) effect(e ast.Expr) {
	switch {
	case types.IsVoid(e.Type()):
		l.void(e)
	case isReg(e.Type()):
		l.expr(e)
	default:
		l.object(e)
	}
}

// void evaluates an expression without a value.
func (l *lowerer) void(e ast.Expr) {
	switch e := e.(type) {
	case *ast.Cast:
		if e.X.Info().LValue && e.X.Info().Quals&types.Volatile == 0 {
			l.place(e.X)
			return
		}
		l.effect(e.X)
	case *ast.Call:
		l.call(e)
	case *ast.Comma:
		l.effect(e.X)
		l.effect(e.Y)
	case *ast.Cond:
		l.diamond(e.C, func() { l.effect(e.X) }, func() { l.effect(e.Y) })
	case *ast.StmtExpr:
		if last := l.stmtExpr(e); last != nil {
			l.effect(last)
		}
	}
}

// expr evaluates e, of a register type, to its components.
func (l *lowerer) expr(e ast.Expr) []*kernel.Value {
	switch e := e.(type) {
	case *ast.IntLit:
		t, _ := regType(e.Typ)
		return []*kernel.Value{l.konst(t, e.Value)}
	case *ast.FloatLit:
		return []*kernel.Value{l.floatConst(scalarOf(e.Typ), e.Value)}
	case *ast.Unary:
		return l.unary(e)
	case *ast.Binary:
		return l.binaryExpr(e)
	case *ast.Logical:
		c := l.cond(e)
		l.at(e.At)
		return []*kernel.Value{l.conv(alu.ZExt, alu.I32, c)}
	case *ast.Cast:
		return l.castExpr(e)
	case *ast.Assign:
		return l.assignExpr(e)
	case *ast.CompoundAssign:
		return l.compoundAssign(e)
	case *ast.IncDec:
		return l.incDec(e)
	case *ast.Cond:
		return l.condExpr(e)
	case *ast.Select:
		c, x, y := l.expr(e.C), l.expr(e.X), l.expr(e.Y)
		l.at(e.At)
		out := make([]*kernel.Value, len(x))
		for i := range out {
			neg := l.op(alu.Slt, c[i], l.konst(c[i].Type, 0))
			out[i] = l.selectOp(neg, x[i], y[i])
		}
		return out
	case *ast.Comma:
		l.effect(e.X)
		return l.expr(e.Y)
	case *ast.PtrAdd:
		p := l.scalar(e.X)
		i := l.scalar(e.I)
		l.at(e.At)
		return []*kernel.Value{l.movePtr(p, i, e.Typ, e.Neg)}
	case *ast.PtrDiff:
		x, y := l.scalar(e.X), l.scalar(e.Y)
		l.at(e.At)
		d := l.op(alu.Sub, l.conv(alu.Bitcast, alu.I64, x), l.conv(alu.Bitcast, alu.I64, y))
		return []*kernel.Value{l.op(alu.SDiv, d, l.i64(max(elemSize(e.X.Type()), 1)))}
	case *ast.VectorLit:
		_, n := regType(e.Typ)
		out := make([]*kernel.Value, 0, n)
		for _, x := range e.Elems {
			out = append(out, l.expr(x)...)
		}
		return out
	case *ast.Call:
		return l.call(e)
	case *ast.StmtExpr:
		if last := l.stmtExpr(e); last != nil {
			return l.expr(last)
		}
	case *ast.Swizzle:
		if !e.X.Info().LValue {
			t, _ := regType(e.Typ)
			return l.swizzle(l.expr(e.X), e.Idx, t)
		}
		return l.readPlace(e)
	case *ast.VecIndex:
		if !e.X.Info().LValue {
			v := l.expr(e.X)
			i := l.scalar(e.I)
			l.at(e.At)
			n := int64(len(v))
			if n == 3 {
				n = 4
			}
			return []*kernel.Value{l.pick(v, l.op(alu.And, i, l.i64(n-1)))}
		}
		return l.readPlace(e)
	case *ast.Ident, *ast.Index, *ast.Member, *ast.CompoundLit:
		return l.readPlace(e)
	}
	t, n := regType(e.Type())
	out := make([]*kernel.Value, n)
	for i := range out {
		out[i] = l.konst(t, 0)
	}
	return out
}

func (l *lowerer) readPlace(e ast.Expr) []*kernel.Value {
	p := l.place(e)
	l.at(e.Pos())
	return l.read(p)
}

func scalarOf(t types.Type) *types.Scalar {
	if s := types.ElemScalar(t); s != nil {
		return s
	}
	return types.Long // pointers compare like integers
}

func elemSize(ptr types.Type) int64 {
	if p, ok := ptr.(*types.Pointer); ok {
		if n := p.Elem.Size(); n > 0 {
			return n
		}
	}
	return 1 // size of the element of void* in GNU C
}

func (l *lowerer) floatConst(s *types.Scalar, f float64) *kernel.Value {
	bits := math.Float64bits(f)
	switch s {
	case types.Float:
		bits = uint64(math.Float32bits(float32(f)))
	case types.Half:
		bits = alu.Eval(alu.FPTrunc, alu.F16, alu.F64, bits, 0, 0)
	}
	return l.konst(scalarType(s), bits)
}

// movePtr moves p by i elements.
func (l *lowerer) movePtr(p, i *kernel.Value, ptr types.Type, neg bool) *kernel.Value {
	i = l.op(alu.Mul, i, l.i64(elemSize(ptr)))
	if neg {
		i = l.op(alu.Sub, l.i64(0), i)
	}
	return l.ptrAdd(p, i)
}

func (l *lowerer) castExpr(e *ast.Cast) []*kernel.Value {
	switch e.Kind {
	case ast.MostlyZero, ast.MostlyNot:
		return l.expr(e.X)
	case ast.NoOp:
		return l.cast(e.Kind, e.Typ, e.X.Type(), l.expr(e.X))
	case ast.LValueToRValue:
		return l.readPlace(e.X)
	case ast.ArrayDecay:
		p := l.objectPart(e.X)
		l.at(e.At)
		return []*kernel.Value{l.address(p)}
	case ast.ToBool:
		return []*kernel.Value{l.cond(e)}
	}
	v := l.expr(e.X)
	l.at(e.At)
	return l.cast(e.Kind, e.Typ, e.X.Type(), v)
}

func (l *lowerer) unary(e *ast.Unary) []*kernel.Value {
	if e.Op == ast.OpAddr {
		p := l.place(e.X)
		l.at(e.At)
		return []*kernel.Value{l.address(p)}
	}
	if e.Op == ast.OpDeref {
		return l.readPlace(e)
	}
	x := l.expr(e.X)
	l.at(e.At)
	out := make([]*kernel.Value, len(x))
	t, _ := regType(e.Typ)
	for i, v := range x {
		switch {
		case e.Op == ast.OpNeg && v.Type == alu.F16:
			b := l.op(alu.Xor, l.conv(alu.Bitcast, alu.I16, v), l.konst(alu.I16, 1<<15))
			out[i] = l.conv(alu.Bitcast, alu.F16, b)
		case e.Op == ast.OpNeg && v.Type.IsFloat():
			out[i] = l.op(alu.FNeg, v)
		case e.Op == ast.OpNeg:
			out[i] = l.op(alu.Sub, l.konst(v.Type, 0), v)
		case e.Op == ast.OpNot:
			out[i] = l.op(alu.Xor, v, l.konst(v.Type, v.Type.Mask()))
		case e.Op == ast.OpLNot && types.IsVector(e.Typ):
			out[i] = l.conv(alu.SExt, t, l.not(l.truth(v)))
		case e.Op == ast.OpLNot:
			out[i] = l.conv(alu.ZExt, t, l.not(l.truth(v)))
		default:
			out[i] = v
		}
	}
	return out
}

func (l *lowerer) assignExpr(e *ast.Assign) []*kernel.Value {
	to := l.place(e.X)
	val := l.expr(e.Y)
	l.at(e.At)
	l.name(to, e.X, val)
	l.assign(to, val)
	return val
}

func (l *lowerer) compoundAssign(e *ast.CompoundAssign) []*kernel.Value {
	if types.IsPointer(e.X.Type()) {
		i := l.scalar(e.Y)
		to := l.place(e.X)
		l.at(e.At)
		p := l.movePtr(l.read(to)[0], i, e.X.Type(), e.Op == ast.OpSub)
		l.assign(to, []*kernel.Value{p})
		return []*kernel.Value{p}
	}
	y := l.expr(e.Y)
	to := l.place(e.X)
	l.at(e.At)
	x := l.cast(e.ToCompute, e.Compute, e.X.Type(), l.read(to))
	r := l.binary(e.Op, e.Compute, x, y, nil, e.Y, e.Contract)
	r = l.cast(e.FromCompute, e.X.Type(), e.Compute, r)
	l.name(to, e.X, r)
	l.assign(to, r)
	return r
}

// name gives unnamed values the name of the variable x that they are assigned to.
func (l *lowerer) name(to place, x ast.Expr, values []*kernel.Value) {
	id, ok := x.(*ast.Ident)
	if !ok || to.ssa < 0 {
		return
	}
	for _, v := range values {
		if v.Name == "" && v.Op != kernel.Const {
			v.Name = l.valueName(id.Name)
		}
	}
}

func (l *lowerer) incDec(e *ast.IncDec) []*kernel.Value {
	to := l.place(e.X)
	l.at(e.At)
	old := l.read(to)
	val := make([]*kernel.Value, len(old))
	for i, x := range old {
		switch {
		case types.IsPointer(e.Typ):
			val[i] = l.movePtr(x, l.i64(1), e.Typ, e.Op == ast.OpSub)
		case x.Type == alu.I1 && e.Op == ast.OpAdd:
			val[i] = l.bool(true)
		case x.Type == alu.I1:
			val[i] = l.not(x)
		case x.Type.IsFloat():
			one := l.floatConst(scalarOf(e.Typ), 1)
			val[i] = l.binary(e.Op, e.Typ, old[i:i+1], []*kernel.Value{one}, nil, nil, false)[0]
		case e.Op == ast.OpAdd:
			val[i] = l.op(alu.Add, x, l.konst(x.Type, 1))
		default:
			val[i] = l.op(alu.Sub, x, l.konst(x.Type, 1))
		}
	}
	l.name(to, e.X, val)
	l.assign(to, val)
	if e.Post {
		return old
	}
	return val
}

// condExpr evaluates c ? x : y: with a select if both operands are cheap and free of side
// effects, otherwise with a branch.
func (l *lowerer) condExpr(e *ast.Cond) []*kernel.Value {
	if cost(e.X)+cost(e.Y) <= maxSpeculation {
		c := l.cond(e.C)
		x, y := l.expr(e.X), l.expr(e.Y)
		l.at(e.At)
		out := make([]*kernel.Value, len(x))
		for i := range out {
			out[i] = l.selectOp(c, x[i], y[i])
		}
		return out
	}
	t, n := regType(e.Typ)
	first := l.newVariable(t, "")
	for i := 1; i < n; i++ {
		l.newVariable(t, "")
	}
	side := func(x ast.Expr) func() {
		return func() {
			for i, v := range l.expr(x) {
				l.write(first+variable(i), v)
			}
		}
	}
	l.diamond(e.C, side(e.X), side(e.Y))
	out := make([]*kernel.Value, n)
	for i := range out {
		out[i] = l.readVar(first + variable(i))
	}
	return out
}

// diamond branches on the bool c to then or els, which join afterwards.
func (l *lowerer) diamond(c ast.Expr, then, els func()) {
	t, f, join := l.newBlock("then"), l.newBlock("else"), l.newBlock("")
	l.condJump(c, t, f)
	l.startSealed(t)
	then()
	l.jump(join)
	l.startSealed(f)
	els()
	l.jump(join)
	l.startSealed(join)
}
