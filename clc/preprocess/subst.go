package preprocess

import "strings"

// substitute returns the replacement list of m with the arguments inserted, # and ##
// applied (C99 §6.10.3.1 to §6.10.3.3), and hide added to all hide sets. The result is a
// buffer.
func (p *preprocessor) substitute(m *macro, c *call, hide, useID uint32) []tok {
	out := p.buffer()
	var space uint8 // white space before an empty argument
	for i := 0; i < len(m.body) && !p.fatal; i++ {
		b := &m.body[i]
		first := len(out)
		if i > 0 {
			space |= b.flags & (fSpace | fBOL)
		}
		if !b.paste {
			switch {
			case b.param < 0:
				out = append(out, b.tok)
				out[len(out)-1].use = useID
			case b.stringize:
				out = append(out, p.stringize(b, c.args[b.param], useID))
			default:
				out = p.insert(out, b, p.argument(c, b.param))
			}
			if len(out) > first {
				out[first].flags |= space
				space = 0
			}
			continue
		}
		start := first // start of the pasted operands; an empty one is a placemarker
		out = p.operand(out, b, c, useID)
		for m.body[i].paste && !p.fatal {
			left := &m.body[i]
			i++
			right := &m.body[i]
			if left.kind == kComma && left.param < 0 && m.variadic && right.param == len(m.params)-1 && !right.stringize {
				// GNU: the comma is removed if the variable arguments are empty.
				if len(c.args[right.param]) == 0 {
					if n := len(out); n > start && out[n-1].kind == kComma {
						out = out[:n-1]
					}
				} else {
					out = p.insert(out, right, c.args[right.param])
				}
				continue
			}
			if len(out) == start {
				out = p.operand(out, right, c, useID)
				if len(out) > start {
					out[start].flags = out[start].flags&^(fSpace|fBOL) | b.flags&(fSpace|fBOL)
				}
				continue
			}
			n := len(out)
			out = p.operand(out, right, c, useID)
			if len(out) == n {
				continue
			}
			if p.paste(&out[n-1], &out[n], b, useID) {
				out = append(out[:n], out[n+1:]...)
			}
		}
		if len(out) > first {
			out[first].flags |= space
			space = 0
		}
	}
	for i := range out {
		if t := &out[i]; t.hide == 0 {
			t.hide = hide
		} else {
			t.hide = p.hides.union(t.hide, hide)
		}
	}
	return out
}

// operand appends an operand of ##: a token, a string or the unexpanded tokens of an
// argument. If it appends nothing, the operand is a placemarker.
func (p *preprocessor) operand(out []tok, b *bodyTok, c *call, useID uint32) []tok {
	switch {
	case b.param < 0:
		out = append(out, b.tok)
		out[len(out)-1].use = useID
		return out
	case b.stringize:
		return append(out, p.stringize(b, c.args[b.param], useID))
	}
	return p.insert(out, b, c.args[b.param])
}

// insert appends the tokens of the argument for parameter b.
func (p *preprocessor) insert(out []tok, b *bodyTok, arg []tok) []tok {
	if len(arg) == 0 || !p.spend(&arg[0], len(arg)) {
		return out
	}
	n := len(out)
	out = append(out, arg...)
	out[n].flags = out[n].flags&^(fSpace|fBOL) | b.flags&(fSpace|fBOL)
	return out
}

// stringize returns the string literal for #param (C99 §6.10.3.2).
func (p *preprocessor) stringize(b *bodyTok, arg []tok, useID uint32) tok {
	t := tok{kind: kString, loc: b.loc, use: useID, flags: b.flags &^ fDigraph, text: `""`}
	size := 2
	for i := range arg {
		size += len(arg[i].text) + 1
	}
	p.spelled += size
	if p.spelled > p.lim.spelled {
		t.text = b.text
		p.spend(&t, 0)
		t.text = `""`
		return t
	}
	var s strings.Builder
	s.Grow(size)
	s.WriteByte('"')
	for i := range arg {
		a := &arg[i]
		if i > 0 && a.flags&(fSpace|fBOL) != 0 {
			s.WriteByte(' ')
		}
		if a.kind == kString || a.kind == kChar {
			escape(&s, a.text)
		} else {
			s.WriteString(a.text)
		}
	}
	s.WriteByte('"')
	t.text = s.String()
	var one tok
	if !p.scanOne(t.text, &one) || one.kind != kString {
		p.errorf(&t, "'#%s' does not give a valid string", b.text)
		t.text = `""`
	}
	return t
}

// escape writes text with a backslash before each " and \.
func escape(s *strings.Builder, text string) {
	for i := 0; i < len(text); i++ {
		if text[i] == '"' || text[i] == '\\' {
			s.WriteByte('\\')
		}
		s.WriteByte(text[i])
	}
}

// quote returns the string literal of text.
func quote(text string) string {
	var s strings.Builder
	s.WriteByte('"')
	escape(&s, text)
	s.WriteByte('"')
	return s.String()
}

// paste appends right to left (C99 §6.10.3.3); b is the leftmost operand of the sequence
// of ##. If the result is not a token, it reports an error, returns false and leaves both
// tokens unchanged.
func (p *preprocessor) paste(left, right *tok, b *bodyTok, useID uint32) bool {
	text := left.text + right.text
	p.spelled += len(text)
	if !p.spend(left, 1) {
		return false
	}
	at := tok{loc: b.loc, use: useID}
	var t tok
	if left.kind == kIdent && (right.kind == kIdent || right.kind == kNumber && isWord(right.text)) {
		sym := p.symbols.get(text)
		t = tok{kind: kIdent, text: sym.name, sym: sym}
	} else if !p.scanOne(text, &t) || t.kind == kStray || t.kind == kBadChar || t.kind == kBadString {
		p.errorf(&at, "pasting '%s' and '%s' does not give a token", left.text, right.text)
		return false
	}
	t.loc, t.use = at.loc, at.use
	t.flags |= left.flags & (fSpace | fBOL)
	t.hide = p.hides.intersect(left.hide, right.hide)
	*left = t
	return true
}

// isWord reports whether s may be part of an identifier.
func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isIdent[s[i]] {
			return false
		}
	}
	return true
}
