package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// SROA splits private objects with disjoint parts, such as the members of a struct, into
// separate objects. A subscript of a member that is an array stays in the member (C11 6.5.6,
// paragraph 8), which Promote cannot know: it treats the whole struct as an array. The
// extents that PtrAdd records for this are dropped afterwards.
//
// requires: no unreachable blocks; maintains: SSA; breaks: PtrAdd's Size
func SROA(f *kernel.Func, st Stats) {
	s := &sroa{f: f, objects: map[*kernel.Value]*wholeObject{}, place: map[*kernel.Value]partPointer{}}
	for _, v := range f.Blocks[0].Values {
		if v.Op == kernel.Alloca {
			s.objects[v] = &wholeObject{alloca: v}
			s.place[v] = partPointer{object: s.objects[v]}
		}
	}
	s.collect()
	var todo []*wholeObject
	for _, v := range f.Blocks[0].Values {
		if o := s.objects[v]; o != nil && !o.bad && o.divide() {
			todo = append(todo, o)
			st.Add("private objects split", 1)
		}
	}
	for _, o := range todo {
		o.makeParts()
	}
	s.rewrite()
	if len(todo) > 0 {
		RemoveDead(f, nil)
	}
}

// extent is the bytes [from, to) of an object.
type extent struct{ from, to int }

// wholeObject is an Alloca and its accessed bytes.
type wholeObject struct {
	alloca *kernel.Value
	used   []extent
	bad    bool          // a pointer escapes, or may point anywhere in the object
	parts  []*objectPart // ascending
}

// objectPart is a part that becomes a separate object.
type objectPart struct {
	extent
	start  int // the offset at which the new object begins
	alloca *kernel.Value
}

// partPointer describes a pointer: it points to an offset of an object or, if in is
// set, somewhere in those bytes.
type partPointer struct {
	object *wholeObject
	at     int
	in     *extent
}

type sroa struct {
	f       *kernel.Func
	objects map[*kernel.Value]*wholeObject
	place   map[*kernel.Value]partPointer
}

// collect finds the pointers into objects and the bytes that they access.
func (s *sroa) collect() {
	disqualify := func(v *kernel.Value) {
		if p := s.place[v]; p.object != nil {
			p.object.bad = true
		}
	}
	for _, id := range s.f.Graph().ReversePostOrder() {
		b := s.f.Blocks[id]
		for _, v := range b.Values {
			args := v.Args
			switch v.Op {
			case kernel.Load, kernel.Store:
				if p := s.place[args[0]]; p.object != nil {
					s.note(p, v)
				}
				args = args[1:]
			case kernel.PtrAdd:
				if p := s.place[args[0]]; p.object != nil {
					s.place[v] = p.moved(v)
					args = args[1:]
				}
			}
			for _, a := range args {
				disqualify(a)
			}
		}
		if b.Cond != nil {
			disqualify(b.Cond)
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				disqualify(a)
			}
		}
	}
}

// moved returns the pointer that the PtrAdd v derives from p.
func (p partPointer) moved(v *kernel.Value) partPointer {
	switch by := v.Args[1]; {
	case p.in != nil:
	case by.Op == kernel.Const:
		p.at += int(int64(by.Const))
	case v.Size > 0:
		from := p.at + v.Index
		p.in = &extent{from, from + v.Size}
		p.object.used = append(p.object.used, *p.in)
	default:
		p.object.bad = true
	}
	return p
}

// note records the bytes that an access through p touches.
func (s *sroa) note(p partPointer, v *kernel.Value) {
	if p.in == nil {
		p.object.used = append(p.object.used, extent{p.at, p.at + v.Count*v.Accessed().Size()})
	}
	p.object.bad = p.object.bad || v.Volatile
}

// divide computes the parts and reports whether there are several.
func (o *wholeObject) divide() bool {
	slices.SortFunc(o.used, func(x, y extent) int { return x.from - y.from })
	var parts []*objectPart
	for _, e := range o.used {
		if e.from < 0 || e.to > o.alloca.Size {
			return false
		}
		if n := len(parts); n > 0 && e.from < parts[n-1].to {
			parts[n-1].to = max(parts[n-1].to, e.to)
			continue
		}
		parts = append(parts, &objectPart{extent: e})
	}
	if len(parts) > 1 {
		o.parts = parts
	}
	return o.parts != nil
}

// makeParts allocates the parts. The bytes of each keep their alignment.
func (o *wholeObject) makeParts() {
	b, a := o.alloca.Block, o.alloca
	at := slices.Index(b.Values, a)
	for i, p := range o.parts {
		p.start = p.from &^ (a.Align - 1)
		v := b.NewValue(kernel.Alloca, a.Type)
		v.Size, v.Align, v.Index, v.Name, v.Pos = p.to-p.start, a.Align, a.Index, a.Name, a.Pos
		for _, m := range a.Members {
			if p.start <= m.At && m.At < p.to {
				v.Members = append(v.Members, kernel.Member{At: m.At - p.start, Name: m.Name, Element: m.Element})
			}
		}
		b.Values = slices.Insert(b.Values, at+1+i, v)
		p.alloca = v
	}
}

// part returns the part of p's object that p points into, or nil.
func (p partPointer) part(at int) *objectPart {
	if p.in != nil {
		at = p.in.from
	}
	for _, x := range p.object.parts {
		if x.from <= at && at < x.to {
			return x
		}
	}
	return nil
}

// rewrite redirects the accesses of split objects to the parts, and drops the extents of
// subscripts. Constants that are added after a subscript are accumulated and added at the
// accesses.
func (s *sroa) rewrite() {
	type moved struct {
		v   *kernel.Value
		off int // the bytes that must be added to it
	}
	to := map[*kernel.Value]moved{} // pointers with a variable offset
	for _, id := range s.f.Graph().ReversePostOrder() {
		b := s.f.Blocks[id]
		out := make([]*kernel.Value, 0, len(b.Values))
		add := func(p *kernel.Value, by int, pos *kernel.Value) *kernel.Value {
			if by == 0 {
				return p
			}
			v := b.NewValue(kernel.PtrAdd, p.Type, p, s.f.Const(alu.I64, uint64(int64(by))))
			v.Pos = pos.Pos
			out = append(out, v)
			return v
		}
		for _, v := range b.Values {
			if v.Op != kernel.PtrAdd && v.Op != kernel.Load && v.Op != kernel.Store {
				out = append(out, v)
				continue
			}
			from := s.place[v.Args[0]]
			if v.Op == kernel.PtrAdd {
				v.Size, v.Index = 0, 0
			}
			switch isSplit := from.object != nil && from.object.parts != nil; {
			case !isSplit:
			case v.Op != kernel.PtrAdd && from.in == nil:
				p := from.part(from.at)
				v.Args[0] = add(p.alloca, from.at-p.start, v)
			case v.Op != kernel.PtrAdd:
				m := to[v.Args[0]]
				v.Args[0] = add(m.v, m.off, v)
			case from.in != nil && v.Args[1].Op == kernel.Const:
				m := to[v.Args[0]]
				to[v] = moved{add(m.v, m.off+int(int64(v.Args[1].Const)), v), 0}
				continue
			case from.in != nil:
				m := to[v.Args[0]]
				v.Args[0], to[v] = m.v, moved{v, m.off}
			case s.place[v].in != nil:
				p := s.place[v].part(0)
				v.Args[0], to[v] = p.alloca, moved{v, from.at - p.start}
			}
			out = append(out, v)
		}
		b.Values = out
	}
}
