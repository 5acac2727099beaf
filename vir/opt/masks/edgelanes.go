package masks

import (
	"math/bits"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// EdgeLanes replaces the test of all lanes for a branch by a test of one lane if the lanes
// hold a, a+1, a+2, …: the first lane decides whether any is below a uniform value, the last
// one whether any is above, and the distance whether any is equal. If a is a multiple of the
// width, the values do not wrap. Local IDs are such values, by which work-items stop taking
// part between barriers. The mask itself is then needed only if some lane is active.
//
// requires: no unreachable block, dense IDs
// maintains: what f computes; the control-flow graph
func EdgeLanes(f *vir.Func, stats edit.Stats) {
	if f.Width == 1 {
		return
	}
	e := &edgeLanes{f: f, multiple: multiples(f, bits.TrailingZeros(uint(f.Width)))}
	for _, b := range f.Blocks {
		if b.Kind != vir.Branch || b.Cond.Op != vir.Any || b.Cond.Block != b {
			continue
		}
		e.b = b
		if test := e.scalarTest(b.Cond.Args[0]); test != nil {
			b.Cond = test
			stats.Add("tests of edge lanes", 1)
		}
	}
	edit.Dead(f, stats)
	f.Renumber()
}

type edgeLanes struct {
	f        *vir.Func
	b        *vir.Block // with the branch
	multiple []bool     // by value ID: the scalar is a multiple of the width
}

// scalarTest returns a scalar test of whether mask has an active lane, nil if there is none.
func (e *edgeLanes) scalarTest(mask *vir.Value) *vir.Value {
	var count *vir.Value
	if mask.Op == alu.And {
		for i, a := range mask.Args {
			if a.Op == vir.Prefix && a.Index == 0 {
				count, mask = a.Args[0], mask.Args[1-i]
				break
			}
		}
	}
	switch mask.Op {
	case alu.Eq, alu.Ult, alu.Ule, alu.Slt, alu.Sle:
	default:
		return nil
	}
	for i := range 2 {
		a, d := e.firstOfConsecutive(mask.Args[i]), uniformValue(mask.Args[1-i])
		if a != nil && d != nil {
			return e.compare(mask.Op, a, d, i == 0, count)
		}
	}
	return nil
}

// firstOfConsecutive returns the scalar a if v is a, a+1, a+2, … without wrapping.
func (e *edgeLanes) firstOfConsecutive(v *vir.Value) *vir.Value {
	if v.Op != alu.Add || v.Type.Elem.Bits() < 32 {
		return nil
	}
	for i, a := range v.Args {
		if x := v.Args[1-i]; a.Op == vir.Splat && x.Op == vir.Iota && x.Index == 0 && (a.Args[0].Op == vir.Const || e.multiple[a.Args[0].ID]) {
			if a := a.Args[0]; a.Op != vir.Const || a.Const%uint64(e.f.Width) == 0 {
				return a
			}
		}
	}
	return nil
}

// uniformValue returns the uniform value of all lanes: a scalar, or a constant vector; else nil.
func uniformValue(v *vir.Value) *vir.Value {
	switch v.Op {
	case vir.Splat:
		return v.Args[0]
	case vir.Const:
		return v
	}
	return nil
}

// compare builds the test whether some lane is below d (below), above d, or equal to d.
func (e *edgeLanes) compare(op vir.Op, a, d *vir.Value, below bool, count *vir.Value) *vir.Value {
	t, i64, i1 := a.Type, vir.Scalar(alu.I64), vir.Scalar(alu.I1)
	if d.Op == vir.Const {
		d = e.f.Const(t, d.Const)
	}
	lanes, some := e.f.Const(t, uint64(e.f.Width)), (*vir.Value)(nil)
	if count != nil {
		zero := e.f.Const(count.Type, 0)
		some = e.op(alu.Slt, i1, zero, count)
		if op == alu.Eq || !below {
			lanes = e.op(alu.SMin, i64, count, e.f.Const(i64, uint64(e.f.Width)))
			if op == alu.Eq {
				lanes = e.op(alu.SMax, i64, lanes, zero)
				some = nil
			}
			if t != i64 {
				lanes = e.op(alu.Trunc, t, lanes)
			}
		}
	}
	var test *vir.Value
	switch {
	case op == alu.Eq:
		test = e.op(alu.Ult, i1, e.op(alu.Sub, t, d, a), lanes)
	case below:
		test = e.op(op, i1, a, d)
	default:
		last := e.op(alu.Add, t, a, lanes)
		test = e.op(op, i1, d, e.op(alu.Sub, t, last, e.f.Const(t, 1)))
	}
	if some != nil {
		test = e.op(alu.And, i1, some, test)
	}
	return test
}

// op appends a scalar operation to the block.
func (e *edgeLanes) op(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	v := e.b.Append(op, t, args...)
	v.Pos = e.b.Pos
	return v
}

// multiples finds the scalars, by ID, that are multiples of 1<<n. It assumes so of all
// parameters until an argument disproves it.
func multiples(f *vir.Func, n int) []bool {
	in := analysis.InEdges(f)
	is := make([]bool, f.NumValues())
	for i := range is {
		is[i] = true
	}
	of := func(v *vir.Value) bool {
		if v.Op == vir.Const {
			return v.Const&(1<<n-1) == 0
		}
		return is[v.ID]
	}
	rule := func(v *vir.Value) bool {
		if !v.Type.IsScalar() || v.Type.Elem.Bits() < 32 || !v.Type.Elem.IsInt() {
			return false
		}
		switch v.Op {
		case alu.Add, alu.Sub:
			return of(v.Args[0]) && of(v.Args[1])
		case alu.Mul, alu.And:
			return of(v.Args[0]) || of(v.Args[1])
		case alu.Shl:
			return of(v.Args[0]) || v.Args[1].Op == vir.Const && v.Args[1].Const >= uint64(n) && v.Args[1].Const < 32
		case alu.Trunc, alu.ZExt, alu.SExt:
			return v.Args[0].Type.Elem.Bits() >= 32 && of(v.Args[0])
		}
		return false
	}
	for changed := true; changed; {
		changed = false
		note := func(v *vir.Value, yes bool) {
			if is[v.ID] && !yes {
				is[v.ID], changed = false, true
			}
		}
		for _, b := range f.Blocks {
			for _, p := range b.Params {
				yes := p.Type.IsScalar() && p.Type.Elem.Bits() >= 32 && p.Type.Elem.IsInt() && len(in[b.ID]) > 0
				for _, e := range in[b.ID] {
					yes = yes && of(e.Edge().Args[p.Index])
				}
				note(p, yes)
			}
			for _, v := range b.Values {
				note(v, rule(v))
			}
		}
	}
	return is
}
