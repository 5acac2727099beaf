package slp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
)

// seeds lists the groups that trees may grow from, the most promising first.
func (p *grouper) seeds() (all [][]*vir.Value) {
	for _, b := range p.f.Blocks {
		for _, run := range runs(b, vir.Store) {
			all = append(all, vectorParts(run, run[0].Args[1].Type.Elem)...)
		}
	}
	for _, c := range p.cycles.Cycles {
		if c.Reducible() && c.Depth > 1 {
			all = append(all, p.loopCarried(p.f.Blocks[c.Header])...)
		}
	}
	for _, b := range p.f.Blocks {
		for _, from := range slices.Concat(runs(b, vir.Load), vectors(b)) {
			if len(from) >= minLanes(from[0].Type.Elem) {
				all = append(all, p.seedsAbove(from)...)
			}
		}
	}
	return all
}

// vectors lists the vectors of which b extracts all lanes.
func vectors(b *vir.Block) (all [][]*vir.Value) {
	by := map[*vir.Value][]*vir.Value{}
	for _, v := range b.Values {
		if v.Op == vir.Extract && v.Type.Elem != alu.I1 {
			x := v.Args[0]
			by[x] = append(by[x], v)
			if len(by[x]) == x.Type.Lanes {
				slices.SortFunc(by[x], func(v, w *vir.Value) int { return cmp.Compare(v.Index, w.Index) })
				all = append(all, by[x])
			}
		}
	}
	return all
}

// seedsAbove lists groups of equal operations on adjacent elements, each of one element or of a pair. Of
// dependent groups with equally many lanes it lists only the last.
func (p *grouper) seedsAbove(from []*vir.Value) (all [][]*vir.Value) {
	seen := map[*vir.Value]bool{} // first lanes
	var visit func(xs []*vir.Value)
	visit = func(xs []*vir.Value) {
		users, last := p.users(xs), true
		for _, ys := range users {
			last = last && len(ys) < len(xs)
		}
		if last && xs[0].Op.Pure() {
			all = append(all, xs)
		}
		for _, ys := range users {
			if len(ys) >= minLanes(ys[0].Type.Elem) && !seen[ys[0]] && len(seen) < maxRows {
				seen[ys[0]] = true
				visit(ys)
			}
		}
	}
	n := maxLanes(from[0].Type.Elem)
	for n > len(from) {
		n /= 2
	}
	for ; len(from) >= n; from = from[n:] {
		visit(from[:n])
	}
	return all
}

// users lists groups of equal operations in the block of xs that each use one or two of xs at the
// same operand index, in the order of the first lane.
func (p *grouper) users(xs []*vir.Value) (all [][]*vir.Value) {
	lists := make([]map[usage][]*vir.Value, len(xs))
	for i, x := range xs {
		lists[i] = p.elementwiseUsers(x)
	}
	nth := map[usage]int{} // index among users of one kind
	for _, u := range p.uses[xs[0].ID] {
		kind, ok := p.usage(u, xs[0])
		if !ok || nth[kind] == len(lists[0][kind]) || lists[0][kind][nth[kind]] != u.By {
			continue // or it uses xs[0] twice
		}
		var ys []*vir.Value
		for i := range xs {
			if of := lists[i][kind]; nth[kind] < len(of) && !slices.Contains(ys, of[nth[kind]]) {
				ys = append(ys, of[nth[kind]])
			}
		}
		if nth[kind]++; len(ys) == len(xs) || 2*len(ys) == len(xs) {
			all = append(all, ys)
		}
	}
	return all
}

// usage is the kind of a use: equal for uses that may be lanes of one group.
type usage struct {
	op vir.Op
	of vir.Type
	at int // operand index; 0 for commutative operations
}

// usage returns the kind of u, a use of x, if it is an elementwise operation in x's block.
func (p *grouper) usage(u analysis.Use, x *vir.Value) (usage, bool) {
	if u.By == nil || u.Block != x.Block || !analysis.CheapOnVectors(u.By.Op) {
		return usage{}, false
	}
	k := usage{u.By.Op, u.By.Type, 0}
	if !alu.InfoOf(k.op).Commutative {
		k.at = slices.Index(u.By.Args, x)
	}
	return k, true
}

// elementwiseUsers lists the elementwise operations that use x in its block, by kind.
func (p *grouper) elementwiseUsers(x *vir.Value) map[usage][]*vir.Value {
	if of, ok := p.elementwise[x]; ok {
		return of
	}
	of, seen := map[usage][]*vir.Value{}, map[*vir.Value]bool{}
	for _, u := range p.uses[x.ID] {
		if kind, ok := p.usage(u, x); ok && !seen[u.By] {
			seen[u.By] = true
			of[kind] = append(of[kind], u.By)
		}
	}
	p.elementwise[x] = of
	return of
}

// vectorParts lists the parts of vs, values of type t, that a group may consist of: the largest first, then
// halves.
func vectorParts(vs []*vir.Value, t alu.Type) (all [][]*vir.Value) {
	for n := maxLanes(t); n >= minLanes(t); n /= 2 {
		for rest := vs; len(rest) >= n; rest = rest[n:] {
			all = append(all, rest[:n])
		}
	}
	return all
}

// runs lists the adjacent loads or stores of b, in address order.
func runs(b *vir.Block, op vir.Op) (all [][]*vir.Value) {
	type place struct {
		base *vir.Value
		elem alu.Type
	}
	by := map[place][]*vir.Value{}
	var order []place
	for _, v := range b.Values {
		if analysis.IsVectorizableAccess(v, op) {
			at := place{v.Args[0], v.Accessed().Elem}
			if by[at] == nil {
				order = append(order, at)
			}
			by[at] = append(by[at], v)
		}
	}
	for _, at := range order {
		vs := by[at]
		slices.SortStableFunc(vs, func(x, y *vir.Value) int { return cmp.Compare(x.Disp, y.Disp) })
		for len(vs) > 0 {
			n := 1
			for n < len(vs) && vs[n].Disp == vs[n-1].Disp+int64(at.elem.Size()) {
				n++
			}
			if n > 1 {
				all = append(all, vs[:n])
			}
			vs = vs[n:]
		}
	}
	return all
}

// loopCarried lists parameters of a loop's head that are updated by equal operations, in the order of the
// addresses of the loads involved.
func (p *grouper) loopCarried(h *vir.Block) (all [][]*vir.Value) {
	var of [alu.NumTypes]int
	for _, v := range h.Params {
		of[v.Type.Elem]++
	}
	type member struct {
		v  *vir.Value
		at []int64
	}
	by := map[string][]member{}
	var order []string
	for _, v := range h.Params {
		if v.Type.Elem == alu.I1 || !v.Type.IsScalar() || of[v.Type.Elem] < minLanes(v.Type.Elem) {
			continue
		}
		s := shape{self: v}
		for _, e := range p.in[h.ID] {
			const depth = 6
			s.of(e.Edge().Args[v.Index], depth)
		}
		key := s.text.String()
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], member{v, s.at})
	}
	for _, key := range order {
		ms := by[key]
		slices.SortStableFunc(ms, func(x, y member) int { return slices.Compare(x.at, y.at) })
		var vs []*vir.Value
		for _, m := range ms {
			vs = append(vs, m.v)
		}
		all = append(all, vectorParts(vs, vs[0].Type.Elem)...)
	}
	return all
}

// shape describes how a value is computed; the displacements of loads are kept apart.
type shape struct {
	self *vir.Value
	text strings.Builder
	at   []int64
}

func (s *shape) of(v *vir.Value, depth int) {
	switch {
	case v == s.self:
		s.text.WriteString("self ")
	case v.Op == vir.Const:
		s.text.WriteString("const ")
	case v.Op == vir.Load:
		fmt.Fprintf(&s.text, "load %s %d ", v.Type, v.Args[0].ID)
		s.at = append(s.at, v.Disp)
	case v.Op == vir.Param || !v.Op.Pure() || depth == 0:
		fmt.Fprintf(&s.text, "%s ", v.Type)
	default:
		fmt.Fprintf(&s.text, "%s %s ", vir.InfoOf(v.Op).Name, v.Type)
		for _, a := range v.Args {
			s.of(a, depth-1)
		}
	}
}
