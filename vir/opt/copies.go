package opt

import "github.com/simtc/simtc/vir"

// copies are blocks that are there twice.
type copies struct {
	to     map[*vir.Value]*vir.Value
	blocks map[*vir.Block]*vir.Block
}

// copyBlocks copies blocks by their IDs. Among the copies edges lead to copies,
// but those to the header lead to itself.
func copyBlocks(f *vir.Func, ids []int, header *vir.Block) copies {
	c := copies{map[*vir.Value]*vir.Value{}, map[*vir.Block]*vir.Block{}}
	for _, id := range ids { // all values first: the blocks are in no order
		b := f.Blocks[id]
		d := f.NewBlock(b.Name)
		d.Over, d.At = b.Over, b.At
		c.blocks[b] = d
		for _, q := range b.Params {
			c.to[q] = d.NewParam(q.Type, q.Name)
		}
		for _, v := range b.Values {
			c.to[v] = copyOf(d, v)
		}
	}
	for _, id := range ids {
		b := f.Blocks[id]
		d := c.blocks[b]
		for _, v := range b.Values {
			c.to[v].Args = c.of(v.Args)
		}
		d.Kind, d.Pos = b.Kind, b.Pos
		if b.Cond != nil {
			d.Cond = c.of([]*vir.Value{b.Cond})[0]
		}
		for _, e := range b.Edges {
			e.Args = c.of(e.Args)
			if to := c.blocks[e.To]; to != nil && e.To != header {
				e.To = to
			}
			d.Edges = append(d.Edges, e)
		}
	}
	return c
}

// of returns what stands for vs in the copy.
func (c copies) of(vs []*vir.Value) []*vir.Value {
	out := make([]*vir.Value, len(vs))
	for i, v := range vs {
		if out[i] = v; c.to[v] != nil {
			out[i] = c.to[v]
		}
	}
	return out
}

// copyOf places an operation like v at the end of b.
func copyOf(b *vir.Block, v *vir.Value) *vir.Value {
	n := b.Append(v.Op, v.Type)
	n.Const, n.Index, n.Disp, n.Scale, n.Align, n.Lanes = v.Const, v.Index, v.Disp, v.Scale, v.Align, v.Lanes
	n.Invariant, n.Volatile, n.Local, n.Object, n.Ahead, n.Name, n.Pos, n.Origin = v.Invariant, v.Volatile, v.Local, v.Object, v.Ahead, v.Name, v.Pos, v.Origin
	return n
}

// remaker makes values of a loop once more in another block, for what made says of
// its parameters.
type remaker struct {
	lp   *simpleLoop
	b    *vir.Block
	made map[*vir.Value]*vir.Value
}

// of returns what stands for v.
func (r *remaker) of(v *vir.Value) *vir.Value {
	if r.lp.outside(v) {
		return v
	}
	if x := r.made[v]; x != nil {
		return x
	}
	var args []*vir.Value
	for _, a := range v.Args {
		args = append(args, r.of(a))
	}
	x := copyOf(r.b, v)
	x.Args = args
	r.made[v] = x
	return x
}

// mergeLeaving makes uses behind a loop uses of what the round that left it
// computed: in the loop's own blocks or in copies of them.
func mergeLeaving(f *vir.Func, inside func(*vir.Block) bool, more []copies) {
	copied, copies := make([]bool, len(f.Blocks)), make([]bool, len(f.Blocks))
	for _, c := range more {
		for b, d := range c.blocks {
			copied[b.ID], copies[d.ID] = true, true
		}
	}
	leaves := func(v *vir.Value) bool {
		return v != nil && v.Block != nil && copied[v.Block.ID] && more[0].to[v] != nil
	}
	behind := func(do func(b *vir.Block, v *vir.Value) *vir.Value) {
		for _, b := range f.Blocks {
			if inside(b) || copies[b.ID] {
				continue
			}
			each := func(vs []*vir.Value) {
				for i, v := range vs {
					if leaves(v) {
						vs[i] = do(b, v)
					}
				}
			}
			for _, v := range b.Values {
				each(v.Args)
			}
			if leaves(b.Cond) {
				b.Cond = do(b, b.Cond)
			}
			for _, e := range b.Edges {
				each(e.Args)
			}
		}
	}
	ssa, variable := vir.NewVariables(f), map[*vir.Value]int{}
	behind(func(_ *vir.Block, v *vir.Value) *vir.Value {
		if _, ok := variable[v]; !ok {
			variable[v] = ssa.Declare(v.Type, v.Name)
		}
		return v
	})
	if len(variable) == 0 {
		return
	}
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			ssa.Connect(b, e.To)
		}
	}
	for v, x := range variable {
		ssa.Write(v.Block, x, v)
		for _, c := range more {
			ssa.Write(c.blocks[v.Block], x, c.to[v])
		}
	}
	for _, b := range f.Blocks {
		ssa.Seal(b)
	}
	behind(func(b *vir.Block, v *vir.Value) *vir.Value { return ssa.Read(b, variable[v]) })
	ssa.Finish()
	vir.RemoveTrivialParams(f)
}
