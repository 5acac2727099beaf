package interior

import (
	"maps"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Lanes at borders mostly still access places at even distances, or one place, where they
// are on one side: in[clamp(i, 0, n-1)] is in[i] for some and in[0] for others, and what
// wraps around goes on from the other end. So loads of borders are parted by sides.
//
//	... = in[(i+1 + n) % n]        if (0 <= i+1 && i+1 < n)
//	                                   x = in[i+1]
//	                               else if (0 <= i+1-n && i+1-n < n)
//	                                   x = in[i+1-n]
//	                               else
//	                                   x = in[(i+1 + n) % n]

const (
	mostWays   = 4  // that lanes go by, for a load
	mostBorder = 64 // blocks of a part's border code, or a few more
)

// side is what an operation with a border is where conditions hold, the inner side being
// that away from the border.
type side struct {
	asks  func(b *builder) *kernel.Value // whether they hold
	value func(b *builder) *kernel.Value
	of    []*kernel.Value // that it is made of, and the conditions
}

// sides returns those of v, the inner one first, and whether v is always on one of them.
func (a *accesses) sides(v *kernel.Value) (list []side, total bool) {
	x := a.borders[v.ID]
	rows := a.rows.same[x.holds[0].x]
	if !rows { // of operands as they are, whatever other borders those have
		x.holds = holdsOf(v, x.operand, x.term)
	}
	var of []*kernel.Value // of the conditions
	for _, h := range x.holds {
		for _, y := range h.values() {
			of = append(of, *y)
		}
	}
	add := func(asks, value func(b *builder) *kernel.Value, more ...*kernel.Value) {
		list = append(list, side{asks, value, slices.Concat(of, more)})
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
		asks := func(b *builder) *kernel.Value { return b.place(alu.Eq, b.value(quotient, true), next(b)) }
		if inner == row {
			add(asks, next, quotient, row)
		} else { // i - i/w*w with the row of the first lane
			add(asks, minus(inner, inner.Args[1].Args[1]), quotient, inner)
		}
		return list, false
	}
	// What is less than the divisor, and is the dividend but for a multiple of that, is the
	// remainder, where neither is negative and the dividend did not wrap.
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

// way has, by the ID of the operations with borders that an address is made of, which side
// of theirs lanes are on.
type way map[int]int

// ways lists those that lanes go by for an address, the inner one first, and reports whether
// they always go by one of them; none if there are too many.
func (a *accesses) ways(address *kernel.Value) (list []way, total bool) {
	total = true
	for work := []way{{}}; len(work) > 0; {
		w := work[0]
		work = work[1:]
		v := a.open(address, w, map[*kernel.Value]bool{})
		if v == nil {
			list = append(list, w)
		}
		if len(list)+len(work) >= mostWays {
			return nil, false
		}
		if v == nil {
			continue
		}
		sides, all := a.sides(v)
		total = total && all
		more := make([]way, len(sides))
		for k := range sides {
			more[k] = maps.Clone(w)
			more[k][v.ID] = k
		}
		work = append(more, work...)
	}
	return list, total
}

// open returns an operation with a border that v is made of by way w, of which w does not
// tell the side; nil if there is none.
func (a *accesses) open(v *kernel.Value, w way, seen map[*kernel.Value]bool) *kernel.Value {
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

// all computes whether conditions hold, for each lane.
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

// by computes in a block what it is by way w; as it was if that is nil.
func (b *builder) by(at *kernel.Block, w way) *builder {
	made := b.in(at)
	made.way = w
	return made
}

// asksWay computes whether a lane goes by way w.
func (b *builder) asksWay() *kernel.Value {
	var cond *kernel.Value
	for _, id := range slices.Sorted(maps.Keys(b.way)) {
		sides, _ := b.sides(b.accesses.f.Value(id))
		if c := sides[b.way[id]].asks(b); cond == nil {
			cond = c
		} else {
			cond = b.place(alu.And, cond, c)
		}
	}
	return cond
}

// parting parts loads of a part's border code.
type parting struct {
	*part
	a     *accesses
	place map[*kernel.Value]int // in the block
}

// ways are those by which lanes load v, if all that its address is made of is there before
// place at; and whether there are no others.
func (p *parting) ways(v *kernel.Value, at int) (list []way, total bool) {
	if v.Op != kernel.Load || v.Volatile || v.Count > 1 || !slices.Contains(p.even, v) || !p.ready(v.Args[0], at, map[*kernel.Value]bool{}) {
		return nil, false
	}
	return p.a.ways(v.Args[0])
}

// ready reports whether v is there, or can be made, before a place in the block. asked are
// those of which the answer is yes, or known elsewhere.
func (p *parting) ready(v *kernel.Value, at int, asked map[*kernel.Value]bool) bool {
	i, here := p.place[v]
	if !here || i < at || asked[v] {
		return true
	}
	asked[v] = true
	return pure(v) && !slices.ContainsFunc(v.Args, func(x *kernel.Value) bool { return !p.ready(x, at, asked) })
}

// group lists the loads from place at on that lanes load by the same ways.
func (p *parting) group(ways []way, at int) []*kernel.Value {
	list := []*kernel.Value{p.block.Values[at]}
	for _, x := range p.block.Values[at+1 : p.to] {
		if kernel.InfoOf(x.Op).Effect == kernel.Writes {
			break
		}
		if same, _ := p.ways(x, at); slices.EqualFunc(same, ways, maps.Equal) {
			list = append(list, x)
		}
	}
	return list
}

// partBySides gives loads of the part's border code for each side. What becomes of them is
// told to to.
func (p *part) partBySides(f *kernel.Func, a *accesses, to *opt.Replacer, st opt.Stats) {
	b := &builder{accesses: a, f: f, inside: map[*kernel.Value]bool{}}
	all := &parting{p, a, map[*kernel.Value]int{}}
	for i, v := range p.block.Values {
		all.place[v] = i
		b.inside[v] = pure(v) && p.in(i)
	}
	last := p.border[0]
	was, rest := last.Values, last.Edges
	last.Values = nil
	put := func(name string) *kernel.Block {
		made := f.NewBlock(name)
		p.border = append(p.border, made)
		return made
	}
	parted := map[*kernel.Value]bool{}
	for i, v := range p.block.Values[p.from:p.to] {
		if parted[v] {
			continue
		}
		ways, total := all.ways(v, p.from+i)
		if len(ways) < 2 || len(p.border) >= mostBorder {
			was[i].Block = last
			last.Values = append(last.Values, was[i])
			continue
		}
		group := all.group(ways, p.from+i)
		st.Add("loads parted by sides", len(group))
		if !total {
			ways = append(ways, nil)
		}
		join := f.NewBlock("sides")
		for _, x := range group {
			param := join.NewParam(x.Type, x.Name)
			param.Pos, parted[x] = x.Pos, true
			to.Set(f.Value(x.ID), param)
		}
		for k, w := range ways {
			arm := last
			if k < len(ways)-1 {
				arm = put("side")
				other := put("other")
				last.Branch(b.by(last, w).asksWay(), kernel.Edge{To: arm}, kernel.Edge{To: other, Rare: k+1 < len(ways) && ways[k+1] == nil})
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
