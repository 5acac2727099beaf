package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// GatherReductions does what Reductions does to loops in which some of what is put
// together lies anywhere: a row of a sparse matrix, or the neighbours of a vertex.
//
//	                       n at a time: sums = sums + gather x[vload c+k]
//	for (; k < end; k++)   the rest, under m, in the same way
//	    sum += x[c[k]]
//
// requires: as Reductions; a target that gathers in less time than it takes lane by lane
// maintains: what f computes; a reducible graph stays so
func GatherReductions(f *vir.Func, stats Stats) {
	stats.add("reductions that gather", reduceAll(f, true))
}

// farAddress is base + index*scale, of which the index differs from round to round.
type farAddress struct {
	base, index *vir.Value
	wide        alu.Type // of the index, which is extended to it first
	extend      vir.Op   // how
	scale       int
}

// gathered returns where the load v finds its numbers if they are to be gathered.
func (r *reduction) gathered(v *vir.Value) (at farAddress, ok bool) {
	if !r.gathering || r.stride(v.Args[0]).ok || !isPackable(v, vir.Load) || v.Type.Elem.Size() < 4 || v.Args[0].Op != alu.Add {
		return at, false
	}
	base, index := v.Args[0].Args[0], v.Args[0].Args[1]
	if !r.lp.outside(base) {
		base, index = index, base
	}
	if !r.lp.outside(base) {
		return at, false
	}
	at = farAddress{base: base, wide: alu.I64, scale: 1}
	if c := index; c.Op == alu.Shl && !r.lp.outside(c) && c.Args[1].Op == vir.Const && c.Args[1].Const <= 3 {
		index, at.scale = c.Args[0], 1<<c.Args[1].Const
	}
	// Vectors of 32-bit numbers are half as long.
	at.index, at.extend = index, index.Op
	switch narrow := index.Op == alu.SExt || index.Op == alu.ZExt; {
	case !narrow || r.lp.outside(index):
	case index.Args[0].Type.Elem.Size() < 4 && index.Args[0].Type.Elem != alu.I1, index.Args[0].Type.Elem == alu.I32 && index.Op == alu.SExt:
		at.index, at.wide = index.Args[0], alu.I32
	}
	return at, true
}

// gather loads what v does in all rounds, from at.
func (w *lanesOfRounds) gather(v *vir.Value, at farAddress) *vir.Value {
	index := w.lanesOf(at.index)
	if index.Type.Elem != at.wide {
		index = w.b.Append(at.extend, vir.Vec(at.wide, w.lanes), index)
	}
	x := w.b.Append(vir.Gather, vir.Vec(v.Type.Elem, w.lanes), at.base, index, w.mask)
	x.Disp, x.Align, x.Scale, x.Invariant = v.Disp, v.Align, at.scale, v.Invariant
	return x
}
