package preprocess

import (
	"strings"

	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/internal/diag"
)

// pragmaDirective handles a #pragma.
func (p *preprocessor) pragmaDirective(at *tok) {
	t := tok{kind: kPragma, loc: at.loc}
	p.pragma(t, p.readLine())
}

// pragmas are the pragmas of the preprocessor, by their first word or, after GCC and
// clang, their first two. The functions receive the rest of the line.
var pragmas map[string]func(p *preprocessor, at *tok, args []tok)

func init() { // assigned in init, as the functions refer to the table
	pragmas = map[string]func(p *preprocessor, at *tok, args []tok){
		"once":        pragmaOnce,
		"push_macro":  pushMacro,
		"pop_macro":   popMacro,
		"message":     pragmaMessage,
		"GCC poison":  poison,
		"GCC warning": pragmaWarning,
		"GCC error":   pragmaError,
	}
}

// expandedPragmas lists the words after which macros are expanded in a pragma, as clang
// does.
var expandedPragmas = map[string]bool{"unroll": true, "nounroll": true, "pack": true, "clang loop": true, "clang fp": true, "GCC unroll": true}

// pragma handles the pragma t with the tokens toks, or passes it on to the parser.
func (p *preprocessor) pragma(t tok, toks []tok) {
	if len(toks) > 0 && t.use == 0 {
		t.loc = toks[0].loc
	}
	name, words := "", 0
	if len(toks) > 0 {
		name, words = toks[0].text, 1
		if (name == "GCC" || name == "clang") && len(toks) > 1 {
			name, words = name+" "+toks[1].text, 2
		}
	}
	if run := pragmas[name]; run != nil {
		run(p, &toks[0], toks[words:])
		return
	}
	if expandedPragmas[name] {
		out := append(p.buffer(), toks[:words]...)
		out = p.expandList(toks[words:], out)
		defer p.release(out)
		toks = out
	}
	t.text = spell(toks)
	n := len(p.out)
	if p.emit(&t); len(p.out) == n {
		return
	}
	args := make([]token.Token, 0, len(toks))
	for i := range toks {
		if a, ok := p.token(&toks[i]); ok {
			args = append(args, a)
		} else {
			args = append(args, token.Token{Kind: token.Punct, Text: a.Text, Pos: a.Pos, Use: a.Use})
		}
	}
	p.out[n].Args = args
}

// pragmaOnce makes later #includes of the file do nothing.
func pragmaOnce(p *preprocessor, at *tok, args []tok) {
	p.once[p.files[len(p.files)-1].path] = true
	if len(args) > 0 {
		p.warnf(&args[0], "extra tokens after #pragma once are ignored")
	}
}

// macroArgument returns the macro named by the ("NAME") of a pragma, or nil after an
// error.
func (p *preprocessor) macroArgument(at *tok, args []tok) *symbol {
	text, ok := pragmaText(args)
	if !ok || args[0].kind != kLParen || !isIdentifier(text) {
		p.errorf(at, "#pragma %s takes a name in quotes and parentheses: (\"NAME\")", at.text)
		return nil
	}
	return p.symbols.get(text)
}

func isIdentifier(s string) bool {
	for i, c := range []byte(s) {
		if !(c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			return false
		}
	}
	return s != ""
}

func pushMacro(p *preprocessor, at *tok, args []tok) {
	if s := p.macroArgument(at, args); s != nil {
		if p.pushed == nil {
			p.pushed = map[*symbol][]*macro{}
		}
		p.pushed[s] = append(p.pushed[s], s.macro)
	}
}

func popMacro(p *preprocessor, at *tok, args []tok) {
	s := p.macroArgument(at, args)
	if s == nil {
		return
	}
	n := len(p.pushed[s])
	if n == 0 {
		p.warnf(at, "#pragma pop_macro(\"%s\") without a push_macro before it is ignored", s.name)
		return
	}
	s.macro = p.pushed[s][n-1]
	p.pushed[s] = p.pushed[s][:n-1]
}

// pragmaText returns the concatenated string literals in args, which may be in
// parentheses.
func pragmaText(args []tok) (text string, ok bool) {
	if n := len(args); n > 2 && args[0].kind == kLParen && args[n-1].kind == kRParen {
		args = args[1 : n-1]
	}
	for _, t := range args {
		if t.kind != kString || t.text[0] != '"' {
			return "", false
		}
		text += unquote(t.text)
	}
	return text, len(args) > 0
}

// message returns the text of a pragma that prints a message.
func (p *preprocessor) message(args []tok) string {
	out := p.expandList(args, p.buffer())
	defer p.release(out)
	if text, ok := pragmaText(out); ok {
		return text
	}
	return spell(out)
}

func pragmaMessage(p *preprocessor, at *tok, args []tok) {
	place, _ := p.place(at)
	p.errs.Warn(&diag.Error{Pos: p.pos(place), Msg: p.message(args), Message: true})
}

func pragmaWarning(p *preprocessor, at *tok, args []tok) { p.warnf(at, "%s", p.message(args)) }

func pragmaError(p *preprocessor, at *tok, args []tok) { p.errorf(at, "%s", p.message(args)) }

// poison makes later uses of names errors.
func poison(p *preprocessor, at *tok, args []tok) {
	for i := range args {
		if args[i].kind != kIdent {
			p.errorf(&args[i], "#pragma GCC poison takes names")
			return
		}
		args[i].sym.poisoned = true
	}
}

// pragmaOp is the progress in reading a _Pragma("...") (C99 §6.10.9). It is recognized in
// the output tokens, after macro expansion.
type pragmaOp struct {
	state int // 0 nothing, 1 _Pragma, 2 the parenthesis, 3 the string
	at    tok
	text  string
}

// pragmaOperator consumes the tokens of a _Pragma; it reports whether t is one of them.
func (p *preprocessor) pragmaOperator(t *tok) bool {
	op := &p.pragmaOp
	switch {
	case op.state == 0:
		*op = pragmaOp{state: 1, at: *t}
		return true
	case t.kind == kPragma:
		return false // a directive in between
	case op.state == 1 && t.kind == kLParen:
		op.state = 2
		return true
	case op.state == 2 && t.kind == kString:
		op.state = 3
		op.text = unquote(strings.TrimPrefix(t.text, "L"))
		return true
	case op.state == 3 && t.kind == kRParen:
		op.state = 0
		p.runPragma(op.at, op.text)
		return true
	}
	p.endPragmaOp()
	return t.sym == p.symbols.pragma && p.pragmaOperator(t)
}

// endPragmaOp reports an incomplete _Pragma.
func (p *preprocessor) endPragmaOp() {
	if p.pragmaOp.state != 0 {
		p.pragmaOp.state = 0
		p.errorf(&p.pragmaOp.at, "_Pragma needs a string in parentheses")
	}
}

// runPragma handles the text of a _Pragma like that of a #pragma.
func (p *preprocessor) runPragma(at tok, text string) {
	s := scanner{p: p, text: strings.ReplaceAll(text, "\n", " ") + "\n", line: at.line, file: at.file, dir: true}
	s.splice = len(s.text) // the text has no line splices
	var toks []tok
	var t tok
	for s.next(&t); t.kind != kNewline; s.next(&t) {
		t.loc, t.use = at.loc, at.use
		toks = append(toks, t)
	}
	p.pragma(tok{kind: kPragma, loc: at.loc, use: at.use}, toks)
}
