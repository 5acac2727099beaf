package opt

import (
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// LCSSA makes every value that is defined in a cycle and used outside it pass through a
// parameter of an exit block (loop-closed SSA), so that the value that lanes have left with
// is distinct from the value in the cycle.
//
// Outside its innermost cycle a value is a variable with a definition in every
// exit block; further parameters are placed only where two of
// those definitions meet. They may lie in outer cycles, for which they are
// closed in turn.
//
// requires: no unreachable blocks; maintains: SSA
func LCSSA(f *kernel.Func, st Stats) {
	PlaceComponents(f)
	g := f.Graph()
	loops := cfg.Cycles(g)
	if len(loops.Cycles) > 0 {
		dom := cfg.Dominators(g)
		c := &closer{f: f, loops: loops, dom: dom, joins: dom.Joins(), in: InEdges(f), exits: make([]*exitBlocks, len(loops.Cycles))}
		c.uses = usesOutside(f, loops)
		n := 0
		// The list grows by the parameters that are created.
		for i := 0; i < len(c.uses.order); i++ {
			if c.close(c.uses.order[i]) {
				n++
			}
		}
		st.Add("loop-closed values", n)
	}
	f.Renumber()
}

// usedAfterLoops returns the headers of loops whose values are used outside their loop, as is
// possible where LCSSA no longer holds.
func usedAfterLoops(f *kernel.Func, loops *cfg.CycleForest) map[*kernel.Block]bool {
	cycles := make([]*cfg.Cycle, len(f.Blocks)) // by the ID of the header
	for _, c := range loops.Cycles {
		cycles[c.Header] = c
	}
	used := map[*kernel.Block]bool{}
	for _, b := range f.Blocks {
		use := func(vs ...*kernel.Value) {
			for _, v := range vs {
				if v == nil || v.Block == nil || v.Block == b {
					continue
				}
				if c := cycles[v.Block.ID]; c != nil && !loops.Contains(c, b.ID) {
					used[v.Block] = true
				}
			}
		}
		use(b.Cond)
		for _, v := range b.Values {
			use(v.Args...)
		}
		for _, e := range b.Edges {
			use(e.Args...)
		}
	}
	return used
}

// PlaceComponents moves every Component to the block of its Load: a load of
// several components cannot be passed as an argument, its components can.
func PlaceComponents(f *kernel.Func) {
	misplaced := false
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			misplaced = misplaced || v.Op == kernel.Component && v.Args[0].Block != b
		}
	}
	if !misplaced {
		return
	}
	r := NewReplacer(f)
	made := map[*kernel.Value][]*kernel.Value{} // Load -> its new Components
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			if v.Op != kernel.Component || v.Args[0].Block == b {
				kept = append(kept, v)
				continue
			}
			load := v.Args[0]
			var c *kernel.Value
			for _, x := range made[load] {
				if x.Index == v.Index {
					c = x
				}
			}
			if c == nil {
				c = load.Block.NewValue(kernel.Component, v.Type, load)
				c.Index, c.Pos, c.Name = v.Index, v.Pos, v.Name
				made[load] = append(made[load], c)
			}
			r.Set(v, c)
		}
		b.Values = kept
	}
	for _, b := range f.Blocks {
		var out []*kernel.Value
		for i, v := range b.Values {
			cs := made[v]
			if cs != nil && out == nil {
				out = append(make([]*kernel.Value, 0, 2*len(b.Values)), b.Values[:i]...)
			}
			if out != nil {
				out = append(append(out, v), cs...)
			}
		}
		if out != nil {
			b.Values = out
		}
	}
	r.Apply(f)
}

// use is one use of a value: operand n of an operation, the condition of a block (op is nil
// and edge -1) or argument n of one of its edges.
type use struct {
	block *kernel.Block
	op    *kernel.Value
	edge  int // -1: the condition
	n     int
}

func (u use) set(v *kernel.Value) {
	switch {
	case u.op != nil:
		u.op.Args[u.n] = v
	case u.edge < 0:
		u.block.Cond = v
	default:
		u.block.Edges[u.edge].Args[u.n] = v
	}
}

// useLists holds the uses of values outside the innermost cycle of
// their definition.
type useLists struct {
	of    map[*kernel.Value][]use
	order []*kernel.Value // its keys, in the order of their first use
	loops *cfg.CycleForest
}

func usesOutside(f *kernel.Func, loops *cfg.CycleForest) *useLists {
	l := &useLists{of: map[*kernel.Value][]use{}, loops: loops}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				l.note(a, use{block: b, op: v, n: i})
			}
		}
		if b.Cond != nil {
			l.note(b.Cond, use{block: b, edge: -1})
		}
		for i, e := range b.Edges {
			for j, a := range e.Args {
				l.note(a, use{block: b, edge: i, n: j})
			}
		}
	}
	return l
}

// note records a use if it lies outside the cycle of v.
func (l *useLists) note(v *kernel.Value, u use) {
	if v.Block == nil || v.Block == u.block {
		return
	}
	c := l.loops.InnermostCycle(v.Block.ID)
	if c == nil || l.loops.Contains(c, u.block.ID) {
		return
	}
	if l.of[v] == nil {
		l.order = append(l.order, v)
	}
	l.of[v] = append(l.of[v], u)
}

// closer closes values one by one.
type closer struct {
	f     *kernel.Func
	loops *cfg.CycleForest
	dom   *cfg.DomTree
	joins *cfg.Joins
	in    [][]InEdge
	exits []*exitBlocks // by cycle ID, nil until needed
	uses  *useLists
}

// exitBlocks are the blocks outside a cycle that may need a parameter for a value of the
// cycle: its exit blocks and the joins of those.
type exitBlocks struct {
	list   []int
	member map[int]bool
}

func (c *closer) exitsOf(cycle *cfg.Cycle) *exitBlocks {
	if e := c.exits[cycle.ID]; e != nil {
		return e
	}
	e := &exitBlocks{member: map[int]bool{}}
	add := func(b int) {
		if !e.member[b] && !c.loops.Contains(cycle, b) {
			e.member[b] = true
			e.list = append(e.list, b)
		}
	}
	for _, x := range c.loops.Exits(cycle) {
		add(x.To)
	}
	if len(e.list) > 1 {
		for _, b := range c.joins.Of(e.list) {
			add(b)
		}
	}
	c.exits[cycle.ID] = e
	return e
}

// close rewrites the uses of v outside its cycle and reports whether there
// were any.
func (c *closer) close(v *kernel.Value) bool {
	uses := c.uses.of[v]
	delete(c.uses.of, v)
	if len(uses) == 0 {
		return false
	}
	cycle := c.loops.InnermostCycle(v.Block.ID)
	exits := c.exitsOf(cycle)
	at := map[int]*kernel.Value{} // by block
	var made []int
	// read returns the value of v in block b, outside the cycle.
	read := func(b int) *kernel.Value {
		// The nearest dominator of b that defines the variable; all candidates
		// that dominate b lie on one path of the tree.
		best := -1
		if len(exits.list) <= 8 {
			for _, x := range exits.list {
				if c.dom.Dominates(x, b) && (best < 0 || c.dom.Depth[x] > c.dom.Depth[best]) {
					best = x
				}
			}
		} else {
			for best = b; best >= 0 && !exits.member[best]; {
				best = c.dom.IDom[best]
			}
		}
		if best < 0 || !c.dom.StrictlyDominates(v.Block.ID, best) {
			return c.f.Const(v.Type, 0) // v does not dominate b: the value is not used
		}
		if at[best] == nil {
			p := c.f.Blocks[best].NewParam(v.Type, v.Name)
			p.Pos = v.Pos
			at[best] = p
			made = append(made, best)
		}
		return at[best]
	}
	for _, u := range uses {
		x := read(u.block.ID)
		u.set(x)
		c.uses.note(x, u)
	}
	for len(made) > 0 {
		b := made[0]
		made = made[1:]
		for _, e := range c.in[b] {
			x := v
			if !c.loops.Contains(cycle, e.From.ID) {
				x = read(e.From.ID)
			}
			args := &e.Edge().Args
			*args = append(*args, x)
			c.uses.note(x, use{block: e.From, edge: e.N, n: len(*args) - 1})
		}
	}
	return true
}
