// Package dependence decides which memory accesses of different iterations of a loop may touch
// the same memory. Subscripts are affine forms of the counters of the loop and of the loops in
// it, modulo the width of the numbers; the tests are the ZIV, strong SIV, GCD and Banerjee tests
// (Goff, Kennedy and Tseng, "Practical Dependence Testing", PLDI 1991), and one for rows of a
// length that is known only at run time.
package dependence

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Loop is a loop with one entering and one back edge.
type Loop struct {
	f      *kernel.Func
	loops  *cfg.CycleForest
	cycle  *cfg.Cycle
	in     [][]opt.InEdge
	header *kernel.Block
	entry  opt.InEdge
	back   opt.InEdge

	// Increasing are parameters of the header that grow by at least 1 whenever a block runs,
	// and only then.
	Increasing map[*kernel.Value]*kernel.Block

	overlap  bool
	counters map[*kernel.Value]int64 // parameter of the header -> its increment per iteration
	inner    map[*kernel.Value]span  // counter of an inner loop -> its values
	after    map[*kernel.Block]map[*kernel.Block]bool
	varying  map[*kernel.Value]bool

	// steady is the form of a counter of 32 bits from a constant that does not wrap in the
	// iterations that run; nil: there is none.
	steady *form

	// iteration is the atom that stands for the number of the iteration: a counter is the sum
	// of its start and a multiple of it.
	iteration kernel.Value
}

// span is the set of values of a counter of an inner loop: from 0 to below limit.
type span struct {
	header *kernel.Block
	limit  *kernel.Value // invariant in the outer loop
}

// NewLoop describes the cycle c of f. With overlap, buffers of different arguments may share
// memory, except for arguments declared restrict. It returns nil if the loop has several entering
// or back edges.
func NewLoop(f *kernel.Func, loops *cfg.CycleForest, c *cfg.Cycle, in [][]opt.InEdge, overlap bool) *Loop {
	l := &Loop{f: f, loops: loops, cycle: c, in: in, header: f.Blocks[c.Header], overlap: overlap}
	entries, backs := 0, 0
	for _, e := range in[c.Header] {
		if loops.Contains(c, e.From.ID) {
			l.back, backs = e, backs+1
		} else {
			l.entry, entries = e, entries+1
		}
	}
	if !c.Reducible() || entries != 1 || backs != 1 {
		return nil
	}
	l.varying = map[*kernel.Value]bool{}
	l.counters, l.after = map[*kernel.Value]int64{}, map[*kernel.Block]map[*kernel.Block]bool{}
	for _, p := range l.header.Params {
		if by, ok := kernel.Step(p, l.back.Edge().Args[p.Index]); ok {
			l.counters[p] = by
		}
	}
	l.findSteady()
	l.inner = map[*kernel.Value]span{}
	for _, inner := range loops.Cycles {
		if inner != c && loops.Encloses(c, inner) {
			l.addCounters(inner)
		}
	}
	return l
}

// findSteady finds the counter by 1 that the header compares with a limit.
func (l *Loop) findSteady() {
	c := l.header.Cond
	if c == nil || c.Op != alu.Slt || l.header.Kind != kernel.Branch || !l.loops.Contains(l.cycle, l.header.Edges[0].To.ID) || l.loops.Contains(l.cycle, l.header.Edges[1].To.ID) {
		return
	}
	p := c.Args[0]
	if l.counters[p] != 1 || p.Type != alu.I32 {
		return
	}
	if start := l.entry.Edge().Args[p.Index]; start.Op == kernel.Const && start.Type.Signed(start.Const) >= 0 {
		f := l.formOf(p, maxDepth)
		l.steady = &f
	}
}

// addCounters records the counter that the header of an inner loop compares with its limit.
func (l *Loop) addCounters(inner *cfg.Cycle) {
	h := l.f.Blocks[inner.Header]
	if !inner.Reducible() || h.Kind != kernel.Branch || !l.loops.Contains(inner, h.Edges[0].To.ID) || l.loops.Contains(inner, h.Edges[1].To.ID) {
		return
	}
	c := h.Cond
	if c.Op != alu.Slt && c.Op != alu.Ult {
		return
	}
	p, limit := c.Args[0], c.Args[1]
	if p.Op != kernel.Param || p.Block != h || l.varies(limit) {
		return
	}
	for _, e := range l.in[h.ID] {
		a := e.Edge().Args[p.Index]
		if !l.loops.Contains(inner, e.From.ID) {
			if a.Op != kernel.Const || a.Type.Signed(a.Const) < 0 {
				return
			}
		} else if by, ok := kernel.Step(p, a); !ok || by < 0 || by > MaxRow { // the last addition must not wrap
			return
		}
	}
	l.inner[p] = span{h, limit}
}

// varies reports whether v may differ between iterations: the loop computes it, and not only from
// invariant operands.
func (l *Loop) varies(v *kernel.Value) bool {
	if v.Block == nil || !l.loops.Contains(l.cycle, v.Block.ID) {
		return false
	}
	known, ok := l.varying[v]
	if !ok {
		l.varying[v] = true // meanwhile
		known = !v.Op.Pure() && v.Op != kernel.PtrAdd || slices.ContainsFunc(v.Args, l.varies)
		l.varying[v] = known
	}
	return known
}

// below returns the exclusive upper bound of an inner counter wherever v is executed, or nil.
func (l *Loop) below(counter, v *kernel.Value) *kernel.Value {
	s, ok := l.inner[counter]
	if !ok || v.Block == s.header || !l.loops.Contains(l.loops.InnermostCycle(s.header.ID), v.Block.ID) {
		return nil
	}
	return s.limit
}

// access is a load or store with a decomposed address.
type access struct {
	v      *kernel.Value
	object *kernel.Value // the pointer that the address is computed from
	offset form          // from the object, in bytes
	size   int64         // in bytes
}

// access decomposes the address of a load or store.
func (l *Loop) access(v *kernel.Value) access {
	a := access{v: v, size: int64(v.Accessed().Size() * max(v.Count, 1)), offset: form{bits: 64}}
	p := v.Args[0]
	for n := 0; n < maxDepth; n++ {
		if by, counts := l.counters[p]; counts { // an address that is incremented
			a.offset = a.offset.plus(form{bits: 64, terms: []term{{coef: by, atom: &l.iteration}}}, 1)
			p = l.entry.Edge().Args[p.Index]
		} else if p.Op == kernel.PtrAdd {
			a.offset = a.offset.plus(l.formOf(p.Args[1], maxDepth), 1)
			p = p.Args[0]
		} else {
			break
		}
	}
	a.object = p
	return a
}
