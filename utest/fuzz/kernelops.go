package fuzz

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// operation appends one random operation with its operands to the block.
func (g *generator) operation() {
	g.uniform = g.chance(35)
	switch k := g.rng.Intn(100); {
	case k < 52:
		g.pure()
	case k < 60:
		g.loadTable()
	case k < 62:
		g.loadValue()
	case k < 65:
		g.neighbours()
	case k < 68:
		g.access(g.rowAccess, false)
	case k < 78:
		g.access(g.rowAccess, true)
	case k < 81:
		g.access(g.ownAccess, false)
	case k < 86:
		g.access(g.ownAccess, true)
	case k < 94:
		if len(g.privs) > 0 {
			g.access(g.privateAccess, g.chance(55))
		}
	case k < 96:
		g.pointer()
	case k < 98:
		g.query()
	default:
		switch g.rng.Intn(3) {
		case 0:
			g.flag()
		case 1:
			g.ownAtomic()
		default:
			g.sharedAtomic()
		}
	}
}

func (g *generator) emit(op alu.Op, t alu.Type, args ...*kernel.Value) *kernel.Value {
	return g.block().Append(op, t, args...)
}

func (g *generator) i64(x int) *kernel.Value { return g.f.Const(alu.I64, uint64(x)) }

func (g *generator) pure() {
	if g.chance(2) { // false in all lanes, for any set of active lanes
		c, uniform := g.choose(alu.I1)
		all, not := g.emit(kernel.AllLanes, alu.I1, c), g.emit(alu.Xor, alu.I1, c, g.f.Const(alu.I1, 1))
		g.add(g.emit(alu.And, alu.I1, all, not), uniform)
		return
	}
	if g.chance(2) { // equals x, for any first lane
		t := []alu.Type{alu.I8, alu.I16, alu.I32, alu.I64}[g.rng.Intn(4)]
		x, uniform := g.choose(t)
		first := g.emit(kernel.FirstLane, t, x)
		g.add(g.emit(alu.Select, t, g.emit(kernel.AllLanes, alu.I1, g.emit(alu.Eq, alu.I1, x, first)), first, x), uniform)
		return
	}
	u := uses[g.rng.Intn(len(uses))]
	types := u.types[g.rng.Intn(len(u.types))]
	n := alu.InfoOf(u.op).Args
	args := make([]*kernel.Value, n)
	uniform := true
	for i := range args {
		t := types[0]
		if u.op == alu.Select && i == 0 {
			t = alu.I1
		}
		var uni bool
		args[i], uni = g.choose(t)
		uniform = uniform && uni
	}
	if u.op == alu.Bitcast && types[0].IsFloat() {
		args[0] = g.canon(args[0])
	}
	g.add(g.emit(u.op, types[1], args...), uniform)
}

// canon replaces every NaN by one NaN, whose bits a program may inspect.
func (g *generator) canon(x *kernel.Value) *kernel.Value {
	if !x.Type.IsFloat() {
		return x
	}
	nan := map[alu.Type]uint64{alu.F16: 0x7e00, alu.F32: 0x7fc00000, alu.F64: 0x7ff8 << 48}[x.Type]
	wide := x
	if x.Type == alu.F16 { // comparisons of halves are not generated
		wide = g.emit(alu.FPExt, alu.F32, x)
	}
	return g.emit(alu.Select, x.Type, g.emit(alu.FEq, alu.I1, wide, wide), x, g.f.Const(x.Type, nan))
}

// index makes an i64 in 0 to n-1, where n is a power of two, in one of the usual forms of
// address computations.
func (g *generator) index(n int) *kernel.Value {
	mask := uint64(n - 1)
	switch g.rng.Intn(5) {
	case 0:
		return g.f.Const(alu.I64, uint64(g.rng.Intn(n)))
	case 1:
		x := g.emit(alu.And, alu.I32, g.pick(alu.I32), g.f.Const(alu.I32, mask))
		return g.emit([]alu.Op{alu.SExt, alu.ZExt}[g.rng.Intn(2)], alu.I64, x)
	case 2:
		x := g.emit(alu.And, alu.I8, g.pick(alu.I8), g.f.Const(alu.I8, mask&0x7f))
		return g.emit(alu.ZExt, alu.I64, x)
	case 3:
		if n > 1 {
			return g.emit(alu.URem, alu.I64, g.pick(alu.I64), g.i64(n))
		}
	}
	return g.emit(alu.And, alu.I64, g.pick(alu.I64), g.f.Const(alu.I64, mask))
}

// scale multiplies an index by a size.
func (g *generator) scale(x *kernel.Value, size int) *kernel.Value {
	if size == 1 && g.chance(50) {
		return x
	}
	if size&(size-1) == 0 && g.chance(60) {
		return g.emit(alu.Shl, alu.I64, x, g.i64(bits.TrailingZeros(uint(size))))
	}
	return g.emit(alu.Mul, alu.I64, x, g.i64(size))
}

func (g *generator) sum(a, b *kernel.Value) *kernel.Value { return g.emit(alu.Add, alu.I64, a, b) }

func (g *generator) ptradd(p, off *kernel.Value) *kernel.Value {
	return g.emit(kernel.PtrAdd, p.Type, p, off)
}

// place is a memory location for an access.
type place struct {
	ptr    *kernel.Value
	elem   alu.Type
	count  int
	align  int
	floats bool // the contents are only loaded and compared as elem
}

func (g *generator) loadTable() {
	t := rowTypes[g.rng.Intn(len(rowTypes))]
	base, room := g.args[argTable], tableSize
	if g.data && g.chance(30) {
		base = g.emit(kernel.DataAddr, alu.PtrConstant)
		room = 64
	}
	p := place{elem: t, count: 1, align: t.Size()}
	switch {
	case room == tableSize && g.chance(30): // by id: contiguous
		p.ptr = g.ptradd(base, g.scale(g.id, t.Size()))
		if g.chance(40) {
			p.ptr = g.ptradd(p.ptr, g.i64(t.Size()*g.rng.Intn(8)))
		}
	case room == tableSize && g.chance(25): // vectors, contiguous or gathered
		p.count = []int{2, 3, 4, 8}[g.rng.Intn(4)]
		p.ptr = g.ptradd(base, g.scale(g.index(16), t.Size()))
		if g.chance(50) {
			p.count = 2
			p.ptr = g.ptradd(base, g.scale(g.emit(alu.And, alu.I64, g.id, g.i64(31)), 2*t.Size()))
		}
	case g.chance(15): // unaligned
		p.align = 1
		p.ptr = g.ptradd(base, g.index(room/2))
	default:
		p.ptr = g.ptradd(base, g.scale(g.index(room/2/t.Size()), t.Size()))
	}
	g.load(p)
}

// loadValue reads from an argument that is passed by value.
func (g *generator) loadValue() {
	a := g.emit(kernel.ArgAddr, alu.PtrConstant)
	a.Index = argVector + g.rng.Intn(2)
	t := rowTypes[g.rng.Intn(len(rowTypes))]
	p := place{ptr: a, elem: t, count: 1, align: t.Size()}
	if g.chance(30) {
		p.count = []int{2, 3, 4}[g.rng.Intn(3)]
	} else {
		p.ptr = g.ptradd(a, g.scale(g.index(valueSize/t.Size()), t.Size()))
	}
	g.load(p)
}

// guarded makes an access that is in bounds only in active lanes: the table has guardedCount
// elements.
func (g *generator) guarded(x *kernel.Value) {
	t := rowTypes[g.rng.Intn(len(rowTypes))]
	end := g.ptradd(g.args[argTable], g.i64(tableSize-guardedCount*t.Size()))
	g.load(place{ptr: g.ptradd(end, g.scale(x, t.Size())), elem: t, count: 1, align: t.Size()})
	if g.chance(30) { // an index that is valid only here selects the address of a store
		row := g.emit(alu.LShr, alu.I64, x, g.i64(3))
		at := g.emit(alu.Shl, alu.I64, row, g.i64(9))
		p := g.ptradd(g.ptradd(g.args[argRows], g.i64(rowsAt(3))), g.sum(at, g.scale(g.id, 8)))
		g.store(place{ptr: p, elem: alu.I64, count: 1, align: 8})
	}
}

// neighbours accesses several adjacent elements, like members of a struct: in the table, in
// the work-item's part of argOwn or in private memory, with loads and stores mixed.
func (g *generator) neighbours() {
	t := rowTypes[g.rng.Intn(len(rowTypes))]
	n := 2 + g.rng.Intn(3)
	var base *kernel.Value
	stores := true
	switch g.rng.Intn(4) {
	case 0:
		base, stores = g.ptradd(g.args[argTable], g.scale(g.index(16), n*t.Size())), false
	case 1:
		base, stores = g.ptradd(g.args[argTable], g.scale(g.emit(alu.And, alu.I64, g.id, g.i64(15)), n*t.Size())), false
	case 2:
		if g.hasPrivatePtr() {
			base = g.ptradd(g.pick(alu.PtrPrivate), g.i64(g.rng.Intn(2)*t.Size()))
			n = 2
			break
		}
		fallthrough
	default:
		base = g.ptradd(g.own, g.scale(g.index(2), 8))
	}
	for _, i := range g.rng.Perm(n) {
		p := place{ptr: base, elem: t, count: 1, align: t.Size()}
		if i > 0 {
			p.ptr = g.ptradd(base, g.i64(i*t.Size()))
		}
		if stores && g.chance(60) {
			g.store(p)
		} else {
			g.load(p)
		}
		if g.chance(20) {
			g.pure()
		}
	}
}

func (g *generator) access(where func() place, store bool) {
	p := where()
	if store {
		g.store(p)
	} else {
		g.load(p)
	}
}

func (g *generator) load(p place) {
	v := g.emit(kernel.Load, p.elem, p.ptr)
	v.Count, v.Align, v.Volatile = p.count, p.align, g.chance(3)
	if p.count == 1 {
		g.add(v, false)
		return
	}
	for i := range p.count {
		c := g.emit(kernel.Component, p.elem, v)
		c.Index = i
		g.add(c, false)
	}
}

func (g *generator) store(p place) {
	args := []*kernel.Value{p.ptr}
	for range p.count {
		x := g.pick(p.elem)
		if !p.floats {
			x = g.canon(x)
		}
		args = append(args, x)
	}
	v := g.emit(kernel.Store, alu.Void, args...)
	v.Count, v.Align, v.Volatile = p.count, p.align, g.chance(3)
}

// rowAccess is element id of a row: contiguous where the row is uniform.
func (g *generator) rowAccess() place {
	i := g.rng.Intn(len(rowTypes))
	t := rowTypes[i]
	size := t.Size()
	p := place{elem: t, count: 1, align: size, floats: true}
	row := g.index(rowCount)
	switch g.rng.Intn(4) {
	case 0: // one index in elements
		x := g.sum(g.emit(alu.Mul, alu.I64, row, g.i64(maxItems)), g.id)
		p.ptr = g.ptradd(g.ptradd(g.args[argRows], g.i64(rowsAt(i))), g.scale(x, size))
	case 1: // in 32 bits
		r := g.emit(alu.Trunc, alu.I32, row)
		x := g.emit(alu.Add, alu.I32, g.emit(alu.Shl, alu.I32, r, g.f.Const(alu.I32, 6)), g.emit(alu.Trunc, alu.I32, g.id))
		wide := g.emit([]alu.Op{alu.SExt, alu.ZExt}[g.rng.Intn(2)], alu.I64, x)
		p.ptr = g.ptradd(g.ptradd(g.args[argRows], g.i64(rowsAt(i))), g.scale(wide, size))
	case 2:
		at := g.sum(g.emit(alu.Mul, alu.I64, row, g.i64(maxItems*size)), g.i64(rowsAt(i)))
		p.ptr = g.ptradd(g.ptradd(g.args[argRows], at), g.scale(g.id, size))
	default:
		q := g.ptradd(g.args[argRows], g.scale(g.id, size))
		p.ptr = g.ptradd(g.ptradd(q, g.i64(rowsAt(i))), g.emit(alu.Mul, alu.I64, row, g.i64(maxItems*size)))
	}
	return p
}

// ownAccess is a location in the work-item's part of argOwn, through a pointer that may have
// been computed in another block.
func (g *generator) ownAccess() place {
	t := rowTypes[g.rng.Intn(len(rowTypes))]
	p := place{elem: t, count: 1, align: t.Size()}
	base := g.own
	if g.chance(40) {
		base = g.pick(alu.PtrGlobal)
	}
	if g.chance(20) {
		p.count = []int{2, 3, 4}[g.rng.Intn(3)]
	}
	switch {
	case g.chance(15):
		p.align = 1
		p.ptr = g.ptradd(base, g.index(32))
	case g.chance(30):
		p.ptr = g.ptradd(base, g.i64(t.Size()*g.rng.Intn(32/t.Size())))
	default:
		p.ptr = g.ptradd(base, g.scale(g.index(32/t.Size()), t.Size()))
	}
	return p
}

func (g *generator) privateAccess() place {
	a := g.privs[g.rng.Intn(len(g.privs))]
	base, t := a.v, a.elem
	p := place{count: 1, floats: true}
	if t == alu.Void {
		p.floats = false
		t = rowTypes[g.rng.Intn(len(rowTypes))]
		if g.chance(40) {
			base = g.pick(alu.PtrPrivate)
		}
	}
	p.elem, p.align = t, t.Size()
	if g.chance(15) {
		p.count = 2
	}
	switch {
	case a.elem == alu.Void && g.chance(15):
		p.align = 1
		p.ptr = g.ptradd(base, g.index(32))
	case g.chance(40):
		p.ptr = base
		if at := g.rng.Intn(32 / t.Size()); at > 0 {
			p.ptr = g.ptradd(base, g.i64(t.Size()*at))
		}
	default:
		p.ptr = g.ptradd(base, g.scale(g.index(32/t.Size()), t.Size()))
	}
	return p
}

// pointer makes a pointer into the work-item's own memory that later accesses
// may use: at most 32 bytes past its start, at most 16 in private memory.
func (g *generator) pointer() {
	base, most := g.own, 32
	t := alu.PtrGlobal
	if g.hasPrivatePtr() && g.chance(40) {
		for base = g.privs[0].v; ; base = g.privs[g.rng.Intn(len(g.privs))].v {
			if g.isMixed(base) {
				break
			}
		}
		t, most = alu.PtrPrivate, 16
	}
	var p *kernel.Value
	switch g.rng.Intn(4) {
	case 0:
		p = g.emit(alu.Select, t, g.pick(alu.I1), g.pick(t), g.pick(t))
	case 1: // through an integer
		x := g.emit(alu.Bitcast, alu.I64, base)
		p = g.emit(alu.Bitcast, t, g.sum(x, g.i64(8*g.rng.Intn(1+most/8))))
	default:
		p = g.ptradd(base, g.scale(g.index(most/8), 8))
	}
	g.add(p, false)
	if g.chance(30) {
		g.add(g.emit([]alu.Op{alu.Eq, alu.Ne}[g.rng.Intn(2)], alu.I1, p, g.pick(t)), false)
	}
}

func (g *generator) isMixed(v *kernel.Value) bool {
	for _, p := range g.privs {
		if p.v == v {
			return p.elem == alu.Void
		}
	}
	return false
}

func (g *generator) query() {
	ops := []kernel.Op{kernel.GlobalID, kernel.GlobalSize, kernel.GlobalOffset, kernel.WorkDim}
	if g.chance(20) { // these make the launch run whole groups
		ops = []kernel.Op{kernel.LocalID, kernel.GroupID, kernel.LocalSize, kernel.NumGroups}
	}
	v := g.emit(ops[g.rng.Intn(len(ops))], alu.I64)
	if v.Op != kernel.WorkDim {
		v.Index = g.rng.Intn(3)
	}
	g.add(v, v.Index > 0 || v.Op != kernel.GlobalID && v.Op != kernel.LocalID)
}

// flag sets a word that other work-items may set to the same value.
func (g *generator) flag() {
	i := g.rng.Intn(flagCount)
	v := g.emit(kernel.Store, alu.Void, g.ptradd(g.args[argFlags], g.i64(4*i)), g.f.Const(alu.I32, uint64(1000+i)))
	v.Count, v.Align = 1, 4
}

// ownAtomic accesses the work-item's own memory atomically.
func (g *generator) ownAtomic() {
	t := []alu.Type{alu.I32, alu.I64}[g.rng.Intn(2)]
	base := g.own
	if g.chance(40) {
		base = g.pick(alu.PtrGlobal)
	}
	p := g.ptradd(base, g.scale(g.index(32/t.Size()), t.Size()))
	if g.chance(30) {
		expected := g.pick(t)
		if g.chance(60) {
			expected = g.emit(kernel.Load, t, p)
			expected.Count, expected.Align = 1, t.Size()
		}
		g.add(g.emit(kernel.CmpXchg, t, p, expected, g.pick(t)), false)
		return
	}
	v := g.emit(kernel.Atomic, t, p, g.pick(t))
	v.Index = g.rng.Intn(int(alu.NumRMW))
	if g.chance(70) {
		g.add(v, false)
	}
}

// sharedAtomic updates a cell that other work-items update by the same operation, so that
// their order does not matter. The old value is not used.
func (g *generator) sharedAtomic() {
	k := g.rng.Intn(int(alu.RMWXchg))
	at, t := flagCount*4+k*cellBytes, alu.I32
	if g.chance(40) {
		at, t = at+cellCount*4, alu.I64
	}
	p := g.ptradd(g.args[argFlags], g.i64(at))
	if g.chance(50) {
		p = g.ptradd(p, g.scale(g.index(cellCount), t.Size()))
	}
	v := g.emit(kernel.Atomic, alu.Void, p, g.pick(t))
	v.Type, v.Index = t, k
	if g.chance(20) {
		g.emit(kernel.Fence, alu.Void)
	}
}

// trace folds the block's number into the work-item's history.
func (g *generator) trace(b int) {
	p := g.ptradd(g.own, g.i64(ownTrace))
	old := g.emit(kernel.Load, alu.I64, p)
	old.Count, old.Align = 1, 8
	x := g.sum(g.emit(alu.Mul, alu.I64, old, g.i64(31)), g.i64(b+1))
	v := g.emit(kernel.Store, alu.Void, p, x)
	v.Count, v.Align = 1, 8
}

// results stores a few values before the return.
func (g *generator) results() {
	for i := range 3 {
		t := rowTypes[g.rng.Intn(len(rowTypes))]
		v := g.emit(kernel.Store, alu.Void, g.ptradd(g.own, g.i64(ownResult+8*i)), g.canon(g.pick(t)))
		v.Count, v.Align = 1, t.Size()
	}
}
