package vir

// Adopt moves the blocks of g behind those of f and returns the first of them. g is
// used up.
func (f *Func) Adopt(g *Func) *Block {
	own := func(vs []*Value) {
		for i, v := range vs {
			if v.Op == Const {
				vs[i] = f.Const(v.Type, v.Const)
			}
		}
	}
	for _, b := range g.Blocks {
		b.Func = f
		for _, v := range b.Values {
			own(v.Args)
		}
		if b.Cond != nil && b.Cond.Op == Const {
			b.Cond = f.Const(b.Cond.Type, b.Cond.Const)
		}
		for _, e := range b.Edges {
			own(e.Args)
		}
	}
	first := g.Blocks[0]
	f.Blocks = append(f.Blocks, g.Blocks...)
	g.Blocks, g.values, g.consts = nil, nil, nil
	return first
}
