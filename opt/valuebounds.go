package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// valueBounds holds the bounds of the integers of a function.
type valueBounds struct{ *interval.Flow }

// boundsOf returns the bounds of the values of f, nil if the analysis did not converge soon;
// wideIDs means that global ids may be kernel.NearItems and more.
func boundsOf(f *kernel.Func, wideIDs bool) *valueBounds { return boundsGiven(f, wideIDs, nil) }

// Ranges are intervals that contain the integers of a function and the offsets of its pointers,
// in bytes from the start of the object that they are derived from.
type Ranges struct{ bounds *valueBounds }

// RangesOf returns the ranges of the values of f, nil if the analysis did not converge soon.
// given returns the bounds of a value that are known from outside of f, such as from a
// launch. It must return 0 for the start of an object.
func RangesOf(f *kernel.Func, given func(v *kernel.Value) (interval.Bounds, bool)) *Ranges {
	if k := boundsGiven(f, true, given); k != nil {
		return &Ranges{k}
	}
	return nil
}

// At returns the bounds of v, which is no constant, in b; ok is false if v is unreachable.
func (r *Ranges) At(v *kernel.Value, b *kernel.Block) (_ interval.Bounds, ok bool) {
	return r.bounds.at(v, b), r.bounds.Known(v.ID)
}

// boundsGiven is boundsOf with the bounds from given, if it is not nil. Pointers have bounds then, too.
func boundsGiven(f *kernel.Func, wideIDs bool, given func(v *kernel.Value) (interval.Bounds, bool)) *valueBounds {
	bounded := func(v *kernel.Value) bool { return isNumber(v) || given != nil && v.Type.IsPtr() }
	typ := func(v *kernel.Value) alu.Type {
		if v.Type.IsPtr() {
			return alu.I64
		}
		return v.Type
	}
	known := func(v *kernel.Value) (interval.Bounds, bool) {
		if given == nil {
			return interval.Bounds{}, false
		}
		return given(v)
	}
	g := f.Graph()
	of := &interval.Function{
		Values: make([]interval.Value, f.NumValues()), Blocks: make([]interval.Block, len(f.Blocks)),
		Order: g.ReversePostOrder(), Dom: cfg.Dominators(g), Loops: given != nil,
	}
	numbers := func(vs []*kernel.Value) []int32 {
		ids := make([]int32, len(vs))
		for i, v := range vs {
			ids[i] = int32(v.ID)
			if v.Op == kernel.Const {
				of.Values[v.ID] = interval.Value{Kind: interval.Constant, Type: typ(v), Bits: v.Const}
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
			if !bounded(v) {
				continue
			}
			x := interval.Value{Type: typ(v), Block: int32(i)}
			bounds, isGiven := known(v)
			switch {
			case isGiven:
				x.Kind, x.Given = interval.Given, bounds
			case v.Op == kernel.Param:
				x.Kind, x.Args = interval.Param, []int32{int32(v.Index)}
			case v.Op == kernel.PtrAdd && given != nil:
				x.Kind, x.Op, x.Operand, x.Args = interval.Computed, alu.Add, alu.I64, numbers(v.Args)
			case v.Op == alu.Select && v.Type.IsPtr():
				x.Kind, x.Op, x.Operand, x.Args = interval.Computed, alu.Select, alu.I1, numbers(v.Args)
			case kernel.IsQuery(v.Op):
				x.Kind, x.Given = interval.Given, f.QueryBounds(v, wideIDs)
			case v.Op == kernel.Lane || v.Op == kernel.Lanes:
				x.Kind, x.Given = interval.Given, kernel.LaneBounds(v)
			case v.Op.Pure() && isNumber(v) && len(v.Args) > 0 && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !isNumber(a) }):
				x.Kind, x.Op, x.Operand, x.Args = interval.Computed, v.Op, v.Args[0].Type, numbers(v.Args)
			default:
				x.Kind, x.Given = interval.Given, interval.Any(x.Type)
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
