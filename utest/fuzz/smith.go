package fuzz

import (
	"fmt"
	"math/rand"
	"strings"

	"github.com/simtc/simtc/launch"
)

// OpenCL makes a random OpenCL C program of work-groups and compiles it to kernel IR. The
// programs contain structs and unions, vectors, helper functions with pointers, barriers
// at which work-items exchange values in local memory, atomics whose results do not
// depend on the order, and branches on the group. All arithmetic is on integers and
// defined, so that any OpenCL driver must give the same results. Collecting and hashing
// all state in one struct follows Lidbury, Lascu, Chong & Donaldson, "Many-Core Compiler
// Fuzzing" (PLDI 2015).
func OpenCL(seed int64) (*Case, error) {
	p := &smith{rng: rand.New(rand.NewSource(seed ^ 0x5117))}
	text, words, r := p.program(seed)
	return newProgram(seed, "opencl", text, words, r)
}

// smithRanges are ranges with few work-items, in groups of all shapes.
var smithRanges = []launch.Range{
	launch.Of(24).WithLocal(8), launch.Of(32).WithLocal(16), launch.Of(21).WithLocal(7), launch.Of(40).WithLocal(20),
	launch.Of(8, 4).WithLocal(4, 2), launch.Of(9, 4).WithLocal(3, 4), launch.Of(4, 3, 4).WithLocal(2, 3, 2), launch.Of(6, 2, 2).WithLocal(6, 1, 2),
	launch.Of(34).WithLocal(17), launch.Of(2, 16).WithLocal(1, 8), launch.Of(5).WithLocal(1), launch.Of(66).WithLocal(33),
}

// field is a member of a record.
type field struct {
	name     string
	t        ctype
	rec      *recordType // if set, t is unused
	len      int         // of an array, a power of two; 0: not an array
	volatile bool
	pointer  bool // to a t that is a field of the globals
}

// recordType is a struct, or a union of members that all have 8 bytes.
type recordType struct {
	name   string
	union  bool
	fields []field
}

func (r *recordType) String() string {
	if r.union {
		return "union " + r.name
	}
	return "struct " + r.name
}

// slot is an integer or vector that can be read, and written unless it is fixed. In its
// text @n stands for an index below n.
type slot struct {
	text  string
	t     ctype
	fixed bool
	plain bool // its address has no qualifiers
}

// object is a record that can be read and written.
type object struct {
	text string
	rec  *recordType
}

// smithFunc is a helper function.
type smithFunc struct {
	name   string
	result ctype
	params []param
	level  int // it calls only functions of lower levels
	pure   bool
}

type param struct {
	t       ctype
	rec     *recordType
	pointer bool
}

type smith struct {
	rng     *rand.Rand
	b       strings.Builder
	depth   int
	names   int
	records []*recordType
	globals *recordType
	funcs   []smithFunc
	divs    []string // division functions made so far

	slots   []slot
	objects []object
	counter []slot // of enclosing loops, which only loops write
	level   int    // of the function being written; -1 in pure ones, 9 in the kernel
	result  ctype
	loops   int // enclosing loops
	broken  int // enclosing loops and switches that break may leave
	budget  int
	labels  bool // gotos are allowed
	back    []string

	dims, items int // of a group
}

func (p *smith) chance(percent int) bool { return p.rng.Intn(100) < percent }
func (p *smith) one(words ...string) string {
	return words[p.rng.Intn(len(words))]
}

func (p *smith) line(format string, args ...any) {
	p.b.WriteString(strings.Repeat("  ", p.depth))
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *smith) name(prefix string) string {
	p.names++
	return fmt.Sprintf("%s%d", prefix, p.names)
}

func (p *smith) program(seed int64) (string, []string, launch.Range) {
	r := smithRanges[p.rng.Intn(len(smithRanges))]
	p.dims, p.items = r.Dims, int(r.Local[0]*max(r.Local[1], 1)*max(r.Local[2], 1))
	total := r.Global[0] * max(r.Global[1], 1) * max(r.Global[2], 1)
	for range 1 + p.rng.Intn(3) {
		p.record()
	}
	p.globals = &recordType{name: "globals"}
	for range 3 + p.rng.Intn(5) {
		p.globals.fields = append(p.globals.fields, p.field("g", true))
	}
	for _, f := range p.globals.fields {
		if f.rec == nil && f.len == 0 && !f.volatile && p.chance(20) {
			p.globals.fields = append(p.globals.fields, field{name: p.name("gp"), t: f.t, pointer: true})
		}
	}
	p.declare(p.globals)
	body := p.b.String()
	p.b.Reset()
	for range p.rng.Intn(2) {
		p.function(true)
	}
	for range 1 + p.rng.Intn(2) {
		p.function(false)
	}
	p.kernel()
	head := "#define HASH(c, v) c = ((c) ^ (ulong)(v)) * 0x100000001b3UL, c ^= c >> 29\n" + strings.Join(p.divs, "")
	words := []string{
		fmt.Sprintf("b:ulong:%d", total), fmt.Sprintf("b:uint:%d", 8*total/uint64(p.items)), "b:int:16:rand," + fmt.Sprint(seed+1),
		fmt.Sprintf("b:int:64:rand,%d:r", seed+2), fmt.Sprintf("int:%d", p.rng.Intn(9)), fmt.Sprintf("uint:%d", p.rng.Uint32()),
		fmt.Sprintf("local:%d", 8*p.items),
	}
	return head + body + p.b.String(), words, r
}

// anyType is an integer type, sometimes a vector.
func (p *smith) anyType() ctype {
	t := p.scalarType()
	if p.chance(25) {
		t.n = []int{2, 2, 3, 3, 4, 4, 8, 16}[p.rng.Intn(8)]
	}
	return t
}

func (p *smith) scalarType() ctype {
	if p.chance(35) {
		return scalar(cInt + p.rng.Intn(2))
	}
	return scalar(p.rng.Intn(8))
}

// eight lists the types of union members.
var eight = []struct {
	t   ctype
	len int
}{
	{scalar(6), 0}, {scalar(cUlong), 0}, {scalar(cInt), 2}, {scalar(cUint), 2}, {scalar(2), 4}, {scalar(3), 4}, {scalar(0), 8}, {scalar(1), 8},
	{ctype{cInt, 2}, 0}, {ctype{cUint, 2}, 0}, {ctype{3, 4}, 0}, {ctype{1, 8}, 0}, {ctype{2, 4}, 0}, {ctype{0, 4}, 2},
}

func (p *smith) record() {
	r := &recordType{name: p.name("S")}
	if p.chance(25) {
		r.union = true
		for range 2 + p.rng.Intn(3) {
			m := eight[p.rng.Intn(len(eight))]
			r.fields = append(r.fields, field{name: p.name("m"), t: m.t, len: m.len, volatile: p.chance(8)})
		}
	} else {
		for range 1 + p.rng.Intn(5) {
			r.fields = append(r.fields, p.field("f", false))
		}
	}
	p.declare(r)
	p.records = append(p.records, r)
}

func (p *smith) field(prefix string, global bool) field {
	f := field{name: p.name(prefix), t: p.anyType(), volatile: p.chance(8)}
	if len(p.records) > 0 && p.chance(25) {
		f.rec, f.volatile = p.records[p.rng.Intn(len(p.records))], false
	}
	if p.chance(25) {
		f.len = 2 << p.rng.Intn(2)
	}
	return f
}

func (p *smith) declare(r *recordType) {
	p.line("%s {", r)
	p.depth++
	for _, f := range r.fields {
		s := f.t.String()
		if f.rec != nil {
			s = f.rec.String()
		}
		if f.volatile {
			s = "volatile " + s
		}
		switch {
		case f.pointer:
			p.line("%s *%s;", s, f.name)
		case f.len > 0:
			p.line("%s %s[%d];", s, f.name, f.len)
		default:
			p.line("%s %s;", s, f.name)
		}
	}
	p.depth--
	p.line("};")
}

// parts adds the members of a record to the scope.
func (p *smith) parts(text string, r *recordType, fixed bool) {
	for _, f := range r.fields {
		e := text + "." + f.name
		if strings.HasPrefix(text, "(*") {
			e = text[2:len(text)-1] + "->" + f.name
		}
		if f.len > 0 {
			e += fmt.Sprintf("[@%d]", f.len)
		}
		switch {
		case f.rec != nil:
			if !fixed {
				p.objects = append(p.objects, object{e, f.rec})
			}
			p.parts(e, f.rec, fixed)
		case f.pointer:
			p.slots = append(p.slots, slot{"(*" + e + ")", f.t, fixed, false})
		default:
			p.slots = append(p.slots, slot{e, f.t, fixed, !f.volatile && !r.union})
		}
	}
}

// initial is an initializer for a field or variable.
func (p *smith) initial(f field) string {
	n := max(f.len, 1)
	parts := make([]string, n)
	for i := range parts {
		switch {
		case f.rec != nil:
			parts[i] = p.initialRecord(f.rec)
		case f.t.n > 1:
			parts[i] = p.vectorLiteral(f.t)
		default:
			parts[i] = p.literal(f.t)
		}
	}
	if f.len == 0 {
		return parts[0]
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (p *smith) initialRecord(r *recordType) string {
	fields := r.fields
	if r.union {
		fields = fields[:1]
	}
	var parts []string
	for _, f := range fields {
		if f.pointer {
			break // pointers are last and set by assignments
		}
		parts = append(parts, p.initial(f))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// hash computes a hash of all members of a record.
func (p *smith) hash(text string, r *recordType) {
	fields := r.fields
	if r.union {
		fields = fields[:1]
	}
	for _, f := range fields {
		if f.pointer {
			continue
		}
		e := text + "." + f.name
		if f.len > 0 {
			i := p.name("h")
			p.line("for (int %s = 0; %s < %d; %s++) {", i, i, f.len, i)
			p.depth++
			e += "[" + i + "]"
		}
		if f.rec != nil {
			p.hash(e, f.rec)
		} else {
			p.hashValue(e, f.t)
		}
		if f.len > 0 {
			p.depth--
			p.line("}")
		}
	}
}

func (p *smith) hashValue(e string, t ctype) {
	if t.n == 1 {
		p.line("HASH(crc, %s);", e)
		return
	}
	for i := range t.n {
		p.line("HASH(crc, %s.s%x);", e, i)
	}
}

// function writes a helper function. Pure ones take and return values; others also take the
// globals and pointers.
func (p *smith) function(pure bool) {
	f := smithFunc{name: p.name("func"), result: p.scalarType(), pure: pure, level: -1}
	if p.chance(20) {
		f.result = p.anyType()
	}
	p.slots, p.objects, p.counter, p.loops, p.broken, p.back = nil, nil, nil, 0, 0, nil
	var params []string
	if !pure {
		f.level = min(len(p.funcs), 1+p.rng.Intn(2))
		params = append(params, "struct globals *g")
		p.parts("(*g)", p.globals, false)
	}
	p.level = f.level
	for range 1 + p.rng.Intn(4) {
		a, name := param{t: p.anyType()}, p.name("a")
		switch k := p.rng.Intn(10); {
		case k < 2 && len(p.records) > 0 && !pure:
			a.rec = p.records[p.rng.Intn(len(p.records))]
			if a.pointer = p.chance(50); a.pointer {
				params = append(params, fmt.Sprintf("%s *%s", a.rec, name))
				p.parts("(*"+name+")", a.rec, false)
			} else {
				params = append(params, fmt.Sprintf("%s %s", a.rec, name))
				p.objects = append(p.objects, object{name, a.rec})
				p.parts(name, a.rec, false)
			}
		case k < 4 && !pure:
			a.pointer = true
			params = append(params, fmt.Sprintf("%s *%s", a.t, name))
			p.slots = append(p.slots, slot{"(*" + name + ")", a.t, false, true})
		default:
			params = append(params, fmt.Sprintf("%s %s", a.t, name))
			p.slots = append(p.slots, slot{name, a.t, false, true})
		}
		f.params = append(f.params, a)
	}
	p.result = f.result
	p.line("%s %s(%s) {", f.result, f.name, strings.Join(params, ", "))
	p.depth++
	p.budget = 3 + p.rng.Intn(6)
	p.locals(3)
	p.line("int fuel = %d;", 2+p.rng.Intn(6))
	p.labels = !pure
	p.statements(3)
	p.line("return %s;", p.expr(f.result, 2))
	p.depth--
	p.line("}")
	p.funcs = append(p.funcs, f)
}

// locals declares variables.
func (p *smith) locals(most int) {
	for range 1 + p.rng.Intn(most) {
		f := field{name: p.name("v"), t: p.anyType(), volatile: p.chance(5)}
		if len(p.records) > 0 && p.chance(20) && p.level >= 0 {
			f.rec, f.volatile = p.records[p.rng.Intn(len(p.records))], false
		}
		if p.chance(20) {
			f.len = 2 << p.rng.Intn(2)
		}
		p.variable(f)
	}
}

// variable declares one variable, of a field's type.
func (p *smith) variable(f field) {
	qualifier, dimension, e := "", "", f.name
	if f.volatile {
		qualifier = "volatile "
	}
	if f.len > 0 {
		dimension = fmt.Sprintf("[%d]", f.len)
		e += fmt.Sprintf("[@%d]", f.len)
	}
	if f.rec != nil {
		p.line("%s%s %s%s = %s;", qualifier, f.rec, f.name, dimension, p.initial(f))
		p.objects = append(p.objects, object{e, f.rec})
		p.parts(e, f.rec, false)
		return
	}
	first := p.initial(f)
	if f.len == 0 && p.chance(50) {
		first = p.expr(f.t, 1)
	}
	p.line("%s%s %s%s = %s;", qualifier, f.t, f.name, dimension, first)
	p.slots = append(p.slots, slot{e, f.t, false, !f.volatile})
}
