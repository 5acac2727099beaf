package vir

import "slices"

// Adopt appends copies of g's blocks to those of f and returns them.
//
// maintains: g
func (f *Func) Adopt(g *Func) []*Block {
	to := make([]*Value, g.NumValues())
	blocks := make([]*Block, len(g.Blocks))
	for i, b := range g.Blocks {
		d := f.NewBlock(b.Name)
		d.Kind, d.Pos, d.At, d.Over = b.Kind, b.Pos, b.At, b.Over
		for _, p := range b.Params {
			to[p.ID] = d.NewParam(p.Type, p.Name)
			to[p.ID].Pos = p.Pos
		}
		for _, v := range b.Values {
			n := d.Append(v.Op, v.Type)
			id := n.ID
			*n = *v
			n.ID, n.Block = id, d
			to[v.ID] = n
		}
		blocks[i] = d
	}
	of := func(vs []*Value) []*Value {
		vs = slices.Clone(vs)
		for i, v := range vs {
			if v.Op == Const {
				vs[i] = f.Const(v.Type, v.Const)
			} else {
				vs[i] = to[v.ID]
			}
		}
		return vs
	}
	for i, b := range g.Blocks {
		d := blocks[i]
		for _, v := range d.Values {
			v.Args = of(v.Args)
		}
		if b.Cond != nil {
			d.Cond = of([]*Value{b.Cond})[0]
		}
		for _, e := range b.Edges {
			d.Edges = append(d.Edges, Edge{To: blocks[e.To.ID], Args: of(e.Args), Rare: e.Rare})
		}
	}
	return blocks
}
