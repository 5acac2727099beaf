package fuzz

import (
	"fmt"
	"strings"
)

// statements writes the body of a function or a part of the kernel without barriers. Its
// labels are targets of its own gotos only.
func (p *smith) statements(depth int) {
	keep := p.back
	p.back = nil
	ahead := ""
	if p.labels && p.chance(40) {
		ahead = p.name("E")
	}
	for range 1 + p.rng.Intn(4) {
		if p.labels && p.chance(10) {
			l := p.name("L")
			p.line("%s: ;", l)
			p.back = append(p.back, l)
		}
		if ahead != "" && p.chance(20) {
			p.line("if (%s) goto %s;", p.condition(1), ahead)
		}
		p.statement(depth)
	}
	if ahead != "" {
		p.line("if (%s) goto %s;", p.condition(1), ahead)
		p.assign()
		p.line("%s: ;", ahead)
		p.assign()
	}
	p.back = keep
}

func (p *smith) block(depth int) {
	p.depth++
	slots, objects := len(p.slots), len(p.objects)
	if p.chance(25) {
		p.variable(field{name: p.name("t"), t: p.anyType()})
	}
	for range 1 + p.rng.Intn(3) {
		p.statement(depth)
	}
	p.slots, p.objects = p.slots[:slots], p.objects[:objects]
	p.depth--
}

func (p *smith) statement(depth int) {
	p.budget--
	if depth <= 0 || p.budget <= 0 {
		p.assign()
		return
	}
	switch k := p.rng.Intn(24); {
	case k < 8:
		p.assign()
	case k < 11:
		p.line("if (%s) {", p.condition(2))
		p.block(depth - 1)
		if p.chance(50) {
			p.line("} else {")
			p.block(depth - 1)
		}
		p.line("}")
	case k < 14:
		p.loop(depth)
	case k < 16:
		p.choose(depth)
	case k < 20:
		p.call()
	case k < 21 && p.loops > 0:
		p.line("if (%s) %s;", p.condition(1), p.one("break", "continue"))
	case k < 22 && len(p.back) > 0:
		p.line("if (%s && fuel-- > 0) goto %s;", p.condition(1), p.back[p.rng.Intn(len(p.back))])
	case k < 23 && p.level < 9 && p.chance(50):
		p.line("if (%s) return %s;", p.condition(1), p.expr(p.result, 1))
	case k < 23 && p.level == 9:
		p.total()
	default:
		p.copy()
	}
}

// target is a slot to write to.
func (p *smith) target() *slot { return p.pick(func(s slot) bool { return !s.fixed }) }

func (p *smith) assign() {
	s := p.target()
	if s == nil {
		return
	}
	text, t := p.index(s.text), s.t
	switch k := p.rng.Intn(12); {
	case k < 2 && t.n > 1: // some components
		q := cprogram{rng: p.rng}
		n := []int{1, 2, 3, 4, 8}[p.rng.Intn(5)]
		if n > t.n {
			n = 1
		}
		p.line("%s.s%s = %s;", text, q.digits(t.n, n, false), p.expr(ctype{t.base, n}, 2))
	case k < 3 && t.n > 1 && t.n != 3:
		p.line("%s.%s = %s;", text, p.one("lo", "hi", "even", "odd"), p.expr(ctype{t.base, t.n / 2}, 1))
	case k < 4:
		p.line("%s %s %s;", text, p.one("&=", "|=", "^="), p.expr(t, 2))
	case k < 5 && !t.info().signed && t.base >= cUint:
		p.line("%s %s %s;", text, p.one("+=", "-=", "*="), p.expr(t, 2))
	case k < 6 && !t.info().signed && t.n == 1:
		if p.chance(50) {
			p.line("%s%s;", text, p.one("++", "--"))
		} else {
			p.line("%s%s;", p.one("++", "--"), text)
		}
	case k < 7 && t.n == 1 && !strings.Contains(text, "["):
		// The comma orders its operands. The index of an assignment's target may be evaluated
		// before or after the right side.
		o := p.pick(func(s slot) bool { return !s.fixed && s.t.n == 1 })
		p.line("%s = (%s = %s, %s);", text, p.index(o.text), p.expr(o.t, 1), p.expr(t, 1))
	case k < 8 && t.n == 1:
		o := p.pick(func(s slot) bool { return !s.fixed && s.t.n == 1 })
		p.line("if (%s %s (%s = %s)) %s = %s;", p.condition(1), p.one("&&", "||"), p.index(o.text), p.expr(o.t, 1), text, p.expr(t, 1))
	default:
		p.line("%s = %s;", text, p.expr(t, 3))
	}
}

// copy assigns a whole record, or a pointer of the globals.
func (p *smith) copy() {
	if p.level >= 0 && p.chance(30) {
		for _, f := range p.globals.fields {
			if f.pointer && p.chance(50) {
				p.line("g->%s = &g->%s;", f.name, p.pointee(f.t))
				return
			}
		}
	}
	if len(p.objects) == 0 {
		p.assign()
		return
	}
	to := p.objects[p.rng.Intn(len(p.objects))]
	for range 8 {
		from := p.objects[p.rng.Intn(len(p.objects))]
		if from.rec == to.rec && from.text != to.text {
			p.line("%s = %s;", p.index(to.text), p.index(from.text))
			return
		}
	}
	p.assign()
}

// pointee names a field of the globals that pointers to t may point to.
func (p *smith) pointee(t ctype) string {
	var fit []string
	for _, f := range p.globals.fields {
		if f.rec == nil && f.t == t && !f.pointer && !f.volatile {
			if f.len > 0 {
				fit = append(fit, fmt.Sprintf("%s[%d]", f.name, p.rng.Intn(f.len)))
			} else {
				fit = append(fit, f.name)
			}
		}
	}
	return p.one(fit...)
}

// inLoop writes the body of a loop.
func (p *smith) inLoop(depth int) {
	p.loops++
	p.block(depth - 1)
	p.loops--
}

func (p *smith) loop(depth int) {
	most := 6
	if p.loops > 0 {
		most = 3
	}
	switch p.rng.Intn(4) {
	case 0, 1:
		i := p.name("i")
		bound := fmt.Sprint(1 + p.rng.Intn(most))
		if p.chance(30) && p.level != -1 {
			bound = fmt.Sprintf("(int)(%s %% %d)", p.id(), most)
		}
		p.line("for (%s %s = 0; %s < %s; %s++) {", p.one("int", "int", "short"), i, i, bound, i)
		p.counter = append(p.counter, slot{text: i, t: scalar(cInt)})
		p.inLoop(depth)
		p.counter = p.counter[:len(p.counter)-1]
		p.line("}")
	case 2:
		p.line("while (%s && fuel-- > 0) {", p.condition(1))
		p.inLoop(depth)
		p.line("}")
	default:
		p.line("do {")
		p.inLoop(depth)
		p.line("} while (%s && fuel-- > 0);", p.condition(1))
	}
}

func (p *smith) choose(depth int) {
	t := p.scalarType()
	p.line("switch ((%s)(%s & %d)) {", p.one("int", "uint", "uchar", "long"), p.expr(t, 2), []int{3, 7, 15}[p.rng.Intn(3)])
	loops := p.loops
	p.loops = 0 // break and continue would refer to the enclosing statements
	for _, c := range p.rng.Perm(6)[:1+p.rng.Intn(4)] {
		p.line("case %d: {", c)
		p.block(depth - 1)
		p.line("}")
		if p.chance(70) {
			p.line("  break;")
		}
	}
	if p.chance(60) {
		p.line("default: {")
		p.block(depth - 1)
		p.line("}")
	}
	p.loops = loops
	p.line("}")
}

// call calls a helper function. Its result is stored in a variable first, since the order of
// its effects and of those of an assignment's left side is unspecified.
func (p *smith) call() {
	var fit []*smithFunc
	for i := range p.funcs {
		if f := &p.funcs[i]; !f.pure && p.level >= 0 && f.level < p.level && (p.loops == 0 || p.loops == 1 && f.level <= 1) {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		p.assign()
		return
	}
	f := fit[p.rng.Intn(len(fit))]
	p.line("{")
	p.depth++
	args := []string{"g"}
	for _, a := range f.params {
		switch {
		case a.rec != nil:
			args = append(args, p.recordArg(a))
		case a.pointer:
			s := p.pick(func(s slot) bool { return !s.fixed && s.plain && s.t == a.t })
			if s != nil && p.chance(80) {
				args = append(args, "&"+p.index(s.text))
				break
			}
			name := p.name("x")
			p.line("%s %s = %s;", a.t, name, p.expr(a.t, 1))
			args = append(args, "&"+name)
		default:
			args = append(args, p.expr(a.t, 2))
		}
	}
	r := p.name("r")
	p.line("%s %s = %s(%s);", f.result, r, f.name, strings.Join(args, ", "))
	if s := p.pick(func(s slot) bool { return !s.fixed && s.t == f.result }); s != nil {
		p.line("%s = %s;", p.index(s.text), r)
	} else if s := p.pick(func(s slot) bool { return !s.fixed && s.t.n == 1 }); s != nil {
		if f.result.n > 1 {
			r += ".s1"
		}
		p.line("%s ^= (%s)%s;", p.index(s.text), s.t, r)
	}
	p.depth--
	p.line("}")
}

func (p *smith) recordArg(a param) string {
	address := ""
	if a.pointer {
		address = "&"
	}
	var fit []string
	for _, o := range p.objects {
		if o.rec == a.rec {
			fit = append(fit, o.text)
		}
	}
	if len(fit) > 0 {
		return address + p.index(p.one(fit...))
	}
	name := p.name("x")
	p.line("%s %s = %s;", a.rec, name, p.initialRecord(a.rec))
	return address + name
}
