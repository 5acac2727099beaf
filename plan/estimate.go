package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// Estimate is the estimated cost of a candidate.
type Estimate struct {
	PerItem     float64           // ns per work-item
	Parts       [numKinds]float64 // PerItem by kind
	Deferred    float64           // share of the work-items that the code defers
	AllDeferred float64           // PerItem if it deferred all of them
	counted     bool              // the trip counts of the loops of the deferred region are known
	Length      int               // operations on registers, and on individual lanes
}

// Price estimates the cost of f.
func (c *Costs) Price(f *vir.Func) Estimate { return c.PriceAs(f, f.Width, 0) }

// PriceAs estimates the cost of f at another width. Both widths are 1, or neither. trips is
// Candidate.Trips.
func (c *Costs) PriceAs(f *vir.Func, width, trips int) Estimate { return c.priceAs(f, width, trips, 0) }

// priceAs is PriceAs for rows of a length, which is Candidate.Row.
func (c *Costs) priceAs(f *vir.Func, width, trips, row int) Estimate {
	costs := *c
	costs.laneBits = c.laneBitsOf(f)
	if c.LanesOf != nil {
		costs.Lanes = c.LanesOf(f, width)
	}
	p, w := &pricing{&costs, width, f.Width}, newFlow(f, width, trips, row)
	e := p.estimate(w)
	e.Length = p.length(w)
	if w.deferredStrip != nil {
		e.Deferred = w.deferredShare()
		e.counted = w.countsDeferred()
		w.deferAll()
		e.AllDeferred = p.estimate(w).PerItem
	}
	return e
}

// refilled returns the estimate with refill once a third of the lanes is idle: on average a
// sixth is, but lanes that take a new work-item do so divergently.
func (e Estimate) refilled() Estimate {
	const idleLeft, divergence = 0.3, 1.1
	saved := (1 - idleLeft) * e.Parts[Waste]
	for k := range e.Parts {
		e.Parts[k] *= divergence
	}
	e.Parts[Waste] *= idleLeft
	e.PerItem = divergence * (e.PerItem - saved)
	return e
}

// length counts operations on registers, and on individual lanes.
func (c *pricing) length(w *flow) int {
	n := 0
	for _, b := range w.f.Blocks {
		for _, v := range b.Values {
			if !w.live[v.ID] {
				continue
			}
			t := c.priced(v)
			if n += c.registers(t); c.Rows[v.Op].Lane[sizeOf(t)] > 0 && !t.IsScalar() {
				n += t.Lanes
			}
		}
	}
	return n
}

// inRows returns the estimate for rows of the given length, whose last strip has idle
// lanes.
func (e Estimate) inRows(row, width int) Estimate {
	if row == 0 {
		return e
	}
	strips := (row + width - 1) / width
	more := e.PerItem * (float64(strips*width)/float64(row) - 1)
	e.PerItem += more
	e.Parts[Waste] += more
	return e
}

func (c *pricing) estimate(w *flow) Estimate {
	f := w.f
	var e Estimate
	n := float64(w.width)
	if f.Iterations {
		n = 1
	}

	work := make([]float64, len(f.Blocks)) // one execution of the block, all operations overlapped
	ops := make([]float64, len(f.Blocks))
	for _, b := range w.order {
		if !w.inStrips(b) {
			continue
		}
		loaded := map[*vir.Value]bool{}
		add := func(kind Kind, ns float64) {
			work[b] += ns
			useful := w.freq[b] - w.idle[b]
			e.Parts[kind] += ns * useful
			e.Parts[Waste] += ns * w.idle[b]
		}
		for _, v := range f.Blocks[b].Values {
			if !w.live[v.ID] || c.FoldsAddresses && w.folded[v.ID] {
				continue
			}
			ns, _, kind := c.price(v)
			if v.Op == vir.VLoad {
				if loaded[v.Args[0]] {
					ns *= sameLine
				}
				loaded[v.Args[0]] = true
			}
			if vir.InfoOf(v.Op).Memory && w.width > 1 {
				ns = c.access(w, v, ns)
			}
			if c.width > aliasedLanes && w.pageStrided(v) && w.aliasing(w.blockLoop[b]) {
				ns *= float64(c.width) / aliasedLanes
			}
			if c.width > c.Lanes && loadsRow(v) && !w.cached(v) {
				ns *= 1 + manyRows*math.Log2(float64(c.width)/float64(c.Lanes))
			}
			if w.width == 1 {
				ns *= c.ScalarWork
			}
			add(kind, ns)
			ops[b] += max(1, float64(c.registers(c.priced(v))))
		}
		add(Control, c.control(w, f.Blocks[b]))
	}
	c.waits(w, work, ops, c.spills(w), &e)
	c.streams(w, &e)
	for i := range e.Parts {
		e.Parts[i] /= n
		e.PerItem += e.Parts[i]
	}
	return e
}

// loadsRow reports whether v loads from a row of a tile, whose address has been computed for one of the
// lanes.
func loadsRow(v *vir.Value) bool {
	if v.Op != vir.VLoad {
		return false
	}
	a := v.Args[0]
	for a.Op == alu.Add {
		a = a.Args[0]
	}
	return a.Op == vir.Load && !a.Invariant
}

// access returns the cost of a memory access that costs ns on average. Private and local memory
// are always in the L1 cache. Emulated scatters cost less the more predictable the mask is.
func (c *pricing) access(w *flow, v *vir.Value, ns float64) float64 {
	switch v.Op {
	case vir.VLoad:
		if w.cached(v) {
			ns *= c.Near
		}
	case vir.VStore:
		masked := 0.0
		if v.Args[2].Op != vir.Const {
			masked = float64(c.registers(c.priced(v)))
		}
		switch {
		case w.private(v):
			ns = (ns-c.MaskedStore*masked)*c.Near + c.MaskedPrivate*masked
		case v.Local: // the target blends these, too
			ns -= max(c.MaskedStore-c.MaskedPrivate, 0) * masked
		}
	case vir.Scatter:
		if v.Args[2].Type.Elem.Size() < c.ScatterSize {
			p := w.probability(v.Args[3])
			ns *= laneTest + laneStore*p + (1-laneTest-laneStore)*4*p*(1-p)
		}
		ns *= c.near(w, v)
	case vir.Gather:
		ns *= c.near(w, v)
	case vir.VAtomic:
		if v.Local {
			ns *= localAtomic
		}
	}
	return ns
}

// near returns the cost of a gather or scatter as a share of its usual cost: in private and
// local memory, lanes find recently stored data.
func (c *pricing) near(w *flow, v *vir.Value) float64 {
	if c.NearLanes > 0 && w.cached(v) {
		return c.NearLanes
	}
	return 1
}

// streams adds the time spent waiting for memory that consecutive work-items stream
// through; other work overlaps with it.
func (c *pricing) streams(w *flow, e *Estimate) {
	bytes := 0.0
	for _, b := range w.order {
		if w.strip != nil && w.blockLoop[b] == w.strip {
			bytes += w.freq[b] * float64(w.streamed(w.f.Blocks[b]))
		}
	}
	if bytes == 0 {
		return
	}
	own := 0.0
	for _, ns := range e.Parts {
		own += ns
	}
	const exponent = 3
	floor := bytes * float64(c.width) / float64(c.built) / c.Bandwidth
	e.Parts[Streams] += math.Pow(math.Pow(own, exponent)+math.Pow(floor, exponent), 1.0/exponent) - own
}

// control returns the cost of a block's end: branches and mispredictions.
func (c *pricing) control(w *flow, b *vir.Block) float64 {
	ns := 0.0
	for _, e := range b.Edges {
		if l := w.blockLoop[b.ID]; l != nil && l.Header == e.To.ID {
			ns += c.BackEdge / float64(len(b.Edges))
		}
	}
	if b.Kind != vir.Branch {
		return ns
	}
	if _, ok := w.phaseProbability(b); ok { // tested before the loop over strips: each phase gets its own
		return ns
	}
	leaves := false
	l := w.blockLoop[b.ID]
	for _, e := range b.Edges {
		leaves = leaves || l != nil && l.Depth > 1 && !w.loops.Contains(l, e.To.ID)
	}
	switch {
	case onMask(b.Cond) && leaves:
		ns += c.MaskExit
	case onMask(b.Cond):
		ns += c.MaskBranch
	default:
		ns += c.Branch
	}
	mask, varying := onMask(b.Cond), w.perItemBranches() && w.varying[b.Cond.ID]
	if leaves {
		runs := w.trips[l.ID] * max(1, float64(w.exits[l.ID]))
		switch {
		case mask:
			ns += c.Mispredict * exitMissMask / runs
		case varying:
			order := exitMissOrder
			if w.stepsByParent(l) { // the trip count differs each time
				order = exitMissData
			}
			ns += c.Mispredict * w.missRate(b.Cond, order, exitMissBits, exitMissData) / runs
		}
		return ns
	}
	p := w.takenProbability(b)
	even := c.Mispredict * 4 * p * (1 - p)
	if l != nil && l == w.strip && slices.ContainsFunc(b.Edges, func(e vir.Edge) bool { return w.leaves(l, e.To.ID) }) {
		even = c.Mispredict * c.Strips
	}
	switch {
	case varying:
		ns += w.missRate(b.Cond, missOrder, missBits, missData) * even
	case mask && b.Cond.Op != vir.All:
		ns += missMask * even
	}
	return ns
}

// waits adds the latency of dependence chains in loops. An iteration takes at least as long
// as the longest loop-carried chain, and a chain within an iteration overlaps with the next
// iterations only as far as the out-of-order window reaches. Spills overlap with other
// work, too.
func (c *pricing) waits(w *flow, work, ops, spills []float64, e *Estimate) {
	depth := make([]float64, w.f.NumValues())
	for _, l := range w.loops.Cycles {
		own, inner, count, memory := 0.0, 0.0, 0.0, 0.0
		header := w.freq[l.Header]
		if header == 0 {
			continue
		}
		for _, b := range l.Blocks {
			if w.blockLoop[b] != l {
				inner += work[b] * w.freq[b] / header
				continue
			}
			own += work[b] * w.freq[b] / header
			count += ops[b] * w.freq[b] / header
			memory += spills[b] * w.freq[b] / header
		}
		carried, chain := c.chains(w, l, depth)
		// The work of inner loops hides some of the latency.
		own += inner
		latency := max(carried, chain*count/(count+c.Window))
		if l == w.strip && len(w.phases) > 0 { // the next phase waits for all strips of the group
			latency = max(latency, chain/max(1, max(w.row, smallGroup)/float64(w.width)))
		}
		busy := c.overlapped(own, memory)
		share := w.idle[l.Header] / header
		add := func(kind Kind, ns float64) {
			e.Parts[kind] += ns * header * (1 - share)
			e.Parts[Waste] += ns * header * share
		}
		add(Spills, busy-own)
		add(Chains, c.overlapped(busy, latency)-busy)
	}
}

// overlapped returns the time that two overlapping activities take.
func (c *Costs) overlapped(x, y float64) float64 {
	if x == 0 || y == 0 {
		return x + y
	}
	return math.Pow(math.Pow(x, c.Overlap)+math.Pow(y, c.Overlap), 1/c.Overlap)
}

// chains returns the length in ns of the longest loop-carried chain of l per iteration, and
// of the longest chain within an iteration, without blocks of inner loops. Scalar code waits for the
// chain of the executed path: a merge has the mean length of its predecessors. Its chains also pass
// through memory.
func (c *pricing) chains(w *flow, l *cfg.Cycle, depth []float64) (carried, longest float64) {
	header := w.f.Blocks[l.Header]
	start := make([]float64, len(header.Params))
	passes := map[*vir.Value]float64{} // frequency with which a parameter has been passed
	forwarded := w.forwarded(l)
	stored := map[*vir.Value]float64{} // by load, the depth of the value that the last iteration stored there
	const iterations = 4
	var total [iterations + 1]float64
	for r := 1; r <= iterations; r++ {
		next := make([]float64, len(start))
		clear(passes)
		for _, b := range w.order {
			if w.blockLoop[b] != l {
				continue
			}
			block := w.f.Blocks[b]
			for i, p := range block.Params {
				if b == l.Header {
					depth[p.ID] = start[i]
				}
			}
			for _, v := range block.Values {
				at := 0.0
				for _, a := range v.Args {
					if a.Block != nil && w.blockLoop[a.Block.ID] == l {
						at = max(at, depth[a.ID])
					}
				}
				if w.live[v.ID] {
					_, latency, _ := c.price(v)
					at = max(at+latency, stored[v]+forwardedLatency*latency)
				}
				depth[v.ID] = at
				if r == 1 {
					longest = max(longest, at)
				}
			}
			for k, e := range block.Edges {
				if w.blockLoop[e.To.ID] != l {
					continue
				}
				freq := w.freq[b] * w.share[b][k]
				for i, a := range e.Args {
					p := e.To.Params[i]
					if !w.live[p.ID] || freq == 0 {
						continue
					}
					at := 0.0
					if a.Block != nil && w.blockLoop[a.Block.ID] == l {
						at = depth[a.ID]
					}
					mean := &depth[p.ID]
					if e.To == header {
						mean = &next[i]
					}
					if w.width > 1 { // lanes take every path
						*mean = max(*mean, at)
						continue
					}
					passes[p] += freq
					*mean += (at - *mean) * freq / passes[p]
				}
			}
		}
		for load, x := range forwarded {
			if x.Block != nil && w.blockLoop[x.Block.ID] == l {
				stored[load] = depth[x.ID]
			}
		}
		for _, x := range next {
			total[r] = max(total[r], x)
		}
		for _, x := range stored {
			total[r] = max(total[r], x)
		}
		start = next
		// Parameters inside the loop start anew in each iteration.
		for _, b := range l.Blocks {
			for _, p := range w.f.Blocks[b].Params {
				depth[p.ID] = 0
			}
		}
	}
	return (total[iterations] - total[iterations-2]) / 2, longest
}
