package parse_test

import (
	"regexp"
	"strings"

	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/internal/diag"
)

// lexeme recognizes one token of text without macros.
var lexeme = regexp.MustCompile(`^(?:(\s+|//[^\n]*|/\*(?s:.*?)\*/)|(#[ \t]*pragma[^\n]*)|([A-Za-z_$][A-Za-z0-9_$]*)|` +
	`(\.?[0-9](?:[eEpP][+-]|[A-Za-z0-9_.])*)|("(?:[^"\\\n]|\\.)*")|('(?:[^'\\\n]|\\.)*')|` +
	`(\.\.\.|<<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|(?s:.)))`)

// scan splits text into tokens; it stands in for the preprocessor.
func scan(file, text string) []token.Token {
	var toks []token.Token
	pos := diag.Pos{File: file, Line: 1, Col: 1}
	for len(text) > 0 {
		m := lexeme.FindStringSubmatch(text)
		kinds := []token.Kind{0, 0, token.Pragma, token.Ident, token.Int, token.String, token.Char, token.Punct}
		for i := 2; i < len(m); i++ {
			if m[i] == "" {
				continue
			}
			t := token.Token{Kind: kinds[i], Text: m[i], Pos: pos}
			switch {
			case t.Kind == token.Pragma:
				t.Text = strings.TrimSpace(t.Text[strings.Index(t.Text, "pragma")+6:])
			case t.Kind == token.Int:
				hex := strings.HasPrefix(strings.ToLower(t.Text), "0x")
				if strings.Contains(t.Text, ".") || hex && strings.ContainsAny(t.Text, "pP") || !hex && strings.ContainsAny(t.Text, "eEfFhH") {
					t.Kind = token.Float
				}
			}
			toks = append(toks, t)
		}
		for i := 0; i < len(m[0]); i++ {
			pos.Col++
			if m[0][i] == '\n' {
				pos.Line++
				pos.Col = 1
			}
		}
		text = text[len(m[0]):]
	}
	return append(toks, token.Token{Kind: token.EOF, Pos: pos})
}
