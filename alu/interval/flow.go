package interval

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
)

// Function is what Flow is told of a function of whatever IR: values and blocks are numbers.
type Function struct {
	Values []Value // by number
	Blocks []Block // by number
	Order  []int   // the blocks that control comes to, in reverse postorder
	Dom    *cfg.DomTree
	// Loops extends the facts of a branch to a loop that one of its edges enters. It finds
	// tighter bounds and takes longer.
	Loops bool
}

// Value is a value of a Function.
type Value struct {
	Kind    ValueKind
	Op      alu.Op // of what is computed
	Type    alu.Type
	Operand alu.Type // that of its first argument
	Args    []int32  // numbers, for parameters their own index alone
	Bits    uint64   // of a constant
	Given   Bounds   // of what is given
	Block   int32
}

// ValueKind says how the bounds of a Value are found.
type ValueKind uint8

const (
	Other    ValueKind = iota // it is no integer
	Constant                  // it is Bits
	Given                     // it is within Given
	Computed                  // by Op from integers
	Param                     // of its block: what the edges there bring
)

// Block is a block of a Function.
type Block struct {
	Values []int32 // the integers but constants, in order
	In     []Edge
}

// Edge leads to a block. Branches that decide between two blocks are known to have come out.
type Edge struct {
	From   int32
	Args   []int32 // of the parameters
	Branch bool
	Cond   int32
	Yes    bool // how Cond came out, if Branch
}

// Flow is between what the integers of a function are. In a block that one edge of a branch
// alone leads to, they are moreover what the branch says.
//
// It is found by going round until nothing grows any more, what loops carry being
// widened to the end of its range if it does so repeatedly, and then narrowed again
// (Cousot and Cousot, "Abstract Interpretation", POPL'77, section 9).
type Flow struct {
	f *Function

	of    []Bounds // by value, wherever it is computed
	known []bool   // by value: it was come to
	grown []uint8  // by value: how often a parameter did

	says    [][]*saying // by block: what the way into it decides
	sayings [][]*saying // by value: where more is known of it
}

// saying is what a branch says of a value in the blocks that one of its edges leads to.
type saying struct {
	block  int
	from   int32 // the block that ends with the branch
	tested tested
	bounds Bounds
}

// tested is a comparison that came out as yes tells, seen from one of its operands.
type tested struct {
	test int32
	side int // which operand
	yes  bool
}

const (
	patience   = 4  // how often what a loop carries grows before it is widened
	mostRounds = 24 // by then all has been widened but in deep nests
	narrowings = 2
	mostTested = 8  // comparisons of a branch
	mostSaying = 16 // of a value
)

// FlowOf returns the bounds of the values of f, nil if they were not found soon.
func FlowOf(f *Function) *Flow {
	n := len(f.Values)
	k := &Flow{f: f, of: make([]Bounds, n), known: make([]bool, n), grown: make([]uint8, n),
		says: make([][]*saying, len(f.Blocks)), sayings: make([][]*saying, n)}
	for b := range f.Blocks {
		if in := f.entering(b); in != nil {
			for _, t := range k.decided(in) {
				if v := k.value(t); len(k.sayings[v]) < mostSaying {
					s := &saying{block: b, from: in.From, tested: t}
					k.says[b], k.sayings[v] = append(k.says[b], s), append(k.sayings[v], s)
				}
			}
		}
	}
	round := func(narrow bool) (changed bool) {
		for _, b := range f.Order {
			changed = k.block(b, narrow) || changed
		}
		return changed
	}
	for n := 0; round(false); n++ {
		if n == mostRounds {
			return nil
		}
	}
	for range narrowings {
		round(true)
	}
	return k
}

// entering returns the edge into b that dominates b: its only one, or with Loops its only one
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

// Known reports whether v was there when the bounds were found, and control comes to it.
func (k *Flow) Known(v int) bool { return v < len(k.known) && k.known[v] }

// At returns the bounds of v in a block.
func (k *Flow) At(v, block int) Bounds {
	x := &k.f.Values[v]
	if x.Kind == Constant {
		return Exactly(x.Type, x.Bits)
	}
	r := k.of[v]
	for _, s := range k.sayings[v] {
		if k.f.Dom.Dominates(s.block, block) {
			r = Meet(x.Type, r, s.bounds)
		}
	}
	return r
}

func (k *Flow) value(t tested) int32 { return k.f.Values[t.test].Args[t.side] }

// decided lists the comparisons that are known on an edge.
func (k *Flow) decided(e *Edge) []tested {
	if !e.Branch {
		return nil
	}
	return k.testsOf(e.Cond, e.Yes, nil)
}

// testsOf lists the comparisons of integers that came out one way if v did.
func (k *Flow) testsOf(v int32, yes bool, all []tested) []tested {
	x := &k.f.Values[v]
	if x.Kind != Computed || len(all) >= mostTested {
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
			x = k.told(t, x, e.From)
		}
	}
	return x
}

// told narrows x, the bounds of a value in a block, to what a comparison there says of it.
func (k *Flow) told(t tested, x Bounds, block int32) Bounds {
	test := &k.f.Values[t.test]
	return Compared(test.Op, test.Operand, x, k.At(int(test.Args[1-t.side]), int(block)), t.side == 0, t.yes)
}

// block updates what is known of the values of a block, and reports whether that changed.
// Bounds only grow unless they are to be narrowed.
func (k *Flow) block(b int, narrow bool) (changed bool) {
	for _, s := range k.says[b] {
		if x := k.told(s.tested, k.At(int(k.value(s.tested)), int(s.from)), s.from); x != s.bounds {
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

// set makes x part of what v is, or all of it.
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

// param covers what the edges bring whose source was come to; ok is false if none was.
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

// chosen narrows the operands of a select to what its condition says where they are chosen.
func (k *Flow) chosen(x *Value, xs *[3]Bounds) {
	for i, yes := range []bool{true, false} {
		for _, t := range k.testsOf(x.Args[0], yes, nil) {
			if k.value(t) == x.Args[1+i] {
				xs[1+i] = k.told(t, xs[1+i], x.Block)
			}
		}
	}
}
