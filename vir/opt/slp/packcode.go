package slp

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// schedule finds an order for the blocks in which a pack is one operation: loads
// where the first of them stood, stores where the last did, all others with their
// last, or earlier where they are needed. There is none if packs need each other,
// or a load would have to come earlier.
func (t *packTree) schedule() bool {
	t.order = map[*vir.Block][]any{}
	for _, x := range t.packs {
		if t.order[x.block] == nil {
			s := scheduling{t: t, b: x.block, state: map[any]visit{}}
			if !s.block() {
				return false
			}
			t.order[x.block] = s.out
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
	t     *packTree
	b     *vir.Block
	state map[any]visit
	out   []any
}

func (s *scheduling) block() bool {
	s.out = []any{} // not nil: it has an order
	for i, v := range s.b.Values {
		at, ok := s.t.in[v]
		if !ok {
			if !s.visit(v, true) {
				return false
			}
			continue
		}
		first, last := s.t.span(at.pack.lanes)
		if i == first && at.pack.kind == loadedPack || i == last && at.pack.kind != loadedPack {
			if !s.visit(at.pack, true) {
				return false
			}
		}
	}
	return true
}

// need places what v is in this block, if it is.
func (s *scheduling) need(v *vir.Value) bool {
	if v.Op == vir.Const || v.Op == vir.Param || v.Block != s.b {
		return true
	}
	if at, ok := s.t.in[v]; ok {
		return s.visit(at.pack, false)
	}
	return s.visit(v, false)
}

// visit places x, a *vir.Value or *pack, after what it needs. Only inTurn are
// operations with effects.
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
	case *pack:
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

// packing writes the vectors.
type packing struct {
	*packTree
	b     *vir.Block
	taken map[*vir.Value]*vir.Value // by scalar: what was taken out in this block
}

// make replaces the scalars.
func (t *packTree) make() {
	for _, x := range t.packs {
		first := x.lanes[0]
		typ := vir.Vec(first.Type.Elem, len(x.lanes))
		switch x.kind {
		case carriedPack:
			x.made = x.block.NewParam(typ, first.Name)
			continue
		case loadedPack:
			x.made = x.block.NewValue(vir.VLoad, typ)
		case storedPack:
			x.made = x.block.NewValue(vir.VStore, vir.Type{})
		default:
			x.made = x.block.NewValue(first.Op, typ)
		}
		x.made.Pos, x.made.Name, x.made.Origin = first.Pos, first.Name, first.Origin
	}
	for _, b := range t.f.Blocks {
		w := packing{t, b, map[*vir.Value]*vir.Value{}}
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
			case *pack:
				w.place(x)
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

// isLane reports whether v became part of a vector.
func (t *packTree) isLane(v *vir.Value) bool {
	_, ok := t.in[v]
	return ok
}

// edge passes vectors in place of their lanes.
func (w *packing) edge(e *vir.Edge, n int) {
	var args []*vir.Value
	for i, p := range e.To.Params[:len(e.Args)] {
		if !w.isLane(p) {
			args = append(args, w.scalar(e.Args[i]))
		}
	}
	for _, x := range w.packs { // in the order of the new parameters
		if x.kind == carriedPack && x.block == e.To {
			args = append(args, w.vector(x.edges[w.edgeIndex(analysis.Use{Block: w.b, Edge: n})]))
		}
	}
	e.Args = args
}

// place writes the operation of x.
func (w *packing) place(x *pack) {
	first := x.lanes[0]
	var args []*vir.Value
	for i, a := range first.Args {
		if whole := x.operand(i); whole != nil {
			args = append(args, w.vector(whole))
		} else {
			args = append(args, w.scalar(a))
		}
	}
	if x.kind == loadedPack || x.kind == storedPack {
		args = append(args, w.f.Const(vir.Mask(len(x.lanes)), 1))
		x.made.Disp, x.made.Align, x.made.Invariant = first.Disp, first.Align, first.Invariant
	}
	x.made.Args = args
	w.b.Values = append(w.b.Values, x.made)
}

// vector returns the vector that x is, made here if nothing computes it.
func (w *packing) vector(x *pack) *vir.Value {
	n, first := len(x.lanes), x.lanes[0]
	typ := vir.Vec(first.Type.Elem, n)
	switch x.kind {
	case equalPack:
		if first.Op == vir.Const {
			return w.f.Const(typ, first.Const)
		}
		return w.b.Append(vir.Splat, typ, w.scalar(first))
	case pickedPack:
		return w.part(x.args[0].made, typ, x.from)
	case takenPack:
		return w.part(first.Args[0], typ, x.from)
	case gatheredPack:
		most := x.most()
		var v *vir.Value
		if most.Op == vir.Const {
			v = w.f.Const(typ, most.Const)
		} else {
			v = w.b.Append(vir.Splat, typ, w.scalar(most))
		}
		for i, a := range x.lanes {
			if a != most {
				v = w.b.Append(vir.Insert, typ, v, w.scalar(a))
				v.Index = i
			}
		}
		return v
	}
	return x.made
}

// most is the lane that as many as possible are like, the first such one.
func (x *pack) most() *vir.Value {
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
func (w *packing) part(x *vir.Value, typ vir.Type, from []int) *vir.Value {
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

// scalar returns v, taken out of its vector if it is a lane of one.
func (w *packing) scalar(v *vir.Value) *vir.Value {
	at, ok := w.in[v]
	if !ok {
		return v
	}
	if w.taken[v] == nil {
		x := w.take(at.pack.made, at.index)
		x.Pos, x.Name = v.Pos, v.Name
		w.taken[v] = x
	}
	return w.taken[v]
}

// take returns a lane of x: of a mask a bit of the number that it is, for most who
// ask for one ask for others.
func (w *packing) take(x *vir.Value, index int) *vir.Value {
	if !x.Type.IsMask() {
		v := w.b.Append(vir.Extract, vir.Scalar(x.Type.Elem), x)
		v.Index = index
		return v
	}
	i64 := vir.Scalar(alu.I64)
	bit := w.b.Append(alu.And, i64, w.b.Append(vir.Bits, i64, x), w.f.Const(i64, 1<<index))
	return w.b.Append(alu.Ne, vir.Scalar(alu.I1), bit, w.f.Const(i64, 0))
}
