package interior

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// maxVersioned limits the loops that are versioned.
const maxVersioned = 16

// unswitch versions loops whose guards do not change between iterations: the guard moves
// in front of the loop.
//
// requires: dense IDs, LCSSA; maintains: SSA; breaks: LCSSA
func unswitch(f *kernel.Func, st opt.Stats) {
	done := map[*kernel.Block]bool{}
	for range maxVersioned {
		loop := findLoop(f, done)
		if loop == nil {
			return
		}
		loop.version(done)
		opt.RemoveUnreachable(f, nil)
		st.Add("loops versioned", 1)
	}
}

// guarded is a loop with invariant guards of interiors.
type guarded struct {
	f      *kernel.Func
	cycle  *cfg.Cycle
	inside map[*kernel.Block]bool
	same   *opt.Invariants
	guards map[*kernel.Block][]*kernel.Value // block -> the invariant conjuncts of its branch
	all    []*kernel.Value
}

// findLoop returns an outermost loop with guards in blocks that are not done, or nil.
func findLoop(f *kernel.Func, done map[*kernel.Block]bool) *guarded {
	loops := cfg.Cycles(f.Graph())
	var found *guarded
	for _, c := range loops.Cycles {
		if !c.Reducible() || found != nil && !loops.Encloses(c, found.cycle) {
			continue
		}
		a := &guarded{f: f, cycle: c, inside: map[*kernel.Block]bool{}, same: opt.NewInvariants(loops, c), guards: map[*kernel.Block][]*kernel.Value{}}
		size := 0
		for _, id := range c.Blocks {
			b := f.Blocks[id]
			a.inside[b] = true
			if size += len(b.Values); slices.ContainsFunc(b.Values, mustNotDuplicate) {
				size = maxDuplicated + 1
			}
			if !done[b] && b.Kind == kernel.Branch {
				a.addGuard(b)
			}
		}
		if len(a.all) > 0 && size <= maxDuplicated {
			found = a
		}
	}
	return found
}

// addGuard records the invariant conjuncts of b's branch if it is a guard: AllLanes and
// conditions that are uniform without it.
func (a *guarded) addGuard(b *kernel.Block) {
	all := conjuncts(b.Cond, nil)
	if !b.Edges[1].Rare || !slices.ContainsFunc(all, func(c *kernel.Value) bool { return c.Op == kernel.AllLanes && a.same.Has(c) }) {
		return
	}
	for _, c := range all {
		if !a.same.Has(c) || slices.Contains(a.guards[b], c) {
			continue
		}
		a.guards[b] = append(a.guards[b], c)
		if !slices.ContainsFunc(a.all, func(x *kernel.Value) bool { return x.Op == c.Op && slices.Equal(x.Args, c.Args) }) {
			a.all = append(a.all, c)
		}
	}
}

// conjuncts appends the conjuncts of c to list.
func conjuncts(c *kernel.Value, list []*kernel.Value) []*kernel.Value {
	if c.Op == alu.And && c.Type == alu.I1 {
		return conjuncts(c.Args[1], conjuncts(c.Args[0], list))
	}
	return append(list, c)
}

// version adds a copy of the loop in which all guards are true.
func (a *guarded) version(done map[*kernel.Block]bool) {
	header := a.f.Blocks[a.cycle.Header]
	in := opt.InEdges(a.f)[header.ID]
	before := a.f.NewBlock("")
	var args []*kernel.Value
	for _, p := range header.Params {
		args = append(args, before.NewParam(p.Type, p.Name))
	}
	for _, e := range in {
		if !a.inside[e.From] {
			e.Edge().To = before
		}
	}
	var holds *kernel.Value
	for _, c := range a.all {
		c = a.same.CopyTo(before, c)
		if holds == nil {
			holds = c
		} else {
			holds = before.Append(alu.And, alu.I1, holds, c)
		}
	}
	made, blocks := a.copy()
	for _, id := range a.cycle.Blocks {
		b := a.f.Blocks[id]
		is, ok := a.guards[b]
		if !ok {
			continue
		}
		c := made[b]
		var left *kernel.Value
		for i, x := range conjuncts(b.Cond, nil) {
			if slices.Contains(is, x) {
				continue
			}
			if x = conjuncts(c.Cond, nil)[i]; left != nil {
				x = c.Append(alu.And, alu.I1, left, x)
			}
			left = x
		}
		if c.Cond = left; left == nil {
			c.Jump(c.Edges[0].To, c.Edges[0].Args...)
		}
		if done[b] = true; len(is) == len(a.all) {
			b.Jump(b.Edges[1].To, b.Edges[1].Args...)
		}
	}
	before.Pos = header.Pos
	before.Branch(holds, kernel.Edge{To: made[header], Args: args}, kernel.Edge{To: header, Args: slices.Clone(args), Rare: true})
	a.f.Blocks = slices.Insert(a.f.Blocks[:len(a.f.Blocks)-1], a.cycle.Header, append([]*kernel.Block{before}, blocks...)...)
}

// copy copies the blocks of the loop, in their order.
func (a *guarded) copy() (made map[*kernel.Block]*kernel.Block, list []*kernel.Block) {
	made = map[*kernel.Block]*kernel.Block{}
	values := map[*kernel.Value]*kernel.Value{}
	mapped := func(old []*kernel.Value) []*kernel.Value {
		out := make([]*kernel.Value, len(old))
		for i, v := range old {
			if out[i] = values[v]; out[i] == nil {
				out[i] = v
			}
		}
		return out
	}
	var old []*kernel.Block
	for _, id := range a.cycle.Blocks { // definitions before uses
		b := a.f.Blocks[id]
		c := &kernel.Block{Name: b.Name, Func: a.f, Unroll: b.Unroll, Loop: b.Loop, At: b.At, Kind: b.Kind, Cases: slices.Clone(b.Cases), Pos: b.Pos}
		made[b] = c
		old, list = append(old, b), append(list, c)
		for _, p := range b.Params {
			values[p] = c.NewParam(p.Type, p.Name)
			values[p].Pos = p.Pos
		}
		for _, v := range b.Values {
			values[v] = c.AppendLike(v, mapped(v.Args)...)
		}
	}
	for i, b := range old {
		c := list[i]
		if b.Cond != nil {
			c.Cond = mapped([]*kernel.Value{b.Cond})[0]
		}
		for _, e := range b.Edges {
			e.Args = mapped(e.Args)
			if to := made[e.To]; to != nil {
				e.To = to
			}
			c.Edges = append(c.Edges, e)
		}
	}
	return made, list
}
