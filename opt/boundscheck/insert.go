package boundscheck

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// Layout of the report, to which the argument of kind kernel.ArgReport points: words of 64
// bits that are zero before a launch. The first work-item that fails fills it in.
const (
	reportSite   = 0  // the number of the site, from 1
	reportOffset = 8  // in bytes from the start of the first object that the access may refer to
	reportItem   = 16 // the global id, three words
	ReportSize   = 40
)

// trapAddress is the address to which a work-item stores after a failure: no process has
// memory there, and 8 bytes there cross the end of any memory of WebAssembly.
const trapAddress = ^uint64(3)

// Checked is a kernel with bounds tests.
type Checked struct {
	Func  *kernel.Func
	Sites []Site
}

// Insert returns a copy of f that tests the accesses with the given IDs, in ascending order,
// before they execute. A work-item with an access out of bounds fills in the report and
// traps. The last parameter of the copy is the report.
//
// Accesses of a block whose addresses can be computed in advance are tested together, by all
// lanes at once:
//
//	before: inside = alllanes(x < limit) & ...; branch inside, after, slow
//	slow:   find the access of this work-item that fails; branch none, after, report
//	report: the first work-item fills in the report; all trap
//	after:  the accesses
//
// A test is omitted if a dominating test of the same index covers it.
//
// maintains: f, the order of accesses, reducibility, LCSSA; breaks: the form of prepared kernels
func Insert(f *kernel.Func, ids []int) *Checked {
	g := kernel.Clone(f)
	g.Args = append(g.Args, kernel.Arg{
		Name: "report", CType: "report", Kind: kernel.ArgReport, Type: alu.PtrGlobal, Elem: "ulong", Count: 1, Size: 8, Align: 8,
	})
	g.LayoutArgs()
	in := &inserter{
		f: g, o: pointees(g), dom: cfg.Dominators(g.Graph()), ids: ids, limits: map[limitKey]*kernel.Value{},
		covered: map[indexKey][]cover{}, bases: map[int]*kernel.Value{},
	}
	blocks := g.Blocks
	g.Blocks = nil
	in.entry = g.NewBlock("limits")
	for _, v := range blocks[0].Values {
		if v.Op == kernel.Alloca {
			v.Block = in.entry
			in.entry.Values = append(in.entry.Values, v)
		}
	}
	blocks[0].Values = slices.DeleteFunc(blocks[0].Values, func(v *kernel.Value) bool { return v.Op == kernel.Alloca })
	in.report = in.address(kernel.Argument, alu.PtrGlobal, len(g.Args)-1)
	made := make([][]*kernel.Block, len(blocks))
	for _, id := range in.dom.Preorder { // what dominates comes first
		made[id] = in.block(blocks[id])
	}
	in.entry.Jump(blocks[0])
	in.entry.Pos = blocks[0].Pos
	g.Blocks = g.Blocks[:1]
	for i, b := range blocks {
		g.Blocks = append(append(g.Blocks, b), made[i]...)
	}
	g.Renumber()
	return &Checked{g, in.sites}
}

type inserter struct {
	f       *kernel.Func
	o       *objects
	dom     *cfg.DomTree // of the original kernel
	ids     []int
	entry   *kernel.Block // operations that tests share
	report  *kernel.Value
	sites   []Site
	limits  map[limitKey]*kernel.Value
	covered map[indexKey][]cover
	bases   map[int]*kernel.Value // by object
}

// address appends an operation without operands to the entry.
func (in *inserter) address(op kernel.Op, t kernel.Type, index int) *kernel.Value {
	v := in.entry.Append(op, t)
	v.Index = index
	return v
}

// base returns the address of an object.
func (in *inserter) base(i int) *kernel.Value {
	x := &in.o.list[i]
	if x.op == kernel.Alloca {
		return x.base
	}
	switch {
	case in.bases[i] != nil:
	case x.op == kernel.DataAddr && in.f.Data[x.index].Variables:
		in.bases[i] = in.address(kernel.Argument, x.space, in.f.VariablesArg())
	default:
		in.bases[i] = in.address(x.op, x.space, x.index)
	}
	return in.bases[i]
}

// index decomposes the address of an access: its offset in the object is at + x*scale, or at
// if x is nil.
type index struct {
	x      *kernel.Value
	signed bool // x is read as a signed number
	scale  int64
	at     int64
}

// indexKey identifies accesses whose offsets differ by a constant.
type indexKey struct {
	object int
	x      *kernel.Value
	scale  int64
}

// cover is a test of a block: the bytes from x*scale + lo up to x*scale + hi are
// inside of the object.
type cover struct {
	block  int // ID of the original block
	lo, hi int64
}

// maxScale and maxAt limit an index, so that no test wraps: a buffer has less than 1<<31 - maxAt
// bytes.
const (
	maxScale = 1 << 20
	maxAt    = 1 << 24
)

// indexOf decomposes the address p of an access to the object; ok is false if that fails, or
// if several variables contribute.
func (in *inserter) indexOf(p *kernel.Value, object int) (x index, ok bool) {
	for ; p.Op == kernel.PtrAdd; p = p.Args[0] {
		off := p.Args[1]
		if off.Op == kernel.Const {
			x.at += int64(off.Const)
		} else if x.x == nil {
			x.x, x.scale = off, 1
		} else {
			return x, false
		}
		if x.at > maxAt || x.at < -maxAt {
			return x, false
		}
	}
	if o := &in.o.list[object]; p.Op != o.op || p.Index != o.index && p.Op != kernel.Alloca || p.Op == kernel.Alloca && p != o.base {
		return x, false
	}
	if x.x == nil {
		return x, true
	}
	x.signed = true
	for {
		switch v := x.x; {
		case v.Op == alu.Shl && v.Args[1].Op == kernel.Const && v.Args[1].Const < 20 && x.scale<<v.Args[1].Const <= maxScale:
			x.x, x.scale = v.Args[0], x.scale<<v.Args[1].Const
		case v.Op == alu.Mul && v.Args[1].Op == kernel.Const && v.Args[1].Const-1 < maxScale && x.scale*int64(v.Args[1].Const) <= maxScale:
			x.x, x.scale = v.Args[0], x.scale*int64(v.Args[1].Const)
		case v.Op == alu.SExt && v.Args[0].Type == alu.I32:
			x.x = v.Args[0]
			return x, true
		case v.Op == alu.ZExt && v.Args[0].Type == alu.I32:
			x.x, x.signed = v.Args[0], false
			return x, true
		default:
			return x, true
		}
	}
}

type limitKey struct {
	object    int
	end, step int64
	typ       kernel.Type
}

// limit returns the number n of type t for which all bytes up to end + x*step lie in the
// object for 0 <= x < n.
func (in *inserter) limit(object int, end, step int64, t kernel.Type) *kernel.Value {
	x := &in.o.list[object]
	if x.size >= 0 {
		return in.f.Const(t, uint64(max(x.size-end+step, 0)/step))
	}
	key := limitKey{object, end, step, t}
	if in.limits[key] == nil {
		b, f, i64 := in.entry, in.f, alu.I64
		sizeKey := limitKey{object: object, typ: i64}
		if in.limits[sizeKey] == nil {
			at := in.address(kernel.ArgAddr, alu.PtrConstant, x.index)
			at = b.Append(kernel.PtrAdd, alu.PtrConstant, at, f.Const(i64, uint64(f.ExtentOffset(x.index)-f.Args[x.index].Offset)))
			size := b.Append(kernel.Load, i64, at)
			size.Count, size.Align = 1, 8
			in.limits[sizeKey] = size
		}
		room := b.Append(alu.Add, i64, in.limits[sizeKey], f.Const(i64, uint64(step-end)))
		room = b.Append(alu.SMax, i64, room, f.Const(i64, 0))
		switch {
		case step&(step-1) == 0:
			room = b.Append(alu.LShr, i64, room, f.Const(i64, uint64(bits.TrailingZeros64(uint64(step)))))
		default:
			room = b.Append(alu.UDiv, i64, room, f.Const(i64, uint64(step)))
		}
		if t != i64 {
			room = b.Append(alu.Trunc, t, room)
		}
		in.limits[key] = room
	}
	return in.limits[key]
}

// within appends to b a test that all bytes from lo up to hi, plus x*scale, are in the
// object; if x is nil, lo and hi are the offsets.
func (in *inserter) within(b *kernel.Block, object int, x index, lo, hi int64) *kernel.Value {
	f := in.f
	if x.x == nil {
		if lo < 0 {
			return f.Const(alu.I1, 0)
		}
		return b.Append(alu.Ult, alu.I1, f.Const(alu.I64, 0), in.limit(object, hi, 1, alu.I64))
	}
	// The limit counts from the smallest x that is in bounds.
	from := -floorDiv(lo, x.scale)
	if !x.signed {
		from = max(from, 0)
	}
	t, v := x.x.Type, x.x
	if from != 0 {
		v = b.Append(alu.Sub, t, v, f.Const(t, uint64(from)))
	}
	return b.Append(alu.Ult, alu.I1, v, in.limit(object, hi+from*x.scale, x.scale, t))
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// offset appends to b the distance of p from the start of the object, in bytes.
func (in *inserter) offset(b *kernel.Block, p *kernel.Value, object int) *kernel.Value {
	var sum *kernel.Value
	root := p
	for ; root.Op == kernel.PtrAdd; root = root.Args[0] {
		if sum == nil {
			sum = root.Args[1]
		} else {
			sum = b.Append(alu.Add, alu.I64, sum, root.Args[1])
		}
	}
	if o := &in.o.list[object]; root.Op == o.op && (root == o.base || root.Op != kernel.Alloca && root.Index == o.index) {
		if sum == nil {
			sum = in.f.Const(alu.I64, 0)
		}
		return sum
	}
	base := in.base(object)
	if base.Type != p.Type {
		base = b.Append(alu.Bitcast, p.Type, base)
	}
	return b.Append(alu.Sub, alu.I64, b.Append(alu.Bitcast, alu.I64, p), b.Append(alu.Bitcast, alu.I64, base))
}

// checked is an access with a test.
type checked struct {
	v       *kernel.Value
	bytes   int64
	objects []int
	x       index
	plain   bool // x is known, and there is one object
}

// segment is a part of a block whose accesses are tested together at its start.
type segment struct {
	from     int // in the block's values
	accesses []checked
}

// block inserts tests into b and returns the blocks that follow it then.
func (in *inserter) block(b *kernel.Block) (made []*kernel.Block) {
	id := b.ID
	var segments []segment
	place := map[*kernel.Value]int{}
	for i, v := range b.Values {
		place[v] = i
	}
	for i, v := range b.Values {
		bytes, ok := access(v)
		if _, wanted := slices.BinarySearch(in.ids, v.ID); !ok || !wanted {
			continue
		}
		among, ok := in.o.of(v.Args[0])
		if !ok {
			continue
		}
		c := checked{v: v, bytes: bytes, objects: among}
		if len(among) == 1 {
			c.x, c.plain = in.indexOf(v.Args[0], among[0])
		}
		if c.plain && (in.fixed(c) || in.isCovered(c, id)) {
			continue
		}
		if n := len(segments); n == 0 || !ahead(v.Args[0], b, place, segments[n-1].from) {
			segments = append(segments, segment{from: i})
		}
		s := &segments[len(segments)-1]
		s.accesses = append(s.accesses, c)
		if c.plain {
			key := indexKey{among[0], c.x.x, c.x.scale}
			in.covered[key] = append(in.covered[key], cover{id, c.x.at, c.x.at + bytes})
		}
	}
	for _, s := range slices.Backward(segments) {
		made = append(in.test(b, s, place), made...)
	}
	return made
}

// fixed reports whether c is at a constant offset inside of an object of constant size.
func (in *inserter) fixed(c checked) bool {
	return c.x.x == nil && c.x.at >= 0 && c.x.at+c.bytes <= in.o.list[c.objects[0]].size
}

// isCovered reports whether an earlier test covers c.
func (in *inserter) isCovered(c checked, block int) bool {
	for _, x := range in.covered[indexKey{c.objects[0], c.x.x, c.x.scale}] {
		if x.lo <= c.x.at && c.x.at+c.bytes <= x.hi && in.dom.Dominates(x.block, block) {
			return true
		}
	}
	return false
}

// ahead reports whether v can be computed before index from of b.
func ahead(v *kernel.Value, b *kernel.Block, place map[*kernel.Value]int, from int) bool {
	if v.Block != b || v.Op == kernel.Param || v.Op == kernel.Const {
		return true
	}
	if i, ok := place[v]; ok && i < from {
		return true
	}
	return kernel.InfoOf(v.Op).Effect == kernel.Pure && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !ahead(a, b, place, from) })
}

// test splits b at the start of s and returns the blocks that follow: the test and the rest.
func (in *inserter) test(b *kernel.Block, s segment, place map[*kernel.Value]int) []*kernel.Block {
	f, at := in.f, s.accesses[0].v.Pos
	after, slow, report, first, trap := f.NewBlock("inside"), f.NewBlock("outside"), f.NewBlock("report"), f.NewBlock("first"), f.NewBlock("trap")
	// The operations that compute addresses move in front of the test.
	moved := map[*kernel.Value]bool{}
	var move func(v *kernel.Value)
	move = func(v *kernel.Value) {
		if i, ok := place[v]; ok && v.Block == b && i >= s.from && !moved[v] {
			moved[v] = true
			for _, a := range v.Args {
				move(a)
			}
		}
	}
	for _, c := range s.accesses {
		move(c.v.Args[0])
	}
	for _, v := range b.Values[s.from:] {
		if v.Op == kernel.Component && place[v.Args[0]] < s.from { // it must stay in the block of its load
			moved[v] = true
		}
	}
	values := b.Values
	b.Values = slices.Clone(values[:s.from])
	for _, v := range values[s.from:] {
		if moved[v] {
			b.Values = append(b.Values, v)
		} else {
			v.Block = after
			after.Values = append(after.Values, v)
		}
	}
	after.Kind, after.Cond, after.Cases, after.Edges, after.Pos = b.Kind, b.Cond, b.Cases, b.Edges, b.Pos
	begin := len(b.Values)

	inside := in.fast(b, s)
	b.Branch(inside, kernel.Edge{To: after}, kernel.Edge{To: slow, Rare: true})
	b.Pos = at

	none := f.Const(alu.I64, 0)
	site, offset := none, none
	for _, c := range slices.Backward(s.accesses) {
		in.sites = append(in.sites, siteOf(in.o, c.v))
		ok, off := in.exact(slow, c)
		site = slow.Append(alu.Select, alu.I64, ok, site, f.Const(alu.I64, uint64(len(in.sites))))
		offset = slow.Append(alu.Select, alu.I64, ok, offset, off)
	}
	fine := slow.Append(alu.Eq, alu.I1, site, none)
	slow.Branch(fine, kernel.Edge{To: after}, kernel.Edge{To: report, Rare: true})

	old := report.Append(kernel.CmpXchg, alu.I64, in.report, none, site)
	report.Branch(report.Append(alu.Eq, alu.I1, old, none), kernel.Edge{To: first}, kernel.Edge{To: trap})
	in.fill(first, offset)
	first.Jump(trap)
	nowhere := trap.Append(alu.Bitcast, alu.PtrGlobal, f.Const(alu.I64, trapAddress))
	store := trap.Append(kernel.Store, alu.Void, nowhere, none)
	store.Count, store.Align = 1, 1
	trap.Jump(after)

	made := at
	made.Made = true
	for _, x := range []*kernel.Block{slow, report, first, trap} {
		x.Pos = made
		for _, v := range x.Values {
			v.Pos = made
		}
	}
	for _, v := range b.Values[begin:] {
		v.Pos = made
	}
	return []*kernel.Block{slow, report, first, trap, after}
}

// fast appends to b a test that all lanes execute together.
func (in *inserter) fast(b *kernel.Block, s segment) *kernel.Value {
	type span struct {
		c      checked
		lo, hi int64
	}
	var spans []*span
	byIndex := map[indexKey]*span{}
	var all *kernel.Value
	and := func(ok *kernel.Value) {
		ok = b.Append(kernel.AllLanes, alu.I1, ok)
		if all != nil {
			ok = b.Append(alu.And, alu.I1, all, ok)
		}
		all = ok
	}
	for _, c := range s.accesses {
		if !c.plain {
			ok, _ := in.exact(b, c)
			and(ok)
			continue
		}
		key := indexKey{c.objects[0], c.x.x, c.x.scale}
		x := byIndex[key]
		if x == nil {
			x = &span{c, c.x.at, c.x.at + c.bytes}
			byIndex[key] = x
			spans = append(spans, x)
		}
		x.lo, x.hi = min(x.lo, c.x.at), max(x.hi, c.x.at+c.bytes)
	}
	for _, x := range spans {
		and(in.within(b, x.c.objects[0], x.c.x, x.lo, x.hi))
	}
	return all
}

// exact appends to b a test of one access, and returns its offset, too.
func (in *inserter) exact(b *kernel.Block, c checked) (ok, offset *kernel.Value) {
	if c.plain {
		return in.within(b, c.objects[0], c.x, c.x.at, c.x.at+c.bytes), in.offset(b, c.v.Args[0], c.objects[0])
	}
	for _, object := range c.objects {
		off := in.offset(b, c.v.Args[0], object)
		inside := b.Append(alu.Ult, alu.I1, off, in.limit(object, c.bytes, 1, alu.I64))
		if ok == nil {
			ok, offset = inside, off
			continue
		}
		ok = b.Append(alu.Or, alu.I1, ok, inside)
	}
	if ok == nil {
		ok, offset = in.f.Const(alu.I1, 0), b.Append(alu.Bitcast, alu.I64, c.v.Args[0])
	}
	return ok, offset
}

// fill stores the rest of the report.
func (in *inserter) fill(b *kernel.Block, offset *kernel.Value) {
	put := func(at int, v *kernel.Value) {
		p := b.Append(kernel.PtrAdd, alu.PtrGlobal, in.report, in.f.Const(alu.I64, uint64(at)))
		s := b.Append(kernel.Store, alu.Void, p, v)
		s.Count, s.Align = 1, 8
	}
	put(reportOffset, offset)
	for d := range 3 {
		id := b.Append(kernel.GlobalID, alu.I64)
		id.Index = d
		put(reportItem+8*d, id)
	}
}

// Read decodes the report of a launch of c. It returns nil if no access failed.
func (c *Checked) Read(report []byte, l *Launch) *Violation {
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(report[at:]) }
	n := word(reportSite)
	if n == 0 || n > uint64(len(c.Sites)) {
		return nil
	}
	return c.Sites[n-1].Violation(l, int64(word(reportOffset)), [3]uint64{word(reportItem), word(reportItem + 8), word(reportItem + 16)})
}
