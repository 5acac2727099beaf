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
//	fill:      for n rows at a time: load, transpose, keep
//	round:     the loop's body, vectors in place of gathers and scatters
//	write:     for n rows at a time: transpose what is kept, store; chunk(k+rounds)
//	loop:      as it was, for what is left
//
// A gather or scatter costs more than the load and the four or so shuffles that an
// element of a tile costs. All rounds of a chunk take place, so nothing is accessed
// that the loop would not access. Loads come earlier and stores later than they
// did: what is stored may be nothing that is loaded, but for an element that is
// changed where it lies. Stores are made where no lane is missing.
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
		if len(c.Children) > 0 || !indexedIn(f, c) {
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
		for _, r := range l.loads {
			stats.add("tiled gathers", len(r.members))
		}
		for _, r := range l.stores {
			stats.add("tiled scatters", len(r.members))
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

func indexedIn(f *vir.Func, c *cfg.Cycle) bool {
	for _, id := range c.Blocks {
		for _, v := range f.Blocks[id].Values {
			if v.Op == vir.Gather || v.Op == vir.Scatter {
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
// gathers and scatters that go along rows.
type rowLoop struct {
	f       *vir.Func
	cycles  *cfg.CycleForest
	dom     *cfg.DomTree
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
	loads   []*row
	stores  []*row
	slopes  map[*vir.Value]slope
	scratch *vir.Value
}

// row is what members load or store, which differ in their displacements alone:
// in each lane elements side by side.
type row struct {
	members []*vir.Value
	first   int64 // the least displacement
	last    int64
	pointer int // where the lanes' addresses lie in scratch memory
	place   int // and where the tiles do
}

func (r *row) mask() *vir.Value { return maskOf(r.members[0]) }

func maskOf(v *vir.Value) *vir.Value { return v.Args[vir.InfoOf(v.Op).Mask] }

// along reports whether v goes along r as its members do.
func (r *row) along(v *vir.Value) bool {
	x := r.members[0]
	return vir.Indexed(v.Op) && v.Args[0] == x.Args[0] && v.Args[1] == x.Args[1] && v.Scale == x.Scale
}

// has reports whether v accesses elements of r in the rounds in which its
// members do.
func (r *row) has(v *vir.Value) bool {
	return r.along(v) && v.Disp >= r.first && v.Disp <= r.last && v.Accessed().Elem.Size() == r.members[0].Accessed().Elem.Size()
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
	l := &rowLoop{f: f, cycles: cycles, dom: dom, lp: lp, stay: -1, slopes: map[*vir.Value]slope{}}
	if !l.findCounter() {
		return nil
	}
	body := 0
	var memory []*vir.Value
	for _, id := range lp.cycle.Blocks {
		b := f.Blocks[id]
		for _, e := range b.Edges {
			if b != lp.head && !cycles.Contains(lp.cycle, e.To.ID) {
				return nil
			}
		}
		body += len(b.Values)
		for _, v := range b.Values {
			if vir.InfoOf(v.Op).Effect != vir.Pure {
				memory = append(memory, v)
			}
		}
	}
	if body > mostRowBody {
		return nil
	}
	for _, v := range memory {
		if v.Volatile || v.Block == lp.head || !dom.Dominates(v.Block.ID, lp.latch.ID) {
			continue // not in every round
		}
		switch v.Op {
		case vir.Gather:
			l.loads = l.add(l.loads, v)
		case vir.Scatter:
			if m := maskOf(v); m.Op == vir.Const && m.Const == 1 {
				l.stores = l.add(l.stores, v)
			}
		}
	}
	// All that lies between the first and the last element of a row is accessed,
	// so each round has to go as far.
	l.loads = slices.DeleteFunc(l.loads, func(r *row) bool {
		return r.last-r.first != int64((l.each-1)*l.size) || !l.early(r, memory, objects)
	})
	l.stores = slices.DeleteFunc(l.stores, func(r *row) bool {
		return r.last-r.first != int64((l.each-1)*l.size) || !l.late(r, memory, objects)
	})
	if n := len(l.loads) + len(l.stores); n == 0 || n > mostTiled {
		return nil
	}
	return l
}

// add adds v to its row of rows if it is along one.
func (l *rowLoop) add(rows []*row, v *vir.Value) []*row {
	if !l.alongRow(v) {
		return rows
	}
	for _, r := range rows {
		if apart := v.Disp - r.first; r.along(v) && r.mask() == maskOf(v) && apart%int64(l.size) == 0 {
			if first, last := min(r.first, v.Disp), max(r.last, v.Disp); last-first < int64(l.each*l.size) {
				r.first, r.last = first, last
				r.members = append(r.members, v)
				return rows
			}
		}
	}
	return append(rows, &row{members: []*vir.Value{v}, first: v.Disp, last: v.Disp})
}

// early reports whether r may be loaded some rounds before its members do.
func (l *rowLoop) early(r *row, memory []*vir.Value, objects *objects) bool {
	for _, w := range memory {
		if vir.InfoOf(w.Op).Effect != vir.Writes || objects.accessed(r.members[0]).distinct(objects.accessed(w)) {
			continue
		}
		if w.Op != vir.Scatter || !r.has(w) || slices.ContainsFunc(r.members, func(v *vir.Value) bool { return !l.before(v, w) }) {
			return false
		}
	}
	return true
}

// late reports whether r, whose members store each element once, may be stored
// some rounds after they do.
func (l *rowLoop) late(r *row, memory []*vir.Value, objects *objects) bool {
	if len(r.members) != l.each {
		return false
	}
	for i, v := range r.members {
		for _, w := range r.members[:i] {
			if w.Disp == v.Disp {
				return false
			}
		}
	}
	for _, x := range memory {
		if slices.Contains(r.members, x) || x.Op == vir.Load && x.Invariant || objects.accessed(r.members[0]).distinct(objects.accessed(x)) {
			continue
		}
		if x.Op != vir.Gather || x.Volatile || !r.has(x) || slices.ContainsFunc(r.members, func(v *vir.Value) bool { return !l.before(x, v) }) {
			return false
		}
	}
	return true
}

// before reports whether v comes before w in each round that has both.
func (l *rowLoop) before(v, w *vir.Value) bool {
	if v.Block == w.Block {
		return slices.Index(v.Block.Values, v) < slices.Index(v.Block.Values, w)
	}
	return l.dom.Dominates(v.Block.ID, w.Block.ID)
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
	size, lanes := v.Accessed().Elem.Size(), v.Accessed().Lanes
	n := min(lanes, rowBytes/size, mostRows)
	if lanes != l.f.Width || n < leastRows || n*size < leastRow || !l.outside(maskOf(v)) {
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

// addresses returns the address of each lane of v less its displacement.
func (r *remaker) addresses(v *vir.Value) *vir.Value {
	t := vir.Vec(alu.I64, r.l.f.Width)
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
	all := slices.Concat(l.loads, l.stores)
	for _, r := range all {
		r.pointer, at = at, at+width*8
		rows := here.addresses(r.members[0])
		if m := r.mask(); m.Op != vir.Const { // inactive lanes load what an active one does
			rows = fill.Append(alu.Select, rows.Type, m, rows, fill.Append(vir.Splat, rows.Type, fill.Append(vir.First, vir.Scalar(alu.I64), rows, m)))
		}
		s := fill.Append(vir.VStore, vir.Type{}, l.scratch, rows, f.Const(vir.Mask(width), 1))
		s.Disp, s.Align = int64(r.pointer), min(width*8, 64)
	}
	for _, r := range all {
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
	out := vir.Edge{To: chunk, Args: left}
	if len(l.stores) > 0 {
		write := f.NewBlock("write")
		l.byGroups(write, out, l.write)
		out = vir.Edge{To: write}
	}
	again.Branch(more, again.Edges[l.stay], out)
	latch := round.blocks[l.lp.latch]
	for i, e := range latch.Edges {
		if e.To == head {
			latch.Edges[i] = vir.Edge{To: again, Args: append(e.Args, on)}
		}
	}
	for _, r := range all {
		for _, v := range r.members {
			x := round.to[v]
			if x.Op == vir.Gather {
				x.Op, x.Args = vir.VLoad, []*vir.Value{from, x.Args[2]}
			} else {
				x.Op, x.Args = vir.VStore, []*vir.Value{from, x.Args[2], x.Args[3]}
			}
			x.Disp, x.Scale, x.Align = int64(r.place)+(v.Disp-r.first)*int64(width), 0, min(column, 64)
		}
	}
	enter := vir.Edge{To: again, Args: append(params[:len(params):len(params)], zero)}
	if len(l.loads) > 0 {
		l.byGroups(fill, enter, l.read)
	} else {
		fill.Jump(enter.To, enter.Args...)
	}
	return at
}

// byGroups goes on from b with what do makes for n rows at a time, whose place in
// a column group is in bytes, and then to next.
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
	more := rows.Append(alu.Slt, vir.Scalar(alu.I1), step, f.Const(i64, uint64(f.Width*l.size)))
	rows.Branch(more, vir.Edge{To: rows, Args: []*vir.Value{step}}, next)
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
	v.Disp, v.Align = int64(r.place+column*l.f.Width*l.size), min(l.n*l.size, 64)
	return v
}

// whereRow places an access to row i of a group.
func (l *rowLoop) whereRow(b *vir.Block, op vir.Op, t vir.Type, r *row, i int, pointers *vir.Value, args ...*vir.Value) *vir.Value {
	p := b.Append(vir.Load, vir.Scalar(alu.I64), pointers)
	p.Disp, p.Align = int64(r.pointer+8*i), 8
	v := b.Append(op, t, slices.Concat([]*vir.Value{p}, args, []*vir.Value{l.f.Const(vir.Mask(l.n), 1)})...)
	v.Disp, v.Align, v.Pos = r.first, min(r.members[0].Align, l.size), r.members[0].Pos
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
			tile[c].Pos = r.members[0].Pos
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
