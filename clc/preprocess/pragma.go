package preprocess

import "strings"

// pragmaDirective obeys #pragma once and keeps the others for the parser, as
// they are written; only after unroll are macros expanded, as programs write
// #pragma unroll COUNT.
func (p *preprocessor) pragmaDirective(at *tok) {
	t := tok{kind: kPragma, loc: at.loc}
	p.pragma(t, p.readLine())
}

// pragma hands out the pragma t made of toks.
func (p *preprocessor) pragma(t tok, toks []tok) {
	if len(toks) > 0 && t.use == 0 {
		t.loc = toks[0].loc
	}
	switch {
	case len(toks) == 0:
	case toks[0].sym == p.symbols.once && len(toks) == 1:
		p.once[p.files[len(p.files)-1].path] = true
		return
	case toks[0].sym == p.symbols.unroll:
		out := append(p.buffer(), toks[0])
		out = p.expandList(toks[1:], out)
		t.text = spell(out)
		p.release(out)
		p.emit(&t)
		return
	}
	t.text = spell(toks)
	p.emit(&t)
}

// pragmaOp is how far a _Pragma("...") has been read (C99 §6.10.9). It is
// recognized among the tokens handed out, after macro expansion.
type pragmaOp struct {
	state int // 0 nothing, 1 _Pragma, 2 (, 3 the string
	at    tok
	text  string
}

// pragmaOperator takes the tokens of a _Pragma; it reports whether t was one.
func (p *preprocessor) pragmaOperator(t *tok) bool {
	op := &p.pragmaOp
	switch {
	case op.state == 0:
		*op = pragmaOp{state: 1, at: *t}
		return true
	case t.kind == kPragma:
		return false // a directive between
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

// endPragmaOp reports a _Pragma that is not complete.
func (p *preprocessor) endPragmaOp() {
	if p.pragmaOp.state != 0 {
		p.pragmaOp.state = 0
		p.errorf(&p.pragmaOp.at, "_Pragma needs a string in parentheses")
	}
}

// runPragma handles the text of a _Pragma as that of a #pragma.
func (p *preprocessor) runPragma(at tok, text string) {
	s := scanner{p: p, text: strings.ReplaceAll(text, "\n", " ") + "\n", line: at.line, file: at.file, dir: true}
	s.splice = len(s.text) // there are none
	var toks []tok
	var t tok
	for s.next(&t); t.kind != kNewline; s.next(&t) {
		t.loc, t.use = at.loc, at.use
		toks = append(toks, t)
	}
	p.pragma(tok{kind: kPragma, loc: at.loc, use: at.use}, toks)
}
