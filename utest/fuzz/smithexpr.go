package fuzz

import (
	"fmt"
	"strings"
)

// signs of a type: the unsigned type in which its arithmetic wraps.
func (t ctype) wrapping() ctype {
	if t.info().bits == 64 {
		return ctype{cUlong, t.n}
	}
	if t.n == 1 {
		return scalar(cUint)
	}
	return t.unsigned()
}

func (p *smith) literal(t ctype) string {
	q := cprogram{rng: p.rng}
	return q.literal(scalar(t.base))
}

func (p *smith) vectorLiteral(t ctype) string {
	parts := make([]string, t.n)
	for i := range parts {
		parts[i] = p.literal(t)
	}
	return fmt.Sprintf("(%s)(%s)", t, strings.Join(parts, ", "))
}

// index fills in the indices of a slot's text.
func (p *smith) index(text string) string {
	for {
		at := strings.IndexByte(text, '@')
		if at < 0 {
			return text
		}
		n := int(text[at+1] - '0')
		i := fmt.Sprint(p.rng.Intn(n))
		switch {
		case len(p.counter) > 0 && p.chance(40):
			i = fmt.Sprintf("%s & %d", p.counter[p.rng.Intn(len(p.counter))].text, n-1)
		case p.chance(40):
			if s := p.pick(func(s slot) bool { return s.t.n == 1 && !strings.Contains(s.text, "@") }); s != nil {
				i = fmt.Sprintf("%s & %d", s.text, n-1)
			}
		case p.level != -1 && p.chance(20):
			i = fmt.Sprintf("get_local_id(0) & %d", n-1)
		}
		text = text[:at] + i + text[at+2:]
	}
}

// pick chooses a slot that satisfies a condition.
func (p *smith) pick(fits func(slot) bool) *slot {
	var all []int
	for i, s := range p.slots {
		if fits(s) {
			all = append(all, i)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &p.slots[all[p.rng.Intn(len(all))]]
}

// convert converts scalar e of any integer type to type t; conversions to narrower types
// wrap on all drivers.
func (p *smith) convert(t ctype, e string) string {
	if p.chance(15) {
		return fmt.Sprintf("convert_%s%s(%s)", t, p.one("", "_sat"), e)
	}
	return fmt.Sprintf("(%s)(%s)", t, e)
}

func (p *smith) leaf(t ctype) string {
	if t.n > 1 {
		if s := p.pick(func(s slot) bool { return s.t == t }); s != nil && p.chance(75) {
			return p.index(s.text)
		}
		return p.vectorLiteral(t)
	}
	switch k := p.rng.Intn(10); {
	case k < 2:
		return p.literal(t)
	case k < 4 && p.level != -1:
		return fmt.Sprintf("(%s)%s", t, p.id())
	case k < 5 && len(p.counter) > 0:
		return fmt.Sprintf("(%s)%s", t, p.counter[p.rng.Intn(len(p.counter))].text)
	}
	if s := p.pick(func(s slot) bool { return s.t == t }); s != nil && p.chance(70) {
		return p.index(s.text)
	}
	if s := p.pick(func(s slot) bool { return s.t.n == 1 }); s != nil && p.chance(60) {
		return p.convert(t, p.index(s.text))
	}
	if s := p.pick(func(s slot) bool { return s.t.n > 1 }); s != nil {
		return p.convert(t, fmt.Sprintf("%s.s%x", p.index(s.text), p.rng.Intn(s.t.n)))
	}
	return p.literal(t)
}

// id returns a number of the work-item or of its group.
func (p *smith) id() string {
	d := p.rng.Intn(p.dims)
	return p.one(fmt.Sprintf("get_global_id(%d)", d), fmt.Sprintf("get_local_id(%d)", d), fmt.Sprintf("get_group_id(%d)", d),
		fmt.Sprintf("get_local_size(%d)", d), fmt.Sprintf("get_num_groups(%d)", d), fmt.Sprintf("get_global_size(%d)", d))
}

// expr generates an expression without side effects.
func (p *smith) expr(t ctype, depth int) string {
	if depth <= 0 || p.chance(10) {
		return p.leaf(t)
	}
	if t.n > 1 {
		return p.vector(t, depth)
	}
	switch k := p.rng.Intn(20); {
	case k < 7:
		return p.arithmetic(t, p.expr(t, depth-1), p.expr(t, depth-1))
	case k < 8:
		from := p.scalarType()
		return p.convert(t, fmt.Sprintf("%s %s %s", p.expr(from, depth-1), p.one("<", ">", "<=", ">=", "==", "!="), p.expr(from, depth-1)))
	case k < 10:
		return fmt.Sprintf("(%s ? %s : %s)", p.condition(depth-1), p.expr(t, depth-1), p.expr(t, depth-1))
	case k < 11:
		return p.convert(t, p.expr(p.scalarType(), depth-1))
	case k < 15:
		return p.function1(t, depth)
	case k < 16:
		v := ctype{t.base, []int{2, 3, 4, 8, 16}[p.rng.Intn(5)]}
		return fmt.Sprintf("(%s).s%x", p.expr(v, depth-1), p.rng.Intn(v.n))
	case k < 17:
		v := ctype{2 * p.rng.Intn(4), []int{2, 3, 4, 8, 16}[p.rng.Intn(5)]}
		return fmt.Sprintf("(%s)%s(%s)", t, p.one("any", "all"), p.expr(v, depth-1))
	case k < 18:
		return fmt.Sprintf("(%s)(%s%s)", t, p.one("~", "!", "-"), p.expr(t.wrapping(), depth-1))
	default:
		if f := p.pureFunc(t); f != nil {
			return p.callPure(f, depth-1)
		}
		return p.arithmetic(t, p.expr(t, depth-1), p.leaf(t))
	}
}

func (p *smith) pureFunc(t ctype) *smithFunc {
	for i := range p.funcs {
		if f := &p.funcs[i]; f.pure && f.result == t && p.level != -1 {
			return f
		}
	}
	return nil
}

func (p *smith) callPure(f *smithFunc, depth int) string {
	args := make([]string, len(f.params))
	for i, a := range f.params {
		args[i] = p.expr(a.t, min(depth, 1))
	}
	return fmt.Sprintf("%s(%s)", f.name, strings.Join(args, ", "))
}

// arithmetic applies an operator such that the result is defined for all operands.
func (p *smith) arithmetic(t ctype, a, b string) string {
	w, bits := t.wrapping(), t.info().bits
	switch op := p.one("+", "-", "*", "&", "|", "^", "<<", ">>", "/", "%"); op {
	case "+", "-", "*":
		return fmt.Sprintf("(%s)((%s)%s %s (%s)%s)", t, w, a, op, w, b)
	case "<<":
		return fmt.Sprintf("(%s)((%s)%s << (%s & %d))", t, w, a, b, bits-1)
	case ">>":
		return fmt.Sprintf("(%s)(%s >> (%s & %d))", t, a, b, bits-1)
	case "/", "%":
		return fmt.Sprintf("%s(%s, %s)", p.division(t, op), a, b)
	default:
		return fmt.Sprintf("(%s)(%s %s %s)", t, a, op, b)
	}
}

// division returns the name of a function that divides where division is defined.
func (p *smith) division(t ctype, op string) string {
	name := map[string]string{"/": "div_", "%": "mod_"}[op] + t.String()
	guard := "b == 0"
	if t.info().signed {
		guard += " || b == -1"
	}
	text := fmt.Sprintf("%s %s(%s a, %s b) { return %s ? a : (%s)(a %s b); }\n", t, name, t, t, guard, t, op)
	for _, d := range p.divs {
		if d == text {
			return name
		}
	}
	p.divs = append(p.divs, text)
	return name
}

func (p *smith) condition(depth int) string {
	t := p.scalarType()
	if p.chance(20) {
		return fmt.Sprintf("(%s %s %s)", p.condition(0), p.one("&&", "||"), p.condition(0))
	}
	if depth > 0 && p.chance(10) {
		return fmt.Sprintf("__builtin_expect(%s, %s)", p.condition(depth-1), p.one("0", "1"))
	}
	return fmt.Sprintf("(%s %s %s)", p.expr(t, depth), p.one("<", ">", "==", "!=", "<=", ">="), p.expr(t, depth))
}

// function1 calls a built-in function on type t, a scalar or a vector.
func (p *smith) function1(t ctype, depth int) string {
	arg := func() string {
		e := p.expr(t, depth-1)
		if t.n == 1 {
			return fmt.Sprintf("(%s)(%s)", t, e)
		}
		return e
	}
	u := t.unsigned()
	back := func(e string) string { // from u to t
		if u == t {
			return e
		}
		return fmt.Sprintf("as_%s(%s)", t, e)
	}
	splat := func(s string) string {
		if t.n == 1 {
			return fmt.Sprintf("(%s)%s", t, s)
		}
		return fmt.Sprintf("(%s)((%s)%s)", t, scalar(t.base), s)
	}
	switch k := p.rng.Intn(14); {
	case k < 1:
		lo, hi := p.rng.Intn(60), 60+p.rng.Intn(60)
		return fmt.Sprintf("clamp(%s, %s, %s)", arg(), splat(fmt.Sprint(lo)), splat(fmt.Sprint(hi)))
	case k < 2:
		return fmt.Sprintf("rotate(%s, %s)", arg(), arg())
	case k < 5:
		return fmt.Sprintf("%s(%s, %s)", p.one("mul_hi", "hadd", "rhadd", "add_sat", "sub_sat", "min", "max"), arg(), arg())
	case k < 6:
		return back(fmt.Sprintf("abs_diff(%s, %s)", arg(), arg()))
	case k < 7:
		// The high half plus a number may overflow if it is signed.
		return back(fmt.Sprintf("mad_hi(%s, %s, %s)", p.as(u, t, arg()), p.as(u, t, arg()), p.as(u, t, arg())))
	case k < 8:
		return fmt.Sprintf("%s(%s)", p.one("popcount", "clz"), arg())
	case k < 9:
		return back(fmt.Sprintf("abs(%s)", arg()))
	case k < 10 && t.info().bits > 8:
		// From halves: the low one is unsigned.
		half := ctype{t.base - 2, t.n}
		hi, lo := p.expr(half, depth-1), p.expr(half.unsigned(), depth-1)
		if t.n == 1 {
			hi, lo = fmt.Sprintf("(%s)(%s)", half, hi), fmt.Sprintf("(%s)(%s)", half.unsigned(), lo)
		}
		return fmt.Sprintf("upsample(%s, %s)", hi, lo)
	case k < 11:
		return fmt.Sprintf("mad_sat(%s, %s, %s)", arg(), arg(), arg())
	case k < 12:
		return fmt.Sprintf("bitselect(%s, %s, %s)", arg(), arg(), arg())
	case k < 13 && t.info().bits == 32:
		small := splat("0xfff")
		return p.one(fmt.Sprintf("mul24(%s & %s, %s & %s)", arg(), small, arg(), small),
			fmt.Sprintf("mad24(%s & %s, %s & %s, %s & %s)", arg(), small, arg(), small, arg(), small))
	}
	mask := ctype{t.base &^ 1, t.n}
	if p.chance(50) {
		mask = t.unsigned()
	}
	m := p.expr(mask, depth-1)
	if t.n == 1 {
		m = fmt.Sprintf("(%s)(%s)", mask, m)
	}
	return fmt.Sprintf("select(%s, %s, %s)", arg(), arg(), m)
}

// as reinterprets a type of the same size as t.
func (p *smith) as(to, t ctype, e string) string {
	if to == t {
		return e
	}
	return fmt.Sprintf("as_%s(%s)", to, e)
}

// vector generates an expression of vector type t.
func (p *smith) vector(t ctype, depth int) string {
	u, s := t.unsigned(), scalar(t.base)
	bits := t.info().bits
	a := func() string { return p.expr(t, depth-1) }
	switch k := p.rng.Intn(20); {
	case k < 4:
		e := fmt.Sprintf("(%s %s %s)", p.as(u, t, a()), p.one("+", "-", "*"), p.as(u, t, a()))
		if p.chance(20) { // a scalar is splatted
			e = fmt.Sprintf("(%s %s (%s)%s)", p.as(u, t, a()), p.one("+", "-", "*"), scalar(u.base), p.expr(scalar(u.base), depth-1))
		}
		return p.as(t, u, e)
	case k < 6:
		return fmt.Sprintf("(%s %s %s)", a(), p.one("&", "|", "^"), a())
	case k < 7:
		return fmt.Sprintf("(%s %s (%s & (%s)%d))", a(), p.one("<<", ">>"), a(), s, bits-1)
	case k < 8: // a divisor that is odd and positive
		return fmt.Sprintf("(%s %s ((%s & (%s)0x3f) | (%s)1))", a(), p.one("/", "%"), a(), s, s)
	case k < 9 && t.info().signed:
		from := ctype{t.base + p.rng.Intn(2), t.n}
		return fmt.Sprintf("(%s %s %s)", p.expr(from, depth-1), p.one("<", ">", "==", "!=", "<=", ">="), p.expr(from, depth-1))
	case k < 12:
		return p.function1(t, depth)
	case k < 13:
		return fmt.Sprintf("convert_%s%s(%s)", t, p.one("", "_sat"), p.expr(ctype{p.rng.Intn(8), t.n}, depth-1))
	case k < 14:
		from := ctype{t.base ^ 1, t.n}
		return fmt.Sprintf("as_%s(%s)", t, p.expr(from, depth-1))
	case k < 15: // components of another vector
		n := []int{2, 4, 8, 16}[p.rng.Intn(4)]
		from := ctype{t.base, n}
		q := cprogram{rng: p.rng}
		if n == 2*t.n && p.chance(50) {
			return fmt.Sprintf("(%s).%s", p.expr(from, depth-1), p.one("lo", "hi", "even", "odd"))
		}
		return fmt.Sprintf("(%s).s%s", p.expr(from, depth-1), q.digits(n, t.n, true))
	case k < 16 && t.n != 3:
		index := ctype{u.base, t.n}
		if p.chance(50) {
			n := []int{2, 4, 8, 16}[p.rng.Intn(4)]
			return fmt.Sprintf("shuffle(%s, %s)", p.expr(ctype{t.base, n}, depth-1), p.expr(index, depth-1))
		}
		n := []int{2, 4, 8}[p.rng.Intn(3)]
		return fmt.Sprintf("shuffle2(%s, %s, %s)", p.expr(ctype{t.base, n}, depth-1), p.expr(ctype{t.base, n}, depth-1), p.expr(index, depth-1))
	case k < 17:
		cond := ctype{t.base &^ 1, t.n}
		return fmt.Sprintf("(%s ? %s : %s)", p.expr(cond, depth-1), a(), a())
	case k < 18:
		return fmt.Sprintf("(%s)(%s)", t, p.expr(s, depth-1))
	case k < 19 && t.n > 3:
		h := ctype{t.base, t.n / 2}
		return fmt.Sprintf("(%s)(%s, %s)", t, p.expr(h, depth-1), p.expr(h, depth-1))
	}
	parts := make([]string, t.n)
	for i := range parts {
		parts[i] = p.leaf(s)
	}
	return fmt.Sprintf("(%s)(%s)", t, strings.Join(parts, ", "))
}
