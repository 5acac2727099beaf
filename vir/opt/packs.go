package opt

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// Packs makes scalar operations of one kind, on elements that lie side by side,
// operations on vectors, in functions of one lane: superword-level parallelism
// (Larsen and Amarasinghe, "Exploiting Superword Level Parallelism with Multimedia
// Instruction Sets", PLDI 2000). These are mostly the components of what was a
// vector in the source.
//
//	x0 = load p           x = vload p
//	x1 = load p+4         y = add x, splat a
//	y0 = add x0, a        vstore q, y
//	y1 = add x1, a
//	store q, y0
//	store q+4, y1
//
// A tree of packs grows from stores side by side, from what a loop carries, or from
// what is computed out of loads side by side, to the operands, until those are of
// several kinds. It is made if it saves instructions, those counted that put scalars
// into vectors and take them out.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph, and what each number is
func Packs(f *vir.Func, stats Stats) {
	if f.Width != 1 || !mayPack(f) {
		return
	}
	trees := 0
	for trees < maxTrees && packOne(f, stats) {
		trees++
	}
	stats.add("trees of packs", trees)
}

const (
	maxTrees    = 16 // of a function
	maxSeeds    = 512
	mostClimbed = 64 // rows above the numbers of a run
	maxPacks    = 96 // of a tree
	packBytes   = 64 // of a pack
	packLanes   = 16
)

// mayPack reports whether some block has as many accesses, or parameters, of one type
// as a pack needs.
func mayPack(f *vir.Func) bool {
	for _, b := range f.Blocks {
		var params, loads, stores [alu.NumTypes]int
		enough := func(n *[alu.NumTypes]int, t alu.Type) bool {
			n[t]++
			return n[t] >= fewest(t)
		}
		for _, p := range b.Params {
			if p.Type.IsScalar() && enough(&params, p.Type.Elem) {
				return true
			}
		}
		for _, v := range b.Values {
			switch {
			case isPackable(v, vir.Load) && !v.Invariant:
				if enough(&loads, v.Type.Elem) {
					return true
				}
			case isPackable(v, vir.Store):
				if enough(&stores, v.Args[1].Type.Elem) {
					return true
				}
			}
		}
	}
	return false
}

// packOne makes the first tree that pays.
func packOne(f *vir.Func, stats Stats) bool {
	g := f.Graph()
	p := packer{f: f, cycles: cfg.Cycles(g), in: inEdges(f), uses: usesOf(f), place: make([]int, f.NumValues()),
		objects: newObjects(f), beside: map[*vir.Block]map[*vir.Value][]*vir.Value{}}
	for _, b := range f.Blocks {
		for i, v := range b.Values {
			p.place[v.ID] = i
		}
	}
	seeds := p.seeds()
	for _, seed := range seeds[:min(len(seeds), maxSeeds)] {
		t := p.grow(seed)
		if t == nil || !t.pays() || !t.schedule() {
			continue
		}
		t.make()
		stats.add("packs", len(t.packs))
		f.Renumber()
		Redundancy(f, nil)
		Dead(f, nil)
		return true
	}
	return false
}

type packer struct {
	f       *vir.Func
	cycles  *cfg.CycleForest
	in      [][]inEdge
	uses    [][]use
	place   []int // by value ID: in its block
	objects *objects

	beside map[*vir.Block]map[*vir.Value][]*vir.Value // by load: those that lie side by side with it
}

// besides returns the loads in v's block that lie side by side with it, v included.
func (p *packer) besides(v *vir.Value) []*vir.Value {
	of, ok := p.beside[v.Block]
	if !ok {
		of = map[*vir.Value][]*vir.Value{}
		for _, run := range runs(v.Block, vir.Load) {
			for _, x := range run {
				of[x] = run
			}
		}
		p.beside[v.Block] = of
	}
	return of[v]
}

// fewest is of how many elements a pack is made at least.
func fewest(t alu.Type) int {
	if t.Bits() == 64 {
		return 2
	}
	return 4
}

// most is of how many at most.
func most(t alu.Type) int { return min(packLanes, packBytes/t.Size()) }

// isPackable reports whether v is the access op of scalar numbers that may become
// part of one of vectors.
func isPackable(v *vir.Value, op vir.Op) bool {
	return v.Op == op && !v.Volatile && v.Accessed().Elem != alu.I1 && v.Accessed().IsScalar()
}

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
	for i, first := range p.lanewiseUsers(xs[0]) {
		// like returns the operation that uses x as first uses xs[0], of several the
		// nth.
		nth := 0
		like := func(x *vir.Value) *vir.Value {
			left := nth
			for _, y := range p.lanewiseUsers(x) {
				same := y.Op == first.Op && y.Type == first.Type &&
					(alu.InfoOf(y.Op).Commutative || slices.Index(y.Args, x) == slices.Index(first.Args, xs[0]))
				if same && left == 0 {
					return y
				} else if same {
					left--
				}
			}
			return nil
		}
		for like(xs[0]) != first && nth < i {
			nth++
		}
		var ys []*vir.Value
		for _, x := range xs {
			if y := like(x); y != nil && !slices.Contains(ys, y) {
				ys = append(ys, y)
			}
		}
		if len(ys) == len(xs) || 2*len(ys) == len(xs) {
			all = append(all, ys)
		}
	}
	return all
}

// lanewiseUsers lists the operations that use x in its block.
func (p *packer) lanewiseUsers(x *vir.Value) (all []*vir.Value) {
	for _, u := range p.uses[x.ID] {
		if u.by != nil && u.block == x.Block && isLanewise(u.by.Op) && !slices.Contains(all, u.by) {
			all = append(all, u.by)
		}
	}
	return all
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
		if isPackable(v, op) {
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
	if len(h.Params) < 2 {
		return nil
	}
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
			s.of(e.edge().Args[v.Index], depth)
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

// What scalars and vectors cost to turn into each other, in instructions.
const (
	insertCost  = 3.0
	extractCost = 1.5
	testCost    = 2.5 // to take a bit out of a mask
	splatCost   = 1.0
	pickCost    = 1.0
)

// often is about how often b runs.
func (p *packer) often(b *vir.Block) float64 {
	const rounds, deepest = 8, 4
	return math.Pow(rounds, float64(min(p.cycles.Depth(b.ID), deepest)))
}

// oftenMade is how often v is computed; what is constant need be moved but once.
func (p *packer) oftenMade(v *vir.Value) float64 {
	if v.Op == vir.Const {
		return 1
	}
	return p.often(v.Block)
}

// pays reports whether the tree saves instructions.
func (t *packTree) pays() bool {
	saved := 0.0
	for _, x := range t.packs {
		often := t.often(x.block)
		if x.kind != carriedPack && !x.extendsLoads() {
			saved += often * float64(len(x.lanes)-1)
		}
		for _, list := range [][]*pack{x.args, x.edges} {
			for _, a := range list {
				saved -= t.costOf(a)
			}
		}
		if x.kind != storedPack {
			saved -= t.costOfTaking(x)
		}
	}
	return saved > 0
}

// extendsLoads reports whether x only extends numbers that are loaded, which loads
// do along the way.
func (x *pack) extendsLoads() bool {
	op := x.lanes[0].Op
	return (op == alu.SExt || op == alu.ZExt) && x.args[0].kind == loadedPack
}

// costOf is the cost of an operand that no operation on vectors computes.
func (t *packTree) costOf(a *pack) float64 {
	switch {
	case a == nil:
		return 0
	case a.kind == equalPack && a.lanes[0].Op != vir.Const:
		return splatCost * t.oftenMade(a.lanes[0])
	case a.kind == pickedPack:
		return pickCost * t.often(a.args[0].block)
	case a.kind == takenPack: // nor are the lanes taken out any more
		cost := pickCost * t.often(a.block)
		for _, v := range a.lanes {
			if len(t.uses[v.ID]) == 1 {
				cost -= extractCost * t.often(a.block)
			}
		}
		return cost
	case a.kind == gatheredPack:
		cost := 0.0
		for _, v := range a.lanes {
			cost += insertCost * t.oftenMade(v)
		}
		return cost
	}
	return 0
}

// costOfTaking is the cost of taking out of x what scalar operations need.
func (t *packTree) costOfTaking(x *pack) float64 {
	cost := 0.0
	for i, v := range x.lanes {
		taken := map[*vir.Block]bool{}
		for _, u := range t.uses[v.ID] {
			if !t.packed(u, v) && !taken[u.block] {
				taken[u.block] = true
				switch {
				case v.Type.Elem == alu.I1:
					cost += testCost * t.often(u.block)
				case i == 0:
					cost += t.often(u.block)
				default:
					cost += extractCost * t.often(u.block)
				}
			}
		}
	}
	return cost
}

// packed reports whether all of what u does with v is done by packs.
func (t *packTree) packed(u use, v *vir.Value) bool {
	switch {
	case u.by == nil && u.edge < 0:
		return false
	case u.by == nil:
		e := u.block.Edges[u.edge]
		for i, a := range e.Args {
			if a == v && !t.takesWhole(e.To.Params[i], func(x *pack) *pack { return x.edges[t.edgeIndex(u)] }) {
				return false
			}
		}
		return true
	}
	for i, a := range u.by.Args {
		if a == v && !t.takesWhole(u.by, func(x *pack) *pack { return x.operand(i) }) {
			return false
		}
	}
	return true
}

// takesWhole reports whether v is part of a pack of which an operand is a pack as
// it is, or lanes of one.
func (t *packTree) takesWhole(v *vir.Value, operand func(*pack) *pack) bool {
	at, ok := t.in[v]
	if !ok {
		return false
	}
	a := operand(at.pack)
	return a != nil && a.kind != gatheredPack && a.kind != equalPack
}

// edgeIndex is which of the edges to its block an edge is.
func (p *packer) edgeIndex(u use) int {
	to := u.block.Edges[u.edge].To
	return slices.IndexFunc(p.in[to.ID], func(e inEdge) bool { return e.from == u.block && e.n == u.edge })
}
