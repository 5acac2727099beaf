package control

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// maxSinkCopies bounds the copies of an operation.
const maxSinkCopies = 16

// maxCopiesRun bounds the expected number of copies executed per execution of the original.
const maxCopiesRun = 0.75

// sinkCopies moves an operation with users on different paths down to each of them, as
// copies, if fewer operations run on average: a decoder extracts fields of an instruction that
// only some kinds read. The operation must be cheap to recompute, with at most one operand
// that has to be kept in a register instead.
func (s *sinker) sinkCopies(v *vir.Value) bool {
	if !isCheapToRecompute(v) || len(s.uses[v.ID]) < 2 {
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
		at = s.addToAntichain(at, to)
	}
	if len(at) > maxSinkCopies || s.expectedRuns(at, from) > maxCopiesRun {
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
				edit.ReplaceUse(u, v, copies[i])
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

// isCheapToRecompute reports whether v takes one or two instructions and has one operand that is not
// constant.
func isCheapToRecompute(v *vir.Value) bool {
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

// addToAntichain adds a block to an antichain of the dominator tree, and keeps it one.
func (s *sinker) addToAntichain(at []int, to int) []int {
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

// expectedRuns estimates how often the blocks at are executed together per execution of from, which
// dominates them: branches are taken evenly, and loops are not left.
func (s *sinker) expectedRuns(at []int, from int) float64 {
	if s.sharesBlock != from {
		s.sharesBlock, s.shares = from, s.sharesFrom(from)
	}
	sum := 0.0
	for _, id := range at {
		sum += s.shares[id]
	}
	return sum
}

func (s *sinker) sharesFrom(from int) []float64 {
	// sharesFrom estimates the executions of every block, by ID, per execution of from.
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
