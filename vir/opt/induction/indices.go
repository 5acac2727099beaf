package induction

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Indices makes 32-bit numbers that addresses are computed from 64-bit ones, in
// functions of one lane, where those go from block to block and are stepped now and
// then: indices of two-ended searches, stack pointers. Induction does it for the
// counters of loops.
//
// A step must not wrap: what is stepped, or what comes of it, is where memory is
// accessed whenever it is stepped, or has been wherever it comes from, and no object is so large that such an index
// lies at the end of its type (widen.MaxObject). What else flows in is extended
// there, if that happens less often than what it saves. Addresses at sums of such
// numbers are split as those of counters are (induction.sums).
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
			if w := x.web(v); x.pays(w) {
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

// mostInWeb bounds the numbers that are looked at together.
const mostInWeb = 64

// web is numbers that flow into one another: parameters of blocks and sums of
// those and constants. The numbers that flow in from elsewhere are its starts.
type web struct {
	members []*vir.Value
	in      map[*vir.Value]bool
	starts  []entry
}

// extended returns the numbers that are extended for addresses.
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

// web returns what flows into v.
func (x *indices) web(v *vir.Value) *web {
	w := &web{in: map[*vir.Value]bool{}}
	todo := []entry{{x: v}}
	for len(todo) > 0 && len(w.members) <= mostInWeb {
		from := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		v := from.x
		if w.in[v] {
			continue
		}
		if x.wide[v] != nil || !x.flows(v) {
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

// flows reports whether v may be a member of a web.
func (x *indices) flows(v *vir.Value) bool {
	switch v.Op {
	case vir.Param:
		return v.Block.ID != 0
	case alu.Add:
		y, _ := step(v)
		return y != nil && (x.accessed(v, y) || x.accessed(v, v) || x.passed(y, map[*vir.Value]bool{}))
	}
	return false
}

// step returns what v adds a number to that is certainly no farther from 0 than
// maxStep, and that number; nil if v does nothing of the kind.
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

// accessed reports whether y, or its sum with what does not change where that is
// computed, is an index wherever the sum v is computed, be it before or in the same
// block.
func (x *indices) accessed(v, y *vir.Value) bool {
	return x.accessedWhere(y, func(b *vir.Block) bool { return b == v.Block || y != v && x.dom.Dominates(b.ID, v.Block.ID) })
}

// accessedWhere is accessed for blocks that hold.
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
			if c == nil || !x.outside(analysis.Other(u.By, alu.Add, y), c) {
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

// passed reports whether p is a parameter for which nothing is passed but numbers near
// zero and such as are an index in a block that control has come through by then, or a step
// away from one.
func (x *indices) passed(p *vir.Value, seen map[*vir.Value]bool) bool {
	if p.Op != vir.Param || p.Block.ID == 0 || len(seen) == mostInWeb {
		return false
	}
	if seen[p] {
		return true // what came in once is the same number
	}
	seen[p] = true
	for _, e := range x.induction.in[p.Block.ID] {
		a := e.Edge().Args[p.Index]
		from, _ := step(a)
		switch {
		case a.Op == vir.Const && analysis.IsSmall(a), x.indexes(a, e.From), from != nil && x.indexes(from, e.From), x.passed(a, seen):
		default:
			return false
		}
	}
	return true
}

// indexes reports whether y is an index where memory is accessed in b, or before.
func (x *indices) indexes(y *vir.Value, b *vir.Block) bool {
	return x.accessedWhere(y, func(a *vir.Block) bool { return x.dom.Dominates(a.ID, b.ID) })
}

// mostDisp bounds the displacement of an access that tells how large its index is.
const mostDisp = 1 << 20

// reaches reports whether one of the addresses that v is added to, perhaps
// multiplied, is accessed in a block that holds, near what does not change where
// it does.
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
			if c := x.cycles.InnermostCycle(u.Block.ID); c != nil && !x.outside(base, c) {
				continue
			}
			for _, a := range x.uses[u.By.ID] {
				if a.By != nil && accessesAt(a.By) && a.By.Args[0] == u.By &&
					a.By.Disp >= -mostDisp && a.By.Disp <= mostDisp && holds(a.Block) {
					return true
				}
			}
		}
	}
	return false
}

// pays reports whether fewer extensions run with w than without.
func (x *indices) pays(w *web) bool {
	if len(w.members) == 0 || len(w.members) > mostInWeb {
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
			if !w.in[y] && !x.free(y, v.Block) {
				gain -= analysis.Frequency(x.cycles, v.Block)
			}
			continue
		}
		for _, e := range x.induction.in[v.Block.ID] {
			if a := e.Edge().Args[v.Index]; !w.in[a] && !x.free(a, e.From) {
				gain -= analysis.Frequency(x.cycles, e.From)
			}
		}
	}
	return gain > 0
}

// free reports whether the extension of v in b costs nothing.
func (x *indices) free(v *vir.Value, b *vir.Block) bool {
	return v.Op == vir.Const || v.Op == vir.Load && v.Block == b || x.wide[v] != nil
}
