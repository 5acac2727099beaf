package preprocess

import (
	"math"
	"strings"
	"unicode/utf8"
)

// scanner splits text into preprocessing tokens (C99 §5.1.1.2, phases 2 and 3).
//
// Line splices have been removed from the text. Positions still refer to the original
// file: the scanner follows the list of splices when it counts lines.
type scanner struct {
	p         *preprocessor
	text      string // ends with a newline
	off       int
	lineStart int // col = off - lineStart + 1
	line      uint32
	file      uint32
	splice    int   // offset of the next splice
	splices   []int // the later splices
	dir       bool  // in a directive: stop at newlines
	first     bool  // nothing has been read yet
	open      bool  // an unterminated comment has been reported
}

// Classes of bytes.
const (
	clStray = iota
	clSpace
	clNewline
	clIdent
	clDigit
	clDot
	clQuote
	clSlash
	clPunct
	clLParen
	clRParen
	clComma
	clHigh // part of a UTF-8 sequence
)

var (
	class   [256]uint8
	isIdent [256]bool     // may continue an identifier
	puncts  [256][]string // by first byte, longest first
	single  [256]string   // strings of one byte
	kindOf  = map[string]kind{"#": kHash, "%:": kHash, "##": kHashHash, "%:%:": kHashHash}
)

func init() {
	for _, c := range " \t\v\f\r" {
		class[c] = clSpace
	}
	class['\n'] = clNewline
	for c := 0; c < 256; c++ {
		single[c] = string([]byte{byte(c)})
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$': // $ as in GNU C
			class[c], isIdent[c] = clIdent, true
		case c >= '0' && c <= '9':
			class[c], isIdent[c] = clDigit, true
		case c >= 0x80:
			class[c] = clHigh
		}
	}
	class['.'] = clDot
	class['"'], class['\''] = clQuote, clQuote
	// C99 §6.4.6.
	for _, s := range strings.Fields(`%:%: ... <<= >>=
		-> ++ -- << >> <= >= == != && || *= /= %= += -= &= ^= |= ## <: :> <% %> %:
		[ ] { } . & * + - ~ ! / % < > ^ | ? : ; = #`) {
		puncts[s[0]] = append(puncts[s[0]], s)
		if class[s[0]] == clStray {
			class[s[0]] = clPunct
		}
	}
	class['/'] = clSlash
	class['('], class[')'], class[','] = clLParen, clRParen, clComma
}

func (s *scanner) init(p *preprocessor, file uint32, text string) {
	const mark = "\xef\xbb\xbf" // byte order mark
	start := 0
	if strings.HasPrefix(text, mark) {
		start = len(mark)
	}
	text, splices := unsplice(text)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	*s = scanner{p: p, text: text, off: start, line: 1, file: file, splices: splices, splice: math.MaxInt, first: true}
	s.nextSplice()
}

// unsplice removes each backslash at the end of a line, the newline, and white space
// between the two. It returns the offsets of the removals in the result.
func unsplice(text string) (string, []int) {
	if strings.IndexByte(text, '\\') < 0 {
		return text, nil
	}
	var out strings.Builder
	var cuts []int
	done := 0 // text up to here is in out
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\\')
		if n < 0 {
			break
		}
		i += n
		end := i + 1
		for end < len(text) && class[text[end]] == clSpace {
			end++
		}
		if end < len(text) && text[end] != '\n' {
			i = end
			continue
		}
		out.WriteString(text[done:i])
		cuts = append(cuts, out.Len())
		i = min(end+1, len(text))
		done = i
	}
	if cuts == nil {
		return text, nil
	}
	out.WriteString(text[done:])
	return out.String(), cuts
}

func (s *scanner) nextSplice() {
	s.splice = math.MaxInt
	if len(s.splices) > 0 {
		s.splice, s.splices = s.splices[0], s.splices[1:]
	}
}

// pass counts the removed lines up to off.
func (s *scanner) pass(off int) {
	for off >= s.splice {
		s.line++
		s.lineStart = s.splice
		s.nextSplice()
	}
}

// newline counts the newline at off.
func (s *scanner) newline(off int) {
	if off >= s.splice {
		s.pass(off)
	}
	s.line++
	s.lineStart = off + 1
}

// here returns the position of the next byte.
func (s *scanner) here() loc {
	s.pass(s.off)
	return loc{s.line, uint32(s.off - s.lineStart + 1), s.file}
}

// next reads a token. In a directive a newline is returned as the token kNewline and not
// consumed; elsewhere it is white space.
func (s *scanner) next(t *tok) {
	text := s.text
	off := s.off
	var flags uint8
	if s.first {
		s.first = false
		flags = fBOL | fSpace
	}
space:
	for off < len(text) {
		switch class[text[off]] {
		case clSpace:
			off++
			flags |= fSpace
		case clNewline:
			if s.dir {
				break space
			}
			s.newline(off)
			off++
			flags |= fBOL | fSpace
		case clSlash:
			s.off = off
			if !s.comment() {
				break space
			}
			off = s.off
			flags |= fSpace
		default:
			break space
		}
	}
	if off >= s.splice {
		s.pass(off)
	}
	t.loc = loc{s.line, uint32(off - s.lineStart + 1), s.file}
	t.sym, t.hide, t.use, t.flags = nil, 0, 0, flags
	if off >= len(text) {
		s.off = off
		t.kind, t.text = kEOF, ""
		return
	}
	c := text[off]
	switch class[c] {
	case clNewline:
		s.off = off
		t.kind, t.text = kNewline, ""
	case clIdent:
		start := off
		h := uint32(hashStart)
		for isIdent[c] {
			h = (h ^ uint32(c)) * hashPrime
			off++
			c = text[off]
		}
		s.off = off
		sym := s.p.symbols.lookup(text[start:off], h)
		t.kind, t.text, t.sym = kIdent, sym.name, sym
		if class[c] == clQuote && sym == s.p.symbols.wide {
			t.sym = nil
			s.literal(t, start, off)
		}
	case clDigit:
		s.number(t, off)
	case clDot:
		if class[text[off+1]] == clDigit {
			s.number(t, off)
			return
		}
		s.punct(t, off)
	case clQuote:
		s.literal(t, off, off)
	case clPunct, clSlash:
		s.punct(t, off)
	case clLParen:
		s.off = off + 1
		t.kind, t.text = kLParen, "("
	case clRParen:
		s.off = off + 1
		t.kind, t.text = kRParen, ")"
	case clComma:
		s.off = off + 1
		t.kind, t.text = kComma, ","
	default:
		_, n := utf8.DecodeRuneInString(text[off:])
		if c == '\\' && (text[off+1] == 'u' || text[off+1] == 'U') {
			digits := 4
			if text[off+1] == 'U' {
				digits = 8
			}
			for n = 2; n < 2+digits && digitOf(text[off+n]) < 16; n++ {
			}
		}
		s.off = off + n
		t.kind, t.text = kStray, text[off:off+n]
	}
}

// comment skips a comment at off, if there is one. An unterminated comment skips the rest
// of the file.
func (s *scanner) comment() bool {
	text := s.text
	switch text[s.off+1] { // a slash is never the last byte: text ends with a newline
	case '/':
		s.off += strings.IndexByte(text[s.off:], '\n')
		return true
	case '*':
	default:
		return false
	}
	n := strings.Index(text[s.off+2:], "*/")
	if n < 0 {
		if !s.open {
			s.open = true
			s.p.cut = true
			s.p.errorAt(s.here(), nil, "unterminated comment")
		}
		s.off = len(text) - 1
		return true
	}
	end := s.off + 2 + n + 2
	for i := s.off; ; i++ {
		n := strings.IndexByte(text[i:end], '\n')
		if n < 0 {
			break
		}
		i += n
		s.newline(i)
	}
	s.off = end
	return true
}

// number reads a pp-number (C99 §6.4.8).
func (s *scanner) number(t *tok, off int) {
	text := s.text
	end := off + 1
	for {
		c := text[end]
		if isIdent[c] || c == '.' {
			end++
			continue
		}
		if c == '+' || c == '-' {
			if e := text[end-1] | 0x20; e == 'e' || e == 'p' {
				end++
				continue
			}
		}
		break
	}
	s.off = end
	t.kind, t.text = kNumber, text[off:end]
}

// literal reads a string or character constant that begins at start and whose opening
// quote is at quote. An unterminated one extends to the end of the line.
func (s *scanner) literal(t *tok, start, quote int) {
	text := s.text
	q := text[quote]
	good, bad := kString, kBadString
	if q == '\'' {
		good, bad = kChar, kBadChar
	}
	end := quote + 1
	for {
		switch c := text[end]; {
		case c == q:
			t.kind = good
			if q == '\'' && end == quote+1 {
				t.kind = bad
			}
			t.text = text[start : end+1]
			s.off = end + 1
			return
		case c == '\n':
			for text[end-1] == '\r' {
				end--
			}
			t.kind, t.text = bad, text[start:end]
			s.off = end
			return
		case c == '\\' && text[end+1] != '\n':
			end += 2
		default:
			end++
		}
	}
}

// punct reads the longest possible punctuator.
func (s *scanner) punct(t *tok, off int) {
	rest := s.text[off:]
	for _, op := range puncts[rest[0]] {
		if len(op) > 1 && !strings.HasPrefix(rest, op) {
			continue
		}
		s.off = off + len(op)
		t.kind, t.text = kPunct, op
		switch rest[0] {
		case '#':
			t.kind = kindOf[op]
		case '<', ':', '%':
			if _, ok := digraphs[op]; ok {
				t.flags |= fDigraph
				if k, ok := kindOf[op]; ok {
					t.kind = k
				}
			}
		}
		return
	}
}

// skipLine skips to the newline at the end of the line, skipping comments and literals as
// a whole.
func (s *scanner) skipLine() {
	text := s.text
	for s.off < len(text) {
		switch c := text[s.off]; c {
		case '\n':
			return
		case '/':
			if !s.comment() {
				s.off++
			}
		case '"', '\'':
			var t tok
			s.literal(&t, s.off, s.off)
		default:
			s.off++
		}
	}
}

// headerName reads the <name> or "name" of an #include; ok is false if neither
// follows.
func (s *scanner) headerName() (name string, angled, ok bool) {
	for class[s.text[s.off]] == clSpace || s.text[s.off] == '/' && s.comment() {
		if class[s.text[s.off]] == clSpace {
			s.off++
		}
	}
	var closing byte
	switch s.text[s.off] {
	case '"':
		closing = '"'
	case '<':
		closing = '>'
	default:
		return "", false, false
	}
	line := s.text[s.off+1:]
	line = line[:strings.IndexByte(line, '\n')]
	n := strings.IndexByte(line, closing)
	if n < 0 {
		return "", false, false
	}
	s.off += n + 2
	return line[:n], closing == '>', true
}

// scanOne scans text as a single token; ok is false if it is not one.
func (p *preprocessor) scanOne(text string, t *tok) bool {
	s := scanner{p: p, text: text + "\n", line: 1, splice: math.MaxInt, dir: true, open: true}
	s.next(t)
	t.flags &= fDigraph
	return s.off == len(text) && t.kind != kNewline && t.kind != kEOF
}

// spell concatenates the text of tokens, with a space for white space.
func spell(toks []tok) string {
	var b strings.Builder
	for i := range toks {
		if i > 0 && toks[i].flags&(fSpace|fBOL) != 0 {
			b.WriteByte(' ')
		}
		b.WriteString(toks[i].text)
	}
	return b.String()
}
