package control

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// mostSinkCopies bounds the copies that an operation sinks as.
const mostSinkCopies = 16

// mostCopiesRun is how many of them may run, on average, each time that the
// operation would have.
const mostCopiesRun = 0.75

// spread moves an operation that users on different ways need down to each of
// them, as copies, if that is less to do on average: what a decoder takes out of
// an instruction, each kind of which reads other fields. It is one of those that
// are as well done again as kept, with no more than one operand to keep instead.
func (s *sinker) spread(v *vir.Value) bool {
	if !cheapAgain(v) || len(s.uses[v.ID]) < 2 {
		return false
	}
	from := v.Block.ID
	var at []int // the blocks that get a copy, none dominating another
	for _, u := range s.uses[v.ID] {
		if u.Place() == from {
			return false
		}
		to := s.above(u.Place(), from)
		if to == from {
			return false
		}
		at = s.minimal(at, to)
	}
	if len(at) > mostSinkCopies || s.runs(at, from) > mostCopiesRun {
		return false
	}
	copies := make([]*vir.Value, len(at))
	for i, id := range at {
		b := s.f.Blocks[id]
		copies[i] = b.NewValue(v.Op, v.Type, slices.Clone(v.Args)...)
		copies[i].Pos, copies[i].Name, copies[i].Origin = v.Pos, v.Name, v.Origin
		s.first[id] = append(s.first[id], copies[i])
	}
	for _, u := range s.uses[v.ID] {
		for i, id := range at {
			if s.dom.Dominates(id, u.Place()) {
				u.Replace(v, copies[i])
			}
		}
	}
	for i, a := range v.Args {
		if slices.Contains(v.Args[:i], a) {
			continue
		}
		s.uses[a.ID] = slices.DeleteFunc(s.uses[a.ID], func(u analysis.Use) bool { return u.By == v })
		for _, c := range copies {
			s.uses[a.ID] = append(s.uses[a.ID], analysis.Use{By: c, Block: c.Block, Edge: -1})
		}
	}
	v.Block = nil
	return true
}

// cheapAgain reports whether v takes an instruction or two and no more than one
// operand that is not a constant.
func cheapAgain(v *vir.Value) bool {
	switch v.Op {
	case alu.Add, alu.Sub, alu.And, alu.Or, alu.Xor, alu.Shl, alu.LShr, alu.AShr, alu.ZExt, alu.SExt, alu.Trunc:
	default:
		return false
	}
	kept := 0
	for _, a := range v.Args {
		if a.Op != vir.Const {
			kept++
		}
	}
	return kept == 1 && v.Type.Lanes == 1
}

// minimal adds a block to ones none of which dominates another, and keeps them so.
func (s *sinker) minimal(at []int, to int) []int {
	kept := at[:0]
	for _, id := range at {
		if s.dom.Dominates(id, to) {
			return at
		}
		if !s.dom.Dominates(to, id) {
			kept = append(kept, id)
		}
	}
	return append(kept, to)
}

// runs is how often the blocks at run together, on average, for each time that
// from does, which dominates them: ways part evenly, and loops are not left.
func (s *sinker) runs(at []int, from int) float64 {
	if s.sharesOf != from {
		s.sharesOf, s.shares = from, s.sharesFrom(from)
	}
	sum := 0.0
	for _, id := range at {
		sum += s.shares[id]
	}
	return sum
}

func (s *sinker) sharesFrom(from int) []float64 {
	c := s.cycles.InnermostCycle(from)
	shares := make([]float64, len(s.f.Blocks))
	shares[from] = 1
	for i := len(s.order) - 1; i >= 0; i-- { // reverse post-order
		b := s.f.Blocks[s.order[i]]
		if shares[b.ID] == 0 {
			continue
		}
		stay := 0
		for _, e := range b.Edges {
			if c == nil || s.cycles.Contains(c, e.To.ID) {
				stay++
			}
		}
		for _, e := range b.Edges {
			if stay == 0 {
				shares[e.To.ID] += shares[b.ID] / float64(len(b.Edges))
			} else if c == nil || s.cycles.Contains(c, e.To.ID) {
				shares[e.To.ID] += shares[b.ID] / float64(stay)
			}
		}
	}
	return shares
}
