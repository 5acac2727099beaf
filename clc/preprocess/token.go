package preprocess

// kind classifies a preprocessing token (C99 §6.4). The punctuators used by directives
// and macro calls have kinds of their own.
type kind uint8

const (
	kEOF     kind = iota
	kNewline      // the end of a directive's line
	kIdent
	kNumber
	kChar
	kString
	kPunct // any other punctuator
	kLParen
	kRParen
	kComma
	kHash
	kHashHash
	kBadChar   // '' or an unterminated character constant
	kBadString // an unterminated string
	kStray     // a character that is part of no token
	kPragma    // a #pragma: only between the directive and emit
)

// Flags of a tok.
const (
	fSpace   = 1 << iota // preceded by white space
	fBOL                 // the first token of its line
	fDigraph             // spelled as a digraph
)

// tok is a preprocessing token.
type tok struct {
	text string  // as spelled, without line splices
	sym  *symbol // of an identifier
	loc
	hide  uint32 // its hide set
	use   uint32 // index into uses, 0 for a token that does not come from a macro
	kind  kind
	flags uint8
}

// digraphs maps the alternative spellings of C99 §6.4.6 to the primary ones.
var digraphs = map[string]string{
	"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#", "%:%:": "##",
}

// isFloat reports whether a preprocessing number has the form of a floating
// constant (C99 §6.4.4.2).
func isFloat(s string) bool {
	if len(s) > 1 && s[0] == '0' {
		switch s[1] {
		case 'x', 'X':
			return containsAny(s, ".pP")
		case 'b', 'B':
			return false
		}
	}
	return containsAny(s, ".eE")
}

func containsAny(s, set string) bool {
	for i := 0; i < len(s); i++ {
		for j := 0; j < len(set); j++ {
			if s[i] == set[j] {
				return true
			}
		}
	}
	return false
}
