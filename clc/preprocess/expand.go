package preprocess

import "fmt"

// stream is the input of macro expansion: a stack of token lists, the innermost last,
// with the files at the bottom. A list that is expanded separately (an argument or a
// directive's line) has no files.
type stream struct {
	frames []frame
	file   bool
	space  bool // an empty expansion left white space
}

type frame struct {
	toks  []tok
	i     int
	owned bool // toks is a buffer to be released
}

// buffer returns an empty buffer.
func (p *preprocessor) buffer() []tok {
	if n := len(p.pool); n > 0 {
		b := p.pool[n-1]
		p.pool = p.pool[:n-1]
		return b[:0]
	}
	return make([]tok, 0, 32)
}

// release returns a buffer to the pool; its tokens must not be used any more.
func (p *preprocessor) release(b []tok) {
	const most = 256
	if cap(b) > 0 && len(p.pool) < most {
		p.pool = append(p.pool, b)
	}
}

// spend counts n tokens moved by macro expansion and ends the run when the limit is
// exceeded.
func (p *preprocessor) spend(at *tok, n int) bool {
	p.work += n
	if p.work > p.lim.expansion || len(p.hides.nodes) > p.lim.hideSets || p.spelled > p.lim.spelled {
		what := "a macro"
		if at.kind == kIdent && at.sym.macro != nil {
			what = "macro '" + at.text + "'"
		}
		size := fmt.Sprintf("%d tokens", p.lim.expansion)
		switch {
		case p.work > p.lim.expansion:
		case p.spelled > p.lim.spelled:
			size = fmt.Sprintf("%d bytes of pasted tokens", p.lim.spelled)
		default:
			size = fmt.Sprintf("%d sets of macro names", p.lim.hideSets)
		}
		p.fail(at, "the expansion of %s takes more than %s", what, size)
	}
	return !p.fatal
}

// pull reads a token without expanding it.
func (p *preprocessor) pull(st *stream, t *tok) {
	if p.fatal {
		*t = tok{kind: kEOF, loc: p.end()}
		return
	}
	for n := len(st.frames); n > 0; n-- {
		f := &st.frames[n-1]
		if f.i < len(f.toks) {
			*t = f.toks[f.i]
			f.i++
			if st.space {
				t.flags |= fSpace
				st.space = false
			}
			return
		}
		if f.owned {
			p.release(f.toks)
		}
		st.frames = st.frames[:n-1]
	}
	if st.file {
		p.next(t)
	} else {
		*t = tok{kind: kEOF}
	}
	if st.space {
		t.flags |= fSpace
		st.space = false
	}
}

// parenFollows reports whether the next token is "(". In a file it looks past line ends
// but not past a directive.
func (p *preprocessor) parenFollows(st *stream) bool {
	for n := len(st.frames) - 1; n >= 0; n-- {
		if f := &st.frames[n]; f.i < len(f.toks) {
			return f.toks[f.i].kind == kLParen
		}
	}
	if !st.file || p.fatal {
		return false
	}
	s := p.cur
	if s.text[min(s.off, len(s.text)-1)] == '(' {
		return true
	}
	saved := *s
	var t tok
	s.next(&t)
	open := s.open
	*s = saved
	s.open = open
	return t.kind == kLParen
}

// expanded reads a token after macro expansion.
func (p *preprocessor) expanded(st *stream, t *tok) {
	for {
		p.pull(st, t)
		if t.kind != kIdent || t.sym.macro == nil {
			return
		}
		m := t.sym.macro
		if t.hide != 0 && p.hides.contains(t.hide, t.sym) {
			return
		}
		if m.builtin != notBuiltin {
			p.replaceBuiltin(t, m.builtin)
			return
		}
		if m.fn && !p.parenFollows(st) {
			return
		}
		p.expand(st, t, m)
	}
}

// expand replaces the macro name in t, and its arguments, by the expansion, which is
// pushed onto st.
func (p *preprocessor) expand(st *stream, t *tok, m *macro) {
	name := *t
	useID := name.use
	if useID == 0 {
		useID = uint32(len(p.uses))
		p.uses = append(p.uses, use{at: name.loc, end: name.line})
	}
	var out []tok
	if m.fn {
		c, ok := p.arguments(st, &name, m)
		if !ok {
			p.release(c.buf)
			return
		}
		if name.use == 0 && c.end.line != 0 {
			p.uses[useID].end = c.end.line
		}
		hide := p.hides.add(p.hides.intersect(name.hide, c.hide), m.name)
		out = p.substitute(m, &c, hide, useID)
		p.release(c.buf)
		for _, e := range c.expanded {
			p.release(e)
		}
	} else {
		hide := p.hides.add(name.hide, m.name)
		out = p.substitute(m, nil, hide, useID)
	}
	space := name.flags & (fSpace | fBOL)
	if len(out) == 0 {
		if space != 0 {
			st.space = true
		}
		p.release(out)
		p.spend(&name, 1)
		return
	}
	out[0].flags |= space
	if p.spend(&name, len(out)) {
		st.frames = append(st.frames, frame{toks: out, owned: true})
	}
}

// call holds the arguments of a macro call.
type call struct {
	buf      []tok // the tokens of args
	args     [][]tok
	expanded [][]tok // args after expansion, computed on demand
	hide     uint32  // hide set of the closing parenthesis
	end      loc     // its position, if it is in the source
}

// arguments reads the arguments of a call of m, starting with the "(" (C99 §6.10.3
// paragraphs 4, 10 and 11).
func (p *preprocessor) arguments(st *stream, name *tok, m *macro) (c call, ok bool) {
	c.buf = p.buffer()
	var bounds []int // the end of each argument in buf
	var t tok
	p.pull(st, &t) // "("
	if st.file {
		p.collecting++
		defer func() { p.collecting-- }()
	}
	named := len(m.params)
	if m.variadic {
		named--
	}
	for depth := 0; ; {
		p.pull(st, &t)
		switch t.kind {
		case kEOF:
			if !p.fatal {
				p.errorDef(name, m, "unterminated argument list of macro '%s'", m.name.name)
				p.cut = p.cut || st.file
			}
			return c, false
		case kLParen:
			depth++
		case kRParen:
			if depth == 0 {
				c.hide = t.hide
				if t.use == 0 {
					c.end = t.loc
				}
				bounds = append(bounds, len(c.buf))
				return c, p.spend(name, len(c.buf)) && p.split(&c, bounds, name, m)
			}
			depth--
		case kComma:
			if depth == 0 && !(m.variadic && len(bounds) >= named) {
				bounds = append(bounds, len(c.buf))
				continue
			}
		}
		c.buf = append(c.buf, t)
	}
}

// split divides c.buf at bounds into arguments and checks their number. The "..." of a
// variadic macro may have no argument.
func (p *preprocessor) split(c *call, bounds []int, name *tok, m *macro) bool {
	want, got := len(m.params), len(bounds)
	if want == 0 && got == 1 && len(c.buf) == 0 {
		return true
	}
	least := want
	if m.variadic {
		least--
	}
	if got < least || got > want {
		plural, atLeast := "s", ""
		if least == 1 {
			plural = ""
		}
		if m.variadic {
			atLeast = "at least "
		}
		p.errorDef(name, m, "macro '%s' takes %s%d argument%s, not %d", m.name.name, atLeast, least, plural, got)
		return false
	}
	c.args = make([][]tok, want)
	c.expanded = make([][]tok, want)
	start := 0
	for i, end := range bounds {
		c.args[i] = c.buf[start:end]
		start = end
	}
	return true
}

// argument returns argument i, macro-expanded in isolation.
func (p *preprocessor) argument(c *call, i int) []tok {
	arg := c.args[i]
	if c.expanded[i] != nil || !hasMacro(arg) {
		if c.expanded[i] != nil {
			return c.expanded[i]
		}
		return arg
	}
	if p.argDepth >= maxArgDepth {
		p.fail(&arg[0], "macro calls are nested more than %d deep in arguments", maxArgDepth)
		return arg
	}
	p.argDepth++
	c.expanded[i] = p.expandList(arg, p.buffer())
	p.argDepth--
	return c.expanded[i]
}

// hasMacro reports whether a token of toks may be expanded.
func hasMacro(toks []tok) bool {
	for i := range toks {
		if toks[i].kind == kIdent && toks[i].sym.macro != nil {
			return true
		}
	}
	return false
}

// expandList appends the expansion of toks to out.
func (p *preprocessor) expandList(toks, out []tok) []tok {
	st := stream{frames: []frame{{toks: toks}}}
	var t tok
	for {
		p.expanded(&st, &t)
		if t.kind == kEOF {
			return out
		}
		out = append(out, t)
	}
}
