package divergence

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// objects follows private objects (allocas) that hold the same in every lane's
// private memory: those whose address goes nowhere but into accesses, and
// which are only written together by all lanes of a strip, the same value at
// the same offset. Loads of them at uniform addresses are uniform. They are
// taken for such until a store shows otherwise.
//
// All lanes of a strip come to a block together, or none, in every round of the
// cycles around it, if it does not lie between a divergent branch and the
// branch's immediate post-dominator, and no cycle around it is left in
// different rounds. For where two lanes part, the next such block either comes
// to is not before the post-dominator; there both come to, and in the same
// rounds: if one of them could go round a cycle first that contains branch and
// post-dominator, lanes would leave that cycle in different rounds.
type objects struct {
	g    *cfg.Graph
	post *cfg.PostDomTree
	ends []bool // by block ID: control can come to an end from here

	root   []*kernel.Value         // by value ID of a load or store: its object, nil if unknown
	same   []bool                  // by value ID of the alloca
	loads  map[int][]*kernel.Value // by value ID of the alloca
	stores map[int][]*kernel.Value // by block ID
	full   []bool                  // by block ID: all lanes of a strip come together, or none
}

// newObjects finds the objects of f; nil if there is none to follow.
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
		if r := rootOf(x); r != nil {
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

// Shared reports whether a private object, an Alloca, holds the same in all
// lanes whenever one of them reads it, so that one copy does for the strip: it
// is written by all lanes of the strip together, or by none. Its address is
// known in every access.
func (in *Info) Shared(v *kernel.Value) bool { return in.objects != nil && in.objects.same[v.ID] }

// differs gives up an object.
func (a *analysis) differs(object *kernel.Value) {
	if o := a.objects; o.same[object.ID] {
		o.same[object.ID] = false
		for _, v := range o.loads[object.ID] {
			a.push(v)
		}
	}
}

// stored looks at a store whose operands have changed.
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

// partial takes note that lanes may come to block b without the others.
func (a *analysis) partial(b int) {
	if o := a.objects; o != nil && o.full[b] {
		o.full[b] = false
		for _, v := range o.stores[b] {
			a.differs(o.root[v.ID])
		}
	}
}

// parted takes note of a divergent branch.
func (a *analysis) parted(d int) {
	o := a.objects
	if o == nil {
		return
	}
	together := -1
	if o.ends[d] {
		together = o.post.IPDom(d)
	}
	seen := make([]bool, o.g.Len())
	work := []int{d}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, s := range o.g.Succs[b] {
			if s != together && !seen[s] {
				seen[s] = true
				work = append(work, s)
				a.partial(s)
			}
		}
	}
}

// uniformLoad reports whether lanes that load from one address get one value.
func (a *analysis) uniformLoad(v *kernel.Value) bool {
	switch {
	case !a.Shapes[v.Args[0].ID].IsUniform():
		return false
	case v.Args[0].Type != alu.PtrPrivate || a.lanes != nil:
		return true // one address holds one value
	}
	// Every lane has its own private memory.
	return a.objects != nil && a.objects.root[v.ID] != nil && a.objects.same[a.objects.root[v.ID].ID]
}
