package divergence

import (
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// Options define the lanes.
type Options struct {
	// Width is the number of lanes. At width 1 every value is uniform.
	Width int

	// Iterations reports that lanes are iterations of one work-item: see package opt/lanes/iterations.
	Iterations bool

	// Far means that global ids may reach kernel.NearItems and change when they are
	// truncated to int: see launch.Range.Far.
	Far bool
}

// Info is the result of Analyze.
type Info struct {
	Func   *kernel.Func
	Shapes []Shape  // by value ID; all components of a load have one shape
	Bounds []Bounds // by value ID; meaningless where the shape is Bottom

	// Divergent is indexed by block ID: lanes that end the block together may leave
	// it through different edges.
	Divergent []bool

	// Joins is indexed by block ID: lanes that diverged at a branch may enter the
	// block through different edges, so that its parameters vary (sync dependence).
	Joins []bool

	// Temporal is indexed by block ID: lanes may enter the block from different
	// iterations of a cycle, so that its parameters vary (temporal divergence).
	Temporal []bool

	// Asynchronous is indexed by block ID: the block lies in an irreducible cycle
	// with a divergent branch, so that lanes in different iterations run it together.
	Asynchronous []bool

	// Kill is indexed by block ID: the depth (cfg.Cycle.Depth) of the outermost cycle
	// of which the block is a kill exit, or 0. See KillExit.
	Kill []int

	// By block ID, the branch that causes Joins, Temporal and Asynchronous, or -1.
	joinedBy, temporalBy, asynchronousBy []int

	loops      *cfg.CycleForest
	objects    *objects        // private memory; nil if there is none to track
	lanes      *cfg.Cycle      // the loop whose iterations are the lanes; nil: lanes are work-items
	edgesTo    [][]kernel.Edge // by block ID
	divergedBy []int           // by cycle ID, the branch that makes lanes exit in different iterations, or -1
}

// ExitsDivergently reports whether lanes exit c, a cycle of the function's graph, in
// different iterations.
func (in *Info) ExitsDivergently(c *cfg.Cycle) bool { return in.divergedBy[c.ID] >= 0 }

// KillExit reports whether block u, which has an edge out of cycle c of the
// function's graph, is a kill exit of c: when a lane exits c there, all lanes
// still in c exit in the same iteration. Every exit of a cycle without divergent
// branches is a kill exit.
func (in *Info) KillExit(c *cfg.Cycle, u int) bool { return in.Kill[u] > 0 && in.Kill[u] <= c.Depth }

// Shape returns the shape of v.
func (in *Info) Shape(v *kernel.Value) Shape { return in.Shapes[v.ID] }

// Uniform reports whether all active lanes hold the same v.
func (in *Info) Uniform(v *kernel.Value) bool { return in.Shapes[v.ID].IsUniform() }

// Analyze finds the shapes of all values of f and its divergent branches: the
// least fixpoint of the transfer rules under sync dependence and temporal
// divergence (Moll & Hack, "Partial Control-Flow Linearization", PLDI 2018;
// Rosemann, Moll & Hack, "An Abstract Interpretation for SPMD Divergence on
// Reducible Control Flow Graphs", POPL 2021), extended to irreducible cycles.
//
// requires: LCSSA (values of a cycle are used outside only through parameters)
func Analyze(f *kernel.Func, opt Options) *Info {
	a := newAnalysis(f, opt)
	a.run()
	return a.Info
}

func newAnalysis(f *kernel.Func, opt Options) *analysis {
	g := f.Graph()
	loops := cfg.Cycles(g)
	n, values := len(f.Blocks), f.NumValues()
	a := &analysis{
		Info: &Info{
			Func: f, Shapes: make([]Shape, values), Bounds: make([]Bounds, values),
			Divergent: make([]bool, n), Joins: make([]bool, n), Temporal: make([]bool, n), Asynchronous: make([]bool, n),
			Kill: make([]int, n), joinedBy: noBranches(n), temporalBy: noBranches(n), asynchronousBy: noBranches(n),
			loops: loops, objects: newObjects(f, g), edgesTo: make([][]kernel.Edge, n), divergedBy: noBranches(len(loops.Cycles)),
		},
		opt: opt, sync: newSync(g, loops), exits: newKills(g, loops),
		users: make([][]*kernel.Value, values), conds: make([][]*kernel.Block, values),
		queued: make([]bool, values), grown: make([]int, values),
	}
	for _, p := range f.Blocks {
		for _, e := range p.Edges {
			a.edgesTo[e.To.ID] = append(a.edgesTo[e.To.ID], e)
		}
	}
	return a
}

// entering lists the edges to b, in the order of their source blocks.
func (in *Info) entering(b *kernel.Block) []kernel.Edge { return in.edgesTo[b.ID] }

type analysis struct {
	*Info
	opt    Options
	sync   *syncDependence
	exits  *kills
	users  [][]*kernel.Value // by value ID: operations and block parameters
	conds  [][]*kernel.Block // by value ID: the blocks that branch on it
	grown  []int             // by value ID: how many times the bounds of a parameter grew
	work   []*kernel.Value
	queued []bool
}

func (a *analysis) run() {
	for _, exits := range a.exits.exits {
		for _, x := range exits {
			a.Kill[x.block] = a.exits.depth(x.block)
		}
	}
	use := func(v, by *kernel.Value) {
		a.users[v.ID] = append(a.users[v.ID], by)
		a.constant(v)
	}
	for _, b := range a.Func.Blocks {
		for _, v := range b.Values {
			for _, x := range v.Args {
				use(x, v)
			}
		}
		if b.Cond != nil {
			a.conds[b.Cond.ID] = append(a.conds[b.Cond.ID], b)
			a.constant(b.Cond)
		}
		for _, e := range b.Edges {
			for i, x := range e.Args {
				use(x, e.To.Params[i])
			}
		}
	}
	for _, b := range a.Func.Blocks {
		for _, p := range b.Params {
			a.push(p)
		}
		for _, v := range b.Values {
			a.push(v)
		}
	}
	for len(a.work) > 0 {
		v := a.work[0]
		a.work = a.work[1:]
		a.queued[v.ID] = false
		a.update(v)
	}
}

func (a *analysis) constant(v *kernel.Value) {
	if v.Op == kernel.Const {
		a.Shapes[v.ID] = Uniform(constAlign(v.Const))
		a.Bounds[v.ID] = exactly(v.Type, v.Const)
	}
}

func (a *analysis) push(v *kernel.Value) {
	if !a.queued[v.ID] {
		a.queued[v.ID] = true
		a.work = append(a.work, v)
	}
}

// maxGrowth limits how many times the bounds of a block parameter may grow before
// they are widened to the whole type: those of a counter would grow in every iteration.
const maxGrowth = 4

func (a *analysis) update(v *kernel.Value) {
	if v.Op == kernel.Store {
		a.stored(v)
	}
	old, known := a.Shapes[v.ID], a.Bounds[v.ID]
	s, b := a.transfer(v)
	if s.Kind == Bottom {
		return
	}
	s = join(old, s)
	if old.Kind != Bottom {
		b = cover(known, b)
	}
	if v.Op == kernel.Param && b != known {
		if a.grown[v.ID]++; a.grown[v.ID] > maxGrowth {
			b = anything(v.Type)
		}
	}
	b = b.ifShaped(v.Type, s)
	if s == old && b == known {
		return
	}
	a.Shapes[v.ID], a.Bounds[v.ID] = s, b
	for _, u := range a.users[v.ID] {
		a.push(u)
	}
	if !s.IsUniform() {
		for _, b := range a.conds[v.ID] {
			a.diverge(b)
		}
	}
}

// diverge marks the branch of b as divergent and propagates its effects on control flow.
func (a *analysis) diverge(b *kernel.Block) {
	if a.Divergent[b.ID] || len(b.Edges) < 2 {
		return
	}
	a.Divergent[b.ID] = true
	a.separate(b.ID)
	for _, u := range a.exits.diverge(b.ID) {
		a.Kill[u] = a.exits.depth(u)
		for c := a.loops.InnermostCycle(u); c != nil; c = c.Parent {
			a.markExit(c, u)
		}
	}
	effect := a.sync.of(b.ID)
	for _, t := range effect.joins {
		a.mark(a.Joins, a.joinedBy, t, b.ID)
	}
	for _, t := range effect.temporal {
		a.mark(a.Temporal, a.temporalBy, t, b.ID)
	}
	for _, c := range effect.cycles {
		a.divergedBy[c.ID] = b.ID
		for _, id := range c.Blocks {
			a.runsPartially(id)
		}
		for _, id := range c.Blocks {
			a.markExit(c, id)
		}
	}
	for _, id := range effect.asynchronous {
		a.runsPartially(id)
		if a.mark(a.Asynchronous, a.asynchronousBy, id, b.ID) {
			for _, v := range a.Func.Blocks[id].Values {
				a.push(v)
			}
		}
	}
}

// mark adds block id to set, records the branch that causes it, and queues the block's
// parameters. It reports whether the block is new in set.
func (a *analysis) mark(set []bool, by []int, id, branch int) bool {
	if set[id] {
		return false
	}
	if a.outside(id) || a.starts(id) {
		return false
	}
	set[id], by[id] = true, branch
	for _, p := range a.Func.Blocks[id].Params {
		a.push(p)
	}
	return true
}

// markExit marks the targets of the exits of c from one block as temporally divergent
// if lanes exit c in different iterations and the block is no kill exit.
func (a *analysis) markExit(c *cfg.Cycle, from int) {
	by := a.divergedBy[c.ID]
	if by < 0 || a.KillExit(c, from) {
		return
	}
	for _, t := range a.sync.g.Succs[from] {
		if a.loops.Contains(c, t) {
			continue
		}
		a.mark(a.Temporal, a.temporalBy, t, by)
		exits := 0
		for _, p := range a.sync.g.Preds[t] {
			if a.loops.Contains(c, p) {
				exits++
			}
		}
		if exits > 1 {
			a.mark(a.Joins, a.joinedBy, t, by)
		}
	}
}

// noBranches returns a table of n entries that name no branch (-1).
func noBranches(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = -1
	}
	return s
}

// transfer computes the shape and bounds of v from those of its operands.
func (a *analysis) transfer(v *kernel.Value) (Shape, Bounds) {
	if v.Op == kernel.Param && a.starts(v.Block.ID) {
		return a.counter(v)
	}
	s, b := a.evaluate(v)
	if a.outside(v.Block.ID) && s.Kind != Bottom {
		return a.outsideLoop(v, s, b)
	}
	return s, b
}

func (a *analysis) evaluate(v *kernel.Value) (Shape, Bounds) {
	if a.opt.Width == 1 || v.Type == alu.Void {
		return Uniform(1), anything(v.Type)
	}
	// In an asynchronous cycle, values that change between iterations vary; values
	// computed from operands outside the cycle do not change.
	if a.Asynchronous[v.Block.ID] && (v.Op == kernel.Param || v.Op == kernel.Load) {
		return varying, anything(v.Type)
	}
	if v.Op == kernel.Param {
		return a.parameter(v)
	}
	for _, x := range v.Args {
		if a.Shapes[x.ID].Kind == Bottom {
			return Shape{}, Bounds{} // until the operand is reached
		}
	}
	if !v.Op.Pure() {
		return a.impure(v)
	}
	s, b := pure(v.Op, v.Type, a.opt.Width, a.operands(v))
	return a.inRow(v, s, b)
}

func (a *analysis) operands(v *kernel.Value) []operand {
	xs := make([]operand, len(v.Args))
	for i, x := range v.Args {
		xs[i] = operand{a.Shapes[x.ID], a.Bounds[x.ID], x.Type}
	}
	return xs
}

// parameter joins the arguments of the edges that have been reached.
func (a *analysis) parameter(v *kernel.Value) (s Shape, b Bounds) {
	if (a.Joins[v.Block.ID] || a.Temporal[v.Block.ID]) && !a.oneConstant(v) {
		return varying, anything(v.Type)
	}
	for _, e := range a.entering(v.Block) {
		x := e.Args[v.Index]
		switch {
		case a.Shapes[x.ID].Kind == Bottom:
			continue
		case s.Kind == Bottom:
			b = a.Bounds[x.ID]
		default:
			b = cover(b, a.Bounds[x.ID])
		}
		s = join(s, a.Shapes[x.ID])
	}
	return s, b
}

// oneConstant reports whether every edge passes the same constant: the parameter is
// then uniform whichever edge a lane took.
func (a *analysis) oneConstant(p *kernel.Value) bool {
	edges := a.entering(p.Block)
	for _, e := range edges {
		if x := e.Args[p.Index]; x != edges[0].Args[p.Index] || x.Op != kernel.Const {
			return false
		}
	}
	return true
}

// String prints the kernel with shapes, access kinds and divergent branches as
// comments. A value whose shape is more precise within addresses gets both shapes.
func (in *Info) String() string {
	even := in.inAddresses()
	p := kernel.Printer{
		Value: func(v *kernel.Value) string {
			if in.outside(v.Block.ID) {
				return ""
			}
			var notes []string
			if v.Type != alu.Void {
				notes = append(notes, in.Shapes[v.ID].String())
			}
			if s, ok := even[v]; ok {
				notes = append(notes, s.String()+" in addresses")
			}
			if v.Op == kernel.Load || v.Op == kernel.Store {
				kind, _ := in.Access(v)
				notes = append(notes, kind.String()+" access")
			}
			return strings.Join(notes, ", ")
		},
		Block: func(b *kernel.Block) string {
			var notes []string
			if in.starts(b.ID) {
				notes = append(notes, "iterations of this loop are lanes")
			}
			for _, n := range []struct {
				set  []bool
				text string
			}{{in.Joins, "divergent join"}, {in.Temporal, "temporal divergence"}, {in.Asynchronous, "asynchronous cycle"}} {
				if n.set[b.ID] {
					notes = append(notes, n.text)
				}
			}
			return strings.Join(notes, ", ")
		},
		Term: func(b *kernel.Block) string {
			switch {
			case len(b.Edges) < 2 || in.outside(b.ID):
				return ""
			case in.Divergent[b.ID]:
				return "divergent"
			case in.kills(b):
				return "uniform, kill exit"
			}
			return "uniform"
		},
	}
	return p.Func(in.Func)
}

// kills reports whether b is a kill exit of a cycle that lanes otherwise exit in
// different iterations.
func (in *Info) kills(b *kernel.Block) bool {
	for c := in.loops.InnermostCycle(b.ID); c != nil && in.KillExit(c, b.ID); c = c.Parent {
		if in.ExitsDivergently(c) {
			return true
		}
	}
	return false
}
