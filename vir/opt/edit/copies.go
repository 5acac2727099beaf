package edit

import (
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// Copies maps the values and blocks of copied blocks to their copies.
type Copies struct {
	To     map[*vir.Value]*vir.Value
	Blocks map[*vir.Block]*vir.Block
}

// CopyBlocks copies the blocks with the given IDs. Edges between them lead to the copies,
// except that edges to header keep their target.
func CopyBlocks(f *vir.Func, ids []int, header *vir.Block) Copies {
	c := Copies{map[*vir.Value]*vir.Value{}, map[*vir.Block]*vir.Block{}}
	for _, id := range ids { // all values first: ids are in no order
		b := f.Blocks[id]
		d := f.NewBlock(b.Name)
		d.Over, d.At = b.Over, b.At
		c.Blocks[b] = d
		for _, q := range b.Params {
			c.To[q] = d.NewParam(q.Type, q.Name)
		}
		for _, v := range b.Values {
			c.To[v] = CopyValue(d, v)
		}
	}
	for _, id := range ids {
		b := f.Blocks[id]
		d := c.Blocks[b]
		for _, v := range b.Values {
			c.To[v].Args = c.Of(v.Args)
		}
		d.Kind, d.Pos = b.Kind, b.Pos
		if b.Cond != nil {
			d.Cond = c.Of([]*vir.Value{b.Cond})[0]
		}
		for _, e := range b.Edges {
			e.Args = c.Of(e.Args)
			if to := c.Blocks[e.To]; to != nil && e.To != header {
				e.To = to
			}
			d.Edges = append(d.Edges, e)
		}
	}
	return c
}

// Of maps vs to the copy; values that were not copied stay.
func (c Copies) Of(vs []*vir.Value) []*vir.Value {
	out := make([]*vir.Value, len(vs))
	for i, v := range vs {
		if out[i] = v; c.To[v] != nil {
			out[i] = c.To[v]
		}
	}
	return out
}

// CopyValue appends to b an operation with the type and attributes of v and no operands.
func CopyValue(b *vir.Block, v *vir.Value) *vir.Value {
	n := b.Append(v.Op, v.Type)
	n.Const, n.Index, n.Disp, n.Scale, n.Align, n.Lanes = v.Const, v.Index, v.Disp, v.Scale, v.Align, v.Lanes
	n.Invariant, n.Volatile, n.Local, n.Readable = v.Invariant, v.Volatile, v.Local, v.Readable
	n.Object, n.Name, n.Pos, n.Origin = v.Object, v.Name, v.Pos, v.Origin
	return n
}

// Rematerializer computes values of a loop once more at the end of block B. Made maps the
// loop's parameters, and the values computed so far, to their values there.
type Rematerializer struct {
	Loop *analysis.SimpleLoop
	B    *vir.Block
	Made map[*vir.Value]*vir.Value
}

// Of returns v as computed in B.
func (r *Rematerializer) Of(v *vir.Value) *vir.Value {
	if r.Loop.Outside(v) {
		return v
	}
	if x := r.Made[v]; x != nil {
		return x
	}
	var args []*vir.Value
	for _, a := range v.Args {
		args = append(args, r.Of(a))
	}
	x := CopyValue(r.B, v)
	x.Args = args
	r.Made[v] = x
	return x
}

// CopiedLoop is a loop with the copies of its blocks, or of some of them.
type CopiedLoop struct {
	Blocks []*vir.Block // of the loop
	Copies []Copies     // of the same blocks
}

// BlocksOf returns the blocks of c, the header first.
func BlocksOf(f *vir.Func, c *cfg.Cycle) []*vir.Block {
	blocks := make([]*vir.Block, len(c.Blocks))
	for i, id := range c.Blocks {
		blocks[i] = f.Blocks[id]
	}
	return blocks
}

// MergeExitValues rewrites uses after loops of values that were copied: they read the value of
// whichever copy of the iteration left the loop. The loops have no block in common.
func MergeExitValues(f *vir.Func, loops ...CopiedLoop) {
	of := make([]int, len(f.Blocks)) // by block ID: 1 + the index of the loop that it, or what it is a copy of, belongs to
	for k, l := range loops {
		for _, b := range l.Blocks {
			of[b.ID] = k + 1
		}
		for _, c := range l.Copies {
			for _, d := range c.Blocks {
				of[d.ID] = k + 1
			}
		}
	}
	leaves := func(b *vir.Block, v *vir.Value) bool {
		if v == nil || v.Block == nil || of[v.Block.ID] == 0 || of[v.Block.ID] == of[b.ID] {
			return false
		}
		return loops[of[v.Block.ID]-1].Copies[0].To[v] != nil
	}
	outside := func(do func(b *vir.Block, v *vir.Value) *vir.Value) {
		for _, b := range f.Blocks {
			each := func(vs []*vir.Value) {
				for i, v := range vs {
					if leaves(b, v) {
						vs[i] = do(b, v)
					}
				}
			}
			for _, v := range b.Values {
				each(v.Args)
			}
			if leaves(b, b.Cond) {
				b.Cond = do(b, b.Cond)
			}
			for _, e := range b.Edges {
				each(e.Args)
			}
		}
	}
	ssa, variable := vir.NewVariables(f), map[*vir.Value]int{}
	outside(func(_ *vir.Block, v *vir.Value) *vir.Value {
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
		for _, c := range loops[of[v.Block.ID]-1].Copies {
			ssa.Write(c.Blocks[v.Block], x, c.To[v])
		}
	}
	ssa.SealAll()
	outside(func(b *vir.Block, v *vir.Value) *vir.Value { return ssa.Read(b, variable[v]) })
	ssa.Finish()
	vir.RemoveTrivialParams(f)
}
