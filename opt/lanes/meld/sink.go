package meld

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// maxPreds limits the predecessors of a join whose stores are compared.
const maxPreds = 128

// sink replaces stores at the ends of several predecessors of a divergent join by one store
// of a parameter in the join. It handles branches with control flow in their arms and the
// cases of a switch; the masks of the predecessors need not be complementary.
func (m *melder) sink() {
	m.loops = cfg.Cycles(m.f.Graph())
	m.in, m.above = map[*kernel.Block][]opt.InEdge{}, map[*kernel.Block][]*kernel.Block{}
	for id, edges := range opt.InEdges(m.f) {
		m.in[m.f.Blocks[id]] = edges
	}
	work := slices.DeleteFunc(slices.Clone(m.f.Blocks), func(b *kernel.Block) bool { return !m.joins[b] })
	for len(work) > 0 {
		j := work[0]
		g := m.sinkable(j)
		if g == nil {
			work = work[1:]
			continue
		}
		g.sink()
		m.changed = true
		if !g.whole { // the new block is a join, too
			work = append(work, g.block)
		}
	}
	m.placeBlocks()
}

// sinking is a group of stores that may become one.
type sinking struct {
	m      *melder
	join   *kernel.Block
	edges  []opt.InEdge // edges whose source blocks end with a store of the group
	whole  bool         // these are all edges to the join
	stores []*kernel.Value

	block *kernel.Block // the block of the new store
}

// lastStore returns the last access of a block if it is a store.
func lastStore(b *kernel.Block) *kernel.Value {
	for _, v := range slices.Backward(b.Values) {
		if isPure(v) {
			continue
		}
		if v.Op == kernel.Store && !v.Volatile {
			return v
		}
		return nil
	}
	return nil
}

// sinkable returns the group of stores above j with the largest gain, or nil.
func (m *melder) sinkable(j *kernel.Block) *sinking {
	var edges []opt.InEdge
	var stores []*kernel.Value
	all := 0
	for _, e := range m.in[j] {
		all++
		b := e.From
		if b.Kind != kernel.Jump || len(edges) == maxPreds || m.loops.InnermostCycle(b.ID) != m.loops.InnermostCycle(j.ID) {
			continue
		}
		if s := lastStore(b); s != nil {
			edges, stores = append(edges, e), append(stores, s)
		}
	}
	var best *sinking
	maxGain := 0
	used := make([]bool, len(stores))
	for i, x := range stores {
		if used[i] {
			continue
		}
		g := &sinking{m: m, join: j}
		for k := i; k < len(stores); k++ {
			if !used[k] && fits(x, stores[k]) && g.address([]*kernel.Value{x.Args[0], stores[k].Args[0]}, 8).cost < never {
				used[k] = true
				g.edges, g.stores = append(g.edges, edges[k]), append(g.stores, stores[k])
			}
		}
		g.whole = len(g.edges) == all
		if gain := g.gain(); gain > maxGain {
			best, maxGain = g, gain
		}
	}
	return best
}

func (g *sinking) gain() int {
	n := len(g.stores)
	if n < 2 {
		return 0
	}
	old := 0
	for _, s := range g.stores {
		old += accessCostOf(s, g.m.addressOf(s))
	}
	at := g.address(g.operand(0), 8)
	f := form{vector: true}
	if at.same {
		f = g.m.addressOf(g.stores[0])
	}
	cost := accessCostOf(g.stores[0], f) + at.cost
	for i := 1; i < len(g.stores[0].Args); i++ {
		if xs := g.operand(i); !allSame(xs) {
			cost += (n - 1) * selectCost(xs[0].Type, false)
		}
	}
	if !g.whole {
		cost += guardCost
	}
	return old - cost
}

// addressOf returns the form of the address of an access.
func (m *melder) addressOf(v *kernel.Value) form {
	return addressForm(v.Args[0], m.form, irOperands, 8)
}

func (g *sinking) operand(i int) []*kernel.Value {
	out := make([]*kernel.Value, len(g.stores))
	for k, s := range g.stores {
		out[k] = s.Args[i]
	}
	return out
}

func allSame(xs []*kernel.Value) bool {
	for _, x := range xs {
		if x != xs[0] {
			return false
		}
	}
	return true
}

// merged describes how values of several blocks are merged below them.
type merged struct {
	cost       int
	same       bool // an equal expression of equal operands
	recomputed bool // recomputed below, from merged operands
}

// address merges addresses. It merges the operands of their expressions, rather than the
// pointers, where possible.
func (g *sinking) address(xs []*kernel.Value, depth int) merged {
	if allSame(xs) {
		return merged{same: true}
	}
	param := merged{cost: (len(xs) - 1) * selectCost(xs[0].Type, true)}
	if depth == 0 || !isPure(xs[0]) || kernel.InfoOf(xs[0].Op).Args == 0 || xs[0].Op == kernel.Component {
		return param
	}
	for _, x := range xs[1:] {
		if !fits(xs[0], x) {
			return param
		}
	}
	all := merged{cost: addressCost(xs[0]), same: true, recomputed: true}
	for i := range xs[0].Args {
		a := g.address(operandsAt(xs, i), depth-1)
		all.cost += a.cost
		all.same = all.same && a.same
	}
	parts := addressOp(xs[0].Op) || xs[0].Op == alu.SExt || xs[0].Op == alu.ZExt
	if all.cost < param.cost && (all.same || parts) {
		return all
	}
	return param
}

func operandsAt(xs []*kernel.Value, i int) []*kernel.Value {
	out := make([]*kernel.Value, len(xs))
	for k, x := range xs {
		out[k] = x.Args[i]
	}
	return out
}

// sink replaces the stores by one.
func (g *sinking) sink() {
	m, j := g.m, g.join
	g.block = j
	if !g.whole {
		g.block = &kernel.Block{ID: j.ID, Name: "sink", Func: m.f, Pos: j.Pos}
		args := make([]*kernel.Value, len(j.Params))
		passed := make([][]*kernel.Value, len(g.edges))
		for k, e := range g.edges {
			passed[k] = e.Edge().Args
			*e.Edge() = kernel.Edge{To: g.block}
		}
		for i := range j.Params {
			xs := make([]*kernel.Value, len(passed))
			for k := range xs {
				xs[k] = passed[k][i]
			}
			args[i] = g.param(xs)
		}
		g.block.Jump(j, args...)
		m.in[j] = slices.DeleteFunc(m.in[j], func(e opt.InEdge) bool { return e.Edge().To == g.block })
		m.in[j] = append(m.in[j], opt.InEdge{From: g.block})
		m.in[g.block] = g.edges
		m.above[j] = append(m.above[j], g.block)
	}
	var made []*kernel.Value
	s := g.stores[0]
	args := make([]*kernel.Value, len(s.Args))
	args[0] = g.makeAddress(g.operand(0), 8, &made)
	for i := 1; i < len(args); i++ {
		args[i] = g.param(g.operand(i))
	}
	store := g.block.NewValue(kernel.Store, s.Type, args...)
	store.Count, store.Align, store.Pos = s.Count, s.Align, s.Pos
	for _, x := range g.stores {
		store.Align = min(store.Align, x.Align)
	}
	g.block.Values = slices.Concat(made, []*kernel.Value{store}, g.block.Values)
	for i, e := range g.edges {
		b := e.From
		at := slices.Index(b.Values, g.stores[i])
		b.Values = slices.Delete(b.Values, at, at+1)
	}
	m.st.Add("stores sunk below joins", len(g.stores))
	var lines []string
	for _, x := range g.stores {
		if line := strings.TrimPrefix(x.Pos.LineIn(s.Pos.File), "line "); x.Pos.IsValid() && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	text := fmt.Sprintf("at a join: one store replaces %d", len(g.stores))
	if len(lines) > 1 {
		text += ", those of lines " + strings.Join(lines, ", ")
	}
	m.f.Note(s.Pos, "melded", text)
}

// param passes a value from each predecessor to the block of the new store.
func (g *sinking) param(xs []*kernel.Value) *kernel.Value {
	if allSame(xs) {
		return xs[0]
	}
	p := g.block.NewParam(xs[0].Type, xs[0].Name)
	p.Pos = g.stores[0].Pos
	g.m.setForm(p, form{vector: true})
	for i, e := range g.edges {
		args := &e.Edge().Args
		*args = append(*args, xs[i])
	}
	return p
}

func (g *sinking) makeAddress(xs []*kernel.Value, depth int, made *[]*kernel.Value) *kernel.Value {
	how := g.address(xs, depth)
	if !how.recomputed {
		return g.param(xs)
	}
	args := make([]*kernel.Value, len(xs[0].Args))
	for i := range args {
		args[i] = g.makeAddress(operandsAt(xs, i), depth-1, made)
	}
	v := g.block.NewValue(xs[0].Op, xs[0].Type, args...)
	v.Index, v.Name, v.Pos = xs[0].Index, xs[0].Name, xs[0].Pos
	f := form{vector: true}
	if how.same {
		f = g.m.form(xs[0])
	}
	g.m.setForm(v, f)
	*made = append(*made, v)
	return v
}
