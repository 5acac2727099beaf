package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/internal/sparse"
	"github.com/simtc/simtc/kernel"
)

// Promote turns private objects into SSA values if all accesses are at constant offsets and
// every location is accessed with one size: scalar replacement of aggregates and
// memory-to-register promotion in one. A location that is read before it is written is zero.
// Volatile accesses remain, but the users of a volatile load take the value that was stored: no
// other access can reach an object whose address does not escape.
//
// requires: no unreachable blocks; maintains: SSA
func Promote(f *kernel.Func, st Stats) {
	var all []*kernel.Value
	for _, v := range f.Blocks[0].Values {
		if v.Op == kernel.Alloca {
			all = append(all, v)
		}
	}
	PromoteObjects(f, all, st)
}

// PromoteObjects is Promote for some objects, each an Alloca of the entry block. In a kernel that is split
// at its barriers, others may keep values from one phase to the next.
func PromoteObjects(f *kernel.Func, objects []*kernel.Value, st Stats) {
	if len(objects) == 0 {
		return
	}
	p := &promotion{f: f}
	for _, v := range objects {
		p.objects = append(p.objects, &object{alloca: v, slots: map[int]*slot{}})
	}
	p.collect()
	n, kept := 0, 0
	for _, o := range p.objects {
		o.good = o.replaceable && o.disjoint()
		switch {
		case o.good && o.volatile:
			kept++
		case o.good:
			n++
		}
	}
	if n+kept == 0 {
		return
	}
	st.Add("private objects promoted", n)
	st.Add("volatile private objects with known values", kept)
	p.rewrite()
	RemoveTrivialParams(f, nil)
	RemoveDead(f, nil)
}

// object is an Alloca and its accessed locations.
type object struct {
	alloca *kernel.Value
	slots  map[int]*slot // by offset in bytes
	bad    bool          // the pointer escapes, or a location has two sizes
	good   bool          // to be promoted

	volatile    bool // some accesses are volatile and remain
	replaceable bool // an access can be removed, or a volatile load has users
}

// slot is a variable: a location in an object.
type slot struct {
	id   int
	typ  kernel.Type // of the first access
	name string
}

// disjoint reports whether the accesses of the object are those of variables: no two
// locations overlap.
func (o *object) disjoint() bool {
	if o.bad {
		return false
	}
	offsets := make([]int, 0, len(o.slots))
	for at := range o.slots {
		offsets = append(offsets, at)
	}
	slices.Sort(offsets)
	for i, at := range offsets {
		if at < 0 || at+o.slots[at].typ.Size() > o.alloca.Size || i > 0 && offsets[i-1]+o.slots[offsets[i-1]].typ.Size() > at {
			return false
		}
	}
	return true
}

// access is a pointer at a constant offset in an object; o is nil for other values.
type access struct {
	o  *object
	at int
}

type promotion struct {
	f       *kernel.Func
	objects []*object
	place   []access // pointers into objects, by value ID
	slots   int
	r       *Replacer
	values  []slotValues // by slot ID
	in      [][]InEdge
	dom     *cfg.DomTree
	joins   *cfg.Joins
	params  []slotParam
	parts   map[*kernel.Value][]*kernel.Value // Load -> its Components
	uses    []int                             // by value ID
}

// slotValues holds the values of a slot by block ID.
type slotValues struct {
	last   sparse.Map[kernel.Value] // the last one that the block stores
	entry  sparse.Map[kernel.Value] // the one at the start of the block
	stores []int                    // the blocks with an entry in last
	joins  []int                    // the blocks where different values meet, ascending
	placed bool                     // joins is computed
}

type slotParam struct {
	p *kernel.Value
	s *slot
}

// collect finds all pointers into objects; a pointer that is used for
// anything but an access disqualifies its object.
func (p *promotion) collect() {
	p.place = make([]access, p.f.NumValues())
	p.parts = map[*kernel.Value][]*kernel.Value{}
	p.uses = UsesOf(p.f)
	for _, o := range p.objects {
		p.place[o.alloca.ID] = access{o, 0}
	}
	disqualify := func(v *kernel.Value) {
		if a := p.place[v.ID]; a.o != nil {
			a.o.bad = true
		}
	}
	// Definitions come before uses in this order.
	for _, id := range p.f.Graph().ReversePostOrder() {
		b := p.f.Blocks[id]
		for _, v := range b.Values {
			args := v.Args
			switch v.Op {
			case kernel.Component:
				if p.place[args[0].Args[0].ID].o != nil {
					p.parts[args[0]] = append(p.parts[args[0]], v)
				}
			case kernel.Load, kernel.Store:
				if a := p.place[args[0].ID]; a.o != nil {
					p.note(a, v)
				}
				args = args[1:]
			case kernel.PtrAdd:
				if a := p.place[args[0].ID]; a.o != nil && args[1].Op == kernel.Const {
					p.place[v.ID] = access{a.o, a.at + int(int64(args[1].Const))}
					args = nil
				}
			}
			for _, x := range args {
				disqualify(x)
			}
		}
		if b.Cond != nil {
			disqualify(b.Cond)
		}
		for _, e := range b.Edges {
			for _, x := range e.Args {
				disqualify(x)
			}
		}
	}
}

func (p *promotion) note(a access, v *kernel.Value) {
	t := v.Accessed()
	a.o.volatile = a.o.volatile || v.Volatile
	a.o.replaceable = a.o.replaceable || !v.Volatile || v.Op == kernel.Load && p.uses[v.ID] > 0
	for i := range v.Count {
		at := a.at + i*t.Size()
		s := a.o.slots[at]
		if s == nil {
			a.o.slots[at] = &slot{p.slots, t, a.o.alloca.PartName(at)}
			p.slots++
		} else if s.typ.Size() != t.Size() {
			a.o.bad = true
		}
	}
}

// rewrite replaces loads by the value last stored and drops accesses that are not volatile.
func (p *promotion) rewrite() {
	p.r = NewReplacer(p.f)
	p.values = make([]slotValues, p.slots)
	p.in, p.dom = InEdges(p.f), cfg.Dominators(p.f.Graph())
	p.joins = p.dom.Joins()
	for i, b := range p.f.Blocks {
		for _, v := range b.Values {
			if a, ok := p.promoted(v); ok && v.Op == kernel.Store {
				for j, x := range v.Args[1:] {
					s := &p.values[a.slot(j, x.Type).id]
					s.last.Set(i, x)
					s.stores = append(s.stores, i)
				}
			}
		}
	}
	now := make([]*kernel.Value, p.slots)
	for _, b := range p.f.Blocks {
		p.block(b, now)
	}
	for i := 0; i < len(p.params); i++ { // the list grows
		sp := p.params[i]
		for _, e := range p.in[sp.p.Block.ID] {
			e.Edge().Args = append(e.Edge().Args, p.cast(e.From, p.atEnd(e.From, sp.s), sp.p.Type))
		}
	}
	p.r.Apply(p.f)
}

// slot returns the variable of component j of an access with elements of type t.
func (a access) slot(j int, t kernel.Type) *slot { return a.o.slots[a.at+j*t.Size()] }

// promoted returns the location of an access if its object is promoted.
func (p *promotion) promoted(v *kernel.Value) (access, bool) {
	if v.Op != kernel.Load && v.Op != kernel.Store {
		return access{}, false
	}
	a := p.placeOf(v.Args[0])
	return a, a.o != nil && a.o.good
}

func (p *promotion) placeOf(v *kernel.Value) access {
	if v.ID < len(p.place) {
		return p.place[v.ID]
	}
	return access{} // created by this pass
}

// block rewrites one block. All entries of now are nil before and after.
func (p *promotion) block(b *kernel.Block, now []*kernel.Value) {
	old := b.Values
	b.Values = make([]*kernel.Value, 0, len(old))
	var set []int
	for _, v := range old {
		if v.Op == kernel.Component {
			if _, ok := p.promoted(v.Args[0]); ok {
				continue // the load replaces it
			}
		}
		a, ok := p.promoted(v)
		if !ok || v.Volatile {
			b.Values = append(b.Values, v)
		}
		if !ok {
			continue
		}
		if v.Op == kernel.Store {
			for j, x := range v.Args[1:] {
				s := a.slot(j, x.Type)
				now[s.id] = x
				set = append(set, s.id)
			}
			continue
		}
		if p.uses[v.ID] > 0 {
			p.load(b, v, a, now)
		}
	}
	for _, i := range set {
		now[i] = nil
	}
}

func (p *promotion) load(b *kernel.Block, v *kernel.Value, a access, now []*kernel.Value) {
	for j := range v.Count {
		s := a.slot(j, v.Type)
		x := now[s.id]
		if x == nil {
			x = p.atEntry(b, s)
		}
		x = p.cast(b, x, v.Type)
		if v.Count == 1 {
			p.r.Set(v, x)
			continue
		}
		for _, c := range p.parts[v] {
			if c.Index == j {
				p.r.Set(c, x)
			}
		}
	}
}

// cast converts x to type t of the same size. A conversion goes to the end of b so far.
func (p *promotion) cast(b *kernel.Block, x *kernel.Value, t kernel.Type) *kernel.Value {
	x = p.r.Find(x)
	if x.Type == t {
		return x
	}
	if x.Op == kernel.Const {
		return p.f.Const(t, x.Const)
	}
	c := b.Append(alu.Bitcast, t, x)
	c.Pos = x.Pos
	return c
}

func (p *promotion) atEnd(b *kernel.Block, s *slot) *kernel.Value {
	if x := p.values[s.id].last.Get(b.ID); x != nil {
		return x
	}
	return p.atEntry(b, s)
}

// atEntry returns the slot's value at the start of b: a new parameter where
// different values meet, otherwise the value at the end of the immediate dominator.
func (p *promotion) atEntry(b *kernel.Block, s *slot) *kernel.Value {
	known := &p.values[s.id]
	if !known.placed {
		known.joins, known.placed = p.joins.Of(known.stores), true
	}
	var chain []*kernel.Block
	var x *kernel.Value
	for x == nil {
		if x = known.entry.Get(b.ID); x != nil {
			break
		}
		chain = append(chain, b)
		above := p.dom.IDom[b.ID]
		if _, join := slices.BinarySearch(known.joins, b.ID); join {
			x = b.NewParam(s.typ, s.name)
			p.params = append(p.params, slotParam{x, s})
		} else if above < 0 {
			x = p.f.Const(s.typ, 0)
		} else {
			b = p.f.Blocks[above]
			x = known.last.Get(b.ID)
		}
	}
	for _, c := range chain {
		known.entry.Set(c.ID, x)
	}
	return x
}
