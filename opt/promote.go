package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Promote turns private objects that are only accessed at constant offsets,
// each place always with one size, into SSA values: scalar replacement of
// aggregates and memory-to-register promotion in one. A place that is read
// before it is written is zero.
//
// requires: no unreachable blocks; maintains: SSA
func Promote(f *kernel.Func, st Stats) {
	p := &promotion{f: f, r: replacer{}, place: map[*kernel.Value]access{}, parts: map[*kernel.Value][]*kernel.Value{}}
	for _, v := range f.Blocks[0].Values {
		if v.Op == kernel.Alloca {
			p.objects = append(p.objects, &object{alloca: v, typ: map[int]kernel.Type{}})
		}
	}
	if len(p.objects) == 0 {
		return
	}
	p.collect()
	n := 0
	for _, o := range p.objects {
		if o.good = o.disjoint(); o.good {
			n++
		}
	}
	if n == 0 {
		return
	}
	st.Add("private objects promoted", n)
	p.rewrite()
	RemoveTrivialParams(f, nil)
	RemoveDead(f, nil)
}

// object is one Alloca and the places in it that are accessed.
type object struct {
	alloca *kernel.Value
	typ    map[int]kernel.Type // offset -> type of the first access to the component there
	bad    bool                // the pointer escapes, or a place has two sizes
	good   bool                // to be promoted
}

// disjoint reports whether the object is accessed as variables are: no two
// places overlap.
func (o *object) disjoint() bool {
	if o.bad {
		return false
	}
	offsets := make([]int, 0, len(o.typ))
	for at := range o.typ {
		offsets = append(offsets, at)
	}
	slices.Sort(offsets)
	for i, at := range offsets {
		if at < 0 || at+o.typ[at].Size() > o.alloca.Size || i > 0 && offsets[i-1]+o.typ[offsets[i-1]].Size() > at {
			return false
		}
	}
	return true
}

// access is a pointer at a constant offset in an object.
type access struct {
	o  *object
	at int
}

// slot is a variable: a place in an object.
type slot struct {
	o  *object
	at int
}

type promotion struct {
	f       *kernel.Func
	objects []*object
	place   map[*kernel.Value]access // pointers into objects
	r       replacer
	last    []map[slot]*kernel.Value // by block ID: what the block stores last
	entry   []map[slot]*kernel.Value // by block ID: the value at its head
	in      [][]inEdge
	params  []slotParam
	parts   map[*kernel.Value][]*kernel.Value // Load -> its Components
}

type slotParam struct {
	p *kernel.Value
	s slot
}

// collect finds every pointer into every object; a pointer that is used for
// anything but an access spoils its object.
func (p *promotion) collect() {
	for _, o := range p.objects {
		p.place[o.alloca] = access{o, 0}
	}
	spoil := func(v *kernel.Value) {
		if a, ok := p.place[v]; ok {
			a.o.bad = true
		}
	}
	// Pointers dominate their uses, but blocks come in any order: find the
	// constant PtrAdds first.
	for changed := true; changed; {
		changed = false
		for _, b := range p.f.Blocks {
			for _, v := range b.Values {
				if _, known := p.place[v]; known || v.Op != kernel.PtrAdd {
					continue
				}
				if a, ok := p.place[v.Args[0]]; ok && v.Args[1].Op == kernel.Const {
					p.place[v] = access{a.o, a.at + int(int64(v.Args[1].Const))}
					changed = true
				}
			}
		}
	}
	for _, b := range p.f.Blocks {
		for _, v := range b.Values {
			args := v.Args
			switch v.Op {
			case kernel.Component:
				p.parts[args[0]] = append(p.parts[args[0]], v)
			case kernel.Load, kernel.Store:
				if a, ok := p.place[args[0]]; ok {
					p.note(a, v)
				}
				args = args[1:]
			case kernel.PtrAdd:
				if _, ok := p.place[v]; ok {
					args = nil
				}
			}
			for _, x := range args {
				spoil(x)
			}
		}
		if b.Cond != nil {
			spoil(b.Cond)
		}
		for _, e := range b.Edges {
			for _, x := range e.Args {
				spoil(x)
			}
		}
	}
}

func (p *promotion) note(a access, v *kernel.Value) {
	t := v.Type
	if v.Op == kernel.Store {
		t = v.Args[1].Type
	}
	if v.Volatile {
		a.o.bad = true
	}
	for i := range v.Count {
		at := a.at + i*t.Size()
		if old, ok := a.o.typ[at]; !ok {
			a.o.typ[at] = t
		} else if old.Size() != t.Size() {
			a.o.bad = true
		}
	}
}

// rewrite replaces loads by the value last stored and drops stores.
func (p *promotion) rewrite() {
	n := len(p.f.Blocks)
	p.last, p.entry = make([]map[slot]*kernel.Value, n), make([]map[slot]*kernel.Value, n)
	p.in = inEdges(p.f)
	for i, b := range p.f.Blocks {
		p.last[i], p.entry[i] = map[slot]*kernel.Value{}, map[slot]*kernel.Value{}
		for _, v := range b.Values {
			if a, ok := p.promoted(v); ok && v.Op == kernel.Store {
				for j, x := range v.Args[1:] {
					p.last[i][slot{a.o, a.at + j*x.Type.Size()}] = x
				}
			}
		}
	}
	for _, b := range p.f.Blocks {
		p.block(b)
	}
	for len(p.params) > 0 {
		sp := p.params[0]
		p.params = p.params[1:]
		for _, e := range p.in[sp.p.Block.ID] {
			e.edge().Args = append(e.edge().Args, p.cast(e.from, p.atEnd(e.from, sp.s), sp.p.Type))
		}
	}
	p.r.apply(p.f)
}

// promoted returns where an access goes if its object is promoted.
func (p *promotion) promoted(v *kernel.Value) (access, bool) {
	if v.Op != kernel.Load && v.Op != kernel.Store {
		return access{}, false
	}
	a, ok := p.place[v.Args[0]]
	return a, ok && a.o.good
}

func (p *promotion) block(b *kernel.Block) {
	now := map[slot]*kernel.Value{}
	old := b.Values
	b.Values = nil
	for _, v := range old {
		if v.Op == kernel.Component {
			if _, ok := p.promoted(v.Args[0]); ok {
				continue // the load has replaced it
			}
		}
		a, ok := p.promoted(v)
		if !ok {
			b.Values = append(b.Values, v)
			continue
		}
		if v.Op == kernel.Store {
			for j, x := range v.Args[1:] {
				now[slot{a.o, a.at + j*x.Type.Size()}] = x
			}
			continue
		}
		p.load(b, v, a, now)
	}
}

func (p *promotion) load(b *kernel.Block, v *kernel.Value, a access, now map[slot]*kernel.Value) {
	for j := range v.Count {
		s := slot{a.o, a.at + j*v.Type.Size()}
		x := now[s]
		if x == nil {
			x = p.atEntry(b, s)
		}
		x = p.cast(b, x, v.Type)
		if v.Count == 1 {
			p.r[v] = x
			continue
		}
		for _, c := range p.parts[v] {
			if c.Index == j {
				p.r[c] = x
			}
		}
	}
}

// cast makes x of type t, which has its size. A value that stands at the end
// of b is converted there.
func (p *promotion) cast(b *kernel.Block, x *kernel.Value, t kernel.Type) *kernel.Value {
	x = p.r.find(x)
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

func (p *promotion) atEnd(b *kernel.Block, s slot) *kernel.Value {
	if x := p.last[b.ID][s]; x != nil {
		return x
	}
	return p.atEntry(b, s)
}

// atEntry returns the slot's value at the head of b, a new parameter where
// several edges lead to it.
func (p *promotion) atEntry(b *kernel.Block, s slot) *kernel.Value {
	chain := []*kernel.Block{}
	var x *kernel.Value
	for x == nil {
		chain = append(chain, b)
		switch in := p.in[b.ID]; {
		case p.entry[b.ID][s] != nil:
			x = p.entry[b.ID][s]
		case len(in) == 0:
			x = p.f.Const(s.o.typ[s.at], 0)
		case len(in) == 1:
			b = in[0].from
			x = p.last[b.ID][s]
		default:
			x = b.NewParam(s.o.typ[s.at], s.o.alloca.Name)
			p.params = append(p.params, slotParam{x, s})
		}
	}
	for _, c := range chain {
		if p.entry[c.ID][s] == nil {
			p.entry[c.ID][s] = x
		}
	}
	return x
}
