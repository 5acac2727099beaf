package slp

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// schedule finds an order for the blocks in which each group is one operation: loads at the position
// of the first of them, stores at that of the last, others with their last lane or where they are
// needed first. It fails if groups depend on each other cyclically, a load would move up, or accesses that
// may conflict would change their order.
func (t *groupTree) schedule() bool {
	t.order = map[*vir.Block][]any{}
	for _, x := range t.groups {
		if t.order[x.block] == nil {
			s := scheduling{t: t, b: x.block, state: map[any]visit{}}
			if !s.block() {
				return false
			}
			t.order[x.block] = s.out
			if !t.keepsOrder(x.block) {
				return false
			}
		}
	}
	return true
}

type visit uint8

const (
	unseen visit = iota
	active
	placed
)

type scheduling struct {
	t     *groupTree
	b     *vir.Block
	state map[any]visit
	out   []any
}

func (s *scheduling) block() bool {
	s.out = []any{} // not nil: the block has an order
	for i, v := range s.b.Values {
		at, ok := s.t.in[v]
		if !ok {
			if !s.visit(v, true) {
				return false
			}
			continue
		}
		first, last := s.t.span(at.group.lanes)
		if i == first && at.group.kind == loadGroup || i == last && at.group.kind != loadGroup {
			if !s.visit(at.group, true) {
				return false
			}
		}
	}
	return true
}

// need schedules v if it belongs to this block.
func (s *scheduling) need(v *vir.Value) bool {
	if v.Op == vir.Const || v.Op == vir.Param || v.Block != s.b {
		return true
	}
	if at, ok := s.t.in[v]; ok {
		return s.visit(at.group, false)
	}
	return s.visit(v, false)
}

// visit schedules x, a *vir.Value or *group, after its operands. Operations with effects are scheduled
// only in program order (inTurn).
func (s *scheduling) visit(x any, inTurn bool) bool {
	switch s.state[x] {
	case placed:
		return true
	case active:
		return false
	}
	s.state[x] = active
	var v *vir.Value
	switch x := x.(type) {
	case *vir.Value:
		v = x
		for _, a := range v.Args {
			if !s.need(a) {
				return false
			}
		}
	case *group:
		v = x.lanes[0]
		for i, a := range v.Args {
			whole := x.operand(i)
			if whole == nil {
				if !s.need(a) {
					return false
				}
				continue
			}
			for _, l := range whole.lanes {
				if !s.need(l) {
					return false
				}
			}
		}
	}
	if !inTurn && vir.InfoOf(v.Op).Effect != vir.Pure && !v.Invariant {
		return false
	}
	s.state[x] = placed
	s.out = append(s.out, x)
	return true
}

// emitter emits the vector code.
type emitter struct {
	*groupTree
	b         *vir.Block
	extracted map[*vir.Value]*vir.Value // by scalar: its extraction in this block
}

// make replaces the scalars of all groups.
func (t *groupTree) make() {
	for _, x := range t.groups {
		first := x.lanes[0]
		typ := vir.Vec(first.Type.Elem, len(x.lanes))
		switch x.kind {
		case paramGroup:
			x.vector = x.block.NewParam(typ, first.Name)
			continue
		case loadGroup:
			x.vector = x.block.NewValue(vir.VLoad, typ)
		case storeGroup:
			x.vector = x.block.NewValue(vir.VStore, vir.Type{})
		default:
			x.vector = x.block.NewValue(first.Op, typ)
		}
		x.vector.Pos, x.vector.Name, x.vector.Origin = first.Pos, first.Name, first.Origin
	}
	for _, b := range t.f.Blocks {
		w := emitter{t, b, map[*vir.Value]*vir.Value{}}
		items := t.order[b]
		if items == nil {
			for _, v := range b.Values {
				items = append(items, v)
			}
		}
		b.Values = nil
		for _, x := range items {
			switch x := x.(type) {
			case *vir.Value:
				for i, a := range x.Args {
					x.Args[i] = w.scalar(a)
				}
				b.Values = append(b.Values, x)
			case *group:
				w.emitGroup(x)
			}
		}
		if b.Cond != nil {
			b.Cond = w.scalar(b.Cond)
		}
		for i := range b.Edges {
			w.edge(&b.Edges[i], i)
		}
	}
	for _, b := range t.f.Blocks {
		b.Params = slices.DeleteFunc(b.Params, t.isLane)
	}
}

// isLane reports whether v belongs to a group.
func (t *groupTree) isLane(v *vir.Value) bool {
	_, ok := t.in[v]
	return ok
}

// edge passes vectors instead of their lanes.
func (w *emitter) edge(e *vir.Edge, n int) {
	var args []*vir.Value
	for i, p := range e.To.Params[:len(e.Args)] {
		if !w.isLane(p) {
			args = append(args, w.scalar(e.Args[i]))
		}
	}
	for _, x := range w.groups { // in the order of the new parameters
		if x.kind == paramGroup && x.block == e.To {
			args = append(args, w.vector(x.edges[w.edgeIndex(analysis.Use{Block: w.b, Edge: n})]))
		}
	}
	e.Args = args
}

// emitGroup emits the operation of x.
func (w *emitter) emitGroup(x *group) {
	first := x.lanes[0]
	var args []*vir.Value
	for i, a := range first.Args {
		if whole := x.operand(i); whole != nil {
			args = append(args, w.vector(whole))
		} else {
			args = append(args, w.scalar(a))
		}
	}
	if x.kind == loadGroup || x.kind == storeGroup {
		args = append(args, w.f.Const(vir.Mask(len(x.lanes)), 1))
		x.vector.Disp, x.vector.Align = first.Disp, first.Align
	}
	x.vector.Args = args
	w.b.Values = append(w.b.Values, x.vector)
}

// vector returns the vector of x, built here if no operation computes it.
func (w *emitter) vector(x *group) *vir.Value {
	n, first := len(x.lanes), x.lanes[0]
	typ := vir.Vec(first.Type.Elem, n)
	switch x.kind {
	case splatGroup:
		if first.Op == vir.Const {
			return w.f.Const(typ, first.Const)
		}
		return w.b.Append(vir.Splat, typ, w.scalar(first))
	case permutedGroup:
		return w.part(x.args[0].vector, typ, x.from)
	case extractedGroup:
		return w.part(first.Args[0], typ, x.from)
	case insertedGroup:
		frequent := x.mostFrequent()
		var v *vir.Value
		if frequent.Op == vir.Const {
			v = w.f.Const(typ, frequent.Const)
		} else {
			v = w.b.Append(vir.Splat, typ, w.scalar(frequent))
		}
		for i, a := range x.lanes {
			if a != frequent {
				v = w.b.Append(vir.Insert, typ, v, w.scalar(a))
				v.Index = i
			}
		}
		return v
	}
	return x.vector
}

// mostFrequent returns the first lane of those that occur most often.
func (x *group) mostFrequent() *vir.Value {
	count := map[*vir.Value]int{}
	best := x.lanes[0]
	for _, v := range x.lanes {
		count[v]++
	}
	for _, v := range x.lanes {
		if count[v] > count[best] {
			best = v
		}
	}
	return best
}

// part returns some lanes of x.
func (w *emitter) part(x *vir.Value, typ vir.Type, from []int) *vir.Value {
	inOrder := from[0]%len(from) == 0
	for i, l := range from {
		inOrder = inOrder && l == from[0]+i
	}
	switch {
	case inOrder && typ == x.Type:
		return x
	case inOrder:
		v := w.b.Append(vir.Part, typ, x)
		v.Index = from[0] / len(from)
		return v
	}
	v := w.b.Append(vir.Shuffle, typ, x, x)
	v.Lanes = from
	return v
}

// scalar returns v, extracted from its vector if it is a lane.
func (w *emitter) scalar(v *vir.Value) *vir.Value {
	at, ok := w.in[v]
	if !ok {
		return v
	}
	if w.extracted[v] == nil {
		x := w.extract(at.group.vector, at.index)
		x.Pos, x.Name = v.Pos, v.Name
		w.extracted[v] = x
	}
	return w.extracted[v]
}

// extract extracts a lane of x. For masks it tests a bit of the mask as an integer, which other lanes
// are likely to need as well.
func (w *emitter) extract(x *vir.Value, index int) *vir.Value {
	if !x.Type.IsMask() {
		v := w.b.Append(vir.Extract, vir.Scalar(x.Type.Elem), x)
		v.Index = index
		return v
	}
	i64 := vir.Scalar(alu.I64)
	bit := w.b.Append(alu.And, i64, w.b.Append(vir.Bits, i64, x), w.f.Const(i64, 1<<index))
	return w.b.Append(alu.Ne, vir.Scalar(alu.I1), bit, w.f.Const(i64, 0))
}
