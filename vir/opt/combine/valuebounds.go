package combine

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// valueBounds holds the bounds of the scalar integers of a scalar function. opt.Bounds computes
// the same for kernel IR; here loops have been rotated and threaded since, and counters
// replaced.
type valueBounds struct{ *interval.Flow }

// boundsOf returns the bounds of the values of f, nil if the analysis exceeded its budget.
func boundsOf(f *vir.Func, in [][]analysis.InEdge, dom *cfg.DomTree) *valueBounds {
	of := &interval.Function{
		Values: make([]interval.Value, f.NumValues()), Blocks: make([]interval.Block, len(f.Blocks)),
		Order: f.Graph().ReversePostOrder(), Dom: dom,
	}
	numbers := func(vs []*vir.Value) []int32 {
		ids := make([]int32, len(vs))
		for i, v := range vs {
			ids[i] = int32(v.ID)
			if v.Op == vir.Const && isBounded(v) {
				of.Values[v.ID] = interval.Value{Kind: interval.Constant, Type: v.Type.Elem, Bits: v.Const}
			}
		}
		return ids
	}
	for i, b := range f.Blocks {
		at := &of.Blocks[i]
		for _, e := range in[i] {
			edge := interval.Edge{From: int32(e.From.ID), Args: numbers(e.Edge().Args)}
			if e.From.Kind == vir.Branch && e.From.Edges[0].To != e.From.Edges[1].To {
				edge.Branch, edge.Cond, edge.Yes = true, int32(e.From.Cond.ID), e.N == 0
			}
			at.In = append(at.In, edge)
		}
		for _, v := range slices.Concat(b.Params, b.Values) {
			if !isBounded(v) {
				continue
			}
			t := v.Type.Elem
			x := interval.Value{Type: t, Block: int32(i)}
			switch {
			case v.Op == vir.Param:
				x.Kind, x.Args = interval.Param, []int32{int32(v.Index)}
			case isArithmetic(v) && !slices.ContainsFunc(v.Args, func(a *vir.Value) bool { return !isBounded(a) }):
				x.Kind, x.Op, x.Operand, x.Args = interval.Computed, v.Op, v.Args[0].Type.Elem, numbers(v.Args)
			default:
				x.Kind, x.Given = interval.Given, interval.Any(t)
			}
			of.Values[v.ID], at.Values = x, append(at.Values, int32(v.ID))
		}
	}
	if flow := interval.FlowOf(of); flow != nil {
		return &valueBounds{flow}
	}
	return nil
}

// isBounded reports whether v is a scalar integer.
func isBounded(v *vir.Value) bool {
	return v.Type.IsScalar() && (v.Type.Elem.IsInt() || v.Type.Elem == alu.I1)
}

// isArithmetic reports whether v is an operation of package alu.
func isArithmetic(v *vir.Value) bool {
	return v.Op.Pure() && len(v.Args) > 0 && vir.InfoOf(v.Op).Name == alu.InfoOf(v.Op).Name
}

// isNonnegative reports whether v, a value from before the pass, is nonnegative in b.
func (k *valueBounds) isNonnegative(v *vir.Value, b *vir.Block) bool {
	return k != nil && v.Op != vir.Const && k.Known(v.ID) && k.At(v.ID, b.ID).Nonnegative()
}
