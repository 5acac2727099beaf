package refill

import (
	"maps"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Values of the state "at": a lane continues in the loop, has no work-item, or, from
// firstTarget on, continues at a target of the loop's exits.
const (
	looping = iota
	idle
	firstTarget
)

// values maps values of f to their copies in a region.
type values map[*kernel.Value]*kernel.Value

func (vs values) of(v *kernel.Value) *kernel.Value {
	if x := vs[v]; x != nil {
		return x
	}
	return v // a constant
}

func (vs values) all(list []*kernel.Value) []*kernel.Value {
	out := make([]*kernel.Value, len(list))
	for i, v := range list {
		out[i] = vs.of(v)
	}
	return out
}

// build makes the kernel from copies of the regions of b.f, whose blocks it replaces.
func (b *builder) build() *kernel.Func {
	f := b.f
	header := f.Blocks[b.loop.Header]
	old := f.Blocks
	f.Blocks = nil
	entry, outer, fresh, take := f.NewBlock("entry"), f.NewBlock("turn"), f.NewBlock("idle"), f.NewBlock("take")
	begin, enter, stay, merge, leave := f.NewBlock("begin"), f.NewBlock("enter"), f.NewBlock("stay"), f.NewBlock("next"), f.NewBlock("leave")
	at := header.Pos
	at.Made = true
	for _, c := range f.Blocks {
		c.Pos = at
	}
	// test appends a comparison that reports print as words.
	test := func(c *kernel.Block, op kernel.Op, words string, args ...*kernel.Value) *kernel.Value {
		v := c.Append(op, alu.I1, args...)
		v.Pos, v.Was = at, &kernel.Replacement{Text: words}
		return v
	}

	// itemID makes reports print the number of a taken work-item as the source does.
	itemID := func(v *kernel.Value) *kernel.Value {
		v.Pos, v.Was = at, &kernel.Replacement{Text: "get_global_id(0)"}
		return v
	}

	// Shared values and arguments.
	shared := values{}
	taken := b.argument(entry, kernel.Arg{Name: "taken", CType: "__global uint*", Kind: kernel.ArgBuffer, Type: alu.PtrGlobal, Elem: "uint"})
	first := b.argument(entry, kernel.Arg{Name: "first", CType: "ulong", Type: alu.I64, Elem: "ulong"})
	items := b.argument(entry, kernel.Arg{Name: "items", CType: "ulong", Type: alu.I64, Elem: "ulong"})
	for _, region := range [][]int{b.before, b.around, b.after} {
		for _, id := range region {
			for _, v := range old[id].Values {
				if b.shared[v.ID] && shared[v] == nil {
					x := entry.AppendLike(v, shared.all(v.Args)...)
					x.Members = v.Members
					shared[v] = x
				}
			}
		}
	}
	for i, k := range f.Kept {
		f.Kept[i].Object = shared.of(k.Object)
	}

	// The state: the next action, the id, kept values, the header's parameters, and extra
	// slots.
	var types []kernel.Type
	var names []string
	add := func(t kernel.Type, name string) { types, names = append(types, t), append(names, name) }
	add(alu.I32, "at")
	add(b.id(), "")
	for _, v := range b.kept {
		add(v.Type, v.Name)
	}
	places := len(types)
	for _, p := range header.Params {
		add(p.Type, p.Name)
	}
	inner := len(types)
	for _, p := range b.extra {
		add(p.Type, p.Name)
	}
	zeros := func(at uint64) []*kernel.Value {
		s := []*kernel.Value{f.Const(alu.I32, at)}
		for _, t := range types[1:] {
			s = append(s, f.Const(t, 0))
		}
		return s
	}
	params := func(c *kernel.Block, from, to int) (ps []*kernel.Value) {
		for i := from; i < to; i++ {
			p := c.NewParam(types[i], names[i])
			if i == 1 {
				itemID(p)
			}
			ps = append(ps, p)
		}
		return ps
	}
	state := params(outer, 0, len(types))
	entered := params(enter, 1, inner)
	next := params(merge, 0, len(types))
	entry.Jump(outer, zeros(idle)...)
	outer.Branch(test(outer, alu.Eq, "still in the loop", state[0], f.Const(alu.I32, looping)), kernel.Edge{To: enter, Args: state[1:inner]}, kernel.Edge{To: fresh})
	merge.Jump(outer, next...)
	leave.Return()

	// Before the loop.
	n := itemID(take.Append(kernel.Atomic, alu.I32, taken, f.Const(alu.I32, 1)))
	n.Index, n.Align = int(alu.RMWAdd), 4
	wide := take.Append(alu.ZExt, alu.I64, n)
	take.Branch(test(take, alu.Ult, "a work-item is left", wide, items), kernel.Edge{To: begin}, kernel.Edge{To: leave})
	id := itemID(begin.Append(alu.Add, alu.I64, first, wide))
	if !b.far {
		id = itemID(begin.Append(alu.Trunc, alu.I32, id))
	}
	before := b.known(begin, old, shared, id, nil, false)
	copied := b.copy(old, b.before, before, func(vs values, c *kernel.Block, e kernel.Edge) kernel.Edge {
		e.To, e.Args = enter, append(append([]*kernel.Value{id}, vs.all(b.kept)...), vs.all(e.Args)...)
		return e
	}, func(c *kernel.Block) { c.Jump(merge, zeros(idle)...) })
	begin.Jump(copied[0])

	// The loop.
	around := b.known(enter, old, shared, entered[0], entered[1:], true)
	copied = b.copy(old, b.around, around, func(vs values, c *kernel.Block, e kernel.Edge) kernel.Edge {
		if e.To == header {
			e.To, e.Args = stay, vs.all(e.Args)
			return e
		}
		to := zeros(0)
		copy(to[1:], entered[:len(b.kept)+1])
		for k, t := range b.targets {
			if t.block != e.To {
				continue
			}
			to[0] = f.Const(alu.I32, uint64(firstTarget+k))
			for i, a := range e.Args {
				to[places+t.place[i]] = vs.of(a)
			}
		}
		e.To, e.Args = merge, to
		return e
	}, nil)
	enter.Jump(copied[header.ID], entered[places-1:]...)
	stayed := params(stay, places, inner)
	staying := zeros(looping)
	copy(staying[1:], entered[:len(b.kept)+1])
	copy(staying[places:], stayed)
	stay.Branch(test(stay, kernel.FewLanes, "few lanes are left"), kernel.Edge{To: merge, Args: staying}, kernel.Edge{To: copied[header.ID], Args: stayed})

	// After the loop.
	after := b.known(fresh, old, shared, state[1], state[2:], true)
	copied = b.copy(old, b.after, after, nil, func(c *kernel.Block) { c.Jump(take) })
	cases := []uint64{}
	edges := []kernel.Edge{{To: take}}
	for k, t := range b.targets {
		cases = append(cases, uint64(firstTarget+k))
		e := kernel.Edge{To: copied[t.block.ID]}
		for _, place := range t.place {
			e.Args = append(e.Args, state[places+place])
		}
		edges = append(edges, e)
	}
	if len(cases) == 1 {
		left := test(fresh, alu.Eq, "has left the loop", state[0], f.Const(alu.I32, cases[0]))
		fresh.Branch(left, edges[1], edges[0])
	} else {
		fresh.Kind, fresh.Cond, fresh.Cases, fresh.Edges = kernel.Switch, state[0], cases, edges
	}
	for i, c := range f.Blocks {
		c.ID = i
	}
	return f
}

// argument adds an argument that the runtime supplies.
func (b *builder) argument(entry *kernel.Block, a kernel.Arg) *kernel.Value {
	a.Count, a.Size, a.Align, a.Offset = 1, 8, 8, FirstArg+8*len(entry.Values)
	b.f.Args = append(b.f.Args, a)
	v := entry.Append(kernel.Argument, a.Type)
	v.Index = len(b.f.Args) - 1
	return v
}

// known returns the copies of shared values, the id and, if the loop was entered, kept
// values. It appends recomputed values to c.
func (b *builder) known(c *kernel.Block, old []*kernel.Block, shared values, id *kernel.Value, kept []*kernel.Value, entered bool) values {
	vs := maps.Clone(shared)
	if !b.far {
		id = c.Append(alu.SExt, alu.I64, id)
	}
	if entered {
		for i, v := range b.kept {
			vs[v] = kept[i]
		}
	}
	for _, at := range b.before {
		for _, v := range old[at].Values {
			switch {
			case v.Op == kernel.GlobalID && v.Index == 0:
				id.Was = &kernel.Replacement{Text: kernel.Describe(v)}
				vs[v] = id
			case entered && b.recomputed[v.ID]:
				vs[v] = c.AppendLike(v, vs.all(v.Args)...)
			}
		}
	}
	return vs
}

// copy appends copies of the blocks of a region. vs holds copies of values of other
// regions. out makes the edges that leave the region, and end ends its returns.
func (b *builder) copy(old []*kernel.Block, region []int, vs values, out func(values, *kernel.Block, kernel.Edge) kernel.Edge, end func(*kernel.Block)) map[int]*kernel.Block {
	made := map[int]*kernel.Block{}
	for _, id := range region {
		o := old[id]
		c := b.f.NewBlock(o.Name)
		c.Pos, c.At, c.Unroll, c.Loop = o.Pos, o.At, o.Unroll, o.Loop
		made[id] = c
		for _, p := range o.Params {
			x := c.NewParam(p.Type, p.Name)
			x.Pos, x.Was = p.Pos, p.Was
			vs[p] = x
		}
	}
	for _, id := range region {
		o, c := old[id], made[id]
		for _, v := range o.Values {
			if vs[v] == nil {
				vs[v] = c.AppendLike(v, vs.all(v.Args)...)
			}
		}
		c.Kind, c.Cases = o.Kind, o.Cases
		if o.Cond != nil {
			c.Cond = vs.of(o.Cond)
		}
		for _, e := range o.Edges {
			if to := made[e.To.ID]; to != nil && !(e.To.ID == b.loop.Header) {
				c.Edges = append(c.Edges, kernel.Edge{To: to, Args: vs.all(e.Args), Rare: e.Rare})
			} else {
				c.Edges = append(c.Edges, out(vs, c, e))
			}
		}
		if o.Kind == kernel.Return {
			end(c)
		}
	}
	return made
}
