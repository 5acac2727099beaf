package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// arithOps gives the operation for signed, unsigned and floating operands.
var arithOps = map[ast.Op][3]alu.Op{
	ast.OpAdd: {alu.Add, alu.Add, alu.FAdd},
	ast.OpSub: {alu.Sub, alu.Sub, alu.FSub},
	ast.OpMul: {alu.Mul, alu.Mul, alu.FMul},
	ast.OpDiv: {alu.SDiv, alu.UDiv, alu.FDiv},
	ast.OpRem: {alu.SRem, alu.URem, alu.Invalid},
	ast.OpAnd: {alu.And, alu.And, alu.Invalid},
	ast.OpOr:  {alu.Or, alu.Or, alu.Invalid},
	ast.OpXor: {alu.Xor, alu.Xor, alu.Invalid},
	ast.OpShl: {alu.Shl, alu.Shl, alu.Invalid},
	ast.OpShr: {alu.AShr, alu.LShr, alu.Invalid},
	ast.OpEQ:  {alu.Eq, alu.Eq, alu.FEq},
	ast.OpNE:  {alu.Ne, alu.Ne, alu.FNe},
	ast.OpLT:  {alu.Slt, alu.Ult, alu.FLt},
	ast.OpLE:  {alu.Sle, alu.Ule, alu.FLe},
}

// mirrored lists the comparisons that are emitted with exchanged operands.
var mirrored = map[ast.Op]ast.Op{ast.OpGT: ast.OpLT, ast.OpGE: ast.OpLE}

func (l *lowerer) binaryExpr(e *ast.Binary) []*kernel.Value {
	x, y := l.expr(e.X), l.expr(e.Y)
	l.at(e.At)
	if e.Op.IsComparison() {
		return l.compare(e, x, y)
	}
	if e.Op == ast.OpLAnd || e.Op == ast.OpLOr {
		op := alu.And
		if e.Op == ast.OpLOr {
			op = alu.Or
		}
		t, _ := regType(e.Typ)
		out := make([]*kernel.Value, len(x))
		for i := range out {
			out[i] = l.conv(alu.SExt, t, l.op(op, l.truth(x[i]), l.truth(y[i])))
		}
		return out
	}
	return l.binary(e.Op, e.Typ, x, y, e.X, e.Y, e.Contract)
}

func (l *lowerer) compare(e *ast.Binary, x, y []*kernel.Value) []*kernel.Value {
	t, _ := regType(e.Typ)
	widen := alu.ZExt
	if types.IsVector(e.Typ) {
		widen = alu.SExt
	}
	out := make([]*kernel.Value, len(x))
	for i := range out {
		out[i] = l.conv(widen, t, l.compareOp(e.Op, e.X.Type(), x[i], y[i]))
	}
	return out
}

// compareOp compares two scalars, components or pointers of (component) type t.
func (l *lowerer) compareOp(op ast.Op, t types.Type, x, y *kernel.Value) *kernel.Value {
	if m, ok := mirrored[op]; ok {
		op, x, y = m, y, x
	}
	x, y = l.widen(x), l.widen(y)
	if x.Type == alu.I1 {
		x, y = l.conv(alu.ZExt, alu.I32, x), l.conv(alu.ZExt, alu.I32, y)
	}
	kind := 1
	switch s := types.ElemScalar(t); {
	case s == nil: // pointers
	case s.IsFloat():
		kind = 2
	case s.IsSigned():
		kind = 0
	}
	return l.op(arithOps[op][kind], x, y)
}

// binary combines x and y of type t. xe and ye are the source expressions of the
// operands; a product among them may be fused into an fma. They are nil where no fusion
// is possible.
func (l *lowerer) binary(op ast.Op, t types.Type, x, y []*kernel.Value, xe, ye ast.Expr, contract bool) []*kernel.Value {
	s := scalarOf(t)
	out := make([]*kernel.Value, len(x))
	if len(y) == 0 {
		return x
	}
	fuse := contract && s.IsFloat() && s != types.Half && (op == ast.OpAdd || op == ast.OpSub)
	kind := 1
	if s.IsFloat() {
		kind = 2
	} else if s.IsSigned() {
		kind = 0
	}
	aop := arithOps[op][kind]
	if aop == alu.Invalid {
		return x
	}
	for i, a := range x {
		b := y[min(i, len(y)-1)]
		switch {
		case op.IsShift():
			if b.Type.Bits() > a.Type.Bits() {
				b = l.conv(alu.Trunc, a.Type, b)
			} else {
				b = l.conv(alu.ZExt, a.Type, b)
			}
			out[i] = l.op(aop, a, b)
		case a.Type == alu.F16:
			// Exact: a float has more than twice the bits of a half, plus 2
			// (Figueroa, "When is double rounding innocuous?", 1995).
			out[i] = l.conv(alu.FPTrunc, alu.F16, l.op(aop, l.widen(a), l.widen(b)))
		case fuse && product(xe, a):
			out[i] = l.fused(a, b, false, op == ast.OpSub)
		case fuse && product(ye, b):
			out[i] = l.fused(b, a, op == ast.OpSub, false)
		default:
			out[i] = l.op(aop, a, b)
		}
	}
	return out
}

// fused computes ±p ± c, rounded once, for the product p.
func (l *lowerer) fused(p, c *kernel.Value, negProduct, negSum bool) *kernel.Value {
	a, b := p.Args[0], p.Args[1]
	if negProduct {
		a = l.op(alu.FNeg, a)
	}
	if negSum {
		c = l.op(alu.FNeg, c)
	}
	return l.op(alu.FMA, a, b, c)
}

// product reports whether e, an operand of + or -, is the multiplication that computed v
// and nothing else can use its rounded result. Like clang 15 (the compiler of PoCL 3.1),
// it looks through parentheses, conversions that change nothing and commas, but not
// through a minus sign, assignments or calls.
func product(e ast.Expr, v *kernel.Value) bool {
	if v.Op != alu.FMul {
		return false // e may have been folded to a constant
	}
	for {
		switch x := e.(type) {
		case *ast.Binary:
			return x.Op == ast.OpMul
		case *ast.Comma:
			e = x.Y
		case *ast.Cast:
			if x.Kind != ast.NoOp {
				return false
			}
			e = x.X
		default:
			return false
		}
	}
}

// mad computes x*y + z like that expression: in one operation with contraction, except for halves.
func mad(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	out := make([]*kernel.Value, c.N)
	for i := range out {
		in := func(k int) *kernel.Value { return args[k].val[min(i, len(args[k].val)-1)] }
		switch x, y, z := in(0), in(1), in(2); {
		case x.Type == alu.F16:
			product := l.conv(alu.FPTrunc, alu.F16, l.op(alu.FMul, l.widen(x), l.widen(y)))
			out[i] = l.conv(alu.FPTrunc, alu.F16, l.op(alu.FAdd, l.widen(product), l.widen(z)))
		case e.Contract:
			out[i] = l.op(alu.FMA, x, y, z)
		default:
			out[i] = l.op(alu.FAdd, l.op(alu.FMul, x, y), z)
		}
	}
	return out
}
