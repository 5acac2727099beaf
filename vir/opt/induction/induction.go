package induction

import (
	"math"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Induction widens 32-bit loop counters that addresses depend on to 64 bits, in scalar code:
// an address then uses the counter without extending it. Where the extension of a sum of such
// a counter and other terms was used, the extended terms are added, the most invariant ones
// first.
//
// A counter's steps must not wrap. They do not if a comparison bounds them, or if the counter
// starts near zero and indexes memory in every iteration: no object is large enough for it to
// wrap (widen.MaxObject). For the same reason the sum of two terms in an address does not wrap.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Induction(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	n := newInduction(f)
	for _, c := range n.cycles.Cycles {
		if c.Reducible() {
			for _, k := range f.Blocks[c.Header].Params {
				n.consider(c, k)
			}
		}
	}
	if len(n.found) == 0 {
		return
	}
	var products []product
	for _, w := range n.found {
		products = append(products, n.products(w)...)
	}
	for i := range n.found {
		w := &n.found[i]
		n.widen(append([]*vir.Value{w.k}, w.next...), w.starts)
	}
	for _, p := range products {
		n.reduce(p)
	}
	stats.Add("widened counters", len(n.found))
	stats.Add("reduced products", len(products))
	n.rewrite()
	n.sums()
	f.Renumber()
	edit.Dead(f, nil)
	vir.RemoveTrivialParams(f)
	f.Renumber()
}

// wideCounter is a counter k that is to be widened.
type wideCounter struct {
	cycle *cfg.Cycle
	k     *vir.Value
	step  int64
	next  []*vir.Value // k + step, as passed by back edges

	starts []entry // values on entry to the loop
}

// near reports whether w certainly starts near zero.
func (w *wideCounter) near() bool { return !slices.ContainsFunc(w.starts, entry.far) }

// entry is a value that flows into widened ones from outside: the argument of an edge to a
// parameter, or, without an edge, the first operand of a step.
type entry struct {
	x    *vir.Value
	edge analysis.InEdge
}

// far reports whether x may be far from zero.
func (s entry) far() bool { return !analysis.IsSmall(s.x) }

type induction struct {
	f      *vir.Func
	cycles *cfg.CycleForest
	dom    *cfg.DomTree
	in     [][]analysis.InEdge
	uses   [][]analysis.Use
	found  []wideCounter
	wide   map[*vir.Value]*vir.Value // by 32-bit value: its extension
	narrow map[*vir.Value]*vir.Value // truncations of the extensions

	reduced map[*vir.Value]*vir.Value // by index: the counter that replaces it
	starts  map[*vir.Value][]entry    // by wide value that may start far from zero
}

func newInduction(f *vir.Func) *induction {
	g := f.Graph()
	return &induction{
		f: f, cycles: cfg.Cycles(g), dom: cfg.Dominators(g), in: analysis.InEdges(f), uses: analysis.UsesOf(f),
		wide: map[*vir.Value]*vir.Value{}, narrow: map[*vir.Value]*vir.Value{},
		reduced: map[*vir.Value]*vir.Value{}, starts: map[*vir.Value][]entry{},
	}
}

// consider adds k, a parameter of the header of c, to the counters to widen if it qualifies.
func (n *induction) consider(c *cfg.Cycle, k *vir.Value) {
	if k.Type != vir.Scalar(alu.I32) {
		return
	}
	w := wideCounter{cycle: c, k: k}
	for _, e := range n.in[c.Header] {
		a := e.Edge().Args[k.Index]
		if !n.cycles.Contains(c, e.From.ID) {
			w.starts = append(w.starts, entry{a, e})
			continue
		}
		if a.Op != alu.Add || a.Args[0] != k || a.Args[1].Op != vir.Const {
			return
		}
		step := a.Args[1].Signed()
		if step == 0 || step < -analysis.MaxStep || step > analysis.MaxStep || w.step != 0 && w.step != step {
			return
		}
		w.step = step
		seen := false
		for _, x := range w.next {
			seen = seen || x == a
		}
		if !seen {
			w.next = append(w.next, a)
		}
	}
	if w.step != 0 && (n.indexes(w) || len(n.products(w)) > 0) && n.bounded(w) {
		n.found = append(n.found, w)
	}
}

// indexes reports whether k, its next value, or a sum or difference with either is extended for
// an address.
func (n *induction) indexes(w wideCounter) bool {
	for _, v := range append([]*vir.Value{w.k}, w.next...) {
		for _, u := range n.uses[v.ID] {
			if u.By == nil {
				continue
			}
			if n.isIndex(u.By) {
				return true
			}
			if u.By.Op == alu.Add || u.By.Op == alu.Sub {
				for _, s := range n.uses[u.By.ID] {
					if s.By != nil && n.isIndex(s.By) {
						return true
					}
				}
			}
		}
	}
	return false
}

// isIndex reports whether v is a sign extension that is used only in addresses.
func (n *induction) isIndex(v *vir.Value) bool {
	return v.Op == alu.SExt && v.Type == vir.Scalar(alu.I64) && v.Args[0].Type == vir.Scalar(alu.I32) && analysis.OnlyAddress(n.uses, v, analysis.AddressDepth)
}

// accessesAt reports whether v is an access of scalar code that is executed whenever its block is.
func accessesAt(v *vir.Value) bool {
	switch v.Op {
	case vir.Load, vir.Store:
		return true
	case vir.VLoad, vir.VStore:
		return analysis.IsConst(v.Args[len(v.Args)-1], 1)
	}
	return false
}

// bounded reports whether no step of w wraps.
func (n *induction) bounded(w wideCounter) bool {
	near := w.near()
	if near && n.walksMemory(w) {
		return true
	}
	// On every back edge a comparison keeps k from the ends of its type.
	for _, e := range n.in[w.cycle.Header] {
		if !n.cycles.Contains(w.cycle, e.From.ID) {
			continue
		}
		known := false
		for _, k := range analysis.FactsOn(e, n.in, n.dom) {
			known = known || n.boundsStep(w, k, w.k, w.step) || near && n.boundsStep(w, k, e.Edge().Args[w.k.Index], w.step)
		}
		if !known {
			return false
		}
	}
	return true
}

// boundsStep reports whether a fact implies that x, a value of the loop, can be stepped without
// wrapping.
func (n *induction) boundsStep(w wideCounter, k analysis.BranchFact, x *vir.Value, step int64) bool {
	c := k.Cond
	if !n.cycles.Contains(w.cycle, c.Block.ID) || c.Op != alu.Slt && c.Op != alu.Sle {
		return false
	}
	// lo < hi, or lo <= hi.
	lo, hi, strict := c.Args[0], c.Args[1], c.Op == alu.Slt
	if k.Bits == 0 {
		lo, hi, strict = hi, lo, !strict
	}
	slack := int64(0)
	if strict {
		slack = 1
	}
	switch {
	case step > 0 && unextended(lo) == x:
		_, high := boundsOf(hi)
		return high-slack+step <= math.MaxInt32
	case step < 0 && unextended(hi) == x:
		low, _ := boundsOf(lo)
		return low+slack+step >= math.MinInt32
	}
	return false
}

// unextended returns x if v is the 64-bit sign extension of x, else v.
func unextended(v *vir.Value) *vir.Value {
	if v.Op == alu.SExt && v.Type.Elem == alu.I64 {
		return v.Args[0]
	}
	return v
}

// boundsOf returns bounds of v: a constant, a value of at most 32 bits, or the 64-bit sum of an
// extension and a constant.
func boundsOf(v *vir.Value) (low, high int64) {
	c := int64(0)
	if v.Op == alu.Add && v.Args[1].Op == vir.Const && v.Type.Elem == alu.I64 {
		v, c = v.Args[0], v.Args[1].Signed()
	}
	if v.Op == vir.Const {
		return v.Signed() + c, v.Signed() + c
	}
	signed := true
	if (v.Op == alu.SExt || v.Op == alu.ZExt) && v.Type.Elem == alu.I64 {
		v, signed = v.Args[0], v.Op == alu.SExt
	}
	switch bits := v.Type.Elem.Bits(); {
	case bits > 32 || c <= -1<<32 || c >= 1<<32:
		return math.MinInt64 / 2, math.MaxInt64 / 2
	case signed:
		return -1<<(bits-1) + c, 1<<(bits-1) - 1 + c
	default:
		return c, 1<<bits - 1 + c
	}
}

// walksMemory reports whether every iteration accesses memory at an invariant base plus an index
// that is k or k and an invariant term: all values of the index then lie within one object.
func (n *induction) walksMemory(w wideCounter) bool {
	for _, id := range w.cycle.Blocks {
		always := true
		for _, latch := range w.cycle.Latches {
			always = always && n.dom.Dominates(id, latch)
		}
		if !always {
			continue
		}
		for _, v := range n.f.Blocks[id].Values {
			if !accessesAt(v) {
				continue
			}
			a := v.Args[0]
			if a.Op != alu.Add {
				continue
			}
			for i, x := range a.Args {
				if x.Op == alu.Shl && x.Args[1].Op == vir.Const {
					x = x.Args[0]
				}
				if x.Op == alu.SExt && n.isCounterPlusInvariant(w, x.Args[0]) && n.isInvariant(a.Args[1-i], w.cycle) {
					return true
				}
			}
		}
	}
	return false
}

// isCounterPlusInvariant reports whether v is w.k, or its sum or difference with invariant terms.
func (n *induction) isCounterPlusInvariant(w wideCounter, v *vir.Value) bool {
	for v != w.k {
		switch {
		case v.Op != alu.Add && v.Op != alu.Sub:
			return false
		case n.isInvariant(v.Args[1], w.cycle):
			v = v.Args[0]
		case n.isInvariant(v.Args[0], w.cycle):
			v = v.Args[1]
		default:
			return false
		}
	}
	return true
}

// isInvariant reports whether v is invariant in c.
func (n *induction) isInvariant(v *vir.Value, c *cfg.Cycle) bool {
	return v.Op == vir.Const || !n.cycles.Contains(c, v.Block.ID)
}
