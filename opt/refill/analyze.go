package refill

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
)

// mostState bounds what a lane keeps from turn to turn.
const mostState = 16

// builder makes the kernel. Of the blocks of f there are copies of three regions: what
// leads to the loop, the loop, and what follows it.
type builder struct {
	f    *kernel.Func
	info *divergence.Info
	loop *cfg.Cycle
	far  bool

	ahead, around, behind []int  // the blocks of the regions, in reverse postorder
	inLoop, follows       []bool // by block: it is in the loop, behind it

	shared  []bool          // by value: the same for all work-items, computed once
	again   []bool          // by value: computed again from the id where it is needed
	kept    []*kernel.Value // what else is known before the loop and used in it or behind it
	targets []*target       // where exits of the loop lead
	extra   []*kernel.Value // parameters of targets that have places of their own, one for each
}

// target is a block that the loop exits to.
type target struct {
	block *kernel.Block
	place []int // of its parameters: numbers of those of the header, and behind these of extra
}

// analyze finds the regions and the state; ok is false if that is too large or cannot be kept.
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
			b.ahead = append(b.ahead, id)
		}
		if b.inLoop[id] {
			b.around = append(b.around, id)
		}
		if b.follows[id] {
			b.behind = append(b.behind, id)
		}
	}
	if b.inLoop[0] || len(b.targets) == 0 {
		return false
	}
	b.share(order)
	b.keep()
	b.place()
	header := f.Blocks[b.loop.Header]
	return len(b.kept)+len(header.Params)+len(b.extra) <= mostState &&
		!slices.ContainsFunc(b.kept, func(v *kernel.Value) bool { return v.Count > 1 })
}

// share finds what all work-items compute alike: from the arguments, and from what all of
// them load before anything else is done.
func (b *builder) share(order []int) {
	b.shared = make([]bool, b.f.NumValues())
	for _, id := range order {
		first := id == 0 // nothing has been stored yet, and all come here
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

// keep finds what is known ahead of the loop and needed later.
func (b *builder) keep() {
	b.again = make([]bool, b.f.NumValues())
	seen := make([]bool, b.f.NumValues())
	var need func(v *kernel.Value)
	need = func(v *kernel.Value) {
		if b.isShared(v) || seen[v.ID] || b.inLoop[v.Block.ID] || b.follows[v.Block.ID] {
			return
		}
		seen[v.ID] = true
		const depth = 6
		if b.cheap(v, depth) {
			b.again[v.ID] = true
			for _, a := range v.Args {
				need(a)
			}
			return
		}
		b.kept = append(b.kept, v)
	}
	for _, id := range slices.Concat(b.around, b.behind) {
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

// cheap reports whether v comes from the id and what is shared by a few operations.
func (b *builder) cheap(v *kernel.Value, depth int) bool {
	switch {
	case b.isShared(v), v.Op == kernel.GlobalID:
		return true
	case depth == 0, len(v.Args) == 0, !v.Op.Pure() && v.Op != kernel.PtrAdd:
		return false
	}
	return !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !b.cheap(a, depth-1) })
}

// place gives every parameter of a target a place among what a lane keeps: that of a parameter
// of the loop's header, which nobody needs any more behind the loop, preferably the one that
// the same variable has, or one of its own.
func (b *builder) place() {
	header := b.f.Blocks[b.loop.Header]
	for _, t := range b.targets {
		t.place = slices.Repeat([]int{-1}, len(t.block.Params))
		taken := map[int]bool{}
		give := func(k, slot int) {
			if t.place[k] < 0 && !taken[slot] {
				t.place[k], taken[slot] = slot, true
			}
		}
		variable := b.variables(t)
		for k := range t.block.Params {
			if s, ok := variable[k]; ok {
				give(k, s)
			}
		}
		for k, p := range t.block.Params {
			for s, h := range header.Params {
				if h.Type == p.Type {
					give(k, s)
				}
			}
			for s, x := range b.extra {
				if x.Type == p.Type {
					give(k, len(header.Params)+s)
				}
			}
			if t.place[k] < 0 {
				b.extra = append(b.extra, p)
				give(k, len(header.Params)+len(b.extra)-1)
			}
		}
	}
}

// variables finds for parameters of t those of the header that are given the same value
// somewhere: on the way round or, unchanged, on the way out.
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
