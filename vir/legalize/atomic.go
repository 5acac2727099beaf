package legalize

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Atomic vector accesses become scalar ones, in lane order. Memory that no other thread
// accesses is loaded and stored. An operation that the target lacks becomes a loop around
// compare-exchange.

// atomics translates an atomic access.
func (l *legalizer) atomics(v *vir.Value) []*vir.Value {
	a := &atomicAccess{legalizer: l, v: v, used: l.used[v.ID]}
	if v.Type.Lanes == 1 {
		var xs []*vir.Value
		for _, arg := range v.Args[1:] {
			xs = append(xs, l.of(arg)[0])
		}
		return []*vir.Value{a.scalar(l.of(v.Args[0])[0], xs)}
	}
	n := min(l.lanes(v.Type), l.lanes(v.Args[1].Type), l.lanes(v.Args[len(v.Args)-1].Type))
	args := make([][]*vir.Value, len(v.Args))
	for i, arg := range v.Args {
		args[i] = l.in(arg, n)
	}
	a.part = v.Type
	a.part.Lanes = n
	out := make([]*vir.Value, v.Type.Lanes/n)
	for k := range out {
		a.base, a.index = args[0][0], args[1][k]
		a.xs = nil
		for _, x := range args[2 : len(args)-1] {
			a.xs = append(a.xs, x[k])
		}
		out[k] = a.lanes(args[len(args)-1][k])
	}
	return l.b.regroup(out, l.lanes(v.Type))
}

// atomicAccess is the access being translated, with the operands of one part.
type atomicAccess struct {
	*legalizer
	v           *vir.Value
	used        bool
	part        vir.Type
	base, index *vir.Value
	xs          []*vir.Value // operands
}

func (a *atomicAccess) enter(b *vir.Block) { a.b.enter(b) }

// fewLanes is the largest lane count for which each lane gets its own branch.
const fewLanes = 4

// lanes emits the accesses of one part's lanes and returns the old contents. For many
// lanes it first tests for the common case that all are active, whose accesses need no
// branches. Otherwise it loops over the active lanes.
func (a *atomicAccess) lanes(mask *vir.Value) *vir.Value {
	none := a.out.Const(a.part, 0)
	switch {
	case mask.Op == vir.Const && mask.Const == 0:
		return none
	case mask.Op == vir.Const:
		return a.all(none)
	case a.part.Lanes <= fewLanes:
		return a.branches(mask, none)
	}
	from, full, some := a.b.block, a.out.NewBlock("all"), a.out.NewBlock("some")
	loop, next := a.out.NewBlock("lane"), a.out.NewBlock("")
	loop.Over = vir.OverLanes
	cond := vir.Scalar(alu.I1)
	from.Branch(a.b.op(vir.All, cond, mask), vir.Edge{To: full}, vir.Edge{To: some})
	pass := func(x *vir.Value) []*vir.Value {
		if a.used {
			return []*vir.Value{x}
		}
		return nil
	}
	a.enter(full)
	found := a.all(none)
	full = a.b.block
	full.Jump(next, pass(found)...)

	a.enter(some)
	i64 := vir.Scalar(alu.I64)
	bits, zero := a.b.op(vir.Bits, i64, mask), a.out.Const(i64, 0)
	left := loop.NewParam(i64, "")
	acc := none
	if a.used {
		acc = loop.NewParam(a.part, "")
	}
	more := func(x *vir.Value) *vir.Value { return a.b.op(alu.Ne, cond, x, zero) }
	some.Branch(more(bits), vir.Edge{To: loop, Args: append([]*vir.Value{bits}, pass(none)...)}, vir.Edge{To: next, Args: pass(none)})

	a.enter(loop)
	last := a.first(left, acc)
	left2 := a.b.op(alu.And, i64, left, a.b.op(alu.Sub, i64, left, a.out.Const(i64, 1)))
	a.b.block.Branch(more(left2), vir.Edge{To: loop, Args: append([]*vir.Value{left2}, pass(last)...)}, vir.Edge{To: next, Args: pass(last)})
	for _, b := range []*vir.Block{from, full, some, a.b.block} {
		b.Pos = a.v.Pos
	}
	a.enter(next)
	if a.used {
		return next.NewParam(a.part, "")
	}
	return none
}

// first executes the lane of the lowest set bit of left, and returns the results so far.
func (a *atomicAccess) first(left, acc *vir.Value) *vir.Value {
	i64 := vir.Scalar(alu.I64)
	masks := map[vir.Type]*vir.Value{}
	pick := func(x *vir.Value) *vir.Value {
		t := vir.Scalar(x.Type.Elem)
		switch x.Op {
		case vir.Const:
			return a.out.Const(t, x.Const)
		case vir.Splat:
			return x.Args[0]
		}
		m := a.maskOf(x.Type)
		if masks[m] == nil {
			masks[m] = a.b.op(vir.Unbits, m, left)
		}
		return a.b.op(vir.First, t, x, masks[m])
	}
	xs := make([]*vir.Value, len(a.xs))
	for i, x := range a.xs {
		xs[i] = pick(x)
	}
	old := a.scalar(a.address(pick(a.index)), xs)
	if !a.used {
		return acc
	}
	lowest := a.b.op(alu.And, i64, left, a.b.op(alu.Sub, i64, a.out.Const(i64, 0), left))
	is := a.b.op(vir.Unbits, a.maskOf(a.part), lowest)
	return a.b.op(alu.Select, a.part, is, a.b.op(vir.Splat, a.part, old), acc)
}

// all executes every lane without tests.
func (a *atomicAccess) all(acc *vir.Value) *vir.Value {
	index := a.quarters(a.index)
	var xs []func(int) *vir.Value
	for _, x := range a.xs {
		xs = append(xs, a.quarters(x))
	}
	for lane := range a.part.Lanes {
		args := make([]*vir.Value, len(xs))
		for i, x := range xs {
			args[i] = x(lane)
		}
		acc = a.insert(acc, a.scalar(a.address(index(lane)), args), lane)
	}
	return acc
}

// quarters extracts lanes of x through parts of 128 bits.
func (a *atomicAccess) quarters(x *vir.Value) func(lane int) *vir.Value {
	n := 128 / x.Type.Elem.Bits()
	if x.Op == vir.Const || x.Type.Lanes <= n {
		return func(lane int) *vir.Value { return a.extract(x, lane) }
	}
	parts := make([]*vir.Value, x.Type.Lanes/n)
	return func(lane int) *vir.Value {
		k := lane / n
		if parts[k] == nil {
			parts[k] = a.b.op(vir.Part, vir.Type{Elem: x.Type.Elem, Lanes: n}, x)
			parts[k].Index = k
		}
		return a.extract(parts[k], lane%n)
	}
}

// branches tests each lane with a branch.
func (a *atomicAccess) branches(mask, acc *vir.Value) *vir.Value {
	bits := a.maskBits(mask)
	for lane := range a.part.Lanes {
		on := a.laneOf(mask, bits, lane)
		from, access, next := a.b.block, a.out.NewBlock(""), a.out.NewBlock("")
		a.enter(access)
		xs := make([]*vir.Value, len(a.xs))
		for i, x := range a.xs {
			xs[i] = a.extract(x, lane)
		}
		x := a.insert(acc, a.scalar(a.address(a.extract(a.index, lane)), xs), lane)
		skip := vir.Edge{To: next}
		if a.used {
			skip.Args = []*vir.Value{acc}
			a.b.block.Jump(next, x)
			acc = next.NewParam(a.part, "")
		} else {
			a.b.block.Jump(next)
		}
		from.Branch(on, vir.Edge{To: access}, skip)
		from.Pos, a.b.block.Pos = a.v.Pos, a.v.Pos
		a.enter(next)
	}
	return acc
}

func (a *atomicAccess) insert(acc, old *vir.Value, lane int) *vir.Value {
	switch {
	case !a.used:
		return acc
	case a.part.Lanes == 1:
		return old
	}
	x := a.b.op(vir.Insert, a.part, acc, old)
	x.Index = lane
	return x
}

// address computes the address for the index of one lane.
func (a *atomicAccess) address(index *vir.Value) *vir.Value {
	return a.laneAddress(a.base, index, a.v.Scale)
}

// scalar emits one access and returns the old contents.
func (a *atomicAccess) scalar(addr *vir.Value, xs []*vir.Value) *vir.Value {
	t := vir.Scalar(a.v.Type.Elem)
	rmw := a.v.Op == vir.Atomic || a.v.Op == vir.VAtomic
	attributes := func(x *vir.Value) *vir.Value {
		x.Disp, x.Align = a.v.Disp, t.Elem.Size()
		return x
	}
	load := func() *vir.Value { return attributes(a.b.op(vir.Load, t, addr)) }
	made := func(old, x *vir.Value) *vir.Value {
		if op := a.v.RMW().Info().Op; op != alu.Invalid {
			y := a.make(op, t, a.wrap(old), a.wrap(x))
			return a.of(y)[0]
		}
		return x
	}
	switch {
	case a.v.Local && rmw:
		old := load()
		attributes(a.b.op(vir.Store, vir.Type{}, addr, made(old, xs[0])))
		return old
	case a.v.Local:
		old := load()
		same := a.b.op(alu.Eq, vir.Scalar(alu.I1), old, xs[0])
		attributes(a.b.op(vir.Store, vir.Type{}, addr, a.b.op(alu.Select, t, same, xs[1], old)))
		return old
	case !rmw:
		return attributes(a.b.op(vir.CmpXchg, t, append([]*vir.Value{addr}, xs...)...))
	case a.t.HasAtomic == nil || a.t.HasAtomic(a.v.RMW(), t.Elem, a.used):
		x := attributes(a.b.op(vir.Atomic, t, addr, xs[0]))
		x.Index = a.v.Index
		return x
	}
	// Repeat until no other thread wrote between the load and the exchange.
	seen := load()
	seen.Volatile = true
	from, loop, next := a.b.block, a.out.NewBlock("retry"), a.out.NewBlock("")
	loop.Over = vir.OverLanes
	old := loop.NewParam(t, "")
	from.Jump(loop, seen)
	a.enter(loop)
	now := attributes(a.b.op(vir.CmpXchg, t, addr, old, made(old, xs[0])))
	same := a.b.op(alu.Eq, vir.Scalar(alu.I1), now, old)
	loop.Branch(same, vir.Edge{To: next}, vir.Edge{To: loop, Args: []*vir.Value{now}})
	from.Pos, loop.Pos = a.v.Pos, a.v.Pos
	a.enter(next)
	return now
}

// rank splits Rank, and computes it lane by lane for a target without it.
func (l *legalizer) rank(v *vir.Value) []*vir.Value {
	t := l.part(v.Type)
	one := vir.Scalar(alu.I32)
	masks := l.in(v.Args[0], t.Lanes)
	out := make([]*vir.Value, l.count(v.Type))
	below := l.out.Const(one, 0)
	for k := range out {
		m := masks[k]
		if l.t.Has(vir.Rank, m.Type, t) {
			x := l.b.op(vir.Rank, t, m)
			if k > 0 {
				x = l.b.op(alu.Add, t, x, l.b.op(vir.Splat, t, below))
			}
			out[k] = x
			if k+1 < len(masks) {
				n := l.b.op(alu.Trunc, one, l.b.op(vir.Count, vir.Scalar(alu.I64), m))
				below = l.b.op(alu.Add, one, below, n)
			}
			continue
		}
		x := l.out.Const(t, 0)
		for lane := range t.Lanes {
			on := l.extract(m, lane)
			x = l.b.op(vir.Insert, t, x, below)
			x.Index = lane
			below = l.b.op(alu.Add, one, below, l.b.op(alu.ZExt, one, on))
		}
		out[k] = x
	}
	return out
}

// usedValues reports for every value whether it is used.
func usedValues(f *vir.Func) []bool {
	used := make([]bool, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				used[a.ID] = true
			}
		}
		if b.Cond != nil {
			used[b.Cond.ID] = true
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				used[a.ID] = true
			}
		}
	}
	return used
}
