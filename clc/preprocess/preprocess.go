// Package preprocess turns the text of an OpenCL C file into the tokens that
// the parser reads: ISO C99 §6.4 (lexical elements) and §6.10 (preprocessing
// directives), with the macros of OpenCL C 1.2 §6.10.
//
// Macro expansion follows Dave Prosser's algorithm, the text that §6.10.3 was
// written from: every token carries its hide set, the macros it may no longer
// expand. There are no trigraphs. Of the GNU extensions it knows `, ##args`,
// named variadic parameters, #warning, 0b literals and __COUNTER__.
//
// It must not know the grammar, keywords or types of the language, nor where
// files are kept: the caller's Include finds them.
package preprocess

import (
	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/internal/diag"
)

// Options are what the command line decides.
type Options struct {
	// Environment are macros that come after the predefined ones and are as
	// those: each as Defines has them.
	Environment []string
	// Defines are macros as after -D: "NAME" (as 1), "NAME=VALUE" or
	// "NAME(PARAMS)=VALUE". They come after the predefined macros and replace
	// them; a later one replaces an earlier one. Errors in one, and then in
	// Undefs, have its number for a line.
	Defines []string
	// Undefs are names as after -U; they are undefined after all of Defines.
	Undefs []string
	// Include finds a file: name as written in the #include that stands in the
	// file from (the name given to Run or a path returned earlier), angled for
	// <name>. It returns the path used in positions and for #pragma once. Nil
	// makes every #include an error.
	Include func(name, from string, angled bool) (path, text string, err error)
	// Std is the version of OpenCL C: "1.0", "1.1", "1.2", "2.0" or "3.0", with
	// or without a leading "CL"; "" is 1.2.
	Std string
}

// What a run may use before it ends in an error: text that grows
// exponentially must neither hang nor fill the memory.
const (
	maxTokens    = 5_000_000 // tokens handed out
	maxExpansion = 2_000_000 // tokens moved by macro expansion
	maxSpelled   = 64 << 20  // bytes spelled by # and ##
	maxArgDepth  = 500       // macro calls inside arguments of macro calls
	maxHideSets  = 2 << 20   // nodes of all hide sets
	maxIncludes  = 200       // #includes inside each other
	maxIncluded  = 20_000    // #includes in all
	maxText      = 64 << 20  // bytes of all included files
	maxNesting   = 1000      // parentheses and unary operators in an #if
)

// limits are the bounds of one run; tests lower them.
type limits struct {
	tokens, expansion, spelled, hideSets int
}

// preprocessor is the state of one run.
type preprocessor struct {
	opt  Options
	errs *diag.List
	lim  limits

	symbols symbolTable
	hides   hideSets
	names   names    // of files, as positions have them
	files   []*file  // being read, the innermost last
	cur     *scanner // of the innermost file

	once     map[string]bool      // paths that said #pragma once
	pushed   map[*symbol][]*macro // by #pragma push_macro, the last on top
	uses     []use                // places of macro names, by tok.use
	included int
	text     int
	counter  int

	top        stream // the whole translation unit
	out        []token.Token
	pragmaOp   pragmaOp
	collecting int // calls whose arguments are being read from the file
	argDepth   int
	work       int // tokens moved by macro expansion
	spelled    int // bytes spelled by # and ##
	fatal      bool
	cut        bool    // an error took the rest of a file
	line       []tok   // the directive being read
	pool       [][]tok // buffers to reuse
}

// file is a file being read.
type file struct {
	scanner
	path   string
	conds  []cond
	parent loc // of the #include
}

// use is where a token that came from a macro body was asked for.
type use struct {
	at  loc
	end uint32 // the line where the macro call ends
}

// Run preprocesses text, the contents of the file called file, and returns
// its tokens, the last of kind EOF. Errors are added to errs; the tokens are
// then what could be made of the rest.
//
// It takes time linear in the text and the expansions, and stops with an error
// when these grow beyond reason.
func Run(file, text string, opt Options, errs *diag.List) []token.Token {
	return run(file, text, opt, errs, limits{maxTokens, maxExpansion, maxSpelled, maxHideSets})
}

func run(file, text string, opt Options, errs *diag.List, lim limits) []token.Token {
	p := &preprocessor{opt: opt, errs: errs, lim: lim, once: map[string]bool{}}
	p.names.init()
	p.symbols.init()
	p.hides.init()
	p.uses = make([]use, 1)
	p.predefine()

	p.push(file, text, loc{})
	p.out = make([]token.Token, 0, min(len(text)/4+16, 1<<18))
	p.top.file = true
	var t tok
	for {
		p.expanded(&p.top, &t)
		if t.kind == kEOF {
			break
		}
		p.emit(&t)
	}
	p.endPragmaOp()
	eof := token.Token{Kind: token.EOF, Pos: p.pos(p.end())}
	if p.cut || p.fatal {
		eof.Text = token.Cut
	}
	p.out = append(p.out, eof)
	return p.out
}

// push starts reading a file; parent is where it was included.
func (p *preprocessor) push(path, text string, parent loc) {
	f := &file{path: path, parent: parent}
	f.init(p, p.names.index(path), text)
	p.files = append(p.files, f)
	p.cur = &f.scanner
}

// pop ends the innermost file.
func (p *preprocessor) pop() {
	p.files = p.files[:len(p.files)-1]
	p.cur = &p.files[len(p.files)-1].scanner
}

// end is the place after the last token of the file being read.
func (p *preprocessor) end() loc { return p.cur.here() }

// next reads the next token of the files, obeying the directives between.
// The end of an included file ends only that file.
func (p *preprocessor) next(t *tok) {
	for {
		if p.fatal {
			*t = tok{kind: kEOF, loc: p.end()}
			return
		}
		p.cur.next(t)
		switch {
		case t.kind == kHash && t.flags&fBOL != 0:
			p.directive(t)
		case t.kind == kEOF:
			if p.collecting > 0 { // a macro call does not cross the end of a file
				return
			}
			p.closeConds()
			if len(p.files) == 1 {
				return
			}
			p.pop()
		default:
			return
		}
	}
}

// emit hands out one token.
func (p *preprocessor) emit(t *tok) {
	if p.pragmaOp.state != 0 || t.sym == p.symbols.pragma {
		if p.pragmaOperator(t) {
			return
		}
	}
	out, ok := p.token(t)
	if !ok {
		p.badToken(t)
		return
	}
	if len(p.out) >= p.lim.tokens {
		p.fail(t, "more than %d tokens", p.lim.tokens)
		return
	}
	p.out = append(p.out, out)
}

// token makes a token for the parser of t; false if t is no token of C.
func (p *preprocessor) token(t *tok) (token.Token, bool) {
	out := token.Token{Text: t.text, Pos: p.pos(t.loc)}
	if t.use != 0 {
		out.Use = p.pos(p.uses[t.use].at)
	}
	switch t.kind {
	case kIdent:
		out.Kind = token.Ident
		if t.sym.poisoned && t.use == 0 {
			p.errorf(t, "'%s' was poisoned by a #pragma", t.text)
		}
	case kNumber:
		out.Kind = token.Int
		if isFloat(t.text) {
			out.Kind = token.Float
		}
	case kChar:
		out.Kind = token.Char
	case kString:
		out.Kind = token.String
	case kPragma:
		out.Kind = token.Pragma
	case kBadChar, kBadString, kStray:
		return out, false
	default:
		out.Kind = token.Punct
		if t.flags&fDigraph != 0 {
			out.Text = digraphs[t.text]
		}
	}
	return out, true
}
