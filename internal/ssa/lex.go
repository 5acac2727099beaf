package ssa

import (
	"strconv"
	"strings"

	"github.com/simtc/simtc/internal/diag"
)

type tokenKind uint8

const (
	endOfFile tokenKind = iota
	word
	quoted
	punctuation // or a line end, "\n"
)

// token is a part of the text; text is "" at its end.
type token struct {
	kind tokenKind
	text string
	pos  diag.Pos
}

func (t token) String() string {
	if t.kind == endOfFile {
		return "the end of the file"
	}
	return strconv.Quote(t.text)
}

// Lexer splits a text form into tokens, of which it holds one, and records the first error. A comment
// extends from ";" to the end of the line.
type Lexer struct {
	file, text    string
	at, line, bol int
	tok           token
	err           error
}

func newLexer(file, text string) Lexer {
	l := Lexer{file: file, text: text, line: 1}
	l.next()
	return l
}

func wordByte(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c == '+' || c == '%' || c == '$' ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (l *Lexer) next() {
	if l.err != nil {
		return
	}
	for l.at < len(l.text) && strings.IndexByte(" \t\r;", l.text[l.at]) >= 0 {
		if l.text[l.at] != ';' {
			l.at++
		} else if n := strings.IndexByte(l.text[l.at:], '\n'); n >= 0 {
			l.at += n
		} else {
			l.at = len(l.text)
		}
	}
	l.tok = token{pos: diag.Pos{File: l.file, Line: l.line, Col: l.at - l.bol + 1}}
	if l.at >= len(l.text) {
		return
	}
	start, c := l.at, l.text[l.at]
	switch {
	case c == '"':
		q, err := strconv.QuotedPrefix(l.text[l.at:])
		if err != nil {
			l.Failf("unterminated string")
			return
		}
		l.at += len(q)
		l.tok.kind = quoted
		l.tok.text, _ = strconv.Unquote(q)
		return
	case c == '\n':
		l.tok.kind = punctuation
		l.at++
		l.line++
		l.bol = l.at
	case wordByte(c):
		l.tok.kind = word
		for l.at < len(l.text) && wordByte(l.text[l.at]) {
			l.at++
		}
	case strings.IndexByte("(){}:,=", c) >= 0:
		l.tok.kind = punctuation
		l.at++
	default:
		l.Failf("stray character %q", c)
		return
	}
	l.tok.text = l.text[start:l.at]
}

// Err returns the first error.
func (l *Lexer) Err() error { return l.err }

// Failf records an error at the token.
func (l *Lexer) Failf(format string, args ...any) { l.FailAt(l.tok.pos, format, args...) }

// FailAt records an error, after which the text is at its end.
func (l *Lexer) FailAt(pos diag.Pos, format string, args ...any) {
	if l.err == nil {
		l.err = diag.Errorf(pos, format, args...)
		l.tok = token{pos: pos}
	}
}

// Pos returns the position of the token.
func (l *Lexer) Pos() diag.Pos { return l.tok.pos }

// Found describes the token for an error message.
func (l *Lexer) Found() string { return l.tok.String() }

// AtEnd reports whether there are no more tokens.
func (l *Lexer) AtEnd() bool { return l.tok.kind == endOfFile }

// AtWord reports whether the token is a word.
func (l *Lexer) AtWord() bool { return l.tok.kind == word }

// AtString reports whether the token is a string.
func (l *Lexer) AtString() bool { return l.tok.kind == quoted }

// At reports whether the token is the word or punctuation mark s.
func (l *Lexer) At(s string) bool {
	return l.tok.text == s && (l.tok.kind == word || l.tok.kind == punctuation)
}

// Accept skips the word or punctuation mark s if it is the token.
func (l *Lexer) Accept(s string) bool {
	if !l.At(s) {
		return false
	}
	l.next()
	return true
}

// Expect skips s.
func (l *Lexer) Expect(s string) {
	if !l.Accept(s) {
		l.Failf("expected %q, found %s", s, l.tok)
	}
}

func (l *Lexer) take(kind tokenKind, what string) string {
	if l.tok.kind != kind {
		l.Failf("expected %s, found %s", what, l.tok)
		return ""
	}
	s := l.tok.text
	l.next()
	return s
}

// Word returns a word; what describes it in errors.
func (l *Lexer) Word(what string) string { return l.take(word, what) }

// Quoted returns the contents of a string.
func (l *Lexer) Quoted() string { return l.take(quoted, "a string") }

// Number returns a number, with base and bits as for strconv.ParseInt.
func (l *Lexer) Number(what string, base, bits int) int64 {
	pos := l.tok.pos
	s := l.Word(what)
	n, err := strconv.ParseInt(s, base, bits)
	if err != nil {
		l.FailAt(pos, "%s: %q is not a number", what, s)
	}
	return n
}
