package interval

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
)

// Function is the input of Flow, from any IR: values and blocks are numbers.
type Function struct {
	Values []Value // by number
	Blocks []Block // by number
	Order  []int   // the reachable blocks, in reverse postorder
	Dom    *cfg.DomTree
	// Loops extends the facts of a branch to a loop that one of its edges enters. It finds
	// tighter bounds and takes longer.
	Loops bool
}

// Value is a value of a Function.
type Value struct {
	Kind    ValueKind
	Op      alu.Op // of a computed value
	Type    alu.Type
	Operand alu.Type // that of its first argument
	Args    []int32  // numbers; of a parameter, its own index alone
	Bits    uint64   // of a constant
	Given   Bounds   // of a given value
	Block   int32
}

// ValueKind selects how the bounds of a Value are found.
type ValueKind uint8

const (
	Other    ValueKind = iota // not an integer
	Constant                  // Bits
	Given                     // within Given
	Computed                  // by Op from integers
	Param                     // of its block: covers the arguments of the edges
)

// Block is a block of a Function.
type Block struct {
	Values []int32 // the integers except constants, in order
	In     []Edge
}

// Edge leads to a block. It may carry the outcome of a branch.
type Edge struct {
	From   int32
	Args   []int32 // of the parameters
	Branch bool
	Cond   int32
	Yes    bool // the outcome of Cond, if Branch
}

// Flow holds the bounds of the integers of a function. In a block with a single incoming edge
// of a branch they also reflect the branch's condition.
//
// It is computed by iteration to a fixed point. A loop-carried value that grows repeatedly is
// widened to the end of its range, and later narrowed again
// (Cousot and Cousot, "Abstract Interpretation", POPL'77, section 9).
type Flow struct {
	f *Function

	of    []Bounds // by value, where it is computed
	known []bool   // by value: reached
	grown []uint8  // by value: number of times a parameter grew

	facts   [][]*fact // by block: facts implied by the edge into it
	factsOf [][]*fact // by value: facts about it
}

// fact is a fact about a value that a branch implies in the blocks after one of its edges.
type fact struct {
	block  int
	from   int32 // the block that ends with the branch
	tested tested
	bounds Bounds
}

// tested is a comparison with outcome yes, seen from one of its operands.
type tested struct {
	test int32
	side int // index of the operand
	yes  bool
}

const (
	patience      = 4  // growths of a loop-carried value before it is widened
	maxIterations = 24 // enough to widen everything except in deep nests
	narrowings    = 2
	maxTested     = 8  // comparisons of a branch
	maxFacts      = 16 // of a value
)

// FlowOf returns the bounds of the values of f, nil if the iteration limit is exceeded.
func FlowOf(f *Function) *Flow {
	n := len(f.Values)
	k := &Flow{f: f, of: make([]Bounds, n), known: make([]bool, n), grown: make([]uint8, n),
		facts: make([][]*fact, len(f.Blocks)), factsOf: make([][]*fact, n)}
	for b := range f.Blocks {
		if in := f.entering(b); in != nil {
			for _, t := range k.decided(in) {
				if v := k.value(t); len(k.factsOf[v]) < maxFacts {
					s := &fact{block: b, from: in.From, tested: t}
					k.facts[b], k.factsOf[v] = append(k.facts[b], s), append(k.factsOf[v], s)
				}
			}
		}
	}
	iterate := func(narrow bool) (changed bool) {
		for _, b := range f.Order {
			changed = k.block(b, narrow) || changed
		}
		return changed
	}
	for n := 0; iterate(false); n++ {
		if n == maxIterations {
			return nil
		}
	}
	for range narrowings {
		iterate(true)
	}
	return k
}

// entering returns the edge into b that dominates b: its only one, or with Loops the only one
// besides back edges; nil if there is none.
func (f *Function) entering(b int) (enters *Edge) {
	in := f.Blocks[b].In
	for i := range in {
		if f.Loops && f.Dom.Dominates(b, int(in[i].From)) {
			continue
		}
		if enters != nil {
			return nil
		}
		enters = &in[i]
	}
	return enters
}

// Of returns the bounds of v where it is computed.
func (k *Flow) Of(v int) Bounds { return k.of[v] }

// Known reports whether v existed when the bounds were computed, and is reachable.
func (k *Flow) Known(v int) bool { return v < len(k.known) && k.known[v] }

// At returns the bounds of v in a block.
func (k *Flow) At(v, block int) Bounds {
	x := &k.f.Values[v]
	if x.Kind == Constant {
		return Exactly(x.Type, x.Bits)
	}
	r := k.of[v]
	for _, s := range k.factsOf[v] {
		if k.f.Dom.Dominates(s.block, block) {
			r = Meet(x.Type, r, s.bounds)
		}
	}
	return r
}

func (k *Flow) value(t tested) int32 { return k.f.Values[t.test].Args[t.side] }

// decided lists the comparisons whose outcome is known on an edge.
func (k *Flow) decided(e *Edge) []tested {
	if !e.Branch {
		return nil
	}
	return k.testsOf(e.Cond, e.Yes, nil)
}

// testsOf lists the comparisons of integers implied by an outcome of v.
func (k *Flow) testsOf(v int32, yes bool, all []tested) []tested {
	x := &k.f.Values[v]
	if x.Kind != Computed || len(all) >= maxTested {
		return all
	}
	switch {
	case x.Op == alu.Xor && x.Type == alu.I1:
		if y := &k.f.Values[x.Args[1]]; y.Kind == Constant && y.Bits&1 != 0 {
			return k.testsOf(x.Args[0], !yes, all)
		}
	case x.Op == alu.And && yes, x.Op == alu.Or && !yes:
		return k.testsOf(x.Args[1], yes, k.testsOf(x.Args[0], yes, all))
	case alu.InfoOf(x.Op).Class == alu.Compare && x.Operand.IsInt():
		for side, a := range x.Args {
			if k.f.Values[a].Kind != Constant {
				all = append(all, tested{v, side, yes})
			}
		}
	}
	return all
}

// along returns the bounds of v on an edge.
func (k *Flow) along(v int32, e *Edge) Bounds {
	x := k.At(int(v), int(e.From))
	for _, t := range k.decided(e) {
		if k.value(t) == v {
			x = k.narrowed(t, x, e.From)
		}
	}
	return x
}

// narrowed narrows x, the bounds of a value in a block, by the comparisons known there.
func (k *Flow) narrowed(t tested, x Bounds, block int32) Bounds {
	test := &k.f.Values[t.test]
	return Compared(test.Op, test.Operand, x, k.At(int(test.Args[1-t.side]), int(block)), t.side == 0, t.yes)
}

// block updates the bounds of the values of a block, and reports whether they changed. Bounds only
// grow unless they are to be narrowed.
func (k *Flow) block(b int, narrow bool) (changed bool) {
	for _, s := range k.facts[b] {
		if x := k.narrowed(s.tested, k.At(int(k.value(s.tested)), int(s.from)), s.from); x != s.bounds {
			s.bounds, changed = x, true
		}
	}
	for _, v := range k.f.Blocks[b].Values {
		if x, ok := k.transfer(v); ok {
			changed = k.set(v, x, narrow) || changed
		}
	}
	return changed
}

// set joins x into the bounds of v, or replaces them.
func (k *Flow) set(v int32, x Bounds, narrow bool) (changed bool) {
	old := k.of[v]
	if k.known[v] && !narrow {
		x = Cover(old, x)
		if at := &k.f.Values[v]; at.Kind == Param && x != old {
			if k.grown[v]++; k.grown[v] > patience {
				x = Widened(at.Type, old, x)
			}
		}
	}
	changed = !k.known[v] || x != old
	k.of[v], k.known[v] = x, true
	return changed
}

// transfer computes the bounds of v; ok is false if they are not known yet.
func (k *Flow) transfer(v int32) (b Bounds, ok bool) {
	x := &k.f.Values[v]
	switch x.Kind {
	case Param:
		return k.param(x)
	case Given:
		return x.Given.Both(x.Type), true
	case Computed:
		var xs [3]Bounds
		for i, a := range x.Args {
			xs[i] = k.At(int(a), int(x.Block))
		}
		if x.Op == alu.Select {
			k.chosen(x, &xs)
		}
		r, _ := Of(x.Op, x.Type, x.Operand, xs[:len(x.Args)]...)
		return r.Both(x.Type), true
	}
	return Any(x.Type), true
}

// param covers the arguments of the reached edges; ok is false if there are none.
func (k *Flow) param(p *Value) (all Bounds, ok bool) {
	in := k.f.Blocks[p.Block].In
	for i := range in {
		a := in[i].Args[p.Args[0]]
		if k.f.Values[a].Kind != Constant && !k.known[a] {
			continue
		}
		x := k.along(a, &in[i])
		if ok {
			x = Cover(all, x)
		}
		all, ok = x, true
	}
	return all, ok
}

// chosen narrows the operands of a select by its condition.
func (k *Flow) chosen(x *Value, xs *[3]Bounds) {
	for i, yes := range []bool{true, false} {
		for _, t := range k.testsOf(x.Args[0], yes, nil) {
			if k.value(t) == x.Args[1+i] {
				xs[1+i] = k.narrowed(t, xs[1+i], x.Block)
			}
		}
	}
}
