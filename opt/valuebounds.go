package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// valueBounds is between what the integers of a function are.
type valueBounds struct{ *interval.Flow }

// boundsOf returns the bounds of the values of f, nil if they were not found soon; far tells
// that global ids may be kernel.NearItems and more.
func boundsOf(f *kernel.Func, far bool) *valueBounds {
	g := f.Graph()
	of := &interval.Function{
		Values: make([]interval.Value, f.NumValues()), Blocks: make([]interval.Block, len(f.Blocks)),
		Order: g.ReversePostOrder(), Dom: cfg.Dominators(g),
	}
	numbers := func(vs []*kernel.Value) []int32 {
		ids := make([]int32, len(vs))
		for i, v := range vs {
			ids[i] = int32(v.ID)
			if v.Op == kernel.Const {
				of.Values[v.ID] = interval.Value{Kind: interval.Constant, Type: v.Type, Bits: v.Const}
			}
		}
		return ids
	}
	in := InEdges(f)
	for i, b := range f.Blocks {
		at := &of.Blocks[i]
		for _, e := range in[i] {
			from := e.From
			edge := interval.Edge{From: int32(from.ID), Args: numbers(e.Edge().Args)}
			if from.Kind == kernel.Branch && from.Edges[0].To != from.Edges[1].To {
				edge.Branch, edge.Cond, edge.Yes = true, int32(from.Cond.ID), e.N == 0
			}
			at.In = append(at.In, edge)
		}
		for _, v := range slices.Concat(b.Params, b.Values) {
			if !isNumber(v) {
				continue
			}
			x := interval.Value{Type: v.Type, Block: int32(i)}
			switch {
			case v.Op == kernel.Param:
				x.Kind, x.Args = interval.Param, []int32{int32(v.Index)}
			case kernel.IsQuery(v.Op):
				x.Kind, x.Given = interval.Given, f.QueryBounds(v, far)
			case v.Op == kernel.Lane || v.Op == kernel.Lanes:
				x.Kind, x.Given = interval.Given, kernel.LaneBounds(v)
			case v.Op.Pure() && len(v.Args) > 0 && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !isNumber(a) }):
				x.Kind, x.Op, x.Operand, x.Args = interval.Computed, v.Op, v.Args[0].Type, numbers(v.Args)
			default:
				x.Kind, x.Given = interval.Given, interval.Any(v.Type)
			}
			of.Values[v.ID], at.Values = x, append(at.Values, int32(v.ID))
		}
	}
	if flow := interval.FlowOf(of); flow != nil {
		return &valueBounds{flow}
	}
	return nil
}

func isNumber(v *kernel.Value) bool { return v.Type.IsInt() || v.Type == alu.I1 }

// at returns the bounds of v in b.
func (k *valueBounds) at(v *kernel.Value, b *kernel.Block) interval.Bounds { return k.At(v.ID, b.ID) }
