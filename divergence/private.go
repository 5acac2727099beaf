package divergence

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// objects tracks private objects (allocas) that have the same contents in every lane:
// their address is used only by accesses, and only all lanes of a strip together write
// them, one value at one offset. Loads from them at uniform addresses are uniform. An
// object counts as such until a store disproves it.
//
// Either all lanes of a strip reach a block, or none, in every iteration of the cycles
// around it, if the block does not lie between a divergent branch and the branch's
// immediate post-dominator, and lanes exit no cycle around it in different
// iterations. Proof: the next such block that either of two diverged lanes reaches is
// the post-dominator or comes after it. Both lanes reach the post-dominator, and in the
// same iterations: if one of them could first repeat a cycle that contains branch and
// post-dominator, lanes would exit that cycle in different iterations.
type objects struct {
	g    *cfg.Graph
	post *cfg.PostDomTree
	ends []bool // by block ID: the block reaches an exit of the function

	root   []*kernel.Value         // by value ID of a load or store: its object, nil if unknown
	same   []bool                  // by value ID of the alloca
	loads  map[int][]*kernel.Value // by value ID of the alloca
	stores map[int][]*kernel.Value // by block ID
	full   []bool                  // by block ID: all lanes of a strip reach it together, or none
}

// newObjects finds the objects of f. It returns nil if there are none.
func newObjects(f *kernel.Func, g *cfg.Graph) *objects {
	o := &objects{
		g: g, root: make([]*kernel.Value, f.NumValues()), same: make([]bool, f.NumValues()),
		loads: map[int][]*kernel.Value{}, stores: map[int][]*kernel.Value{}, full: make([]bool, len(f.Blocks)),
	}
	some := false
	for _, v := range f.Blocks[0].Values {
		if v.Op == kernel.Alloca {
			o.same[v.ID], some = true, true
		}
	}
	if !some {
		return nil
	}
	rootOf := func(p *kernel.Value) *kernel.Value {
		for p.Op == kernel.PtrAdd {
			p = p.Args[0]
		}
		if p.Op == kernel.Alloca {
			return p
		}
		return nil
	}
	escape := func(x *kernel.Value) {
		if r := rootOf(x); r != nil && !r.Shared { // whose address is compared at most
			o.same[r.ID] = false
		}
	}
	for _, b := range f.Blocks {
		o.full[b.ID] = true
		for _, v := range b.Values {
			args := v.Args
			switch v.Op {
			case kernel.Load, kernel.Store:
				r := rootOf(args[0])
				if r != nil && v.Op == kernel.Load {
					o.loads[r.ID] = append(o.loads[r.ID], v)
				} else if r != nil {
					o.stores[b.ID] = append(o.stores[b.ID], v)
				}
				o.root[v.ID] = r
				args = args[1:]
			case kernel.PtrAdd:
				args = args[1:]
			}
			for _, x := range args {
				escape(x)
			}
		}
		if b.Cond != nil {
			escape(b.Cond)
		}
		for _, e := range b.Edges {
			for _, x := range e.Args {
				escape(x)
			}
		}
	}
	o.post = cfg.PostDominators(g)
	o.ends = make([]bool, g.Len())
	var work []int
	for _, e := range g.Exits() {
		o.ends[e] = true
		work = append(work, e)
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range g.Preds[b] {
			if !o.ends[p] {
				o.ends[p] = true
				work = append(work, p)
			}
		}
	}
	return o
}

// Shared reports whether a private object, an Alloca, has the same contents in all
// lanes whenever one of them reads it, so that one copy serves the strip: all lanes of
// the strip write it together, or none, or they are iterations of one work-item
// (kernel.Value.Shared). Its address does not escape from accesses.
func (in *Info) Shared(v *kernel.Value) bool { return in.objects != nil && in.objects.same[v.ID] }

// differs records that the contents of an object may differ between lanes.
func (a *analysis) differs(object *kernel.Value) {
	if o := a.objects; o.same[object.ID] && !object.Shared {
		o.same[object.ID] = false
		for _, v := range o.loads[object.ID] {
			a.push(v)
		}
	}
}

// stored reconsiders the object of a store whose operands have changed.
func (a *analysis) stored(v *kernel.Value) {
	if a.objects == nil || a.objects.root[v.ID] == nil {
		return
	}
	for _, x := range v.Args {
		if !a.Shapes[x.ID].IsUniform() {
			a.differs(a.objects.root[v.ID])
		}
	}
}

// runsPartially records that some lanes may reach block b without the others.
func (a *analysis) runsPartially(b int) {
	if o := a.objects; o != nil && o.full[b] {
		o.full[b] = false
		for _, v := range o.stores[b] {
			a.differs(o.root[v.ID])
		}
	}
}

// separate records that lanes diverge at the end of block d: the blocks up to its
// immediate post-dominator may run partially.
func (a *analysis) separate(d int) {
	o := a.objects
	if o == nil {
		return
	}
	join := -1
	if o.ends[d] {
		join = o.post.IPDom(d)
	}
	seen := make([]bool, o.g.Len())
	work := []int{d}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range o.g.Succs[b] {
			if s != join && !seen[s] {
				seen[s] = true
				work = append(work, s)
				a.runsPartially(s)
			}
		}
	}
}

// uniformLoad reports whether all active lanes of v, a load, get the same value.
func (a *analysis) uniformLoad(v *kernel.Value) bool {
	switch {
	case !a.Shapes[v.Args[0].ID].IsUniform():
		return false
	case v.Args[0].Type != alu.PtrPrivate || a.lanes != nil:
		return true // a single address
	}
	// Every lane has its own private memory.
	return a.objects != nil && a.objects.root[v.ID] != nil && a.objects.same[a.objects.root[v.ID].ID]
}
