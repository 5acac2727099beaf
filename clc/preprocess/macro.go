package preprocess

import "strconv"

// macro is a macro definition (C99 §6.10.3).
type macro struct {
	name     *symbol
	loc      loc
	fn       bool // function-like
	variadic bool // the last parameter receives all further arguments
	params   []*symbol
	body     []bodyTok
	builtin  builtin
}

// bodyTok is a token of a replacement list.
type bodyTok struct {
	tok
	param     int  // the index of the parameter, or -1
	stringize bool // preceded by #
	paste     bool // followed by ##
}

// builtin identifies a macro whose value depends on its position.
type builtin uint8

const (
	notBuiltin builtin = iota
	builtinLine
	builtinFileName
	builtinCounter
)

var builtins = map[string]builtin{
	"__LINE__":    builtinLine,
	"__FILE__":    builtinFileName,
	"__COUNTER__": builtinCounter,
}

// replaceBuiltin replaces the name of a builtin macro by its value.
func (p *preprocessor) replaceBuiltin(t *tok, b builtin) {
	t.sym, t.kind = nil, kNumber
	switch b {
	case builtinLine:
		line := t.line
		if t.use != 0 {
			line = p.uses[t.use].end
		}
		t.text = strconv.Itoa(int(line))
	case builtinFileName:
		file := t.file
		if t.use != 0 {
			file = p.uses[t.use].at.file
		}
		t.kind, t.text = kString, quote(p.names.list[file])
	case builtinCounter:
		t.text = strconv.Itoa(p.counter)
		p.counter++
	}
}

// macroName reads the operand of #define, #undef, #ifdef or #ifndef. ok is false after an
// error.
func (p *preprocessor) macroName(directive string) (t tok, ok bool) {
	p.cur.next(&t)
	switch {
	case t.kind == kNewline:
		p.errorf(&t, "#%s needs a macro name", directive)
		return t, false
	case t.kind != kIdent:
		p.errorf(&t, "a macro name must be an identifier, not '%s'", t.text)
		return t, false
	}
	return t, true
}

// reserved reports an error if t cannot be defined or undefined (C99 §6.10.8).
func (p *preprocessor) reserved(t *tok) bool {
	if t.sym == p.symbols.defined || t.sym == p.symbols.vaArgs {
		p.errorf(t, "'%s' cannot be a macro name", t.text)
		return true
	}
	return false
}

// define handles the rest of a #define. An earlier definition of the macro is replaced
// without a message.
func (p *preprocessor) define() {
	name, ok := p.macroName("define")
	if !ok || p.reserved(&name) {
		return
	}
	m := &macro{name: name.sym, loc: name.loc}
	var t tok
	p.cur.next(&t)
	if t.kind == kLParen && t.flags&fSpace == 0 {
		m.fn = true
		if !p.parameters(m, &t) {
			return
		}
		p.cur.next(&t)
	}
	p.line = p.line[:0]
	for ; t.kind != kNewline; p.cur.next(&t) {
		p.line = append(p.line, t)
	}
	if p.body(m, p.line) {
		name.sym.macro = m
	}
}

// parameters reads the parameter list; t is the opening parenthesis.
func (p *preprocessor) parameters(m *macro, t *tok) bool {
	open := *t
	bad := func() bool {
		if t.kind == kNewline {
			p.errorf(&open, "missing ')' in the parameters of macro '%s'", m.name.name)
		} else {
			p.errorf(t, "unexpected '%s' in the parameters of macro '%s'", t.text, m.name.name)
		}
		return false
	}
	p.cur.next(t)
	if t.kind == kRParen {
		return true
	}
	for {
		switch {
		case t.kind == kIdent && t.sym == p.symbols.vaArgs:
			p.errorf(t, "__VA_ARGS__ cannot be a parameter's name")
			return false
		case t.kind == kIdent:
			for _, old := range m.params {
				if old == t.sym {
					p.errorf(t, "macro '%s' has two parameters '%s'", m.name.name, t.text)
					return false
				}
			}
			m.params = append(m.params, t.sym)
			p.cur.next(t)
			if t.kind == kPunct && t.text == "..." { // GNU: args...
				m.variadic = true
				p.cur.next(t)
			}
		case t.kind == kPunct && t.text == "...":
			m.variadic = true
			m.params = append(m.params, p.symbols.vaArgs)
			p.cur.next(t)
		default:
			return bad()
		}
		if t.kind == kRParen {
			return true
		}
		if t.kind != kComma || m.variadic {
			return bad()
		}
		p.cur.next(t)
	}
}

// body checks a replacement list and stores it in m.
func (p *preprocessor) body(m *macro, toks []tok) bool {
	m.body = make([]bodyTok, 0, len(toks))
	var index map[*symbol]int
	if m.fn && len(m.params) > 0 {
		index = make(map[*symbol]int, len(m.params))
		for i, s := range m.params {
			index[s] = i
		}
	}
	var hash *tok // a # whose parameter has not been read yet
	for i := range toks {
		t := &toks[i]
		if t.kind == kHashHash {
			if hash != nil {
				break
			}
			if len(m.body) == 0 || i == len(toks)-1 {
				p.errorf(t, "'##' cannot be at an end of a macro's replacement list")
				return false
			}
			m.body[len(m.body)-1].paste = true
			continue
		}
		if t.kind == kHash && m.fn && hash == nil {
			hash = t
			continue
		}
		b := bodyTok{tok: *t, param: -1}
		if t.kind == kIdent {
			if n, ok := index[t.sym]; ok {
				b.param = n
			} else if t.sym == p.symbols.vaArgs {
				p.errorf(t, "__VA_ARGS__ is allowed only in the body of a variadic macro")
				return false
			}
		}
		if hash != nil {
			if b.param < 0 {
				break
			}
			b.stringize = true
			b.flags, b.loc = hash.flags, hash.loc
			hash = nil
		}
		if len(m.body) == 0 {
			b.flags &^= fSpace | fBOL // the flags come from the macro's name
		}
		m.body = append(m.body, b)
	}
	if hash != nil {
		p.errorf(hash, "'#' is not followed by a parameter of macro '%s'", m.name.name)
		return false
	}
	return true
}

// undef handles the rest of an #undef.
func (p *preprocessor) undef() {
	if t, ok := p.macroName("undef"); ok && !p.reserved(&t) {
		t.sym.macro = nil
	}
}
