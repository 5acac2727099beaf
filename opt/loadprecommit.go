package opt

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// edgeGroup is a set of edges to one block that pass equal values for its new parameters.
type edgeGroup struct {
	edges  []InEdge
	values []*kernel.Value // by parameter; nil where a load is needed
	from   []address       // of that load
	loads  bool
}

// commit inserts the parameters and the loads.
func (c *loadPRE) commit() int {
	c.pads = map[*kernel.Value]*[2]int{}
	var blocks []*kernel.Block
	var kept []*preParam
	into := map[*kernel.Block][]*preParam{}
	for _, x := range c.all {
		if x.dropped {
			continue
		}
		kept = append(kept, x)
		if into[x.block] == nil {
			blocks = append(blocks, x.block)
		}
		into[x.block] = append(into[x.block], x)
	}
	groups := make([][]*edgeGroup, len(blocks)) // all computed before the code changes
	for i, b := range blocks {
		groups[i] = c.edgeGroups(b, into[b])
	}
	for i, b := range blocks {
		for _, a := range groups[i] {
			c.passArgs(b, into[b], a)
		}
		for _, x := range into[b] {
			x.param.Index = len(b.Params)
			b.Params = append(b.Params, x.param)
		}
	}
	c.padObjects(kept)
	c.fw.assumed = map[*kernel.Block][]cell{}
	for _, x := range kept {
		c.fw.assumed[x.block] = append(c.fw.assumed[x.block], cell{x.at, x.typ.Size(), x.param, -1})
	}
	return len(kept)
}

// edgeGroups groups the edges to b by the values that they pass for xs.
func (c *loadPRE) edgeGroups(b *kernel.Block, xs []*preParam) []*edgeGroup {
	var all []*edgeGroup
	for _, e := range c.in[b.ID] {
		a := &edgeGroup{edges: []InEdge{e}, values: make([]*kernel.Value, len(xs)), from: make([]address, len(xs))}
		for i, x := range xs {
			if a.values[i] = c.available(x, e); a.values[i] != nil {
				continue
			}
			a.loads, a.from[i] = true, translate(x.location, e.Edge())
			below, above, _ := c.overrun(x, e)
			pad := c.pads[x.at.object]
			if pad == nil {
				pad = &[2]int{}
				c.pads[x.at.object] = pad
			}
			pad[0], pad[1] = max(pad[0], below), max(pad[1], above)
		}
		inside := c.dom.Dominates(b.ID, e.From.ID)
		i := slices.IndexFunc(all, func(o *edgeGroup) bool {
			return o.loads && slices.Equal(o.values, a.values) && slices.Equal(o.from, a.from) &&
				inside == c.dom.Dominates(b.ID, o.edges[0].From.ID)
		})
		if i >= 0 {
			all[i].edges = append(all[i].edges, e)
		} else {
			all = append(all, a)
		}
	}
	return all
}

// passArgs appends the arguments for xs, the next parameters of b, to the edges of a.
func (c *loadPRE) passArgs(b *kernel.Block, xs []*preParam, a *edgeGroup) {
	first := a.edges[0]
	edge, at := first.Edge(), first.From
	if a.loads && (len(a.edges) > 1 || len(at.Edges) > 1) {
		at = c.fw.f.NewBlock("")
		at.Pos = first.From.Pos
		if len(a.edges) > 1 { // one block for the group
			var args []*kernel.Value
			for _, p := range b.Params {
				args = append(args, at.NewParam(p.Type, p.Name))
			}
			at.Jump(b, args...)
		} else {
			at.Jump(b, edge.Args...)
			edge.Args = nil
		}
		for _, e := range a.edges {
			e.Edge().To = at
		}
		edge = &at.Edges[0]
	}
	for i, x := range xs {
		v := a.values[i]
		if v == nil {
			v = c.insert(at, x, a.from[i])
		}
		edge.Args = append(edge.Args, v)
	}
}

// insert appends a load of x from the address a to b.
func (c *loadPRE) insert(b *kernel.Block, x *preParam, a address) *kernel.Value {
	op := func(op kernel.Op, t kernel.Type, args ...*kernel.Value) *kernel.Value {
		v := b.Append(op, t, args...)
		v.Pos = x.load.Pos
		return v
	}
	konst := func(n int) *kernel.Value { return c.fw.f.Const(alu.I64, uint64(int64(n))) }
	p := a.object
	if o := a.base; o.Type == p.Type { // the object or a pointer into it
		p = o
	} else {
		if o.Type.Bits() < 64 {
			o = op(extension(o.Type), alu.I64, o)
		}
		if s := a.scale; s&(s-1) != 0 {
			o = op(alu.Mul, alu.I64, o, konst(s))
		} else if s > 1 {
			o = op(alu.Shl, alu.I64, o, konst(bits.TrailingZeros(uint(s))))
		}
		p = op(kernel.PtrAdd, p.Type, p, o)
	}
	if a.at != 0 {
		p = op(kernel.PtrAdd, p.Type, p, konst(a.at))
	}
	v := op(kernel.Load, x.typ, p)
	v.Count, v.Align, v.Name = 1, x.load.Align, x.load.Name
	return v
}

// padObjects enlarges objects by their padding and adjusts the locations of kept.
func (c *loadPRE) padObjects(kept []*preParam) {
	entry := c.fw.f.Blocks[0]
	r := NewReplacer(c.fw.f)
	var out, moved, from []*kernel.Value
	for _, v := range entry.Values {
		out = append(out, v)
		pad := c.pads[v]
		if pad == nil || pad[0]+pad[1] == 0 {
			continue
		}
		unit := max(v.Align, 16)
		below := (pad[0] + unit - 1) / unit * unit
		around := below + (pad[1]+15)&^15
		v.Size, v.Count = v.Size+around, v.Count+around
		if below == 0 {
			continue
		}
		v.Members = slices.Clone(v.Members)
		for i := range v.Members {
			v.Members[i].At += below
		}
		p := entry.NewValue(kernel.PtrAdd, v.Type, v, c.fw.f.Const(alu.I64, uint64(below)))
		p.Pos = v.Pos
		out = append(out, p)
		r.Set(v, p)
		moved, from = append(moved, p), append(from, v)
		for _, x := range kept {
			if x.at.object == v {
				x.at.at += below
			}
		}
	}
	entry.Values = out
	r.Apply(c.fw.f)
	for i, p := range moved { // whose own operand was replaced, too
		p.Args[0] = from[i]
	}
}
