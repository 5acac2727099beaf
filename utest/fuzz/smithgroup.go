package fuzz

import (
	"fmt"
	"strings"
)

// kernel writes the kernel: statements in uniform control flow of a work-group, with
// divergent parts between them.
func (p *smith) kernel() {
	p.slots, p.objects, p.counter, p.loops, p.back = nil, nil, nil, 0, nil
	p.level, p.labels = 9, true
	p.line("ulong pass(__local ulong *shared, size_t lid, ulong x, uint from) {")
	p.line("  shared[lid] = x;")
	p.line("  barrier(CLK_LOCAL_MEM_FENCE);")
	p.line("  x ^= shared[from %% %d];", p.items)
	p.line("  barrier(CLK_LOCAL_MEM_FENCE);")
	p.line("  return x;")
	p.line("}")
	p.line("__kernel void fuzz(__global ulong *out, __global uint *cells, __global int *totals, __global const int *table, int a, uint b, __local ulong *shared) {")
	p.depth++
	p.line("size_t lid = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0);")
	p.line("size_t group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0);")
	p.line("size_t item = (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0);")
	p.line("__local uint acc[8];")
	p.line("__global uint *mine = cells + group * 8;")
	p.line("ulong crc = 0xcbf29ce484222325UL;")
	p.line("int fuel = %s;", p.one("10", "4 + (int)(lid & 7)", "6 + (a & 3)"))
	p.line("struct globals g0 = %s;", p.initialRecord(p.globals))
	p.line("struct globals *g = &g0;")
	for _, f := range p.globals.fields {
		if f.pointer {
			p.line("g->%s = &g->%s;", f.name, p.pointee(f.t))
		}
	}
	p.parts("(*g)", p.globals, false)
	p.slots = append(p.slots, slot{"a", scalar(cInt), true, false}, slot{"b", scalar(cUint), true, false}, slot{"table[@8]", scalar(cInt), true, false},
		slot{"lid", scalar(cUlong), true, false})
	p.locals(4)
	for range 2 + p.rng.Intn(3) {
		p.convergent(2)
	}
	p.budget = 4
	p.divergent()
	p.hash("g0", p.globals)
	for _, s := range p.slots {
		if !strings.Contains(s.text, "@") && !strings.Contains(s.text, "g->") {
			p.hashValue(s.text, s.t)
		}
	}
	p.line("out[item] = crc;")
	p.depth--
	p.line("}")
}

// divergent writes a part of the kernel with divergent control flow.
func (p *smith) divergent() {
	p.line("{")
	p.depth++
	slots, objects := len(p.slots), len(p.objects)
	if p.chance(30) {
		p.line("if (%s) {", p.one("get_group_id(0) % 2", "group % 3 == 1", "lid & 1", "lid % 3 == 0", "get_global_id(0) > 5"))
		p.block(3)
		p.line("} else")
		p.line("{")
		p.block(2)
		p.line("}")
	}
	p.statements(3)
	p.slots, p.objects = p.slots[:slots], p.objects[:objects]
	p.depth--
	p.line("}")
}

// uniform is a condition that is uniform in a work-group, which the compiler cannot always
// prove.
func (p *smith) uniform() string {
	c := []string{"a > 3", "a & 1", "b & 4", "get_group_id(0) % 2 == 0", "get_num_groups(0) > 2", "group & 1", "table[group & 7] > 0", "get_local_size(0) > 4"}
	for _, k := range p.counter {
		c = append(c, k.text+" & 1", k.text+" == 1")
	}
	return p.one(c...)
}

// convergent writes a statement in uniform control flow of a work-group.
func (p *smith) convergent(depth int) {
	p.budget = 3 + p.rng.Intn(5)
	k := p.rng.Intn(14)
	if depth == 0 {
		k = p.rng.Intn(8)
	}
	inner := func() {
		p.depth++
		for range 1 + p.rng.Intn(2) {
			p.convergent(depth - 1)
		}
		p.depth--
	}
	switch {
	case k < 2:
		p.divergent()
	case k < 5:
		p.exchange(depth == 2)
	case k < 6:
		p.pass()
	case k < 8:
		p.atomics()
	case k < 10:
		p.line("if (%s) {", p.uniform())
		inner()
		if p.chance(50) {
			p.line("} else {")
			inner()
		}
		p.line("}")
	case k < 13:
		i := p.name("u")
		p.line("for (int %s = 0; %s < %s; %s++) {", i, i, p.one("2", "3", "1 + (a & 1)", "(int)(1 + group % 2)"), i)
		p.counter = append(p.counter, slot{text: i, t: scalar(cInt)})
		inner()
		if p.chance(30) {
			p.line("  if (%s) %s;", p.uniform(), p.one("break", "continue"))
			p.depth++
			p.exchange(false)
			p.depth--
		}
		p.counter = p.counter[:len(p.counter)-1]
		p.line("}")
	default:
		p.line("switch (%s) {", p.one("a & 3", "(int)(group & 3)", "b & 1"))
		for c := range 1 + p.rng.Intn(3) {
			p.line("case %d:", c)
			inner()
			if p.chance(70) {
				p.line("  break;")
			}
		}
		p.line("}")
	}
}

// exchange makes each work-item write an element in local memory and read that of another
// one. Arrays that are used once need no second barrier.
func (p *smith) exchange(once bool) {
	t := p.anyType()
	place, index := p.name("ex"), fmt.Sprintf("(lid + %d) %% %d", 1+p.rng.Intn(p.items), p.items)
	if p.chance(50) {
		index = fmt.Sprintf("(uint)%s %% %d", p.expr(scalar(cUint), 2), p.items)
	}
	space := fmt.Sprintf("__local %s %s[%d];", t, place, p.items)
	// Local variables must be in the outermost block of a kernel.
	text := p.b.String()
	at := strings.Index(text, "  __local uint acc[8];")
	p.b.Reset()
	p.b.WriteString(text[:at] + "  " + space + "\n" + text[at:])
	p.line("%s[lid] = %s;", place, p.expr(t, 3))
	p.line("barrier(CLK_LOCAL_MEM_FENCE);")
	if s := p.pick(func(s slot) bool { return !s.fixed && s.t == t }); s != nil {
		p.line("%s = %s[%s];", p.index(s.text), place, index)
	} else {
		p.hashValue(fmt.Sprintf("%s[%s]", place, index), t)
	}
	if !once || p.chance(50) {
		p.line("barrier(%s);", p.one("CLK_LOCAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE"))
	}
}

// pass exchanges a value in a function.
func (p *smith) pass() {
	p.line("{")
	p.line("  ulong x = pass(shared, lid, %s, %s);", p.expr(scalar(cUlong), 2), p.expr(scalar(cUint), 2))
	if s := p.pick(func(s slot) bool { return !s.fixed && s.t.n == 1 }); s != nil {
		p.line("  %s ^= (%s)x;", p.index(s.text), s.t)
	} else {
		p.line("  HASH(crc, x);")
	}
	p.line("}")
}

// updates are operations whose results do not depend on their order, as long as a cell is
// updated by only one of them; the %s are the address and the value.
var updates = []string{
	"atomic_add(%s, %s)", "atomic_sub(%s, %s)", "atomic_min(%s, %s)", "atomic_max(%s, %s)",
	"atomic_and(%s, %s)", "atomic_or(%s, %s)", "atomic_xor(%s, %s)", "atomic_inc(%s)",
	"atomic_dec(%s)", "atomic_xchg(%s, 77)", "atomic_cmpxchg(%s, 0, 99)",
}

func update(which int, address, value string) string {
	s := strings.Replace(updates[which], "%s", address, 1)
	return strings.Replace(s, "%s", value, 1)
}

// atomics makes work-items update the cells of their group, and then read them.
func (p *smith) atomics() {
	cells, fence := "acc", "CLK_LOCAL_MEM_FENCE"
	if p.chance(40) {
		cells, fence = "mine", "CLK_GLOBAL_MEM_FENCE"
	}
	i := p.name("c")
	p.line("if (lid == 0) for (int %s = 0; %s < 8; %s++) %s[%s] = %s;", i, i, i, cells, i, p.one("0u", "table["+i+"]", "0x80000000u + "+i, i+" * 1000u"))
	p.line("barrier(%s);", fence)
	kinds := p.rng.Perm(len(updates))
	touch := func(value string) {
		k := p.rng.Intn(7) // cell 7 elects the special work-item
		p.line("%s;", update(kinds[k], fmt.Sprintf("&%s[%d]", cells, k), value))
	}
	special := p.chance(40)
	for range 1 + p.rng.Intn(3) {
		switch k := p.rng.Intn(5); {
		case k == 0:
			touch(p.one("1u", "lid", "b"))
		case k == 1:
			p.line("%s;", update(kinds[0], fmt.Sprintf("&%s[0]", cells), p.expr(scalar(cUint), 2)))
		case k == 2:
			p.line("if (%s) {", p.condition(2))
			p.depth++
			touch("(uint)" + p.expr(scalar(cUint), 2))
			p.depth--
			p.line("}")
		case k == 3 || !special:
			j := p.name("j")
			p.line("for (uint %s = 0; %s < %s; %s++) {", j, j, p.one("3", "lid % 4", "(uint)(group + 1)"), j)
			p.depth++
			touch(p.one(j, "lid * 3 + "+j, "(uint)"+p.expr(scalar(cUint), 1)))
			p.depth--
			p.line("}")
		default:
			special = false
			// One unspecified work-item runs code that does not depend on its id.
			p.line("if (atomic_inc(&%s[7]) == %d) {", cells, p.rng.Intn(p.items))
			p.depth++
			p.line("uint special = %du;", p.rng.Uint32())
			p.line("for (int k = 0; k < %d; k++) special = special * 1664525u + b;", 1+p.rng.Intn(5))
			p.line("atomic_add(&totals[8], (int)(special & 0xffff));")
			p.depth--
			p.line("}")
		}
	}
	p.line("barrier(%s);", fence)
	for range 1 + p.rng.Intn(3) {
		p.line("HASH(crc, %s[%d]);", cells, p.rng.Intn(8))
	}
	if s := p.pick(func(s slot) bool { return !s.fixed && s.t.n == 1 }); s != nil {
		p.line("%s = (%s)%s[%d];", p.index(s.text), s.t, cells, p.rng.Intn(8))
	}
	p.line("barrier(%s);", fence)
}

// total updates a cell of the launch that is not read.
func (p *smith) total() {
	k := p.rng.Intn(8)
	p.line("%s;", update(k, fmt.Sprintf("&totals[%d]", k), "(int)"+p.expr(scalar(cInt), 1)))
}
