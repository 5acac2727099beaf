package fuzz

import (
	"fmt"
	"math/rand"
	"strings"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/launch"
)

// ProgramOptions shape generated OpenCL C programs.
type ProgramOptions struct {
	// Strict leaves out what simtc defines but OpenCL C does not: overflow of
	// signed integers, casts of floats out of range, the sign of fmin's zero.
	Strict bool
}

// Program makes a random OpenCL C program and compiles it to kernel IR.
func Program(seed int64, opt ProgramOptions) (*Case, error) {
	text, words := programText(seed, opt)
	return newProgram(seed, "program", text, words, launch.Of(items(seed)))
}

func newProgram(seed int64, kind, text string, words []string, r launch.Range) (*Case, error) {
	m, err := clc.Compile(fmt.Sprintf("seed%d.cl", seed), text, clc.Options{})
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, text)
	}
	c := &Case{Seed: seed, Kind: kind, Source: text, Words: words, Range: r}
	for _, f := range m.Funcs {
		if f.Name == "fuzz" {
			c.Kernel = f
		}
	}
	args, err := ndarg.ParseArgs(words)
	if err != nil {
		return nil, err
	}
	for _, a := range args {
		c.Locals = append(c.Locals, 0)
		if a.Kind == ndarg.Local {
			c.Locals[len(c.Locals)-1] = a.Bytes
			c.Buffers, c.Scalars, c.filled = append(c.Buffers, Buffer{}), append(c.Scalars, []byte{}), append(c.filled, nil)
			continue
		}
		if a.Kind == ndarg.Value {
			c.Buffers, c.Scalars, c.filled = append(c.Buffers, Buffer{}), append(c.Scalars, a.Value), append(c.filled, nil)
			continue
		}
		b, err := a.New()
		if err != nil {
			return nil, err
		}
		c.Buffers, c.Scalars, c.filled = append(c.Buffers, Buffer{Size: len(b)}), append(c.Scalars, nil), append(c.filled, b)
	}
	return c, nil
}

func items(seed int64) uint64 { return []uint64{37, 21, 16, 40}[uint64(seed)%4] }

// outWords is the number of words of out per work-item.
const outWords = 16

// variable is a name with its type.
type variable struct {
	name string
	t    ctype
}

// helper is a function that the kernel calls.
type helper struct {
	name   string
	result ctype
	params []ctype
}

type cprogram struct {
	rng *rand.Rand
	opt ProgramOptions
	b   strings.Builder

	helpers  []helper
	inKernel bool
	result   ctype // of the helper being written

	vars, arrays, vectors []variable
	assignable            int // vars[assignable:] may be written
	names                 int
	labels                []string // placed so far
	ahead                 []string // to be placed later
	depth                 int
	loops                 int      // enclosing loops
	switches              int      // enclosing switches, inside the innermost loop
	wild                  []string // in unreachable code: integers that may be subscripts without a mask
	budget                int
}

func (p *cprogram) chance(percent int) bool { return p.rng.Intn(100) < percent }

func (p *cprogram) pick(xs ...string) string { return xs[p.rng.Intn(len(xs))] }

func (p *cprogram) line(format string, args ...any) {
	p.b.WriteString(strings.Repeat("  ", p.depth))
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *cprogram) name(prefix string) string {
	p.names++
	return fmt.Sprintf("%s%d", prefix, p.names)
}

// programText makes the program and the arguments to run it on.
func programText(seed int64, opt ProgramOptions) (text string, words []string) {
	p := &cprogram{rng: rand.New(rand.NewSource(seed)), opt: opt}
	if opt.Strict {
		p.line("#pragma OPENCL FP_CONTRACT OFF")
	}
	p.line("#pragma OPENCL EXTENSION cl_khr_fp64 : enable")
	p.line("typedef struct { int a; float f; uchar c[4]; long l; } record;")
	p.line("typedef union { int i; ushort h[2]; uchar b[4]; } bits;")
	p.line("__constant int numbers[16] = {3, -1, 4, 1, -5, 9, 2, 6, 5, 35, -8, 97, 93, 0x7fffffff, -0x7fffffff, 0};")
	// The bits of a NaN are unspecified.
	p.line("uint canon_f(float x) { return x != x ? 0x7fc00000u : as_uint(x); }")
	p.line("ulong canon_d(double x) { return x != x ? 0x7ff8000000000000UL : as_ulong(x); }")
	for range p.rng.Intn(3) {
		p.helper()
	}
	p.kernel()
	words = []string{
		fmt.Sprintf("b:ulong:%d", outWords*64), fmt.Sprintf("b:int:64:rand,%d:r", seed+1), fmt.Sprintf("b:float:64:rand,%d,-20,20:r", seed+2),
		fmt.Sprintf("int:%d", p.rng.Intn(100)-20), fmt.Sprintf("uint:%d", p.rng.Uint32()), fmt.Sprintf("long:%d", p.rng.Int63()>>p.rng.Intn(63)),
		fmt.Sprintf("float:%d.5", p.rng.Intn(50)-25),
	}
	return p.b.String(), words
}

func (p *cprogram) helper() {
	h := helper{name: p.name("helper"), result: p.scalarType()}
	p.vars, p.arrays, p.vectors, p.labels, p.ahead = nil, nil, nil, nil, nil
	var params []string
	for range 1 + p.rng.Intn(3) {
		v := variable{p.name("a"), p.scalarType()}
		h.params = append(h.params, v.t)
		params = append(params, fmt.Sprintf("%s %s", v.t, v.name))
		p.vars = append(p.vars, v)
	}
	p.result, p.assignable, p.budget = h.result, 0, 4+p.rng.Intn(6)
	p.line("%s %s(%s) {", h.result, h.name, strings.Join(params, ", "))
	p.depth++
	p.line("int fuel = %d;", 3+p.rng.Intn(8))
	p.locals(2)
	p.statements(3)
	p.placeLabels()
	p.line("return %s;", p.expr(h.result, 2))
	p.depth--
	p.line("}")
	p.helpers = append(p.helpers, h)
}

func (p *cprogram) kernel() {
	p.vars = []variable{{"gid", scalar(cInt)}, {"si", scalar(cInt)}, {"su", scalar(cUint)}, {"sl", scalar(6)}, {"sf", scalar(cFloat)}}
	p.arrays, p.vectors, p.labels, p.ahead = nil, nil, nil, nil
	p.assignable, p.inKernel, p.budget = len(p.vars), true, 10+p.rng.Intn(25)
	p.line("__kernel void fuzz(__global ulong *out, __global const int *table, __global const float *ftable, int si, uint su, long sl, float sf) {")
	p.depth++
	p.line("int gid = get_global_id(0);")
	p.line("__global ulong *mine = out + gid * %d;", outWords)
	p.line("int fuel = %s;", []string{"12", "5 + (gid & 7)", "8 + (si & 3)"}[p.rng.Intn(3)])
	p.locals(4)
	p.statements(4)
	p.placeLabels()
	for i, v := range append(append([]variable{}, p.vars...), p.arrays...) {
		e := v.name
		if i >= len(p.vars) {
			e += "[gid & 7]"
		}
		p.line("mine[%d] ^= %s;", 4+i%12, p.bitsOf(v.t, e))
	}
	for i, v := range p.vectors {
		p.line("mine[%d] += %s;", 4+i%12, p.bitsOf(scalar(v.t.base), v.name+".s"+p.digits(v.t.n, 1, true)))
	}
	p.depth--
	p.line("}")
}

// bitsOf converts a value to ulong; all NaNs become equal.
func (p *cprogram) bitsOf(t ctype, e string) string {
	switch {
	case t.base == cFloat:
		return fmt.Sprintf("canon_f(%s)", e)
	case t.info().float:
		return fmt.Sprintf("canon_d(%s)", e)
	}
	return fmt.Sprintf("(ulong)(%s)", e)
}

// locals declares all variables at the start of a function, so that gotos may go anywhere.
func (p *cprogram) locals(most int) {
	for range 2 + p.rng.Intn(most) {
		v := variable{p.name("v"), p.scalarType()}
		p.line("%s %s = %s;", v.t, v.name, p.expr(v.t, 1))
		p.vars = append(p.vars, v)
	}
	for range p.rng.Intn(3) {
		a := variable{p.name("arr"), p.scalarType()}
		parts := make([]string, 8)
		for i := range parts {
			parts[i] = p.leaf(a.t)
		}
		p.line("%s %s[8] = {%s};", a.t, a.name, strings.Join(parts, ", "))
		p.arrays = append(p.arrays, a)
	}
	if p.inKernel && p.chance(40) {
		for range 1 + p.rng.Intn(2) {
			t := ctype{p.rng.Intn(len(bases)), []int{2, 3, 4, 8, 16}[p.rng.Intn(5)]}
			v := variable{p.name("vec"), t}
			p.line("%s %s = %s;", v.t, v.name, p.vector(t, 1))
			p.vectors = append(p.vectors, v)
		}
	}
	if p.chance(30) {
		r := p.name("rec")
		p.line("record %s = {%s, %s, {1, 2, 3, 4}, %s};", r, p.expr(scalar(cInt), 1), p.expr(scalar(cFloat), 1), p.expr(scalar(6), 1))
		p.vars = append(p.vars, variable{r + ".a", scalar(cInt)}, variable{r + ".f", scalar(cFloat)}, variable{r + ".l", scalar(6)},
			variable{fmt.Sprintf("%s.c[%s & 3]", r, p.simple()), scalar(1)})
		if p.chance(50) {
			q := p.name("rec")
			p.line("record %s = %s;", q, r)
			p.line("record *p%s = %s ? &%s : &%s;", q, p.condition(1), r, q)
			p.vars = append(p.vars, variable{"p" + q + "->a", scalar(cInt)}, variable{"p" + q + "->f", scalar(cFloat)}, variable{q + ".l", scalar(6)})
		}
	}
	if p.chance(20) {
		r := p.name("recs")
		p.line("record %s[2] = {{%s, 1.5f, {5, 6}, 7}, {8, %s}};", r, p.expr(scalar(cInt), 1), p.expr(scalar(cFloat), 1))
		p.vars = append(p.vars, variable{fmt.Sprintf("%s[%s & 1].a", r, p.simple()), scalar(cInt)},
			variable{fmt.Sprintf("%s[%s & 1].f", r, p.simple()), scalar(cFloat)}, variable{fmt.Sprintf("%s[1].c[%s & 3]", r, p.simple()), scalar(1)})
	}
	if p.chance(20) {
		u := p.name("uni")
		p.line("bits %s = {%s};", u, p.expr(scalar(cInt), 1))
		p.vars = append(p.vars, variable{u + ".i", scalar(cInt)}, variable{fmt.Sprintf("%s.b[%s & 3]", u, p.simple()), scalar(1)}, variable{u + ".h[1]", scalar(3)})
	}
	if p.chance(20) {
		g := p.name("grid")
		t := p.intType()
		p.line("%s %s[2][4] = {{1, 2, %s}, {%s}};", t, g, p.expr(t, 1), p.expr(t, 1))
		p.vars = append(p.vars, variable{fmt.Sprintf("%s[%s & 1][%s & 3]", g, p.simple(), p.simple()), t}, variable{fmt.Sprintf("%s[0][%s & 3]", g, p.simple()), t})
	}
	if len(p.arrays) > 0 && p.chance(40) {
		a := p.arrays[p.rng.Intn(len(p.arrays))]
		q := p.name("ptr")
		p.line("%s *%s = &%s[%s & 3];", a.t, q, a.name, p.simple())
		p.vars = append(p.vars, variable{fmt.Sprintf("%s[%s & 3]", q, p.simple()), a.t})
	}
}

func (p *cprogram) placeLabels() {
	for _, l := range p.ahead {
		p.line("%s: ;", l)
		p.assign()
	}
	p.ahead = nil
}

func (p *cprogram) statements(depth int) {
	for range 1 + p.rng.Intn(5) {
		p.statement(depth)
	}
}

func (p *cprogram) block(depth int) {
	p.depth++
	p.statements(depth)
	p.depth--
}

func (p *cprogram) statement(depth int) {
	p.budget--
	if depth <= 0 || p.budget <= 0 {
		p.assign()
		return
	}
	switch k := p.rng.Intn(24); {
	case k < 7:
		p.assign()
	case k < 11:
		p.line("if (%s) {", p.effects())
		p.block(depth - 1)
		if p.chance(50) {
			p.line("} else {")
			p.block(depth - 1)
		}
		p.line("}")
	case k < 13:
		p.loop(depth)
	case k < 15:
		p.choose(depth)
	case k < 16:
		p.leave()
	case k < 18:
		p.jump()
	case k < 19 && p.inKernel:
		p.line("mine[%s] %s %s;", p.subscript(3), []string{"=", "+=", "^=", "-="}[p.rng.Intn(4)], p.bitsOf(scalar(cInt), p.expr(scalar(cInt), 2)))
	case k < 20 && p.inKernel && len(p.vectors) > 0 && p.chance(40):
		p.storeVector()
	case k < 20 && len(p.wild) == 0: // no jump may lead into unreachable code
		l := p.name("L")
		p.line("%s: ;", l)
		p.labels = append(p.labels, l)
	case k < 21 && len(p.vectors) > 0:
		p.assignVector()
	case k < 22: // a nested scope
		v := variable{p.name("t"), p.scalarType()}
		keep, labels := len(p.vars), p.labels
		p.line("{")
		p.depth++
		p.line("%s %s = %s;", v.t, v.name, p.expr(v.t, 2))
		p.vars = append(p.vars, v)
		p.assign()
		p.assign()
		p.depth--
		p.line("}")
		p.vars, p.labels = p.vars[:keep], labels
	default:
		p.assign()
	}
}

// effects is a condition whose operands have assignments in a defined order.
func (p *cprogram) effects() string {
	if !p.chance(20) {
		return p.condition(2)
	}
	v := p.target()
	if v.name == "" {
		return p.condition(2)
	}
	return fmt.Sprintf("(%s %s ((%s = %s) %s %s))", p.condition(1), []string{"&&", "||"}[p.rng.Intn(2)],
		v.name, p.expr(v.t, 1), []string{"<", ">", "!="}[p.rng.Intn(3)], p.literal(v.t))
}

// target is the target of an assignment.
func (p *cprogram) target() variable {
	all := p.vars[p.assignable:]
	if len(p.arrays) > 0 && p.chance(30) || len(all) == 0 && len(p.arrays) > 0 {
		a := p.arrays[p.rng.Intn(len(p.arrays))]
		return variable{p.element(a), a.t}
	}
	if len(all) == 0 {
		return variable{}
	}
	return all[p.rng.Intn(len(all))]
}

func (p *cprogram) assign() {
	v := p.target()
	if v.name == "" {
		return
	}
	if p.chance(30) && !p.opt.Strict {
		ops := []string{"+=", "-=", "*="}
		if !v.t.info().float {
			ops = append(ops, "&=", "|=", "^=", "<<=", ">>=")
		}
		p.line("%s %s %s;", v.name, ops[p.rng.Intn(len(ops))], p.expr(v.t, 2))
		return
	}
	if p.chance(12) && !v.t.info().float && (!p.opt.Strict || !v.t.info().signed) {
		p.line("%s%s;", v.name, []string{"++", "--"}[p.rng.Intn(2)])
		return
	}
	p.line("%s = %s;", v.name, p.expr(v.t, 3))
}

func (p *cprogram) assignVector() {
	v := p.vectors[p.rng.Intn(len(p.vectors))]
	switch p.rng.Intn(4) {
	case 0:
		p.line("%s.s%x = %s;", v.name, p.rng.Intn(v.t.n), p.expr(scalar(v.t.base), 2))
	case 1:
		k := []int{2, 3, 4}[p.rng.Intn(3)]
		if k <= v.t.n {
			p.line("%s.s%s = %s;", v.name, p.digits(v.t.n, k, false), p.vector(ctype{v.t.base, k}, 1))
			return
		}
		fallthrough
	default:
		p.line("%s = %s;", v.name, p.vector(v.t, 2))
	}
}

// storeVector stores a vector of integers in the first 32 bytes of the
// work-item's own memory.
func (p *cprogram) storeVector() {
	v := p.vectors[p.rng.Intn(len(p.vectors))]
	size := v.t.info().bits / 8 * v.t.n
	if v.t.info().float || size > 32 {
		return
	}
	mask := 0
	if v.t.n != 3 {
		mask = 32/size - 1
	}
	p.line("vstore%d(%s, %s & %d, (__global %s *)mine);", v.t.n, p.vector(v.t, 1), p.simple(), mask, scalar(v.t.base))
}

func (p *cprogram) loop(depth int) {
	loops, switches := p.loops, p.switches
	p.loops, p.switches = loops+1, 0
	switch p.rng.Intn(3) {
	case 0:
		i := p.name("i")
		bound := []string{"%d", "(gid & %d)", "(si & %d)"}[p.rng.Intn(3)]
		if !p.inKernel {
			bound = "%d"
		}
		labels, vars, flag := p.labels, p.vars, ""
		if p.chance(30) { // a flag ends the loop, too
			flag = p.name("ok")
			p.line("{ int %s = 1;", flag)
			bound += " && " + flag
			p.vars = append([]variable{{flag, scalar(cInt)}}, p.vars...)
			p.assignable++
		}
		p.line("for (int %s = 0; %s < "+bound+"; %s++) {", i, i, 1+p.rng.Intn(6), i)
		// The counter can be read but not written, nor jumped past; nor can the flag.
		p.vars = append([]variable{{i, scalar(cInt)}}, p.vars...)
		p.assignable++
		p.labels = nil
		p.block(depth - 1)
		if flag != "" {
			p.line("if (%s) %s = 0;", p.condition(1), flag)
			if p.chance(50) {
				p.assign()
			}
		}
		p.line("}")
		p.vars = vars
		p.assignable--
		if flag != "" {
			p.assignable--
			p.line("if (!%s) {", flag)
			p.assign()
			p.line("}}")
		}
		p.labels = labels
	case 1:
		p.line("while (fuel-- > 0 && %s) {", p.effects())
		p.block(depth - 1)
		p.line("}")
	default:
		p.line("do {")
		p.block(depth - 1)
		p.line("} while (%s && fuel-- > 0);", p.condition(1))
	}
	p.loops, p.switches = loops, switches
}

func (p *cprogram) choose(depth int) {
	t := p.intType()
	on := "(" + p.expr(t, 2) + " & 7)"
	if p.chance(30) {
		on = "(" + p.simple() + " & 7)"
	}
	if p.chance(25) {
		p.line("if (%s %s) {", on, []string{"== 8", "> 7", "== -3", "== 0x20000001", "< 0"}[p.rng.Intn(5)])
		p.impossible(on, depth)
		p.line("}")
	}
	p.line("switch %s {", on)
	p.switches++
	if p.chance(25) {
		p.line("case %s:", []string{"8", "-1", "1000", "0x20000001", "-0x7fffffff - 1"}[p.rng.Intn(5)])
		p.impossible(on, depth)
		p.line("  break;")
	}
	def := p.rng.Intn(6)
	for i := range 1 + p.rng.Intn(5) {
		if i == def {
			p.line("default:")
		}
		p.line("case %d:", i)
		p.block(depth - 1)
		if p.chance(65) {
			p.line("  break;")
		}
	}
	p.switches--
	p.line("}")
}

// impossible writes unreachable statements, guarded by a condition that on, an integer of at
// most 7, never satisfies. Their accesses may be out of bounds.
func (p *cprogram) impossible(on string, depth int) {
	wild := p.wild
	p.wild = append(append([]string{}, wild...), on, fmt.Sprint(p.rng.Intn(2000)-1000), "0x7fffffff")
	p.block(depth - 1)
	p.wild = wild
}

// leave is a conditional break, continue or return.
func (p *cprogram) leave() {
	var ways []string
	if p.loops > 0 {
		ways = append(ways, "continue;", "break;")
	}
	if p.inKernel {
		ways = append(ways, "return;")
	} else {
		ways = append(ways, "return "+p.expr(p.result, 1)+";")
	}
	p.line("if (%s) %s", p.condition(1), ways[p.rng.Intn(len(ways))])
}

// jump goes to a label: backward, if there is fuel, or forward.
func (p *cprogram) jump() {
	if len(p.labels) > 0 && p.chance(60) {
		p.line("if (%s && fuel-- > 0) goto %s;", p.condition(1), p.labels[p.rng.Intn(len(p.labels))])
		return
	}
	if len(p.ahead) == 0 || p.chance(30) {
		p.ahead = append(p.ahead, p.name("E"))
	}
	p.line("if (%s) goto %s;", p.condition(1), p.ahead[p.rng.Intn(len(p.ahead))])
}

// MinimizeText removes lines of a program while it still fails.
func MinimizeText(c *Case, fails func(*Case) bool) *Case {
	for chunk := 16; chunk > 0; chunk /= 2 {
		for changed := true; changed; {
			changed = false
			lines := strings.Split(c.Source, "\n")
			for i := 0; i+chunk <= len(lines); i++ {
				rest := append(append([]string{}, lines[:i]...), lines[i+chunk:]...)
				next, err := newProgram(c.Seed, c.Kind, strings.Join(rest, "\n"), c.Words, c.Range)
				if err == nil && next.Kernel != nil && fails(next) {
					c, lines, changed = next, rest, true
					i--
				}
			}
		}
	}
	return c
}
