package parse

import (
	"strconv"
	"strings"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/clc/types"
)

func at(pos pos) ast.ExprInfo { return ast.ExprInfo{At: pos} }

// expression parses a full expression, including comma operators.
func (p *parser) expression() ast.Expr {
	x := p.assignment()
	for n := 0; p.isPunct(","); {
		p.chain(&n)
		c := &ast.Comma{ExprInfo: at(p.pos()), X: x}
		p.advance()
		c.Y = p.assignment()
		x = c
	}
	return x
}

var assignOps = map[string]ast.Op{
	"=": ast.OpNone, "+=": ast.OpAdd, "-=": ast.OpSub, "*=": ast.OpMul, "/=": ast.OpDiv, "%=": ast.OpRem,
	"&=": ast.OpAnd, "|=": ast.OpOr, "^=": ast.OpXor, "<<=": ast.OpShl, ">>=": ast.OpShr,
}

func (p *parser) assignment() ast.Expr {
	x := p.conditional()
	t := p.tok()
	if t.Kind != token.Punct || t.Text[len(t.Text)-1] != '=' {
		return x
	}
	op, ok := assignOps[t.Text]
	if !ok {
		return x
	}
	p.enter()
	defer p.leave()
	info := at(p.pos())
	p.advance()
	y := p.assignment()
	if op == ast.OpNone {
		return &ast.Assign{ExprInfo: info, X: x, Y: y}
	}
	return &ast.CompoundAssign{ExprInfo: info, Op: op, X: x, Y: y, Contract: p.contract}
}

func (p *parser) conditional() ast.Expr {
	c := p.binary(1)
	if !p.isPunct("?") {
		return c
	}
	p.enter()
	defer p.leave()
	q := p.pos()
	x := &ast.Cond{ExprInfo: at(q), C: c}
	p.advance()
	if !p.isPunct(":") { // GNU's c ?: y has no second operand
		x.X = p.expression()
	}
	if !p.accept(":") {
		p.fail("expected ':' of a conditional expression, found %s", p.describe())
	}
	x.Y = p.conditional()
	return x
}

type binOp struct {
	prec int
	op   ast.Op
}

var binOps = map[string]binOp{
	"||": {1, ast.OpLOr}, "&&": {2, ast.OpLAnd}, "|": {3, ast.OpOr}, "^": {4, ast.OpXor}, "&": {5, ast.OpAnd},
	"==": {6, ast.OpEQ}, "!=": {6, ast.OpNE},
	"<": {7, ast.OpLT}, ">": {7, ast.OpGT}, "<=": {7, ast.OpLE}, ">=": {7, ast.OpGE},
	"<<": {8, ast.OpShl}, ">>": {8, ast.OpShr}, "+": {9, ast.OpAdd}, "-": {9, ast.OpSub},
	"*": {10, ast.OpMul}, "/": {10, ast.OpDiv}, "%": {10, ast.OpRem},
}

// binary parses operators of at least precedence prec by precedence climbing. Its
// recursion depth is bounded by the number of precedence levels.
func (p *parser) binary(prec int) ast.Expr {
	x := p.castExpr()
	for n := 0; ; {
		t := p.tok()
		if t.Kind != token.Punct {
			return x
		}
		b, ok := binOps[t.Text]
		if !ok || b.prec < prec {
			return x
		}
		p.chain(&n)
		info := at(p.pos())
		p.advance()
		y := p.binary(b.prec + 1)
		if b.op == ast.OpLAnd || b.op == ast.OpLOr {
			x = &ast.Logical{ExprInfo: info, Op: b.op, X: x, Y: y}
		} else {
			x = &ast.Binary{ExprInfo: info, Op: b.op, X: x, Y: y, Contract: p.contract}
		}
	}
}

// castExpr parses a unary expression and the casts before it.
func (p *parser) castExpr() ast.Expr {
	if !p.isPunct("(") || !p.startsType(p.peek(1)) {
		return p.unary()
	}
	p.enter()
	defer p.leave()
	open := p.pos()
	p.advance()
	to := p.typeName()
	p.expectClose(")", open)
	if p.isPunct("{") {
		return p.postfix(p.compoundLit(open, to))
	}
	if p.isPunct("(") && mayBeVector(to) && !p.peekPunct(1, "{") && !p.startsType(p.peek(1)) {
		return p.vectorLit(open, to)
	}
	return &ast.Cast{ExprInfo: at(open), To: to, X: p.castExpr()}
}

func (p *parser) compoundLit(open pos, to *ast.TypeName) ast.Expr {
	return &ast.CompoundLit{ExprInfo: at(open), To: to, List: p.initList()}
}

// mayBeVector reports whether t may be a vector type.
func mayBeVector(t *ast.TypeName) bool {
	if len(t.Dcl.Chain) > 0 {
		return false
	}
	b := &t.Spec.Base
	return types.IsVector(b.Type) || b.Name != "" || b.TypeofX != nil || b.TypeofT != nil
}

// vectorLit parses the parenthesized list after (to) and the rest of the expression. For
// a vector type the list is a primary expression (OpenCL C 1.2 §6.1.6); for other types
// it begins the operand of a cast. The checker decides, when the type is known.
func (p *parser) vectorLit(start pos, to *ast.TypeName) ast.Expr {
	open := p.pos()
	p.advance()
	lit := &ast.VectorLit{ExprInfo: at(start), To: to}
	for {
		lit.Elems = append(lit.Elems, p.assignment())
		if !p.accept(",") {
			break
		}
	}
	p.expectClose(")", open)
	x := p.postfix(lit)
	if x == lit || types.IsVector(to.Spec.Base.Type) {
		return x
	}
	return &ast.Cast{ExprInfo: at(start), To: to, X: x, Paren: lit}
}

var prefixOps = map[string]ast.Op{
	"-": ast.OpNeg, "+": ast.OpPlus, "~": ast.OpNot, "!": ast.OpLNot, "*": ast.OpDeref, "&": ast.OpAddr,
}

func (p *parser) unary() ast.Expr {
	t := p.tok()
	info := at(p.pos())
	if t.Kind == token.Punct {
		switch t.Text {
		case "++", "--":
			p.enter()
			defer p.leave()
			op := ast.OpAdd
			if t.Text == "--" {
				op = ast.OpSub
			}
			p.advance()
			return &ast.IncDec{ExprInfo: info, Op: op, X: p.unary()}
		case "&&":
			p.fail("the address of a label is not supported")
		}
		if op, ok := prefixOps[t.Text]; ok {
			p.enter()
			defer p.leave()
			p.advance()
			return &ast.Unary{ExprInfo: info, Op: op, X: p.castExpr()}
		}
		return p.postfix(p.primary())
	}
	switch p.word() {
	case wSizeof, wAlignof, wVecStep:
		return p.sizeof(info)
	case wExtension:
		p.enter()
		defer p.leave()
		p.advance()
		return p.castExpr()
	}
	return p.postfix(p.primary())
}

var sizeofNames = map[word]string{wSizeof: "sizeof", wAlignof: "alignof", wVecStep: "vec_step"}

func (p *parser) sizeof(info ast.ExprInfo) ast.Expr {
	p.enter()
	defer p.leave()
	s := &ast.Sizeof{ExprInfo: info, Op: sizeofNames[p.word()]}
	p.advance()
	if p.isPunct("(") && p.startsType(p.peek(1)) {
		open := p.pos()
		p.advance()
		to := p.typeName()
		p.expectClose(")", open)
		if p.isPunct("{") {
			s.X = p.postfix(p.compoundLit(open, to))
		} else if p.isPunct("(") && mayBeVector(to) {
			s.X = p.vectorLit(open, to)
		} else {
			s.Of = to
		}
		return s
	}
	s.X = p.unary()
	return s
}

func (p *parser) postfix(x ast.Expr) ast.Expr {
	for n := 0; p.kind() == token.Punct; {
		info := at(p.pos())
		text := p.tok().Text
		switch text {
		case "[":
			p.enter()
			p.advance()
			i := &ast.Index{ExprInfo: info, X: x, I: p.expression()}
			p.expectClose("]", info.At)
			p.leave()
			x = i
		case "(":
			x = p.call(x)
		case ".", "->":
			p.advance()
			m := &ast.Member{X: x, Arrow: text == "->"}
			m.At = p.pos()
			m.Name = p.ident("of a member after '" + text + "'")
			x = m
		case "++", "--":
			p.advance()
			op := ast.OpAdd
			if text == "--" {
				op = ast.OpSub
			}
			x = &ast.IncDec{ExprInfo: info, Op: op, Post: true, X: x}
		default:
			return x
		}
		p.chain(&n)
	}
	return x
}

func (p *parser) call(fun ast.Expr) ast.Expr {
	p.enter()
	defer p.leave()
	open := p.pos()
	p.advance()
	id, ok := fun.(*ast.Ident)
	if ok && id.Name == "__builtin_offsetof" {
		return p.offsetof(id, open)
	}
	c := &ast.Call{Fun: fun, Contract: p.contract}
	c.At = fun.Pos()
	c.NameAt = fun.Pos()
	if ok && (id.Name == "__builtin_astype" || id.Name == "__builtin_convertvector") {
		c.Args = append(c.Args, p.assignment())
		p.expect(",", "after the first operand")
		c.To = p.typeName()
		p.expectClose(")", open)
		return c
	}
	if ok && id.Name == "__builtin_bit_cast" {
		c.To = p.typeName()
		p.expect(",", "after the type")
		c.Args = append(c.Args, p.assignment())
		p.expectClose(")", open)
		return c
	}
	for !p.isPunct(")") {
		c.Args = append(c.Args, p.assignment())
		if !p.accept(",") {
			break
		}
		if p.isPunct(")") {
			p.fail("expected an argument after ','")
		}
	}
	p.expectClose(")", open)
	return c
}

// offsetof parses the operands of __builtin_offsetof.
func (p *parser) offsetof(name *ast.Ident, open pos) ast.Expr {
	o := &ast.Offsetof{ExprInfo: name.ExprInfo, Of: p.typeName()}
	p.expect(",", "after the type")
	first := ast.Designator{At: p.pos()}
	first.Name = p.ident("of a member")
	o.Path = p.designators([]ast.Designator{first})
	for _, d := range o.Path {
		if d.Last != nil {
			p.fail("expected a member with one offset, not a range")
		}
	}
	p.expectClose(")", open)
	return o
}

func (p *parser) primary() ast.Expr {
	t := p.tok()
	info := at(p.pos())
	switch t.Kind {
	case token.Ident:
		if p.word() == 0 && !p.isTypeName(t.Text) {
			p.advance()
			return &ast.Ident{ExprInfo: info, Name: t.Text}
		}
		if p.word() == 0 {
			// as_float4 and convert_float4 are functions; float4(...) is not.
			if p.peekPunct(1, "(") {
				p.fail("expected an expression, found type '%s' (a vector is written (%s)(...))", t.Text, t.Text)
			}
			p.fail("expected an expression, found type '%s'", t.Text)
		}
	case token.Int, token.Char:
		p.advance()
		return &ast.IntLit{ExprInfo: info, Text: t.Text}
	case token.Float:
		p.advance()
		return &ast.FloatLit{ExprInfo: info, Text: t.Text}
	case token.String:
		return p.stringLit()
	case token.Punct:
		if t.Text == "(" {
			return p.paren()
		}
	}
	p.fail("expected an expression, found %s", p.describe())
	return nil
}

func (p *parser) paren() ast.Expr {
	p.enter()
	defer p.leave()
	open := p.pos()
	p.advance()
	if p.isPunct("{") {
		x := &ast.StmtExpr{ExprInfo: at(open)}
		if p.labels == nil && len(p.scopes) == 1 {
			p.fail("a statement expression can only be used inside a function")
		}
		x.Body = p.block()
		p.expectClose(")", open)
		return x
	}
	x := p.expression()
	p.expectClose(")", open)
	return x
}

// stringLit concatenates adjacent strings.
func (p *parser) stringLit() ast.Expr {
	s := &ast.StringLit{ExprInfo: at(p.pos())}
	for p.kind() == token.String {
		text := p.tok().Text
		if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
			p.fail("a string of this kind is not supported: %s", text)
		}
		val, err := Unescape(text[1 : len(text)-1])
		if err != "" {
			p.errorAt(p.i, "%s", err)
		}
		s.Value = append(s.Value, val...)
		p.advance()
	}
	s.Value = append(s.Value, 0)
	return s
}

// Unescape resolves the escape sequences in the text between the quotes of a character or
// string constant. msg describes an invalid sequence, or is "".
func Unescape(s string) (val []byte, msg string) {
	if !strings.Contains(s, "\\") {
		return []byte(s), ""
	}
	val = make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			val = append(val, s[i])
			continue
		}
		i++
		if i == len(s) {
			return val, "a backslash at the end of a constant"
		}
		if j := strings.IndexByte(`abfnrtv\'"?e`, s[i]); j >= 0 {
			val = append(val, "\a\b\f\n\r\t\v\\'\"?\x1b"[j])
			continue
		}
		base, end, most := 8, i, i+3
		if s[i] == 'x' {
			i++
			base, end, most = 16, i, len(s)
		}
		for end < min(most, len(s)) && digit(s[end]) < base {
			end++
		}
		n, err := strconv.ParseUint(s[i:end], base, 64)
		if err != nil {
			return val, "unknown escape sequence '\\" + s[i:min(i+1, len(s))] + "'"
		}
		if n > 255 {
			msg = "an escape sequence does not fit in a char"
		}
		val = append(val, byte(n))
		i = end - 1
	}
	return val, msg
}

// digit returns the value of a hexadecimal digit, or 99.
func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 99
}
