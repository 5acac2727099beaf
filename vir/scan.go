package vir

import (
	"strings"

	"github.com/simtc/simtc/internal/diag"
)

// token is a word, a punctuation mark, a line end ("\n"), or "" at the end of the text.
type token struct {
	text string
	pos  diag.Pos
}

// scanner splits the text form into tokens; a comment extends from ";" to the end of the
// line.
type scanner struct {
	file, text    string
	at, line, bol int
}

func wordByte(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c == '+' || c == '%' || c == '$' ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (s *scanner) next() (token, *diag.Error) {
	for s.at < len(s.text) {
		c := s.text[s.at]
		if c == ';' {
			if n := strings.IndexByte(s.text[s.at:], '\n'); n >= 0 {
				s.at += n
			} else {
				s.at = len(s.text)
			}
			continue
		}
		if c != ' ' && c != '\t' && c != '\r' {
			break
		}
		s.at++
	}
	pos := diag.Pos{File: s.file, Line: s.line, Col: s.at - s.bol + 1}
	if s.at >= len(s.text) {
		return token{"", pos}, nil
	}
	start := s.at
	c := s.text[s.at]
	switch {
	case c == '\n':
		s.at++
		s.line++
		s.bol = s.at
	case wordByte(c):
		for s.at < len(s.text) && wordByte(s.text[s.at]) {
			s.at++
		}
	case strings.IndexByte("(){}:,=", c) >= 0:
		s.at++
	default:
		return token{"", pos}, diag.Errorf(pos, "stray character %q", c)
	}
	return token{s.text[start:s.at], pos}, nil
}
