// Package token defines what the preprocessor hands to the parser: the tokens
// of OpenCL C (ISO C99 §6.4 plus OpenCL C 1.2 §6.1) with their positions.
//
// It knows nothing of macros or grammar.
package token

import "github.com/simtc/simtc/internal/diag"

// Kind classifies a token.
type Kind uint8

const (
	EOF    Kind = iota
	Ident       // identifiers and keywords; the parser tells them apart by Text
	Int         // integer constant, suffix included: 0x1fUL, 0b101
	Float       // floating constant, suffix included: 1.5f, 0x1p-3
	Char        // 'c', quotes included
	String      // "s", quotes included; adjacent ones are not joined
	Punct       // an operator or punctuator, its spelling in Text
	Pragma      // a #pragma line (or _Pragma): Text is what follows "pragma"
)

// Cut is the Text of an EOF behind which the file goes on, but an error took the
// rest: what seems to be missing at the end may well be there.
const Cut = "cut"

// Token is one preprocessed token.
//
// Pos is where its text was written: for a token that came out of a macro
// body, that is the place in the macro's definition, and Use is the place of
// the outermost macro name in the source; errors point at Use and note Pos.
// For all other tokens Use is the zero Pos.
type Token struct {
	Kind Kind
	Text string
	Pos  diag.Pos
	Use  diag.Pos
	Args []Token // of a Pragma: the tokens of Text
}

// At is the place to report an error about t: the macro use if t came from
// one, else where it was written.
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
