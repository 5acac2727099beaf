package plan

import (
	"math"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// Estimate is what a candidate is thought to cost.
type Estimate struct {
	PerItem float64           // ns for each work-item
	Parts   [numKinds]float64 // what PerItem consists of
	PutOff  float64           // the share of the work-items that the code puts off
	Length  int               // operations on registers and on lanes by themselves
}

// Price estimates the cost of f.
func (c *Costs) Price(f *vir.Func) Estimate { return c.PriceAs(f, f.Width, 0) }

// PriceAs estimates the cost of what f would be at another width. Both are 1,
// or neither. rounds is Candidate.Rounds.
func (c *Costs) PriceAs(f *vir.Func, width, rounds int) Estimate {
	costs := *c
	costs.laneBits = c.laneBitsOf(f)
	if c.LanesOf != nil {
		costs.Lanes = c.LanesOf(f, width)
	}
	p, w := &pricing{&costs, width, f.Width}, newFlow(f, width, rounds)
	e := p.estimate(w)
	e.Length = p.length(w)
	if w.later != nil {
		e.PutOff = w.putOff()
	}
	return e
}

// refilled is what becomes of e if lanes that have nothing to do take other work-items when
// a third of them is idle: a sixth is, but lanes that take one do so apart.
func (e Estimate) refilled() Estimate {
	const left, apart = 0.3, 1.1
	saved := (1 - left) * e.Parts[Waste]
	for k := range e.Parts {
		e.Parts[k] *= apart
	}
	e.Parts[Waste] *= left
	e.PerItem = apart * (e.PerItem - saved)
	return e
}

// length is how many operations on registers, and on lanes one by one, there are.
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

// inRows is what e becomes in rows of the given length, whose last strip has
// lanes without work.
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
	if f.Rounds {
		n = 1
	}

	work := make([]float64, len(f.Blocks)) // a run of the block, all its operations side by side
	ops := make([]float64, len(f.Blocks))
	for _, b := range w.order {
		if !w.inStrips(b) {
			continue
		}
		near := map[*vir.Value]bool{}
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
				if near[v.Args[0]] {
					ns *= nearby
				}
				near[v.Args[0]] = true
			}
			if vir.InfoOf(v.Op).Memory && w.width > 1 {
				ns = c.access(w, v, ns)
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

// access is what an access to memory costs if it costs ns on the average. Private
// memory is always in the nearest cache. Scalar stores for lanes that have no
// scatter cost the less the more certain it is which lanes store.
func (c *pricing) access(w *flow, v *vir.Value, ns float64) float64 {
	switch v.Op {
	case vir.VLoad:
		if w.private(v) {
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
		case v.Local: // where the target blends, it does here, too
			ns -= max(c.MaskedStore-c.MaskedPrivate, 0) * masked
		}
	case vir.Scatter:
		if v.Args[2].Type.Elem.Size() < c.ScatterSize {
			p := w.chance(v.Args[3])
			ns *= laneTest + laneStore*p + (1-laneTest-laneStore)*4*p*(1-p)
		}
		ns *= c.near(w, v)
	case vir.Gather:
		ns *= c.near(w, v)
	}
	return ns
}

// near is what share of its usual cost an access of lanes to places of their own has: in
// private memory they find what they have just stored. What is kept of work-items that are
// put off is longer.
func (c *pricing) near(w *flow, v *vir.Value) float64 {
	if c.NearLanes > 0 && w.private(v) && (v.Object != 0 || !w.f.Postpones) {
		return c.NearLanes
	}
	return 1
}

// streams adds what code waits for memory that it runs through once, a work-item
// after the other: all else is done meanwhile.
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

// control is the cost of a block's end: branches, wrong guesses.
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
	mask, varying := onMask(b.Cond), w.oneByOne() && w.varying[b.Cond.ID]
	if leaves {
		runs := w.trips[l.ID] * max(1, float64(w.exits[l.ID]))
		switch {
		case mask:
			ns += c.Mispredict * exitWrongMask / runs
		case varying:
			order := exitWrong
			if w.stepsByRound(l) { // each time another number of rounds
				order = exitWrongData
			}
			ns += c.Mispredict * w.surprise(b.Cond, order, exitWrongTest, exitWrongData) / runs
		}
		return ns
	}
	p := w.taken(b)
	even := c.Mispredict * 4 * p * (1 - p)
	if l != nil && l == w.strip && slices.ContainsFunc(b.Edges, func(e vir.Edge) bool { return w.leaves(l, e.To.ID) }) {
		even = c.Mispredict * c.Strips
	}
	switch {
	case varying:
		ns += w.surprise(b.Cond, wrong, wrongTest, wrongData) * even
	case mask && b.Cond.Op != vir.All:
		ns += wrongMask * even
	}
	return ns
}

// waits adds what loops wait for chains of dependent operations. An iteration
// takes at least as long as the longest chain from one iteration to the next;
// and a chain within the iteration is overlapped with the next ones only as
// far as the machine looks ahead. What is stored and loaded again for want of
// registers goes on beside the other work, too.
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
		// What the loops inside take hides some of it.
		own += inner
		least := max(carried, chain*count/(count+c.Window))
		busy := c.together(own, memory)
		share := w.idle[l.Header] / header
		add := func(kind Kind, ns float64) {
			e.Parts[kind] += ns * header * (1 - share)
			e.Parts[Waste] += ns * header * share
		}
		add(Spills, busy-own)
		add(Chains, c.together(busy, least)-busy)
	}
}

// together is how long two things take that go on beside each other.
func (c *Costs) together(x, y float64) float64 {
	if x == 0 || y == 0 {
		return x + y
	}
	return math.Pow(math.Pow(x, c.Overlap)+math.Pow(y, c.Overlap), 1/c.Overlap)
}

// chains returns the length in ns of the longest chain that one iteration of l
// adds to the one before, and of the longest chain in an iteration. Blocks of
// inner loops are left out. Scalar code waits for the chain of the way that it
// goes: where ways meet, it is as long as theirs are on the average.
func (c *pricing) chains(w *flow, l *cfg.Cycle, depth []float64) (carried, longest float64) {
	header := w.f.Blocks[l.Header]
	start := make([]float64, len(header.Params))
	often := map[*vir.Value]float64{} // how often a parameter has been passed
	const rounds = 4
	var total [rounds + 1]float64
	for r := 1; r <= rounds; r++ {
		next := make([]float64, len(start))
		clear(often)
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
					at += latency
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
					if w.width > 1 { // some lane goes each way
						*mean = max(*mean, at)
						continue
					}
					often[p] += freq
					*mean += (at - *mean) * freq / often[p]
				}
			}
		}
		for _, x := range next {
			total[r] = max(total[r], x)
		}
		start = next
		// Parameters inside the loop start anew in each round.
		for _, b := range l.Blocks {
			for _, p := range w.f.Blocks[b].Params {
				depth[p.ID] = 0
			}
		}
	}
	return (total[rounds] - total[rounds-2]) / 2, longest
}
