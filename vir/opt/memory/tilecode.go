package memory

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
)

// scratchOf returns the address of the scratch memory, loaded in the entry block.
func scratchOf(f *vir.Func) *vir.Value {
	entry := f.Blocks[0]
	var context *vir.Value
	for _, v := range entry.Values {
		if v.Op == vir.Context {
			context = v
		}
	}
	if context == nil {
		context = entry.Append(vir.Context, vir.Scalar(alu.I64))
	}
	v := entry.Append(vir.Load, vir.Scalar(alu.I64), context)
	v.Disp, v.Align, v.Invariant = vir.CtxScratch, 8, true
	return v
}

// addresses returns the address of each lane of v less its displacement, made by r.
func (l *rowLoop) addresses(r *edit.Rematerializer, v *vir.Value) *vir.Value {
	t := vir.Vec(alu.I64, l.f.Width)
	x := r.Of(v.Args[1])
	if x.Type != t {
		x = r.B.Append(alu.SExt, t, x)
	}
	if v.Scale > 1 {
		x = r.B.Append(alu.Shl, t, x, l.f.Const(t, uint64(bits.TrailingZeros(uint(v.Scale)))))
	}
	return r.B.Append(alu.Add, t, r.B.Append(vir.Splat, t, r.Of(v.Args[0])), x)
}

// tile changes the loop. Its tiles lie in scratch memory from start on; it
// returns where they end.
func (l *rowLoop) tile(start int) int {
	f, head := l.f, l.lp.Head
	chunk, fill := f.NewBlock("chunk"), f.NewBlock("fill")
	var params []*vir.Value
	for _, p := range head.Params {
		params = append(params, chunk.NewParam(p.Type, p.Name))
	}
	for _, e := range l.lp.Entry {
		e.Edge().To = chunk
	}
	k := params[l.K.Index]
	chunk.Branch(l.whole(chunk, k), vir.Edge{To: fill}, vir.Edge{To: head, Args: params})
	end := l.lay(start)
	l.point(fill, params)
	next := fill.Append(alu.Add, k.Type, k, f.Const(k.Type, uint64(l.Step)*uint64(l.rounds())))
	round := l.round(func(params []*vir.Value) vir.Edge { // behind the last one
		params[l.K.Index] = next
		out := vir.Edge{To: chunk, Args: params}
		if len(l.stores) == 0 {
			return out
		}
		write := f.NewBlock("write")
		l.byGroups(write, out, l.write)
		return vir.Edge{To: write}
	})
	enter := vir.Edge{To: round, Args: append(slices.Clone(params), f.Const(vir.Scalar(alu.I64), 0))}
	if len(l.loads) > 0 {
		l.byGroups(fill, enter, l.read)
	} else {
		fill.Jump(enter.To, enter.Args...)
	}
	return end
}

// column is how many bytes of scratch memory an element of the row has in all lanes.
func (l *rowLoop) column() int { return l.f.Width * l.size }

// lay finds places in scratch memory, and where they end.
func (l *rowLoop) lay(at int) int {
	all := slices.Concat(l.loads, l.stores)
	for _, r := range all {
		r.pointer, at = at, at+l.f.Width*8
	}
	for _, r := range all {
		r.place, at = at, at+l.n*l.column()
	}
	return at
}

// point keeps the addresses where rows go on when the loop's parameters are as given.
// Inactive lanes load what an active one does.
func (l *rowLoop) point(b *vir.Block, params []*vir.Value) {
	here := &edit.Rematerializer{Loop: l.lp, B: b, Made: map[*vir.Value]*vir.Value{}}
	for i, p := range l.lp.Head.Params {
		here.Made[p] = params[i]
	}
	for _, r := range slices.Concat(l.loads, l.stores) {
		rows := l.addresses(here, r.members[0])
		if m := r.mask(); m.Op != vir.Const {
			active := b.Append(vir.Splat, rows.Type, b.Append(vir.First, vir.Scalar(alu.I64), rows, m))
			rows = b.Append(alu.Select, rows.Type, m, rows, active)
		}
		s := b.Append(vir.VStore, vir.Type{}, l.scratch, rows, l.f.Const(vir.Mask(l.f.Width), 1))
		s.Disp, s.Align = int64(r.pointer), min(l.f.Width*8, 64)
	}
}

// round makes the loop for a chunk and returns its head, which has one parameter
// more: where the round's elements lie. leave returns the way out of it, given
// what the parameters are by then.
func (l *rowLoop) round(leave func(params []*vir.Value) vir.Edge) *vir.Block {
	f, head := l.f, l.lp.Head
	c := edit.CopyBlocks(f, l.lp.Cycle.Blocks, head)
	again := c.Blocks[head]
	params := slices.Clone(again.Params)
	at := again.NewParam(vir.Scalar(alu.I64), "")
	from := again.NewValue(alu.Add, at.Type, l.scratch, at)
	on := again.NewValue(alu.Add, at.Type, at, f.Const(at.Type, uint64(l.each*l.column())))
	more := again.NewValue(alu.Slt, vir.Scalar(alu.I1), at, f.Const(at.Type, uint64(l.n*l.column())))
	again.Values = append([]*vir.Value{from, on, more}, again.Values...)
	again.Branch(more, again.Edges[l.Stay], leave(params))
	latch := c.Blocks[l.lp.Latch]
	for i, e := range latch.Edges {
		if e.To == head {
			latch.Edges[i] = vir.Edge{To: again, Args: append(e.Args, on)}
		}
	}
	for _, r := range slices.Concat(l.loads, l.stores) {
		for _, v := range r.members {
			x := c.To[v]
			if x.Op == vir.Gather {
				x.Op, x.Args = vir.VLoad, []*vir.Value{from, x.Args[2]}
			} else {
				x.Op, x.Args = vir.VStore, []*vir.Value{from, x.Args[2], x.Args[3]}
			}
			x.Disp, x.Scale, x.Align = int64(r.place)+(v.Disp-r.first)*int64(f.Width), 0, min(l.column(), 64)
		}
	}
	return again
}

// byGroups goes on from b with what do makes for n rows at a time, and then to
// next. The group is the place of its part of a column, in bytes.
func (l *rowLoop) byGroups(b *vir.Block, next vir.Edge, do func(b *vir.Block, group *vir.Value)) {
	f, i64 := l.f, vir.Scalar(alu.I64)
	zero := f.Const(i64, 0)
	if f.Width == l.n {
		do(b, zero)
		b.Jump(next.To, next.Args...)
		return
	}
	rows := f.NewBlock("rows")
	b.Jump(rows, zero)
	group := rows.NewParam(i64, "")
	do(rows, group)
	step := rows.Append(alu.Add, i64, group, f.Const(i64, uint64(l.n*l.size)))
	more := rows.Append(alu.Slt, vir.Scalar(alu.I1), step, f.Const(i64, uint64(l.column())))
	rows.Branch(more, vir.Edge{To: rows, Args: []*vir.Value{step}}, next)
}

// whole returns whether from k on there are as many rounds as a chunk has, and
// lanes that load.
func (l *rowLoop) whole(b *vir.Block, k *vir.Value) *vir.Value {
	f, i1 := l.f, vir.Scalar(alu.I1)
	ahead := uint64(l.Step) * uint64(l.rounds()-1) // of the last round
	less, least := alu.Ule, ahead
	if l.Signed {
		less = alu.Sle
	}
	if l.Strict {
		least++
		less = map[alu.Op]alu.Op{alu.Sle: alu.Slt, alu.Ule: alu.Ult}[less]
	}
	room := b.Append(alu.Sub, k.Type, l.Limit, k)
	ok := b.Append(alu.And, i1, b.Append(less, i1, k, l.Limit), b.Append(alu.Ule, i1, f.Const(k.Type, least), room))
	masks := map[*vir.Value]bool{}
	for _, r := range l.loads {
		if m := r.mask(); m.Op != vir.Const && !masks[m] {
			masks[m] = true
			ok = b.Append(alu.And, i1, ok, b.Append(vir.Any, i1, m))
		}
	}
	return ok
}

// places returns the addresses in scratch memory that displacements are added to:
// of the pointers of the rows of a group, and of their part of columns.
func (l *rowLoop) places(b *vir.Block, group *vir.Value) (pointers, columns *vir.Value) {
	i64 := vir.Scalar(alu.I64)
	shift := l.f.Const(i64, uint64(bits.TrailingZeros(uint(8/l.size))))
	return b.Append(alu.Add, i64, l.scratch, b.Append(alu.Shl, i64, group, shift)), b.Append(alu.Add, i64, l.scratch, group)
}

// part places an access to the part of a column that a group of rows has.
func (l *rowLoop) part(b *vir.Block, op vir.Op, t vir.Type, r *row, column int, args ...*vir.Value) *vir.Value {
	v := b.Append(op, t, append(args, l.f.Const(vir.Mask(l.n), 1))...)
	v.Disp, v.Align = int64(r.place+column*l.column()), min(l.n*l.size, 64)
	return v
}

// whereRow places an access to row i of a group.
func (l *rowLoop) whereRow(b *vir.Block, op vir.Op, t vir.Type, r *row, i int, pointers *vir.Value, args ...*vir.Value) *vir.Value {
	p := b.Append(vir.Load, vir.Scalar(alu.I64), pointers)
	p.Disp, p.Align = int64(r.pointer+8*i), 8
	v := b.Append(op, t, slices.Concat([]*vir.Value{p}, args, []*vir.Value{l.f.Const(vir.Mask(l.n), 1)})...)
	v.Disp, v.Align, v.Pos, v.Origin = r.first, min(r.members[0].Align, l.size), r.members[0].Pos, r.members[0].Origin
	return v
}

// read loads tiles of n rows and keeps their columns.
func (l *rowLoop) read(b *vir.Block, group *vir.Value) {
	pointers, columns := l.places(b, group)
	for _, r := range l.loads {
		t := vir.Vec(r.members[0].Type.Elem, l.n)
		tile := make([]*vir.Value, l.n)
		for i := range tile {
			tile[i] = l.whereRow(b, vir.VLoad, t, r, i, pointers)
		}
		for c, x := range transposed(b, tile, 16/l.size) {
			l.part(b, vir.VStore, vir.Type{}, r, c, columns, x)
		}
	}
}

// write stores tiles of n rows from columns that were kept.
func (l *rowLoop) write(b *vir.Block, group *vir.Value) {
	pointers, columns := l.places(b, group)
	for _, r := range l.stores {
		t := vir.Vec(r.members[0].Accessed().Elem, l.n)
		tile := make([]*vir.Value, l.n)
		for c := range tile {
			tile[c] = l.part(b, vir.VLoad, t, r, c, columns)
			tile[c].Pos, tile[c].Origin = r.members[0].Pos, r.members[0].Origin
		}
		for i, x := range transposed(b, tile, 16/l.size) {
			l.whereRow(b, vir.VStore, vir.Type{}, r, i, pointers, x)
		}
	}
}

// transposed returns the columns of a square tile by its rows: first those of the
// squares of so many elements as 16 bytes have, by interleaving halves of what
// lies in 16 bytes, then squares for elements.
func transposed(b *vir.Block, x []*vir.Value, square int) []*vir.Value {
	n := len(x)
	join := func(p, q *vir.Value, lane func(i int) int) *vir.Value {
		v := b.Append(vir.Shuffle, p.Type, p, q)
		v.Pos, v.Origin = p.Pos, p.Origin
		for i := range n {
			v.Lanes = append(v.Lanes, lane(i))
		}
		return v
	}
	square = min(square, n)
	for m := 1; m < square; m *= 2 {
		y := make([]*vir.Value, n)
		for s := 0; s < n; s += square {
			for i := range square / 2 {
				p, q := x[s+i], x[s+i+square/2]
				for half := range 2 {
					y[s+2*i+half] = join(p, q, func(i int) int {
						at := i % square
						return i - at + half*square/2 + at/2 + at%2*n
					})
				}
			}
		}
		x = y
	}
	// x[s*square+c] has column c of its rows in each square of columns.
	for m := square; m < n; m *= 2 {
		y := make([]*vir.Value, n)
		squares := n / square
		for c := range square {
			for s := 0; s < squares; s += 2 {
				p, q := x[s*square+c], x[(s+1)*square+c]
				for odd := range 2 {
					y[(s/2+odd*squares/2)*square+c] = join(p, q, func(i int) int {
						at := i / square // of the squares of p and q, every other
						return (2*at+odd)*square + i%square
					})
				}
			}
		}
		x = y
	}
	return x
}
