package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// flow is what is known of a function's control flow: what is alive, how often
// blocks run, which loops lanes leave one by one.
type flow struct {
	f     *vir.Func
	width int   // of the code that is priced
	order []int // reverse postorder
	loops *cfg.CycleForest

	dominators *cfg.DomTree

	passed    [][]*vir.Value // by ID of a parameter: what edges give it
	live      []bool         // by value ID: somebody needs it
	folded    []bool         // scalar address arithmetic that memory operands do
	varying   []bool         // width 1: differs between work-items
	changing  []bool         // width 1, by root: memory that varying values are stored to
	own       []bool         // width 1: an address that is the id's multiple, plus what need not be
	freq      []float64
	share     [][]float64  // by block and edge: how often the block goes there
	idle      []float64    // by block: how much of freq is lanes waiting for others
	divergent []bool       // by cycle: lanes leave it at different times
	spread    []spread     // by cycle: and how far they go apart
	chances   []float64    // by value ID: 1 + its chance, as far as asked for
	chosen    []bool       // by value ID: one of constants, by the way that control took
	going     []*cfg.Cycle // by value ID: a mask of the lanes that stay in this cycle
	into      [][]edge     // by block: the edges to it
	asked     []*vir.Value // by block: the mask that is not empty, or it would not be entered
	exits     []int        // by cycle: edges that leave it
	trips     []float64    // by cycle: how often the header runs
	known     []bool       // by cycle: something tells that, of this loop alone
	most      []float64    // by cycle: and at most, by a counter
	last      []bool       // by cycle: until the last lane has left
	stays     []float64    // by cycle: that a lane goes on, if that tells how often; else 0
	pace      []bool       // by cycle: lanes go on to a limit that they share, each at its own pace
	lanes     []float64    // by cycle: how many lanes of a vector enter it
	strip     *cfg.Cycle   // the loop over strips; nil: there is none
	later     *cfg.Cycle   // that over strips of work-items that were put off; nil: there is none
	blockLoop []*cfg.Cycle // innermost cycle

	root []*vir.Value // by ID of an address: the block of memory it is in; nil: unknown

	class []registerClass // by value ID, where it lives
	size  []int           // and in how many registers
	far   []*vir.Value    // values used outside their blocks
	farID []int           // by value ID, where it is in far, or -1
}

// newFlow analyzes f. Frequencies count from one run of the strip loop's body;
// what stands before it runs too seldom to count. rounds is Candidate.Rounds.
func newFlow(f *vir.Func, width, rounds int) *flow {
	g := f.Graph()
	w := &flow{
		f: f, width: width, order: g.ReversePostOrder(), loops: cfg.Cycles(g),
		live: make([]bool, f.NumValues()), varying: make([]bool, f.NumValues()), changing: make([]bool, f.NumValues()), own: make([]bool, f.NumValues()),
		freq: make([]float64, len(f.Blocks)), idle: make([]float64, len(f.Blocks)),
		blockLoop: make([]*cfg.Cycle, len(f.Blocks)),
	}
	// The loop over strips lies in those over the rows, planes and phases of a
	// group, and over groups. What is left over when the strips are full comes after it.
	around := 0
	if f.Groups {
		around += 3
	}
	if f.Phases {
		around++
	}
	if f.Postpones {
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
	w.findLater(g)
	w.divergent, w.spread = make([]bool, len(w.loops.Cycles)), make([]spread, len(w.loops.Cycles))
	for _, b := range w.order {
		w.blockLoop[b] = w.loops.InnermostCycle(b)
	}
	w.findLive()
	w.findFolded()
	w.findRoots()
	if w.oneByOne() {
		w.findVarying()
	}
	w.findChosen()
	w.findDivergent()
	w.findGoing(g)
	w.findExits()
	w.findTrips(float64(rounds))
	w.count()
	return w
}

// oneByOne reports whether a branch goes by one work-item, so that the next may go another
// way: where there is one lane, or lanes are rounds of its loops.
func (w *flow) oneByOne() bool { return w.width == 1 || w.f.Rounds }

// leaves reports whether an edge to a block leaves a loop.
func (w *flow) leaves(c *cfg.Cycle, to int) bool { return c != nil && !w.loops.Contains(c, to) }

// findExits counts the edges that leave loops.
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

// findLive marks what effects and branches depend on; candidates come with
// leftovers that no target selects.
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

// findFolded marks the sums that only serve as addresses, and the scaled
// indices in them.
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

// findVarying marks what depends on the work-item's id, that is on a parameter
// of the strip loop, in code of width 1, by way of memory too. Control dependence
// is left out: it is a guess for the predictor's sake.
func (w *flow) findVarying() {
	if w.strip != nil {
		for _, p := range w.f.Blocks[w.strip.Header].Params {
			w.varying[p.ID], w.own[p.ID] = true, true
		}
	}
	for changed := true; changed; {
		changed = false
		mark := func(v *vir.Value, args ...*vir.Value) {
			for _, a := range args {
				if w.varying[a.ID] && !w.varying[v.ID] {
					w.varying[v.ID], changed = true, true
				}
				if w.own[a.ID] && !w.own[v.ID] && linear(v) {
					w.own[v.ID], changed = true, true
				}
			}
		}
		for _, id := range w.order {
			b := w.f.Blocks[id]
			for _, v := range b.Values {
				mark(v, v.Args...)
				// What is stored makes its block of memory varying.
				if v.Op != vir.Load && v.Op != vir.Store {
					continue
				}
				if r := w.root[v.Args[0].ID]; r != nil {
					switch {
					case v.Op == vir.Store && w.varying[v.Args[1].ID] && !w.changing[r.ID]:
						w.changing[r.ID], changed = true, true
					case v.Op == vir.Load && w.changing[r.ID] && !w.varying[v.ID]:
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

// linear reports whether v is a multiple of each of its operands, or nearly so.
func linear(v *vir.Value) bool {
	switch v.Op {
	case vir.Param, alu.Add, alu.Sub, alu.Mul, alu.Shl, alu.AShr, alu.ZExt, alu.SExt, alu.Trunc:
		return true
	}
	return false
}

// onMask reports whether a branch condition asks masks whether lanes are left.
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

// endless is more often than any block is run: loops deep in loops would go beyond what
// costs can be computed with.
const endless = 1e60

// count computes freq and idle.
func (w *flow) count() {
	position := make([]int, len(w.f.Blocks))
	for i, b := range w.order {
		position[b] = i
	}
	exits := w.exits
	leaves := w.leaves
	useful := make([]float64, len(w.f.Blocks)) // without the waste
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
			w.freq[id], useful[id] = 1, 1
		case w.later != nil && id == w.later.Header:
			w.freq[id] = w.putOff()
			useful[id] = w.freq[id]
		case c.Header == id:
			for _, e := range c.Entries[1:] { // it goes round no less often for who enters elsewhere
				w.freq[id] += w.freq[e]
				useful[id] += useful[e]
			}
			w.arrive(c)
			w.freq[id] *= w.trips[c.ID]
			useful[id] *= w.trips[c.ID]
			if w.divergent[c.ID] {
				w.freq[id] *= w.waste(c)
			}
			w.freq[id], useful[id] = min(w.freq[id], endless), min(useful[id], endless)
		}
		share := make([]float64, len(b.Edges))
		w.share[id] = share
		for i, e := range b.Edges {
			share[i] = 1 / float64(len(b.Edges))
			switch other := len(b.Edges) - 1 - i; {
			case len(b.Edges) == 1:
			case leaves(c, e.To.ID) && !leaves(c, b.Edges[other].To.ID):
				share[i] = w.leaving(c, exits)
			case !leaves(c, e.To.ID) && leaves(c, b.Edges[other].To.ID):
				share[i] = 1 - w.leaving(c, exits)
			default:
				share[i] = math.Abs(float64(i) - w.taken(b))
			}
		}
		for i, e := range b.Edges {
			to := e.To.ID
			if position[to] <= position[id] {
				continue
			}
			// All the work of a divergent loop is divided among its lanes, and
			// what comes after runs once again.
			out := 1.0
			for d := c; leaves(d, to); d = d.Parent {
				if w.divergent[d.ID] {
					out /= w.waste(d)
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

// inStrips reports whether a block is in a loop over strips, where there is one.
func (w *flow) inStrips(b int) bool {
	return w.strip == nil || w.loops.Contains(w.strip, b) || w.later != nil && w.loops.Contains(w.later, b)
}

// countOfLater returns the operation that counts the work-items that are put off.
func (w *flow) countOfLater() *vir.Value {
	if !w.f.Postpones || w.strip == nil {
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

// findLater finds the loop over strips of work-items that were put off: the first behind
// where their count is looked at.
func (w *flow) findLater(g *cfg.Graph) {
	count := w.countOfLater()
	if count == nil {
		return
	}
	dom := cfg.Dominators(g)
	asked := -1
	for _, b := range w.order {
		if asked < 0 && slices.ContainsFunc(w.f.Blocks[b].Values, func(v *vir.Value) bool { return v.Op == vir.Load && v.Args[0] == count.Args[0] }) {
			asked = b
		}
		if c := w.loops.InnermostCycle(b); asked >= 0 && dom.Dominates(asked, b) && c != nil && c.Depth >= w.strip.Depth {
			for ; c.Depth > w.strip.Depth; c = c.Parent {
			}
			w.later = c
			return
		}
	}
}

// putOff is the share of the work-items that are put off: of the lanes that are counted.
func (w *flow) putOff() float64 {
	n := w.countOfLater().Args[1]
	for n.Op == alu.Trunc || n.Op == alu.ZExt {
		n = n.Args[0]
	}
	if n.Op == vir.Count {
		return w.chance(n.Args[0])
	}
	return unknown
}

// leaving is the chance that a block with an exit takes it.
func (w *flow) leaving(c *cfg.Cycle, exits []int) float64 {
	if c.Depth == 1 {
		return 1 / float64(exits[c.ID]+1)
	}
	return 1 / (w.trips[c.ID] * float64(exits[c.ID]))
}
