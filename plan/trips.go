package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// findTrips estimates how often loop headers run each time the loop is entered, mostly from
// exits that compare a counter with a constant. iterations is Candidate.Trips.
func (w *flow) findTrips(iterations float64) {
	n := len(w.loops.Cycles)
	w.long = iterations == LongTrips
	w.trips, w.tripsKnown, w.tripLimit, w.untilLastLane = make([]float64, n), make([]bool, n), make([]float64, n), make([]bool, n)
	w.stayProb, w.enteringLanes, w.sharedLimit = make([]float64, n), make([]float64, n), make([]bool, n)
	setTrips := func(c *cfg.Cycle, trips float64) { w.trips[c.ID], w.tripsKnown[c.ID] = trips, true }
	copies := make([]int, n)      // iterations of the source in one
	splitKnown := make([]bool, n) // the iterations of a tiled loop and its remainder are known
	for i, c := range w.loops.Cycles {
		w.trips[i], w.tripLimit[i], w.enteringLanes[i] = defaultTrips, math.Inf(1), float64(w.width)
		copies[c.ID] = w.copies(c)
	}
	for _, b := range w.order {
		c := w.blockLoop[b]
		if c == nil || c.Depth == 1 || w.f.Blocks[b].Kind != vir.Branch {
			continue
		}
		if n := w.vectorizedTrips(c); n < w.trips[c.ID] {
			setTrips(c, n)
			w.untilLastLane[c.ID] = true
		}
		rest, tiled, chunk := w.remainderTrips(c)
		switch lanes := w.reductionLanes(tiled); {
		case lanes > 0 && math.IsInf(w.tripLimit[tiled.ID], 1): // unless its limit is known
			setTrips(tiled, 1+(w.unknownTrips(tiled)-1)/lanes)
		case lanes == 0 && tiled != nil:
			if all := w.counted(c, w.f.Blocks[b], tiled); all > 0 {
				setTrips(tiled, 1+math.Floor((all-1)/chunk))
				setTrips(c, 1+math.Mod(all-1, chunk))
				w.tripLimit[c.ID] = chunk
				splitKnown[c.ID] = true
			}
			if splitKnown[c.ID] {
				continue
			}
			setTrips(tiled, 1+(w.unknownTrips(tiled)-1)/2/chunk)
		}
		p := w.stayProbability(c, w.f.Blocks[b])
		if n := min(1/(1-p), rest); n < w.trips[c.ID] {
			setTrips(c, n)
			w.untilLastLane[c.ID] = true
			if w.stayProb[c.ID] = 0; n < rest {
				w.stayProb[c.ID] = p
			}
		}
		n := w.counted(c, w.f.Blocks[b], nil)
		if all := n * float64(copies[c.ID]); n > 0 && (w.exits[c.ID] == copies[c.ID] || all < w.trips[c.ID]) {
			setTrips(c, all)
		}
		if n > 0 && n < maxTrips {
			w.tripLimit[c.ID] = n
		}
		if times, ok := w.limited(c, w.f.Blocks[b]); ok && n == 0 {
			if all := 1 + (times.mean-1)*float64(copies[c.ID]); w.exits[c.ID] == copies[c.ID] || all < w.trips[c.ID] {
				setTrips(c, all)
			}
			w.tripLimit[c.ID] = min(w.tripLimit[c.ID], times.max)
		}
		if n := w.laneLimit(c, w.f.Blocks[b]); n < maxTrips {
			w.tripLimit[c.ID] = min(w.tripLimit[c.ID], n)
		}
		if times, alone, ok := w.toSharedLimit(c, w.f.Blocks[b]); ok {
			w.sharedLimit[c.ID] = alone
			if times.max > 0 {
				w.tripLimit[c.ID] = min(w.tripLimit[c.ID], times.max)
			}
			if alone && times.mean > 0 {
				setTrips(c, times.mean)
			}
		}
	}
	w.likeSiblings(iterations)
	w.scaleToChunks()
	for _, c := range w.loops.Cycles {
		switch {
		case w.trips[c.ID] != defaultTrips || w.tripsKnown[c.ID]:
		case w.fusedWithParent(c):
			w.trips[c.ID] = fusedTrips
		case w.stepsByParent(c):
			w.trips[c.ID] = sieveTrips
		case w.sharesIterations(c):
			w.trips[c.ID] = sharedTrips
		}
	}
	for _, c := range w.loops.Cycles {
		if w.rarelyRepeats(c) {
			setTrips(c, 1+rare)
		}
	}
	for _, c := range w.loops.Cycles {
		w.trips[c.ID] = max(1, w.trips[c.ID]/float64(copies[c.ID]))
	}
}

// unknownTrips returns the trip count of c if nothing is known about it.
func (w *flow) unknownTrips(c *cfg.Cycle) float64 {
	if w.long && w.around(c) == w.strip {
		return maxTrips
	}
	return defaultTrips
}

// rarelyRepeats reports whether all back edges of c are marked as rare, or the edges to their blocks.
func (w *flow) rarelyRepeats(c *cfg.Cycle) bool {
	for _, id := range c.Latches {
		for _, e := range w.f.Blocks[id].Edges {
			if e.To.ID == c.Header && !e.Rare && slices.ContainsFunc(w.inEdges[id], func(in edge) bool { return !w.f.Blocks[in.from].Edges[in.edge].Rare }) {
				return false
			}
		}
	}
	return true
}

// usual returns the value that v usually has: if it is a parameter of a loop that rarely repeats, the
// value with which the loop is entered.
func (w *flow) usual(v *vir.Value) *vir.Value {
	for range w.loops.Cycles {
		if v.Op != vir.Param || !w.loops.IsHeader(v.Block.ID) {
			break
		}
		c := w.loops.InnermostCycle(v.Block.ID)
		if !w.rarelyRepeats(c) {
			break
		}
		var entered *vir.Value
		for _, in := range w.inEdges[v.Block.ID] {
			if w.loops.Contains(c, in.from) {
				continue
			}
			a := w.f.Blocks[in.from].Edges[in.edge].Args[v.Index]
			if entered != nil && entered != a {
				return v
			}
			entered = a
		}
		v = entered
	}
	return v
}

// scaleToChunks divides the trip counts of loops that execute one iteration per lane at a
// time: those that compute per iteration which lanes exit, and those without divergent
// exits, whose counter advances by the width.
func (w *flow) scaleToChunks() {
	if !w.f.Iterations {
		return
	}
	lanes := float64(w.width)
	computesExits := make([]bool, len(w.loops.Cycles))
	for _, b := range w.order {
		if c := w.blockLoop[b]; c != nil && slices.ContainsFunc(w.f.Blocks[b].Values, func(v *vir.Value) bool { return v.Op == vir.Bits }) {
			computesExits[c.ID] = true
		}
	}
	for _, c := range w.loops.Cycles {
		switch n := w.trips[c.ID]; {
		case c == w.strip:
		case computesExits[c.ID] && w.exitsOnMask(c): // not a loop around the remaining iterations of another
			w.trips[c.ID] = max(1, n/lanes)
		case !slices.ContainsFunc(w.f.Blocks[c.Header].Params, func(p *vir.Value) bool { return w.step(c, p) == float64(w.f.Width) }):
		case !w.tripsKnown[c.ID]:
			w.trips[c.ID] = 1 + (n-1)/lanes
		default: // counted at the width of the code
			w.trips[c.ID] = min(max(1, n*float64(w.f.Width)/lanes), maxTrips)
		}
	}
}

// exitsOnMask reports whether an exit of c tests a mask.
func (w *flow) exitsOnMask(c *cfg.Cycle) bool {
	return slices.ContainsFunc(w.loops.Exits(c), func(e cfg.Edge) bool {
		x := w.f.Blocks[e.From].Cond
		return onMask(x) || x != nil && slices.ContainsFunc(x.Args, func(a *vir.Value) bool { return a.Op == vir.Bits })
	})
}

// vectorizedTrips returns the trip count of c in one-lane code if c runs iterations as
// lanes, or if it is the fallback for few iterations; else infinity.
func (w *flow) vectorizedTrips(c *cfg.Cycle) float64 {
	if w.width > 1 {
		return math.Inf(1)
	}
	if n := w.maskedTailLanes(c.Header); n > 0 {
		return 1 + w.unknownTrips(c)/n
	}
	for _, in := range w.inEdges[c.Header] {
		b := w.f.Blocks[in.from]
		if len(w.inEdges[b.ID]) == 1 && b.Kind == vir.Jump { // a preheader
			b = w.f.Blocks[w.inEdges[b.ID][0].from]
		}
		if b.Kind != vir.Branch || w.loops.Contains(c, b.ID) {
			continue
		}
		for _, e := range b.Edges {
			to := e.To
			if to.Kind == vir.Jump {
				to = to.Edges[0].To
			}
			if n := w.maskedTailLanes(to.ID); n > 0 && w.blockLoop[to.ID].Parent == c.Parent {
				return 1 + n/4
			}
		}
	}
	return math.Inf(1)
}

// maskedTailLanes returns the number of iterations that a loop with that header runs as
// lanes, if a masked tail runs the rest; else 0.
func (w *flow) maskedTailLanes(header int) float64 {
	c := w.blockLoop[header]
	if c == nil || c.Header != header {
		return 0
	}
	for _, e := range w.f.Blocks[header].Edges {
		if n := e.To.IterationsLeft(); n > 0 && w.leaves(c, e.To.ID) {
			return float64(n)
		}
	}
	return 0
}

// copies returns the unroll factor of c in one-lane code: how often its exits compare the
// same header parameter.
func (w *flow) copies(c *cfg.Cycle) int {
	if w.width > 1 {
		return 1
	}
	tests := map[*vir.Value]int{}
	copies := 1
	for _, e := range w.loops.Exits(c) {
		cond := w.f.Blocks[e.From].Cond
		if cond == nil || alu.InfoOf(cond.Op).Class != alu.Compare {
			continue
		}
		for _, x := range cond.Args {
			for x.Op == alu.Trunc || x.Op == alu.SExt || x.Op == alu.ZExt || x.Op == alu.Add && x.Args[1].Op == vir.Const {
				x = x.Args[0]
			}
			if x.Op == vir.Param && x.Block.ID == c.Header {
				tests[x]++
				copies = max(copies, tests[x])
			}
		}
	}
	return copies
}

// likeSiblings gives loops without evidence the trip count of sibling loops with
// evidence, because they mostly work on the same data. Outermost loops take the kernel's
// known number of iterations, since they may have been unrolled or tiled.
func (w *flow) likeSiblings(iterations float64) {
	siblings := map[*cfg.Cycle]float64{w.strip: min(1+iterations, maxTrips)} // by the loop around
	// Deferred work-items run the kernel's loops, too.
	if w.deferredStrip != nil {
		siblings[w.deferredStrip] = siblings[w.strip]
	}
	for _, c := range w.loops.Cycles {
		if !w.untilLastLane[c.ID] {
			siblings[w.around(c)] = max(siblings[w.around(c)], w.trips[c.ID])
		}
	}
	for _, c := range w.loops.Cycles {
		if !w.tripsKnown[c.ID] {
			w.trips[c.ID] = max(defaultTrips, siblings[w.around(c)])
		}
	}
}

// around returns the loop around c, except those that rarely repeat.
func (w *flow) around(c *cfg.Cycle) *cfg.Cycle {
	for c = c.Parent; c != nil && w.rarelyRepeats(c); c = c.Parent {
	}
	return c
}

// fusedWithParent reports whether the iterations of c are probably part of its parent's, in
// code of one lane: neither has a counter, as in a search back and forth, where opt.Nest
// fuses a part of the one with the other.
func (w *flow) fusedWithParent(c *cfg.Cycle) bool {
	around := c.Parent
	return w.width == 1 && around != nil && around != w.strip && c.Depth > 1 && len(around.Children) == 1 &&
		w.trips[around.ID] == defaultTrips && !w.tripsKnown[around.ID] && !w.advances(around)
}

// advances reports whether some header parameter of c moves in one direction in every
// iteration.
func (w *flow) advances(c *cfg.Cycle) bool {
	return slices.ContainsFunc(w.f.Blocks[c.Header].Params, func(p *vir.Value) bool {
		up, down := false, false
		for _, a := range w.passed[p.ID] {
			if a.Block == nil || !w.loops.Contains(c, a.Block.ID) {
				continue
			}
			moved := false
			for a != p {
				switch {
				case a.Op == alu.SExt || a.Op == alu.ZExt || a.Op == alu.Trunc:
				case len(a.Args) != 2 || a.Args[1].Block != nil && w.loops.Contains(c, a.Args[1].Block.ID):
					return false
				default:
					moved = true
					rises := a.Op != alu.Sub && a.Op != alu.LShr && (a.Args[1].Op != vir.Const || a.Args[1].Signed() > 0)
					up, down = up || rises, down || !rises
				}
				a = a.Args[0]
			}
			if !moved {
				return false
			}
		}
		return up != down
	})
}

// stayProbability returns the probability that a lane stays in c at b, if b exits c by a
// test of bits or remainders that runs in every iteration; else 1.
func (w *flow) stayProbability(c *cfg.Cycle, b *vir.Block) float64 {
	stay := slices.IndexFunc(b.Edges, func(e vir.Edge) bool { return w.loops.Contains(c, e.To.ID) })
	if stay < 0 || w.loops.Contains(c, b.Edges[1-stay].To.ID) || !w.everyIteration(c, b) || w.width > 1 && b.Cond.Op != vir.Any {
		return 1
	}
	const depth = 6
	if p := w.evidence(b.Cond, stay == 0, depth); p <= 0.5 {
		return p
	}
	return 1
}

// countEntering estimates the mean number of lanes that enter c together.
func (w *flow) countEntering(c *cfg.Cycle) {
	if share := w.enteringShare(c); share > 0 {
		w.enteringLanes[c.ID] = max(1, float64(w.width)*share/(1-math.Pow(1-share, float64(w.width))))
	}
}

// enteringShare returns the share of the lanes that enter c, or 0 if no mask determines it.
func (w *flow) enteringShare(c *cfg.Cycle) float64 {
	share := 0.0
	for _, b := range c.Blocks {
		cond := w.f.Blocks[b].Cond
		if cond == nil || cond.Op != vir.Any || w.stayMask[cond.Args[0].ID] != c {
			continue
		}
		for _, m := range conjuncts(nil, cond.Args[0]) {
			if m.Op == vir.Param && m.Block.ID == c.Header {
				share = max(share, w.passedFromOutside(m, c))
			}
		}
	}
	return share
}

// everyIteration reports whether b is on all paths to the back edges of c.
func (w *flow) everyIteration(c *cfg.Cycle, b *vir.Block) bool {
	for _, in := range w.inEdges[c.Header] {
		if w.loops.Contains(c, in.from) && !w.dominators.Dominates(b.ID, in.from) {
			return false
		}
	}
	return true
}

// evidence returns the probability that v equals as, from those terms that have evidence; 1
// if none does.
func (w *flow) evidence(v *vir.Value, as bool, depth int) float64 {
	switch {
	case depth == 0:
	case v.Op == vir.Any && as:
		return w.evidence(v.Args[0], true, depth-1)
	case v.Type.Elem == alu.I1 && (v.Op == alu.And && as || v.Op == alu.Or && !as):
		return w.evidence(v.Args[0], as, depth-1) * w.evidence(v.Args[1], as, depth-1)
	case v.Op == alu.Xor && v.Type.Elem == alu.I1 && v.Args[1].Op == vir.Const:
		return w.evidence(v.Args[0], !as, depth-1)
	case alu.InfoOf(v.Op).Class == alu.Compare && w.testsBits(v, 0) && !w.pathSelector[v.Args[0].ID]:
		if p := w.probability(v); as {
			return p
		} else {
			return 1 - p
		}
	case (v.Op == alu.Eq && as || v.Op == alu.Ne && !as) && (characters(v.Args[0]) || characters(v.Args[1])):
		return equalBytes
	}
	return 1
}

// counted returns the trip count of c until b exits it, if b tests a counter that runs
// between constants or over a constant distance; else 0. If c is the remainder of the loop
// before, which may be nil, it returns the trip count of c as if c ran all iterations.
func (w *flow) counted(c *cfg.Cycle, b *vir.Block, before *cfg.Cycle) float64 {
	stay := slices.IndexFunc(b.Edges, func(e vir.Edge) bool { return w.loops.Contains(c, e.To.ID) })
	if stay < 0 || w.loops.Contains(c, b.Edges[1-stay].To.ID) {
		return 0
	}
	cond := b.Cond
	if stay == 0 {
		cond = w.uniformPart(c, cond)
	}
	if alu.InfoOf(cond.Op).Class != alu.Compare {
		return 0
	}
	compared, limit := cond.Args[0].Type.Elem, cond.Args[1]
	x, plus := w.counterIn(c, cond.Args[0])
	swapped := x == nil
	if swapped {
		limit = cond.Args[0]
		x, plus = w.counterIn(c, cond.Args[1])
	}
	if x == nil || !x.Type.IsScalar() || !x.Type.Elem.IsInt() {
		return 0
	}
	t := x.Type
	var start, step *vir.Value
	for _, from := range w.f.Blocks {
		for _, e := range from.Edges {
			if e.To.ID != c.Header {
				continue
			}
			a := e.Args[x.Index]
			known := &start
			if w.loops.Contains(c, from.ID) {
				known = &step
				if a.Op != alu.Add || a.Args[0] != x {
					return 0
				}
				a = a.Args[1]
			} else if before != nil {
				a = w.initial(before, a)
			} else {
				a = w.usual(a)
			}
			if *known != nil && *known != a {
				return 0
			}
			*known = a
		}
	}
	if start == nil || step == nil || step.Op != vir.Const {
		return 0
	}
	v, end := start.Const, limit.Const
	if start.Op != vir.Const || limit.Op != vir.Const {
		n, ok := constantDistance(start, limit)
		if !ok {
			return 0
		}
		v, end = 0, uint64(n)&compared.Mask()
	}
	for n := 1.0; n < maxTrips; n++ {
		p, q := (v+plus)&compared.Mask(), end
		if swapped {
			p, q = q, p
		}
		if holds := alu.Eval(cond.Op, alu.I1, compared, p, q, 0) != 0; holds != (stay == 0) {
			return n
		}
		v = (v + step.Const) & t.Elem.Mask()
	}
	return maxTrips
}

// counterIn returns the header parameter of c that v is, or truncates, and the constant
// that v exceeds it by; or nil.
func (w *flow) counterIn(c *cfg.Cycle, v *vir.Value) (p *vir.Value, excess uint64) {
	for v.Op != vir.Param {
		switch {
		case v.Op == alu.Add && v.Args[1].Op == vir.Const:
			excess += v.Args[1].Const
		case v.Op != alu.Trunc:
			return nil, 0
		}
		v = v.Args[0]
	}
	if v.Block.ID != c.Header {
		return nil, 0
	}
	return v, excess
}

// uniformPart returns the uniform condition that decides whether lanes stay in c, if c has
// no other exit condition; else cond.
func (w *flow) uniformPart(c *cfg.Cycle, cond *vir.Value) *vir.Value {
	if cond.Op != vir.Any {
		return cond
	}
	m := cond.Args[0]
	if m.Op != alu.And {
		return cond
	}
	for i, x := range m.Args {
		if in := m.Args[1-i]; x.Op == vir.Splat && in.Op == vir.Param && in.Block.ID == c.Header {
			return x.Args[0]
		}
	}
	return cond
}

// initial returns the initial value of v if v is a header parameter of c, else v.
func (w *flow) initial(c *cfg.Cycle, v *vir.Value) *vir.Value {
	if v.Op != vir.Param || v.Block.ID != c.Header {
		return v
	}
	for _, a := range w.passed[v.ID] {
		if a.Block == nil || !w.loops.Contains(c, a.Block.ID) {
			return a
		}
	}
	return v
}

// characters reports whether a value is loaded from memory as one or two bytes, possibly
// extended, or replaced if it equals some constant.
func characters(v *vir.Value) bool {
	const depth = 3
	o := origin(v, depth)
	if o.Op == alu.Select {
		o = origin(o.Args[2], depth)
	}
	return (o.Op == vir.Load || o.Op == vir.VLoad || o.Op == vir.Gather) && o.Type.Elem.Bits() <= 16
}

// remainderTrips returns the trip count of c if c finishes the iterations that another loop with
// larger steps left, as the remainder of an unrolled loop does; else infinity. If the other
// loop is tiled, it gets half of the default iterations, and c the other half; chunk is
// then the ratio of the steps. tiled is also set if the other loop is vectorized.
func (w *flow) remainderTrips(c *cfg.Cycle) (n float64, tiled *cfg.Cycle, chunk float64) {
	ratio := 0.0
	for _, p := range w.f.Blocks[c.Header].Params {
		step := w.step(c, p)
		if step == 0 || !p.Type.Elem.IsInt() {
			continue
		}
		for _, a := range w.passed[p.ID] {
			const depth = 4
			if larger, l := w.stepped(c, a, depth); larger > step {
				ratio = max(ratio, larger/step)
				if len(l.Children) > 0 || w.reductionLanes(l) > 0 {
					tiled = l
				}
			}
		}
	}
	switch {
	case ratio == 0:
		return math.Inf(1), nil, 0
	case tiled != nil && w.reductionLanes(tiled) == 0:
		return 1 + (w.unknownTrips(tiled)-1)/2, tiled, ratio
	case w.width == 1:
		return 1 + (ratio-1)/2, tiled, ratio
	}
	return ratio, nil, 0
}

// reductionLanes returns the number of iterations per vector of c, an innermost loop in
// one-lane code, from the width of its accumulators; else 0.
func (w *flow) reductionLanes(c *cfg.Cycle) float64 {
	if c == nil || w.width > 1 || len(c.Children) > 0 {
		return 0
	}
	for _, p := range w.f.Blocks[c.Header].Params {
		if p.Type.IsVec() {
			return float64(p.Type.Lanes)
		}
	}
	return 0
}

// step returns the constant step of a header parameter of c, in lanes that continue, or 0.
func (w *flow) step(c *cfg.Cycle, p *vir.Value) float64 {
	for _, a := range w.passed[p.ID] {
		if a.Block == nil || !w.loops.Contains(c, a.Block.ID) {
			continue
		}
		if a.Op == alu.Select {
			a = a.Args[1]
		}
		if (a.Op == alu.Add || a.Op == alu.Sub) && a.Args[0] == p && a.Args[1].Op == vir.Const {
			return math.Abs(float64(a.Args[1].Signed()))
		}
	}
	return 0
}

// stepped returns the step of another loop's counter whose final value v is, and that loop.
func (w *flow) stepped(c *cfg.Cycle, v *vir.Value, depth int) (step float64, loop *cfg.Cycle) {
	of := func(vs ...*vir.Value) {
		for _, a := range vs {
			if n, l := w.stepped(c, a, depth-1); n > step {
				step, loop = n, l
			}
		}
	}
	switch {
	case depth == 0 || v.Block == nil || w.loops.Contains(c, v.Block.ID):
	case v.Op == alu.Add && v.Args[1].Op == vir.Const:
		of(v.Args[0])
	case v.Op == alu.Select:
		of(v.Args[1:]...)
	case v.Op == vir.Param:
		l := w.blockLoop[v.Block.ID]
		if l == nil || l.Header != v.Block.ID {
			of(w.passed[v.ID]...)
		} else if l.Depth > 1 && !w.loops.Contains(l, c.Header) {
			return w.step(l, v), l
		}
	}
	return step, loop
}
