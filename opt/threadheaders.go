package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// maxThreaded limits the back edges that ThreadHeaders redirects, maxCopied the operations
// of a block that it copies for one.
const (
	maxThreaded = 16
	maxCopied   = 8
)

// ThreadHeaders redirects a back edge out of the loop if the header would exit: in a loop
// that runs while `i < n && ok`, from the block that clears ok. (This is jump threading
// through headers; package vir/opt threads jumps through all other blocks.) A select that
// clears the flag becomes a branch. The pass looks through a latch that merges back edges.
//
// Lanes that run together would wait for each other after the loop anyway, so it is for code
// of one lane.
//
// requires: no unreachable blocks, LCSSA for finding all; maintains: SSA; breaks: single
// exits, LCSSA
func ThreadHeaders(f *kernel.Func, st Stats) {
	n := 0
	for n < maxThreaded && threadBackEdge(f) {
		RemoveTrivialParams(f, nil) // a flag that is no longer cleared in the loop is constant
		Fold(f, nil)
		SimplifyControl(f, nil)
		LCSSA(f, nil)
		n++
	}
	st.Add("back edges threaded out of loops", n)
}

// threadBackEdge redirects one back edge out of its loop, if there is one.
func threadBackEdge(f *kernel.Func) bool {
	loops := cfg.Cycles(f.Graph())
	if len(loops.Cycles) == 0 {
		return false
	}
	in, usedAfter := InEdges(f), usedAfterLoops(f, loops)
	return slices.ContainsFunc(loops.Cycles, func(c *cfg.Cycle) bool {
		l := &headerThreading{f: f, loops: loops, cycle: c, in: in, usedAfter: usedAfter, header: f.Blocks[c.Header]}
		return l.thread()
	})
}

// headerThreading is a loop whose header exits through its edge number exit.
type headerThreading struct {
	f      *kernel.Func
	loops  *cfg.CycleForest
	cycle  *cfg.Cycle
	in     [][]InEdge
	header *kernel.Block
	exit   int

	usedAfter map[*kernel.Block]bool
}

// thread redirects one back edge out of the loop, if there is one.
func (l *headerThreading) thread() bool {
	h := l.header
	if !l.cycle.Reducible() || h.Kind != kernel.Branch || !copyable(h) {
		return false
	}
	l.exit = slices.IndexFunc(h.Edges, func(e kernel.Edge) bool { return !l.loops.Contains(l.cycle, e.To.ID) })
	if l.exit < 0 || l.usedAfter[h] {
		return false
	}
	for _, e := range l.in[h.ID] {
		if !l.loops.Contains(l.cycle, e.From.ID) {
			continue
		}
		if back, ok := l.exiting(e, func(args []*kernel.Value) []*kernel.Value { return args }); ok {
			follow(back, l.exit)
			return true
		}
		latch := e.From
		if latch == h || latch.Kind != kernel.Jump || !copyable(latch) {
			continue
		}
		through := func(args []*kernel.Value) []*kernel.Value {
			passed := make([]*kernel.Value, len(e.Edge().Args))
			for i, a := range e.Edge().Args {
				passed[i] = blockEntry{latch, args}.value(a, maxCopied)
			}
			return passed
		}
		for _, g := range l.in[latch.ID] {
			if back, ok := l.exiting(g, through); ok {
				follow(back, 0)
				return true
			}
		}
	}
	return false
}

// copyable reports whether b may be copied.
func copyable(b *kernel.Block) bool {
	return len(b.Values) <= maxCopied && !slices.ContainsFunc(b.Values, func(v *kernel.Value) bool {
		return kernel.InfoOf(v.Op).Effect != kernel.Pure && v.Op != kernel.Load && v.Op != kernel.Store
	})
}

// exiting returns an edge along which the header certainly exits: e, or the side of a new
// branch that replaces selects among the arguments of e.
func (l *headerThreading) exiting(e InEdge, passed func([]*kernel.Value) []*kernel.Value) (InEdge, bool) {
	args := e.Edge().Args
	if l.exits(passed(args)) {
		return e, true
	}
	for _, a := range args {
		if a.Op != alu.Select {
			continue
		}
		for side := 1; side <= 2; side++ {
			if a.Args[side].Op == kernel.Const && l.exits(passed(onSide(args, a.Args[0], side))) {
				return l.branchOn(e, a.Args[0], side), true
			}
		}
	}
	return e, false
}

// exits reports whether the header certainly exits for these arguments.
func (l *headerThreading) exits(args []*kernel.Value) bool {
	c := blockEntry{l.header, args}.value(l.header.Cond, maxCopied)
	return c != nil && c.Op == kernel.Const && 1-int(c.Const) == l.exit
}

// onSide returns args with the selects on cond replaced by their operands of one side.
func onSide(args []*kernel.Value, cond *kernel.Value, side int) []*kernel.Value {
	out := slices.Clone(args)
	for i, a := range out {
		if a.Op == alu.Select && a.Args[0] == cond {
			out[i] = a.Args[side]
		}
	}
	return out
}

// branchOn inserts a branch on cond before the target of e and returns its edge for one
// side of the selects.
func (l *headerThreading) branchOn(e InEdge, cond *kernel.Value, side int) InEdge {
	from, edge := e.From, *e.Edge()
	if from.Kind != kernel.Jump {
		from = l.f.NewBlock("")
		from.Pos = e.From.Pos
		*e.Edge() = kernel.Edge{To: from, Rare: edge.Rare}
	}
	edges := make([]kernel.Edge, 2)
	for i := range edges {
		edges[i] = kernel.Edge{To: edge.To, Args: onSide(edge.Args, cond, i+1), Rare: edge.Rare}
	}
	from.Branch(cond, edges[0], edges[1])
	return InEdge{from, side - 1}
}

// follow redirects e along the n-th edge of its target, through a copy of that block.
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

// blockEntry is a block with the arguments of an edge to it; unknown arguments are nil.
type blockEntry struct {
	to   *kernel.Block
	args []*kernel.Value
}

// value evaluates v at the end of the block for these arguments; nil means unknown.
func (w blockEntry) value(v *kernel.Value, depth int) *kernel.Value {
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
