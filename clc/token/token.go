// Package token defines the output of the preprocessor and input of the parser: the
// tokens of OpenCL C (ISO C99 §6.4 and OpenCL C 1.2 §6.1) with their positions.
//
// It is independent of macros and of the grammar.
package token

import "github.com/simtc/simtc/internal/diag"

// Kind classifies a token.
type Kind uint8

const (
	EOF    Kind = iota
	Ident       // identifiers and keywords; the parser distinguishes them by Text
	Int         // integer constant, suffix included: 0x1fUL, 0b101
	Float       // floating constant, suffix included: 1.5f, 0x1p-3
	Char        // 'c', quotes included
	String      // "s", quotes included; adjacent strings are not concatenated
	Punct       // an operator or punctuator, its spelling in Text
	Pragma      // a #pragma line (or _Pragma): Text is the text after "pragma"
)

// Cut is the Text of an EOF if an error made the preprocessor skip the rest of the file.
// Tokens that seem to be missing at the end may be in the skipped text.
const Cut = "cut"

// Token is one preprocessed token.
//
// Pos is the position where its text was written. For a token from a macro body, that is
// in the macro's definition, and Use is the position of the outermost macro name in the
// source; errors are reported at Use, with a note at Pos. For all other tokens Use is the
// zero Pos.
type Token struct {
	Kind Kind
	Text string
	Pos  diag.Pos
	Use  diag.Pos
	Args []Token // for a Pragma: the tokens of Text
}

// At is the position for errors about t: that of the macro use if t comes from a macro,
// otherwise that of its text.
func (t Token) At() diag.Pos {
	if t.Use.IsValid() {
		return t.Use
	}
	return t.Pos
}

// Is reports whether t is the punctuator or identifier spelled s.
func (t Token) Is(s string) bool {
	return (t.Kind == Punct || t.Kind == Ident) && t.Text == s
}

var kindNames = [...]string{"EOF", "Ident", "Int", "Float", "Char", "String", "Punct", "Pragma"}

// String returns k's name.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind?"
}
