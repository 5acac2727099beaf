// Package tripcount replaces exit tests on lanes' own bounds by tests on a common trip count.
//
//	for (k = b; k < b+n; k++)     if (b < b+n)
//	    ...                           for (j = 0, k = b; j < n; j++, k++)
//	                                      ...
//
// The bounds differ between lanes, and so may the original comparison, as b+n may wrap in
// one lane only; but the trip count, once the loop is entered, is uniform. If it is a small
// constant, the loop can be unrolled, which also pays at width 1.
package tripcount

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/polynomial"
)

// maxTerms limits the terms of a trip count.
const maxTerms = 4

// maxShort limits the constant trip counts that are worth unrolling.
const maxShort = 64

// Count returns a version of f with trip counters for loops whose headers diverge but whose
// trip counts are uniform, according to info, and for loops with small constant trip counts.
// It returns f if there are none. The result may have more such loops: those that directly
// follow others.
//
// requires: a prepared kernel; maintains: f; the result is prepared
func Count(f *kernel.Func, info *divergence.Info, st opt.Stats) *kernel.Func {
	found := find(f, info)
	if len(found) == 0 {
		return f
	}
	made := kernel.Clone(f)
	placed := map[*kernel.Block][]*kernel.Block{}
	for _, l := range found {
		l.count(made, placed)
	}
	made.Blocks = made.Blocks[:len(f.Blocks)]
	for i := len(made.Blocks) - 1; i >= 0; i-- {
		made.Blocks = slices.Insert(made.Blocks, i, placed[made.Blocks[i]]...)
	}
	made.Renumber()
	opt.RemoveUnreachable(made, nil)
	made.Renumber()
	nested := slices.ContainsFunc(found, func(l *loop) bool { return l.endless != nil })
	for _, pass := range opt.Resize {
		if !nested || pass.Name != "control" { // control would merge the two loops
			pass.Run(made, nil)
		}
	}
	for _, l := range found {
		made.Note(l.header.Cond.Pos, "counted", l.note())
	}
	st.Add("loops counted", len(found))
	return made
}

// note returns the text of the remark about a loop.
func (l *loop) note() string {
	text := "by its trip count, which is uniform though its bounds are not"
	if n, ok := l.constant(); ok {
		text = fmt.Sprintf("by its trip count, which is always %d", n)
	}
	if l.test.op != alu.Ne {
		text += "; a branch before it tests whether lanes enter, as the bound may wrap"
	}
	if l.endless != nil {
		text += ", and one after it whether the bound is the one that ends no loop"
	}
	return text
}

// loop is a candidate. Its values and blocks belong to the kernel in which it was found and
// stand for those of the same IDs in a clone.
type loop struct {
	header  *kernel.Block
	enter   opt.InEdge
	back    []opt.InEdge
	stay    int            // index of the header's edge into the loop
	test    relation       // holds in lanes that continue
	counter *kernel.Value  // parameter of header
	first   *kernel.Value  // initial value of counter
	bound   *kernel.Value  // the other side of the test
	trips   polynomial.Sum // trip count if the loop is entered, modulo 2^bits
	endless *uint64        // the bound that never ends the loop, if lanes may have it
	cycle   *cfg.Cycle
	cycles  *cfg.CycleForest
}

// relation is the comparison counter op bound, or bound op counter.
type relation struct {
	op       kernel.Op
	boundOnX bool // the bound is the first operand
}

func find(f *kernel.Func, info *divergence.Info) []*loop {
	loops := cfg.Cycles(f.Graph())
	var in [][]opt.InEdge
	var out []*loop
	for _, c := range loops.Cycles {
		h := f.Blocks[c.Header]
		if !c.Reducible() || h.Kind != kernel.Branch || info.Divergent[h.ID] && info.Asynchronous[h.ID] {
			continue
		}
		if in == nil {
			in = opt.InEdges(f)
		}
		l := &loop{header: h, cycle: c, cycles: loops}
		if l.headerEdges(in[h.ID]) && l.tested() && l.counted() && (info.Divergent[h.ID] && l.uniformTrips(info) || l.short(info)) && l.skippable() {
			out = append(out, l)
		}
	}
	// A loop that directly follows another one waits for the next call: both would change the
	// edge between them.
	return slices.DeleteFunc(out, func(l *loop) bool {
		return slices.ContainsFunc(out, func(k *loop) bool { return k.header == l.enter.From })
	})
}

// outside reports whether b is not in the loop.
func (l *loop) outside(b *kernel.Block) bool { return !l.cycles.Contains(l.cycle, b.ID) }

// headerEdges classifies the edges to the header; exactly one may enter the loop.
func (l *loop) headerEdges(in []opt.InEdge) bool {
	enter := 0
	for _, e := range in {
		if l.outside(e.From) {
			l.enter = e
			enter++
		} else {
			l.back = append(l.back, e)
		}
	}
	return enter == 1
}

// tested finds the exit test: the header's comparison of one of its parameters with an
// invariant bound.
func (l *loop) tested() bool {
	h := l.header
	l.stay = slices.IndexFunc(h.Edges, func(e kernel.Edge) bool { return !l.outside(e.To) })
	if l.stay < 0 || !l.outside(h.Edges[1-l.stay].To) {
		return false
	}
	c := h.Cond
	if alu.InfoOf(c.Op).Class != alu.Compare || !c.Args[0].Type.IsInt() {
		return false
	}
	x, y, op := c.Args[0], c.Args[1], c.Op
	if l.stay == 1 { // lanes continue where the comparison is false
		switch op {
		case alu.Eq:
			op = alu.Ne
		case alu.Ne:
			return false
		default:
			op, x, y = alu.Exchanged[op], y, x
		}
	}
	if op == alu.Eq {
		return false
	}
	l.test = relation{op, false}
	l.counter, l.bound = x, y
	if !l.counts(x) || !l.same(y) {
		l.test.boundOnX = true
		l.counter, l.bound = y, x
	}
	return l.counts(l.counter) && l.same(l.bound)
}

func (l *loop) counts(v *kernel.Value) bool { return v.Op == kernel.Param && v.Block == l.header }

// same reports whether v is invariant and can be computed before the loop.
func (l *loop) same(v *kernel.Value) bool {
	if v.Block == nil || l.outside(v.Block) {
		return true
	}
	return v.Op.Pure() && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !l.same(a) })
}

// counted finds the step of the counter and the trip count. A step other than one must
// divide the distance to the bound, which must be constant.
func (l *loop) counted() bool {
	t := l.counter.Type
	l.first = l.enter.Edge().Args[l.counter.Index]
	step := int64(0)
	for i, e := range l.back {
		by := l.step(e.Edge().Args[l.counter.Index])
		if i > 0 && by != step || by == 0 {
			return false
		}
		step = by
	}
	up := step > 0
	largest, smallest := t.Mask(), uint64(0)
	if l.test.op == alu.Slt || l.test.op == alu.Sle {
		largest, smallest = t.Mask()>>1, t.Mask()>>1+1
	}
	// Counting up, lanes stay below the bound; counting down, above it.
	if l.test.op != alu.Ne && l.test.boundOnX == up {
		return false
	}
	from, to := polynomial.Of(l.first), polynomial.Of(l.bound)
	if !up {
		from, to = to, from
	}
	l.trips = to.Minus(from, t)
	if n := uint64(max(step, -step)); n > 1 {
		distance, ok := l.constant()
		if !ok || distance%n != 0 || l.test.op == alu.Sle || l.test.op == alu.Ule {
			return false
		}
		l.trips = polynomial.Constant(distance / n)
	}
	if l.test.op == alu.Sle || l.test.op == alu.Ule {
		l.trips = l.trips.Plus(polynomial.Constant(1), t)
		l.endless = &largest
		if !up {
			l.endless = &smallest
		}
	}
	return true
}

// constant returns the trip count if it is constant.
func (l *loop) constant() (n uint64, ok bool) {
	switch {
	case l.trips == nil || len(l.trips.Values()) > 0:
		return 0, false
	case len(l.trips) == 0:
		return 0, true
	}
	return l.trips[0].Factor, true
}

// step returns the constant difference of v and the counter, or 0 if there is none.
func (l *loop) step(v *kernel.Value) int64 {
	if len(v.Args) != 2 || v.Args[0] != l.counter || v.Args[1].Op != kernel.Const {
		return 0
	}
	by := v.Type.Signed(v.Args[1].Const)
	switch {
	case v.Op == alu.Sub:
		by = -by
	case v.Op != alu.Add:
		return 0
	}
	return by
}

// uniformTrips reports whether the trip count is uniform but the bounds are not.
func (l *loop) uniformTrips(info *divergence.Info) bool {
	if info.Uniform(l.first) && info.Uniform(l.bound) {
		return false // the divergence has another cause, as after an earlier Count
	}
	if l.trips == nil || len(l.trips) > maxTerms || slices.ContainsFunc(l.trips.Values(), func(v *kernel.Value) bool { return !info.Uniform(v) }) {
		return false
	}
	if info.Shapes[l.bound.ID].Kind == divergence.Strided && l.ends(info) {
		l.endless = nil
	}
	return true
}

// ends reports whether the bound is never the one that does not end the loop.
func (l *loop) ends(info *divergence.Info) bool {
	if l.endless == nil {
		return true
	}
	known, signed := info.Bounds[l.bound.ID], l.bound.Type.Signed(*l.endless)
	return *l.endless < known.ULo || *l.endless > known.UHi || signed < known.SLo || signed > known.SHi
}

// short reports whether the trip count is a constant small enough for unrolling, and the
// counter does not start at a constant.
func (l *loop) short(info *divergence.Info) bool {
	n, ok := l.constant()
	if !ok || n > maxShort || l.first.Op == kernel.Const || !l.ends(info) {
		return false
	}
	l.endless = nil
	return true
}

// skippable reports whether lanes that run no iteration can skip the header.
func (l *loop) skippable() bool {
	for _, v := range l.header.Values {
		if kernel.InfoOf(v.Op).Effect != kernel.Pure && (v.Op != kernel.Load || v.Volatile) {
			return false
		}
	}
	return l.test.op == alu.Ne || !slices.ContainsFunc(l.header.Edges[1-l.stay].Args, func(a *kernel.Value) bool { return !l.early(a) })
}

// early reports whether v, with its value in the first iteration, can be computed before
// the loop.
func (l *loop) early(v *kernel.Value) bool {
	if v.Block == nil || l.outside(v.Block) || l.counts(v) {
		return true
	}
	return v.Op.Pure() && v.Op != kernel.Param && !slices.ContainsFunc(v.Args, func(a *kernel.Value) bool { return !l.early(a) })
}
