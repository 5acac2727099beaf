package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Split makes private objects whose parts are apart from each other, such as the
// members of a struct, objects of their own. A subscript of a member that is an
// array stays in it (C11 6.5.6, paragraph 8), which Promote cannot know: it
// takes the whole struct for an array. What PtrAdd says of that is used up here.
//
// requires: no unreachable blocks; maintains: SSA; breaks: PtrAdd's Size
func Split(f *kernel.Func, st Stats) {
	s := &splitting{f: f, objects: map[*kernel.Value]*wholeObject{}, place: map[*kernel.Value]partPlace{}}
	for _, v := range f.Blocks[0].Values {
		if v.Op == kernel.Alloca {
			s.objects[v] = &wholeObject{alloca: v}
			s.place[v] = partPlace{object: s.objects[v]}
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

// extent is bytes from, and up to but without to, of an object.
type extent struct{ from, to int }

// wholeObject is one Alloca and what of it is accessed.
type wholeObject struct {
	alloca *kernel.Value
	used   []extent
	bad    bool          // a pointer goes where it is not followed, or anywhere in it
	parts  []*objectPart // ascending
}

// objectPart is a part that becomes an object of its own.
type objectPart struct {
	extent
	start  int // the offset that the new object begins with
	alloca *kernel.Value
}

// partPlace is where a pointer points: to an offset of an object or, if in is
// set, somewhere in those bytes.
type partPlace struct {
	object *wholeObject
	at     int
	in     *extent
}

type splitting struct {
	f       *kernel.Func
	objects map[*kernel.Value]*wholeObject
	place   map[*kernel.Value]partPlace
}

// collect finds the pointers into objects and what they access.
func (s *splitting) collect() {
	spoil := func(v *kernel.Value) {
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
				spoil(a)
			}
		}
		if b.Cond != nil {
			spoil(b.Cond)
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				spoil(a)
			}
		}
	}
}

// moved is where the PtrAdd v, from p, points.
func (p partPlace) moved(v *kernel.Value) partPlace {
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

// note adds what an access by p touches.
func (s *splitting) note(p partPlace, v *kernel.Value) {
	if p.in == nil {
		p.object.used = append(p.object.used, extent{p.at, p.at + v.Count*v.Accessed().Size()})
	}
	p.object.bad = p.object.bad || v.Volatile
}

// divide finds the parts and reports whether there are several.
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

// makeParts allocates the parts, each so that its bytes are aligned as before.
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

// part is that of the parts of p's object, if there are, that p points into.
func (p partPlace) part(at int) *objectPart {
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

// rewrite makes accesses to what was split accesses to the parts, and forgets
// what was said of subscripts. A pointer to somewhere in a part that is off by
// some bytes, because constants are added behind the subscript, is made good
// where they are.
func (s *splitting) rewrite() {
	type moved struct {
		v   *kernel.Value
		off int // what must be added to it
	}
	to := map[*kernel.Value]moved{} // pointers with in
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
			switch split := from.object != nil && from.object.parts != nil; {
			case !split:
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
