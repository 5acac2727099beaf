package parse

import (
	"strings"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

type pos = diag.Pos

var storageOf = map[word]ast.Storage{
	wTypedef: ast.Typedef, wExtern: ast.Extern, wStatic: ast.Static, wAuto: ast.Auto, wRegister: ast.Register,
	wInline: ast.Inline, wKernel: ast.KernelFn,
}

// basic counts the words that spell an arithmetic type of C, which may be in any order.
type basic struct {
	n                int // number of words
	signed, unsigned bool
	base             word // char, int, float or double
	short            bool
	long             int
}

// add adds a word and reports whether it is compatible with the previous ones.
func (b *basic) add(w word) bool {
	b.n++
	switch w {
	case wSigned:
		b.signed = true
	case wUnsigned:
		b.unsigned = true
	case wShort:
		if b.short {
			return false
		}
		b.short = true
	case wLong:
		b.long++
	default:
		if b.base != 0 {
			return false
		}
		b.base = w
	}
	sized := b.short || b.long > 0
	switch b.base {
	case wChar:
		return !sized && !(b.signed && b.unsigned)
	case wFloat, wVoid, wBool:
		return b.n == 1
	case wDouble:
		return !b.signed && !b.unsigned && !b.short && b.long <= 1
	}
	return !(b.signed && b.unsigned) && !(b.short && b.long > 0) && b.long <= 2
}

func (b *basic) typ() types.Type {
	var t *types.Scalar
	switch {
	case b.base == wVoid:
		return types.Void
	case b.base == wBool:
		return types.Bool
	case b.base == wFloat:
		return types.Float
	case b.base == wDouble:
		return types.Double
	case b.base == wChar:
		t = types.Char
	case b.short:
		t = types.Short
	case b.long > 0:
		t = types.Long
	default:
		t = types.Int
	}
	if b.unsigned {
		return t.Unsigned()
	}
	return t
}

// declSpec parses declaration specifiers. At file scope (and only there) an unknown name
// in place of the type gets a specific message.
func (p *parser) declSpec(fileScope bool) *ast.DeclSpec {
	s := &ast.DeclSpec{At: p.pos()}
	s.Base.At = p.pos()
	var b basic
	seen := false // seen a complete type other than basic words
	after := 0    // index of the token after the body of a struct, union or enum
	for {
		w := p.word()
		switch {
		case w >= wVoid && w <= wBool:
			if seen || !b.add(w) {
				p.unended(after)
				if next := &p.toks[p.peek(1)]; next.Is("=") || next.Is(";") || next.Is("[") || next.Is(":") {
					p.keywordAsName("to declare")
				}
				p.fail("'%s' does not combine with the type before it", p.tok().Text)
			}
			if b.n == 1 {
				s.Base.At = p.pos()
			}
			p.advance()
		case w == wStruct || w == wUnion || w == wEnum || w == wTypeof:
			if seen || b.n > 0 {
				p.unended(after)
				p.fail("'%s' does not combine with the type before it", p.tok().Text)
			}
			seen = true
			s.Base.At = p.pos()
			p.taggedType(w, &s.Base)
			if r, e := s.Base.Record, s.Base.Enum; r != nil && r.HasBody || e != nil && e.HasBody {
				after = p.i
			}
		case w >= wTypedef && w <= wKernel:
			st := storageOf[w]
			const classes = ast.Typedef | ast.Extern | ast.Static | ast.Auto | ast.Register
			if st&classes != 0 && s.Storage&classes&^st != 0 {
				p.fail("'%s' does not combine with the storage class before it", p.tok().Text)
			}
			if st&(ast.Auto|ast.Register) != 0 { // OpenCL C 1.2 §6.8
				p.fail("OpenCL C has no storage class '%s'", p.tok().Text)
			}
			s.Storage |= st
			p.advance()
		case w >= wConst && w <= wReadWrite:
			s.Quals |= wordQuals[w]
			if w >= wGlobal && w <= wGeneric {
				sp := wordSpace(w)
				if s.HasSpace && s.Space != sp {
					p.fail("two address spaces: %s and %s", s.Space, sp)
				}
				s.Space, s.HasSpace, s.SpaceAt = sp, true, p.pos()
			}
			p.advance()
		case w == wAttribute:
			s.Attrs = append(s.Attrs, p.attributes()...)
		case w == wExtension:
			p.advance()
		case w == wUnsupported:
			p.unsupported()
		case w == 0 && p.kind() == token.Ident && !seen && b.n == 0 && p.isTypeName(p.tok().Text):
			seen = true
			s.Base.At = p.pos()
			name := p.tok().Text
			if t := types.ByName(name); t != nil && !p.shadowed(name) {
				s.Base.Type, s.Base.Word = t, name
			} else {
				s.Base.Name = name
			}
			p.advance()
		default:
			if b.n > 0 {
				s.Base.Type = b.typ()
			} else if !seen {
				p.noType(s, fileScope)
			}
			if p.startsType(p.i) && p.toks[p.peek(1)].Kind == token.Ident {
				p.unended(after)
			}
			return s
		}
	}
}

// unended reports a missing ';' after the body of a struct, union or enum, if the next
// token cannot follow the body and is on another line.
func (p *parser) unended(after int) {
	if after == 0 {
		return
	}
	end := endOf(p.toks[after-1])
	if next := p.toks[after].At(); next.File == end.File && next.Line == end.Line {
		return
	}
	p.errs.Addf(end, "expected ';' after '}'")
	panic(bailout{})
}

// shadowed reports whether a reserved type name was redeclared as a typedef.
func (p *parser) shadowed(name string) bool {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if _, ok := p.scopes[i][name]; ok {
			return true
		}
	}
	return false
}

// noType reports a missing type.
func (p *parser) noType(s *ast.DeclSpec, fileScope bool) {
	t := p.tok()
	if t.Kind == token.Ident && p.word() == 0 {
		next := &p.toks[p.peek(1)]
		if next.Kind == token.Ident || next.Kind == token.Punct && (next.Text == "*" || next.Text == ")" || next.Text == ",") {
			p.unknownType()
		}
		if fileScope {
			p.fail("expected a type before '%s'", t.Text)
		}
	}
	if s.Storage == 0 && s.Quals == 0 && !s.HasSpace && fileScope {
		p.fail("expected a declaration, found %s", p.describe())
	}
	p.fail("expected a type, found %s", p.describe())
}

func (p *parser) unsupported() {
	switch text := p.tok().Text; {
	case isAsm(text):
		p.fail("inline assembly is not supported")
	default:
		p.fail("'%s' is not supported", text)
	}
}

func (p *parser) taggedType(w word, b *ast.BaseType) {
	at := p.pos()
	p.advance()
	switch w {
	case wTypeof:
		p.enter()
		defer p.leave()
		open := p.pos()
		p.expect("(", "after typeof")
		if p.startsType(p.i) {
			b.TypeofT = p.typeName()
		} else {
			b.TypeofX = p.expression()
		}
		p.expectClose(")", open)
	case wEnum:
		b.Enum = p.enumSpec(at)
	default:
		b.Record = p.recordSpec(at, w == wUnion)
	}
}

func (p *parser) recordSpec(at pos, union bool) *ast.RecordSpec {
	p.enter()
	defer p.leave()
	r := &ast.RecordSpec{At: at, Union: union}
	r.Attrs = p.attributes()
	if p.kind() == token.Ident && p.word() == 0 {
		r.At = p.pos()
		r.Tag = p.tok().Text
		p.advance()
	}
	open := p.pos()
	r.Pack = p.pack
	if !p.accept("{") {
		if r.Tag == "" && p.word() != 0 {
			p.keywordAsName("of a struct or union")
		}
		if r.Tag == "" {
			p.fail("expected a tag or '{' after struct or union, found %s", p.describe())
		}
		return r
	}
	r.HasBody = true
	for !p.isPunct("}") && p.kind() != token.EOF {
		if p.accept(";") {
			continue
		}
		start := p.i
		ok := p.protect(func() {
			m := &ast.MemberDecl{At: p.pos()}
			m.Spec = p.declSpec(false)
			for !p.isPunct(";") {
				var d *ast.Declarator
				if p.isPunct(":") {
					d = &ast.Declarator{At: p.pos()}
				} else {
					d = p.declarator(true, false)
				}
				if p.accept(":") {
					d.BitField = p.conditional()
					d.Attrs = append(d.Attrs, p.attributes()...)
				}
				if p.isPunct("=") {
					p.fail("a member cannot have an initializer")
				}
				m.Decls = append(m.Decls, d)
				if !p.accept(",") {
					break
				}
			}
			p.semicolon("after member")
			r.Members = append(r.Members, m)
		})
		if !ok {
			p.skip(false, start)
			if p.i == start {
				p.advance()
			}
		}
	}
	p.expectClose("}", open)
	r.Attrs = append(r.Attrs, p.attributes()...)
	return r
}

func (p *parser) enumSpec(at pos) *ast.EnumSpec {
	e := &ast.EnumSpec{At: at}
	e.Attrs = p.attributes()
	if p.kind() == token.Ident && p.word() == 0 {
		e.At = p.pos()
		e.Tag = p.tok().Text
		p.advance()
	}
	open := p.pos()
	if !p.accept("{") {
		if e.Tag == "" {
			p.fail("expected a tag or '{' after enum, found %s", p.describe())
		}
		return e
	}
	e.HasBody = true
	for !p.isPunct("}") {
		c := &ast.EnumConst{At: p.pos()}
		c.Name = p.ident("of an enum constant")
		p.attributes()
		if p.accept("=") {
			c.X = p.conditional()
		}
		p.declare(c.Name, false)
		e.Consts = append(e.Consts, c)
		if !p.accept(",") {
			break
		}
	}
	p.expectClose("}", open)
	if len(e.Consts) == 0 {
		p.errs.Addf(open, "an enum needs at least one constant")
	}
	e.Attrs = append(e.Attrs, p.attributes()...)
	return e
}

// attributes parses a sequence of __attribute__((...)).
func (p *parser) attributes() []ast.Attr {
	var out []ast.Attr
	for p.word() == wAttribute {
		p.advance()
		open := p.pos()
		p.expect("(", "after __attribute__")
		p.expect("(", "after __attribute__(")
		for !p.isPunct(")") {
			if p.accept(",") {
				continue
			}
			if p.kind() != token.Ident {
				p.fail("expected an attribute name, found %s", p.describe())
			}
			a := ast.Attr{At: p.pos(), Name: plain(p.tok().Text)}
			if refused[a.Name] {
				p.errorAt(p.i, "attribute '%s' is not supported", a.Name)
			}
			p.advance()
			if p.isPunct("(") {
				p.attrArgs(&a)
			}
			out = append(out, a)
		}
		p.expectClose(")", open)
		p.expectClose(")", open)
	}
	return out
}

// plain returns the name of an attribute, or of its argument, without the optional
// surrounding underscores.
func plain(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "__"), "__")
}

// refused lists the attributes that would change the meaning of a program but are not
// supported. Other unknown attributes are hints and ignored.
var refused = map[string]bool{
	"address_space": true, "opencl_global": true, "opencl_global_device": true, "opencl_global_host": true,
	"opencl_local": true, "opencl_constant": true, "opencl_private": true, "opencl_generic": true,
	"matrix_type": true, "neon_vector_type": true, "neon_polyvector_type": true, "scalar_storage_order": true,
	"ms_struct": true, "alias": true, "ifunc": true, "weakref": true, "cleanup": true, "enable_if": true,
}

// exprAttrs lists the attributes whose arguments are constant expressions.
var exprAttrs = map[string]bool{
	"reqd_work_group_size": true, "work_group_size_hint": true, "aligned": true,
	"intel_reqd_sub_group_size": true, "opencl_unroll_hint": true,
	"ext_vector_type": true, "vector_size": true,
}

func (p *parser) attrArgs(a *ast.Attr) {
	open := p.pos()
	p.advance()
	switch {
	case p.isPunct(")"):
	case a.Name == "vec_type_hint":
		a.Type = p.typeName()
	case a.Name == "mode" && p.kind() == token.Ident:
		a.Word = plain(p.tok().Text)
		p.advance()
	case a.Name == "aligned" && p.startsType(p.i):
		a.Type = p.typeName()
	case exprAttrs[a.Name]:
		for {
			a.Args = append(a.Args, p.conditional())
			if !p.accept(",") {
				break
			}
		}
	default:
		for depth := 0; p.kind() != token.EOF && (depth > 0 || !p.isPunct(")")); p.advance() {
			if p.isPunct("(") {
				depth++
			} else if p.isPunct(")") {
				depth--
			}
		}
	}
	p.expectClose(")", open)
}
