package deferral

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// field returns the type in which v is saved.
func (s *split) field(v *kernel.Value) kernel.Type {
	switch {
	case v.Op == kernel.GlobalID && !s.far:
		return alu.I32
	case v.Type == alu.I1:
		return alu.I8
	case v.Type.IsPtr():
		return alu.I64
	}
	return v.Type
}

// arguments appends the arguments for the count and the fields to f, and returns the index
// of the first.
func (s *split) arguments(f *kernel.Func) (first int) {
	first = len(f.Args)
	for i := range len(s.kept) + 1 {
		f.Args = append(f.Args, kernel.Arg{
			Name: "queue", CType: "__global uchar*", Kind: kernel.ArgBuffer, Type: alu.PtrGlobal, Elem: "uchar", Count: 1,
			Size: 8, Align: 8, Offset: FirstArg + 8*i,
		})
	}
	return first
}

// place appends to b the address of field k of the queue entry q.
func (s *split) place(b *kernel.Block, first, k int, q *kernel.Value) *kernel.Value {
	f := b.Func
	base := b.Append(kernel.Argument, alu.PtrGlobal)
	base.Index = first + 1 + k
	size := s.field(s.kept[k]).Size()
	return b.Append(kernel.PtrAdd, alu.PtrGlobal, base, b.Append(alu.Mul, alu.I64, q, f.Const(alu.I64, uint64(size))))
}

// now makes f, a copy, save the state of lanes that take the deferred arm.
func (s *split) now(f *kernel.Func) {
	first := s.arguments(f)
	b := f.NewBlock("defer")
	count := b.Append(kernel.Argument, alu.PtrGlobal)
	count.Index = first
	at := b.Append(kernel.Atomic, alu.I32, count, f.Const(alu.I32, 1))
	at.Index, at.Align, at.Name = int(alu.RMWAdd), 4, "queued"
	q := b.Append(alu.ZExt, alu.I64, at)
	for k, v := range s.kept {
		x, t := f.Value(v.ID), s.field(v)
		switch {
		case v.Type.IsPtr():
			x = b.Append(alu.Bitcast, t, x)
		case v.Type == alu.I1:
			x = b.Append(alu.ZExt, t, x)
		case v.Type != t:
			x = b.Append(alu.Trunc, t, x)
		}
		st := b.Append(kernel.Store, alu.Void, s.place(b, first, k, q), x)
		st.Count, st.Align = 1, t.Size()
	}
	for _, v := range b.Values {
		v.Pos = f.Blocks[s.block].Pos
	}
	branch := f.Blocks[s.block]
	if other := branch.Edges[1-s.edge]; s.runsBoth {
		b.Jump(other.To, slices.Clone(other.Args)...)
	} else {
		b.Return()
	}
	branch.Edges[s.edge] = kernel.Edge{To: b, Rare: true}
}

// later makes f, a copy, start at the deferred arm with the saved state.
func (s *split) later(f *kernel.Func) {
	first := s.arguments(f)
	b := &kernel.Block{Name: "deferred", Func: f}
	q := b.Append(kernel.GlobalID, alu.I64)
	known := opt.NewReplacer(f)
	for k, v := range s.kept {
		from, t := len(b.Values), s.field(v)
		x := b.Append(kernel.Load, t, s.place(b, first, k, q))
		x.Count, x.Align = 1, t.Size()
		switch {
		case v.Type.IsPtr():
			x = b.Append(alu.Bitcast, v.Type, x)
		case v.Type == alu.I1:
			x = b.Append(alu.Ne, alu.I1, x, f.Const(t, 0))
		case v.Type != t:
			x = b.Append(alu.SExt, v.Type, x)
		}
		x.Name = v.Name
		for _, y := range b.Values[from:] {
			y.Pos = v.Pos
		}
		known.Set(f.Value(v.ID), x)
	}
	// Reverse postorder visits operands first: the blocks dominate each other.
	for _, id := range f.Graph().ReversePostOrder() {
		for _, v := range f.Blocks[id].Values {
			if s.made[v.ID] && !s.after[id] {
				x := b.AppendLike(v, slices.Clone(v.Args)...)
				known.Args(x)
				known.Set(v, x)
			}
		}
	}
	edge := f.Blocks[s.block].Edges[s.edge]
	b.Jump(edge.To, slices.Clone(edge.Args)...)
	f.Blocks = append([]*kernel.Block{b}, f.Blocks...)
	for i, c := range f.Blocks {
		c.ID = i
	}
	known.Apply(f)
}
