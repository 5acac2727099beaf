package postpone

import (
	"maps"
	"slices"

	"github.com/simtc/simtc/kernel"
)

// collect finds what must be kept; ok is false if that is too much or cannot be.
func (s *split) collect() (ok bool) {
	s.behind = make([]bool, len(s.f.Blocks))
	var reach func(b *kernel.Block)
	reach = func(b *kernel.Block) {
		if !s.behind[b.ID] {
			s.behind[b.ID] = true
			for _, e := range b.Edges {
				reach(e.To)
			}
		}
	}
	edge := s.f.Blocks[s.block].Edges[s.edge]
	reach(edge.To)
	if s.behind[s.block] || !s.privateApart() {
		return false
	}
	s.made = make([]bool, s.f.NumValues())
	seen := make([]bool, s.f.NumValues())
	need := func(vs []*kernel.Value) {
		for _, v := range vs {
			if v.Op != kernel.Const && !s.behind[v.Block.ID] && !seen[v.ID] {
				seen[v.ID] = true
				const depth = 6
				s.keep(v, depth)
			}
		}
	}
	need(edge.Args)
	for i, b := range s.f.Blocks {
		if !s.behind[i] {
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
	return len(s.kept) <= mostFields && !slices.ContainsFunc(s.kept, func(v *kernel.Value) bool { return s.private[v] || v.Count > 1 })
}

// keep makes v known behind the split: what costs little is computed anew.
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

// cheap reports whether v comes from what all work-items know, and the id, by a few
// operations.
func (s *split) cheap(v *kernel.Value, depth int) bool {
	switch v.Op {
	case kernel.Const, kernel.Argument, kernel.ArgAddr, kernel.DataAddr, kernel.Alloca,
		kernel.GlobalSize, kernel.NumGroups, kernel.GlobalOffset, kernel.WorkDim:
		return true
	case kernel.GlobalID:
		return v.Index > 0 // one for all that run together
	}
	id := func(a *kernel.Value) bool { return a.Op == kernel.GlobalID || s.cheap(a, depth-1) }
	return depth > 0 && (v.Op.Pure() || v.Op == kernel.PtrAdd) && len(v.Args) > 0 && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !id(a) })
}

// privateApart reports whether every private object is used before the split or behind
// it only, and notes what is made of their addresses.
func (s *split) privateApart() bool {
	s.private = map[*kernel.Value]bool{}
	for _, o := range s.f.Blocks[0].Values {
		if o.Op == kernel.Alloca && !s.apart(o) {
			return false
		}
	}
	return true
}

// apart reports whether the object o is used on one side of the split only.
func (s *split) apart(o *kernel.Value) bool {
	of := map[*kernel.Value]bool{o: true} // what is made of its address
	before, behind := false, false
	for changed := true; changed; {
		changed = false
		add := func(v *kernel.Value) {
			if !of[v] {
				of[v], changed = true, true
			}
		}
		for i, b := range s.f.Blocks {
			for _, v := range b.Values {
				for k, a := range v.Args {
					switch {
					case !of[a]:
					case kernel.InfoOf(v.Op).Effect == kernel.Pure:
						add(v)
					case k > 0:
						return false // whoever loads the address may use it anywhere
					case s.behind[i]:
						behind = true
					default:
						before = true
					}
				}
			}
			for _, e := range b.Edges {
				for k, a := range e.Args {
					if of[a] {
						add(e.To.Params[k])
					}
				}
			}
		}
	}
	maps.Copy(s.private, of)
	return !before || !behind
}
