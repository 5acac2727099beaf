package preprocess

import "math"

// value is a 64-bit integer of type intmax_t or, if unsigned, uintmax_t (C99 §6.10.1
// paragraph 4).
type value struct {
	bits     uint64
	unsigned bool
}

func boolean(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

// condition evaluates the expression of the #if or #elif at and reports whether it is
// nonzero. After an error it returns false.
func (p *preprocessor) condition(at *tok) bool {
	before := p.errs.Len()
	e := ifExpr{p: p, at: at, toks: p.expandCondition(p.readLine())}
	defer p.release(e.toks)
	if p.errs.Len() > before { // an error in the expansion makes the result meaningless
		return false
	}
	if len(e.toks) == 0 {
		p.errorf(at, "#%s without an expression", at.text)
		return false
	}
	v := e.comma(true)
	if !e.failed && e.i < len(e.toks) {
		e.fail(&e.toks[e.i], "unexpected '%s' after the expression", e.toks[e.i].text)
	}
	return !e.failed && v.bits != 0
}

// expandCondition expands the macros of an expression, except operands of defined, even
// if defined itself comes from a macro.
func (p *preprocessor) expandCondition(line []tok) []tok {
	out := p.buffer()
	st := stream{frames: []frame{{toks: line}}}
	var t tok
	for {
		p.expanded(&st, &t)
		if t.kind == kEOF {
			return out
		}
		out = append(out, t)
		if t.kind != kIdent || t.sym != p.symbols.defined {
			continue
		}
		p.pull(&st, &t)
		if t.kind == kLParen {
			out = append(out, t)
			p.pull(&st, &t)
		}
		if t.kind == kEOF {
			return out
		}
		out = append(out, t)
	}
}

// ifExpr evaluates a constant expression. In its methods, eval is false for operands that
// C does not evaluate, such as the right operand of 0 &&, where a division by zero is not
// an error.
type ifExpr struct {
	p      *preprocessor
	at     *tok // the directive
	toks   []tok
	i      int
	depth  int
	failed bool
}

// fail reports an error if it is the first.
func (e *ifExpr) fail(t *tok, format string, args ...any) value {
	if !e.failed {
		e.failed = true
		e.p.errorf(t, format, args...)
	}
	return value{}
}

// op returns the next token if it is an operator, otherwise "".
func (e *ifExpr) op() string {
	if e.failed || e.i >= len(e.toks) {
		return ""
	}
	t := &e.toks[e.i]
	switch t.kind {
	case kPunct, kComma, kLParen, kRParen:
		return t.text
	}
	return ""
}

func (e *ifExpr) enter() bool {
	e.depth++
	if e.depth > maxNesting {
		e.fail(e.at, "the expression is nested more than %d deep", maxNesting)
	}
	return !e.failed
}

func (e *ifExpr) comma(eval bool) value {
	v := e.conditional(eval)
	for e.op() == "," {
		e.i++
		v = e.conditional(eval)
	}
	return v
}

func (e *ifExpr) conditional(eval bool) value {
	if !e.enter() {
		return value{}
	}
	defer func() { e.depth-- }()
	c := e.binary(eval, 1)
	if e.op() != "?" {
		return c
	}
	question := &e.toks[e.i]
	e.i++
	yes := e.comma(eval && c.bits != 0)
	if e.op() != ":" {
		return e.fail(question, "'?' without ':'")
	}
	e.i++
	no := e.conditional(eval && c.bits == 0)
	v := no
	if c.bits != 0 {
		v = yes
	}
	v.unsigned = yes.unsigned || no.unsigned
	return v
}

// precedence of the binary operators, starting at ||.
var precedence = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// binary parses operators of at least the given precedence.
func (e *ifExpr) binary(eval bool, least int) value {
	x := e.unary(eval)
	for {
		op := e.op()
		prec := precedence[op]
		if prec < least || prec == 0 {
			return x
		}
		t := &e.toks[e.i]
		e.i++
		evalRight := eval
		switch op {
		case "&&":
			evalRight = eval && x.bits != 0
		case "||":
			evalRight = eval && x.bits == 0
		}
		y := e.binary(evalRight, prec+1)
		if e.failed {
			return value{}
		}
		x = e.apply(t, op, x, y, eval)
	}
}

// apply computes x op y in the common type; signed overflow wraps.
func (e *ifExpr) apply(t *tok, op string, x, y value, eval bool) value {
	u := x.unsigned || y.unsigned
	a, b := x.bits, y.bits
	less := func(a, b uint64) bool {
		if u {
			return a < b
		}
		return int64(a) < int64(b)
	}
	switch op {
	case "||":
		return boolean(a != 0 || b != 0)
	case "&&":
		return boolean(a != 0 && b != 0)
	case "==":
		return boolean(a == b)
	case "!=":
		return boolean(a != b)
	case "<":
		return boolean(less(a, b))
	case ">":
		return boolean(less(b, a))
	case "<=":
		return boolean(!less(b, a))
	case ">=":
		return boolean(!less(a, b))
	case "<<", ">>":
		return shift(x, y, op == "<<")
	}
	v := value{unsigned: u}
	switch op {
	case "|":
		v.bits = a | b
	case "^":
		v.bits = a ^ b
	case "&":
		v.bits = a & b
	case "+":
		v.bits = a + b
	case "-":
		v.bits = a - b
	case "*":
		v.bits = a * b
	case "/", "%":
		if b == 0 {
			if eval {
				return e.fail(t, "division by zero in #%s", e.at.text)
			}
			return v
		}
		switch {
		case u && op == "/":
			v.bits = a / b
		case u:
			v.bits = a % b
		case op == "/":
			v.bits = uint64(int64(a) / int64(b)) // Go defines MinInt64 / -1 to wrap
		default:
			v.bits = uint64(int64(a) % int64(b))
		}
	}
	return v
}

// shift shifts x, whose type is the result's. A negative count shifts in the opposite
// direction; a count above 63 shifts all bits out.
func shift(x, y value, left bool) value {
	n := y.bits
	if !y.unsigned && int64(n) < 0 {
		left, n = !left, -n
	}
	switch {
	case left:
		x.bits <<= n
	case x.unsigned:
		x.bits >>= n
	default:
		x.bits = uint64(int64(x.bits) >> n)
	}
	return x
}

func (e *ifExpr) unary(eval bool) value {
	op := e.op()
	switch op {
	case "+", "-", "~", "!":
	default:
		return e.primary(eval)
	}
	if !e.enter() {
		return value{}
	}
	defer func() { e.depth-- }()
	e.i++
	v := e.unary(eval)
	switch op {
	case "-":
		v.bits = -v.bits
	case "~":
		v.bits = ^v.bits
	case "!":
		return boolean(v.bits == 0)
	}
	return v
}

func (e *ifExpr) primary(eval bool) value {
	if e.failed {
		return value{}
	}
	if e.i >= len(e.toks) {
		return e.fail(e.at, "the expression of #%s is incomplete", e.at.text)
	}
	t := &e.toks[e.i]
	e.i++
	switch t.kind {
	case kNumber:
		return e.number(t)
	case kChar:
		return e.char(t)
	case kIdent:
		if t.sym == e.p.symbols.defined {
			return e.defined(t)
		}
		if e.op() == "(" {
			return e.fail(t, "function-like macro '%s' is not defined", t.text)
		}
		// OpenCL C 1.2 §6.1.1: true is 1; other names are 0 (C99 §6.10.1 paragraph 4).
		return boolean(t.sym == e.p.symbols.yes)
	case kLParen:
		v := e.comma(eval)
		if e.failed {
			return value{}
		}
		if e.op() != ")" {
			return e.fail(t, "'(' without ')' in #%s", e.at.text)
		}
		e.i++
		return v
	case kBadChar, kBadString, kStray:
		e.failed = true
		e.p.badToken(t)
		return value{}
	}
	return e.fail(t, "unexpected '%s' in the expression of #%s", t.text, e.at.text)
}

// defined evaluates "defined NAME" and "defined(NAME)".
func (e *ifExpr) defined(at *tok) value {
	paren := e.op() == "("
	if paren {
		e.i++
	}
	if e.i >= len(e.toks) || e.toks[e.i].kind != kIdent {
		return e.fail(at, "'defined' needs a macro name")
	}
	v := boolean(e.toks[e.i].sym.macro != nil)
	e.i++
	if paren {
		if e.op() != ")" {
			return e.fail(at, "missing ')' after 'defined'")
		}
		e.i++
	}
	return v
}

// number evaluates an integer constant (C99 §6.4.4.1, and 0b). A value that does not fit
// in intmax_t is unsigned.
func (e *ifExpr) number(t *tok) value {
	s := t.text
	base, digits := uint64(10), s
	if len(s) > 1 && s[0] == '0' {
		switch s[1] {
		case 'x', 'X':
			base, digits = 16, s[2:]
		case 'b', 'B':
			base, digits = 2, s[2:]
		default:
			base, digits = 8, s[1:]
		}
	}
	var v value
	i := 0
	for ; i < len(digits); i++ {
		d := digitOf(digits[i])
		if d >= base {
			break
		}
		if v.bits > (math.MaxUint64-d)/base {
			return e.fail(t, "integer constant %s does not fit in 64 bits", s)
		}
		v.bits = v.bits*base + d
	}
	unsigned, ok := integerSuffix(digits[i:])
	switch {
	case isFloat(s):
		return e.fail(t, "floating constant %s in #%s", s, e.at.text)
	case !ok || i == 0 && base != 8:
		return e.fail(t, "'%s' is not an integer constant", s)
	}
	v.unsigned = unsigned || v.bits > math.MaxInt64
	return v
}

// digitOf returns the value of a digit, or 99.
func digitOf(c byte) uint64 {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0')
	case c >= 'a' && c <= 'f':
		return uint64(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return uint64(c-'A') + 10
	}
	return 99
}

func integerSuffix(s string) (unsigned, ok bool) {
	switch s {
	case "", "l", "L", "ll", "LL":
		return false, true
	case "u", "U", "ul", "uL", "Ul", "UL", "ull", "uLL", "Ull", "ULL",
		"lu", "lU", "Lu", "LU", "llu", "llU", "LLu", "LLU":
		return true, true
	}
	return false, false
}

// char evaluates a character constant: an int converted from char, which is signed. Of
// several characters the last four count, the first of them the most significant.
func (e *ifExpr) char(t *tok) value {
	s := t.text
	if s[0] != '\'' {
		s = s[1:] // the prefix L
	}
	s = s[1 : len(s)-1]
	var bits uint32
	n := 0
	for len(s) > 0 {
		c, rest, ok := charOf(s)
		if !ok {
			return e.fail(t, "the escape sequence in %s is not a character", t.text)
		}
		s = rest
		bits = bits<<8 | uint32(c)
		n++
	}
	v := int64(int32(bits))
	if n == 1 {
		v = int64(int8(bits))
	}
	return value{bits: uint64(v)}
}

var simpleEscapes = map[byte]byte{'a': 7, 'b': 8, 'f': 12, 'n': 10, 'r': 13, 't': 9, 'v': 11, 'e': 27}

// charOf reads one character or escape sequence (C99 §6.4.4.4). A backslash before any
// other character is ignored.
func charOf(s string) (c byte, rest string, ok bool) {
	if s[0] != '\\' || len(s) == 1 {
		return s[0], s[1:], true
	}
	s = s[1:]
	if v, ok := simpleEscapes[s[0]]; ok {
		return v, s[1:], true
	}
	v, i := uint64(0), 0
	switch {
	case s[0] == 'x':
		for i = 1; i < len(s) && digitOf(s[i]) < 16; i++ {
			v = v<<4 | digitOf(s[i])
			if v > 255 {
				return 0, "", false
			}
		}
		if i == 1 {
			return 0, "", false
		}
	case digitOf(s[0]) < 8:
		for ; i < len(s) && i < 3 && digitOf(s[i]) < 8; i++ {
			v = v<<3 | digitOf(s[i])
		}
	default:
		return s[0], s[1:], true
	}
	return byte(v), s[i:], v <= 255
}
