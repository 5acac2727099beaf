package vectorize

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
)

// GatherLanes does the same as Reductions for loops with loads at computed indices, such as a row
// of a sparse matrix or the neighbours of a vertex, on processors with fast gathers. The original
// loop runs no remainder, as its end would be mispredicted if rows differ in length: the last
// masked vector has one to all lanes.
//
//	                       no iteration left: the original loop, else
//	for (; k < end; k++)   n at a time: sums = sums + gather x, vload c+k
//	    sum += x[c[k]]     1 to n:      the same under m
//	                       sum += each of sums
//
// requires: as Reductions
// maintains: what f computes; a reducible graph stays so
func GatherLanes(f *vir.Func, stats edit.Stats) {
	stats.Add("reductions with gathers", reduceAll(f, vectorGathers))
}

const (
	maxGatherLanes  = 16 // lanes of a gather instruction
	minKnownGathers = 6  // iterations, for a constant trip count: fewer are fast in a predictable loop
)

// place is the address of a load: an index relative to invariant terms.
type place struct {
	base  []*vir.Value // terms
	index *vir.Value
	scale int
	// extend is the operation that extends an index of at most 32 bits to 64.
	extend vir.Op
}

// place splits the address of v.
func (r *reduction) place(v *vir.Value) place {
	p := place{scale: 1}
	var terms func(v *vir.Value) bool
	terms = func(v *vir.Value) bool {
		switch {
		case r.lp.Outside(v):
			p.base = append(p.base, v)
		case v.Op == alu.Add:
			return terms(v.Args[0]) && terms(v.Args[1])
		case p.index != nil:
			return false
		default:
			p.index = v
		}
		return true
	}
	if !terms(v.Args[0]) {
		return place{index: v.Args[0], scale: 1}
	}
	if x := p.index; x.Op == alu.Shl && x.Args[1].Op == vir.Const && x.Args[1].Const <= 3 {
		p.scale, p.index = 1<<x.Args[1].Const, x.Args[0]
	}
	if x := p.index; (x.Op == alu.SExt || x.Op == alu.ZExt) && x.Args[0].Type.Elem != alu.I1 {
		p.extend, p.index = x.Op, x.Args[0]
	}
	return p
}

// gatherLanes vectorizes the load v as a gather.
func (w *vectorBody) gatherLanes(v *vir.Value) *vir.Value {
	p, i64 := w.place(v), vir.Scalar(alu.I64)
	base := w.f.Const(i64, 0)
	for _, x := range p.base {
		base = w.b.Append(alu.Add, i64, base, x)
	}
	index, t := w.lanesOf(p.index), vir.Vec(alu.I32, w.lanes)
	switch {
	case p.extend == 0: // 64 bits
	case p.index.Type.Elem != alu.I32:
		index = w.b.Append(p.extend, t, index)
	case p.extend == alu.ZExt: // gathers sign-extend 32-bit indices
		base = w.b.Append(alu.Add, i64, base, w.f.Const(i64, uint64(p.scale)<<31))
		index = w.b.Append(alu.Xor, t, index, w.f.Const(t, 1<<31))
	}
	x := w.b.Append(vir.Gather, vir.Vec(v.Type.Elem, w.lanes), base, index, w.mask)
	x.Scale, x.Disp, x.Align, x.Invariant = p.scale, v.Disp, v.Align, v.Invariant
	return x
}

// indexBytes returns the size of the index in the gather.
func (p place) indexBytes() int {
	if p.extend == 0 {
		return 8
	}
	return 4
}
