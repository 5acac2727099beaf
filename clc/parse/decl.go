package parse

import (
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/clc/types"
)

// externalDecl parses a declaration or function definition at file scope. It returns nil
// after an error or for a lone semicolon.
func (p *parser) externalDecl() (d ast.Decl) {
	start := p.i
	if p.accept(";") {
		return nil
	}
	p.lost = !p.protect(func() { d = p.fileDecl() })
	if p.lost {
		p.skip(true, start)
		return nil
	}
	return d
}

func (p *parser) fileDecl() ast.Decl {
	if p.isPunct("}") {
		if !p.lost {
			p.errorAt(p.i, "'}' without a '{' before it")
		}
		p.advance()
		return nil
	}
	at := p.pos()
	if p.kind() == token.Ident && p.word() == wStaticAssert {
		return p.staticAssert()
	}
	spec := p.declSpec(true)
	if p.isPunct(";") {
		p.advance()
		return &ast.Declaration{StmtInfo: ast.StmtInfo{At: at}, Spec: spec}
	}
	dcl := p.declarator(true, false)
	if len(dcl.Chain) > 0 && dcl.Chain[0].Kind == ast.FuncOf && p.isPunct("{") {
		if spec.Storage&ast.Typedef != 0 {
			p.fail("a function definition cannot be a typedef")
		}
		return p.funcDef(spec, dcl)
	}
	return p.declTail(at, spec, dcl)
}

// staticAssert parses _Static_assert(X, "message"); in C23 the message is optional.
func (p *parser) staticAssert() *ast.Declaration {
	d := &ast.Declaration{StmtInfo: ast.StmtInfo{At: p.pos()}, Spec: &ast.DeclSpec{}, Assert: &ast.StaticAssert{}}
	p.advance()
	open := p.pos()
	p.expect("(", "after _Static_assert")
	d.Assert.X = p.conditional()
	if p.accept(",") {
		if p.kind() != token.String {
			p.fail("expected a string as the message of _Static_assert, found %s", p.describe())
		}
		d.Assert.Message = p.stringLit().(*ast.StringLit).Value
	}
	p.expectClose(")", open)
	p.semicolon("after _Static_assert")
	return d
}

func (p *parser) funcDef(spec *ast.DeclSpec, dcl *ast.Declarator) ast.Decl {
	p.declare(dcl.Name, false)
	p.labels, p.order = nil, nil
	p.pushScope()
	for _, prm := range dcl.Chain[0].Params {
		p.declare(prm.Dcl.Name, false)
	}
	fn := &ast.FuncDef{At: dcl.At, Spec: spec, Dcl: dcl, Body: p.block()}
	p.popScope()
	fn.Labels = p.order
	return fn
}

// declTail parses the rest of a declaration whose first declarator is dcl.
func (p *parser) declTail(at pos, spec *ast.DeclSpec, dcl *ast.Declarator) *ast.Declaration {
	d := &ast.Declaration{StmtInfo: ast.StmtInfo{At: at}, Spec: spec}
	for {
		p.declare(dcl.Name, spec.Storage&ast.Typedef != 0)
		id := &ast.InitDeclarator{Dcl: dcl}
		if p.accept("=") {
			id.Init = p.initializer()
		}
		d.Decls = append(d.Decls, id)
		if !p.accept(",") {
			break
		}
		dcl = p.declarator(true, false)
	}
	if p.isPunct("{") && len(p.scopes) > 1 {
		p.cut = true // a '}' may be missing before the end
		p.fail("expected ';' after declaration, found '{' (functions cannot be defined inside functions)")
	}
	p.semicolon("after declaration")
	return d
}

func (p *parser) initializer() ast.Expr {
	if p.isPunct("{") {
		return p.initList()
	}
	return p.assignment()
}

// designators parses designators and appends them to list.
func (p *parser) designators(list []ast.Designator) []ast.Designator {
	for p.isPunct("[") || p.isPunct(".") {
		d := ast.Designator{At: p.pos()}
		if p.accept(".") {
			d.Name = p.ident("after '.'")
		} else {
			p.advance()
			d.Index = p.conditional()
			if p.accept("...") {
				d.Last = p.conditional()
			}
			p.expectClose("]", d.At)
		}
		list = append(list, d)
		if len(list) > maxDepth {
			p.fail("more than %d designators in a row", maxDepth)
		}
	}
	return list
}

func (p *parser) initList() *ast.InitList {
	p.enter()
	defer p.leave()
	open := p.pos()
	l := &ast.InitList{ExprInfo: ast.ExprInfo{At: open}}
	p.expect("{", "to begin an initializer")
	for !p.isPunct("}") {
		var it ast.InitItem
		it.Designators = p.designators(nil)
		if it.Designators != nil {
			p.expect("=", "after a designator")
		} else if p.kind() == token.Ident && p.peekPunct(1, ":") { // GNU designator field: value
			it.Designators = []ast.Designator{{At: p.pos(), Name: p.tok().Text}}
			p.advance()
			p.advance()
		}
		it.Value = p.initializer()
		l.Items = append(l.Items, it)
		if !p.accept(",") {
			break
		}
	}
	p.expectClose("}", open)
	return l
}

// ident consumes an identifier and returns it.
func (p *parser) ident(context string) string {
	if p.word() != 0 {
		p.keywordAsName(context)
	}
	if p.kind() != token.Ident {
		p.fail("expected a name %s, found %s", context, p.describe())
	}
	name := p.tok().Text
	p.advance()
	return name
}

// declarator parses a declarator. named and abstract report whether it may have a name
// and whether it may lack one.
func (p *parser) declarator(named, abstract bool) *ast.Declarator {
	p.enter()
	defer p.leave()
	d := &ast.Declarator{At: p.pos()}
	var ptrs []ast.Derivation
	for {
		if p.word() == wAttribute {
			d.Attrs = append(d.Attrs, p.attributes()...)
			continue
		}
		if !p.isPunct("*") {
			break
		}
		ptr := ast.Derivation{At: p.pos(), Kind: ast.PointerTo}
		p.advance()
		for {
			if w := p.word(); w >= wConst && w <= wGeneric {
				ptr.Quals |= wordQuals[w]
				if w >= wGlobal {
					ptr.Space, ptr.HasSpace = wordSpace(w), true
				}
				p.advance()
			} else if w == wAttribute {
				d.Attrs = append(d.Attrs, p.attributes()...)
			} else {
				break
			}
		}
		ptrs = append(ptrs, ptr)
		if len(ptrs) > maxDepth {
			p.fail("more than %d pointers in a declarator", maxDepth)
		}
	}
	d.At = p.pos()
	switch {
	case p.isPunct("(") && (!abstract || p.groups()) && !(p.afterSpecifier() && p.startsType(p.peek(1))):
		open := p.pos()
		p.advance()
		inner := p.declarator(named, abstract)
		p.expectClose(")", open)
		d.At, d.Name, d.Chain = inner.At, inner.Name, inner.Chain
		d.Attrs = append(d.Attrs, inner.Attrs...)
	case named && p.kind() == token.Ident && p.word() == 0:
		d.Name = p.tok().Text
		p.advance()
	case !abstract || named && p.word() >= wIf:
		if p.word() != 0 {
			p.keywordAsName("to declare")
		}
		if p.afterSpecifier() {
			keyword := p.toks[p.i-1].Text
			p.errorAt(p.i, "expected a name, found %s ('%s' is a keyword)", p.describe(), keyword)
			p.misnamed(keyword)
		}
		p.fail("expected a name, found %s", p.describe())
	}
	for {
		switch {
		case p.isPunct("["):
			d.Chain = append(d.Chain, p.arraySuffix())
		case p.isPunct("("):
			d.Chain = append(d.Chain, p.params())
		case p.word() == wAttribute:
			d.Attrs = append(d.Attrs, p.attributes()...)
			continue
		case p.word() == wUnsupported && isAsm(p.tok().Text):
			p.fail("inline assembly and asm labels are not supported")
		default:
			for i := len(ptrs) - 1; i >= 0; i-- {
				d.Chain = append(d.Chain, ptrs[i])
			}
			return d
		}
		if len(d.Chain) > maxDepth {
			p.fail("more than %d derivations in a declarator", maxDepth)
		}
	}
}

// groups reports whether the current '(' groups a declarator, rather than starting the
// parameter list of an abstract function declarator.
func (p *parser) groups() bool {
	i := p.peek(1)
	t := &p.toks[i]
	if t.Kind == token.Punct {
		return t.Text == "*" || t.Text == "(" || t.Text == "["
	}
	return t.Kind == token.Ident && (p.words[i] == wAttribute || !p.startsType(i))
}

func (p *parser) arraySuffix() ast.Derivation {
	d := ast.Derivation{At: p.pos(), Kind: ast.ArrayOf}
	p.advance()
	for w := p.word(); w == wStatic || w >= wConst && w <= wRestrict; w = p.word() {
		d.Quals |= wordQuals[w]
		p.advance()
	}
	if p.isPunct("*") && p.peekPunct(1, "]") {
		p.fail("variable length arrays are not supported")
	}
	if !p.isPunct("]") {
		d.Len = p.assignment()
	}
	p.expectClose("]", d.At)
	return d
}

func (p *parser) params() ast.Derivation {
	p.enter()
	defer p.leave()
	d := ast.Derivation{At: p.pos(), Kind: ast.FuncOf}
	p.advance()
	if p.accept(")") {
		return d
	}
	if p.word() == wVoid && p.peekPunct(1, ")") {
		p.advance()
		p.advance()
		return d
	}
	p.pushScope()
	for {
		if p.accept("...") {
			d.Variadic = true
			break
		}
		prm := &ast.ParamDecl{At: p.pos()}
		if !p.startsType(p.i) && p.kind() == token.Ident && !p.isPunct(")") {
			if p.word() == 0 {
				if len(d.Params) == 0 && p.namesOnly() {
					p.fail("definitions with only names in parentheses (K&R) are not supported; write the types there")
				}
				p.unknownType()
			}
		}
		prm.Spec = p.declSpec(false)
		if prm.Dcl = p.declarator(true, true); prm.Dcl.Name == "" && p.word() != 0 {
			p.keywordAsName("to declare")
		}
		p.declare(prm.Dcl.Name, false)
		d.Params = append(d.Params, prm)
		if !p.accept(",") {
			break
		}
	}
	p.popScope()
	p.expectClose(")", d.At)
	return d
}

// namesOnly reports whether the parameters are a list of names followed by their
// declarations, as in C before C90.
func (p *parser) namesOnly() bool {
	i := p.i
	for p.toks[i].Kind == token.Ident && !p.startsType(i) && p.toks[i+1].Is(",") {
		i += 2
	}
	return p.toks[i].Kind == token.Ident && p.toks[i+1].Is(")") && p.startsType(min(i+2, len(p.toks)-1))
}

// typeName parses a type name, as in a cast.
func (p *parser) typeName() *ast.TypeName {
	t := &ast.TypeName{At: p.pos()}
	t.Spec = p.declSpec(false)
	t.Dcl = p.declarator(false, true)
	return t
}

var wordQuals = [256]types.Quals{
	wConst: types.Const, wVolatile: types.Volatile, wRestrict: types.Restrict,
	wReadOnly: types.ReadOnly, wWriteOnly: types.WriteOnly, wReadWrite: types.ReadWrite,
}

func wordSpace(w word) types.Space {
	switch w {
	case wGlobal:
		return types.Global
	case wConstant:
		return types.Constant
	case wLocal:
		return types.Local
	case wGeneric:
		return types.Generic
	}
	return types.Private
}

func isAsm(s string) bool { return s == "asm" || s == "__asm" || s == "__asm__" }
