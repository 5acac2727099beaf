package divergence

import (
	"github.com/simtc/simtc/kernel"
)

// mostItems bounds the work-items and the offset of a dimension: launch.MaxItems;
// and if ids are not far, their sum.
const mostItems = 1 << 31

// own is the rule of the kernel IR's own operations.
func (a *analysis) own(v *kernel.Value) (Shape, Bounds) {
	all := anything(v.Type)
	switch v.Op {
	case kernel.GlobalID, kernel.LocalID, kernel.GroupID, kernel.GlobalSize, kernel.LocalSize, kernel.NumGroups,
		kernel.GlobalOffset, kernel.WorkDim:
		return a.query(v)
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
		return Uniform(1), unsigned(v.Type, 1, 64)
	case kernel.Ballot:
		return a.together(v), all
	case kernel.Shuffle:
		if a.Shapes[v.Args[1].ID].IsUniform() {
			return a.together(v), all
		}
		return varying, all
	case kernel.PtrAdd:
		p, o := a.Shapes[v.Args[0].ID], a.Shapes[v.Args[1].ID]
		if p.Kind == Varying || o.Kind == Varying {
			return varying, all
		}
		return strided(p.Stride+o.Stride, min(max(p.Align, 1), max(o.Align, 1))), all
	case kernel.Load:
		if a.uniformLoad(v) {
			return Uniform(1), all
		}
		return varying, all
	case kernel.Component:
		return a.Shapes[v.Args[0].ID], a.Bounds[v.Args[0].ID]
	case kernel.Alloca:
		return Uniform(int64(v.Align)), all // the offset in private memory, the same for all
	case kernel.Argument, kernel.ArgAddr, kernel.DataAddr, kernel.LocalAddr, kernel.GroupState:
		return Uniform(1), all
	}
	return varying, all
}

// together is the shape of what all lanes that are active at v get alike.
func (a *analysis) together(v *kernel.Value) Shape {
	if a.lanes != nil || a.Asynchronous[v.Block.ID] {
		return varying
	}
	return Uniform(1)
}

// query is the rule of the work-item functions. Package launch promises their
// bounds, that lanes count along dimension 0 from a lane 0 that is in the
// range, and that strips begin at multiples of the width from the first
// work-item of a group, where kernels ask for local ids.
func (a *analysis) query(v *kernel.Value) (Shape, Bounds) {
	group := uint64(mostItems)
	if n := a.Func.ReqdWorkGroupSize[min(v.Index, 2)]; n > 0 {
		group = uint64(n)
	}
	s, lo, hi := Uniform(1), uint64(0), uint64(mostItems)
	switch v.Op {
	case kernel.GlobalID:
		if hi = mostItems - 1; a.opt.Far {
			hi = 2*mostItems - 1
		}
		if v.Index == 0 && a.lanes == nil && !a.opt.Rounds {
			s = strided(1, 1)
		}
	case kernel.LocalID:
		hi = group - 1
		if v.Index == 0 && a.lanes == nil {
			s = strided(1, int64(a.opt.Width))
		}
	case kernel.GroupID:
		hi = mostItems - 1
	case kernel.LocalSize:
		lo, hi = 1, group
	case kernel.GlobalSize, kernel.NumGroups:
		lo = 1
	case kernel.WorkDim:
		lo, hi = 1, 3
	}
	b := unsigned(v.Type, lo, hi)
	b.ULinear, b.SLinear = true, true
	return s, b.refine(v.Type, s, a.opt.Width)
}
