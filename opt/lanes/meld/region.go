package meld

import (
	"slices"

	"github.com/simtc/simtc/kernel"
)

// maxRegion limits the operations of an arm with control flow, and maxAligned the product
// of the operation counts of two blocks that are aligned.
const (
	maxRegion  = 1024
	maxAligned = 1 << 14
)

// regions matches the two arms of a divergent branch block by block and operation by
// operation: arms with the same branches and loops that differ in operands, and in pure
// operations of one arm (the isomorphic regions of Saumya et al., "DARM", sec. 4, extended
// by unaligned operations).
//
// In the melded code a value represents itself; a value of the second arm that has a mate is
// represented by the mate.
type regions struct {
	m      *melder
	a      *kernel.Block
	blocks []*blockPair // in order of discovery
	mate   map[*kernel.Block]*kernel.Block
	second map[*kernel.Block]bool          // matched blocks of the second arm
	values map[*kernel.Value]*kernel.Value // value of the second arm -> its mate in the first
	inside map[*kernel.Value]*blockPair    // value of either arm -> its melded block
	ops    int

	mixed    map[*kernel.Value]bool // representatives that become vectors
	selected map[selection]bool

	made []empty

	// Parameters of blocks with one predecessor are replaced by the arguments if the mate has
	// different parameters.
	is   map[*kernel.Value]*kernel.Value
	bare map[*kernel.Block]bool
}

// empty is a block inserted on an edge as the mate of a block of the other arm.
type empty struct {
	block *kernel.Block
	on    *kernel.Edge
	was   kernel.Edge // the edge before the insertion
	from  *kernel.Block
}

// blockPair is a pair of matched blocks and their operations in the order of the melded
// code. The mate of an operation that only one arm has is nil.
type blockPair struct {
	arms [2]*kernel.Block
	rows []pair
}

// selection is a select between two representatives. It is placed in the branching block if
// both are defined above it (at is nil), else in the block that uses it.
type selection struct {
	of pair
	at *blockPair
}

// meldRegions melds the arms of a's branch if they match and it pays. Arms of one block each
// are left to meldPlan.
func (m *melder) meldRegions(a *kernel.Block) {
	g := &regions{
		m: m, a: a, mate: map[*kernel.Block]*kernel.Block{}, second: map[*kernel.Block]bool{},
		values: map[*kernel.Value]*kernel.Value{}, inside: map[*kernel.Value]*blockPair{},
		mixed: map[*kernel.Value]bool{}, selected: map[selection]bool{},
		is: map[*kernel.Value]*kernel.Value{}, bare: map[*kernel.Block]bool{},
	}
	if m.r.Find(a.Cond).Op == kernel.Const {
		return
	}
	if g.walk(a, a, 0) && len(g.blocks) > 1 && g.closed() && g.match() && g.pays() {
		g.commit()
		m.changed = true
		return
	}
	for _, e := range slices.Backward(g.made) {
		*e.on = e.was
	}
}

// walk matches the targets of the n-th edges of x, in the first arm, and y, in the second.
// The arms end where both targets are the same block. A straight block without a mate is
// matched with a new empty block.
func (g *regions) walk(x, y *kernel.Block, n int) bool {
	ex, ey := &x.Edges[n], &y.Edges[n]
	if x == g.a {
		ex, ey = &x.Edges[0], &y.Edges[1]
	}
	from := [2]*kernel.Block{x, y}
	x, y = ex.To, ey.To
	if x == y {
		return g.mate[x] == nil && !g.second[x]
	}
	if g.mate[x] != nil || g.second[y] {
		return g.mate[x] == y
	}
	switch straight := [2]bool{g.straight(x), g.straight(y)}; {
	case straight[1] && !straight[0]:
		x = g.put(ex, from[0])
	case straight[0] && !straight[1]:
		y = g.put(ey, from[1])
	}
	if g.second[x] || g.mate[y] != nil || x == g.a || y == g.a || !g.matchBlocks(x, y, ex.Args, ey.Args) {
		return false
	}
	g.mate[x], g.second[y] = y, true
	for i := range x.Edges {
		if !g.walk(x, y, i) {
			return false
		}
	}
	return true
}

// straight reports whether b has one predecessor and one successor.
func (g *regions) straight(b *kernel.Block) bool {
	return b.Kind == kernel.Jump && g.m.preds[b] == 1
}

// put inserts an empty block on an edge.
func (g *regions) put(e *kernel.Edge, from *kernel.Block) *kernel.Block {
	b := &kernel.Block{ID: -1, Func: g.m.f, Pos: from.Pos}
	b.Jump(e.To, e.Args...)
	g.m.preds[b] = 1
	g.made = append(g.made, empty{block: b, on: e, was: *e, from: from})
	*e = kernel.Edge{To: b, Rare: e.Rare}
	return b
}

// matchBlocks matches the parameters and operations of two blocks, which receive the arguments xs
// and ys.
func (g *regions) matchBlocks(x, y *kernel.Block, xs, ys []*kernel.Value) bool {
	if x.Kind != y.Kind || x.Kind != kernel.Jump && x.Kind != kernel.Branch {
		return false
	}
	if g.ops += max(len(x.Values), len(y.Values)); g.ops > maxRegion {
		return false
	}
	b := &blockPair{arms: [2]*kernel.Block{x, y}}
	switch {
	case len(x.Params) == len(y.Params):
		for i, p := range x.Params {
			q := y.Params[i]
			if p.Type != q.Type {
				return false
			}
			g.pair(b, p, q)
		}
	case g.m.preds[x] == 1 && g.m.preds[y] == 1:
		g.bare[x], g.bare[y] = true, true
		for i, p := range x.Params {
			g.is[p] = xs[i]
		}
		for i, p := range y.Params {
			g.is[p] = ys[i]
		}
	default:
		return false
	}
	rows, ok := g.rows(x.Values, y.Values)
	if !ok {
		return false
	}
	b.rows = rows
	for _, r := range rows {
		g.pair(b, r[0], r[1])
	}
	g.blocks = append(g.blocks, b)
	return true
}

func (g *regions) pair(b *blockPair, x, y *kernel.Value) {
	if x != nil && y != nil {
		g.values[y] = x
	}
	for _, v := range []*kernel.Value{x, y} {
		if v != nil {
			g.inside[v] = b
		}
	}
}

// rows merges the operations of two blocks: in order if all match, else by an alignment
// that maximizes the matched cost. Only pure operations may stay unmatched.
func (g *regions) rows(xs, ys []*kernel.Value) ([]pair, bool) {
	var rows []pair
	for i := 0; len(xs) == len(ys) && i < len(xs) && mates(xs[i], ys[i]); i++ {
		rows = append(rows, pair{xs[i], ys[i]})
	}
	if len(xs) == len(ys) && len(rows) == len(xs) {
		return rows, true
	}
	if len(xs)*len(ys) > maxAligned {
		return nil, false
	}
	rows, unmatched := rows[:0], true
	add := func(r pair) {
		v := r[0]
		if v == nil {
			v = r[1]
		}
		unmatched = unmatched && (r[0] != nil && r[1] != nil || isPure(v))
		rows = append(rows, r)
	}
	i, j := 0, 0
	for _, ij := range align(len(xs), len(ys), func(i, j int) int { return g.score(xs[i], ys[j]) }) {
		for ; i < ij[0]; i++ {
			add(pair{xs[i], nil})
		}
		for ; j < ij[1]; j++ {
			add(pair{nil, ys[j]})
		}
		add(pair{xs[i], ys[j]})
		i, j = i+1, j+1
	}
	for ; i < len(xs); i++ {
		add(pair{xs[i], nil})
	}
	for ; j < len(ys); j++ {
		add(pair{nil, ys[j]})
	}
	return rows, unmatched
}

// mates reports whether one operation can replace x and y.
func mates(x, y *kernel.Value) bool {
	if x.Op == kernel.Component && y.Op == kernel.Component {
		return x.Index == y.Index && x.Type == y.Type && fits(x.Args[0], y.Args[0])
	}
	return fits(x, y)
}

// score is the weight of matching x and y: accesses must match, and among operations those
// with common or matched operands are preferred.
func (g *regions) score(x, y *kernel.Value) int {
	if !mates(x, y) {
		return 0
	}
	s := 4 * (1 + g.costOf(x, false))
	if !isPure(x) {
		s += 4 * never / maxRegion
	}
	for i, a := range x.Args {
		if b := y.Args[i]; a == b || g.values[b] == a {
			s += 2
		} else if a.Op == b.Op && a.Op != kernel.Const {
			s++
		}
	}
	return s
}

// closed reports whether the arms have no other entries.
func (g *regions) closed() bool {
	in := map[*kernel.Block]int{g.a.Edges[0].To: 1, g.a.Edges[1].To: 1}
	for _, b := range g.blocks {
		for _, arm := range b.arms {
			for _, e := range arm.Edges {
				in[e.To]++
			}
		}
	}
	for _, b := range g.blocks {
		if in[b.arms[0]] != g.m.preds[b.arms[0]] || in[b.arms[1]] != g.m.preds[b.arms[1]] {
			return false
		}
	}
	return true
}
