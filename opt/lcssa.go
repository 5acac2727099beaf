package opt

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// LCSSA makes every value that is defined in a cycle and used outside it pass
// through a parameter of a block that the cycle exits to (loop-closed SSA), so
// that what leaves the cycle and what stays in it are two values.
//
// requires: no unreachable blocks; maintains: SSA
func LCSSA(f *kernel.Func, st Stats) {
	placeComponents(f)
	loops := cfg.Cycles(f.Graph())
	// Inner cycles first: the parameters at their exits are values of the outer
	// cycle, which closes them in turn. Parameters further on may be values of
	// yet another cycle; none comes back to the first, whose values dominate it.
	for closed := true; closed; {
		closed = false
		for i := len(loops.Cycles) - 1; i >= 0; i-- {
			n := closeCycle(f, loops, loops.Cycles[i])
			st.Add("values closed over loops", n)
			closed = closed || n > 0
		}
	}
	f.Renumber()
}

// placeComponents puts every Component into the block of its Load: a load of
// several components cannot be passed as an argument, its components can.
func placeComponents(f *kernel.Func) {
	moved := replacer{}
	made := map[*kernel.Value]map[int]*kernel.Value{}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != kernel.Component || v.Block == v.Args[0].Block {
				continue
			}
			load := v.Args[0]
			if made[load] == nil {
				made[load] = map[int]*kernel.Value{}
			}
			c := made[load][v.Index]
			if c == nil {
				c = load.Block.NewValue(kernel.Component, v.Type, load)
				c.Index, c.Pos, c.Name = v.Index, v.Pos, v.Name
				at := slices.Index(load.Block.Values, load)
				load.Block.Values = slices.Insert(load.Block.Values, at+1, c)
				made[load][v.Index] = c
			}
			moved[v] = c
		}
	}
	moved.apply(f)
	if len(moved) > 0 {
		for _, b := range f.Blocks {
			b.Values = slices.DeleteFunc(b.Values, func(v *kernel.Value) bool { return moved[v] != nil })
		}
	}
}

// closeCycle rewrites the outside uses of the values of c.
func closeCycle(f *kernel.Func, loops *cfg.CycleForest, c *cfg.Cycle) int {
	inside := func(b *kernel.Block) bool { return loops.Contains(c, b.ID) }
	outside := map[*kernel.Value]bool{}
	var order []*kernel.Value
	note := func(v *kernel.Value) {
		if v != nil && v.Block != nil && inside(v.Block) && !outside[v] {
			outside[v] = true
			order = append(order, v)
		}
	}
	for _, b := range f.Blocks {
		if inside(b) {
			continue
		}
		for _, v := range b.Values {
			for _, a := range v.Args {
				note(a)
			}
		}
		note(b.Cond)
		for _, e := range b.Edges {
			for _, a := range e.Args {
				note(a)
			}
		}
	}
	if len(order) == 0 {
		return 0
	}
	in := inEdges(f)
	exits := map[*kernel.Block]bool{}
	for _, e := range loops.Exits(c) {
		exits[f.Blocks[e.To]] = true
	}
	for _, v := range order {
		closeValue(f, v, in, inside, exits)
	}
	return len(order)
}

// closeValue gives v a parameter at each exit block that needs it and joins
// them further on: outside, v is a variable with a definition at every exit.
func closeValue(f *kernel.Func, v *kernel.Value, in [][]inEdge, inside func(*kernel.Block) bool, exits map[*kernel.Block]bool) {
	at := map[*kernel.Block]*kernel.Value{}
	var read func(b *kernel.Block) *kernel.Value
	join := func(b *kernel.Block) *kernel.Value {
		p := b.NewParam(v.Type, v.Name)
		p.Pos = v.Pos
		at[b] = p
		for _, e := range in[b.ID] {
			x := v
			if !inside(e.from) {
				x = read(e.from)
			}
			e.edge().Args = append(e.edge().Args, x)
		}
		return p
	}
	read = func(b *kernel.Block) *kernel.Value {
		for {
			if x := at[b]; x != nil {
				return x
			}
			if exits[b] || len(in[b.ID]) != 1 {
				if len(in[b.ID]) == 0 {
					return f.Const(v.Type, 0) // v does not dominate; nobody looks
				}
				return join(b)
			}
			b = in[b.ID][0].from
		}
	}
	use := func(b *kernel.Block, x **kernel.Value) {
		if *x == v && !inside(b) {
			*x = read(b)
		}
	}
	for _, b := range append([]*kernel.Block(nil), f.Blocks...) {
		if inside(b) {
			continue
		}
		for _, y := range b.Values {
			for i := range y.Args {
				use(b, &y.Args[i])
			}
		}
		if b.Cond != nil {
			use(b, &b.Cond)
		}
		for n := range b.Edges {
			for i := range b.Edges[n].Args {
				use(b, &b.Edges[n].Args[i])
			}
		}
	}
}
