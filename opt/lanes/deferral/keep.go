package deferral

import (
	"maps"
	"slices"

	"github.com/simtc/simtc/kernel"
)

// collect finds the state to save; ok is false if it is too large or cannot be saved.
func (s *split) collect() (ok bool) {
	s.after = make([]bool, len(s.f.Blocks))
	var reach func(b *kernel.Block)
	reach = func(b *kernel.Block) {
		if !s.after[b.ID] {
			s.after[b.ID] = true
			for _, e := range b.Edges {
				reach(e.To)
			}
		}
	}
	edge := s.f.Blocks[s.block].Edges[s.edge]
	reach(edge.To)
	if s.after[s.block] || !s.privateSeparate() {
		return false
	}
	s.made = make([]bool, s.f.NumValues())
	seen := make([]bool, s.f.NumValues())
	need := func(vs []*kernel.Value) {
		for _, v := range vs {
			if v.Op != kernel.Const && !s.after[v.Block.ID] && !seen[v.ID] {
				seen[v.ID] = true
				const depth = 6
				s.keep(v, depth)
			}
		}
	}
	need(edge.Args)
	for i, b := range s.f.Blocks {
		if !s.after[i] {
			continue
		}
		for _, v := range b.Values {
			need(v.Args)
		}
		if b.Cond != nil {
			need([]*kernel.Value{b.Cond})
		}
		for _, e := range b.Edges {
			need(e.Args)
		}
	}
	return len(s.kept) <= maxFields && !slices.ContainsFunc(s.kept, func(v *kernel.Value) bool { return s.private[v] || v.Count > 1 })
}

// keep makes v available after the split: it saves v or, if v is cheap, recomputes it.
func (s *split) keep(v *kernel.Value, depth int) {
	if v.Op == kernel.Const || s.made[v.ID] || slices.Contains(s.kept, v) {
		return
	}
	if s.cheap(v, depth) {
		s.made[v.ID] = true
		for _, a := range v.Args {
			s.keep(a, depth-1)
		}
		return
	}
	s.kept = append(s.kept, v)
}

// cheap reports whether v is a short expression of the global id and of values that all
// work-items have in common.
func (s *split) cheap(v *kernel.Value, depth int) bool {
	switch v.Op {
	case kernel.Const, kernel.Argument, kernel.ArgAddr, kernel.DataAddr, kernel.Alloca,
		kernel.GlobalSize, kernel.NumGroups, kernel.GlobalOffset, kernel.WorkDim:
		return true
	case kernel.GlobalID:
		return v.Index > 0 // uniform: lanes lie along dimension 0
	}
	id := func(a *kernel.Value) bool { return a.Op == kernel.GlobalID || s.cheap(a, depth-1) }
	return depth > 0 && (v.Op.Pure() || v.Op == kernel.PtrAdd) && len(v.Args) > 0 && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !id(a) })
}

// privateSeparate reports whether every private object is used on one side of the split
// only, and records values derived from their addresses.
func (s *split) privateSeparate() bool {
	s.private = map[*kernel.Value]bool{}
	var uses []uses
	for _, o := range s.f.Blocks[0].Values {
		if o.Op != kernel.Alloca {
			continue
		}
		if uses == nil {
			uses = s.uses()
		}
		if !s.oneSided(o, uses) {
			return false
		}
	}
	return true
}

// uses summarizes the uses of a value.
type uses struct {
	made          []*kernel.Value // results of pure operations and block parameters that depend on it
	before, after bool            // it addresses memory accesses on that side of the split
	lost          bool            // it is stored, so that later uses are unknown
}

// uses returns the uses of all values, by ID.
func (s *split) uses() []uses {
	all := make([]uses, s.f.NumValues())
	for i, b := range s.f.Blocks {
		for _, v := range b.Values {
			for k, a := range v.Args {
				u := &all[a.ID]
				switch {
				case kernel.InfoOf(v.Op).Effect == kernel.Pure:
					u.made = append(u.made, v)
				case k > 0:
					u.lost = true
				case s.after[i]:
					u.after = true
				default:
					u.before = true
				}
			}
		}
		for _, e := range b.Edges {
			for k, a := range e.Args {
				all[a.ID].made = append(all[a.ID].made, e.To.Params[k])
			}
		}
	}
	return all
}

// oneSided reports whether object o is used on one side of the split only.
func (s *split) oneSided(o *kernel.Value, all []uses) bool {
	of := map[*kernel.Value]bool{o: true} // values derived from its address
	before, after := false, false
	for work := []*kernel.Value{o}; len(work) > 0; {
		u := all[work[len(work)-1].ID]
		work = work[:len(work)-1]
		if u.lost {
			return false
		}
		before, after = before || u.before, after || u.after
		for _, v := range u.made {
			if !of[v] {
				of[v] = true
				work = append(work, v)
			}
		}
	}
	maps.Copy(s.private, of)
	return !before || !after
}
