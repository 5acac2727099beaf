package interior

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// builder computes values of the analyzed kernel in a clone of it.
type builder struct {
	*accesses
	f           *kernel.Func                    // the clone
	at          *kernel.Block                   // where values are appended
	holds       []condition                     // conditions that hold at the block
	inside      map[*kernel.Value]bool          // values whose originals are not available in the block
	here        map[*kernel.Value]*kernel.Value // value -> its copy in the block
	flat        map[*kernel.Value]*kernel.Value // value -> its copy without boundaries
	combination combination                     // the sides of values without boundaries; nil: the inner sides
}

func (b *builder) in(at *kernel.Block) *builder {
	return &builder{b.accesses, b.f, at, b.holds, b.inside, map[*kernel.Value]*kernel.Value{}, map[*kernel.Value]*kernel.Value{}, nil}
}

// away reports whether the conditions of the block imply those of boundary x.
func (b *builder) away(x border) bool {
	return !slices.ContainsFunc(x.holds, func(h condition) bool { return !slices.Contains(b.holds, h) })
}

// like appends a copy of x, a value of the analyzed kernel.
func (b *builder) like(x *kernel.Value, args []*kernel.Value) *kernel.Value {
	made := b.at.AppendLike(x, args...)
	if b.rows.made[b.f.Value(x.ID)] {
		b.rows.made[made] = true
	}
	return made
}

// split divides the block in f, a clone of the kernel:
//
//	block   the operations before the region, and the test that all lanes are inside
//	inner   the region without boundaries
//	border  the original region
//	rest    the operations after it
func (p *part) split(f *kernel.Func, a *accesses) {
	head := f.Blocks[p.block.ID]
	inner, border, rest := f.NewBlock("inner"), f.NewBlock("border"), f.NewBlock("rest")
	rest.Kind, rest.Cond, rest.Cases, rest.Edges, rest.Pos = head.Kind, head.Cond, head.Cases, head.Edges, head.Pos
	border.Values, rest.Values = slices.Clone(head.Values[p.from:p.to]), slices.Clone(head.Values[p.to:])
	head.Values = slices.Clip(head.Values[:p.from])
	for _, b := range []*kernel.Block{border, rest} {
		for _, v := range b.Values {
			v.Block = b
		}
	}

	b := &builder{accesses: a, f: f, holds: p.holds, inside: map[*kernel.Value]bool{}}
	for _, v := range p.block.Values[p.from:] {
		b.inside[v] = true
	}
	cond := b.in(head).allLanes(p.holds)
	head.Branch(cond, kernel.Edge{To: inner}, kernel.Edge{To: border, Rare: true})
	head.Pos = p.strided[0].Pos

	b = b.in(inner)
	for _, v := range p.block.Values[p.from:p.to] {
		args := make([]*kernel.Value, len(v.Args))
		for i, x := range v.Args {
			args[i] = b.value(x, i == 0 && slices.Contains(p.strided, v))
		}
		b.here[v] = b.like(v, args)
	}
	inner.Jump(rest)
	border.Jump(rest)
	p.inner, p.border, p.rest, p.made = inner, []*kernel.Block{border}, rest, b.here
}

// value returns x for use in the block and computes it if necessary; if flat, without
// boundaries.
func (b *builder) value(x *kernel.Value, flat bool) *kernel.Value {
	flat = flat && b.bordered(x)
	made := b.here
	if flat {
		made = b.flat
	}
	if is, ok := b.borders[x.ID]; ok && (flat && b.combination == nil || !flat && b.away(is)) {
		return b.value(is.inner(x), flat)
	}
	if v := made[x]; v != nil {
		return v
	}
	if !flat && !b.inside[x] {
		return b.f.Value(x.ID)
	}
	if _, ok := b.borders[x.ID]; ok && flat {
		sides, _ := b.sides(x)
		made[x] = sides[b.combination[x.ID]].value(b)
		return made[x]
	}
	args := make([]*kernel.Value, len(x.Args))
	for i, y := range x.Args {
		args[i] = b.value(y, flat)
	}
	made[x] = b.like(x, args)
	return made[x]
}

// allLanes computes whether all conditions hold in all lanes.
func (b *builder) allLanes(holds []condition) *kernel.Value {
	var all *kernel.Value
	for _, h := range holds {
		c := b.holdsFor(h)
		if !b.uniform(h) {
			c = b.place(kernel.AllLanes, c)
		}
		if all == nil {
			all = c
		} else {
			all = b.place(alu.And, all, c)
		}
	}
	return all
}

// holdsFor computes a condition for each lane.
func (b *builder) holdsFor(h condition) *kernel.Value {
	switch {
	case h.x == nil:
		y := b.value(h.y, true)
		return b.place(h.op, b.f.Const(y.Type, 0), y)
	case h.y != nil:
		return b.place(h.op, b.value(h.x, true), b.value(h.y, true))
	case h.op == alu.Eq:
		return b.place(alu.Xor, b.value(h.x, true), b.f.Const(alu.I1, 1))
	}
	return b.value(h.x, true)
}

func (b *builder) place(op kernel.Op, args ...*kernel.Value) *kernel.Value {
	return b.at.Append(op, alu.I1, args...)
}

// uniform reports whether a condition is uniform.
func (b *builder) uniform(h condition) bool {
	return !slices.ContainsFunc(h.values(), func(v **kernel.Value) bool {
		return !b.strided.Uniform(b.strided.Func.Value((*v).ID))
	})
}

// pass adds parameters to the rest blocks for values that regions define and others use,
// and replaces the uses. Inner blocks of other regions may also use such values, since
// values without boundaries may depend on operands that only a boundary used before. to
// holds the replacements of loads.
func pass(f *kernel.Func, parts []*part, to *opt.Replacer) {
	uses, passed := opt.UsesOf(f), map[*kernel.Value]*kernel.Value{}
	region := map[*kernel.Block]*part{}
	for _, p := range parts {
		for _, b := range p.border {
			region[b] = p
			for _, v := range opt.Reads(b) {
				uses[v.ID]--
			}
		}
		last := p.border[len(p.border)-1]
		for _, v := range p.block.Values[p.from:p.to] {
			of := to.Find(f.Value(v.ID))
			if uses[of.ID] == 0 {
				continue
			}
			param := p.rest.NewParam(v.Type, v.Name)
			param.Pos = v.Pos
			passed[of] = param
			p.inner.Edges[0].Args = append(p.inner.Edges[0].Args, p.made[v])
			last.Edges[0].Args = append(last.Edges[0].Args, of)
		}
	}
	for _, b := range f.Blocks {
		to := func(v *kernel.Value) *kernel.Value {
			if p := passed[v]; p != nil && region[v.Block] != region[b] {
				return p
			}
			return v
		}
		for _, v := range b.Values {
			for i, x := range v.Args {
				v.Args[i] = to(x)
			}
		}
		if b.Cond != nil {
			b.Cond = to(b.Cond)
		}
		for _, e := range b.Edges {
			for i, x := range e.Args {
				e.Args[i] = to(x)
			}
		}
	}
}
