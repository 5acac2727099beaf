// Package postpone has the pass that makes two kernels of one: of the work-items that
// need a heavy part of it, mostly few, the first only writes down what they know, and the
// second does their part, as many at a time as there are lanes.
package postpone

import (
	"cmp"
	"maps"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Parts are the two kernels.
//
//	x = in[i]                       now:  x = in[i]                   later:  i, x = queue[q]
//	if (rare(x))                          if (rare(x))                        for (...) x = ...
//	    for (...) x = ...                     queue[count++] = i, x           out[i] = x
//	out[i] = x                            else out[i] = x
//
// Behind the arguments of the kernel both have one that points to count, a number of 32
// bits that is 0 at first, and one for each field of the queue, an array: these lie from
// FirstArg on, 8 bytes apart, and no launch gives them. In later the work-items are those of the queue, from 0 on
// along dimension 0.
type Parts struct {
	Now, Later *kernel.Func
	Fields     []int // bytes of each
}

// FirstArg is where in the argument block the argument for the count would be; those
// for the fields follow.
const FirstArg = 1 << 20

// Options say how the kernel will run.
type Options struct {
	Far bool // ids may not fit in 32 bits
	Any bool // any arm will do, heavy or not
}

// mostFields bounds what is kept of a work-item.
const mostFields = 8

// Fit reports whether f, with the shapes of its values, has a part that Split finds.
func Fit(f *kernel.Func, info *divergence.Info, o Options) bool { return find(f, info, o) != nil }

// Split returns the two kernels, nil if f has no such part: an arm of a branch, in no
// loop, that lanes take by what they have loaded, and that has a loop where what else
// there is has none. The work-items may not have to do with each other, since some of
// them are then done with before others that lie ahead.
//
// requires: a prepared kernel; maintains: f
func Split(f *kernel.Func, info *divergence.Info, o Options) *Parts {
	s := find(f, info, o)
	if s == nil {
		return nil
	}
	p := &Parts{Now: kernel.Clone(s.f), Later: kernel.Clone(s.f)}
	for _, v := range s.kept {
		p.Fields = append(p.Fields, s.field(v).Size())
	}
	s.now(p.Now)
	s.later(p.Later)
	for _, g := range []*kernel.Func{p.Now, p.Later} {
		opt.RemoveUnreachable(g, nil)
		g.Renumber()
		for _, pass := range opt.Resize {
			pass.Run(g, nil)
		}
	}
	p.Now.Note(f.Blocks[s.block].Pos, "postponed", "until there are as many work-items that need it as lanes")
	return p
}

// split is where a kernel is divided.
type split struct {
	f   *kernel.Func
	far bool

	block, edge int             // the branch, and the way to what is put off
	behind      []bool          // by block: control may come there from that way
	kept        []*kernel.Value // what those who go it have computed before
	made        []bool          // by value: computed anew, from what is kept

	private map[*kernel.Value]bool // made of addresses of private objects
}

// find looks for the heaviest arm that can be put off, in a copy of f; nil if there is
// none.
func find(f *kernel.Func, info *divergence.Info, o Options) *split {
	if f.ByGroup() || f.PrintfArg() >= 0 || f.Uses(kernel.Atomic, kernel.CmpXchg, kernel.Fence) || isVolatile(f) {
		return nil
	}
	g := f.Graph()
	cycles, dom := cfg.Cycles(g), cfg.Dominators(g)
	entered := make([]int, len(f.Blocks)) // by edges that are no ways back to it
	for _, b := range f.Blocks {
		for _, e := range b.Edges {
			if !dom.Dominates(e.To.ID, b.ID) {
				entered[e.To.ID]++
			}
		}
	}
	// weight is how much there is to do in what only the edge leads to.
	weight := func(to *kernel.Block) float64 {
		if entered[to.ID] != 1 {
			return 0
		}
		n := 0.0
		for _, b := range f.Blocks {
			if dom.Dominates(to.ID, b.ID) {
				n += float64(len(b.Values)) * times(cycles.Depth(b.ID))
			}
		}
		return n
	}
	loops := func(to *kernel.Block) bool {
		return weight(to) > 0 && slices.ContainsFunc(cycles.Cycles, func(c *cfg.Cycle) bool { return dom.Dominates(to.ID, c.Header) })
	}
	type arm struct {
		block, edge int
		weight      float64
	}
	var arms []arm
	for i, b := range f.Blocks {
		if b.Kind != kernel.Branch || !info.Divergent[i] || cycles.InnermostCycle(i) != nil || !byData(b.Cond, info) {
			continue
		}
		for k, e := range b.Edges {
			other := b.Edges[1-k]
			heavy, light := weight(e.To), weight(other.To)
			if o.Any && heavy > 0 || loops(e.To) && !loops(other.To) && heavy > light && !other.Rare {
				arms = append(arms, arm{i, k, heavy})
			}
		}
	}
	if len(arms) == 0 {
		return nil
	}
	slices.SortStableFunc(arms, func(x, y arm) int { return cmp.Compare(y.weight, x.weight) })
	f = kernel.Clone(f)
	askFirst(f)
	for _, a := range arms {
		if s := (&split{f: f, far: o.Far, block: a.block, edge: a.edge}); s.collect() {
			return s
		}
	}
	return nil
}

// askFirst moves what needs no operands, the work-item's id among it, to the beginning.
func askFirst(f *kernel.Func) {
	var first []*kernel.Value
	for _, b := range f.Blocks {
		b.Values = slices.DeleteFunc(b.Values, func(v *kernel.Value) bool {
			asks := len(v.Args) == 0 && kernel.InfoOf(v.Op).Effect == kernel.Pure
			if asks {
				v.Block = f.Blocks[0]
				first = append(first, v)
			}
			return asks
		})
	}
	f.Blocks[0].Values = append(first, f.Blocks[0].Values...)
}

// times is how often a block in loops of the given depth is thought to run.
func times(depth int) float64 {
	n := 1.0
	for range depth {
		n *= 8
	}
	return n
}

// isVolatile reports whether others may see in what order f does its work.
func isVolatile(f *kernel.Func) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Volatile {
				return true
			}
		}
	}
	return false
}

// byData reports whether a condition is one of what lanes have loaded or computed, not
// one of where their ids lie.
func byData(v *kernel.Value, info *divergence.Info) bool {
	switch v.Op {
	case alu.And, alu.Or, alu.Xor, alu.Select:
		return slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return byData(a, info) })
	}
	if alu.InfoOf(v.Op).Class == alu.Compare {
		return slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !info.Shape(a).IsStrided() })
	}
	return !info.Shape(v).IsStrided()
}

// collect finds what must be kept; ok is false if that is too much or cannot be.
func (s *split) collect() (ok bool) {
	s.behind = make([]bool, len(s.f.Blocks))
	var reach func(b *kernel.Block)
	reach = func(b *kernel.Block) {
		if !s.behind[b.ID] {
			s.behind[b.ID] = true
			for _, e := range b.Edges {
				reach(e.To)
			}
		}
	}
	edge := s.f.Blocks[s.block].Edges[s.edge]
	reach(edge.To)
	if s.behind[s.block] || !s.privateApart() {
		return false
	}
	s.made = make([]bool, s.f.NumValues())
	seen := make([]bool, s.f.NumValues())
	need := func(vs []*kernel.Value) {
		for _, v := range vs {
			if v.Op != kernel.Const && !s.behind[v.Block.ID] && !seen[v.ID] {
				seen[v.ID] = true
				const depth = 6
				s.keep(v, depth)
			}
		}
	}
	need(edge.Args)
	for i, b := range s.f.Blocks {
		if !s.behind[i] {
			continue
		}
		for _, v := range b.Values {
			need(v.Args)
		}
		if b.Cond != nil {
			need([]*kernel.Value{b.Cond})
		}
		for _, e := range b.Edges {
			need(e.Args)
		}
	}
	return len(s.kept) <= mostFields && !slices.ContainsFunc(s.kept, func(v *kernel.Value) bool { return s.private[v] || v.Count > 1 })
}

// keep makes v known behind the split: what costs little is computed anew.
func (s *split) keep(v *kernel.Value, depth int) {
	if v.Op == kernel.Const || s.made[v.ID] || slices.Contains(s.kept, v) {
		return
	}
	if s.cheap(v, depth) {
		s.made[v.ID] = true
		for _, a := range v.Args {
			s.keep(a, depth-1)
		}
		return
	}
	s.kept = append(s.kept, v)
}

// cheap reports whether v comes from what all work-items know, and the id, by a few
// operations.
func (s *split) cheap(v *kernel.Value, depth int) bool {
	switch v.Op {
	case kernel.Const, kernel.Argument, kernel.ArgAddr, kernel.DataAddr, kernel.Alloca,
		kernel.GlobalSize, kernel.NumGroups, kernel.GlobalOffset, kernel.WorkDim:
		return true
	case kernel.GlobalID:
		return v.Index > 0 // one for all that run together
	}
	id := func(a *kernel.Value) bool { return a.Op == kernel.GlobalID || s.cheap(a, depth-1) }
	return depth > 0 && (v.Op.Pure() || v.Op == kernel.PtrAdd) && len(v.Args) > 0 && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !id(a) })
}

// privateApart reports whether every private object is used before the split or behind
// it only, and notes what is made of their addresses.
func (s *split) privateApart() bool {
	s.private = map[*kernel.Value]bool{}
	for _, o := range s.f.Blocks[0].Values {
		if o.Op == kernel.Alloca && !s.apart(o) {
			return false
		}
	}
	return true
}

// apart reports whether the object o is used on one side of the split only.
func (s *split) apart(o *kernel.Value) bool {
	of := map[*kernel.Value]bool{o: true} // what is made of its address
	before, behind := false, false
	for changed := true; changed; {
		changed = false
		add := func(v *kernel.Value) {
			if !of[v] {
				of[v], changed = true, true
			}
		}
		for i, b := range s.f.Blocks {
			for _, v := range b.Values {
				for k, a := range v.Args {
					switch {
					case !of[a]:
					case kernel.InfoOf(v.Op).Effect == kernel.Pure:
						add(v)
					case k > 0:
						return false // whoever loads the address may use it anywhere
					case s.behind[i]:
						behind = true
					default:
						before = true
					}
				}
			}
			for _, e := range b.Edges {
				for k, a := range e.Args {
					if of[a] {
						add(e.To.Params[k])
					}
				}
			}
		}
	}
	maps.Copy(s.private, of)
	return !before || !behind
}

// field is the type that v is kept as.
func (s *split) field(v *kernel.Value) kernel.Type {
	switch {
	case v.Op == kernel.GlobalID && !s.far:
		return alu.I32
	case v.Type == alu.I1:
		return alu.I8
	case v.Type.IsPtr():
		return alu.I64
	}
	return v.Type
}

// arguments adds the arguments for the count and the fields.
func (s *split) arguments(f *kernel.Func) (first int) {
	first = len(f.Args)
	for i := range len(s.kept) + 1 {
		f.Args = append(f.Args, kernel.Arg{
			Name: "queue", CType: "__global uchar*", Kind: kernel.ArgBuffer, Type: alu.PtrGlobal, Elem: "uchar", Count: 1,
			Size: 8, Align: 8, Offset: FirstArg + 8*i,
		})
	}
	return first
}

// place appends the address of field k of the work-item at place q to b.
func (s *split) place(b *kernel.Block, first, k int, q *kernel.Value) *kernel.Value {
	f := b.Func
	base := b.Append(kernel.Argument, alu.PtrGlobal)
	base.Index = first + 1 + k
	size := s.field(s.kept[k]).Size()
	return b.Append(kernel.PtrAdd, alu.PtrGlobal, base, b.Append(alu.Mul, alu.I64, q, f.Const(alu.I64, uint64(size))))
}

// now makes f, a copy, write down what it would go on with.
func (s *split) now(f *kernel.Func) {
	value := byID(f)
	first := s.arguments(f)
	b := f.NewBlock("postpone")
	count := b.Append(kernel.Argument, alu.PtrGlobal)
	count.Index = first
	at := b.Append(kernel.Atomic, alu.I32, count, f.Const(alu.I32, 1))
	at.Index, at.Align, at.Name = int(alu.RMWAdd), 4, "queued"
	q := b.Append(alu.ZExt, alu.I64, at)
	for k, v := range s.kept {
		x, t := value[v.ID], s.field(v)
		switch {
		case v.Type.IsPtr():
			x = b.Append(alu.Bitcast, t, x)
		case v.Type == alu.I1:
			x = b.Append(alu.ZExt, t, x)
		case v.Type != t:
			x = b.Append(alu.Trunc, t, x)
		}
		st := b.Append(kernel.Store, alu.Void, s.place(b, first, k, q), x)
		st.Count, st.Align = 1, t.Size()
	}
	for _, v := range b.Values {
		v.Pos = f.Blocks[s.block].Pos
	}
	b.Return()
	f.Blocks[s.block].Edges[s.edge] = kernel.Edge{To: b, Rare: true}
}

// later makes f, a copy, begin behind the split with what was written down.
func (s *split) later(f *kernel.Func) {
	value := byID(f)
	first := s.arguments(f)
	b := &kernel.Block{Name: "postponed", Func: f}
	q := b.Append(kernel.GlobalID, alu.I64)
	known := opt.NewReplacer(f)
	for k, v := range s.kept {
		from, t := len(b.Values), s.field(v)
		x := b.Append(kernel.Load, t, s.place(b, first, k, q))
		x.Count, x.Align = 1, t.Size()
		switch {
		case v.Type.IsPtr():
			x = b.Append(alu.Bitcast, v.Type, x)
		case v.Type == alu.I1:
			x = b.Append(alu.Ne, alu.I1, x, f.Const(t, 0))
		case v.Type != t:
			x = b.Append(alu.SExt, v.Type, x)
		}
		x.Name = v.Name
		for _, y := range b.Values[from:] {
			y.Pos = v.Pos
		}
		known.Set(value[v.ID], x)
	}
	// In the order of the blocks, which dominate each other: operands come first.
	for _, id := range f.Graph().ReversePostOrder() {
		for _, v := range f.Blocks[id].Values {
			if s.made[v.ID] && !s.behind[id] {
				x := b.Append(v.Op, v.Type, slices.Clone(v.Args)...)
				x.Index, x.Size, x.Align, x.Name, x.Pos = v.Index, v.Size, v.Align, v.Name, v.Pos
				known.Args(x)
				known.Set(v, x)
			}
		}
	}
	edge := f.Blocks[s.block].Edges[s.edge]
	b.Jump(edge.To, slices.Clone(edge.Args)...)
	f.Blocks = append([]*kernel.Block{b}, f.Blocks...)
	for i, c := range f.Blocks {
		c.ID = i
	}
	known.Apply(f)
}

// byID lists the values of a copy, which have the IDs of the original's.
func byID(f *kernel.Func) []*kernel.Value {
	values := make([]*kernel.Value, f.NumValues())
	for _, b := range f.Blocks {
		for _, p := range b.Params {
			values[p.ID] = p
		}
		for _, v := range b.Values {
			values[v.ID] = v
		}
	}
	return values
}
