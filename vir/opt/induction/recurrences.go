package induction

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Recurrences puts together first what does not wait for the round before:
//
//	state = load ((table + state*8) + class)     load ((table + class) + state*8)
//
// Of the operands of several equal operations, in any order of which the result is
// the same, the one that depends on the result, by way of the next round, comes last:
// the others are there long before it.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; the operations but for their order
func Recurrences(f *vir.Func, stats edit.Stats) {
	cycles := cfg.Cycles(f.Graph())
	r := recurrences{f: f, uses: analysis.UsesOf(f)}
	reordered := 0
	for _, b := range f.Blocks {
		if cycles.InnermostCycle(b.ID) == nil {
			continue
		}
		edit.InsertBefore(b, func(v *vir.Value) (before []*vir.Value) {
			xs, last := r.reordered(v)
			if xs == nil {
				return nil
			}
			first := xs[0]
			for _, x := range xs[1:] {
				first = b.NewValue(v.Op, v.Type, first, x)
				first.Pos = v.Pos
				before = append(before, first)
			}
			v.Args[0], v.Args[1] = first, last
			reordered++
			return before
		})
	}
	if reordered > 0 {
		stats.Add("recurrences put last", reordered)
		f.Renumber()
		edit.Dead(f, nil)
	}
}

type recurrences struct {
	f    *vir.Func
	uses [][]analysis.Use
	ring []int // by value ID: of the values that depend on each other; nil if nobody has asked
}

// rings numbers the strongly connected components of what depends on what, by value
// ID.
func rings(f *vir.Func) []int {
	const all = 0 // leads to every value, which has the number 1 + its ID
	g := cfg.NewGraph(grouped.Lists(1+f.NumValues(), func(add func(int, int)) {
		for id := range f.NumValues() {
			add(all, 1+id)
		}
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				for _, a := range v.Args {
					add(1+a.ID, 1+v.ID)
				}
			}
			for _, e := range b.Edges {
				for i, a := range e.Args {
					add(1+a.ID, 1+e.To.Params[i].ID)
				}
			}
		}
	}))
	ring, _ := g.StronglyConnected()
	return ring[1:]
}

// associates reports whether operations like v may be done in any order.
func (r *recurrences) associates(v *vir.Value) bool {
	switch v.Op {
	case alu.Add, alu.Mul, alu.And, alu.Or, alu.Xor:
		return v.Type.Elem.IsInt() && !v.Type.IsMask()
	}
	return false
}

// mostOperands bounds those that are looked at together.
const mostOperands = 8

// reordered returns the operands of v, and of the operations that serve it alone, but
// for the one that depends on v, which is last; nil if there is no such one, or it goes
// through v alone already. Constants stay with v: they are part of addresses.
func (r *recurrences) reordered(v *vir.Value) (others []*vir.Value, last *vir.Value) {
	if !r.associates(v) || analysis.PartOfSame(v, r.uses) || v.Args[0].Op == vir.Const || v.Args[1].Op == vir.Const {
		return nil, nil
	}
	xs := analysis.OperandsOf(v, r.uses, mostOperands)
	if len(xs) < 3 {
		return nil, nil
	}
	if r.ring == nil {
		r.ring = rings(r.f)
	}
	for _, x := range xs {
		switch {
		case x.X.Op == vir.Const || r.ring[x.X.ID] != r.ring[v.ID]:
			others = append(others, x.X)
		case last != nil || x.Depth == 1:
			return nil, nil
		default:
			last = x.X
		}
	}
	if last == nil {
		return nil, nil
	}
	return others, last
}
