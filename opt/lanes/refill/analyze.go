package refill

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
)

// maxState limits the values that a lane keeps between iterations of the outer loop.
const maxState = 16

// builder makes the kernel. It copies three regions of f: the code before the loop, the
// loop, and the code after it.
type builder struct {
	f    *kernel.Func
	info *divergence.Info
	loop *cfg.Cycle
	far  bool

	before, around, after []int  // blocks of the regions, in reverse postorder
	inLoop, follows       []bool // by block: in the loop; reachable from its exits

	shared     []bool          // by value: common to all work-items, computed once
	recomputed []bool          // by value: recomputed from the id where it is used
	kept       []*kernel.Value // other values computed before the loop and used in it or after it
	targets    []*target       // targets of the loop's exits
	extra      []*kernel.Value // parameters of targets that need a slot of their own, one per slot
}

// target is the target of an exit.
// target is a block that the loop exits to.
type target struct {
	block *kernel.Block
	place []int // slot of each parameter: an index of the header's parameters, then of extra
}

// analyze finds the regions and the state; ok is false if it is too large or cannot be kept.
func (b *builder) analyze() (ok bool) {
	f := b.f
	g := f.Graph()
	order := g.ReversePostOrder()
	b.inLoop, b.follows = make([]bool, len(f.Blocks)), make([]bool, len(f.Blocks))
	for _, id := range b.loop.Blocks {
		b.inLoop[id] = true
	}
	leads := make([]bool, len(f.Blocks))
	leads[0] = true
	for _, id := range order {
		for _, e := range f.Blocks[id].Edges {
			switch to := e.To.ID; {
			case b.inLoop[to]:
			case b.inLoop[id]:
				b.follows[to] = true
				if !slices.ContainsFunc(b.targets, func(t *target) bool { return t.block == e.To }) {
					b.targets = append(b.targets, &target{block: e.To})
				}
			default:
				leads[to] = leads[to] || leads[id]
				b.follows[to] = b.follows[to] || b.follows[id]
			}
		}
	}
	for _, id := range order {
		if leads[id] {
			b.before = append(b.before, id)
		}
		if b.inLoop[id] {
			b.around = append(b.around, id)
		}
		if b.follows[id] {
			b.after = append(b.after, id)
		}
	}
	if b.inLoop[0] || len(b.targets) == 0 {
		return false
	}
	b.share(order)
	b.keep()
	b.place()
	header := f.Blocks[b.loop.Header]
	return len(b.kept)+len(header.Params)+len(b.extra) <= maxState &&
		!slices.ContainsFunc(b.kept, func(v *kernel.Value) bool { return v.Count > 1 })
}

// share finds values common to all work-items: functions of the arguments and of uniform
// loads that precede all stores.
func (b *builder) share(order []int) {
	b.shared = make([]bool, b.f.NumValues())
	for _, id := range order {
		first := id == 0 // no store has happened, and all lanes are active
		for _, v := range b.f.Blocks[id].Values {
			effect := kernel.InfoOf(v.Op).Effect
			first = first && effect != kernel.Writes
			switch {
			case v.Op == kernel.GlobalID && v.Index == 0, v.Op == kernel.AllLanes, v.Op == kernel.FirstLane, effect == kernel.Writes:
			case effect == kernel.Reads && (!first || !b.info.Uniform(v)):
			default:
				b.shared[v.ID] = !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !b.isShared(a) })
			}
		}
	}
}

func (b *builder) isShared(v *kernel.Value) bool { return v.Op == kernel.Const || b.shared[v.ID] }

// keep finds the values that are computed before the loop and needed later.
func (b *builder) keep() {
	b.recomputed = make([]bool, b.f.NumValues())
	seen := make([]bool, b.f.NumValues())
	var need func(v *kernel.Value)
	need = func(v *kernel.Value) {
		if b.isShared(v) || seen[v.ID] || b.inLoop[v.Block.ID] || b.follows[v.Block.ID] {
			return
		}
		seen[v.ID] = true
		const depth = 6
		if b.cheap(v, depth) {
			b.recomputed[v.ID] = true
			for _, a := range v.Args {
				need(a)
			}
			return
		}
		b.kept = append(b.kept, v)
	}
	for _, id := range slices.Concat(b.around, b.after) {
		c := b.f.Blocks[id]
		for _, v := range c.Values {
			for _, a := range v.Args {
				need(a)
			}
		}
		if c.Cond != nil {
			need(c.Cond)
		}
		for _, e := range c.Edges {
			for _, a := range e.Args {
				need(a)
			}
		}
	}
}

// cheap reports whether v is a short expression of the id and shared values.
func (b *builder) cheap(v *kernel.Value, depth int) bool {
	switch {
	case b.isShared(v), v.Op == kernel.GlobalID:
		return true
	case depth == 0, len(v.Args) == 0, !v.Op.Pure() && v.Op != kernel.PtrAdd:
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !b.cheap(a, depth-1) })
}

// place assigns a slot of the state to each parameter of a target: that of a parameter of
// the header, which is dead after the loop, preferably of the same source variable, or a
// new one.
func (b *builder) place() {
	header := b.f.Blocks[b.loop.Header]
	for _, t := range b.targets {
		t.place = slices.Repeat([]int{-1}, len(t.block.Params))
		taken := map[int]bool{}
		assign := func(k, slot int) {
			if t.place[k] < 0 && !taken[slot] {
				t.place[k], taken[slot] = slot, true
			}
		}
		variable := b.variables(t)
		for k := range t.block.Params {
			if s, ok := variable[k]; ok {
				assign(k, s)
			}
		}
		for k, p := range t.block.Params {
			for s, h := range header.Params {
				if h.Type == p.Type {
					assign(k, s)
				}
			}
			for s, x := range b.extra {
				if x.Type == p.Type {
					assign(k, len(header.Params)+s)
				}
			}
			if t.place[k] < 0 {
				b.extra = append(b.extra, p)
				assign(k, len(header.Params)+len(b.extra)-1)
			}
		}
	}
}

// variables maps parameters of t to parameters of the header that receive the same value
// on some edge: a back edge, or an exit that passes the header's parameter unchanged.
func (b *builder) variables(t *target) map[int]int {
	header := b.f.Blocks[b.loop.Header]
	of := map[*kernel.Value]int{}
	for s, p := range header.Params {
		of[p] = s
	}
	for _, id := range b.around {
		for _, e := range b.f.Blocks[id].Edges {
			if e.To != header {
				continue
			}
			for s, a := range e.Args {
				if _, ok := of[a]; !ok {
					of[a] = s
				}
			}
		}
	}
	out := map[int]int{}
	for _, id := range b.around {
		for _, e := range b.f.Blocks[id].Edges {
			if e.To != t.block {
				continue
			}
			for k, a := range e.Args {
				if s, ok := of[a]; ok && t.block.Params[k].Type == header.Params[s].Type {
					out[k] = s
				}
			}
		}
	}
	return out
}
