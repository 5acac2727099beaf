package fuzz

import (
	"encoding/binary"
	"math"
	"math/rand"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
)

// Options shape generated kernels.
type Options struct {
	Blocks    int  // maximal number of blocks, without those that burn fuel; 0: 32
	Reducible bool // structured programs only
}

// Arguments of a generated kernel, in order.
const (
	argOwn     = iota // ownStride bytes per work-item, of any type
	argRows           // arrays of one type; work-item id uses element id of every row
	argFlags          // words that any work-item sets, each to one constant, and cells for atomics
	argTable          // read only
	argVector         // an int8 by value
	argStruct         // 32 bytes by value
	argScalars        // one of every scalar type
)

const (
	maxItems  = 64
	ownStride = 128
	ownTrace  = 120 // i64: the history of the blocks a work-item has run
	ownResult = 96  // 3 values stored by every return
	flagCount = 16
	cellCount = 4 // of each size, for every kind of shared atomic
	cellBytes = cellCount * (4 + 8)
	tableSize = 1024
	valueSize = 32 // of argVector and argStruct
	rowCount  = 8
)

// rowTypes are the types of the arrays in argRows, in order.
var rowTypes = []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64, alu.F32, alu.F64, alu.F16}

func rowsAt(i int) int {
	at := 0
	for _, t := range rowTypes[:i] {
		at += rowCount * maxItems * t.Size()
	}
	return at
}

// scalarTypes are those of values that programs compute with.
var scalarTypes = []alu.Type{alu.I1, alu.I8, alu.I16, alu.I32, alu.I64, alu.F32, alu.F64, alu.F16}

// uses are the operations by operand type, each with the result types it has.
var uses = func() (out []use) {
	for op := alu.Invalid + 1; op < alu.NumPure; op++ {
		u := use{op: op}
		for _, from := range scalarTypes {
			if alu.InfoOf(op).Class != alu.Convert {
				if res, err := alu.ResultType(op, from, from); err == nil {
					u.types = append(u.types, [2]alu.Type{from, res})
				}
				continue
			}
			for _, to := range scalarTypes {
				if _, err := alu.ResultType(op, from, to); err == nil {
					u.types = append(u.types, [2]alu.Type{from, to})
				}
			}
		}
		out = append(out, u)
	}
	return out
}()

type use struct {
	op    alu.Op
	types [][2]alu.Type
}

// Kernel makes a random kernel: the same for the same seed and options.
func Kernel(seed int64, opt Options) *Case {
	rng := rand.New(rand.NewSource(seed))
	if opt.Blocks == 0 {
		opt.Blocks = 32
	}
	kind := "cfg"
	if opt.Reducible {
		kind = "reducible"
	}
	g := &generator{
		rng: rng, f: &kernel.Func{Name: "fuzz"},
		sk: makeSkeleton(rng, randomGraph(rng, opt.Blocks, opt.Reducible), opt.Reducible),
	}
	c := &Case{Seed: seed, Kind: kind, Kernel: g.f}
	g.arguments(c)
	g.geometry(c)
	g.build()
	return c
}

// known is an available value, and whether it was computed from uniform ones. The latter
// only biases choices.
type known struct {
	v       *kernel.Value
	uniform bool
}

type generator struct {
	rng    *rand.Rand
	f      *kernel.Func
	sk     *skeleton
	blocks []*kernel.Block
	at     int       // block being filled
	known  [][]known // by block: the values available at its end
	fuel   [][]*kernel.Value
	burn   []*kernel.Value // by block: fuel is left for the guarded edge
	bounds []*kernel.Value // by block: its condition, if it bounds an index
	within []*kernel.Value // by block: an index that is in bounds there

	geo     func(b *kernel.Block) *kernel.Value // the linear id
	id      *kernel.Value                       // i64, 0 to items-1
	own     *kernel.Value                       // this work-item's part of argOwn
	args    []*kernel.Value
	privs   []private
	nextOf  map[*kernel.Value]*kernel.Value // loop counter -> its next value
	uniform bool                            // operands are to be uniform
	data    bool
}

// private is an Alloca; elem is Void for those accessed with several types.
type private struct {
	v    *kernel.Value
	elem alu.Type
}

func (g *generator) chance(percent int) bool { return g.rng.Intn(100) < percent }

func (g *generator) arguments(c *Case) {
	size := rowsAt(len(rowTypes))
	ctype := func(t alu.Type) string {
		return map[alu.Type]string{alu.I8: "char", alu.I16: "short", alu.I32: "int", alu.I64: "long", alu.F32: "float", alu.F64: "double", alu.F16: "half"}[t]
	}
	table := alu.PtrGlobal
	if g.chance(50) {
		table = alu.PtrConstant
	}
	buffer := func(name string, t alu.Type) {
		g.f.Args = append(g.f.Args, kernel.Arg{Name: name, Kind: kernel.ArgBuffer, Type: t, Elem: "uchar", Count: 1, Size: 8, Align: 8, CType: "uchar*"})
		c.Scalars = append(c.Scalars, nil)
	}
	buffer("own", alu.PtrGlobal)
	buffer("rows", alu.PtrGlobal)
	buffer("flags", alu.PtrGlobal)
	buffer("table", table)
	g.f.Args[argTable].ReadOnly = true
	rows := Buffer{Size: size, Fill: uint64(c.Seed)*4 + 1}
	for i, t := range rowTypes {
		if t.IsFloat() {
			rows.Floats = append(rows.Floats, FloatRange{rowsAt(i), rowsAt(i + 1), t})
		}
	}
	c.Buffers = []Buffer{
		{Size: maxItems * ownStride, Fill: uint64(c.Seed)*4 + 2}, rows, {Size: flagCount*4 + int(alu.NumRMW)*cellBytes, Fill: uint64(c.Seed)*4 + 1}, {Size: tableSize, Fill: uint64(c.Seed)*4 + 3},
	}
	g.f.Args = append(g.f.Args,
		kernel.Arg{Name: "vector", Kind: kernel.ArgScalar, Type: alu.I32, Elem: "int", Count: 8, Size: valueSize, Align: 32, CType: "int8"},
		kernel.Arg{Name: "struct", Kind: kernel.ArgBytes, Size: valueSize, Align: 8, CType: "struct s"})
	for range 2 {
		b := make([]byte, valueSize)
		fill(b, uint64(c.Seed)*4+4)
		c.Scalars, c.Buffers = append(c.Scalars, b), append(c.Buffers, Buffer{})
	}
	for _, t := range rowTypes {
		g.f.Args = append(g.f.Args, kernel.Arg{
			Name: "s" + t.String(), Kind: kernel.ArgScalar, Type: t, Elem: ctype(t), Count: 1, Size: t.Size(), Align: t.Size(), CType: ctype(t),
		})
		var w [8]byte
		binary.LittleEndian.PutUint64(w[:], g.bits(t))
		c.Scalars = append(c.Scalars, append([]byte(nil), w[:t.Size()]...))
		c.Buffers = append(c.Buffers, Buffer{})
	}
	g.f.LayoutArgs()
	if g.data = g.chance(30); g.data {
		d := &kernel.Data{Name: "numbers", Align: 8, Bytes: make([]byte, 64)}
		fill(d.Bytes, uint64(c.Seed)+7)
		g.f.Data = []*kernel.Data{d}
	}
}

// geometry chooses the range and how the kernel finds its linear id.
func (g *generator) geometry(c *Case) {
	items := uint64([]int{37, 37, 21, 16, 1 + g.rng.Intn(40)}[g.rng.Intn(5)])
	c.Range = launch.Of(items)
	query := func(b *kernel.Block, op kernel.Op, dim int) *kernel.Value {
		v := b.Append(op, alu.I64)
		v.Index = dim
		return v
	}
	switch g.rng.Intn(6) {
	case 0:
		c.Range = c.Range.WithOffset(uint64(g.rng.Intn(100)))
		g.geo = func(b *kernel.Block) *kernel.Value {
			return b.Append(alu.Sub, alu.I64, query(b, kernel.GlobalID, 0), query(b, kernel.GlobalOffset, 0))
		}
	case 1:
		x := uint64(1 + g.rng.Intn(19))
		c.Range = launch.Of(x, 1+items/x)
		g.geo = func(b *kernel.Block) *kernel.Value {
			row := b.Append(alu.Mul, alu.I64, query(b, kernel.GlobalID, 1), query(b, kernel.GlobalSize, 0))
			return b.Append(alu.Add, alu.I64, row, query(b, kernel.GlobalID, 0))
		}
	case 2:
		n := uint64(1 + g.rng.Intn(20))
		c.Range = c.Range.WithLocal(n)
		g.geo = func(b *kernel.Block) *kernel.Value {
			first := b.Append(alu.Mul, alu.I64, query(b, kernel.GroupID, 0), g.f.Const(alu.I64, min(n, items)))
			return b.Append(alu.Add, alu.I64, first, query(b, kernel.LocalID, 0))
		}
	default:
		g.geo = func(b *kernel.Block) *kernel.Value { return query(b, kernel.GlobalID, 0) }
	}
}

func (g *generator) build() {
	n := g.sk.g.Len()
	g.known, g.fuel, g.burn = make([][]known, n), make([][]*kernel.Value, n), make([]*kernel.Value, n)
	g.bounds, g.within = make([]*kernel.Value, n), make([]*kernel.Value, n)
	g.nextOf = map[*kernel.Value]*kernel.Value{}
	for range n {
		g.blocks = append(g.blocks, g.f.NewBlock(""))
	}
	dom := cfg.Dominators(g.sk.g)
	order := g.sk.g.ReversePostOrder()
	for _, b := range order {
		if b == 0 {
			g.entry()
			continue
		}
		g.at = b
		g.known[b] = append([]known(nil), g.known[dom.IDom[b]]...)
		g.params(b)
		if g.within[b] != nil {
			g.guarded(g.within[b])
		}
		for range g.rng.Intn(6) {
			g.operation()
		}
		if g.chance(40) {
			g.trace(b)
		}
		g.spend(b)
		g.test(b)
		if len(g.sk.g.Succs[b]) == 0 {
			g.results()
		}
	}
	for _, b := range order {
		g.at = b
		g.terminate(b)
	}
	if g.chance(30) { // the order of blocks is irrelevant
		rest := g.f.Blocks[1:]
		g.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	}
	g.f.Renumber()
}

func (g *generator) add(v *kernel.Value, uniform bool) {
	g.known[g.at] = append(g.known[g.at], known{v, uniform})
}

func (g *generator) block() *kernel.Block { return g.blocks[g.at] }

func (g *generator) entry() {
	b := g.blocks[0]
	arg := func(i int) *kernel.Value {
		v := b.Append(kernel.Argument, g.f.Args[i].Type)
		v.Index, v.Name = i, g.f.Args[i].Name
		return v
	}
	for i := range g.f.Args {
		if i == argVector || i == argStruct { // read through their addresses
			g.args = append(g.args, nil)
			continue
		}
		g.args = append(g.args, arg(i))
	}
	g.id = g.geo(b)
	g.own = b.Append(kernel.PtrAdd, alu.PtrGlobal, g.args[argOwn], b.Append(alu.Mul, alu.I64, g.id, g.f.Const(alu.I64, ownStride)))
	id32 := b.Append(alu.Trunc, alu.I32, g.id)
	for _, v := range []*kernel.Value{g.id, id32, g.own} {
		g.add(v, false)
	}
	for _, v := range g.args[argScalars:] {
		g.add(v, true)
	}
	for range g.rng.Intn(3) {
		v := b.Append(kernel.Alloca, alu.PtrPrivate)
		v.Size, v.Align = 64, 8
		p := private{v: v}
		if g.chance(65) {
			p.elem = rowTypes[g.rng.Intn(len(rowTypes))]
			v.Align = p.elem.Size()
		} else {
			g.add(v, true)
		}
		g.privs = append(g.privs, p)
		g.initialize(p)
	}
	for range g.sk.fuels {
		amount := 1 + g.rng.Intn(8)
		x := g.f.Const(alu.I32, uint64(amount))
		switch g.rng.Intn(3) {
		case 0: // trip counts differ between lanes
			few := b.Append(alu.And, alu.I32, id32, g.f.Const(alu.I32, []uint64{3, 5, 1}[g.rng.Intn(3)]))
			x = b.Append(alu.Add, alu.I32, few, g.f.Const(alu.I32, 1))
		case 1:
			x = b.Append(alu.And, alu.I32, g.args[argScalars+2], g.f.Const(alu.I32, 7))
		}
		g.fuel[0] = append(g.fuel[0], x)
	}
	for range g.rng.Intn(6) {
		g.operation()
	}
}

// initialize writes all of a private object, whose initial contents are undefined.
func (g *generator) initialize(p private) {
	t := p.elem
	if t == alu.Void {
		t = alu.I64
	}
	n := min(64/t.Size(), 16)
	for at := 0; at < 64; at += n * t.Size() {
		args := []*kernel.Value{p.v}
		if at > 0 {
			args[0] = g.ptradd(p.v, g.i64(at))
		}
		for range n {
			args = append(args, g.pick(t))
		}
		v := g.emit(kernel.Store, alu.Void, args...)
		v.Count, v.Align = n, t.Size()
	}
}

// params gives b parameters: the fuel where several edges come in, and others.
func (g *generator) params(b int) {
	preds := g.sk.g.Preds[b]
	blk := g.blocks[b]
	several := len(preds) > 1
	if several {
		for range g.sk.fuels {
			g.fuel[b] = append(g.fuel[b], blk.NewParam(alu.I32, "fuel"))
		}
	} else {
		g.fuel[b] = append([]*kernel.Value(nil), g.fuel[preds[0]]...)
	}
	if !several && !g.chance(10) {
		return
	}
	for range g.rng.Intn(4) {
		t := scalarTypes[g.rng.Intn(len(scalarTypes))]
		switch {
		case g.chance(8):
			t = alu.PtrGlobal
		case g.chance(4) && g.hasPrivatePtr():
			t = alu.PtrPrivate
		}
		p := blk.NewParam(t, "")
		g.add(p, g.chance(30))
		if t.IsInt() && g.chance(50) { // a loop counter, if b heads a loop
			next := blk.Append(alu.Add, t, p, g.f.Const(t, uint64(1+g.rng.Intn(3))))
			g.nextOf[p] = next
			g.add(next, false)
		}
	}
}

func (g *generator) hasPrivatePtr() bool {
	for _, p := range g.privs {
		if p.elem == alu.Void {
			return true
		}
	}
	return false
}

// spend takes a unit of fuel where b has a retreating edge.
func (g *generator) spend(b int) {
	i := g.sk.burns[b]
	if i < 0 {
		return
	}
	blk := g.blocks[b]
	left := g.fuel[b][i]
	g.burn[b] = blk.Append(alu.Slt, alu.I1, g.f.Const(alu.I32, 0), left)
	less := blk.Append(alu.Sub, alu.I32, left, g.f.Const(alu.I32, 1))
	g.fuel[b] = append([]*kernel.Value(nil), g.fuel[b]...)
	g.fuel[b][i] = less
}

// guardedCount is how many elements a guarded index may choose from.
const guardedCount = 64

// test sometimes makes the branch of b a bounds check of an index, for a successor that has
// no other predecessor.
func (g *generator) test(b int) {
	succs := g.sk.g.Succs[b]
	if len(succs) != 2 || g.burn[b] != nil || succs[0] == succs[1] || !g.chance(25) {
		return
	}
	i := g.rng.Intn(2)
	to := succs[i]
	if len(g.sk.g.Preds[to]) != 1 || g.sk.checks[to] {
		return
	}
	g.uniform = g.chance(40)
	x := g.emit(alu.And, alu.I64, g.pick(alu.I64), g.i64(2*guardedCount-1))
	in := g.emit(alu.Ult, alu.I1, x, g.i64(guardedCount))
	if i == 1 {
		in = g.emit(alu.Xor, alu.I1, in, g.f.Const(alu.I1, 1))
	}
	g.bounds[b], g.within[to] = in, x
}

// terminate ends block b as the skeleton specifies.
func (g *generator) terminate(b int) {
	blk := g.blocks[b]
	succs := g.sk.g.Succs[b]
	edges := make([]kernel.Edge, len(succs))
	switch {
	case g.sk.checks[b]:
		blk.Branch(g.burn[b], g.edge(b, 0), g.edge(b, 1))
		return
	case g.burn[b] != nil:
		c := g.condition()
		if g.sk.guard[b] == 0 {
			c = blk.Append(alu.And, alu.I1, c, g.burn[b])
		} else {
			none := blk.Append(alu.Xor, alu.I1, g.burn[b], g.f.Const(alu.I1, 1))
			c = blk.Append(alu.Or, alu.I1, c, none)
		}
		blk.Branch(c, g.edge(b, 0), g.edge(b, 1))
		return
	}
	switch {
	case g.bounds[b] != nil:
		blk.Branch(g.bounds[b], g.edge(b, 0), g.edge(b, 1))
	case len(succs) == 0:
		blk.Return()
	case len(succs) == 1:
		e := g.edge(b, 0)
		blk.Jump(e.To, e.Args...)
	case len(succs) == 2 && g.chance(85):
		blk.Branch(g.condition(), g.edge(b, 0), g.edge(b, 1))
	default:
		t := []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64}[g.rng.Intn(4)]
		g.uniform = g.chance(40)
		x := g.pick(t)
		if g.chance(85) {
			x = blk.Append(alu.And, t, x, g.f.Const(t, 7))
		}
		var cases []uint64
		for i := range succs {
			edges[i] = g.edge(b, i)
		}
		seen := map[uint64]bool{}
		for i := 1; i < len(edges) || g.chance(40) && i < 9; i++ {
			k := uint64(g.rng.Intn(9)) & t.Mask()
			if g.chance(10) {
				k = g.bits(t)
			}
			for seen[k] {
				k = (k + 1) & t.Mask()
			}
			seen[k] = true
			cases = append(cases, k)
			if i >= len(edges) {
				edges = append(edges, g.edge(b, g.rng.Intn(len(succs))))
			}
		}
		blk.Kind, blk.Cond, blk.Cases, blk.Edges = kernel.Switch, x, cases, edges
	}
}

// edge makes the i-th edge of b with arguments.
func (g *generator) edge(b, i int) kernel.Edge {
	to := g.sk.g.Succs[b][i]
	e := kernel.Edge{To: g.blocks[to], Rare: len(g.sk.g.Succs[b]) > 1 && (b+i)%5 == 2}
	back := g.sk.pos[to] <= g.sk.pos[b]
	params := g.blocks[to].Params
	if len(g.sk.g.Preds[to]) > 1 {
		e.Args = append(e.Args, g.fuel[b]...)
		params = params[g.sk.fuels:]
	}
	g.uniform = g.chance(40)
	for _, p := range params {
		next := g.nextOf[p]
		if next != nil && back && g.chance(70) && g.knows(b, next) {
			e.Args = append(e.Args, next)
			continue
		}
		e.Args = append(e.Args, g.pick(p.Type))
	}
	return e
}

func (g *generator) knows(b int, v *kernel.Value) bool {
	for _, k := range g.known[b] {
		if k.v == v {
			return true
		}
	}
	return false
}

// condition picks or computes an i1.
func (g *generator) condition() *kernel.Value {
	g.uniform = g.chance(45)
	if g.chance(25) {
		return g.pick(alu.I1)
	}
	blk := g.block()
	t := scalarTypes[1+g.rng.Intn(len(scalarTypes)-2)] // comparisons of halves are not generated
	ops := []alu.Op{alu.Eq, alu.Ne, alu.Slt, alu.Sle, alu.Ult, alu.Ule}
	if t.IsFloat() {
		ops = []alu.Op{alu.FEq, alu.FNe, alu.FLt, alu.FLe}
	}
	if g.chance(40) && !t.IsFloat() { // a bit: equal probabilities
		bit := blk.Append(alu.And, t, g.pick(t), g.f.Const(t, 1<<g.rng.Intn(3)))
		return blk.Append(alu.Ne, alu.I1, bit, g.f.Const(t, 0))
	}
	return blk.Append(ops[g.rng.Intn(len(ops))], alu.I1, g.pick(t), g.pick(t))
}

// pick returns a value of type t available in the current block, preferably a recent one.
func (g *generator) pick(t alu.Type) *kernel.Value { v, _ := g.choose(t); return v }

func (g *generator) choose(t alu.Type) (*kernel.Value, bool) {
	all := g.known[g.at]
	constants := 12
	if g.uniform {
		constants = 20
	}
	if t.IsPtr() || !g.chance(constants) {
		var fit []known
		for _, k := range all {
			if k.v.Type == t && (!g.uniform || k.uniform || t.IsPtr()) {
				fit = append(fit, k)
			}
		}
		if n := len(fit); n > 0 {
			k := fit[max(g.rng.Intn(n), g.rng.Intn(n))]
			return k.v, k.uniform
		}
	}
	return g.f.Const(t, g.bits(t)), true
}

// bits makes a constant.
func (g *generator) bits(t alu.Type) uint64 {
	switch t {
	case alu.F32:
		if g.chance(60) {
			return uint64(math.Float32bits(float32(g.rng.Intn(17)-8) / 2))
		}
		return []uint64{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x4f000000, 0xcf000000, 0x3f800001, g.rng.Uint64()}[g.rng.Intn(10)] & t.Mask()
	case alu.F16:
		return []uint64{0, 0x8000, 0x3c00, 0xc000, 0x7c00, 0x7e00, 1, 0x7bff, 0x3555, g.rng.Uint64()}[g.rng.Intn(10)] & t.Mask()
	case alu.F64:
		if g.chance(60) {
			return math.Float64bits(float64(g.rng.Intn(17)-8) / 2)
		}
		return []uint64{0, 1 << 63, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff8 << 48, 1, 0x41e0 << 48, 0x43e0 << 48, 0x3ff0<<48 | 1, g.rng.Uint64()}[g.rng.Intn(10)]
	}
	switch g.rng.Intn(4) {
	case 0:
		return g.rng.Uint64() & t.Mask()
	case 1:
		return []uint64{1 << (t.Bits() - 1), t.Mask(), t.Mask() >> 1, t.Mask() - 1}[g.rng.Intn(4)] & t.Mask()
	}
	return uint64(g.rng.Intn(10)) & t.Mask()
}
