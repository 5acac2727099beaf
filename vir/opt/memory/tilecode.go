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

// addresses returns the addresses of the lanes of v without its displacement.
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

// tile rewrites the loop. Its tiles are in scratch memory from start on; it returns their end.
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
	chunk.Branch(l.hasWholeChunk(chunk, k), vir.Edge{To: fill}, vir.Edge{To: head, Args: params})
	end := l.layout(start)
	l.storeRowAddresses(fill, params)
	next := fill.Append(alu.Add, k.Type, k, f.Const(k.Type, uint64(l.Step)*uint64(l.iterations())))
	round := l.chunkLoop(func(params []*vir.Value) vir.Edge { // exit after the last iteration
		params[l.K.Index] = next
		out := vir.Edge{To: chunk, Args: params}
		if len(l.stores) == 0 {
			return out
		}
		write := f.NewBlock("write")
		l.forRowGroups(write, out, l.write)
		return vir.Edge{To: write}
	})
	enter := vir.Edge{To: round, Args: append(slices.Clone(params), f.Const(vir.Scalar(alu.I64), 0))}
	if len(l.loads) > 0 {
		l.forRowGroups(fill, enter, l.read)
	} else {
		fill.Jump(enter.To, enter.Args...)
	}
	return end
}

// column returns the size of one element of the row in all lanes.
func (l *rowLoop) column() int { return l.f.Width * l.size }

// layout assigns offsets in scratch memory, and returns their end.
func (l *rowLoop) layout(at int) int {
	all := slices.Concat(l.loads, l.stores)
	for _, r := range all {
		r.pointer, at = at, at+l.f.Width*8
	}
	for _, r := range all {
		r.place, at = at, at+l.n*l.column()
	}
	return at
}

// storeRowAddresses stores the addresses of the rows for the given values of the loop's parameters. Inactive lanes
// get the address of an active one.
func (l *rowLoop) storeRowAddresses(b *vir.Block, params []*vir.Value) {
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

// chunkLoop creates the loop over a chunk and returns its head, which has an additional parameter: the
// offset of the iteration's elements. leave returns the exit edge for the final parameters.
func (l *rowLoop) chunkLoop(leave func(params []*vir.Value) vir.Edge) *vir.Block {
	f, head := l.f, l.lp.Head
	c := edit.CopyBlocks(f, l.lp.Cycle.Blocks, head)
	again := c.Blocks[head]
	params := slices.Clone(again.Params)
	at := again.NewParam(vir.Scalar(alu.I64), "")
	from := again.NewValue(alu.Add, at.Type, l.scratch, at)
	on := again.NewValue(alu.Add, at.Type, at, f.Const(at.Type, uint64(l.perIteration*l.column())))
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

// forRowGroups inserts between b and next the code of do, once for every n rows. group is the offset of
// these rows in a column, in bytes.
func (l *rowLoop) forRowGroups(b *vir.Block, next vir.Edge, do func(b *vir.Block, group *vir.Value)) {
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

// hasWholeChunk returns whether a whole chunk of iterations is left at k, and some lane loads.
func (l *rowLoop) hasWholeChunk(b *vir.Block, k *vir.Value) *vir.Value {
	f, i1 := l.f, vir.Scalar(alu.I1)
	beforeLast := uint64(l.Step) * uint64(l.iterations()-1) // k of the last iteration minus k
	less, room := alu.Ule, beforeLast
	if l.Signed {
		less = alu.Sle
	}
	if l.Strict {
		room++
		less = map[alu.Op]alu.Op{alu.Sle: alu.Slt, alu.Ule: alu.Ult}[less]
	}
	left := b.Append(alu.Sub, k.Type, l.Limit, k)
	ok := b.Append(alu.And, i1, b.Append(less, i1, k, l.Limit), b.Append(alu.Ule, i1, f.Const(k.Type, room), left))
	masks := map[*vir.Value]bool{}
	for _, r := range l.loads {
		if m := r.mask(); m.Op != vir.Const && !masks[m] {
			masks[m] = true
			ok = b.Append(alu.And, i1, ok, b.Append(vir.Any, i1, m))
		}
	}
	return ok
}

// scratchAddresses returns base addresses in scratch memory for a group of rows: of their pointers, and of
// their part of the columns.
func (l *rowLoop) scratchAddresses(b *vir.Block, group *vir.Value) (pointers, columns *vir.Value) {
	i64 := vir.Scalar(alu.I64)
	shift := l.f.Const(i64, uint64(bits.TrailingZeros(uint(8/l.size))))
	return b.Append(alu.Add, i64, l.scratch, b.Append(alu.Shl, i64, group, shift)), b.Append(alu.Add, i64, l.scratch, group)
}

// columnAccess emits an access to a group's part of a column.
func (l *rowLoop) columnAccess(b *vir.Block, op vir.Op, t vir.Type, r *row, column int, args ...*vir.Value) *vir.Value {
	v := b.Append(op, t, append(args, l.f.Const(vir.Mask(l.n), 1))...)
	v.Disp, v.Align = int64(r.place+column*l.column()), min(l.n*l.size, 64)
	return v
}

// rowAccess emits an access to row i of a group.
func (l *rowLoop) rowAccess(b *vir.Block, op vir.Op, t vir.Type, r *row, i int, pointers *vir.Value, args ...*vir.Value) *vir.Value {
	p := b.Append(vir.Load, vir.Scalar(alu.I64), pointers)
	p.Disp, p.Align = int64(r.pointer+8*i), 8
	v := b.Append(op, t, slices.Concat([]*vir.Value{p}, args, []*vir.Value{l.f.Const(vir.Mask(l.n), 1)})...)
	v.Disp, v.Align, v.Pos, v.Origin = r.first, min(r.members[0].Align, l.size), r.members[0].Pos, r.members[0].Origin
	return v
}

// read loads tiles of n rows and keeps their columns.
func (l *rowLoop) read(b *vir.Block, group *vir.Value) {
	pointers, columns := l.scratchAddresses(b, group)
	for _, r := range l.loads {
		t := vir.Vec(r.members[0].Type.Elem, l.n)
		tile := make([]*vir.Value, l.n)
		for i := range tile {
			tile[i] = l.rowAccess(b, vir.VLoad, t, r, i, pointers)
		}
		for c, x := range transposed(b, tile, 16/l.size) {
			l.columnAccess(b, vir.VStore, vir.Type{}, r, c, columns, x)
		}
	}
}

// write stores tiles of n rows from the kept columns.
func (l *rowLoop) write(b *vir.Block, group *vir.Value) {
	pointers, columns := l.scratchAddresses(b, group)
	for _, r := range l.stores {
		t := vir.Vec(r.members[0].Accessed().Elem, l.n)
		tile := make([]*vir.Value, l.n)
		for c := range tile {
			tile[c] = l.columnAccess(b, vir.VLoad, t, r, c, columns)
			tile[c].Pos, tile[c].Origin = r.members[0].Pos, r.members[0].Origin
		}
		for i, x := range transposed(b, tile, 16/l.size) {
			l.rowAccess(b, vir.VStore, vir.Type{}, r, i, pointers, x)
		}
	}
}

// transposed transposes a square tile: first within blocks of as many elements as 16 bytes hold, by
// interleaving halves, then the blocks.
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
	// x[s*square+c] holds column c of each block of columns, for block s of rows.
	for m := square; m < n; m *= 2 {
		y := make([]*vir.Value, n)
		squares := n / square
		for c := range square {
			for s := 0; s < squares; s += 2 {
				p, q := x[s*square+c], x[(s+1)*square+c]
				for odd := range 2 {
					y[(s/2+odd*squares/2)*square+c] = join(p, q, func(i int) int {
						at := i / square // every other block of p and q
						return (2*at+odd)*square + i%square
					})
				}
			}
		}
		x = y
	}
	return x
}
