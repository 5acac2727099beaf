// Package preprocess converts the text of an OpenCL C file to the tokens for the parser:
// ISO C99 §6.4 (lexical elements) and §6.10 (preprocessing directives), with the macros
// of OpenCL C 1.2 §6.10.
//
// Macro expansion follows Dave Prosser's algorithm, from which the text of C99 §6.10.3
// was written: every token carries its hide set, the macros that it must not expand any
// more. Trigraphs are not supported. The supported GNU extensions are `, ##args`, named
// variadic parameters, #warning, 0b literals and __COUNTER__.
//
// The package is independent of the grammar, keywords and types of the language, and of
// the file system: the caller's Include finds files.
package preprocess

import (
	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/internal/diag"
)

// Options are settings from the command line.
type Options struct {
	// Environment are macros defined after the predefined ones and treated like them, in
	// the form of Defines.
	Environment []string
	// Defines are macros in the form of the option -D: "NAME" (as 1), "NAME=VALUE" or
	// "NAME(PARAMS)=VALUE". They are defined after the predefined macros and replace
	// them; a later one replaces an earlier one. The line number of an error is the index
	// of the definition, continued in Undefs.
	Defines []string
	// Undefs are the names of options -U; they are undefined after all Defines.
	Undefs []string
	// Include finds a file: name is as written in the #include in the file from (the name
	// given to Run, or a path returned earlier), and angled reports <name>. It returns
	// the path for positions and #pragma once. If Include is nil, every #include is an
	// error.
	Include func(name, from string, angled bool) (path, text string, err error)
	// Std is the version of OpenCL C: "1.0", "1.1", "1.2", "2.0" or "3.0", with
	// or without a leading "CL"; "" is 1.2.
	Std string
}

// Limits of one run. Exceeding one is an error, as text that grows exponentially must
// neither hang nor exhaust memory.
const (
	maxTokens    = 5_000_000 // output tokens
	maxExpansion = 2_000_000 // tokens moved by macro expansion
	maxSpelled   = 64 << 20  // bytes spelled by # and ##
	maxArgDepth  = 500       // nesting of macro calls inside arguments
	maxHideSets  = 2 << 20   // nodes of all hide sets
	maxIncludes  = 200       // nesting of #includes
	maxIncluded  = 20_000    // #includes in total
	maxText      = 64 << 20  // bytes of all included files
	maxNesting   = 1000      // parentheses and unary operators in an #if
)

// limits are the limits of one run; tests lower them.
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
	names   names    // file names for positions
	files   []*file  // the files being read, the innermost last
	cur     *scanner // the scanner of the innermost file

	once     map[string]bool      // paths with #pragma once
	pushed   map[*symbol][]*macro // by #pragma push_macro, the most recent last
	uses     []use                // positions of macro uses, by tok.use
	included int
	text     int
	counter  int

	top        stream // the input of the translation unit
	out        []token.Token
	pragmaOp   pragmaOp
	collecting int // number of calls whose arguments are being read from the file
	argDepth   int
	work       int // tokens moved by macro expansion
	spelled    int // bytes spelled by # and ##
	fatal      bool
	cut        bool    // an error skipped the rest of a file
	line       []tok   // the directive being read
	pool       [][]tok // buffers to reuse
}

// file is a file being read.
type file struct {
	scanner
	path   string
	conds  []cond
	parent loc // position of the #include
}

// use is the position of the macro use that produced a token.
type use struct {
	at  loc
	end uint32 // the last line of the macro call
}

// Run preprocesses text, the contents of the file called file, and returns its tokens,
// the last of kind EOF. Errors are added to errs; the result then holds the tokens that
// could be recovered.
//
// Its run time is linear in the size of the text and the expansions. It stops with an
// error when these exceed a limit.
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

// push starts reading a file; parent is the position of the #include.
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

// end returns the position after the last token of the file being read.
func (p *preprocessor) end() loc { return p.cur.here() }

// next reads the next token of the files and executes the directives before it. The end
// of an included file continues with the includer.
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
			if p.collecting > 0 { // a macro call must not cross the end of a file
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

// emit outputs one token.
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

// token converts t to a token for the parser; it returns false if t is not a token of C.
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
