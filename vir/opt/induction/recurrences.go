package induction

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/grouped"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Recurrences reorders operands so that those that do not depend on the previous iteration are
// combined first:
//
//	state = load ((table + state*8) + class)     load ((table + class) + state*8)
//
// In a tree of equal operations that are associative and commutative, the operand that depends
// on the result of the previous iteration comes last, as the others are available earlier.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; the operations except for their order
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
		stats.Add("recurrences reordered", reordered)
		f.Renumber()
		edit.Dead(f, nil)
	}
}

type recurrences struct {
	f         *vir.Func
	uses      [][]analysis.Use
	component []int // by value ID: strongly connected component; nil until needed
}

// dependenceCycles numbers the strongly connected components of the dependence graph, by value ID.
func dependenceCycles(f *vir.Func) []int {
	const all = 0 // a root with edges to every value; value v is node 1 + its ID
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

// associates reports whether v is associative and commutative.
func (r *recurrences) associates(v *vir.Value) bool {
	switch v.Op {
	case alu.Add, alu.Mul, alu.And, alu.Or, alu.Xor:
		return v.Type.Elem.IsInt() && !v.Type.IsMask()
	}
	return false
}

// maxOperands bounds the operands that are reordered.
const maxOperands = 8

// reordered returns the operands of v and of the equal operations that only v uses: last is the
// one that depends on v. others is nil if there is no such operand, or it is an operand of v
// already. Operations with constants are skipped: constants belong to addresses.
func (r *recurrences) reordered(v *vir.Value) (others []*vir.Value, last *vir.Value) {
	if !r.associates(v) || analysis.PartOfSame(v, r.uses) || v.Args[0].Op == vir.Const || v.Args[1].Op == vir.Const {
		return nil, nil
	}
	xs := analysis.OperandsOf(v, r.uses, maxOperands)
	if len(xs) < 3 {
		return nil, nil
	}
	if r.component == nil {
		r.component = dependenceCycles(r.f)
	}
	for _, x := range xs {
		switch {
		case x.X.Op == vir.Const || r.component[x.X.ID] != r.component[v.ID]:
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
