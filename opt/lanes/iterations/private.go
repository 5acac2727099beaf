package iterations

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// A private object is local to an iteration if the iteration reads only elements that it
// wrote itself. Such an object may hold separate contents in each lane. This holds for
// objects declared in the loop, whose contents end with the iteration, and for arrays used
// as a stack, of which an iteration reads only elements that it pushed.

// findOwn finds the objects that are local to an iteration among those that the loop writes.
func (l *loop) findOwn() {
	known := map[*kernel.Value]bool{}
	for _, id := range l.cycle.Blocks {
		for _, v := range l.f.Blocks[id].Values {
			if v.Op != kernel.Store {
				continue
			}
			s, ok := opt.SubscriptOf(v.Args[0])
			if !ok {
				continue
			}
			if _, done := known[s.Object]; !done {
				accesses, ok := l.accesses(s.Object)
				known[s.Object] = ok && !s.Object.Shared && (l.declares(s.Object) || l.stack(accesses))
			}
		}
	}
	l.own = known
}

// share records that lanes share the object that v stores to, and reports whether they can: only
// accesses use its address, and iterations of no other loop have their own. Outside of loops
// all lanes do the same, so one copy serves them.
func (l *loop) share(v *kernel.Value) bool {
	o := root(v.Args[0])
	if o.Op != kernel.Alloca || l.o.own[o] {
		return false
	}
	if l.shared == nil {
		l.shared = map[*kernel.Value]bool{}
	}
	l.shared[o] = l.shared[o] || o.Shared || l.onlyAccessed(o)
	return l.shared[o]
}

// root returns the pointer that p is an offset from.
func root(p *kernel.Value) *kernel.Value {
	for p.Op == kernel.PtrAdd {
		p = p.Args[0]
	}
	return p
}

// onlyAccessed reports whether the address of o is used only by loads and stores.
func (l *loop) onlyAccessed(o *kernel.Value) bool {
	escapes := func(args []*kernel.Value) bool {
		return slices.ContainsFunc(args, func(a *kernel.Value) bool { return root(a) == o })
	}
	for _, b := range l.f.Blocks {
		for _, v := range b.Values {
			args := v.Args
			if v.Op == kernel.Load || v.Op == kernel.Store || v.Op == kernel.PtrAdd {
				args = args[1:]
			}
			if escapes(args) {
				return false
			}
		}
		for _, e := range b.Edges {
			if escapes(e.Args) {
				return false
			}
		}
	}
	return true
}

// accesses returns the accesses of object o in the loop. It fails if o has other uses than
// these and stores outside of the loop.
func (l *loop) accesses(o *kernel.Value) (found []*kernel.Value, ok bool) {
	in := map[*kernel.Value]bool{o: true} // addresses within o
	for _, id := range l.f.Graph().ReversePostOrder() {
		b := l.f.Blocks[id]
		for _, v := range b.Values {
			for i, a := range v.Args {
				switch {
				case !in[a]:
				case v.Op == kernel.PtrAdd && i == 0:
					in[v] = true
				case (v.Op == kernel.Load || v.Op == kernel.Store) && i == 0 && l.inside(b):
					found = append(found, v)
				case v.Op == kernel.Store && i == 0:
				default:
					return nil, false
				}
			}
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				if in[a] {
					return nil, false
				}
			}
		}
	}
	return found, true
}

// declares reports whether o was declared in the loop.
func (l *loop) declares(o *kernel.Value) bool {
	if o.Index == 0 {
		return false
	}
	for _, id := range l.cycle.Blocks {
		if l.f.Blocks[id].Loop == o.Index {
			return true
		}
	}
	return false
}

// element is an element of a private array: number root+at, or at if root is nil.
type element struct {
	root *kernel.Value
	at   int
}

// pushes describes an array used as a stack. It proves for a number n that the iteration
// has written the first n elements wherever n is computed: a push adds one to n after a
// store, a pop subtracts one, and written elements stay written.
type pushes struct {
	l      *loop
	all    []*kernel.Value           // the accesses
	places map[*kernel.Value]element // access -> its element
	fill   map[*kernel.Value]int     // parameter -> n: the first parameter+n elements are assumed written
	steps  int                       // remaining budget of the proof
}

// maxSteps limits the proof that an array is a stack.
const maxSteps = 500

// stack reports whether the accesses read only elements that the iteration has written
// before. All elements have one size.
func (l *loop) stack(accesses []*kernel.Value) bool {
	s := pushes{l, accesses, map[*kernel.Value]element{}, map[*kernel.Value]int{}, maxSteps}
	size := accesses[0].Accessed().Size()
	for _, v := range accesses {
		at, ok := opt.SubscriptOf(v.Args[0])
		if !ok || v.Volatile || v.Count > 1 || v.Accessed().Size() != size || at.At%size != 0 {
			return false
		}
		if at.Root != nil && (at.Scale != size || at.Root.Type != alu.I32) {
			return false
		}
		s.places[v] = element{at.Root, at.At / size}
	}
	return !slices.ContainsFunc(accesses, func(v *kernel.Value) bool { return v.Op == kernel.Load && !s.reads(v) })
}

// point is a program point: in b, before its value number at.
type point struct {
	b  *kernel.Block
	at int
}

func pointOf(v *kernel.Value) point { return point{v.Block, slices.Index(v.Block.Values, v)} }

// before reports whether v is computed on every path to p.
func (s *pushes) before(v *kernel.Value, p point) bool {
	if v.Block == p.b {
		return slices.Index(p.b.Values, v) < p.at
	}
	return s.l.dom.Dominates(v.Block.ID, p.b.ID)
}

// reads reports whether the load v reads an element that was written.
func (s *pushes) reads(v *kernel.Value) bool {
	x, p := s.places[v], pointOf(v)
	if s.filled(element{x.root, x.at + 1}, p) {
		return true
	}
	clear(s.fill) // entries of a failed proof
	if x.root == nil || x.at > 0 {
		return false
	}
	most := s.below(x.root, v.Block)
	return most != nil && s.filled(element{most, 0}, p)
}

// below returns an upper bound of x in b that x is less than: the positive divisor of a
// remainder, or the bound of a comparison that holds in b; nil if there is none.
func (s *pushes) below(x *kernel.Value, b *kernel.Block) *kernel.Value {
	if x.Op == alu.SRem || x.Op == alu.URem {
		y := x.Args[1]
		if s.holdsIn(b, func(c *kernel.Value) bool {
			return c.Op == alu.Slt && c.Args[1] == y && c.Args[0].Op == kernel.Const && c.Args[0].Type.Signed(c.Args[0].Const) >= 0
		}) {
			return y
		}
	}
	var most *kernel.Value
	s.holdsIn(b, func(c *kernel.Value) bool {
		if c.Op == alu.Slt && c.Args[0] == x && s.l.inside(c.Args[1].Block) {
			most = c.Args[1]
		}
		return most != nil
	})
	return most
}

// holdsIn reports whether a dominating branch implies in b a condition that satisfies fits.
func (s *pushes) holdsIn(b *kernel.Block, fits func(c *kernel.Value) bool) bool {
	var holds func(c *kernel.Value) bool
	holds = func(c *kernel.Value) bool {
		return c.Op == alu.And && (holds(c.Args[0]) || holds(c.Args[1])) || fits(c)
	}
	for s.l.inside(b) {
		in := s.l.in[b.ID]
		if len(in) == 1 && in[0].N == 0 && in[0].From.Kind == kernel.Branch && holds(in[0].From.Cond) {
			return true
		}
		if b == s.l.header {
			break
		}
		b = s.l.f.Blocks[s.l.dom.IDom[b.ID]]
	}
	return false
}

// filled reports whether the first x elements are written at p.
func (s *pushes) filled(x element, p point) bool {
	if s.steps--; s.steps < 0 {
		return false
	}
	for x.root != nil && x.root.Op == alu.Add && x.root.Args[1].Op == kernel.Const {
		by := x.root.Type.Signed(x.root.Args[1].Const)
		if by != int64(int16(by)) || by < 0 && !s.popped(x.root) {
			return false
		}
		x = element{x.root.Args[0], x.at + int(by)}
	}
	v := x.root
	if v != nil && v.Op == kernel.Const {
		c := v.Type.Signed(v.Const)
		if c != int64(int16(c)) {
			return false
		}
		v, x = nil, element{nil, x.at + int(c)}
	}
	if v == nil && x.at <= 0 {
		return true
	}
	for _, w := range s.all {
		if w.Op == kernel.Store && s.places[w] == (element{v, x.at - 1}) && s.before(w, p) {
			return s.filled(element{v, x.at - 1}, pointOf(w))
		}
	}
	switch {
	case v == nil || !s.l.inside(v.Block) || v.Type != alu.I32:
	case v.Op == alu.Select:
		return s.filled(element{v.Args[1], x.at}, p) && s.filled(element{v.Args[2], x.at}, p)
	case v.Op == kernel.Param && v.Block != s.l.header:
		if n, ok := s.fill[v]; ok && n >= x.at {
			return true
		}
		s.fill[v] = x.at
		return !slices.ContainsFunc(s.l.in[v.Block.ID], func(e opt.InEdge) bool {
			return !s.filled(element{e.Edge().Args[v.Index], x.at}, point{e.From, len(e.From.Values)})
		})
	}
	return false
}

// popped reports whether v, a number less some elements, cannot wrap: an element below
// that number is accessed whenever v is computed, so that the number was not zero.
func (s *pushes) popped(v *kernel.Value) bool {
	return slices.ContainsFunc(s.all, func(w *kernel.Value) bool {
		at := s.places[w]
		return at.root == v.Args[0] && at.at < 0 && (w.Block == v.Block || s.l.dom.Dominates(w.Block.ID, v.Block.ID))
	})
}
