package opt

import (
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// Tiles loads whole rows where each lane goes along a row of its own, one or a
// few elements every round of a loop, as in a[i*n+k]. For some rounds at a time it
// loads n elements of each row, turns the n*n tiles round in registers, and keeps
// them in scratch memory, a vector for each element of a row:
//
//	chunk(k):  so many rounds more? fill : loop
//	fill:      for n rows at a time: load, transpose, store
//	round:     the loop's body, vectors in place of gathers; then chunk(k+rounds)
//	loop:      as it was, for what is left
//
// A gather costs more than the load and the four or so shuffles that an element
// of a tile costs. All rounds of a chunk take place, so nothing is loaded that
// the loop would not load; nothing that the loop stores may be what it loads.
//
// requires: no unreachable blocks
// maintains: what f computes; a reducible graph stays so
// breaks: Func.Scratch grows
func Tiles(f *vir.Func, stats Stats) {
	if f.Width < leastRows || f.Phases { // a strip's memory lies elsewhere in each phase
		return
	}
	g := f.Graph()
	cycles := cfg.Cycles(g)
	var dom *cfg.DomTree
	var in [][]inEdge
	var all []*rowLoop
	objects := newObjects(f)
	for _, c := range cycles.Cycles {
		if len(c.Children) > 0 || !gathersIn(f, c) {
			continue
		}
		if dom == nil {
			dom, in = cfg.Dominators(g), inEdges(f)
		}
		if l := findRows(f, cycles, dom, findLoop(f, cycles, in, c), objects); l != nil {
			all = append(all, l)
		}
	}
	if len(all) == 0 {
		return
	}
	start := (f.Scratch + 63) &^ 63
	scratch := scratchOf(f)
	for _, l := range all {
		l.scratch = scratch
		f.Scratch = max(f.Scratch, l.tile(start))
		for _, r := range l.rows {
			stats.add("tiled gathers", len(r.gathers))
		}
	}
	f.Renumber()
}

const (
	leastRows    = 4  // of a tile
	mostRows     = 16 // of a tile, which is so many times the binary logarithm shuffles
	rowBytes     = 64 // at most, that a tile has of a row
	leastRow     = 16 // bytes
	leastRounds  = 4  // of a chunk
	mostTiled    = 4  // rows of each lane
	mostRowBody  = 96 // operations of a loop, which is copied
	mostRowSteps = 64 // that a subscript may grow by each round
)

func gathersIn(f *vir.Func, c *cfg.Cycle) bool {
	for _, id := range c.Blocks {
		for _, v := range f.Blocks[id].Values {
			if v.Op == vir.Gather {
				return true
			}
		}
	}
	return false
}

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

// rowLoop is an innermost loop that goes on while k is below a limit, with
// gathers that go along rows.
type rowLoop struct {
	f       *vir.Func
	cycles  *cfg.CycleForest
	lp      *simpleLoop
	stay    int // which edge of the head's branch goes on
	k       *vir.Value
	limit   *vir.Value
	step    int64 // by which k grows
	strict  bool  // the limit itself is not reached
	signed  bool  // the comparison is
	size    int   // bytes of an element
	n       int   // rows and columns of a tile
	each    int   // elements of a row that a round goes on by
	rows    []*row
	slopes  map[*vir.Value]slope
	scratch *vir.Value
}

// row is what gathers load that differ in their displacements alone: in each
// lane each elements side by side.
type row struct {
	gathers []*vir.Value
	first   int64 // the least displacement
	last    int64
	pointer int // where the lanes' addresses lie in scratch memory
	place   int // and where the tiles do
}

// like reports whether v may be of the row.
func (r *row) like(v *vir.Value) bool {
	x := r.gathers[0]
	return v.Args[0] == x.Args[0] && v.Args[1] == x.Args[1] && v.Args[2] == x.Args[2] && v.Scale == x.Scale
}

// slope is by how much a value grows each round, modulo the numbers of its type.
type slope struct {
	by    int64
	known bool
}

// findRows returns the loop if it can be tiled.
func findRows(f *vir.Func, cycles *cfg.CycleForest, dom *cfg.DomTree, lp *simpleLoop, objects *objects) *rowLoop {
	if lp == nil || lp.head == lp.latch || lp.head.Kind != vir.Branch {
		return nil
	}
	l := &rowLoop{f: f, cycles: cycles, lp: lp, stay: -1, slopes: map[*vir.Value]slope{}}
	if !l.findCounter() {
		return nil
	}
	body := 0
	var writes []*vir.Value
	for _, id := range lp.cycle.Blocks {
		b := f.Blocks[id]
		for _, e := range b.Edges {
			if b != lp.head && !cycles.Contains(lp.cycle, e.To.ID) {
				return nil
			}
		}
		body += len(b.Values)
		for _, v := range b.Values {
			if vir.InfoOf(v.Op).Effect == vir.Writes {
				writes = append(writes, v)
			}
		}
	}
	if body > mostRowBody {
		return nil
	}
	for _, id := range lp.cycle.Blocks {
		if b := f.Blocks[id]; b == lp.head || !dom.Dominates(id, lp.latch.ID) {
			continue // not in every round
		}
		for _, v := range f.Blocks[id].Values {
			if v.Op == vir.Gather && !v.Volatile && untouched(v, writes, objects) {
				l.add(v)
			}
		}
	}
	// All that lies between the first and the last element of a row is loaded, so
	// each round has to go as far.
	l.rows = slices.DeleteFunc(l.rows, func(r *row) bool { return r.last-r.first != int64((l.each-1)*l.size) })
	if len(l.rows) == 0 || len(l.rows) > mostTiled {
		return nil
	}
	return l
}

// add adds v to its row if it is along one.
func (l *rowLoop) add(v *vir.Value) {
	if !l.alongRow(v) {
		return
	}
	for _, r := range l.rows {
		if apart := v.Disp - r.first; r.like(v) && apart%int64(l.size) == 0 {
			if first, last := min(r.first, v.Disp), max(r.last, v.Disp); last-first < int64(l.each*l.size) {
				r.first, r.last = first, last
				r.gathers = append(r.gathers, v)
				return
			}
		}
	}
	l.rows = append(l.rows, &row{gathers: []*vir.Value{v}, first: v.Disp, last: v.Disp})
}

// untouched reports whether none of the writes may change what v loads.
func untouched(v *vir.Value, writes []*vir.Value, objects *objects) bool {
	for _, w := range writes {
		if !objects.accessed(v).distinct(objects.accessed(w)) {
			return false
		}
	}
	return true
}

// findCounter finds k and its limit.
func (l *rowLoop) findCounter() bool {
	h, c := l.lp.head, l.lp.cycle
	for i, e := range h.Edges {
		if l.cycles.Contains(c, e.To.ID) && !l.cycles.Contains(c, h.Edges[1-i].To.ID) {
			l.stay = i
		}
	}
	if l.stay < 0 {
		return false
	}
	l.k, l.limit = h.Cond.Args[0], h.Cond.Args[len(h.Cond.Args)-1]
	switch h.Cond.Op {
	case alu.Slt, alu.Ult:
		l.strict = true
	case alu.Sle, alu.Ule:
	default:
		return false
	}
	l.signed = h.Cond.Op == alu.Slt || h.Cond.Op == alu.Sle
	if l.stay == 1 { // out if limit < k
		l.k, l.limit, l.strict = l.limit, l.k, !l.strict
	}
	if l.k.Op != vir.Param || l.k.Block != h || !l.k.Type.IsScalar() || !l.outside(l.limit) {
		return false
	}
	next := l.lp.next(l.k)
	if next.Op != alu.Add || next.Args[0] != l.k || next.Args[1].Op != vir.Const {
		return false
	}
	l.step = next.Args[1].Signed()
	return l.step > 0 && l.step <= mostRowSteps
}

// outside reports whether v stays the same in the loop.
func (l *rowLoop) outside(v *vir.Value) bool {
	return v.Op == vir.Const || !l.cycles.Contains(l.lp.cycle, v.Block.ID)
}

// alongRow reports whether each lane of v goes on by a few elements every round,
// and sets the size and the number of those unless it has them.
func (l *rowLoop) alongRow(v *vir.Value) bool {
	size, lanes := v.Type.Elem.Size(), v.Type.Lanes
	n := min(lanes, rowBytes/size, mostRows)
	if lanes != l.f.Width || n < leastRows || n*size < leastRow || !l.outside(v.Args[2]) {
		return false
	}
	base, index := l.slope(v.Args[0]), l.slope(v.Args[1])
	if !base.known || !index.known || index.by < 0 {
		return false
	}
	by := base.by + index.by*int64(v.Scale)
	each := int(by) / size
	if by <= 0 || by%int64(size) != 0 || each*leastRounds > n || n%each != 0 || l.size != 0 && (size != l.size || each != l.each) {
		return false
	}
	l.size, l.n, l.each = size, n, each
	return true
}

// rounds is how many rounds a chunk has.
func (l *rowLoop) rounds() int { return l.n / l.each }

// slope finds by how much v grows each round.
func (l *rowLoop) slope(v *vir.Value) slope {
	if l.outside(v) {
		return slope{0, true}
	}
	if s, ok := l.slopes[v]; ok {
		return s
	}
	l.slopes[v] = slope{}
	s := l.slopeOf(v)
	if s.by > mostRowSteps*8 || s.by < -mostRowSteps*8 {
		s = slope{}
	}
	l.slopes[v] = s
	return s
}

func (l *rowLoop) slopeOf(v *vir.Value) slope {
	if v == l.k {
		return slope{l.step, true}
	}
	if v.Op == vir.Param || vir.InfoOf(v.Op).Effect != vir.Pure {
		return slope{}
	}
	args := make([]slope, len(v.Args))
	same := true
	for i, a := range v.Args {
		args[i] = l.slope(a)
		if !args[i].known {
			return slope{}
		}
		same = same && args[i].by == 0
	}
	if same {
		return slope{0, true}
	}
	switch v.Op {
	case vir.Splat, alu.Trunc:
		return args[0]
	case alu.Add:
		return slope{args[0].by + args[1].by, true}
	case alu.Sub:
		return slope{args[0].by - args[1].by, true}
	case alu.Mul, alu.Shl:
		c := v.Args[1]
		if c.Op != vir.Const || c.Signed() < 0 || c.Signed() > mostRowSteps {
			return slope{}
		}
		times := c.Signed()
		if v.Op == alu.Shl {
			if times > 6 {
				return slope{}
			}
			times = 1 << times
		}
		return slope{args[0].by * times, true}
	case alu.SExt, alu.ZExt:
		// A subscript of 32 bits that wrapped would lie outside of any object.
		if v.Args[0].Type.Elem == alu.I32 {
			return args[0]
		}
	}
	return slope{}
}

// remaker makes values of a loop once more elsewhere, for another k.
type remaker struct {
	l    *rowLoop
	b    *vir.Block
	made map[*vir.Value]*vir.Value
}

func (l *rowLoop) remaker(b *vir.Block, k *vir.Value) *remaker {
	return &remaker{l, b, map[*vir.Value]*vir.Value{l.k: k}}
}

func (r *remaker) of(v *vir.Value) *vir.Value {
	if r.l.outside(v) {
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

// addresses returns the address of each lane of the gather v less its
// displacement.
func (r *remaker) addresses(v *vir.Value) *vir.Value {
	t := vir.Vec(alu.I64, v.Type.Lanes)
	x := r.of(v.Args[1])
	if x.Type != t {
		x = r.b.Append(alu.SExt, t, x)
	}
	if v.Scale > 1 {
		x = r.b.Append(alu.Shl, t, x, r.l.f.Const(t, uint64(bits.TrailingZeros(uint(v.Scale)))))
	}
	return r.b.Append(alu.Add, t, r.b.Append(vir.Splat, t, r.of(v.Args[0])), x)
}

// tile changes the loop. Its tiles lie in scratch memory from start on; it
// returns where they end.
func (l *rowLoop) tile(start int) int {
	f, head := l.f, l.lp.head
	chunk, fill := f.NewBlock("chunk"), f.NewBlock("fill")
	var params []*vir.Value
	for _, p := range head.Params {
		params = append(params, chunk.NewParam(p.Type, p.Name))
	}
	for _, e := range l.lp.entry {
		e.edge().To = chunk
	}
	k := params[l.k.Index]
	chunk.Branch(l.whole(chunk, k), vir.Edge{To: fill}, vir.Edge{To: head, Args: params})

	width := f.Width
	column := width * l.size // bytes
	total := f.Const(vir.Scalar(alu.I64), uint64(l.n*column))
	zero := f.Const(vir.Scalar(alu.I64), 0)
	at := start
	here := l.remaker(fill, k)
	for _, r := range l.rows {
		r.pointer, at = at, at+width*8
		v := r.gathers[0]
		rows := here.addresses(v)
		if m := v.Args[2]; m.Op != vir.Const { // inactive lanes load what an active one does
			rows = fill.Append(alu.Select, rows.Type, m, rows, fill.Append(vir.Splat, rows.Type, fill.Append(vir.First, vir.Scalar(alu.I64), rows, m)))
		}
		s := fill.Append(vir.VStore, vir.Type{}, l.scratch, rows, f.Const(vir.Mask(width), 1))
		s.Disp, s.Align = int64(r.pointer), 64
	}
	for _, r := range l.rows {
		r.place, at = at, at+l.n*column
	}
	next := fill.Append(alu.Add, k.Type, k, f.Const(k.Type, uint64(l.step)*uint64(l.rounds())))

	round := copyBlocks(f, l.lp.cycle.Blocks, head)
	again := round.blocks[head]
	off := again.NewParam(vir.Scalar(alu.I64), "")
	from := again.NewValue(alu.Add, off.Type, l.scratch, off)
	on := again.NewValue(alu.Add, off.Type, off, f.Const(off.Type, uint64(l.each*column)))
	more := again.NewValue(alu.Slt, vir.Scalar(alu.I1), off, total)
	again.Values = append([]*vir.Value{from, on, more}, again.Values...)
	var left []*vir.Value
	for i := range head.Params {
		left = append(left, again.Params[i])
	}
	left[l.k.Index] = next
	again.Branch(more, again.Edges[l.stay], vir.Edge{To: chunk, Args: left})
	latch := round.blocks[l.lp.latch]
	for i, e := range latch.Edges {
		if e.To == head {
			latch.Edges[i] = vir.Edge{To: again, Args: append(e.Args, on)}
		}
	}
	for _, r := range l.rows {
		for _, v := range r.gathers {
			x := round.to[v]
			x.Op, x.Args = vir.VLoad, []*vir.Value{from, x.Args[2]}
			x.Disp, x.Scale, x.Align = int64(r.place)+(v.Disp-r.first)*int64(width), 0, min(column, 64)
		}
	}

	// Rows by rows.
	rows, group := fill, zero
	if width > l.n {
		rows = f.NewBlock("rows")
		group = rows.NewParam(vir.Scalar(alu.I64), "")
		fill.Jump(rows, zero)
	}
	l.transpose(rows, group)
	enter := vir.Edge{To: again, Args: append(params[:len(params):len(params)], zero)}
	if width > l.n {
		step := rows.Append(alu.Add, group.Type, group, f.Const(group.Type, uint64(l.n*l.size)))
		rest := rows.Append(alu.Slt, vir.Scalar(alu.I1), step, f.Const(group.Type, uint64(column)))
		rows.Branch(rest, vir.Edge{To: rows, Args: []*vir.Value{step}}, enter)
	} else {
		rows.Jump(enter.To, enter.Args...)
	}
	return at
}

// whole returns whether from k on there are as many rounds as a chunk has, and
// lanes that load.
func (l *rowLoop) whole(b *vir.Block, k *vir.Value) *vir.Value {
	f, i1 := l.f, vir.Scalar(alu.I1)
	ahead := uint64(l.step) * uint64(l.rounds()-1) // of the last round
	less, least := alu.Ule, ahead
	if l.signed {
		less = alu.Sle
	}
	if l.strict {
		least++
		less = map[alu.Op]alu.Op{alu.Sle: alu.Slt, alu.Ule: alu.Ult}[less]
	}
	room := b.Append(alu.Sub, k.Type, l.limit, k)
	ok := b.Append(alu.And, i1, b.Append(less, i1, k, l.limit), b.Append(alu.Ule, i1, f.Const(k.Type, least), room))
	masks := map[*vir.Value]bool{}
	for _, r := range l.rows {
		if m := r.gathers[0].Args[2]; m.Op != vir.Const && !masks[m] {
			masks[m] = true
			ok = b.Append(alu.And, i1, ok, b.Append(vir.Any, i1, m))
		}
	}
	return ok
}

// transpose loads tiles of n rows, from the pointers of group on, and stores
// their columns.
func (l *rowLoop) transpose(b *vir.Block, group *vir.Value) {
	f := l.f
	i64 := vir.Scalar(alu.I64)
	shift := uint64(bits.TrailingZeros(uint(8 / l.size)))
	from := b.Append(alu.Add, i64, l.scratch, b.Append(alu.Shl, i64, group, f.Const(i64, shift)))
	to := b.Append(alu.Add, i64, l.scratch, group)
	mask := f.Const(vir.Mask(l.n), 1)
	for _, r := range l.rows {
		v := r.gathers[0]
		t := vir.Vec(v.Type.Elem, l.n)
		tile := make([]*vir.Value, l.n)
		for i := range tile {
			p := b.Append(vir.Load, i64, from)
			p.Disp, p.Align = int64(r.pointer+8*i), 8
			tile[i] = b.Append(vir.VLoad, t, p, mask)
			tile[i].Disp, tile[i].Align, tile[i].Pos = r.first, min(v.Align, l.size), v.Pos
		}
		for c, x := range transposed(b, tile, 16/l.size) {
			s := b.Append(vir.VStore, vir.Type{}, to, x, mask)
			s.Disp, s.Align = int64(r.place+c*f.Width*l.size), min(l.n*l.size, 64)
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
		v.Pos = p.Pos
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
