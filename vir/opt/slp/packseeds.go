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

// seeds lists what trees may grow from, the most promising first.
func (p *packer) seeds() (all [][]*vir.Value) {
	for _, b := range p.f.Blocks {
		for _, run := range runs(b, vir.Store) {
			all = append(all, cut(run, run[0].Args[1].Type.Elem)...)
		}
	}
	for _, c := range p.cycles.Cycles {
		if c.Reducible() && c.Depth > 1 {
			all = append(all, p.carried(p.f.Blocks[c.Header])...)
		}
	}
	for _, b := range p.f.Blocks {
		for _, from := range slices.Concat(runs(b, vir.Load), vectors(b)) {
			if len(from) >= fewest(from[0].Type.Elem) {
				all = append(all, p.climb(from)...)
			}
		}
	}
	return all
}

// vectors lists the lanes that b takes out of vectors, if it takes all.
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

// climb lists what is computed from numbers that lie side by side in the same way:
// from each, or from pairs of them. Of as many numbers in a row it lists the last that
// is computed.
func (p *packer) climb(from []*vir.Value) (all [][]*vir.Value) {
	seen := map[*vir.Value]bool{} // the first of a row
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
			if len(ys) >= fewest(ys[0].Type.Elem) && !seen[ys[0]] && len(seen) < mostClimbed {
				seen[ys[0]] = true
				visit(ys)
			}
		}
	}
	n := most(from[0].Type.Elem)
	for n > len(from) {
		n /= 2
	}
	for ; len(from) >= n; from = from[n:] {
		visit(from[:n])
	}
	return all
}

// users lists rows of operations that use xs, each one or two of them in the same
// place, and are of one kind and in the block of xs, in the order of the first that
// they use.
func (p *packer) users(xs []*vir.Value) (all [][]*vir.Value) {
	lists := make([]map[usage][]*vir.Value, len(xs))
	for i, x := range xs {
		lists[i] = p.lanewiseUsers(x)
	}
	nth := map[usage]int{} // of several of one kind
	for _, u := range p.uses[xs[0].ID] {
		kind, ok := p.usage(u, xs[0])
		if !ok || nth[kind] == len(lists[0][kind]) || lists[0][kind][nth[kind]] != u.By {
			continue // or it uses xs[0] once more
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

// usage is what operations are that use a number alike.
type usage struct {
	op vir.Op
	of vir.Type
	at int // where it is among the operands; 0 if that does not matter
}

// usage tells how u uses x, if it is a lanewise operation in x's block.
func (p *packer) usage(u analysis.Use, x *vir.Value) (usage, bool) {
	if u.By == nil || u.Block != x.Block || !analysis.CheapOnVectors(u.By.Op) {
		return usage{}, false
	}
	k := usage{u.By.Op, u.By.Type, 0}
	if !alu.InfoOf(k.op).Commutative {
		k.at = slices.Index(u.By.Args, x)
	}
	return k, true
}

// lanewiseUsers lists the lanewise operations that use x in its block, by kind.
func (p *packer) lanewiseUsers(x *vir.Value) map[usage][]*vir.Value {
	if of, ok := p.lanewise[x]; ok {
		return of
	}
	of, seen := map[usage][]*vir.Value{}, map[*vir.Value]bool{}
	for _, u := range p.uses[x.ID] {
		if kind, ok := p.usage(u, x); ok && !seen[u.By] {
			seen[u.By] = true
			of[kind] = append(of[kind], u.By)
		}
	}
	p.lanewise[x] = of
	return of
}

// cut lists the pieces of vs, numbers of type t, that a pack may be of: the largest
// first, then halves of those.
func cut(vs []*vir.Value, t alu.Type) (all [][]*vir.Value) {
	for n := most(t); n >= fewest(t); n /= 2 {
		for rest := vs; len(rest) >= n; rest = rest[n:] {
			all = append(all, rest[:n])
		}
	}
	return all
}

// runs lists the loads or stores in b of elements side by side, in the order of
// memory.
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

// carried lists parameters of h, the head of a loop, that become the same kind of
// number each round, in the order of the memory that goes into them.
func (p *packer) carried(h *vir.Block) (all [][]*vir.Value) {
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
		if v.Type.Elem == alu.I1 || !v.Type.IsScalar() || of[v.Type.Elem] < fewest(v.Type.Elem) {
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
		all = append(all, cut(vs, vs[0].Type.Elem)...)
	}
	return all
}

// shape describes how numbers are computed, all alike but for the displacements of
// what is loaded.
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
