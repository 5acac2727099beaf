package ast

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/simtc/simtc/clc/types"
)

// Dump writes the tree under node (a *File, Decl, Stmt, Expr or *Func) as indented text,
// one node per line: its kind, its type after a colon, and for an lvalue the address
// space. A checked file is written as its globals and functions.
func Dump(w io.Writer, node Node) error {
	d := &dumper{w: bufio.NewWriter(w)}
	d.node(node)
	return d.w.Flush()
}

type dumper struct {
	w     *bufio.Writer
	depth int
}

// maxIndent is the depth up to which nesting is shown by indentation. Deeper nodes show
// the depth as a number, as the text would otherwise grow quadratically.
const maxIndent = 100

func (d *dumper) line(format string, args ...any) {
	for range min(d.depth, maxIndent) {
		d.w.WriteString("  ")
	}
	if d.depth > maxIndent {
		fmt.Fprintf(d.w, "[%d] ", d.depth)
	}
	fmt.Fprintf(d.w, format, args...)
	d.w.WriteByte('\n')
}

// in runs f one level deeper.
func (d *dumper) in(f func()) {
	d.depth++
	f()
	d.depth--
}

func (d *dumper) node(n Node) {
	switch n := n.(type) {
	case *File:
		d.file(n)
	case *Func:
		d.fn(n)
	case *FuncDef:
		if n.Func != nil {
			d.fn(n.Func)
			return
		}
		d.line("function %s", n.Dcl.Name)
		d.in(func() { d.stmt(n.Body) })
	case Stmt:
		d.stmt(n)
	case Expr:
		d.expr(n)
	case *Var:
		d.variable("var", n)
	}
}

func (d *dumper) file(f *File) {
	if len(f.Funcs) == 0 && len(f.Globals) == 0 {
		for _, x := range f.Decls {
			d.node(x)
		}
		return
	}
	for _, v := range f.Globals {
		d.variable("global", v)
	}
	for _, fn := range f.Funcs {
		d.fn(fn)
	}
}

func (d *dumper) fn(fn *Func) {
	var b strings.Builder
	if fn.IsKernel {
		b.WriteString("kernel ")
	} else {
		b.WriteString("function ")
	}
	b.WriteString(fn.Name + " : " + fn.Type.Result.String())
	a := &fn.Attrs
	if a.ReqdWorkGroupSize != [3]int64{} {
		fmt.Fprintf(&b, " reqd_work_group_size=%d", a.ReqdWorkGroupSize)
	}
	if a.WorkGroupSizeHint != [3]int64{} {
		fmt.Fprintf(&b, " work_group_size_hint=%d", a.WorkGroupSizeHint)
	}
	if a.VecTypeHint != nil {
		b.WriteString(" vec_type_hint=" + a.VecTypeHint.String())
	}
	for _, flag := range []struct {
		on   bool
		name string
	}{{fn.Inline, "inline"}, {fn.Static, "static"}, {fn.Overloadable, "overloadable"},
		{a.AlwaysInline, "always_inline"}, {a.NoInline, "noinline"}} {
		if flag.on {
			b.WriteString(" " + flag.name)
		}
	}
	d.line("%s", b.String())
	d.in(func() {
		for _, p := range fn.Params {
			d.variable("param", p)
		}
		if fn.Body != nil {
			d.stmt(fn.Body)
		}
	})
}

func (d *dumper) variable(what string, v *Var) {
	if v.Type == nil {
		d.line("%s %s", what, v.Name)
		return
	}
	s := types.Declare(v.Name, v.Type, v.Quals)
	if v.Space != types.Private {
		s = v.Space.String() + " " + s
	}
	if v.Align > v.Type.Align() {
		s += fmt.Sprintf(" align=%d", v.Align)
	}
	if v.Addressed {
		s += " addressed"
	}
	if v.Extern {
		s += " extern"
	}
	d.line("%s %s", what, s)
	d.in(func() { d.init(v.Init) })
}

func (d *dumper) init(in *Init) {
	if in == nil {
		return
	}
	if in.Zero {
		d.line("zero")
	}
	for i := range in.Stores {
		s := &in.Stores[i]
		if s.Count > 1 {
			d.line("at %d, %d times every %d", s.Offset, s.Count, s.Stride)
		} else {
			d.line("at %d", s.Offset)
		}
		d.in(func() { d.expr(s.X) })
	}
}

func (d *dumper) stmt(s Stmt) {
	switch s := s.(type) {
	case nil:
		d.line("nothing")
	case *Block:
		d.line("block")
		d.in(func() {
			for _, it := range s.Items {
				d.stmt(it)
			}
		})
	case *ExprStmt:
		d.expr(s.X)
	case *Empty:
		d.line("empty")
	case *If:
		d.ifStmt(s)
	case *For:
		d.line("for%s%s", unrollText(s.Unroll), vectorizeText(s.Vectorize))
		d.in(func() {
			if s.Init != nil {
				d.line("init")
				d.in(func() { d.stmt(s.Init) })
			}
			if s.Cond != nil {
				d.line("cond")
				d.in(func() { d.expr(s.Cond) })
			}
			if s.Post != nil {
				d.line("post")
				d.in(func() { d.expr(s.Post) })
			}
			d.stmt(s.Body)
		})
	case *While:
		d.line("while%s%s", unrollText(s.Unroll), vectorizeText(s.Vectorize))
		d.in(func() {
			d.expr(s.Cond)
			d.stmt(s.Body)
		})
	case *DoWhile:
		d.line("do%s%s", unrollText(s.Unroll), vectorizeText(s.Vectorize))
		d.in(func() { d.stmt(s.Body) })
		d.line("while")
		d.in(func() { d.expr(s.Cond) })
	case *Switch:
		d.line("switch")
		d.in(func() {
			d.expr(s.X)
			d.stmt(s.Body)
		})
	case *Case, *Labeled:
		d.labels(s)
	case *Goto:
		d.line("goto %s", s.Name)
	case *Break:
		d.line("break")
	case *Continue:
		d.line("continue")
	case *Return:
		d.line("return")
		if s.X != nil {
			d.in(func() { d.expr(s.X) })
		}
	case *BadStmt:
		d.line("bad statement")
	case *Declaration:
		for _, v := range s.Vars {
			d.variable("var", v)
		}
		if len(s.Vars) == 0 {
			for _, id := range s.Decls {
				d.line("declare %s", id.Dcl.Name)
				if id.Init != nil {
					d.in(func() { d.expr(id.Init) })
				}
			}
		}
	}
}

// ifStmt writes an if with its else-ifs at the same depth.
func (d *dumper) ifStmt(s *If) {
	d.line("if")
	for {
		d.in(func() {
			d.expr(s.Cond)
			d.stmt(s.Then)
		})
		next, ok := s.Else.(*If)
		if !ok {
			break
		}
		d.line("else if")
		s = next
	}
	if s.Else != nil {
		d.line("else")
		d.in(func() { d.stmt(s.Else) })
	}
}

// labels writes a sequence of labels and the labelled statement.
func (d *dumper) labels(s Stmt) {
	for {
		switch l := s.(type) {
		case *Case:
			switch {
			case l.IsDefault:
				d.line("default")
			case l.Switch == nil:
				d.line("case")
			case l.Low != l.High:
				d.line("case %d ... %d", l.Low, l.High)
			default:
				d.line("case %d", l.Low)
			}
			s = l.Body
		case *Labeled:
			d.line("label %s", l.Label.Name)
			s = l.Body
		default:
			d.in(func() { d.stmt(s) })
			return
		}
	}
}

func vectorizeText(v Vectorize) string {
	return [...]string{VectorizeAuto: "", VectorizeRequired: " vectorize", VectorizeForbidden: " novectorize"}[v]
}

func unrollText(u Unroll) string {
	switch {
	case !u.Set:
		return ""
	case u.X != nil:
		if lit, ok := u.X.(*IntLit); ok {
			return " unroll " + lit.Text
		}
		return " unroll (expression)"
	case u.Count == 0:
		return " unroll"
	}
	return " unroll " + strconv.Itoa(u.Count)
}

// of returns ": type" for the text after an expression's name.
func of(e Expr) string {
	i := e.Info()
	if i.Typ == nil {
		return ""
	}
	s := " : " + i.Typ.String()
	if i.LValue {
		s += " lvalue"
		if i.Space != types.Private {
			s += " " + i.Space.String()
		}
		if q := i.Quals.String(); q != "" {
			s += " " + strings.TrimSuffix(q, " ")
		}
	}
	return s
}

func (d *dumper) expr(e Expr) {
	if e == nil {
		d.line("nothing")
		return
	}
	d.line("%s%s", label(e), of(e))
	d.in(func() {
		if c, ok := e.(*CompoundLit); ok && c.Var != nil {
			d.init(c.Var.Init)
			return
		}
		if s, ok := e.(*StmtExpr); ok {
			d.stmt(s.Body)
			return
		}
		for _, x := range operands(e) {
			d.expr(x)
		}
	})
}

// label describes an expression's node and its attributes, without operands.
func label(e Expr) string {
	switch e := e.(type) {
	case *Ident:
		return e.Name
	case *IntLit:
		if e.Typ == nil {
			return e.Text
		}
		if s := types.ScalarType(e.Typ); s != nil && !s.IsSigned() {
			return strconv.FormatUint(e.Value, 10)
		}
		return strconv.FormatInt(int64(e.Value), 10)
	case *FloatLit:
		if e.Typ == nil {
			return e.Text
		}
		return strconv.FormatFloat(e.Value, 'g', -1, 64)
	case *StringLit:
		return strconv.Quote(string(e.Value))
	case *Unary:
		return "unary " + e.Op.String()
	case *IncDec:
		op := strings.Repeat(e.Op.String(), 2)
		if e.Post {
			return "post " + op
		}
		return "pre " + op
	case *Binary:
		if s := types.ElemScalar(e.Typ); s != nil && s.IsFloat() && !e.Contract {
			return e.Op.String() + " (no contraction)"
		}
		return e.Op.String()
	case *Logical:
		return e.Op.String()
	case *PtrAdd:
		if e.Neg {
			return "ptr-sub"
		}
		return "ptr-add"
	case *PtrDiff:
		return "ptr-diff"
	case *Assign:
		return "="
	case *CompoundAssign:
		if e.Compute != nil && !types.Identical(e.Compute, e.Typ) {
			return fmt.Sprintf("%s= in %s (%s, %s)", e.Op, e.Compute, e.ToCompute, e.FromCompute)
		}
		return e.Op.String() + "="
	case *Cond:
		return "?:"
	case *Select:
		return "select"
	case *Comma:
		return "comma"
	case *Sizeof:
		return e.Op
	case *Offsetof:
		return "offsetof"
	case *Cast:
		switch {
		case e.Typ == nil:
			return "cast"
		case e.Implicit:
			return "implicit " + e.Kind.String()
		}
		return "cast " + e.Kind.String()
	case *VectorLit:
		return "vector"
	case *CompoundLit:
		return "literal"
	case *InitList:
		return "list"
	case *Index:
		return "index"
	case *VecIndex:
		return "component"
	case *Member:
		if e.Field != nil {
			return fmt.Sprintf("member %s at %d", e.Name, e.Offset)
		}
		return "member " + e.Name
	case *Swizzle:
		return fmt.Sprintf("swizzle %d", e.Idx)
	case *Call:
		if e.Fun != nil {
			return "call"
		}
		if e.Func == nil && e.Typ != nil {
			return "call built-in " + e.Name
		}
		return "call " + e.Name
	case *StmtExpr:
		return "statement expression"
	}
	return "bad expression"
}

// operands lists the expressions directly under e.
func operands(e Expr) []Expr {
	switch e := e.(type) {
	case *Unary:
		return []Expr{e.X}
	case *IncDec:
		return []Expr{e.X}
	case *Binary:
		return []Expr{e.X, e.Y}
	case *Logical:
		return []Expr{e.X, e.Y}
	case *PtrAdd:
		return []Expr{e.X, e.I}
	case *PtrDiff:
		return []Expr{e.X, e.Y}
	case *Assign:
		return []Expr{e.X, e.Y}
	case *CompoundAssign:
		return []Expr{e.X, e.Y}
	case *Cond:
		return []Expr{e.C, e.X, e.Y}
	case *Select:
		return []Expr{e.C, e.X, e.Y}
	case *Comma:
		return []Expr{e.X, e.Y}
	case *Sizeof:
		if e.X != nil {
			return []Expr{e.X}
		}
	case *Offsetof:
		var out []Expr
		for _, d := range e.Path {
			if d.Index != nil {
				out = append(out, d.Index)
			}
		}
		return out
	case *Cast:
		return []Expr{e.X}
	case *VectorLit:
		return e.Elems
	case *CompoundLit:
		if e.List != nil {
			return []Expr{e.List}
		}
	case *InitList:
		out := make([]Expr, len(e.Items))
		for i, it := range e.Items {
			out[i] = it.Value
		}
		return out
	case *Index:
		return []Expr{e.X, e.I}
	case *VecIndex:
		return []Expr{e.X, e.I}
	case *Member:
		return []Expr{e.X}
	case *Swizzle:
		return []Expr{e.X}
	case *Call:
		if e.Fun != nil {
			return append([]Expr{e.Fun}, e.Args...)
		}
		return e.Args
	}
	return nil
}
