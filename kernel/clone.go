package kernel

import "slices"

// Clone returns a copy of f that shares no mutable data with f: blocks, values and
// constants are new and keep their IDs, names and positions. Data is shared, as no pass
// changes it.
//
// requires: dense IDs (Renumber)
func Clone(f *Func) *Func {
	c := *f
	c.room = nil
	c.Args = slices.Clone(f.Args)
	c.Data = slices.Clone(f.Data)
	c.Locals = slices.Clone(f.Locals)
	c.Barriers = slices.Clone(f.Barriers)
	c.Notes = slices.Clone(f.Notes)
	c.Blocks = make([]*Block, len(f.Blocks))
	c.values = make([]*Value, len(f.values))
	c.consts = make(map[constKey]*Value, len(f.consts))
	blocks := make([]Block, len(f.Blocks))
	for i, b := range f.Blocks {
		blocks[i] = *b
		c.Blocks[i] = &blocks[i]
		blocks[i].Func = &c
	}
	values := make([]Value, len(f.values))
	for i, v := range f.values {
		if v == nil {
			continue
		}
		values[i] = *v
		w := &values[i]
		c.values[i] = w
		if v.Block != nil {
			w.Block = c.Blocks[v.Block.ID]
		}
		if v.Op == Const {
			c.consts[constKey{v.Type, v.Const}] = w
		}
	}
	list := func(vs []*Value) []*Value {
		if vs == nil {
			return nil
		}
		out := make([]*Value, len(vs))
		for i, v := range vs {
			out[i] = c.values[v.ID]
		}
		return out
	}
	for i := range values {
		values[i].Args = list(values[i].Args)
	}
	for _, b := range c.Blocks {
		b.Params, b.Values, b.Cases = list(b.Params), list(b.Values), slices.Clone(b.Cases)
		if b.Cond != nil {
			b.Cond = c.values[b.Cond.ID]
		}
		b.Edges = slices.Clone(b.Edges)
		for i, e := range b.Edges {
			b.Edges[i].To, b.Edges[i].Args = c.Blocks[e.To.ID], list(e.Args)
		}
	}
	c.Kept = nil
	for _, k := range f.Kept {
		if id := k.Object.ID; id < len(f.values) && f.values[id] == k.Object { // not removed
			k.Object = c.values[id]
			c.Kept = append(c.Kept, k)
		}
	}
	return &c
}
