package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// What is worth unrolling. Sizes are operations after unrolling and before
// they are folded.
const (
	tinyTrips = 4 // a loop that is unrolled for its control flow alone
	tinySize  = 160

	tableTrips = 16 // a loop that reads a table of constants
	tableSize  = 400

	rowTrips = 8 // a loop that goes along a row of memory, mostly the work-item's own
	rowSize  = 800

	arrayTrips = 64 // loops that keep a private array out of registers
	arraySize  = 4096
	arraySlots = 64 // elements of such an array

	askedTrips = 1024 // a pragma asks for it
	askedSize  = 8192

	growth = 16384 // operations in one kernel
)

// Unroll replaces loops whose trip count is a constant by that many copies of
// their bodies, where it pays: loops of a few iterations, loops whose counters
// index a private object that Promote can then turn into registers, loops that read a
// table of constants, loops along short rows of memory, and loops with a pragma that asks
// for as much. Outer loops come first, so that the trip count of an inner loop may depend
// on an outer counter. Other ways out of a loop (break, return) remain ways out of every
// copy.
//
// requires: no unreachable blocks; maintains: SSA
func Unroll(f *kernel.Func, st Stats) {
	budget := growth
	for round := 0; round < 4; round++ {
		if len(chooseLoops(countLoops(f), budget)) == 0 {
			return
		}
		// What leaves a loop must do so along the edges that leave it.
		LCSSA(f, nil)
		c := countLoops(f)
		n := f.NumValues()
		copies := make([][]*kernel.Block, len(f.Blocks)) // by the header's ID
		for _, l := range chooseLoops(c, budget) {
			copies[l.header.ID] = c.unroll(l)
			st.Add("loops unrolled", 1)
		}
		budget -= f.NumValues() - n
		var blocks []*kernel.Block
		for i, b := range f.Blocks {
			if copies[i] != nil {
				blocks = append(blocks, copies[i]...)
			} else if b.Kind != kernel.NoTerm {
				blocks = append(blocks, b)
			}
		}
		f.Blocks = blocks
		RemoveUnreachable(f, nil)
		RemoveTrivialParams(f, nil)
		RemoveDead(f, nil)
		Fold(f, nil)
		SimplifyControl(f, nil)
	}
}

// chooseLoops returns the outermost of the loops that pay, in order.
func chooseLoops(c *counting, budget int) []*counted {
	pays := map[*counted]bool{}
	c.arrays(pays, budget)
	var out []*counted
	in := make([]bool, len(c.loops.Cycles)) // a loop around it is chosen
	for i, x := range c.loops.Cycles {
		if x.Parent != nil && in[x.Parent.ID] {
			in[i] = true
			continue
		}
		l := c.by[i]
		if l == nil || l.header.Unroll == 1 {
			continue
		}
		if !pays[l] && !c.asked(l) && !c.tiny(l) && !c.table(l) && !c.rows(l) {
			continue
		}
		size, ok := c.expand(l, nothing, askedTrips, min(budget, askedSize), env{})
		if !ok {
			continue
		}
		budget -= size
		in[i] = true
		out = append(out, l)
	}
	return out
}

// asked reports whether a pragma wants all iterations of l unrolled.
func (c *counting) asked(l *counted) bool {
	if l.header.Unroll < 2 {
		return false
	}
	_, ok := c.expand(l, nothing, min(askedTrips, l.header.Unroll), askedSize, env{})
	return ok
}

func nothing(*counted) bool { return false }

// tiny reports whether l is so small that its control flow costs more.
func (c *counting) tiny(l *counted) bool {
	if len(l.cycle.Children) > 0 {
		return false
	}
	_, ok := c.expand(l, nothing, tinyTrips, tinySize, env{})
	return ok
}

// table reports whether l, in which there is no other, reads constants at what its
// counters tell: of each copy they are known.
func (c *counting) table(l *counted) bool {
	if len(l.cycle.Children) > 0 {
		return false
	}
	reads := slices.ContainsFunc(l.cycle.Blocks, func(id int) bool {
		return slices.ContainsFunc(c.f.Blocks[id].Values, func(v *kernel.Value) bool {
			return v.Op == kernel.Load && c.constant(v.Args[0])
		})
	})
	if !reads {
		return false
	}
	_, ok := c.expand(l, nothing, tableTrips, tableSize, env{})
	return ok
}

// rows reports whether l, in which there is no other, goes along rows of memory: what the
// rounds access lies close together, at a place that is computed, as a rule another one for
// each work-item. In one block several accesses become one, and lanes exchange rows for
// columns in registers, where round by round each is a gather or a scatter.
func (c *counting) rows(l *counted) bool {
	if len(l.cycle.Children) > 0 {
		return false
	}
	along := slices.ContainsFunc(l.cycle.Blocks, func(id int) bool {
		return slices.ContainsFunc(c.f.Blocks[id].Values, func(v *kernel.Value) bool {
			return (v.Op == kernel.Load || v.Op == kernel.Store) && v.Args[0].Type != alu.PtrPrivate && c.along(v.Args[0], l, v.Accessed().Size())
		})
	})
	if !along {
		return false
	}
	_, ok := c.expand(l, nothing, rowTrips, rowSize, env{})
	return ok
}

// along reports whether the address p of elements of size bytes moves by few of them from
// round to round of l, from a place that is not always the same.
func (c *counting) along(p *kernel.Value, l *counted, size int) bool {
	const fewElements = 4
	step, elsewhere := int64(0), false
	var add func(v *kernel.Value, scale int64, depth int)
	add = func(v *kernel.Value, scale int64, depth int) {
		if v.Op == kernel.Const {
			return
		}
		if v.Op == kernel.Param && c.iv[v.ID] == l {
			step += scale
			return
		}
		if by, ok := c.strides(v, l); ok {
			step, elsewhere = step+scale*by, true
			return
		}
		if depth == 0 {
			elsewhere = true
			return
		}
		switch {
		case v.Op == alu.Add:
			add(v.Args[0], scale, depth-1)
			add(v.Args[1], scale, depth-1)
		case v.Op == alu.Sub:
			add(v.Args[0], scale, depth-1)
			add(v.Args[1], -scale, depth-1)
		case v.Op == alu.SExt || v.Op == alu.ZExt:
			add(v.Args[0], scale, depth-1)
		case v.Op == alu.Mul && v.Args[1].Op == kernel.Const && small(int64(v.Args[1].Const)):
			add(v.Args[0], scale*int64(v.Args[1].Const), depth-1)
		case v.Op == alu.Shl && v.Args[1].Op == kernel.Const && v.Args[1].Const < 16:
			add(v.Args[0], scale<<v.Args[1].Const, depth-1)
		default:
			elsewhere = true
		}
	}
	for ; p.Op == kernel.PtrAdd; p = p.Args[0] {
		add(p.Args[1], 1, linearDepth)
	}
	return elsewhere && step != 0 && max(step, -step) <= fewElements*int64(size)
}

// strides tells by what constant the parameter v of l's header grows in every round,
// wherever it begins.
func (c *counting) strides(v *kernel.Value, l *counted) (by int64, ok bool) {
	i := slices.Index(l.header.Params, v)
	if i < 0 {
		return 0, false
	}
	for n, latch := range l.cycle.Latches {
		for _, e := range c.f.Blocks[latch].Edges {
			if e.To != l.header {
				continue
			}
			next := e.Args[i]
			if next.Op != alu.Add || next.Args[0] != v || next.Args[1].Op != kernel.Const {
				return 0, false
			}
			step := next.Type.Signed(next.Args[1].Const)
			if n > 0 && step != by {
				return 0, false
			}
			by = step
		}
	}
	return by, true
}

// constant reports whether the address p is in a table of constants, where counters
// tell.
func (c *counting) constant(p *kernel.Value) bool {
	n := 0
	for ; p.Op == kernel.PtrAdd && c.countable(p.Args[1]); p = p.Args[0] {
		n++
	}
	return p.Op == kernel.DataAddr && n > 0
}

// arrays adds the loops to be unrolled so that private objects are only
// accessed at constant offsets: all that are needed for an object, or none.
func (c *counting) arrays(pays map[*counted]bool, budget int) {
	if len(c.loops.Cycles) == 0 {
		return
	}
	var objects []*kernel.Value
	for _, v := range c.f.Blocks[0].Values {
		if v.Op == kernel.Alloca {
			objects = append(objects, v)
		}
	}
	if len(objects) == 0 {
		return
	}
	u := c.indices()
	for _, o := range objects {
		need := u[o]
		if need == nil || need.bad || len(need.order) == 0 || need.size == 0 || o.Size > arraySlots*need.size {
			continue
		}
		want := func(l *counted) bool { return need.loops[l] || pays[l] }
		fits := true
		for _, l := range need.order {
			if l.header.Unroll == 1 {
				fits = false
			}
			if p := l.cycle.Parent; p != nil && c.by[p.ID] != nil && need.loops[c.by[p.ID]] {
				continue // counted with the loop around it
			}
			_, ok := c.expand(l, want, arrayTrips, min(arraySize, budget), env{})
			fits = fits && ok
		}
		if fits {
			for _, l := range need.order {
				pays[l] = true
			}
		}
	}
}

// needed are the loops whose counters index an object.
type needed struct {
	loops map[*counted]bool
	order []*counted
	size  int  // bytes of the elements accessed by counters; 0: none
	bad   bool // the pointer escapes, is indexed otherwise or with two sizes
}

// indices finds what every private object is indexed by.
func (c *counting) indices() map[*kernel.Value]*needed {
	out := map[*kernel.Value]*needed{}
	type pointer struct {
		object  *kernel.Value
		counted bool // some offset is not constant
	}
	points := make([]pointer, c.f.NumValues())
	spoil := func(v *kernel.Value) {
		if o := points[v.ID].object; o != nil {
			out[o].bad = true
		}
	}
	for _, id := range c.f.Graph().ReversePostOrder() {
		b := c.f.Blocks[id]
		for _, v := range b.Values {
			args := v.Args
			switch v.Op {
			case kernel.Alloca:
				points[v.ID] = pointer{v, false}
				out[v] = &needed{loops: map[*counted]bool{}}
			case kernel.PtrAdd:
				p := points[args[0].ID]
				if p.object == nil {
					break
				}
				args = nil
				if v.Args[1].Op != kernel.Const {
					p.counted = true
					c.need(out[p.object], v.Args[1], b)
				}
				points[v.ID] = p
			case kernel.Load, kernel.Store:
				if p := points[args[0].ID]; p.object != nil {
					n := out[p.object]
					size := v.Accessed().Size()
					n.bad = n.bad || v.Volatile || p.counted && n.size > 0 && n.size != size
					if p.counted {
						n.size = size
					}
				}
				args = args[1:]
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
	return out
}

// need adds the loops that make the index a constant in block b.
func (c *counting) need(n *needed, index *kernel.Value, b *kernel.Block) {
	left := maxExpr
	ok := c.leaves(index, &left, func(l *counted) {
		if !c.loops.Contains(l.cycle, b.ID) {
			n.bad = true
		}
		if !n.loops[l] {
			n.loops[l] = true
			n.order = append(n.order, l)
		}
	})
	n.bad = n.bad || !ok
}

// unroll makes a copy of the loop for every iteration and returns the blocks.
// The header itself becomes the first copy's, so that the edges into the loop
// remain; the other blocks of the loop are left without terminators.
//
// requires: expand knows the trip count
func (c *counting) unroll(l *counted) []*kernel.Block {
	u := &unroller{counting: c, l: l, template: *l.header, e: env{}}
	u.e.enter(l)
	copies := 0
	for head := l.header; ; u.e.next(l) {
		copies++
		if head = u.copy(head); head == nil {
			break
		}
	}
	at := u.template.Pos
	for i := 0; i < len(u.template.Values) && !at.IsValid(); i++ {
		at = u.template.Values[i].Pos
	}
	// The last copy is of the header alone, where the loop is left.
	c.f.Note(at, "unrolled", "into "+diag.Count(max(copies-1, 1), "round"))
	for _, id := range l.cycle.Blocks[1:] {
		c.f.Blocks[id].Kind = kernel.NoTerm
	}
	return u.blocks
}

type unroller struct {
	*counting
	l        *counted
	template kernel.Block // the header as it was
	e        env          // of the iteration being copied
	blocks   []*kernel.Block

	block map[*kernel.Block]*kernel.Block // of the iteration being copied
	value map[*kernel.Value]*kernel.Value
}

// source is what b held before unrolling.
func (u *unroller) source(b *kernel.Block) *kernel.Block {
	if b == u.l.header {
		return &u.template
	}
	return b
}

// edges returns the edges of b that this iteration may take.
func (u *unroller) edges(b *kernel.Block) []kernel.Edge {
	if b.Kind == kernel.Branch || b.Kind == kernel.Switch {
		if x, ok := u.e.eval(b.Cond); ok {
			n := slices.Index(b.Cases, x) + 1
			if b.Kind == kernel.Branch {
				n = 1 - int(x&1)
			}
			return b.Edges[n : n+1]
		}
	}
	return b.Edges
}

func (u *unroller) inside(b *kernel.Block) bool { return u.loops.Contains(u.l.cycle, b.ID) }

// copy makes one iteration with the given header and returns the header of
// the next, nil after the last.
func (u *unroller) copy(head *kernel.Block) (next *kernel.Block) {
	u.block, u.value = map[*kernel.Block]*kernel.Block{u.l.header: head}, map[*kernel.Value]*kernel.Value{}
	for work := []*kernel.Block{u.l.header}; len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range u.edges(u.source(b)) {
			if u.inside(e.To) && u.block[e.To] == nil {
				u.block[e.To] = &kernel.Block{Name: e.To.Name, Func: u.f, Unroll: e.To.Unroll, Loop: e.To.Loop, At: e.To.At}
				work = append(work, e.To)
			}
		}
	}
	head.Unroll = 0
	// In this order definitions come before uses, but for arguments of back
	// edges.
	for _, id := range u.l.cycle.Blocks {
		b := u.f.Blocks[id]
		if to := u.block[b]; to != nil {
			u.values(u.source(b), to)
		}
	}
	for _, id := range u.l.cycle.Blocks {
		b := u.f.Blocks[id]
		if to := u.block[b]; to != nil {
			u.terminator(u.source(b), to, &next)
			u.blocks = append(u.blocks, to)
		}
	}
	return next
}

// values copies parameters and operations; what the counters decide becomes
// constant.
func (u *unroller) values(from, to *kernel.Block) {
	for i, p := range from.Params {
		q := p
		if to != u.l.header {
			q = to.NewParam(p.Type, p.Name)
			q.Pos = p.Pos
		}
		if from == &u.template && u.l.start[i] != nil {
			q = u.f.Const(p.Type, u.e[p])
		}
		u.value[p] = q
	}
	kept := make([]*kernel.Value, 0, len(from.Values))
	for _, v := range from.Values {
		args := make([]*kernel.Value, len(v.Args))
		constant := v.Op.Pure()
		var bits [3]uint64
		for i, a := range v.Args {
			args[i] = u.mapped(a)
			if constant = constant && args[i].Op == kernel.Const; constant {
				bits[i] = args[i].Const
			}
		}
		if constant {
			t := args[len(args)-1].Type
			u.value[v] = u.f.Const(v.Type, alu.Eval(v.Op, v.Type, t, bits[0], bits[1], bits[2]))
			continue
		}
		w := to.NewLike(v, args...)
		u.value[v] = w
		kept = append(kept, w)
	}
	to.Values = kept
}

func (u *unroller) mapped(v *kernel.Value) *kernel.Value {
	if w := u.value[v]; w != nil {
		return w
	}
	return v
}

func (u *unroller) terminator(from, to *kernel.Block, next **kernel.Block) {
	edges := slices.Clone(u.edges(from))
	for i, e := range edges {
		args := make([]*kernel.Value, len(e.Args))
		for j, a := range e.Args {
			args[j] = u.mapped(a)
		}
		target := e.To
		switch {
		case target == u.l.header:
			if *next == nil {
				*next = &kernel.Block{Name: target.Name, Func: u.f}
			}
			target = *next
		case u.block[target] != nil:
			target = u.block[target]
		}
		edges[i] = kernel.Edge{To: target, Args: args, Rare: e.Rare}
	}
	to.Kind, to.Cond, to.Cases, to.Edges, to.Pos = from.Kind, from.Cond, from.Cases, edges, from.Pos
	if len(edges) == 1 {
		to.Kind, to.Cond, to.Cases = kernel.Jump, nil, nil
		edges[0].Rare = false
	} else if to.Cond != nil {
		to.Cond = u.mapped(to.Cond)
		to.Cases = slices.Clone(to.Cases)
	}
}
