package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// Limits on unrolling. Sizes are operations after unrolling and before
// folding.
const (
	tinyTrips = 4 // loops that are unrolled to remove their control flow
	tinySize  = 160

	tableTrips = 16 // loops that read a table of constants
	tableSize  = 400

	rowTrips = 8 // loops along a row of memory, usually a row for each work-item
	rowSize  = 800

	arrayTrips = 64 // loops that keep a private array out of registers
	arraySize  = 4096
	arraySlots = 64 // elements of such an array

	pragmaTrips = 1024 // loops with a pragma
	pragmaSize  = 8192

	maxGrowth = 16384 // operations added to one kernel
)

// Unroll replaces loops with a constant trip count by copies of their bodies where that is
// profitable: loops of a few iterations, loops whose counters
// index a private object that Promote can then turn into registers, loops that read a
// table of constants, loops along short rows of memory, and loops with a pragma. Outer loops
// come first, so that the trip count of an inner loop may depend on an outer counter. Every
// copy keeps the other exits of the loop (break, return).
//
// requires: no unreachable blocks; maintains: SSA
func Unroll(f *kernel.Func, st Stats) {
	budget := maxGrowth
	for iteration := 0; iteration < 4; iteration++ {
		if len(chooseLoops(countLoops(f), budget)) == 0 {
			return
		}
		// Values must leave a loop through the edges that exit it.
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

// chooseLoops returns the outermost of the profitable loops, in order.
func chooseLoops(c *counting, budget int) []*counted {
	profitable := map[*counted]bool{}
	c.arrays(profitable, budget)
	var out []*counted
	in := make([]bool, len(c.loops.Cycles)) // an enclosing loop is chosen
	for i, x := range c.loops.Cycles {
		if x.Parent != nil && in[x.Parent.ID] {
			in[i] = true
			continue
		}
		l := c.by[i]
		if l == nil || l.header.Unroll == 1 {
			continue
		}
		if !profitable[l] && !c.requested(l) && !c.tiny(l) && !c.table(l) && !c.rows(l) {
			continue
		}
		size, ok := c.expand(l, noLoops, pragmaTrips, min(budget, pragmaSize), env{})
		if !ok {
			continue
		}
		budget -= size
		in[i] = true
		out = append(out, l)
	}
	return out
}

// requested reports whether a pragma requests to unroll l completely.
func (c *counting) requested(l *counted) bool {
	if l.header.Unroll < 2 {
		return false
	}
	_, ok := c.expand(l, noLoops, min(pragmaTrips, l.header.Unroll), pragmaSize, env{})
	return ok
}

func noLoops(*counted) bool { return false }

// tiny reports whether l is so small that control flow dominates its cost.
func (c *counting) tiny(l *counted) bool {
	if len(l.cycle.Children) > 0 {
		return false
	}
	_, ok := c.expand(l, noLoops, tinyTrips, tinySize, env{})
	return ok
}

// table reports whether l, an innermost loop, reads constants at indices that its counters
// determine: the loads fold in every copy.
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
	_, ok := c.expand(l, noLoops, tableTrips, tableSize, env{})
	return ok
}

// rows reports whether l, an innermost loop, runs along rows of memory: consecutive
// iterations access nearby elements at a computed address, which usually differs between
// work-items. In one block several accesses become one, and lanes transpose rows to columns
// in registers, where single iterations need gathers or scatters.
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
	_, ok := c.expand(l, noLoops, rowTrips, rowSize, env{})
	return ok
}

// along reports whether the address p of elements of size bytes moves by few elements in an
// iteration of l, from a start that is not constant.
func (c *counting) along(p *kernel.Value, l *counted, size int) bool {
	const fewElements = 4
	step, varies := int64(0), false
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
			step, varies = step+scale*by, true
			return
		}
		if depth == 0 {
			varies = true
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
			varies = true
		}
	}
	for ; p.Op == kernel.PtrAdd; p = p.Args[0] {
		add(p.Args[1], 1, linearDepth)
	}
	return varies && step != 0 && max(step, -step) <= fewElements*int64(size)
}

// strides returns the constant by which the parameter v of l's header grows in every
// iteration.
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

// constant reports whether the address p is in a table of constants, at an index that
// counters determine.
func (c *counting) constant(p *kernel.Value) bool {
	n := 0
	for ; p.Op == kernel.PtrAdd && c.countable(p.Args[1]); p = p.Args[0] {
		n++
	}
	return p.Op == kernel.DataAddr && n > 0
}

// arrays adds the loops to unroll so that private objects are only
// accessed at constant offsets: all loops that an object needs, or none.
func (c *counting) arrays(profitable map[*counted]bool, budget int) {
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
		want := func(l *counted) bool { return need.loops[l] || profitable[l] }
		fits := true
		for _, l := range need.order {
			if l.header.Unroll == 1 {
				fits = false
			}
			if p := l.cycle.Parent; p != nil && c.by[p.ID] != nil && need.loops[c.by[p.ID]] {
				continue // included in the size of the enclosing loop
			}
			_, ok := c.expand(l, want, arrayTrips, min(arraySize, budget), env{})
			fits = fits && ok
		}
		if fits {
			for _, l := range need.order {
				profitable[l] = true
			}
		}
	}
}

// needed holds the loops whose counters index an object.
type needed struct {
	loops map[*counted]bool
	order []*counted
	size  int  // of the elements that counters index, in bytes; 0: none
	bad   bool // the pointer escapes, has other indices or elements of two sizes
}

// indices finds the loops whose counters index each private object.
func (c *counting) indices() map[*kernel.Value]*needed {
	out := map[*kernel.Value]*needed{}
	type pointer struct {
		object  *kernel.Value
		counted bool // some offset is not constant
	}
	points := make([]pointer, c.f.NumValues())
	disqualify := func(v *kernel.Value) {
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
	return out
}

// need adds the loops that determine the index in block b.
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

// unroll creates a copy of the loop for every iteration and returns the blocks.
// The header itself becomes that of the first copy, so that the edges into the loop
// remain; the other blocks of the loop lose their terminators.
//
// requires: expand succeeded for l
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
	// The last copy consists of the header alone, which exits.
	c.f.Note(at, "unrolled", "into "+diag.Count(max(copies-1, 1), "iteration"))
	for _, id := range l.cycle.Blocks[1:] {
		c.f.Blocks[id].Kind = kernel.NoTerm
	}
	return u.blocks
}

type unroller struct {
	*counting
	l        *counted
	template kernel.Block // the original header
	e        env          // of the iteration being copied
	blocks   []*kernel.Block

	block map[*kernel.Block]*kernel.Block // of the iteration being copied
	value map[*kernel.Value]*kernel.Value
}

// source returns the original contents of b.
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

// copy creates one iteration with the given header and returns the header of
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
	// In this order definitions come before uses, except for the arguments of back
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

// values copies parameters and operations; expressions of counters become
// constants.
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
