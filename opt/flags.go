package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// How many ways back Flags leads out of loops, and how many operations a block may have that
// it copies for one.
const (
	maxFlagged  = 16
	maxRepeated = 8
)

// Flags leads a way back to the header of a loop out of it where the header would leave: in a
// loop that goes on while `i < n && ok`, from where ok is cleared. (This is jump threading,
// which package vir/opt does past all other blocks.) If a select has cleared the flag, a
// branch takes its place. It looks through a block that gathers the ways back.
//
// Lanes that run together would wait for each other behind the loop all the same, so that it
// is for code of one lane.
//
// requires: no unreachable blocks, LCSSA for finding all; maintains: SSA; breaks: single
// exits, LCSSA
func Flags(f *kernel.Func, st Stats) {
	n := 0
	for n < maxFlagged && leaveByFlag(f) {
		RemoveTrivialParams(f, nil) // a flag that is not cleared in the loop is set there
		Fold(f, nil)
		SimplifyControl(f, nil)
		LCSSA(f, nil)
		n++
	}
	st.Add("ways back led out of loops", n)
}

// leaveByFlag leads one way back out of a loop, if there is one.
func leaveByFlag(f *kernel.Func) bool {
	loops := cfg.Cycles(f.Graph())
	if len(loops.Cycles) == 0 {
		return false
	}
	in := InEdges(f)
	return slices.ContainsFunc(loops.Cycles, func(c *cfg.Cycle) bool {
		l := &flagged{f: f, loops: loops, cycle: c, in: in, header: f.Blocks[c.Header]}
		return l.leads()
	})
}

// flagged is a loop whose header leaves by its edge exit.
type flagged struct {
	f      *kernel.Func
	loops  *cfg.CycleForest
	cycle  *cfg.Cycle
	in     [][]InEdge
	header *kernel.Block
	exit   int
}

// leads leads one way back out of the loop, if there is one.
func (l *flagged) leads() bool {
	h := l.header
	if !l.cycle.Reducible() || h.Kind != kernel.Branch || !repeatable(h) {
		return false
	}
	l.exit = slices.IndexFunc(h.Edges, func(e kernel.Edge) bool { return !l.loops.Contains(l.cycle, e.To.ID) })
	if l.exit < 0 || usedBehind(l.loops, l.cycle, h) {
		return false
	}
	for _, e := range l.in[h.ID] {
		if !l.loops.Contains(l.cycle, e.From.ID) {
			continue
		}
		if back, ok := l.leaving(e, func(args []*kernel.Value) []*kernel.Value { return args }); ok {
			follow(back, l.exit)
			return true
		}
		latch := e.From
		if latch == h || latch.Kind != kernel.Jump || !repeatable(latch) {
			continue
		}
		through := func(args []*kernel.Value) []*kernel.Value {
			passed := make([]*kernel.Value, len(e.Edge().Args))
			for i, a := range e.Edge().Args {
				passed[i] = wayIn{latch, args}.value(a, maxRepeated)
			}
			return passed
		}
		for _, g := range l.in[latch.ID] {
			if back, ok := l.leaving(g, through); ok {
				follow(back, 0)
				return true
			}
		}
	}
	return false
}

// repeatable reports whether there may be another copy of b.
func repeatable(b *kernel.Block) bool {
	return len(b.Values) <= maxRepeated && !slices.ContainsFunc(b.Values, func(v *kernel.Value) bool {
		return kernel.InfoOf(v.Op).Effect != kernel.Pure && v.Op != kernel.Load && v.Op != kernel.Store
	})
}

// leaving reports whether the header leaves for what e passes in the end, and by which edge:
// if one side of a select decides it, a branch is made for that one.
func (l *flagged) leaving(e InEdge, passed func([]*kernel.Value) []*kernel.Value) (InEdge, bool) {
	args := e.Edge().Args
	if l.leaves(passed(args)) {
		return e, true
	}
	for _, a := range args {
		if a.Op != alu.Select {
			continue
		}
		for side := 1; side <= 2; side++ {
			if a.Args[side].Op == kernel.Const && l.leaves(passed(chosen(args, a.Args[0], side))) {
				return l.choose(e, a.Args[0], side), true
			}
		}
	}
	return e, false
}

// leaves reports whether the header certainly leaves for these arguments.
func (l *flagged) leaves(args []*kernel.Value) bool {
	c := wayIn{l.header, args}.value(l.header.Cond, maxRepeated)
	return c != nil && c.Op == kernel.Const && 1-int(c.Const) == l.exit
}

// chosen are args where selects on cond are what they are on one side.
func chosen(args []*kernel.Value, cond *kernel.Value, side int) []*kernel.Value {
	out := slices.Clone(args)
	for i, a := range out {
		if a.Op == alu.Select && a.Args[0] == cond {
			out[i] = a.Args[side]
		}
	}
	return out
}

// choose puts a branch on cond before where e goes and returns its edge for a side of selects.
func (l *flagged) choose(e InEdge, cond *kernel.Value, side int) InEdge {
	from, edge := e.From, *e.Edge()
	if from.Kind != kernel.Jump {
		from = l.f.NewBlock("")
		from.Pos = e.From.Pos
		*e.Edge() = kernel.Edge{To: from, Rare: edge.Rare}
	}
	edges := make([]kernel.Edge, 2)
	for i := range edges {
		edges[i] = kernel.Edge{To: edge.To, Args: chosen(edge.Args, cond, i+1), Rare: edge.Rare}
	}
	from.Branch(cond, edges[0], edges[1])
	return InEdge{from, side - 1}
}

// follow leads e on along the n-th edge of its block, with a copy of what the block does.
func follow(e InEdge, n int) {
	b, args := e.Edge().To, e.Edge().Args
	c := b.Func.NewBlock(b.Name)
	c.Pos = b.Pos
	copies := map[*kernel.Value]*kernel.Value{}
	copied := func(vs []*kernel.Value) []*kernel.Value {
		out := slices.Clone(vs)
		for i, v := range vs {
			if x := copies[v]; x != nil {
				out[i] = x
			}
		}
		return out
	}
	for i, p := range b.Params {
		copies[p] = args[i]
	}
	for _, v := range b.Values {
		copies[v] = c.AppendLike(v, copied(v.Args)...)
	}
	c.Jump(b.Edges[n].To, copied(b.Edges[n].Args)...)
	e.Edge().To, e.Edge().Args = c, nil
}

// wayIn is a way into a block with arguments, of which some may not be known: nil.
type wayIn struct {
	to   *kernel.Block
	args []*kernel.Value
}

// value is v, which may be used at the end of the block, if there is such a value before it.
func (w wayIn) value(v *kernel.Value, depth int) *kernel.Value {
	switch {
	case v.Block != w.to:
		return v
	case v.Op == kernel.Param:
		return w.args[v.Index]
	case !v.Op.Pure() || depth == 0:
		return nil
	}
	var bits [3]uint64
	known := true
	for i, a := range v.Args {
		x := w.value(a, depth-1)
		if x == nil || x.Op != kernel.Const {
			known = false
			continue
		}
		if v.Op == alu.And && x.Const == 0 || v.Op == alu.Or && v.Type == alu.I1 && x.Const == 1 {
			return x
		}
		bits[i] = x.Const
	}
	if !known {
		return nil
	}
	return w.to.Func.Const(v.Type, alu.Eval(v.Op, v.Type, v.Args[len(v.Args)-1].Type, bits[0], bits[1], bits[2]))
}
