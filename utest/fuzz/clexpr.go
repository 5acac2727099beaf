package fuzz

import (
	"fmt"
	"strings"
)

// ctype is a scalar type of OpenCL C, or a vector of n of them.
type ctype struct {
	base int // index in bases
	n    int // components, 1 for a scalar
}

type base struct {
	name   string
	bits   int
	signed bool
	float  bool
}

var bases = []base{
	{"char", 8, true, false}, {"uchar", 8, false, false}, {"short", 16, true, false}, {"ushort", 16, false, false},
	{"int", 32, true, false}, {"uint", 32, false, false}, {"long", 64, true, false}, {"ulong", 64, false, false},
	{"float", 32, true, true}, {"double", 64, true, true},
}

const (
	cInt   = 4
	cUint  = 5
	cUlong = 7
	cFloat = 8
)

func (t ctype) String() string {
	if t.n == 1 {
		return bases[t.base].name
	}
	return fmt.Sprintf("%s%d", bases[t.base].name, t.n)
}

func (t ctype) info() base { return bases[t.base] }

func scalar(b int) ctype { return ctype{b, 1} }

// unsigned is the unsigned type of an integer type's size.
func (t ctype) unsigned() ctype {
	if t.info().float || !t.info().signed {
		return t
	}
	return ctype{t.base + 1, t.n}
}

// usual is the type of an arithmetic operation on a and b (C99 6.3.1.8).
func usual(a, b ctype) ctype {
	m := max(a.base, b.base, cInt)
	return scalar(m)
}

// scalarType chooses a scalar type; int and float are most frequent.
func (p *cprogram) scalarType() ctype {
	if p.chance(45) {
		return scalar(cInt)
	}
	return scalar(p.rng.Intn(len(bases)))
}

func (p *cprogram) intType() ctype { return scalar(p.rng.Intn(8)) }

// literal is a constant of type t.
func (p *cprogram) literal(t ctype) string {
	if t.info().float {
		s := fmt.Sprintf("%d.%d", p.rng.Intn(20), p.rng.Intn(100))
		if p.chance(10) {
			s = []string{"0.0", "1e30", "1e-30", "16777217.0", "0x1p-10"}[p.rng.Intn(5)]
		}
		if t.base == cFloat {
			s += "f"
		}
		if p.chance(30) {
			return "(-" + s + ")"
		}
		return s
	}
	x := uint64(p.rng.Intn(17))
	if p.chance(25) {
		x = p.rng.Uint64() >> p.rng.Intn(64)
	}
	info := t.info()
	x &= 1<<(info.bits-1)<<1 - 1
	if info.signed {
		x &= 1<<(info.bits-1) - 1
	}
	s := fmt.Sprint(x)
	switch {
	case info.bits == 64 && info.signed:
		s += "L"
	case info.bits == 64:
		s += "UL"
	case info.bits == 32 && !info.signed:
		s += "u"
	case info.bits < 32:
		s = "(" + info.name + ")" + s
	}
	if info.signed && p.chance(25) {
		return "(" + info.name + ")(-" + s + ")"
	}
	return s
}

// cast makes e, of type from, one of type to, both scalars.
func (p *cprogram) cast(to, from ctype, e string) string {
	if to == from {
		return e
	}
	if from.info().float && !to.info().float {
		if p.opt.Strict || p.chance(50) { // a plain cast out of range is undefined in C
			return fmt.Sprintf("convert_%s_sat%s(%s)", to, []string{"", "_rtz", "_rte"}[p.rng.Intn(3)], e)
		}
	}
	if p.chance(15) {
		return fmt.Sprintf("convert_%s(%s)", to, e)
	}
	return fmt.Sprintf("(%s)(%s)", to, e)
}

// expr is an expression of scalar type t without side effects.
func (p *cprogram) expr(t ctype, depth int) string {
	if depth <= 0 || p.chance(15) {
		return p.leaf(t)
	}
	switch k := p.rng.Intn(20); {
	case k < 9:
		return p.binary(t, depth)
	case k < 11:
		return p.unary(t, depth)
	case k < 13:
		return fmt.Sprintf("(%s ? %s : %s)", p.condition(depth-1), p.expr(t, depth-1), p.expr(t, depth-1))
	case k < 15:
		return p.builtin(t, depth)
	case k < 16:
		from := p.scalarType()
		return "(" + p.cast(t, from, p.expr(from, depth-1)) + ")"
	case k < 17:
		return "(" + p.cast(t, scalar(cInt), p.condition(depth)) + ")"
	case k < 18:
		return p.component(t, depth)
	case k < 19 && len(p.helpers) > 0 && p.inKernel:
		return p.call(t, depth)
	}
	return p.leaf(t)
}

// binary is an arithmetic operation in a type that follows from its operands,
// converted to t.
func (p *cprogram) binary(t ctype, depth int) string {
	a, b := t, t
	if p.chance(25) {
		a = p.scalarType()
	}
	if p.chance(25) {
		b = p.scalarType()
	}
	res := usual(a, b)
	x, y := p.expr(a, depth-1), p.expr(b, depth-1)
	op := []string{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}[p.rng.Intn(10)]
	if res.info().float {
		if op = []string{"+", "-", "*", "/"}[p.rng.Intn(4)]; t.info().float || p.opt.Strict {
			return "(" + p.cast(t, res, fmt.Sprintf("%s %s %s", x, op, y)) + ")"
		}
		return "(" + p.cast(t, res, fmt.Sprintf("(%s %s %s)", x, op, y)) + ")"
	}
	switch op {
	case "<<", ">>":
		// The result has the promoted type of the left operand.
		return "(" + p.cast(t, usual(a, a), fmt.Sprintf("(%s %s %s)", x, op, p.expr(p.intType(), depth-1))) + ")"
	case "/", "%":
		if p.opt.Strict || p.chance(70) {
			y = fmt.Sprintf("((%s & 15) + 1)", p.expr(b, depth-1))
		}
	case "+", "-", "*":
		if u := res.unsigned(); p.opt.Strict && u != res { // signed overflow is undefined in C
			return fmt.Sprintf("((%s)((%s)%s %s (%s)%s))", t, u, x, op, u, y)
		}
	}
	return "(" + p.cast(t, res, fmt.Sprintf("(%s %s %s)", x, op, y)) + ")"
}

func (p *cprogram) unary(t ctype, depth int) string {
	x := p.expr(t, depth-1)
	if t.info().float {
		return fmt.Sprintf("(-%s)", x)
	}
	switch p.rng.Intn(3) {
	case 0:
		return fmt.Sprintf("((%s)~%s)", t, x)
	case 1:
		if p.opt.Strict {
			return fmt.Sprintf("((%s)(0u - (%s)%s))", t, usual(t, t).unsigned(), x)
		}
		return fmt.Sprintf("((%s)-%s)", t, x)
	}
	return fmt.Sprintf("((%s)!%s)", t, x)
}

// builtin is a call of a built-in function with an exact result on all devices.
func (p *cprogram) builtin(t ctype, depth int) string {
	// Small integers are promoted to int: convert back to t.
	e := func() string { return fmt.Sprintf("(%s)%s", t, p.expr(t, depth-1)) }
	if t.info().float {
		switch p.rng.Intn(8) {
		case 0:
			return fmt.Sprintf("fabs(%s)", e())
		case 1:
			return fmt.Sprintf("%s(%s)", []string{"floor", "ceil", "trunc", "rint"}[p.rng.Intn(4)], e())
		case 2:
			return fmt.Sprintf("fma(%s, %s, %s)", e(), e(), e())
		case 3:
			if !p.opt.Strict { // the sign of zero is left open, and sqrt may be off by some ulp
				return fmt.Sprintf("%s(%s, %s)", []string{"fmin", "fmax"}[p.rng.Intn(2)], e(), e())
			}
		case 4:
			if !p.opt.Strict {
				return fmt.Sprintf("sqrt(%s)", e())
			}
		case 5:
			return fmt.Sprintf("copysign(%s, %s)", e(), e())
		}
		if t.base == cFloat {
			return fmt.Sprintf("as_float(%s)", p.expr(scalar(cUint), depth-1))
		}
		return e()
	}
	u := t.unsigned()
	switch p.rng.Intn(10) {
	case 0:
		return fmt.Sprintf("%s(%s, %s)", []string{"min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi"}[p.rng.Intn(7)], e(), e())
	case 1:
		return fmt.Sprintf("((%s)%s(%s, %s))", t, []string{"abs_diff"}[0], e(), e())
	case 2:
		return fmt.Sprintf("((%s)abs(%s))", t, e())
	case 3:
		return fmt.Sprintf("%s(%s)", []string{"popcount", "clz"}[p.rng.Intn(2)], e())
	case 4:
		return fmt.Sprintf("rotate(%s, %s)", e(), e())
	case 5:
		return fmt.Sprintf("clamp(%s, (%s)3, (%s)100)", e(), t, t)
	case 6:
		return fmt.Sprintf("((%s)canon_%s(%s))", t, []string{"f", "d"}[p.rng.Intn(2)], p.expr(scalar(cFloat), depth-1))
	case 7:
		return fmt.Sprintf("((%s)isless(%s, %s))", t, p.expr(scalar(cFloat), depth-1), p.expr(scalar(cFloat), depth-1))
	case 8:
		return fmt.Sprintf("bitselect(%s, %s, %s)", e(), e(), e())
	}
	return fmt.Sprintf("as_%s((%s)%s)", t, u, p.expr(u, depth-1))
}

// condition is an expression of type int that is 0 or 1.
func (p *cprogram) condition(depth int) string {
	if depth > 0 {
		switch p.rng.Intn(7) {
		case 6:
			return fmt.Sprintf("__builtin_expect(%s, %d)", p.condition(depth-1), p.rng.Intn(2))
		case 0:
			return fmt.Sprintf("(%s && %s)", p.condition(depth-1), p.condition(depth-1))
		case 1:
			return fmt.Sprintf("(%s || %s)", p.condition(depth-1), p.condition(depth-1))
		case 2:
			return fmt.Sprintf("!%s", p.condition(depth-1))
		}
	}
	t := p.scalarType()
	if !t.info().float && p.chance(40) {
		return fmt.Sprintf("((%s & %d) != 0)", p.expr(t, depth-1), 1<<p.rng.Intn(3))
	}
	op := []string{"<", "<=", ">", ">=", "==", "!="}[p.rng.Intn(6)]
	return fmt.Sprintf("(%s %s %s)", p.expr(t, depth-1), op, p.expr(t, depth-1))
}

// leaf reads a variable or an element, or is a literal.
func (p *cprogram) leaf(t ctype) string {
	if p.chance(20) {
		return p.literal(t)
	}
	var fit []string
	for _, v := range p.vars {
		if v.t == t {
			fit = append(fit, v.name)
		}
	}
	if len(fit) > 0 && p.chance(75) {
		return fit[p.rng.Intn(len(fit))]
	}
	if len(p.arrays) > 0 && p.chance(40) {
		a := p.arrays[p.rng.Intn(len(p.arrays))]
		return p.cast(t, a.t, p.element(a))
	}
	if p.chance(10) {
		return p.cast(t, scalar(cInt), fmt.Sprintf("numbers[%s]", p.subscript(15)))
	}
	if p.inKernel && p.chance(50) {
		if t.info().float {
			return p.cast(t, scalar(cFloat), fmt.Sprintf("ftable[%s]", p.subscript(63)))
		}
		return p.cast(t, scalar(cInt), fmt.Sprintf("table[%s]", p.subscript(63)))
	}
	if len(p.vars) > 0 {
		v := p.vars[p.rng.Intn(len(p.vars))]
		return "(" + p.cast(t, v.t, v.name) + ")"
	}
	return p.literal(t)
}

// simple is an integer for an index.
func (p *cprogram) simple() string {
	var fit []string
	for _, v := range p.vars {
		if !v.t.info().float {
			fit = append(fit, v.name)
		}
	}
	if len(fit) == 0 || p.chance(15) {
		return fmt.Sprint(p.rng.Intn(8))
	}
	return fit[p.rng.Intn(len(fit))]
}

// element is one of an array of 8.
func (p *cprogram) element(a variable) string { return fmt.Sprintf("%s[%s]", a.name, p.subscript(7)) }

// subscript is an integer from 0 to mask, or any integer in unreachable code.
func (p *cprogram) subscript(mask int) string {
	if len(p.wild) > 0 && p.chance(50) {
		return p.wild[p.rng.Intn(len(p.wild))]
	}
	return fmt.Sprintf("%s & %d", p.simple(), mask)
}

// component is one of a vector variable's, or a reduction of it.
func (p *cprogram) component(t ctype, depth int) string {
	if len(p.vectors) == 0 {
		return p.leaf(t)
	}
	v := p.vectors[p.rng.Intn(len(p.vectors))]
	e := p.vector(v.t, depth-1)
	if p.chance(60) {
		e = v.name
	}
	if p.chance(20) && !v.t.info().float && v.t.info().signed {
		return "(" + p.cast(t, scalar(cInt), fmt.Sprintf("%s(%s)", []string{"any", "all"}[p.rng.Intn(2)], e)) + ")"
	}
	return "(" + p.cast(t, scalar(v.t.base), fmt.Sprintf("(%s).s%x", e, p.rng.Intn(v.t.n))) + ")"
}

// vector is an expression of vector type t.
func (p *cprogram) vector(t ctype, depth int) string {
	var same, other []variable
	for _, v := range p.vectors {
		switch {
		case v.t == t:
			same = append(same, v)
		case v.t.base == t.base:
			other = append(other, v)
		}
	}
	if depth <= 0 && len(same) > 0 {
		return same[p.rng.Intn(len(same))].name
	}
	s := scalar(t.base)
	switch k := p.rng.Intn(12); {
	case k < 4 && depth > 0:
		a, b := p.vector(t, depth-1), p.vector(t, depth-1)
		if p.chance(25) {
			b = fmt.Sprintf("((%s)%s)", s, p.expr(s, depth-1)) // a scalar is splatted
		}
		ops := []string{"+", "-", "*", "/"}
		if !t.info().float {
			ops = []string{"+", "-", "*", "&", "|", "^", "<<", ">>"}
		}
		op := ops[p.rng.Intn(len(ops))]
		if u := t.unsigned(); u != t && p.opt.Strict && strings.Contains("+-*", op) {
			return fmt.Sprintf("as_%s(as_%s(%s) %s as_%s((%s)%s))", t, u, a, op, u, t, b)
		}
		return fmt.Sprintf("(%s %s %s)", a, op, b)
	case k < 5 && depth > 0 && !t.info().float:
		mask := t // a comparison of same-sized signed integers
		if !t.info().signed {
			return fmt.Sprintf("as_%s(%s < %s)", t, p.vector(t, depth-1), p.vector(t, depth-1))
		}
		return fmt.Sprintf("(%s %s %s)", p.vector(mask, depth-1), []string{"<", ">", "==", "!=", "<=", ">="}[p.rng.Intn(6)], p.vector(mask, depth-1))
	case k < 6 && depth > 0:
		mask := map[int]int{8: 0, 16: 2, 32: 4, 64: 6}[t.info().bits]
		return fmt.Sprintf("select(%s, %s, %s)", p.vector(t, depth-1), p.vector(t, depth-1), p.vector(ctype{mask, t.n}, depth-1))
	case k < 7 && depth > 0:
		from := ctype{p.rng.Intn(8), t.n}
		sat := ""
		if !t.info().float && p.chance(40) {
			sat = "_sat"
		}
		return fmt.Sprintf("convert_%s%s(%s)", t, sat, p.vector(from, depth-1))
	case k < 8 && len(same) > 0 && depth > 0:
		v := same[p.rng.Intn(len(same))]
		if t.n <= 4 && p.chance(50) {
			return v.name + "." + p.letters(t.n, t.n, true)
		}
		return v.name + ".s" + p.digits(t.n, t.n, true)
	case k < 9 && p.inKernel && p.chance(40) && (t.base == cInt || t.base == cFloat):
		from := map[int]string{cInt: "table", cFloat: "ftable"}[t.base]
		last := map[int]int{2: 31, 3: 15, 4: 15, 8: 7, 16: 3}[t.n]
		return fmt.Sprintf("vload%d(%s & %d, %s)", t.n, p.simple(), last, from)
	case k < 9 && len(other) > 0:
		v := other[p.rng.Intn(len(other))]
		if v.t.n == 2*t.n && t.n != 3 {
			return v.name + []string{".lo", ".hi", ".even", ".odd"}[p.rng.Intn(4)]
		}
		return v.name + ".s" + p.digits(v.t.n, t.n, true)
	case k < 10 && len(same) > 0:
		return same[p.rng.Intn(len(same))].name
	case k < 11:
		return fmt.Sprintf("(%s)(%s)", t, p.expr(s, depth-1))
	}
	parts := make([]string, t.n)
	for i := range parts {
		parts[i] = p.leaf(s)
	}
	return fmt.Sprintf("(%s)(%s)", t, strings.Join(parts, ", "))
}

// letters and digits name k components of a vector of n; repeat allows duplicates.
func (p *cprogram) letters(n, k int, repeat bool) string { return p.swizzle("xyzw", n, k, repeat) }
func (p *cprogram) digits(n, k int, repeat bool) string {
	return p.swizzle("0123456789abcdef", n, k, repeat)
}

func (p *cprogram) swizzle(names string, n, k int, repeat bool) string {
	perm := p.rng.Perm(n)
	out := make([]byte, k)
	for i := range out {
		if repeat {
			out[i] = names[p.rng.Intn(n)]
		} else {
			out[i] = names[perm[i]]
		}
	}
	return string(out)
}

// call calls a helper, whose arguments are scalars.
func (p *cprogram) call(t ctype, depth int) string {
	h := p.helpers[p.rng.Intn(len(p.helpers))]
	args := make([]string, len(h.params))
	for i, a := range h.params {
		args[i] = p.expr(a, depth-1)
	}
	return "(" + p.cast(t, h.result, fmt.Sprintf("%s(%s)", h.name, strings.Join(args, ", "))) + ")"
}
