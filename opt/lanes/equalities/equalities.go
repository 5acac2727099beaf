// Package equalities makes operations uniform in regions whose active lanes hold the same
// value of a varying variable.
package equalities

import (
	"maps"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// maxOperations limits the operations that are computed again for one address or condition.
const maxOperations = 16

// equality is the fact that x has the value of k.
type equality struct {
	x, k     *kernel.Value
	from, to int // an edge: it holds in the blocks that the edge dominates
}

// Use computes addresses and conditions from k instead of x where a divergent branch has
// found x == k for a uniform k, if they are then uniform: in
//
//	if (x == k) for (int j = 0; j < x; j++) sum += table[x * 16 + j];
//
// all active lanes load the same element and run the same number of iterations. Linearizers
// then execute these loads and branches once, in scalar registers ("masked uniform execution").
// The operations in between are computed again, as they may have other users. So are the values
// with which loops are entered. A load before the branch is not repeated: if its address is the same in
// all lanes, so is its value, which is then read from an active lane (kernel.ActiveLane).
//
// divergent is indexed by block ID and uniform by value ID. Use extends uniform by new values
// and reports whether it changed f.
//
// If split, blocks are added on edges into loops for such values.
//
// requires: LCSSA, dense IDs; maintains: LCSSA, what f computes
func Use(f *kernel.Func, divergent, uniform []bool, split bool, st opt.Stats) bool {
	u := &user{f: f, st: st, uniform: uniform, split: split}
	for i, b := range f.Blocks {
		if divergent[i] && b.Kind == kernel.Branch && b.Edges[0].To != b.Edges[1].To {
			for k, e := range b.Edges {
				u.find(b.Cond, k == 0, equality{from: i, to: e.To.ID})
			}
		}
	}
	if len(u.facts) == 0 {
		return false
	}
	g := f.Graph()
	u.dom, u.loops = cfg.Dominators(g), cfg.Cycles(g)
	// The edge dominates its target if all other edges to it are back edges.
	u.facts = slices.DeleteFunc(u.facts, func(q equality) bool {
		return slices.ContainsFunc(g.Preds[q.to], func(p int) bool { return p != q.from && !u.dom.Dominates(q.to, p) })
	})
	for _, id := range g.ReversePostOrder() {
		u.block(f.Blocks[id])
	}
	u.insert()
	if u.n == 0 {
		return false
	}
	st.Add("made uniform by equalities", u.n)
	opt.RemoveDead(f, nil)
	f.Renumber()
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == kernel.ActiveLane {
				st.Add("values read from an active lane", 1)
			}
		}
	}
	return true
}

// start is the place where an equality begins to hold.
type start struct {
	from, to int
	block    *kernel.Block // that contains values read from an active lane
	values   []*kernel.Value
	read     map[*kernel.Value]*kernel.Value // original -> read
}

type user struct {
	f       *kernel.Func
	st      opt.Stats
	uniform []bool // by value ID
	facts   []equality
	dom     *cfg.DomTree
	loops   *cfg.CycleForest
	n       int

	starts map[[2]int]*start // by edge
	split  bool              // blocks may be added on edges

	// In one block:
	at   *kernel.Block
	is   map[*kernel.Value]*kernel.Value // replacements, from equalities and computed again
	wide map[*kernel.Value]*kernel.Value // x -> k, if x extended equals k
	in   *start                          // where the last of the equalities begins to hold; nil: no value is read there
	made []*kernel.Value
	home *kernel.Block    // where operations are computed again: the block, or one on an edge from it
	list *[]*kernel.Value // its operations
}

// find records the equalities that hold on an edge if cond has the given value there.
func (u *user) find(cond *kernel.Value, value bool, on equality) {
	switch {
	case cond.Op == alu.And && value, cond.Op == alu.Or && !value:
		u.find(cond.Args[0], value, on)
		u.find(cond.Args[1], value, on)
	case cond.Op == alu.Xor && cond.Args[1].Op == kernel.Const && cond.Args[1].Const == 1:
		u.find(cond.Args[0], !value, on)
	case (cond.Op == alu.Eq && value || cond.Op == alu.Ne && !value) && cond.Args[0].Type.IsInt():
		for i, x := range cond.Args {
			if k := cond.Args[1-i]; u.isUniform(k) && !u.isUniform(x) {
				u.facts = append(u.facts, equality{x, k, on.from, on.to})
			}
		}
	}
}

func (u *user) isUniform(v *kernel.Value) bool {
	return v.Op == kernel.Const || v.ID < len(u.uniform) && u.uniform[v.ID]
}

// block makes the addresses and the condition in a block uniform.
func (u *user) block(b *kernel.Block) {
	u.at, u.is, u.wide, u.in = b, nil, nil, nil
	for _, q := range u.facts {
		if u.dom.Dominates(q.to, b.ID) && u.inLoopOf(q.k, b) {
			u.use(q)
			if u.in == nil || u.dom.Dominates(u.in.to, q.to) {
				u.in = u.startOf(q)
			}
		}
	}
	values := b.Values
	u.home, u.list = b, &values
	if u.is != nil {
		values = nil
		for _, v := range b.Values {
			u.addresses(v)
			values = append(values, v)
		}
		if len(b.Edges) > 1 {
			b.Cond = u.again(b.Cond, b.Pos)
		}
	}
	for i := range b.Edges {
		u.entering(b, &b.Edges[i])
	}
	b.Values = values
}

// again returns a uniform value that is equal to v in the block, computed there, or v if there is none.
func (u *user) again(v *kernel.Value, pos diag.Pos) *kernel.Value {
	if u.isUniform(v) {
		return v
	}
	u.made = u.made[:0]
	same := u.compute(v)
	if same == nil {
		for _, x := range u.made {
			delete(u.is, x)
		}
		return v
	}
	for _, x := range u.made {
		u.is[x].Pos = pos // in this block, for profiles
		*u.list = append(*u.list, u.is[x])
	}
	u.n++
	return same
}

// use adds an equality that holds in the block.
func (u *user) use(q equality) {
	if u.is == nil {
		u.is, u.wide = map[*kernel.Value]*kernel.Value{}, map[*kernel.Value]*kernel.Value{}
	}
	u.is[q.x] = q.k
	if x := q.x; x.Op == alu.ZExt || x.Op == alu.SExt {
		u.wide[x.Args[0]] = q.k
	}
}

// addresses makes the address of v uniform.
func (u *user) addresses(v *kernel.Value) {
	if v.Op != kernel.Load && v.Op != kernel.Store || v.Args[0].Type == alu.PtrPrivate {
		return
	}
	v.Args[0] = u.again(v.Args[0], v.Pos)
	if v.Op == kernel.Load && u.isUniform(v.Args[0]) {
		u.mark(v) // unless a store interferes; then only operations are repeated
	}
}

// entering makes the values uniform with which an edge of b enters a loop.
func (u *user) entering(b *kernel.Block, e *kernel.Edge) {
	c := u.loops.InnermostCycle(e.To.ID)
	if c == nil || c.Header != e.To.ID || u.loops.Contains(c, b.ID) {
		return
	}
	defer func(is, wide map[*kernel.Value]*kernel.Value, in *start) {
		u.is, u.wide, u.in = is, wide, in
	}(u.is, u.wide, u.in)
	defer func(home *kernel.Block, list *[]*kernel.Value) { u.home, u.list = home, list }(u.home, u.list)
	for _, q := range u.facts {
		if q.from == b.ID && q.to == e.To.ID && u.inLoopOf(q.k, b) { // it holds on the edge, but not in b
			u.is, u.wide, u.in = maps.Clone(u.is), maps.Clone(u.wide), u.startOf(q)
			u.use(q)
			if u.in != nil {
				u.home, u.list = u.in.block, &u.in.values
			}
		}
	}
	if u.is == nil {
		return
	}
	for k, a := range e.Args {
		if u.counts(c, e.To.Params[k]) {
			e.Args[k] = u.again(a, b.Pos)
		}
	}
}

// inLoopOf reports whether b is in every loop that contains the definition of v, where v may
// be used.
func (u *user) inLoopOf(v *kernel.Value, b *kernel.Block) bool {
	if v.Block == nil {
		return true
	}
	c := u.loops.InnermostCycle(v.Block.ID)
	return c == nil || u.loops.Contains(c, b.ID)
}

// compute returns a uniform value that is equal to v in the block, nil if there is none. It
// makes the operations on which v depends again, and lists the originals in made.
func (u *user) compute(v *kernel.Value) *kernel.Value {
	switch {
	case u.is[v] != nil:
		return u.is[v]
	case u.isUniform(v):
		return v
	case u.wide[v] != nil && v.Type != alu.I1:
		same := u.home.NewValue(alu.Trunc, v.Type, u.wide[v])
		u.mark(same)
		u.is[v] = same
		u.made = append(u.made, v)
		return same
	case u.same(v) && (v.Op == kernel.Load || v.Op == kernel.Component):
		return u.fromLane(v)
	case !v.Op.Pure() && v.Op != kernel.PtrAdd || kernel.Convergent(v.Op) || len(u.made) >= maxOperations:
		return nil
	}
	args := make([]*kernel.Value, len(v.Args))
	for i, x := range v.Args {
		if args[i] = u.compute(x); args[i] == nil {
			return nil
		}
	}
	same := u.home.NewLike(v, args...)
	u.mark(same)
	u.is[v] = same
	u.made = append(u.made, v)
	return same
}

// same reports whether v has the same value in all lanes that are active where the equalities hold,
// as they have computed it together from such values. Each lane has private memory of its own.
func (u *user) same(v *kernel.Value) bool {
	return u.sameTo(v, maxOperations)
}

func (u *user) sameTo(v *kernel.Value, depth int) bool {
	switch {
	case u.is[v] != nil || u.wide[v] != nil || u.isUniform(v):
		return true
	case depth == 0 || u.in == nil || v.Block == nil || !u.dom.Dominates(v.Block.ID, u.in.from) || !u.inLoopOf(v, u.f.Blocks[u.in.to]):
		return false
	case v.Op == kernel.Load:
		if v.Volatile || v.Args[0].Type == alu.PtrPrivate {
			return false
		}
	case v.Op == kernel.Param || v.Op != kernel.Component && v.Op != kernel.PtrAdd && (!v.Op.Pure() || kernel.Convergent(v.Op)):
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !u.sameTo(a, depth-1) })
}

// counts reports whether the parameter p of the header of c changes by the same number in all lanes.
func (u *user) counts(c *cfg.Cycle, p *kernel.Value) bool {
	for _, id := range c.Latches {
		for _, e := range u.f.Blocks[id].Edges {
			if e.To != p.Block {
				continue
			}
			x := e.Args[p.Index]
			if x.Op != alu.Add && x.Op != alu.Sub && x.Op != kernel.PtrAdd || x.Args[0] != p || !u.isUniform(x.Args[1]) {
				return false
			}
		}
	}
	return true
}

// startOf returns the place where an equality begins to hold: the block to which its edge leads, or one on the
// edge if that is the header of a loop. It is nil if there can be no such block.
func (u *user) startOf(q equality) *start {
	edge := [2]int{q.from, q.to}
	if x := u.starts[edge]; x != nil {
		return x
	}
	to := u.f.Blocks[q.to]
	if u.loops.IsHeader(q.to) {
		if !u.split || u.loops.Contains(u.loops.InnermostCycle(q.to), q.from) {
			return nil
		}
		to = u.f.NewBlock("equal")
	}
	if u.starts == nil {
		u.starts = map[[2]int]*start{}
	}
	u.starts[edge] = &start{q.from, q.to, to, nil, map[*kernel.Value]*kernel.Value{}}
	return u.starts[edge]
}

// insert adds the values read from an active lane, and the blocks on edges that contain some.
func (u *user) insert() {
	for edge, x := range u.starts {
		to := u.f.Blocks[edge[1]]
		if x.block == to && u.n > 0 {
			to.Values = append(x.values, to.Values...)
		}
		if x.block == to {
			continue
		}
		if len(x.values) == 0 || u.n == 0 {
			u.f.Blocks = slices.DeleteFunc(u.f.Blocks, func(b *kernel.Block) bool { return b == x.block })
			continue
		}
		x.block.Values = x.values
		from := u.f.Blocks[edge[0]]
		for i := range from.Edges {
			if e := &from.Edges[i]; e.To == to {
				x.block.Jump(to, e.Args...)
				x.block.Pos = from.Pos
				*e = kernel.Edge{To: x.block, Rare: e.Rare}
			}
		}
	}
}

// fromLane returns the value that v has in an active lane, read where the equalities begin to hold; nil
// if it cannot be used in the block.
func (u *user) fromLane(v *kernel.Value) *kernel.Value {
	if v.Type == alu.I1 || v.Count > 1 {
		return nil
	}
	c := u.loops.InnermostCycle(u.in.to)
	if u.in.block != u.f.Blocks[u.in.to] { // on the edge
		c = c.Parent
	}
	if c != nil && !u.loops.Contains(c, u.at.ID) && u.at.ID != u.in.from {
		return nil
	}
	x := u.in.read[v]
	if x == nil {
		x = u.in.block.NewValue(kernel.ActiveLane, v.Type, v)
		x.Pos = v.Pos
		u.in.read[v] = x
		u.in.values = append(u.in.values, x)
		u.mark(x)
	}
	return x
}

// mark records that a value is uniform.
func (u *user) mark(v *kernel.Value) {
	for v.ID >= len(u.uniform) {
		u.uniform = append(u.uniform, false)
	}
	u.uniform[v.ID] = true
}
