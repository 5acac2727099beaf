// Package parse builds the syntax tree of an OpenCL C translation unit from its
// preprocessed tokens (ISO C99 Annex A with OpenCL C 1.2 §6 and some GNU extensions).
//
// It tracks which names are typedefs, as the grammar of C requires, but resolves no other
// names. It is independent of type sizes, conversions and built-in functions.
package parse

import (
	"fmt"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// Options select the dialect.
type Options struct {
	// NoContract turns FP_CONTRACT off by default; the language's default is on. Pragmas
	// override it.
	NoContract bool
	// Reassociate turns reassociation on by default.
	Reassociate bool
	// Generic makes `generic` a keyword, as in OpenCL C 2.0 and later.
	Generic bool
	// Extensions are the extensions that #pragma OPENCL EXTENSION may enable.
	Extensions map[string]bool
}

const (
	// maxDepth bounds the nesting of parentheses, blocks, declarators and initializers,
	// and thereby the recursion of the parser.
	maxDepth = 1000
	// maxChain bounds constructs that are parsed iteratively but make a deep tree: a + b
	// + c and so on, else-if ladders, several labels on one statement.
	maxChain = 20000
)

// File parses toks, which may lack the final EOF. Errors are added to errs; the tree then
// contains BadExpr and BadStmt nodes but is never nil.
func File(toks []token.Token, opts Options, errs *diag.List) *ast.File {
	p := newParser(toks, opts, errs)
	f := &ast.File{}
	for p.kind() != token.EOF {
		start := p.i
		if d := p.externalDecl(); d != nil {
			f.Decls = append(f.Decls, d)
		}
		if p.i == start { // always make progress
			p.advance()
		}
	}
	p.unpopped()
	return f
}

type pragma struct {
	before int // index of the token it precedes
	depth  int // open brackets before it
	tok    token.Token
}

type parser struct {
	toks    []token.Token // without pragmas, ends with EOF
	words   []word        // what each token is as a keyword
	i       int
	pragmas []pragma
	nextPr  int

	opts     Options
	errs     *diag.List
	cut      bool            // text after the end was lost, so missing tokens there are no errors: see token.Cut
	broken   map[line]bool   // lines that contain invalid tokens, also from expansions
	failed   int             // index + 1 of the token of the last error
	lost     bool            // the last construct at file scope was not a declaration
	unknown  map[string]bool // unknown names that were assumed to be types
	names    map[string]bool // keywords that were used as names
	depth    int
	scopes   []map[string]bool // name -> is a typedef; nil until something is declared
	contract bool
	// reassociate allows floating-point operations to be reassociated.
	reassociate bool
	unroll      ast.Unroll
	vectorize   ast.Vectorize
	pack        int64     // the alignment limit of #pragma pack for members, 0 if none
	packs       []packing // the stack of #pragma pack(push)

	blockStart int // index of the first token after the last '{' of a compound statement
	labels     map[string]*ast.Label
	order      []*ast.Label
}

type line struct {
	file   string
	number int
}

// bailout unwinds to the enclosing statement or declaration after a syntax
// error has been reported; it never leaves the package.
type bailout struct{}

func newParser(toks []token.Token, opts Options, errs *diag.List) *parser {
	p := &parser{opts: opts, errs: errs, blockStart: -1, contract: !opts.NoContract, reassociate: opts.Reassociate, scopes: make([]map[string]bool, 1), unknown: map[string]bool{}}
	p.toks = make([]token.Token, 0, len(toks)+1)
	depth := 0
	for _, t := range toks {
		if t.Kind == token.Pragma {
			p.pragmas = append(p.pragmas, pragma{len(p.toks), depth, t})
			continue
		}
		p.toks = append(p.toks, t)
		if t.Kind == token.EOF {
			break
		}
		if t.Kind == token.Punct {
			switch t.Text {
			case "(", "[", "{":
				depth++
			case ")", "]", "}":
				depth = max(depth-1, 0)
			}
		}
	}
	// A token that is missing at the end of the file is reported after the last token,
	// not after trailing comments and empty lines.
	n := len(p.toks)
	if n == 0 || p.toks[n-1].Kind != token.EOF {
		p.toks = append(p.toks, token.Token{Kind: token.EOF})
		n++
	}
	p.cut = p.toks[n-1].Text == token.Cut
	if n > 1 {
		p.toks[n-1].Pos = endOf(p.toks[n-2])
	}
	for _, e := range errs.Errors() {
		if p.broken == nil {
			p.broken = map[line]bool{}
		}
		p.broken[line{e.Pos.File, e.Pos.Line}] = true
	}
	p.words = make([]word, len(p.toks))
	for i := range p.toks {
		if p.toks[i].Kind == token.Ident {
			p.words[i] = keywords[p.toks[i].Text]
			if opts.Generic && p.toks[i].Text == "generic" {
				p.words[i] = wGeneric
			}
		}
	}
	p.runPragmas()
	return p
}

func endOf(t token.Token) diag.Pos {
	pos := t.At()
	if !t.Use.IsValid() {
		pos.Col += len(t.Text)
	}
	return pos
}

func (p *parser) tok() *token.Token { return &p.toks[p.i] }
func (p *parser) kind() token.Kind  { return p.toks[p.i].Kind }
func (p *parser) word() word        { return p.words[p.i] }
func (p *parser) pos() diag.Pos     { return p.toks[p.i].At() }

// peek returns the index of the n-th token after the current one, or of EOF.
func (p *parser) peek(n int) int { return min(p.i+n, len(p.toks)-1) }

func (p *parser) isPunct(s string) bool {
	t := &p.toks[p.i]
	return t.Kind == token.Punct && t.Text == s
}

func (p *parser) peekPunct(n int, s string) bool {
	t := &p.toks[p.peek(n)]
	return t.Kind == token.Punct && t.Text == s
}

func (p *parser) advance() {
	if p.i < len(p.toks)-1 {
		p.i++
		if p.nextPr < len(p.pragmas) {
			p.runPragmas()
		}
	}
}

// accept consumes the punctuator s if it is next.
func (p *parser) accept(s string) bool {
	if p.isPunct(s) {
		p.advance()
		return true
	}
	return false
}

// describe names the current token for messages.
func (p *parser) describe() string {
	t := p.tok()
	switch t.Kind {
	case token.EOF:
		return "end of file"
	case token.String:
		return "a string"
	case token.Ident:
		if p.word() != 0 {
			return fmt.Sprintf("keyword '%s'", t.Text)
		}
	}
	return fmt.Sprintf("'%s'", t.Text)
}

// errorAt reports an error at token index i, with a note if the token comes from a macro.
func (p *parser) errorAt(i int, format string, args ...any) {
	t := &p.toks[i]
	if p.beyond(i) || p.failed == i+1 || p.names[t.Text] || p.names[p.toks[max(i-1, 0)].Text] {
		return
	}
	p.failed = i + 1
	e := diag.Errorf(t.At(), format, args...)
	if t.Use.IsValid() && t.Use != t.Pos {
		e.Notes = append(e.Notes, diag.Note{Pos: t.Pos, Msg: "in this macro definition"})
	}
	p.errs.Add(e)
}

// beyond reports whether token i is after the point where text was lost, or after an
// invalid token of the same line, so that tokens missing there must not be reported.
func (p *parser) beyond(i int) bool {
	if p.cut && p.toks[i].Kind == token.EOF {
		return true
	}
	for _, t := range p.toks[max(i-1, 0) : i+1] {
		if at := t.At(); p.broken[line{at.File, at.Line}] {
			return true
		}
	}
	return false
}

// fail reports an error at the current token and unwinds.
func (p *parser) fail(format string, args ...any) {
	p.errorAt(p.i, format, args...)
	panic(bailout{})
}

// keywordAsName fails at a keyword used as a name.
func (p *parser) keywordAsName(of string) {
	p.errorAt(p.i, "expected a name %s, found %s", of, p.describe())
	p.misnamed(p.tok().Text)
}

// misnamed fails after an error about a keyword used as a name. Further errors with that
// name are suppressed.
func (p *parser) misnamed(keyword string) {
	if p.names == nil {
		p.names = map[string]bool{}
	}
	p.names[keyword] = true
	panic(bailout{})
}

// afterSpecifier reports whether the previous token is a specifier or qualifier that
// might have been meant as a name.
func (p *parser) afterSpecifier() bool {
	w := p.words[max(p.i-1, 0)]
	return w >= wTypedef && w <= wReadWrite
}

// unknownType fails at a name that can only be meant as a type. Each name is reported
// once.
func (p *parser) unknownType() {
	name := p.tok().Text
	if p.unknown[name] {
		panic(bailout{})
	}
	p.unknown[name] = true
	p.fail("unknown type name '%s'", name)
}

// expect consumes s or fails.
func (p *parser) expect(s, context string) {
	if !p.accept(s) {
		p.fail("expected '%s' %s, found %s", s, context, p.describe())
	}
}

// expectClose is expect for a bracket opened at open.
func (p *parser) expectClose(s string, open diag.Pos) {
	if p.accept(s) {
		return
	}
	p.missing(s, open)
	panic(bailout{})
}

// closeHead is expectClose for the ')' of a statement's head. If it is missing before a
// '{', the error is reported and parsing continues as if it were there.
func (p *parser) closeHead(open diag.Pos) {
	if p.isPunct("{") {
		p.missing(")", open)
		return
	}
	p.expectClose(")", open)
}

// missing reports that s, which closes the bracket at open, is not the next token.
func (p *parser) missing(s string, open diag.Pos) {
	if p.beyond(p.i) || p.failed == p.i+1 {
		return
	}
	p.failed = p.i + 1
	e := diag.Errorf(p.pos(), "expected '%s', found %s", s, p.describe())
	match := map[string]string{")": "(", "]": "[", "}": "{"}[s]
	e.Notes = append(e.Notes, diag.Note{Pos: open, Msg: fmt.Sprintf("to match this '%s'", match)})
	p.errs.Add(e)
}

// semicolon consumes a ';'. If it is missing at the end of a line, it is reported there
// and parsing continues as if it were present.
func (p *parser) semicolon(after string) {
	if p.accept(";") {
		return
	}
	if p.i > 0 && !p.beyond(p.i) {
		prev := &p.toks[p.i-1]
		if prev.At().Line != p.pos().Line || p.kind() == token.EOF || p.isPunct("}") {
			p.errs.Addf(endOf(*prev), "expected ';' %s", after)
			return
		}
	}
	p.fail("expected ';' %s, found %s", after, p.describe())
}

// enter counts one level of nesting; leave undoes it. Error recovery restores the count,
// so a missing call of leave does no harm.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail("nesting is deeper than %d levels", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// chain counts the iterations of a loop that deepens the tree.
func (p *parser) chain(n *int) {
	*n++
	if *n > maxChain {
		p.fail("more than %d operators or labels in a row", maxChain)
	}
}

// protect runs f and catches a bailout from it, restoring nesting and scopes. It reports
// whether f completed.
func (p *parser) protect(f func()) (ok bool) {
	depth, scopes, contract, reassociate := p.depth, len(p.scopes), p.contract, p.reassociate
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(bailout); !mine {
				panic(r)
			}
			p.depth, p.scopes, p.contract, p.reassociate = depth, p.scopes[:scopes], contract, reassociate
			ok = false
		}
	}()
	f()
	return true
}

// skip drops tokens up to a point where parsing can continue: after a ';', before a '}'
// that closes an open block (after it at file scope), or before a word that begins a
// statement (at file scope, a declaration).
func (p *parser) skip(fileScope bool, start int) {
	depth := 0
	for p.kind() != token.EOF {
		t := p.tok()
		if t.Kind == token.Punct {
			switch t.Text {
			case ";":
				if depth == 0 {
					p.advance()
					return
				}
			case "{":
				depth++
			case "}":
				if depth == 0 && !fileScope {
					return
				}
				depth--
				if depth <= 0 && fileScope {
					p.advance()
					p.accept(";")
					return
				}
				if depth == 0 {
					p.advance()
					return
				}
			}
		} else if depth == 0 && p.i > start {
			w := p.word()
			if !fileScope && (w.beginsStmt() || p.atKernel()) || fileScope && (w == wKernel || w == wTypedef) {
				return
			}
		}
		p.advance()
	}
}

// atKernel reports whether a kernel definition starts here, which is impossible inside a
// function.
func (p *parser) atKernel() bool {
	return p.word() == wKernel && p.toks[p.peek(1)].Kind == token.Ident
}

// Scopes record only whether a name is a typedef.

func (p *parser) pushScope() { p.scopes = append(p.scopes, nil) }
func (p *parser) popScope()  { p.scopes = p.scopes[:len(p.scopes)-1] }

func (p *parser) declare(name string, isTypedef bool) {
	if name == "" {
		return
	}
	top := &p.scopes[len(p.scopes)-1]
	if *top == nil {
		// At file scope only typedefs need recording: other names are not types.
		if !isTypedef && len(p.scopes) == 1 {
			return
		}
		*top = map[string]bool{}
	}
	(*top)[name] = isTypedef
}

// isTypeName reports whether the identifier name is a type in the current scope.
func (p *parser) isTypeName(name string) bool {
	for i := len(p.scopes) - 1; i >= 0; i-- {
		if td, ok := p.scopes[i][name]; ok {
			return td
		}
	}
	return types.ByName(name) != nil
}

// startsType reports whether the token at index i begins a type.
func (p *parser) startsType(i int) bool {
	if p.toks[i].Kind != token.Ident {
		return false
	}
	if w := p.words[i]; w != 0 {
		return w.inDeclSpec()
	}
	return p.isTypeName(p.toks[i].Text)
}
