package divergence

import (
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/kernel"
)

// impure is the transfer rule of the kernel IR's impure operations.
func (a *analysis) impure(v *kernel.Value) (Shape, Bounds) {
	all := anything(v.Type)
	if kernel.IsQuery(v.Op) {
		return a.query(v)
	}
	switch v.Op {
	case kernel.Lane:
		hi := uint64(max(a.opt.Width-1, 0))
		s := strided(1, int64(a.opt.Width))
		if a.lanes != nil {
			s = Uniform(1)
		}
		b := unsigned(v.Type, 0, hi)
		b.ULinear, b.SLinear = true, true
		return s, b.refine(v.Type, s, a.opt.Width)
	case kernel.Lanes:
		return Uniform(1), Bounds{Bounds: kernel.LaneBounds(v)}
	case kernel.SpanRows:
		return Uniform(1), Bounds{Bounds: interval.Unsigned(v.Type, 0, 1)}
	case kernel.FewLanes:
		return a.convergent(v), Bounds{Bounds: interval.Unsigned(v.Type, 0, 1)}
	case kernel.Ballot:
		return a.convergent(v), all
	case kernel.AllLanes:
		return a.convergent(v), Bounds{Bounds: interval.Unsigned(v.Type, 0, 1)}
	case kernel.ActiveLane:
		x := a.Shapes[v.Args[0].ID]
		if s := a.convergent(v); s.IsUniform() && x.Kind != Bottom {
			return s, a.Bounds[v.Args[0].ID]
		}
		return x, a.Bounds[v.Args[0].ID]
	case kernel.FirstLane:
		x := v.Args[0]
		if s := a.Shapes[x.ID]; s.Kind == Strided && a.convergent(v).IsUniform() {
			return Uniform(s.Align), Bounds{Bounds: a.Bounds[x.ID].Bounds}
		}
		return a.Shapes[x.ID], a.Bounds[x.ID]
	case kernel.Shuffle:
		if a.Shapes[v.Args[1].ID].IsUniform() {
			return a.convergent(v), all
		}
		return varying, all
	case kernel.PtrAdd:
		p, o := a.Shapes[v.Args[0].ID], a.Shapes[v.Args[1].ID]
		s, _ := sum(v.Type, p, o, 1, min(max(p.Align, 1), max(o.Align, 1)))
		if s.Kind == Strided && (p.Kind == Piecewise || o.Kind == Piecewise) {
			return varying, all // see pure
		}
		return s, all
	case kernel.InLocal, kernel.InPrivate:
		b := Bounds{Bounds: interval.Unsigned(v.Type, 0, 1)}
		if a.Shapes[v.Args[0].ID].IsUniform() {
			return Uniform(1), b
		}
		return varying, b
	case kernel.Load:
		if a.uniformLoad(v) {
			return Uniform(1), all
		}
		return varying, all
	case kernel.Component:
		return a.Shapes[v.Args[0].ID], a.Bounds[v.Args[0].ID]
	case kernel.Alloca:
		return Uniform(int64(v.Align)), all // an offset in private memory
	case kernel.Argument, kernel.ArgAddr, kernel.DataAddr, kernel.LocalAddr, kernel.GroupState:
		return Uniform(1), all
	}
	return varying, all
}

// convergent is the shape of an operation that gives one result to all lanes that are
// active at v: not uniform where lanes of different iterations run together.
func (a *analysis) convergent(v *kernel.Value) Shape {
	if a.lanes != nil || a.Asynchronous[v.Block.ID] {
		return varying
	}
	return Uniform(1)
}

// query is the transfer rule of the work-item functions. Package launch guarantees
// their bounds, that lanes are numbered along dimension 0 from a lane 0 in the range,
// and, for kernels that use local ids, that strips start at multiples of the width from
// the first work-item of a group.
func (a *analysis) query(v *kernel.Value) (Shape, Bounds) {
	s := Uniform(1)
	switch {
	case v.Index != 0 || a.lanes != nil:
	case v.Op == kernel.GlobalID && !a.opt.Iterations:
		s = strided(1, 1)
	case v.Op == kernel.LocalID:
		s = strided(1, int64(a.opt.Width))
	}
	b := Bounds{Bounds: a.Func.QueryBounds(v, a.opt.Far)}
	b.ULinear, b.SLinear = true, true
	return s, b.refine(v.Type, s, a.opt.Width)
}
