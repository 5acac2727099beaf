package parse

import (
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/token"
)

// block parses { ... }; scopes and floating-point settings end with it.
func (p *parser) block() *ast.Block {
	p.enter()
	defer p.leave()
	b := &ast.Block{StmtInfo: ast.StmtInfo{At: p.pos()}}
	contract, reassociate := p.contract, p.reassociate
	open := p.pos()
	p.blockStart = p.i + 1
	p.expect("{", "to begin a block")
	p.pushScope()
	for !p.isPunct("}") && !p.atKernel() && p.kind() != token.EOF {
		start := p.i
		var s ast.Stmt
		if !p.protect(func() { s = p.blockItem() }) {
			p.skip(false, start)
			if p.i == start && !p.isPunct("}") {
				p.advance()
			}
			s = &ast.BadStmt{StmtInfo: ast.StmtInfo{At: p.toks[start].At()}}
		}
		b.Items = append(b.Items, s)
	}
	p.popScope()
	b.Reassociate = p.reassociate
	p.contract, p.reassociate = contract, reassociate
	b.End = p.pos()
	p.expectClose("}", open)
	return b
}

func (p *parser) blockItem() ast.Stmt {
	if p.kind() == token.Ident {
		if w := p.word(); w == wUnsupported && isAsm(p.tok().Text) {
			p.fail("inline assembly is not supported")
		} else if w == wAttribute {
			return p.attributed()
		} else if w == wStaticAssert {
			return p.staticAssert()
		}
		if p.startsType(p.i) && !p.peekPunct(1, ":") {
			return p.declaration()
		}
		// "foo bar" can only be meant as a declaration.
		if p.word() == 0 {
			n := p.peek(1)
			if p.toks[n].Kind == token.Ident && (p.words[n] == 0 || p.startsType(n)) {
				p.unknownType()
			}
		}
	}
	return p.statement()
}

// attributed parses the construct after attributes in a block: a loop (unroll hint),
// another statement, or a declaration to which they apply.
func (p *parser) attributed() ast.Stmt {
	attrs := p.attributes()
	p.unrollHint(attrs)
	if p.startsType(p.i) && !p.peekPunct(1, ":") {
		d := p.declaration()
		d.Spec.Attrs = append(attrs, d.Spec.Attrs...)
		return d
	}
	return p.statement()
}

// unrollHint applies __attribute__((opencl_unroll_hint(n))).
func (p *parser) unrollHint(attrs []ast.Attr) {
	for _, a := range attrs {
		if a.Name != "opencl_unroll_hint" {
			continue
		}
		p.unroll = ast.Unroll{Set: true}
		if len(a.Args) == 1 {
			p.unroll.X = a.Args[0]
		}
	}
}

func (p *parser) declaration() *ast.Declaration {
	at := p.pos()
	spec := p.declSpec(false)
	if p.accept(";") {
		return &ast.Declaration{StmtInfo: ast.StmtInfo{At: at}, Spec: spec}
	}
	return p.declTail(at, spec, p.declarator(true, false))
}

// statement parses one statement. Labels before it and else-if ladders are parsed
// iteratively, so that long ones do not recurse.
func (p *parser) statement() ast.Stmt {
	p.enter()
	defer p.leave()
	var first ast.Stmt
	hang := func(s ast.Stmt) ast.Stmt { // s becomes the body of the open label
		if first == nil {
			first = s
		}
		return first
	}
	var open *ast.Stmt // the place for the body of the last label
	n := 0
	for {
		s, body := p.label()
		if s == nil {
			break
		}
		p.chain(&n)
		hang(s)
		if open != nil {
			*open = s
		}
		open = body
	}
	if open != nil && p.isPunct("}") {
		p.errs.Addf(p.pos(), "a label must precede a statement; put a ';' after it")
		return first
	}
	if open != nil && p.startsType(p.i) && !p.peekPunct(1, ":") {
		p.errorAt(p.i, "a label must precede a statement, not a declaration; put a ';' after it or braces around")
		*open = p.declaration()
		return first
	}
	s := p.plainStatement()
	if open != nil {
		*open = s
	}
	return hang(s)
}

// label parses a label, case or default with its colon, and returns the statement and the
// place for the statement that it labels. It returns nil if there is no label.
func (p *parser) label() (ast.Stmt, *ast.Stmt) {
	at := ast.StmtInfo{At: p.pos()}
	switch {
	case p.word() == wCase:
		p.advance()
		c := &ast.Case{StmtInfo: at, Lo: p.conditional()}
		if p.accept("...") {
			c.Hi = p.conditional()
		}
		p.expect(":", "after case value")
		return c, &c.Body
	case p.word() == wDefault:
		p.advance()
		p.expect(":", "after default")
		c := &ast.Case{StmtInfo: at, IsDefault: true}
		return c, &c.Body
	case p.kind() == token.Ident && p.word() == 0 && p.peekPunct(1, ":"):
		l := p.labelOf(p.tok().Text, p.pos())
		p.advance()
		p.advance()
		p.unrollHint(p.attributes())
		s := &ast.Labeled{StmtInfo: at, Label: l}
		if l.Def == nil {
			l.Def, l.At = s, at.At
		}
		return s, &s.Body
	}
	return nil, nil
}

// labelOf returns the label called name in the function being parsed.
func (p *parser) labelOf(name string, at pos) *ast.Label {
	if l := p.labels[name]; l != nil {
		return l
	}
	l := &ast.Label{Name: name, At: at}
	if p.labels == nil {
		p.labels = map[string]*ast.Label{}
	}
	p.labels[name] = l
	p.order = append(p.order, l)
	return l
}

func (p *parser) plainStatement() ast.Stmt {
	at := ast.StmtInfo{At: p.pos()}
	if p.word() == wAttribute {
		p.unrollHint(p.attributes())
	}
	unroll, vectorize := p.unroll, p.vectorize
	p.unroll, p.vectorize = ast.Unroll{}, ast.VectorizeAuto
	switch w := p.word(); w {
	case wIf:
		return p.ifStatement()
	case wFor:
		return p.forStatement(unroll, vectorize)
	case wWhile:
		p.advance()
		s := &ast.While{StmtInfo: at, Unroll: unroll, Vectorize: vectorize}
		s.Cond = p.condition("while")
		s.Body = p.statement()
		return s
	case wDo:
		p.advance()
		s := &ast.DoWhile{StmtInfo: at, Unroll: unroll, Vectorize: vectorize}
		s.Body = p.statement()
		if p.word() != wWhile {
			p.fail("expected 'while' after the body of do, found %s", p.describe())
		}
		p.advance()
		s.Cond = p.condition("while")
		p.semicolon("after do-while")
		return s
	case wSwitch:
		p.advance()
		s := &ast.Switch{StmtInfo: at}
		s.X = p.condition("switch")
		s.Body = p.statement()
		return s
	case wBreak:
		p.advance()
		p.semicolon("after break")
		return &ast.Break{StmtInfo: at}
	case wContinue:
		p.advance()
		p.semicolon("after continue")
		return &ast.Continue{StmtInfo: at}
	case wReturn:
		p.advance()
		s := &ast.Return{StmtInfo: at}
		if !p.isPunct(";") && !p.isPunct("}") {
			s.X = p.expression()
		}
		p.semicolon("after return")
		return s
	case wGoto:
		p.advance()
		if p.isPunct("*") {
			p.fail("computed goto is not supported")
		}
		lat := p.pos()
		s := &ast.Goto{StmtInfo: at, Name: p.ident("of a label after goto")}
		s.Label = p.labelOf(s.Name, lat)
		s.Label.Used = true
		p.semicolon("after goto")
		return s
	case wElse:
		p.fail("'else' without an 'if' before it")
	case wUnsupported:
		p.unsupported()
	default:
		if w.inDeclSpec() && w != wExtension {
			p.fail("expected a statement, found a declaration (put it in braces)")
		}
	}
	if p.isPunct("{") {
		return p.block()
	}
	if p.accept(";") {
		return &ast.Empty{StmtInfo: at}
	}
	s := &ast.ExprStmt{StmtInfo: at}
	s.X = p.expression()
	p.semicolon("after expression")
	return s
}

func (p *parser) ifStatement() ast.Stmt {
	var first *ast.If
	var open *ast.Stmt
	n := 0
	for {
		p.chain(&n)
		s := &ast.If{StmtInfo: ast.StmtInfo{At: p.pos()}}
		p.advance()
		if first == nil {
			first = s
		} else {
			*open = s
		}
		s.Cond = p.condition("if")
		if p.word() == wElse {
			p.fail("expected a statement after the condition of if, found 'else'")
		}
		s.Then = p.statement()
		if p.word() != wElse {
			return first
		}
		p.advance()
		if p.word() != wIf {
			s.Else = p.statement()
			return first
		}
		open = &s.Else
	}
}

// condition parses the parenthesized expression after the keyword kw.
func (p *parser) condition(kw string) ast.Expr {
	open := p.pos()
	p.expect("(", "after "+kw)
	x := p.expression()
	p.closeHead(open)
	return x
}

func (p *parser) forStatement(unroll ast.Unroll, vectorize ast.Vectorize) ast.Stmt {
	s := &ast.For{StmtInfo: ast.StmtInfo{At: p.pos()}, Unroll: unroll, Vectorize: vectorize}
	p.advance()
	open := p.pos()
	p.expect("(", "after for")
	p.pushScope()
	semicolons := 2
	if !p.protect(func() {
		switch {
		case p.accept(";"):
		case p.startsType(p.i):
			s.Init = p.declaration()
		default:
			x := &ast.ExprStmt{StmtInfo: ast.StmtInfo{At: p.pos()}}
			x.X = p.expression()
			s.Init = x
			p.expect(";", "after the first part of for")
		}
		semicolons--
		if !p.isPunct(";") {
			s.Cond = p.expression()
		}
		p.expect(";", "after the condition of for")
		semicolons--
		if !p.isPunct(")") {
			s.Post = p.expression()
		}
		p.closeHead(open)
	}) {
		p.skipHead(semicolons)
		panic(bailout{})
	}
	s.Body = p.statement()
	p.popScope()
	return s
}

// skipHead drops the rest of the head of a for loop, which has at most the given number
// of ';'. These do not end a statement.
func (p *parser) skipHead(semicolons int) {
	for depth := 0; p.kind() != token.EOF; p.advance() {
		switch {
		case p.isPunct("{"), p.isPunct("}"):
			return
		case p.isPunct("("):
			depth++
		case p.isPunct(")"):
			if depth == 0 {
				p.advance()
				return
			}
			depth--
		case p.isPunct(";"):
			if semicolons == 0 && !p.headGoesOn() {
				return
			}
			semicolons = max(semicolons-1, 0)
		}
	}
}

// headGoesOn reports whether an unmatched ')' comes before the next ';'.
func (p *parser) headGoesOn() bool {
	depth := 0
	for _, t := range p.toks[p.i+1:] {
		if t.Kind != token.Punct {
			continue
		}
		switch t.Text {
		case "(":
			depth++
		case ")":
			if depth == 0 {
				return true
			}
			depth--
		case ";", "{", "}":
			return false
		}
	}
	return false
}
