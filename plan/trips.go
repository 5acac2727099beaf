package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// findTrips finds how often the headers of loops run each time the loop is
// entered. Exits by a comparison of a counter with a constant tell. rounds is how
// often the kernel's own loops are known to.
func (w *flow) findTrips(rounds float64) {
	n := len(w.loops.Cycles)
	w.trips, w.known, w.most, w.last = make([]float64, n), make([]bool, n), make([]float64, n), make([]bool, n)
	w.stays, w.lanes, w.pace = make([]float64, n), make([]float64, n), make([]bool, n)
	tell := func(c *cfg.Cycle, trips float64) { w.trips[c.ID], w.known[c.ID] = trips, true }
	copies := make([]int, n)   // rounds of the source in one
	divided := make([]bool, n) // a known number of rounds between tiles and what they leave over
	for i, c := range w.loops.Cycles {
		w.trips[i], w.most[i], w.lanes[i] = trips, math.Inf(1), float64(w.width)
		copies[c.ID] = w.copies(c)
	}
	for _, b := range w.order {
		c := w.blockLoop[b]
		if c == nil || c.Depth == 1 || w.f.Blocks[b].Kind != vir.Branch {
			continue
		}
		if n := w.roundsInLanes(c); n < w.trips[c.ID] {
			tell(c, n)
			w.last[c.ID] = true
		}
		rest, tiled, chunk := w.rest(c)
		switch lanes := w.lanesOfSums(tiled); {
		case lanes > 0 && math.IsInf(w.most[tiled.ID], 1): // or its limit tells more
			tell(tiled, 1+(trips-1)/lanes)
		case lanes == 0 && tiled != nil:
			if all := w.counted(c, w.f.Blocks[b], tiled); all > 0 {
				tell(tiled, 1+math.Floor((all-1)/chunk))
				tell(c, 1+math.Mod(all-1, chunk))
				w.most[c.ID] = chunk
				divided[c.ID] = true
			}
			if divided[c.ID] {
				continue
			}
			tell(tiled, 1+(trips-1)/2/chunk)
		}
		p := w.staying(c, w.f.Blocks[b])
		if n := min(1/(1-p), rest); n < w.trips[c.ID] {
			tell(c, n)
			w.last[c.ID] = true
			if w.stays[c.ID] = 0; n < rest {
				w.stays[c.ID] = p
			}
		}
		n := w.counted(c, w.f.Blocks[b], nil)
		if all := n * float64(copies[c.ID]); n > 0 && (w.exits[c.ID] == copies[c.ID] || all < w.trips[c.ID]) {
			tell(c, all)
		}
		if n > 0 && n < mostTrips {
			w.most[c.ID] = n
		}
		if times, ok := w.limited(c, w.f.Blocks[b]); ok && n == 0 {
			if all := 1 + (times.mean-1)*float64(copies[c.ID]); w.exits[c.ID] == copies[c.ID] || all < w.trips[c.ID] {
				tell(c, all)
			}
			w.most[c.ID] = min(w.most[c.ID], times.most)
		}
		if n := w.limitOfLanes(c, w.f.Blocks[b]); n < mostTrips {
			w.most[c.ID] = min(w.most[c.ID], n)
		}
		if times, alone, ok := w.paced(c, w.f.Blocks[b]); ok {
			w.pace[c.ID] = alone
			if times.most > 0 {
				w.most[c.ID] = min(w.most[c.ID], times.most)
			}
			if alone && times.mean > 0 {
				tell(c, times.mean)
			}
		}
	}
	w.likeNeighbours(rounds)
	w.inChunks()
	for _, c := range w.loops.Cycles {
		switch {
		case w.trips[c.ID] != trips || w.known[c.ID]:
		case w.takesUp(c):
			w.trips[c.ID] = shared
		case w.stepsByRound(c):
			w.trips[c.ID] = stepping
		}
	}
	for _, c := range w.loops.Cycles {
		w.trips[c.ID] = max(1, w.trips[c.ID]/float64(copies[c.ID]))
	}
}

// inChunks makes loops of which each round is as many of the source's as there are lanes
// go round as many times less: those that ask in each round which lanes have left, and those
// that none leaves, whose counter grows by as much.
func (w *flow) inChunks() {
	if !w.f.Rounds {
		return
	}
	lanes := float64(w.width)
	asks := make([]bool, len(w.loops.Cycles))
	for _, b := range w.order {
		if c := w.blockLoop[b]; c != nil && slices.ContainsFunc(w.f.Blocks[b].Values, func(v *vir.Value) bool { return v.Op == vir.Bits }) {
			asks[c.ID] = true
		}
	}
	for _, c := range w.loops.Cycles {
		switch n := w.trips[c.ID]; {
		case c == w.strip:
		case asks[c.ID]:
			w.trips[c.ID] = max(1, n/lanes)
		case !w.known[c.ID] && slices.ContainsFunc(w.f.Blocks[c.Header].Params, func(p *vir.Value) bool { return w.step(c, p) == float64(w.f.Width) }):
			w.trips[c.ID] = 1 + (n-1)/lanes
		}
	}
}

// roundsInLanes returns how often the header of c runs if rounds are lanes there, in
// code of one lane, or if it makes them when they are few; else infinity.
func (w *flow) roundsInLanes(c *cfg.Cycle) float64 {
	if w.width > 1 {
		return math.Inf(1)
	}
	if n := w.lanesOfRounds(c.Header); n > 0 {
		return 1 + trips/n
	}
	for _, in := range w.into[c.Header] {
		b := w.f.Blocks[in.from]
		if len(w.into[b.ID]) == 1 && b.Kind == vir.Jump { // nothing but what the loop needs
			b = w.f.Blocks[w.into[b.ID][0].from]
		}
		if b.Kind != vir.Branch || w.loops.Contains(c, b.ID) {
			continue
		}
		for _, e := range b.Edges {
			to := e.To
			if to.Kind == vir.Jump {
				to = to.Edges[0].To
			}
			if n := w.lanesOfRounds(to.ID); n > 0 && w.blockLoop[to.ID].Parent == c.Parent {
				return 1 + n/4
			}
		}
	}
	return math.Inf(1)
}

// lanesOfRounds returns how many rounds a loop with that header makes in one, which
// makes those that are left under a mask; 0: it is none that does.
func (w *flow) lanesOfRounds(header int) float64 {
	c := w.blockLoop[header]
	if c == nil || c.Header != header {
		return 0
	}
	for _, e := range w.f.Blocks[header].Edges {
		if n := e.To.RoundsLeft(); n > 0 && w.leaves(c, e.To.ID) {
			return float64(n)
		}
	}
	return 0
}

// copies returns how many rounds of its source c makes in one: so often a number
// that its header has is compared, in code of one lane, to find out whether to
// leave.
func (w *flow) copies(c *cfg.Cycle) int {
	if w.width > 1 {
		return 1
	}
	tests := map[*vir.Value]int{}
	most := 1
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
				most = max(most, tests[x])
			}
		}
	}
	return most
}

// likeNeighbours makes loops of which nothing is known go round as often as those
// beside them of which something is: they mostly work on the same. Of those in no
// other loop the kernel tells how often, as they may have been unrolled or tiled.
func (w *flow) likeNeighbours(rounds float64) {
	beside := map[*cfg.Cycle]float64{w.strip: min(1+rounds, mostTrips)} // by the loop around
	// What is put off is the kernel's, too.
	if w.later != nil {
		beside[w.later] = beside[w.strip]
	}
	for _, c := range w.loops.Cycles {
		if !w.last[c.ID] {
			beside[c.Parent] = max(beside[c.Parent], w.trips[c.ID])
		}
	}
	for _, c := range w.loops.Cycles {
		if !w.known[c.ID] {
			w.trips[c.ID] = max(trips, beside[c.Parent])
		}
	}
}

// takesUp reports whether the rounds of c are thought to be part of those of the
// loop around, in code of one lane: neither counts, as in a search that goes forth
// and back, and opt.Nest makes one of a part of the other.
func (w *flow) takesUp(c *cfg.Cycle) bool {
	around := c.Parent
	return w.width == 1 && around != nil && around != w.strip && c.Depth > 1 && len(around.Children) == 1 &&
		w.trips[around.ID] == trips && !w.known[around.ID] && !w.advances(around)
}

// stepsByRound reports whether a counter of c steps by that of the loop around, as a sieve
// does.
func (w *flow) stepsByRound(c *cfg.Cycle) bool {
	if c.Parent == nil || c.Parent == w.strip {
		return false
	}
	return slices.ContainsFunc(w.f.Blocks[c.Header].Params, func(p *vir.Value) bool {
		return slices.ContainsFunc(w.passed[p.ID], func(a *vir.Value) bool {
			if a.Op == alu.Select { // lanes that have left keep their number
				a = a.Args[1]
			}
			if a.Op != alu.Add || a.Args[0] != p {
				return false
			}
			step := a.Args[1]
			if step.Op == vir.Splat {
				step = step.Args[0]
			}
			return w.counter(c.Parent, step) != 0
		})
	})
}

// advances reports whether every round of c makes the same step with some parameter
// of its header, or several in one direction.
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

// staying returns how likely a lane stays in c where b asks, if b leaves c by bits or
// remainders that tell, and is asked in every round; else 1.
func (w *flow) staying(c *cfg.Cycle, b *vir.Block) float64 {
	stay := slices.IndexFunc(b.Edges, func(e vir.Edge) bool { return w.loops.Contains(c, e.To.ID) })
	if stay < 0 || w.loops.Contains(c, b.Edges[1-stay].To.ID) || !w.everyRound(c, b) || w.width > 1 && b.Cond.Op != vir.Any {
		return 1
	}
	const depth = 6
	if p := w.told(b.Cond, stay == 0, depth); p <= 0.5 {
		return p
	}
	return 1
}

// arrive notes how many lanes are thought to enter c, of vectors that do.
func (w *flow) arrive(c *cfg.Cycle) {
	if share := w.entering(c); share > 0 {
		w.lanes[c.ID] = max(1, float64(w.width)*share/(1-math.Pow(1-share, float64(w.width))))
	}
}

// entering is the share of the lanes that enter c; 0: no mask tells.
func (w *flow) entering(c *cfg.Cycle) float64 {
	share := 0.0
	for _, b := range c.Blocks {
		cond := w.f.Blocks[b].Cond
		if cond == nil || cond.Op != vir.Any || w.going[cond.Args[0].ID] != c {
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

// everyRound reports whether all ways round c pass b.
func (w *flow) everyRound(c *cfg.Cycle, b *vir.Block) bool {
	for _, in := range w.into[c.Header] {
		if w.loops.Contains(c, in.from) && !w.dominators.Dominates(b.ID, in.from) {
			return false
		}
	}
	return true
}

// told is how likely v is to be as said by those of its terms that tell
// something, and 1 if none does.
func (w *flow) told(v *vir.Value, as bool, depth int) float64 {
	switch {
	case depth == 0:
	case v.Op == vir.Any && as:
		return w.told(v.Args[0], true, depth-1)
	case v.Type.Elem == alu.I1 && (v.Op == alu.And && as || v.Op == alu.Or && !as):
		return w.told(v.Args[0], as, depth-1) * w.told(v.Args[1], as, depth-1)
	case v.Op == alu.Xor && v.Type.Elem == alu.I1 && v.Args[1].Op == vir.Const:
		return w.told(v.Args[0], !as, depth-1)
	case alu.InfoOf(v.Op).Class == alu.Compare && w.tests(v, 0) && !w.chosen[v.Args[0].ID]:
		if p := w.chance(v); as {
			return p
		} else {
			return 1 - p
		}
	case (v.Op == alu.Eq && as || v.Op == alu.Ne && !as) && (characters(v.Args[0]) || characters(v.Args[1])):
		return sameData
	}
	return 1
}

// counted returns how often the header of c runs until b leaves c, if b does
// that by the value of a counter from and to constants, or to what is known to be so far
// from where it begins; else 0. Where c goes on with what another loop leaves over, that may
// be given: then it is how often c's would run if it did all.
func (w *flow) counted(c *cfg.Cycle, b *vir.Block, before *cfg.Cycle) float64 {
	stay := slices.IndexFunc(b.Edges, func(e vir.Edge) bool { return w.loops.Contains(c, e.To.ID) })
	if stay < 0 || w.loops.Contains(c, b.Edges[1-stay].To.ID) {
		return 0
	}
	cond := b.Cond
	if stay == 0 {
		cond = w.ofAllLanes(c, cond)
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
				a = w.begins(before, a)
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
		n, ok := apart(start, limit)
		if !ok {
			return 0
		}
		v, end = 0, uint64(n)&compared.Mask()
	}
	for n := 1.0; n < mostTrips; n++ {
		p, q := (v+plus)&compared.Mask(), end
		if swapped {
			p, q = q, p
		}
		if holds := alu.Eval(cond.Op, alu.I1, compared, p, q, 0) != 0; holds != (stay == 0) {
			return n
		}
		v = (v + step.Const) & t.Elem.Mask()
	}
	return mostTrips
}

// counterIn returns the parameter of c's header that v is, or the low part of, and how far
// v is ahead of it; nil if it is none.
func (w *flow) counterIn(c *cfg.Cycle, v *vir.Value) (p *vir.Value, ahead uint64) {
	for v.Op != vir.Param {
		switch {
		case v.Op == alu.Add && v.Args[1].Op == vir.Const:
			ahead += v.Args[1].Const
		case v.Op != alu.Trunc:
			return nil, 0
		}
		v = v.Args[0]
	}
	if v.Block.ID != c.Header {
		return nil, 0
	}
	return v, ahead
}

// ofAllLanes returns what all lanes that are in c share that decides whether some stay, if
// they leave c by nothing else; or else cond.
func (w *flow) ofAllLanes(c *cfg.Cycle, cond *vir.Value) *vir.Value {
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

// begins returns what v, if it is a parameter of c's header, is when c is entered.
func (w *flow) begins(c *cfg.Cycle, v *vir.Value) *vir.Value {
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

// characters reports whether a value is a number of one or two bytes out of
// memory, as it is, extended, or changed if it is a certain one.
func characters(v *vir.Value) bool {
	const depth = 3
	o := origin(v, depth)
	if o.Op == alu.Select {
		o = origin(o.Args[2], depth)
	}
	return (o.Op == vir.Load || o.Op == vir.VLoad || o.Op == vir.Gather) && o.Type.Elem.Bits() <= 16
}

// rest returns how often the header of c runs if c goes on where another loop
// stopped that took larger steps, as what is left over from four at a time does;
// else infinity. If that loop makes its steps one by one, as for a tile, of so many
// that are a chunk, half of the rounds that a loop is thought to have are left to c. That
// loop is also told of if its rounds are many of c's at once.
func (w *flow) rest(c *cfg.Cycle) (n float64, tiled *cfg.Cycle, chunk float64) {
	most := 0.0
	for _, p := range w.f.Blocks[c.Header].Params {
		step := w.step(c, p)
		if step == 0 || !p.Type.Elem.IsInt() {
			continue
		}
		for _, a := range w.passed[p.ID] {
			const depth = 4
			if larger, l := w.stepped(c, a, depth); larger > step {
				most = max(most, larger/step)
				if len(l.Children) > 0 || w.lanesOfSums(l) > 0 {
					tiled = l
				}
			}
		}
	}
	switch {
	case most == 0:
		return math.Inf(1), nil, 0
	case tiled != nil && w.lanesOfSums(tiled) == 0:
		return 1 + (trips-1)/2, tiled, most
	case w.width == 1:
		return 1 + (most-1)/2, tiled, most
	}
	return most, nil, 0
}

// lanesOfSums returns how many rounds of the source c, a loop in code of one lane without
// others inside, makes in one, as the vectors tell that it adds to; else 0.
func (w *flow) lanesOfSums(c *cfg.Cycle) float64 {
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

// step returns by what constant a parameter of c's header grows or shrinks, in
// the lanes that go on; 0: by none.
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

// stepped returns the step of another loop's counter that v is after that loop,
// and the loop.
func (w *flow) stepped(c *cfg.Cycle, v *vir.Value, depth int) (most float64, loop *cfg.Cycle) {
	of := func(vs ...*vir.Value) {
		for _, a := range vs {
			if n, l := w.stepped(c, a, depth-1); n > most {
				most, loop = n, l
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
	return most, loop
}
