package induction

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Indices widens 32-bit values that addresses depend on, in scalar code, if they flow between
// blocks and are stepped conditionally: indices of two-ended searches, stack pointers. Induction
// handles the counters of loops.
//
// A step must not wrap. It does not if the value before or after it indexes memory whenever the
// step is executed, or did so on every path before: no object is large enough for the index to
// lie at the end of its type (widen.MaxObject). Values from outside are extended where they flow
// in, if that happens less often than the extensions that it saves. Sums of widened values in
// addresses are split as for counters (induction.sums).
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph
func Indices(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	x := indices{induction: newInduction(f), tried: map[*vir.Value]bool{}}
	found := 0
	for _, v := range x.extended() {
		if !x.tried[v] && x.wide[v] == nil {
			if w := x.web(v); x.isProfitable(w) {
				x.widen(w.members, w.starts)
				found++
			}
		}
	}
	if found == 0 {
		return
	}
	stats.Add("widened indices", found)
	x.rewrite()
	x.sums()
	f.Renumber()
	edit.Dead(f, nil)
	vir.RemoveTrivialParams(f)
	f.Renumber()
}

type indices struct {
	*induction
	tried map[*vir.Value]bool
}

// maxWeb bounds the members of a web.
const maxWeb = 64

// web is a set of values that flow into one another: block parameters and their sums with
// constants. Values that flow in from outside are its starts.
type web struct {
	members []*vir.Value
	in      map[*vir.Value]bool
	starts  []entry
}

// extended returns the values that are extended for addresses.
func (x *indices) extended() (vs []*vir.Value) {
	for _, b := range x.f.Blocks {
		for _, v := range b.Values {
			if x.isIndex(v) {
				vs = append(vs, v.Args[0])
			}
		}
	}
	return vs
}

// web returns the web that flows into v.
func (x *indices) web(v *vir.Value) *web {
	w := &web{in: map[*vir.Value]bool{}}
	todo := []entry{{x: v}}
	for len(todo) > 0 && len(w.members) <= maxWeb {
		from := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		v := from.x
		if w.in[v] {
			continue
		}
		if x.wide[v] != nil || !x.canBeMember(v) {
			w.starts = append(w.starts, from)
			continue
		}
		w.in[v] = true
		x.tried[v] = true
		w.members = append(w.members, v)
		if y, _ := step(v); y != nil {
			todo = append(todo, entry{x: y})
			continue
		}
		for _, e := range x.induction.in[v.Block.ID] {
			todo = append(todo, entry{e.Edge().Args[v.Index], e})
		}
	}
	return w
}

// canBeMember reports whether v can be a member of a web.
func (x *indices) canBeMember(v *vir.Value) bool {
	switch v.Op {
	case vir.Param:
		return v.Block.ID != 0
	case alu.Add:
		y, _ := step(v)
		return y != nil && (x.accessed(v, y) || x.accessed(v, v) || x.argumentsAreIndices(y, map[*vir.Value]bool{}))
	}
	return false
}

// step returns the operands of an addition by a value that is small (analysis.IsSmall), or nil.
func step(v *vir.Value) (from, by *vir.Value) {
	if v.Op != alu.Add {
		return nil, nil
	}
	for i, c := range v.Args {
		if analysis.IsSmall(c) {
			return v.Args[1-i], c
		}
	}
	return nil, nil
}

// accessed reports whether y, or its sum with an invariant term, is the index of an access that
// is executed whenever the sum v is: in a dominating block or the same one.
func (x *indices) accessed(v, y *vir.Value) bool {
	return x.accessedWhere(y, func(b *vir.Block) bool { return b == v.Block || y != v && x.dom.Dominates(b.ID, v.Block.ID) })
}

// accessedWhere does so for accesses in blocks for which holds is true.
func (x *indices) accessedWhere(y *vir.Value, holds func(*vir.Block) bool) bool {
	for _, u := range x.uses[y.ID] {
		switch {
		case u.By == nil:
		case x.isIndex(u.By):
			if x.reaches(u.By, holds) {
				return true
			}
		case u.By.Op == alu.Add:
			c := x.cycles.InnermostCycle(u.Block.ID)
			if c == nil || !x.isInvariant(analysis.Other(u.By, alu.Add, y), c) {
				continue
			}
			for _, s := range x.uses[u.By.ID] {
				if s.By != nil && x.isIndex(s.By) && x.reaches(s.By, holds) {
					return true
				}
			}
		}
	}
	return false
}

// argumentsAreIndices reports whether every argument of the parameter p is near zero, or is, or is one step
// from, the index of an access executed before.
func (x *indices) argumentsAreIndices(p *vir.Value, seen map[*vir.Value]bool) bool {
	if p.Op != vir.Param || p.Block.ID == 0 || len(seen) == maxWeb {
		return false
	}
	if seen[p] {
		return true // a cycle adds no other values
	}
	seen[p] = true
	for _, e := range x.induction.in[p.Block.ID] {
		a := e.Edge().Args[p.Index]
		from, _ := step(a)
		switch {
		case a.Op == vir.Const && analysis.IsSmall(a), x.indexes(a, e.From), from != nil && x.indexes(from, e.From), x.argumentsAreIndices(a, seen):
		default:
			return false
		}
	}
	return true
}

// indexes reports whether y is the index of an access in b or a block that dominates it.
func (x *indices) indexes(y *vir.Value, b *vir.Block) bool {
	return x.accessedWhere(y, func(a *vir.Block) bool { return x.dom.Dominates(a.ID, b.ID) })
}

// maxDisp bounds the displacement of an access from which bounds of its index follow.
const maxDisp = 1 << 20

// reaches reports whether an address with v, possibly scaled, as index and an invariant base is
// accessed in a block for which holds is true.
func (x *indices) reaches(v *vir.Value, holds func(*vir.Block) bool) bool {
	for _, u := range x.uses[v.ID] {
		switch {
		case u.By == nil:
		case u.By.Op == alu.Shl && u.By.Args[1].Op == vir.Const:
			if x.reaches(u.By, holds) {
				return true
			}
		case u.By.Op == alu.Add:
			base := u.By.Args[0]
			if base == v {
				base = u.By.Args[1]
			}
			if c := x.cycles.InnermostCycle(u.Block.ID); c != nil && !x.isInvariant(base, c) {
				continue
			}
			for _, a := range x.uses[u.By.ID] {
				if a.By != nil && accessesAt(a.By) && a.By.Args[0] == u.By &&
					a.By.Disp >= -maxDisp && a.By.Disp <= maxDisp && holds(a.Block) {
					return true
				}
			}
		}
	}
	return false
}

// isProfitable reports whether w saves more extensions, weighted by frequency, than it adds.
func (x *indices) isProfitable(w *web) bool {
	if len(w.members) == 0 || len(w.members) > maxWeb {
		return false
	}
	gain := 0.0
	for _, v := range w.members {
		for _, u := range x.uses[v.ID] {
			if u.By != nil && u.By.Op == alu.SExt && u.By.Type.Elem == alu.I64 {
				gain += analysis.Frequency(x.cycles, u.Block)
			}
		}
		if y, _ := step(v); y != nil {
			if !w.in[y] && !x.extendsForFree(y, v.Block) {
				gain -= analysis.Frequency(x.cycles, v.Block)
			}
			continue
		}
		for _, e := range x.induction.in[v.Block.ID] {
			if a := e.Edge().Args[v.Index]; !w.in[a] && !x.extendsForFree(a, e.From) {
				gain -= analysis.Frequency(x.cycles, e.From)
			}
		}
	}
	return gain > 0
}

// extendsForFree reports whether extending v in b costs nothing.
func (x *indices) extendsForFree(v *vir.Value, b *vir.Block) bool {
	return v.Op == vir.Const || v.Op == vir.Load && v.Block == b || x.wide[v] != nil
}
