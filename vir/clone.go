package vir

import "slices"

// Clone returns a copy of f that shares no mutable data with f.
//
// requires: dense IDs; maintains: f
func Clone(f *Func) *Func {
	c := *f
	c.Objects, c.NoAlias = slices.Clone(f.Objects), slices.Clone(f.NoAlias)
	c.Blocks, c.consts = nil, nil
	c.values, c.room = make([]*Value, 0, len(f.values)), make([]Value, len(f.values))
	blocks, made := make([]*Block, len(f.Blocks)), make([]*Value, len(f.values))
	for i, b := range f.Blocks {
		d := c.NewBlock(b.Name)
		d.Over, d.Pos, d.At = b.Over, b.Pos, b.At
		blocks[i] = d
		for _, v := range b.Params {
			x := d.NewParam(v.Type, v.Name)
			x.Pos = v.Pos
			made[v.ID] = x
		}
		for _, v := range b.Values {
			x := d.Append(v.Op, v.Type)
			id := x.ID
			*x = *v
			x.ID, x.Block, x.Args, x.Lanes = id, d, nil, slices.Clone(v.Lanes)
			made[v.ID] = x
		}
	}
	of := func(vs []*Value) []*Value {
		if vs == nil {
			return nil
		}
		out := make([]*Value, len(vs))
		for i, v := range vs {
			if v.Op == Const {
				out[i] = c.Const(v.Type, v.Const)
			} else {
				out[i] = made[v.ID]
			}
		}
		return out
	}
	for i, b := range f.Blocks {
		d := blocks[i]
		for j, v := range b.Values {
			d.Values[j].Args = of(v.Args)
		}
		d.Kind = b.Kind
		if b.Cond != nil {
			d.Cond = of([]*Value{b.Cond})[0]
		}
		for _, e := range b.Edges {
			e.To, e.Args = blocks[e.To.ID], of(e.Args)
			d.Edges = append(d.Edges, e)
		}
	}
	c.Renumber()
	return &c
}
