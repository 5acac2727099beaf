package memory

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
)

// replaceLoops replaces each search loop by a block that branches to its exits; mirrorStores sets
// the conditions.
func (s *arrayCaches) replaceLoops() {
	blocks := map[*vir.Block]*vir.Block{} // by the loop's head
	removed := map[*vir.Block]bool{}
	for _, q := range s.searches {
		q.block = s.f.NewBlock("ask")
		q.block.Pos = q.head.Pos
		q.block.Branch(s.f.Const(vir.Scalar(alu.I1), 0), vir.Edge{To: q.foundEdge.To, Args: slices.Clone(q.foundEdge.Args)}, vir.Edge{To: q.notFoundEdge.To, Args: slices.Clone(q.notFoundEdge.Args)})
		blocks[q.head], removed[q.head] = q.block, true
		for _, b := range q.blocks {
			removed[b] = true
		}
	}
	for _, b := range s.f.Blocks {
		for i := range b.Edges {
			if e := &b.Edges[i]; !removed[b] && blocks[e.To] != nil {
				e.To, e.Args = blocks[e.To], nil
			}
		}
	}
	vir.RemoveUnreachable(s.f)
	s.f.Renumber()
}

// mirrorStores mirrors stores in the cached arrays, and evaluates the searches.
func (s *arrayCaches) mirrorStores() {
	vars := vir.NewVariables(s.f)
	for _, x := range s.arrays {
		vars.Declare(x.vector(s.width), "shadow")
	}
	for _, b := range s.f.Blocks {
		for _, e := range b.Edges {
			vars.Connect(b, e.To)
		}
	}
	for _, b := range s.f.Blocks {
		if !s.changes[b] {
			vars.Seal(b)
		}
	}
	for k, x := range s.arrays {
		vars.Write(s.start, k, s.f.Const(x.vector(s.width), 0))
	}
	for _, b := range s.f.Blocks {
		if s.changes[b] {
			for k, x := range s.arrays {
				vars.Write(b, k, x.mirror(s.f, b, vars.Read(b, k), s.width))
			}
		}
	}
	for _, b := range s.f.Blocks {
		vars.Seal(b)
	}
	for _, q := range s.searches {
		for k := range s.arrays {
			q.cached = append(q.cached, vars.Read(q.block, k))
		}
		q.evaluate(s.f)
	}
	vars.Finish()
	if q := s.searches[0]; q.usesCounter {
		edit.ReplaceAll(s.f, q.finalCounters(s.f))
	}
	s.f.Renumber()
}

// vector returns the type of the cached array.
func (x array) vector(lanes int) vir.Type { return vir.Vec(x.elem, lanes) }

// mirror mirrors the stores of b in the cached array, whose value before them is now.
func (x array) mirror(f *vir.Func, b *vir.Block, now *vir.Value, lanes int) *vir.Value {
	t := x.vector(lanes)
	var out []*vir.Value
	for _, v := range b.Values {
		out = append(out, v)
		if vir.InfoOf(v.Op).Effect != vir.Writes || v.Object != x.object {
			continue
		}
		add := func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
			n := b.NewValue(op, t, args...)
			n.Pos = v.Pos
			out = append(out, n)
			return n
		}
		i, plus, ok := x.lane(v)
		switch {
		case !ok:
			now = add(vir.VLoad, t, privateBase(v.Args[0]), f.Const(vir.Mask(lanes), 1))
			now.Disp, now.Object = x.from, x.object
		case i == nil && plus >= 0 && plus < int64(lanes):
			now = add(vir.Insert, t, now, v.Args[1])
			now.Index = int(plus)
		case i != nil:
			if i.Type.Elem == alu.I64 {
				i = add(alu.Trunc, vir.Scalar(alu.I32), i)
			}
			all := add(vir.Iota, vir.Vec(alu.I32, lanes))
			all.Index = int(-plus)
			here := add(alu.Eq, vir.Mask(lanes), all, add(vir.Splat, all.Type, i))
			now = add(alu.Select, t, here, add(vir.Splat, t, v.Args[1]), now)
		}
	}
	b.Values = out
	return now
}

// privateBase returns the base address of private memory that the address a is computed from.
func privateBase(a *vir.Value) *vir.Value {
	if a.Op != alu.Add || vir.IsPrivateBase(a) {
		return a
	}
	if x := privateBase(a.Args[1]); vir.IsPrivateBase(x) {
		return x
	}
	return privateBase(a.Args[0])
}

// evaluate evaluates the search for all elements.
func (q *search) evaluate(f *vir.Func) {
	b := q.block
	all := vir.Vec(alu.I32, q.width)
	mask := vir.Mask(q.width)
	number := b.Append(vir.Iota, all)
	for _, v := range q.counters {
		q.lanes[v] = number
	}
	on := b.Append(q.compare, mask, number, q.vectorOf(f, q.limit))
	if q.first.Const > 0 {
		on = b.Append(alu.And, mask, on, b.Append(alu.Sle, mask, f.Const(all, q.first.Const), number))
	}
	// come holds the elements that reach a block; for some of them the result may be yes already.
	every := f.Const(mask, 1)
	both := func(x, y *vir.Value) *vir.Value {
		if x == every {
			return y
		}
		return b.Append(alu.And, mask, x, y)
	}
	either := func(x, y *vir.Value) *vir.Value {
		switch {
		case x == nil || y == every:
			return y
		case x == every:
			return x
		}
		return b.Append(alu.Or, mask, x, y)
	}
	come := map[*vir.Block]*vir.Value{q.inside: every}
	var yes *vir.Value
	for _, l := range q.blocks {
		for i, e := range l.Edges {
			m := come[l]
			if l.Kind == vir.Branch && l.Edges[1-i].To != q.foundEdge.To {
				c := q.vectorOf(f, l.Cond)
				if i == 1 {
					c = b.Append(alu.Xor, mask, c, every)
				}
				m = both(m, c)
			}
			switch e.To {
			case q.foundEdge.To:
				yes = either(yes, m)
			case q.head:
			default:
				come[e.To] = either(come[e.To], m)
			}
		}
	}
	q.found = both(yes, on)
	b.Cond = b.Append(vir.Any, vir.Scalar(alu.I1), q.found)
}

// finalCounters returns the final values of the counter: the lane of the first element found, or the limit.
func (q *search) finalCounters(f *vir.Func) map[*vir.Value]*vir.Value {
	b, i32, i64 := q.block, vir.Scalar(alu.I32), vir.Scalar(alu.I64)
	bits := b.Append(vir.Bits, i64, q.found)
	all := f.Const(i64, math.MaxUint64)
	below := b.Append(alu.And, i64, b.Append(alu.Xor, i64, bits, all), b.Append(alu.Add, i64, bits, all))
	end, later := q.limit, alu.UMax
	if q.compare == alu.Sle || q.compare == alu.Ule {
		end = b.Append(alu.Add, i32, end, f.Const(i32, 1))
	}
	if q.compare == alu.Slt || q.compare == alu.Sle {
		later = alu.SMax
	}
	end = b.Append(later, i32, end, f.Const(i32, q.first.Const))
	at := b.Append(alu.Select, i32, b.Cond, b.Append(alu.Trunc, i32, b.Append(alu.Popcount, i64, below)), end)
	to := map[*vir.Value]*vir.Value{}
	for _, v := range q.counters {
		extend := alu.SExt
		if v.Op == alu.ZExt || v == q.r && later == alu.UMax {
			extend = alu.ZExt
		}
		if to[v] = at; v.Type.Elem == alu.I64 {
			to[v] = b.Append(extend, i64, at)
		}
	}
	return to
}

// vectorOf returns the vector of v for all elements.
func (q *search) vectorOf(f *vir.Func, v *vir.Value) *vir.Value {
	if x := q.lanes[v]; x != nil {
		return x
	}
	b, t := q.block, vir.Vec(v.Type.Elem, q.width)
	if v.Type.Elem == alu.I1 {
		t = vir.Mask(q.width)
	}
	var x *vir.Value
	switch {
	case v.Op == vir.Const:
		return f.Const(t, v.Const)
	case v.Op == vir.Load && slices.Contains(q.blocks, v.Block):
		return q.cached[slices.Index(q.arrays, array{v.Object, v.Disp, v.Type.Elem})]
	case v.Block == q.head || slices.Contains(q.blocks, v.Block):
		var args []*vir.Value
		for _, a := range v.Args {
			args = append(args, q.vectorOf(f, a))
		}
		x = b.Append(v.Op, t, args...)
		x.Pos = v.Pos
	default:
		x = b.Append(vir.Splat, t, v)
	}
	q.lanes[v] = x
	return x
}
