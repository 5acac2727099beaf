package virtest

import (
	"math"
	"math/rand"

	"github.com/simtc/simtc/alu"
	_ "github.com/simtc/simtc/internal/testgc"
	"github.com/simtc/simtc/vir"
)

// Options are parameters of a random function.
type Options struct {
	Width int // lanes, at least 4
	Size  int // approximate number of statements
	// Elems are the element types used; nil means all.
	Elems []alu.Type
}

// Random returns a function with a loop over strips, inner loops, branches, masks and
// memory accesses. It terminates in every run and accesses only the buffers of an Image.
// Its results are written to memory, except NaNs, so two runs can be compared byte for
// byte.
func Random(rng *rand.Rand, o Options) *vir.Func {
	g := &gen{rng: rng, w: o.Width, elems: o.Elems, f: &vir.Func{Name: "random", Width: o.Width, Scratch: 0}}
	if g.elems == nil {
		g.elems = []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64, alu.F16, alu.F32, alu.F64}
	}
	g.b = g.f.NewBlock("entry")
	g.ctx = g.op(vir.Context, scalar64)
	args := g.field(vir.CtxArgs)
	for i := range g.buffers {
		g.buffers[i] = g.load(args, 8*int64(i), scalar64)
	}
	if rng.Intn(2) == 0 {
		g.f.NoAlias = []int64{8 * In, 8 * Data, 8 * Out}
	}
	count := g.field(vir.CtxCount)
	for range 3 {
		g.statement(0)
	}
	entry, head, exit := g.b, g.f.NewBlock("strip"), g.f.NewBlock("exit")
	i := head.NewParam(scalar64, "i")
	var carried []*vir.Value
	start := []*vir.Value{g.f.Const(scalar64, 0)}
	for range rng.Intn(3) {
		t := g.someType()
		start = append(start, g.get(t))
		carried = append(carried, head.NewParam(t, "carried"))
	}
	entry.Jump(head, start...)
	g.b = head
	g.add(i)
	for _, p := range carried {
		g.add(p)
	}
	g.add(g.op(vir.Prefix, vir.Mask(g.w), g.op(alu.Sub, scalar64, count, i)))
	for range o.Size {
		g.statement(0)
	}
	g.writeResults(i)
	next := g.op(alu.Add, scalar64, i, g.f.Const(scalar64, uint64(g.w)))
	back := []*vir.Value{next}
	for _, p := range carried {
		back = append(back, g.get(p.Type))
	}
	more := g.op(alu.Slt, vir.Scalar(alu.I1), next, count)
	g.b.Branch(more, vir.Edge{To: head, Args: back}, vir.Edge{To: exit})
	exit.Return()
	g.f.Renumber()
	return g.f
}

var scalar64 = vir.Scalar(alu.I64)

// gen holds the values in scope.
type gen struct {
	rng     *rand.Rand
	f       *vir.Func
	b       *vir.Block
	w       int
	elems   []alu.Type
	ctx     *vir.Value
	buffers [Buffers]*vir.Value
	pool    []*vir.Value // in order of definition; all dominate b's end
}

func (g *gen) op(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	return g.b.Append(op, t, args...)
}

func (g *gen) field(offset int64) *vir.Value { return g.load(g.ctx, offset, scalar64) }

// load makes an invariant load.
func (g *gen) load(base *vir.Value, disp int64, t vir.Type) *vir.Value {
	v := g.op(vir.Load, t, base)
	v.Disp, v.Align, v.Invariant = disp, t.Elem.Size(), true
	return v
}

func (g *gen) add(v *vir.Value) { g.pool = append(g.pool, v) }

func (g *gen) lanes() int { return []int{1, g.w, g.w, g.w, g.w, g.w / 2}[g.rng.Intn(6)] }

func (g *gen) elem() alu.Type { return g.elems[g.rng.Intn(len(g.elems))] }

func (g *gen) someType() vir.Type {
	if g.rng.Intn(4) == 0 {
		return vir.Type{Elem: alu.I1, Lanes: g.lanes()}
	}
	return vir.Type{Elem: g.elem(), Lanes: g.lanes()}
}

// get returns a value of type t, preferring recent ones.
func (g *gen) get(t vir.Type) *vir.Value {
	if g.rng.Intn(8) > 0 {
		seen := 0
		for i := len(g.pool) - 1; i >= 0; i-- {
			if v := g.pool[i]; v.Type == t {
				if seen++; g.rng.Intn(3) == 0 || seen > 6 {
					return v
				}
			}
		}
	}
	switch {
	case g.rng.Intn(3) == 0:
		return g.f.Const(t, g.bits(t.Elem))
	case t.Lanes > 1 && g.rng.Intn(3) == 0:
		return g.op(vir.Splat, t, g.get(vir.Scalar(t.Elem)))
	case t.Elem == alu.I1:
		u := t.With(g.intElem())
		ops := []vir.Op{alu.Eq, alu.Ne, alu.Slt, alu.Sle, alu.Ult, alu.Ule}
		return g.op(ops[g.rng.Intn(len(ops))], t, g.read(u), g.read(u))
	}
	return g.read(t)
}

func (g *gen) intElem() alu.Type {
	for range 20 {
		if e := g.elem(); e.IsInt() {
			return e
		}
	}
	return alu.I32
}

// read loads a value from Data or In.
func (g *gen) read(t vir.Type) *vir.Value {
	disp := int64(g.rng.Intn(64) * 8)
	var v *vir.Value
	if t.Lanes == 1 {
		if g.rng.Intn(2) == 0 {
			return g.load(g.buffers[In], disp, t)
		}
		v = g.op(vir.Load, t, g.buffers[Data])
	} else {
		v = g.op(vir.VLoad, t, g.buffers[Data], g.f.Const(vir.Mask(t.Lanes), 1))
	}
	v.Disp, v.Align = disp, t.Elem.Size()
	return v
}

func (g *gen) bits(t alu.Type) uint64 {
	switch {
	case t == alu.F32:
		return uint64(math.Float32bits(float32(g.rng.Intn(9) - 4)))
	case t == alu.F64:
		return math.Float64bits(float64(g.rng.Intn(9) - 4))
	case t == alu.F16:
		return uint64(0x3c00 + g.rng.Intn(1024))
	}
	switch g.rng.Intn(6) {
	case 0:
		return g.rng.Uint64() & t.Mask()
	case 1:
		return t.Mask()
	case 2:
		return uint64(1) << g.rng.Intn(t.Bits())
	}
	return uint64(g.rng.Intn(5)) & t.Mask()
}

// statement generates an operation, an access or a control structure.
func (g *gen) statement(depth int) {
	if g.rng.Intn(8) == 0 && depth < 3 {
		switch g.rng.Intn(5) {
		case 0, 1:
			g.branch(depth)
		case 2:
			g.waiting(depth)
		default:
			g.loop(depth)
		}
		return
	}
	switch k := g.rng.Intn(12); {
	case k < 7:
		g.pure()
	case k < 9:
		g.laneOp()
	default:
		g.access()
	}
}

// pure generates a random well-typed elementwise operation.
func (g *gen) pure() {
	for range 50 {
		op := vir.Op(1 + g.rng.Intn(int(alu.NumPure)-1))
		arg, to := g.elem(), g.elem()
		switch {
		case g.rng.Intn(5) == 0:
			arg = alu.I1
		case g.rng.Intn(8) == 0:
			to = alu.I1
		}
		res, err := alu.ResultType(op, arg, to)
		if err != nil {
			continue
		}
		in := alu.InfoOf(op)
		t := vir.Type{Elem: arg, Lanes: g.lanes()}
		var args []*vir.Value
		for i := range in.Args {
			u := t
			if in.Class == alu.Choose && i == 0 {
				u = t.With(alu.I1)
				if g.rng.Intn(4) == 0 {
					u = vir.Scalar(alu.I1)
				}
			}
			x := g.get(u)
			if op == alu.Bitcast || op == alu.FPTrunc && res == alu.F16 {
				x = g.sane(x) // NaN bits must not be observable
			}
			args = append(args, x)
		}
		g.add(g.op(op, t.With(res), args...))
		return
	}
}

// sane replaces NaNs, whose bits may differ between runs.
func (g *gen) sane(x *vir.Value) *vir.Value {
	if x.Type.Elem != alu.F32 && x.Type.Elem != alu.F64 {
		return x
	}
	nan := g.op(alu.FNe, x.Type.With(alu.I1), x, x)
	return g.op(alu.Select, x.Type, nan, g.f.Const(x.Type, 0), x)
}

func (g *gen) laneOp() {
	e := g.elem()
	if g.rng.Intn(4) == 0 {
		e = alu.I1
	}
	vec := vir.Type{Elem: e, Lanes: g.w}
	ints := vir.Type{Elem: g.intElem(), Lanes: g.w}
	at := func(i int, v *vir.Value) *vir.Value { v.Index = i; return v }
	var v *vir.Value
	switch g.rng.Intn(12) {
	case 0:
		v = g.op(vir.Splat, vec, g.get(vir.Scalar(e)))
	case 1:
		v = at(g.rng.Intn(3), g.op(vir.Iota, ints))
	case 2:
		v = at(g.rng.Intn(9), g.op(vir.Prefix, vir.Mask(g.w), g.get(scalar64)))
	case 3:
		v = g.op(vir.Any, vir.Scalar(alu.I1), g.get(vir.Mask(g.w)))
	case 4:
		v = g.op(vir.All, vir.Scalar(alu.I1), g.get(vir.Mask(g.w)))
	case 5:
		v = at(g.rng.Intn(g.w), g.op(vir.Extract, vir.Scalar(e), g.get(vec)))
	case 6:
		v = at(g.rng.Intn(g.w), g.op(vir.Insert, ints, g.get(ints), g.get(vir.Scalar(ints.Elem))))
	case 7:
		v = g.op(vir.First, vir.Scalar(ints.Elem), g.get(ints), g.get(vir.Mask(g.w)))
	case 8:
		half := vir.Type{Elem: e, Lanes: g.w / 2}
		v = g.op(vir.Concat, vec, g.get(half), g.get(half))
		if g.rng.Intn(2) == 0 {
			v = at(g.rng.Intn(2), g.op(vir.Part, half, g.get(vec)))
		}
	case 9:
		v = g.op([]vir.Op{vir.Compress, vir.Expand}[g.rng.Intn(2)], ints, g.get(ints), g.get(vir.Mask(g.w)))
	case 10:
		v = g.op(vir.Count, vir.Scalar(alu.I64), g.get(vir.Mask(g.w)))
	default:
		to := vir.Type{Elem: ints.Elem, Lanes: []int{g.w, g.w, g.w / 2}[g.rng.Intn(3)]}
		v = g.op(vir.Shuffle, to, g.get(ints), g.get(ints))
		for range to.Lanes {
			v.Lanes = append(v.Lanes, g.rng.Intn(2*g.w))
		}
	}
	g.add(v)
}

// offset returns a multiple of size below 2^bits in every lane.
func (g *gen) offset(t vir.Type, bits, size int) *vir.Value {
	return g.op(alu.And, t, g.get(t), g.f.Const(t, uint64(1)<<bits-uint64(size)))
}

// access loads or stores at an address within Data.
func (g *gen) access() {
	e := g.elem()
	size := e.Size()
	vec, mask := vir.Vec(e, g.w), g.get(vir.Mask(g.w))
	addr := g.buffers[Data]
	if g.rng.Intn(2) == 0 {
		addr = g.op(alu.Add, scalar64, addr, g.offset(scalar64, 10, size))
	}
	index := func(scale int) *vir.Value {
		t := vir.Vec([]alu.Type{alu.I32, alu.I32, alu.I64}[g.rng.Intn(3)], g.w)
		x := g.offset(t, 10, max(1, size/scale))
		if g.rng.Intn(2) == 0 { // arbitrary addresses in inactive lanes
			x = g.op(alu.Select, t, mask, x, g.get(t))
		}
		return x
	}
	if g.rng.Intn(4) == 0 {
		g.components(addr, e, mask)
		return
	}
	scale := []int{1, 2, 4, 8}[g.rng.Intn(4)]
	if e == alu.I32 || e == alu.I64 {
		if g.rng.Intn(3) == 0 {
			g.atomic(addr, e, mask, index(scale), scale)
			return
		}
	}
	var v *vir.Value
	switch g.rng.Intn(6) {
	case 0:
		v = g.op(vir.Load, vir.Scalar(e), addr)
	case 1:
		v = g.op(vir.Store, vir.Type{}, addr, g.sane(g.get(vir.Scalar(e))))
	case 2:
		v = g.op(vir.VLoad, vec, addr, mask)
		v.Readable = v.ID%2 == 0 // the buffer contains all lanes
	case 3:
		v = g.op(vir.VStore, vir.Type{}, addr, g.sane(g.get(vec)), mask)
	case 4:
		v = g.op(vir.Gather, vec, addr, index(scale), mask)
		v.Scale = scale
	default:
		v = g.op(vir.Scatter, vir.Type{}, addr, index(scale), g.sane(g.get(vec)), mask)
		v.Scale = scale
	}
	v.Disp, v.Align = int64(g.rng.Intn(32)*size), size
	v.Volatile = g.rng.Intn(10) == 0
	if v.Type != (vir.Type{}) {
		g.add(v)
	}
}

// atomic accesses memory atomically, at one address or at one per lane.
func (g *gen) atomic(addr *vir.Value, e alu.Type, mask, index *vir.Value, scale int) {
	one, vec := vir.Scalar(e), vir.Vec(e, g.w)
	kind := g.rng.Intn(int(alu.NumRMW))
	if g.rng.Intn(3) == 0 {
		kind = int(alu.RMWAdd)
	}
	operand := func() *vir.Value {
		switch g.rng.Intn(3) {
		case 0:
			return g.f.Const(vec, uint64(g.rng.Intn(3)))
		case 1:
			return g.op(vir.Splat, vec, g.get(one))
		}
		return g.get(vec)
	}
	if g.rng.Intn(2) == 0 {
		index = g.f.Const(index.Type, uint64(g.rng.Intn(4)*8/scale))
	}
	var v *vir.Value
	switch g.rng.Intn(6) {
	case 0:
		v = g.op(vir.Atomic, one, addr, g.get(one))
		v.Index = kind
	case 1:
		v = g.op(vir.CmpXchg, one, addr, g.get(one), g.get(one))
	case 2:
		old := g.op(vir.Gather, vec, addr, index, mask)
		old.Scale = scale
		v = g.op(vir.VCmpXchg, vec, addr, index, old, operand(), mask)
		v.Scale = scale
		old.Disp = int64(g.rng.Intn(32) * e.Size())
		v.Disp = old.Disp
	default:
		v = g.op(vir.VAtomic, vec, addr, index, operand(), mask)
		v.Index, v.Scale = kind, scale
	}
	if v.Disp == 0 {
		v.Disp = int64(g.rng.Intn(32) * e.Size())
	}
	v.Align, v.Local = e.Size(), g.rng.Intn(3) == 0
	if g.rng.Intn(2) == 0 {
		g.add(v)
	}
	if g.rng.Intn(4) == 0 {
		g.op(vir.Fence, vir.Type{})
	}
	if g.rng.Intn(4) == 0 {
		g.add(g.op(vir.Rank, vir.Vec(alu.I32, g.w), mask))
	}
	if g.rng.Intn(4) == 0 && g.w <= 64 {
		x := g.op(alu.Xor, scalar64, g.op(vir.Bits, scalar64, mask), g.get(scalar64))
		g.add(x)
		g.add(g.op(vir.Unbits, mask.Type, x))
	}
}

// components accesses the elements of small vectors, one vector per lane, with gathers or
// scatters that are adjacent, strided or random. Loaded integers are combined, as words
// are from bytes.
func (g *gen) components(addr *vir.Value, e alu.Type, mask *vir.Value) {
	n, size := 1+g.rng.Intn(4), e.Size()
	t := vir.Vec(alu.I32, g.w)
	apart := []int{n, n, 1, 3, -1, -n, g.rng.Intn(20) - 10}[g.rng.Intn(7)]
	index := g.op(alu.Mul, t, g.op(vir.Iota, t), g.f.Const(t, uint64(apart*size)&alu.I32.Mask()))
	align := size
	if g.rng.Intn(2) == 0 {
		mask = g.f.Const(mask.Type, 1)
	}
	if g.rng.Intn(3) == 0 {
		index, align = g.offset(t, 10, 4*size), 4*size
		addr = g.buffers[Data]
	}
	write, update := g.rng.Intn(2) == 0, g.rng.Intn(3) == 0
	var word *vir.Value
	for i := range n {
		var v *vir.Value
		if update {
			write = g.rng.Intn(2) == 0
		}
		if write {
			v = g.op(vir.Scatter, vir.Type{}, addr, index, g.sane(g.get(vir.Vec(e, g.w))), mask)
		} else {
			v = g.op(vir.Gather, vir.Vec(e, g.w), addr, index, mask)
			g.add(v)
		}
		v.Disp, v.Scale, v.Align = 8<<10+int64(i*size), 1, size // the order of elements may differ from that of accesses
		if i == 0 {
			v.Align = align
		}
		if g.rng.Intn(12) == 0 {
			g.pure()
		}
		if write || !e.IsInt() || e == alu.I64 {
			continue
		}
		w := vir.Vec([]alu.Type{alu.I32, alu.I64}[g.rng.Intn(2)], g.w)
		if w.Elem == e || word != nil {
			w = vir.Vec(alu.I64, g.w)
		}
		x := g.op([]vir.Op{alu.ZExt, alu.ZExt, alu.SExt}[g.rng.Intn(3)], w, v)
		if word == nil || word.Type != w {
			word = x
		} else {
			x = g.op(alu.Shl, w, x, g.f.Const(w, uint64(8*size*i)))
			word = g.op([]vir.Op{alu.Or, alu.Or, alu.Add}[g.rng.Intn(3)], w, word, x)
		}
		g.add(word)
	}
}

// condition returns a scalar i1, often a test whether a mask has an active lane.
func (g *gen) condition() *vir.Value {
	switch g.rng.Intn(9) {
	case 0, 1:
		return g.get(vir.Scalar(alu.I1))
	case 2, 3:
		return g.op(vir.All, vir.Scalar(alu.I1), g.get(vir.Mask(g.w)))
	case 4:
		c := g.get(vir.Scalar(alu.I1))
		return g.op(alu.Xor, c.Type, c, g.f.Const(c.Type, 1))
	}
	return g.op(vir.Any, vir.Scalar(alu.I1), g.get(vir.Mask(g.w)))
}

// branch generates an if with or without an else, whose values join.
func (g *gen) branch(depth int) {
	yes, no, join := g.f.NewBlock(""), g.f.NewBlock(""), g.f.NewBlock("join")
	g.b.Branch(g.condition(), vir.Edge{To: yes}, vir.Edge{To: no})
	types := make([]vir.Type, g.rng.Intn(3))
	for i := range types {
		types[i] = g.someType()
	}
	scope := len(g.pool)
	for _, side := range []*vir.Block{yes, no} {
		g.b = side
		for range g.rng.Intn(5) {
			g.statement(depth + 1)
		}
		var args []*vir.Value
		for _, t := range types {
			args = append(args, g.get(t))
		}
		g.b.Jump(join, args...)
		g.pool = g.pool[:scope]
	}
	g.b = join
	for _, t := range types {
		g.add(join.NewParam(t, ""))
	}
}

// waiting generates the code shape of waiting lanes: a block tests a mask that is empty
// on one incoming path.
func (g *gen) waiting(depth int) {
	m := vir.Mask(g.w)
	work, test, body, out := g.f.NewBlock("work"), g.f.NewBlock("test"), g.f.NewBlock("body"), g.f.NewBlock("out")
	t := g.someType()
	none := vir.Edge{To: test, Args: []*vir.Value{g.f.Const(m, 0), g.get(t)}}
	g.b.Branch(g.condition(), vir.Edge{To: work}, none)
	scope := len(g.pool)
	g.b = work
	for range 1 + g.rng.Intn(3) {
		g.statement(depth + 1)
	}
	g.b.Jump(test, g.get(m), g.get(t))
	g.pool = g.pool[:scope]
	mask, x := test.NewParam(m, "waiting"), test.NewParam(t, "")
	g.b = test
	g.b.Branch(g.op(vir.Any, vir.Scalar(alu.I1), mask), vir.Edge{To: body}, vir.Edge{To: out, Args: []*vir.Value{x}})
	g.b = body
	g.add(mask)
	g.add(x)
	for range 1 + g.rng.Intn(3) {
		g.statement(depth + 1)
	}
	g.b.Jump(out, g.get(t))
	g.pool = g.pool[:scope]
	g.b = out
	g.add(out.NewParam(t, ""))
}

// loop generates a counted loop with the test at its head or its end, and possibly an
// early exit that depends on a mask.
func (g *gen) loop(depth int) {
	i32 := vir.Scalar(alu.I32)
	head, exit := g.f.NewBlock("loop"), g.f.NewBlock("after")
	counter := head.NewParam(i32, "n")
	limit := g.f.Const(i32, uint64(1+g.rng.Intn(3)))
	start := []*vir.Value{g.f.Const(i32, 0)}
	var params []*vir.Value
	for range 1 + g.rng.Intn(2) {
		t := g.someType()
		start = append(start, g.get(t))
		params = append(params, head.NewParam(t, ""))
	}
	g.b.Jump(head, start...)
	g.b = head
	scope := len(g.pool)
	atHead := g.rng.Intn(2) == 0
	if atHead {
		body := g.f.NewBlock("body")
		more := g.op(alu.Slt, vir.Scalar(alu.I1), counter, limit)
		g.b.Branch(more, vir.Edge{To: body}, vir.Edge{To: exit})
		g.b = body
	}
	for _, p := range append(params, counter) {
		g.add(p)
	}
	for range 1 + g.rng.Intn(6) {
		g.statement(depth + 1)
	}
	next := g.op(alu.Add, i32, counter, g.f.Const(i32, 1))
	back := vir.Edge{To: head, Args: []*vir.Value{next}}
	for _, p := range params {
		back.Args = append(back.Args, g.get(p.Type))
	}
	switch {
	case atHead:
		g.b.Jump(head, back.Args...)
	default:
		more := g.op(alu.Slt, vir.Scalar(alu.I1), next, limit)
		if g.rng.Intn(2) == 0 {
			more = g.op(alu.And, more.Type, more, g.op(vir.Any, more.Type, g.get(vir.Mask(g.w))))
		}
		g.b.Branch(more, back, vir.Edge{To: exit})
	}
	g.pool = g.pool[:scope]
	g.b = exit
	for _, p := range params {
		g.add(p) // the head dominates the exit
	}
}

// writeResults stores the latest values of the pool, each strip at its own offset.
func (g *gen) writeResults(strip *vir.Value) {
	t := scalar64
	base := g.op(alu.And, t, g.op(alu.Mul, t, strip, g.f.Const(t, 64)), g.f.Const(t, BufferSize/2-1))
	base = g.op(alu.Add, t, g.buffers[Out], base)
	at := int64(0)
	for i := len(g.pool) - 1; i >= 0 && i >= len(g.pool)-24; i-- {
		x := g.pool[i]
		if x.Type.Elem == alu.I1 {
			x = g.op(alu.ZExt, x.Type.With(alu.I8), x)
		}
		x = g.sane(x)
		var v *vir.Value
		if x.Type.Lanes == 1 {
			v = g.op(vir.Store, vir.Type{}, base, x)
		} else {
			v = g.op(vir.VStore, vir.Type{}, base, x, g.f.Const(vir.Mask(x.Type.Lanes), 1))
		}
		v.Disp, v.Align = at, 1
		at += int64(8 * g.w)
	}
}
