package interior

import (
	"maps"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Accesses at boundaries are mostly strided or uniform, too, among lanes on one side:
// in[clamp(i, 0, n-1)] is in[i] for some lanes and in[0] for others, and a wrapped index
// continues from the other end. So loads in boundary code are split by side:
//
//	... = in[(i+1 + n) % n]        if (0 <= i+1 && i+1 < n)
//	                                   x = in[i+1]
//	                               else if (0 <= i+1-n && i+1-n < n)
//	                                   x = in[i+1-n]
//	                               else
//	                                   x = in[(i+1 + n) % n]

const (
	maxCombinations = 4  // of sides, for a load
	maxBorder       = 64 // blocks of a region's boundary code, approximately
)

// side is the value of an operation with a boundary under some conditions. The inner side
// is the one away from the boundary.
type side struct {
	test  func(b *builder) *kernel.Value // whether the conditions hold
	value func(b *builder) *kernel.Value
	of    []*kernel.Value // operands of the value and the conditions
}

// sides lists the sides of v, the inner one first, and reports whether one of them always
// applies.
func (a *accesses) sides(v *kernel.Value) (list []side, total bool) {
	x := a.borders[v.ID]
	rows := a.rows.same[x.holds[0].x]
	if !rows { // conditions on the operands themselves, including their own boundaries
		x.holds = holdsOf(v, x.operand, x.term)
	}
	var of []*kernel.Value // operands of the conditions
	for _, h := range x.holds {
		for _, y := range h.values() {
			of = append(of, *y)
		}
	}
	add := func(test, value func(b *builder) *kernel.Value, more ...*kernel.Value) {
		list = append(list, side{test, value, slices.Concat(of, more)})
	}
	value := func(v *kernel.Value) func(b *builder) *kernel.Value {
		return func(b *builder) *kernel.Value { return b.value(v, true) }
	}
	inner := x.inner(v)
	away := func(b *builder) *kernel.Value { return b.all(x.holds) }
	add(away, value(inner), inner)
	if first := len(v.Args) - 2; v.Op != alu.URem && v.Op != alu.SRem && !rows {
		other := v.Args[first+1-(x.operand-first)]
		add(func(b *builder) *kernel.Value { return b.place(alu.Xor, away(b), b.f.Const(alu.I1, 1)) }, value(other), other)
		return list, true
	}
	minus := func(v, by *kernel.Value) func(b *builder) *kernel.Value {
		return func(b *builder) *kernel.Value {
			return b.at.Append(alu.Sub, v.Type, b.value(v, true), b.value(by, true))
		}
	}
	if rows {
		quotient, row := x.holds[0].x.Args[0], x.holds[0].x.Args[1]
		next := func(b *builder) *kernel.Value {
			return b.at.Append(alu.Add, row.Type, b.value(row, true), b.f.Const(row.Type, 1))
		}
		test := func(b *builder) *kernel.Value { return b.place(alu.Eq, b.value(quotient, true), next(b)) }
		if inner == row {
			add(test, next, quotient, row)
		} else { // i - i/w*w with the row of the first lane
			add(test, minus(inner, inner.Args[1].Args[1]), quotient, inner)
		}
		return list, false
	}
	// The remainder is the number below the divisor that differs from the dividend by a
	// multiple of it, if neither is negative and the dividend did not wrap.
	dividend, by, least := v.Args[0], v.Args[1], alu.Ule
	if v.Op == alu.SRem {
		least = alu.Sle
	}
	within := func(b *builder, r *kernel.Value) *kernel.Value {
		c := b.place(alu.Ult, r, b.value(by, true))
		if v.Op == alu.SRem {
			c = b.place(alu.And, c, b.place(alu.Slt, b.f.Const(by.Type, 0), b.value(by, true)))
		}
		return c
	}
	if x.term >= 0 {
		add(func(b *builder) *kernel.Value { return within(b, b.value(dividend, true)) }, value(dividend), dividend, by)
	}
	after := minus(inner, by)
	add(func(b *builder) *kernel.Value {
		c := within(b, after(b))
		for _, y := range []*kernel.Value{inner, dividend} {
			c = b.place(alu.And, c, b.place(least, b.value(by, true), b.value(y, true)))
		}
		return c
	}, after, inner, dividend, by)
	return list, false
}

// combination maps the ID of each operation with a boundary that an address depends on to
// the index of the side that applies.
type combination map[int]int

// combinations lists the combinations of sides for an address, the inner one first, and
// reports whether one of them always applies. It returns none if there are too many.
func (a *accesses) combinations(address *kernel.Value) (list []combination, total bool) {
	total = true
	for work := []combination{{}}; len(work) > 0; {
		w := work[0]
		work = work[1:]
		v := a.open(address, w, map[*kernel.Value]bool{})
		if v == nil {
			list = append(list, w)
		}
		if len(list)+len(work) >= maxCombinations {
			return nil, false
		}
		if v == nil {
			continue
		}
		sides, all := a.sides(v)
		total = total && all
		more := make([]combination, len(sides))
		for k := range sides {
			more[k] = maps.Clone(w)
			more[k][v.ID] = k
		}
		work = append(more, work...)
	}
	return list, total
}

// open returns an operation with a boundary that v depends on in combination w and whose
// side w does not determine, or nil.
func (a *accesses) open(v *kernel.Value, w combination, seen map[*kernel.Value]bool) *kernel.Value {
	if seen[v] || !a.bordered(v) {
		return nil
	}
	seen[v] = true
	args := v.Args
	if _, ok := a.borders[v.ID]; ok {
		k, known := w[v.ID]
		if !known {
			return v
		}
		sides, _ := a.sides(v)
		args = sides[k].of
	}
	for _, y := range args {
		if b := a.open(y, w, seen); b != nil {
			return b
		}
	}
	return nil
}

// all computes for each lane whether the conditions hold.
func (b *builder) all(holds []condition) *kernel.Value {
	var all *kernel.Value
	for _, h := range holds {
		if c := b.holdsFor(h); all == nil {
			all = c
		} else {
			all = b.place(alu.And, all, c)
		}
	}
	return all
}

// by returns a builder that computes, in block at, values for combination w; nil keeps the
// original values.
func (b *builder) by(at *kernel.Block, w combination) *builder {
	made := b.in(at)
	made.combination = w
	return made
}

// testCombination computes for each lane whether the builder's combination applies.
func (b *builder) testCombination() *kernel.Value {
	var cond *kernel.Value
	for _, id := range slices.Sorted(maps.Keys(b.combination)) {
		sides, _ := b.sides(b.accesses.f.Value(id))
		if c := sides[b.combination[id]].test(b); cond == nil {
			cond = c
		} else {
			cond = b.place(alu.And, cond, c)
		}
	}
	return cond
}

// splitting splits loads of a region's boundary code.
type splitting struct {
	*part
	a     *accesses
	place map[*kernel.Value]int // index in the block
}

// combinations returns those of the load v, if the operands of its address can be computed
// before index at, and whether one always applies.
func (p *splitting) combinations(v *kernel.Value, at int) (list []combination, total bool) {
	if v.Op != kernel.Load || v.Volatile || v.Count > 1 || !slices.Contains(p.strided, v) || !p.ready(v.Args[0], at, map[*kernel.Value]bool{}) {
		return nil, false
	}
	return p.a.combinations(v.Args[0])
}

// ready reports whether v is available, or can be computed, before an index in the block.
// seen holds values that are ready or being visited.
func (p *splitting) ready(v *kernel.Value, at int, seen map[*kernel.Value]bool) bool {
	i, here := p.place[v]
	if !here || i < at || seen[v] {
		return true
	}
	seen[v] = true
	return pure(v) && !slices.ContainsFunc(v.Args, func(x *kernel.Value) bool { return !p.ready(x, at, seen) })
}

// group lists the loads from index at on that have the same combinations.
func (p *splitting) group(combinations []combination, at int) []*kernel.Value {
	list := []*kernel.Value{p.block.Values[at]}
	for _, x := range p.block.Values[at+1 : p.to] {
		if kernel.InfoOf(x.Op).Effect == kernel.Writes {
			break
		}
		if same, _ := p.combinations(x, at); slices.EqualFunc(same, combinations, maps.Equal) {
			list = append(list, x)
		}
	}
	return list
}

// splitBySides splits loads of the region's boundary code by side. It records their
// replacements in to.
func (p *part) splitBySides(f *kernel.Func, a *accesses, to *opt.Replacer, st opt.Stats) {
	b := &builder{accesses: a, f: f, inside: map[*kernel.Value]bool{}}
	all := &splitting{p, a, map[*kernel.Value]int{}}
	for i, v := range p.block.Values {
		all.place[v] = i
		b.inside[v] = pure(v) && p.in(i)
	}
	last := p.border[0]
	was, rest := last.Values, last.Edges
	last.Values = nil
	add := func(name string) *kernel.Block {
		made := f.NewBlock(name)
		p.border = append(p.border, made)
		return made
	}
	replaced := map[*kernel.Value]bool{}
	for i, v := range p.block.Values[p.from:p.to] {
		if replaced[v] {
			continue
		}
		combinations, total := all.combinations(v, p.from+i)
		if len(combinations) < 2 || len(p.border) >= maxBorder {
			was[i].Block = last
			last.Values = append(last.Values, was[i])
			continue
		}
		group := all.group(combinations, p.from+i)
		st.Add("loads split by side", len(group))
		if !total {
			combinations = append(combinations, nil)
		}
		join := f.NewBlock("sides")
		for _, x := range group {
			param := join.NewParam(x.Type, x.Name)
			param.Pos, replaced[x] = x.Pos, true
			to.Set(f.Value(x.ID), param)
		}
		for k, w := range combinations {
			arm := last
			if k < len(combinations)-1 {
				arm = add("side")
				other := add("other")
				last.Branch(b.by(last, w).testCombination(), kernel.Edge{To: arm}, kernel.Edge{To: other, Rare: k+1 < len(combinations) && combinations[k+1] == nil})
				last.Pos, last = v.Pos, other
			}
			on := b.by(arm, w)
			args := make([]*kernel.Value, len(group))
			for i, x := range group {
				args[i] = on.like(x, []*kernel.Value{on.value(x.Args[0], w != nil)})
			}
			arm.Jump(join, args...)
		}
		p.border = append(p.border, join)
		last = join
	}
	last.Kind, last.Cond, last.Edges = kernel.Jump, nil, rest
}
