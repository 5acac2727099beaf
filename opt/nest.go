package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// minSteady is the number of invariant operations that make an inner loop profitable: fewer
// do not outweigh the values that the loops pass to each other in registers. maxNested limits
// the loops that Nest creates.
const (
	minSteady = 3
	maxNested = 4
)

// Nest separates the back edges of a header that leave some of its parameters unchanged into
// an inner loop: a search continues with the next candidate more often than with the next
// depth, and values that depend on the depth alone are then loop-invariant. Lanes that run
// together would wait for each other at the end of the inner loop, so it is for code of one
// lane.
//
// The pass looks through a latch that merges back edges.
//
// requires: no unreachable blocks; maintains: SSA; breaks: single latches, LCSSA
func Nest(f *kernel.Func, st Stats) {
	st.Add("loops nested", nestAll(f, minSteady))
}

// nestAll creates inner loops with at least minimum invariant operations and counts them.
func nestAll(f *kernel.Func, minimum int) int {
	n := 0
	for n < maxNested && nest(f, minimum) {
		n++
	}
	return n
}

// nest creates one inner loop, if one is profitable.
func nest(f *kernel.Func, minimum int) bool {
	loops := cfg.Cycles(f.Graph())
	if len(loops.Cycles) == 0 {
		return false
	}
	in := InEdges(f)
	for _, c := range loops.Cycles {
		if !c.Reducible() {
			continue
		}
		l := &nesting{f: f, loops: loops, cycle: c, in: in, header: f.Blocks[c.Header]}
		l.findBack()
		if inside := l.best(minimum); inside != nil {
			l.split(inside)
			RemoveUnreachable(f, nil) // latches that are bypassed now
			RemoveTrivialParams(f, nil)
			return true
		}
	}
	return false
}

// nesting is a loop whose back edges may be separated.
type nesting struct {
	f      *kernel.Func
	loops  *cfg.CycleForest
	cycle  *cfg.Cycle
	in     [][]InEdge
	header *kernel.Block
	back   []backEdge
	dom    *cfg.DomTree // nil until needed
}

// backEdge is an edge to the header, possibly through a latch, and the header's arguments.
type backEdge struct {
	InEdge
	args []*kernel.Value
}

func (l *nesting) findBack() {
	for _, e := range l.in[l.header.ID] {
		if !l.loops.Contains(l.cycle, e.From.ID) {
			continue
		}
		latch := e.From
		if latch == l.header || len(latch.Values) > 0 || latch.Kind != kernel.Jump {
			l.back = append(l.back, backEdge{e, e.Edge().Args})
			continue
		}
		for _, g := range l.in[latch.ID] {
			args := make([]*kernel.Value, len(e.Edge().Args))
			for i, a := range e.Edge().Args {
				if args[i] = a; a.Block == latch {
					args[i] = g.Edge().Args[a.Index]
				}
			}
			l.back = append(l.back, backEdge{g, args})
		}
	}
}

// best returns the back edges that keep the parameter on which most operations of an inner
// loop depend, at least minimum, as a set by index; nil for none.
func (l *nesting) best(minimum int) []bool {
	if len(l.back) < 2 {
		return nil
	}
	var best []bool
	bestSteady := minimum - 1
	for i, p := range l.header.Params {
		keep, n := make([]bool, len(l.back)), 0
		for k, w := range l.back {
			if keep[k] = w.args[i] == p; keep[k] {
				n++
			}
		}
		if n == 0 || n == len(l.back) {
			continue
		}
		if s := l.steady(keep); s > bestSteady {
			best, bestSteady = keep, s
		}
	}
	return best
}

// steady counts the operations worth hoisting that every iteration of the inner loop executes
// and that depend only on values unchanged in that loop. Loads from private objects are among
// them: Forward removes them.
func (l *nesting) steady(keep []bool) int {
	same := map[*kernel.Value]bool{} // computed in the loop, but invariant in the inner one
	for i, p := range l.header.Params {
		same[p] = true
		for k, w := range l.back {
			same[p] = same[p] && (!keep[k] || w.args[i] == p)
		}
	}
	n := 0
	for _, b := range l.always(keep) {
		for _, v := range b.Values {
			if kernel.InfoOf(v.Op).Effect != kernel.Pure && !(v.Op == kernel.Load && !v.Volatile && private(v.Args[0])) {
				continue
			}
			depends, steady := false, true
			for _, a := range v.Args {
				depends = depends || same[a]
				steady = steady && (same[a] || a.Block == nil || !l.loops.Contains(l.cycle, a.Block.ID))
			}
			if depends && steady {
				same[v] = true
				if costs(v) {
					n++
				}
			}
		}
	}
	return n
}

// costs reports whether v is more than an address computation or a comparison, which
// addressing modes and branches include.
func costs(v *kernel.Value) bool {
	switch {
	case v.Op == kernel.Load:
		return true
	case !v.Op.Pure() || alu.InfoOf(v.Op).Class == alu.Compare || alu.InfoOf(v.Op).Class == alu.Convert:
		return false
	}
	return v.Op != alu.Add && v.Op != alu.Shl || v.Args[1].Op != kernel.Const
}

// always lists the blocks on all paths through the inner loop, in order.
func (l *nesting) always(keep []bool) []*kernel.Block {
	if l.dom == nil {
		l.dom = cfg.Dominators(l.f.Graph())
	}
	at := -1
	for k, w := range l.back {
		switch {
		case !keep[k]:
		case at < 0:
			at = w.From.ID
		default:
			at = l.dom.NearestCommon(at, w.From.ID)
		}
	}
	var blocks []*kernel.Block
	for ; at != l.header.ID; at = l.dom.IDom[at] {
		blocks = append(blocks, l.f.Blocks[at])
	}
	blocks = append(blocks, l.header)
	slices.Reverse(blocks)
	return blocks
}

// private reports whether an address is in private memory.
func private(p *kernel.Value) bool {
	for p.Op == kernel.PtrAdd {
		p = p.Args[0]
	}
	return p.Op == kernel.Alloca
}

// split redirects all edges but the back edges of the inner loop to a new outer header.
func (l *nesting) split(inside []bool) {
	outer := &kernel.Block{Name: "outer", Func: l.f, Pos: l.header.Pos, At: l.header.At}
	args := make([]*kernel.Value, len(l.header.Params))
	for i, p := range l.header.Params {
		args[i] = outer.NewParam(p.Type, p.Name)
	}
	for _, e := range l.in[l.header.ID] {
		e.Edge().To = outer
	}
	for k, w := range l.back {
		if inside[k] {
			w.Edge().To, w.Edge().Args = l.header, w.args
		}
	}
	outer.Jump(l.header, args...)
	at := slices.Index(l.f.Blocks, l.header)
	l.f.Blocks = slices.Insert(l.f.Blocks, at, outer)
}
