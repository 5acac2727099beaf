package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// flow holds the analysis of a function: live values, block frequencies, trip counts and
// divergent loops.
type flow struct {
	f     *vir.Func
	width int     // of the estimated code
	row   float64 // work-items in a row
	order []int   // reverse postorder
	loops *cfg.CycleForest

	dominators *cfg.DomTree

	passed        [][]*vir.Value // by ID of a parameter: the values passed to it
	live          []bool         // by value ID: needed by an effect or a branch
	folded        []bool         // scalar address arithmetic that memory operands absorb
	varying       []bool         // width 1: differs between work-items
	varyingMemory []bool         // width 1, by root: memory that varying values are stored to
	linearInID    []bool         // width 1: linear in the work-item's ID, plus any other term
	freq          []float64
	share         [][]float64  // by block and edge: probability of the edge
	idle          []float64    // by block: the share of freq in which a lane waits for others
	divergent     []bool       // by cycle: lanes exit at different times
	imbalance     []imbalance  // by cycle: the causes of lane imbalance
	probs         []float64    // by value ID: 1 + its probability, once computed
	pathSelector  []bool       // by value ID: one of several constants, selected by control flow
	stayMask      []*cfg.Cycle // by value ID: the cycle whose remaining lanes the mask holds
	inEdges       [][]edge     // by block: its incoming edges
	nonEmpty      []*vir.Value // by block: a mask that is not empty whenever the block runs
	exits         []int        // by cycle: number of exit edges
	trips         []float64    // by cycle: trip-count estimate of the header
	tripsKnown    []bool       // by cycle: whether the trip count has evidence from the loop itself
	tripLimit     []float64    // by cycle: upper bound of the trip count
	untilLastLane []bool       // by cycle: trips already counts until the last lane exits
	stayProb      []float64    // by cycle: probability that a lane stays, if trips follows from it; else 0
	long          bool         // outermost loops without evidence have many iterations
	sharedLimit   []bool       // by cycle: lanes advance to a common limit at different speeds
	enteringLanes []float64    // by cycle: mean number of lanes that enter it
	defersAll     bool         // all work-items are assumed to be deferred
	strip         *cfg.Cycle   // the strip loop, or nil
	deferredStrip *cfg.Cycle   // the strip loop over deferred work-items, or nil
	rowKnown      bool
	blockLoop     []*cfg.Cycle // innermost cycle
	phases        []phase      // of a work-group with barriers

	root []*vir.Value // by ID of an address: the base of its memory object; nil: unknown

	class    []registerClass // by value ID
	size     []int           // by value ID, in registers
	global   []*vir.Value    // values used outside their blocks
	globalID []int           // by value ID: the index in global, or -1
}

// newFlow analyzes f. Frequencies are relative to one run of the strip loop's body; code
// before it runs too seldom to count. trips is Candidate.Trips, and row Candidate.Row.
func newFlow(f *vir.Func, width, trips, row int) *flow {
	g := f.Graph()
	w := &flow{
		f: f, width: width, row: longRow, order: g.ReversePostOrder(), loops: cfg.Cycles(g),
		live: make([]bool, f.NumValues()), varying: make([]bool, f.NumValues()), varyingMemory: make([]bool, f.NumValues()), linearInID: make([]bool, f.NumValues()),
		freq: make([]float64, len(f.Blocks)), idle: make([]float64, len(f.Blocks)),
		blockLoop: make([]*cfg.Cycle, len(f.Blocks)),
	}
	switch {
	case row > 0:
		w.row, w.rowKnown = float64(row), true
	case f.Groups:
		w.row = assumedGroup
	}
	// The loops over the rows, planes and phases of a group, and over groups, contain the
	// strip loop. The loop over the remainder of full strips follows it.
	around := 0
	if f.Groups {
		around += 3
	}
	if f.Phases {
		around++
	}
	if f.Defers {
		around++
	}
	for _, b := range w.order {
		if c := w.loops.InnermostCycle(b); c != nil && c.Depth > around {
			for ; c.Depth > around+1; c = c.Parent {
			}
			w.strip = c
			break
		}
	}
	w.findDeferredStrip(g)
	w.divergent, w.imbalance = make([]bool, len(w.loops.Cycles)), make([]imbalance, len(w.loops.Cycles))
	for _, b := range w.order {
		w.blockLoop[b] = w.loops.InnermostCycle(b)
	}
	w.findPhases()
	w.findLive()
	w.findFolded()
	w.findRoots()
	if w.perItemBranches() {
		w.findVarying()
	}
	w.findPathSelectors()
	w.findDivergent()
	w.findStayMasks(g)
	w.findExits()
	w.findTrips(float64(trips))
	w.count()
	return w
}

// perItemBranches reports whether each branch decides for one work-item, so that
// consecutive executions are independent: with one lane, or iterations as lanes.
func (w *flow) perItemBranches() bool { return w.width == 1 || w.f.Iterations }

// leaves reports whether an edge to block to exits c.
func (w *flow) leaves(c *cfg.Cycle, to int) bool { return c != nil && !w.loops.Contains(c, to) }

// findExits counts the exit edges of loops.
func (w *flow) findExits() {
	w.exits = make([]int, len(w.loops.Cycles))
	for _, b := range w.order {
		for _, e := range w.f.Blocks[b].Edges {
			for c := w.blockLoop[b]; w.leaves(c, e.To.ID); c = c.Parent {
				w.exits[c.ID]++
			}
		}
	}
}

// findLive marks the values that effects and branches depend on; candidates contain dead
// code that no target selects.
func (w *flow) findLive() {
	var work []*vir.Value
	need := func(v *vir.Value) {
		if !w.live[v.ID] {
			w.live[v.ID] = true
			work = append(work, v)
		}
	}
	w.passed = make([][]*vir.Value, w.f.NumValues())
	for _, b := range w.f.Blocks {
		for _, v := range b.Values {
			if vir.InfoOf(v.Op).Effect == vir.Writes {
				need(v)
			}
		}
		if b.Cond != nil {
			need(b.Cond)
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				p := e.To.Params[i]
				w.passed[p.ID] = append(w.passed[p.ID], a)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			need(a)
		}
		for _, a := range w.passed[v.ID] {
			need(a)
		}
	}
}

// findFolded marks sums that are used only as addresses, and the scaled indices in them.
func (w *flow) findFolded() {
	w.folded = make([]bool, w.f.NumValues())
	others := make([]int, w.f.NumValues()) // uses other than as an address
	var addresses []*vir.Value
	for _, b := range w.f.Blocks {
		for _, v := range b.Values {
			if !w.live[v.ID] {
				continue
			}
			for i, a := range v.Args {
				if i == 0 && vir.InfoOf(v.Op).Memory {
					addresses = append(addresses, a)
				} else {
					others[a.ID]++
				}
			}
		}
		for _, e := range b.Edges {
			for _, a := range e.Args {
				others[a.ID]++
			}
		}
	}
	for _, a := range addresses {
		if a.Op != alu.Add || others[a.ID] > 0 {
			continue
		}
		w.folded[a.ID] = true
		for _, x := range a.Args {
			if scaled(x) && others[x.ID] <= 2 {
				w.folded[x.ID] = true
			}
		}
	}
}

// scaled matches an index times 2, 4 or 8.
func scaled(v *vir.Value) bool {
	if len(v.Args) != 2 || v.Args[1].Op != vir.Const {
		return false
	}
	c := v.Args[1].Const
	return v.Op == alu.Shl && c >= 1 && c <= 3 || v.Op == alu.Mul && (c == 2 || c == 4 || c == 8)
}

// findVarying marks values of width-1 code that depend on the work-item's ID, that is on a
// parameter of the strip loop, also through memory. Control dependence is ignored: the
// result only serves to estimate branch prediction.
func (w *flow) findVarying() {
	if w.strip != nil {
		for _, p := range w.f.Blocks[w.strip.Header].Params {
			w.varying[p.ID], w.linearInID[p.ID] = true, true
		}
	}
	for changed := true; changed; {
		changed = false
		mark := func(v *vir.Value, args ...*vir.Value) {
			for _, a := range args {
				if w.varying[a.ID] && !w.varying[v.ID] {
					w.varying[v.ID], changed = true, true
				}
				if w.linearInID[a.ID] && !w.linearInID[v.ID] && linear(v) {
					w.linearInID[v.ID], changed = true, true
				}
			}
		}
		for _, id := range w.order {
			b := w.f.Blocks[id]
			for _, v := range b.Values {
				mark(v, v.Args...)
				// A stored varying value makes its memory object varying.
				if v.Op != vir.Load && v.Op != vir.Store {
					continue
				}
				if r := w.root[v.Args[0].ID]; r != nil {
					switch {
					case v.Op == vir.Store && w.varying[v.Args[1].ID] && !w.varyingMemory[r.ID]:
						w.varyingMemory[r.ID], changed = true, true
					case v.Op == vir.Load && w.varyingMemory[r.ID] && !w.varying[v.ID]:
						w.varying[v.ID], changed = true, true
					}
				}
			}
			for _, e := range b.Edges {
				for i, a := range e.Args {
					mark(e.To.Params[i], a)
				}
			}
		}
	}
}

// linear reports whether v is approximately linear in each of its operands.
func linear(v *vir.Value) bool {
	switch v.Op {
	case vir.Param, alu.Add, alu.Sub, alu.Mul, alu.Shl, alu.AShr, alu.ZExt, alu.SExt, alu.Trunc:
		return true
	}
	return false
}

// onMask reports whether a branch condition tests a mask.
func onMask(v *vir.Value) bool {
	if v == nil {
		return false
	}
	if v.Op == vir.Any || v.Op == vir.All {
		return true
	}
	for _, a := range v.Args {
		if v.Op.Pure() && a.Type.IsScalar() && a.Type.Bits() == 1 && onMask(a) {
			return true
		}
	}
	return false
}

// maxFreq limits block frequencies: those of deeply nested loops would overflow.
const maxFreq = 1e60

// count computes freq and idle.
func (w *flow) count() {
	position := make([]int, len(w.f.Blocks))
	for i, b := range w.order {
		position[b] = i
	}
	exits := w.exits
	leaves := w.leaves
	useful := make([]float64, len(w.f.Blocks)) // without idle lanes
	if len(w.order) == 0 {
		return
	}
	entry := w.order[0]
	w.share = make([][]float64, len(w.f.Blocks))
	w.freq[entry], useful[entry] = 1, 1
	for _, id := range w.order {
		b := w.f.Blocks[id]
		c := w.blockLoop[id]
		switch {
		case w.strip == nil:
		case !w.inStrips(id):
			if id != entry {
				w.freq[id], useful[id] = 0, 0
			}
		case id == w.strip.Header:
			w.freq[id] = w.phaseRuns()
			useful[id] = w.freq[id]
		case w.deferredStrip != nil && id == w.deferredStrip.Header:
			w.freq[id] = w.deferredShare()
			useful[id] = w.freq[id]
		case c.Header == id:
			for _, e := range c.Entries[1:] { // other entries of the cycle contribute iterations, too
				w.freq[id] += w.freq[e]
				useful[id] += useful[e]
			}
			w.countEntering(c)
			w.freq[id] *= w.trips[c.ID]
			useful[id] *= w.trips[c.ID]
			if w.divergent[c.ID] {
				w.freq[id] *= w.imbalanceFactor(c)
			}
			w.freq[id], useful[id] = min(w.freq[id], maxFreq), min(useful[id], maxFreq)
		}
		share := make([]float64, len(b.Edges))
		w.share[id] = share
		for i, e := range b.Edges {
			share[i] = 1 / float64(len(b.Edges))
			switch other := len(b.Edges) - 1 - i; {
			case len(b.Edges) == 1:
			case b.Edges[0].Rare || b.Edges[1].Rare:
				share[i] = math.Abs(float64(i) - w.takenProbability(b))
			case leaves(c, e.To.ID) && !leaves(c, b.Edges[other].To.ID):
				share[i] = w.exitShare(c, exits)
			case !leaves(c, e.To.ID) && leaves(c, b.Edges[other].To.ID):
				share[i] = 1 - w.exitShare(c, exits)
			default:
				share[i] = math.Abs(float64(i) - w.takenProbability(b))
			}
		}
		for i, e := range b.Edges {
			to := e.To.ID
			if position[to] <= position[id] {
				continue
			}
			// The work of a divergent loop is shared by its lanes; the code after it runs
			// once for all lanes.
			out := 1.0
			for d := c; leaves(d, to); d = d.Parent {
				if w.divergent[d.ID] {
					out /= w.imbalanceFactor(d)
				}
			}
			w.freq[to] += w.freq[id] * share[i] * out
			useful[to] += useful[id] * share[i]
		}
	}
	for id := range w.freq {
		w.idle[id] = max(0, w.freq[id]-useful[id])
	}
}

// inStrips reports whether a block is in a strip loop, if there is one.
func (w *flow) inStrips(b int) bool {
	return w.strip == nil || w.loops.Contains(w.strip, b) || w.deferredStrip != nil && w.loops.Contains(w.deferredStrip, b)
}

// deferredCounter returns the operation that counts deferred work-items.
func (w *flow) deferredCounter() *vir.Value {
	if !w.f.Defers || w.strip == nil {
		return nil
	}
	for _, b := range w.strip.Blocks {
		for _, v := range w.f.Blocks[b].Values {
			if v.Op == vir.Atomic && v.Local {
				return v
			}
		}
	}
	return nil
}

// findDeferredStrip finds the strip loop over deferred work-items: the first after the load
// of their count.
func (w *flow) findDeferredStrip(g *cfg.Graph) {
	count := w.deferredCounter()
	if count == nil {
		return
	}
	dom := cfg.Dominators(g)
	loads := -1
	for _, b := range w.order {
		if loads < 0 && slices.ContainsFunc(w.f.Blocks[b].Values, func(v *vir.Value) bool { return v.Op == vir.Load && v.Args[0] == count.Args[0] }) {
			loads = b
		}
		if c := w.loops.InnermostCycle(b); loads >= 0 && dom.Dominates(loads, b) && c != nil && c.Depth >= w.strip.Depth {
			for ; c.Depth > w.strip.Depth; c = c.Parent {
			}
			w.deferredStrip = c
			return
		}
	}
}

// deferAll assumes from now on that all work-items are deferred.
func (w *flow) deferAll() {
	w.defersAll = true
	clear(w.freq)
	clear(w.idle)
	w.count()
}

// countsDeferred reports whether the trip counts of all loops that deferred work-items run are
// known.
func (w *flow) countsDeferred() bool {
	return !slices.ContainsFunc(w.loops.Cycles, func(c *cfg.Cycle) bool {
		return c != w.deferredStrip && w.loops.Contains(w.deferredStrip, c.Header) && !w.tripsKnown[c.ID]
	})
}

// defers reports whether b is a block that saves deferred work-items.
func (w *flow) defers(b *vir.Block) bool {
	return w.f.Defers && slices.ContainsFunc(b.Values, func(v *vir.Value) bool { return v.Op == vir.Atomic && v.Local })
}

// deferredShare returns the share of the work-items that are deferred, from the mask that
// is counted.
func (w *flow) deferredShare() float64 {
	if w.defersAll {
		return 1
	}
	n := w.deferredCounter().Args[1]
	for n.Op == alu.Trunc || n.Op == alu.ZExt {
		n = n.Args[0]
	}
	if n.Op == vir.Count {
		return w.probability(n.Args[0])
	}
	return unknown
}

// exitShare returns the probability that a block with an exit from c takes it.
func (w *flow) exitShare(c *cfg.Cycle, exits []int) float64 {
	if c.Depth == 1 {
		return 1 / float64(exits[c.ID]+1)
	}
	return 1 / (w.trips[c.ID] * float64(exits[c.ID]))
}
