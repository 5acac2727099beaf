package remarks

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// simple matches descriptions that also are source text: a variable, an element, a query of
// ids.
var simple = regexp.MustCompile(`^[\pL_$][\w.$]*(\[…\]|\(\d?\))?$`)

// quote returns the source expression that computes v, "" if the source is missing or has no
// expression at v's position. A position at a name may be that of a macro, so it is quoted
// only if v is described as a call of that function.
func (c *collector) quote(v *kernel.Value) string {
	if c.texts == nil || !v.Pos.IsValid() || v.Pos.Made || v.Pos.Col <= 0 {
		return ""
	}
	toks, at := window(c.texts, v.Pos)
	first, last, ok := expressionAt(toks, at)
	if !ok || isWord(toks[at].text) && !strings.HasPrefix(kernel.Describe(v), toks[at].text+"(") {
		return ""
	}
	var b strings.Builder
	for i, t := range toks[first : last+1] {
		if i > 0 && t.space {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// maxQuote is the limit of a quote, in characters.
const maxQuote = 60

// shortened is text, abridged to maxQuote.
func shortened(text string) string {
	if utf8.RuneCountInString(text) <= maxQuote {
		return text
	}
	return string([]rune(text)[:maxQuote-1]) + "…"
}

// lexeme is a token of the source.
type lexeme struct {
	text  string
	space bool // preceded by white space or a comment
}

var lexemes = regexp.MustCompile(`^(?:[\pL_$][\w$]*|\.?\d(?:[eEpP][+-]|[\w.])*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^=!<>]=|&&|\|\||.)`)

// around is the number of lines before and after a position that are searched.
const around = 3

// window splits the lines around p into tokens; at is the index of the token at p, -1 if no
// token begins there.
func window(texts *diag.Texts, p diag.Pos) (toks []lexeme, at int) {
	at = -1
	space, comment := true, false
	for d := -around; d <= around; d++ {
		q := p
		if q.Line += d; q.Line < 1 {
			continue
		}
		line, ok := texts.Line(q)
		if !ok {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(line), "#") { // no expression crosses a directive
			toks = append(toks, lexeme{";", true})
			continue
		}
		for col := 0; col < len(line); {
			rest := line[col:]
			switch {
			case comment:
				end := strings.Index(rest, "*/")
				if end < 0 {
					col = len(line)
					continue
				}
				comment = false
				col += end + 2
			case strings.HasPrefix(rest, "//"):
				col = len(line)
			case strings.HasPrefix(rest, "/*"):
				comment = true
				col += 2
			case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\\':
				col++
			default:
				text := lexemes.FindString(rest)
				if d == 0 && col == p.Col-1 {
					at = len(toks)
				}
				toks = append(toks, lexeme{text, space})
				col += len(text)
				space = false
				continue
			}
			space = true
		}
		space = true
	}
	return toks, at
}

// precedence ranks the binary operators of C; assignments and ?: come last.
var precedence = map[string]int{
	"*": 11, "/": 11, "%": 11, "+": 10, "-": 10, "<<": 9, ">>": 9, "<": 8, ">": 8, "<=": 8, ">=": 8,
	"==": 7, "!=": 7, "&": 6, "^": 5, "|": 4, "&&": 3, "||": 2, "?": 1,
	"+=": 0, "-=": 0, "*=": 0, "/=": 0, "%=": 0, "&=": 0, "|=": 0, "^=": 0, "<<=": 0, ">>=": 0, "=": 0,
}

// notOperands are keywords that cannot end an operand.
var notOperands = map[string]bool{"return": true, "case": true, "else": true, "do": true, "if": true, "while": true, "for": true, "switch": true, "goto": true, "sizeof": true}

func isWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
}

// endsOperand reports whether an operator after s is binary.
func endsOperand(s string) bool {
	return s == ")" || s == "]" || s == "++" || s == "--" || !notOperands[s] && (isWord(s) || s[0] == '"' || s[0] == '\'' || s[0] >= '0' && s[0] <= '9' || len(s) > 1 && s[0] == '.')
}

// expressionAt finds the expression whose operator, or first token, is toks[at].
func expressionAt(toks []lexeme, at int) (first, last int, ok bool) {
	if at < 0 || at >= len(toks) {
		return 0, 0, false
	}
	s := toks[at].text
	binary := at > 0 && endsOperand(toks[at-1].text)
	switch p, isOp := precedence[s]; {
	case s == "=":
		return 0, 0, false
	case isOp && binary:
		first, ok = leftOf(toks, at, p)
		if !ok {
			return 0, 0, false
		}
		last, ok = rightOf(toks, at, p)
		return first, last, ok
	case binary && (s == "++" || s == "--"):
		first, ok = leftOf(toks, at, 12)
		return first, at, ok
	case binary && (s == "[" || s == "(" || s == "." || s == "->"):
		if first, ok = leftOf(toks, at, 12); !ok {
			return 0, 0, false
		}
		last, ok = rightOf(toks, first-1, 12)
		return first, last, ok && last >= at
	case notOperands[s], s == ")", s == "]", s == "{", s == "}", s == ";", s == ",", s == ":":
		return 0, 0, false
	}
	last, ok = rightOf(toks, at-1, 12)
	return at, last, ok && last >= at
}

// leftOf finds the first token of the left operand of an operator of precedence p at toks[at];
// p = 12 binds tighter than all binary operators, and excludes unary ones.
func leftOf(toks []lexeme, at, p int) (first int, ok bool) {
	depth := 0
	for i := at - 1; i >= 0; i-- {
		switch s := toks[i].text; s {
		case ")", "]":
			depth++
		case "(", "[":
			if depth == 0 {
				return i + 1, i+1 < at
			}
			depth--
		case ",", ";", "{", "}", ":":
			if depth == 0 {
				return i + 1, i+1 < at
			}
		default:
			if depth > 0 {
				continue
			}
			q, isOp := precedence[s]
			unary := i == 0 || !endsOperand(toks[i-1].text)
			switch {
			case notOperands[s] && s != "sizeof", p == 12 && (s == "!" || s == "~" || isOp), isOp && !unary && q < p, isOp && q == 0:
				return i + 1, i+1 < at
			}
		}
		// Two adjacent operands are a type and a name, or a cast: the operand begins here.
		if depth == 0 && i > 0 && isWord(toks[i].text) && isWord(toks[i-1].text) {
			return i, true
		}
		if depth == 0 && p == 12 && i > 0 && toks[i-1].text == ")" && (isWord(toks[i].text) || toks[i].text == "(") {
			return i, true // after a cast or the head of a statement
		}
	}
	return 0, false
}

// rightOf finds the last token of the right operand of an operator of precedence p at toks[at].
func rightOf(toks []lexeme, at, p int) (last int, ok bool) {
	depth, arms := 0, 0
	for i := at + 1; i < len(toks); i++ {
		end := false
		switch s := toks[i].text; s {
		case "(", "[":
			depth++
		case ")", "]":
			end = depth == 0
			depth--
		case ",", ";", "{", "}":
			end = depth == 0 || s == ";"
		case "?":
			if end = depth == 0 && p > 1; depth == 0 {
				arms++
			}
		case ":":
			if depth == 0 {
				if p <= 1 && (toks[at].text == "?" || arms > 0) && arms >= 0 {
					arms--
				} else {
					end = true
				}
			}
		default:
			q, isOp := precedence[s]
			end = depth == 0 && isOp && endsOperand(toks[i-1].text) && i > at+1 && q <= p
		}
		if end {
			return i - 1, i-1 > at
		}
	}
	return 0, false
}
