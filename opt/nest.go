package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// What a loop inside must keep for being worth it: less is made up for by what
// goes from one loop to the other in registers. And how many loops Nest makes.
const (
	minSteady = 3
	maxNested = 4
)

// Nest makes a loop of its own, inside the loop that it was part of, of the ways
// back to a header that leave some of its parameters as they are: a search goes
// on with the next candidate more often than with the next depth, and what the
// depth tells does not change meanwhile. Lanes that run together would wait for
// each other at the end of the loop inside, so that it is for code of one lane.
//
// It looks through the block that gathers the ways back.
//
// requires: no unreachable blocks; maintains: SSA; breaks: single latches, LCSSA
func Nest(f *kernel.Func, st Stats) {
	st.Add("loops nested", nestAll(f, minSteady))
}

// nestAll makes loops that keep as many operations as least, and returns how many.
func nestAll(f *kernel.Func, least int) int {
	n := 0
	for n < maxNested && nest(f, least) {
		n++
	}
	return n
}

// nest makes one loop inside another, if there is one to be made.
func nest(f *kernel.Func, least int) bool {
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
		if inside := l.best(least); inside != nil {
			l.split(inside)
			RemoveUnreachable(f, nil) // what it looked through
			RemoveTrivialParams(f, nil)
			return true
		}
	}
	return false
}

// nesting is a loop of which parts may become a loop inside.
type nesting struct {
	f      *kernel.Func
	loops  *cfg.CycleForest
	cycle  *cfg.Cycle
	in     [][]InEdge
	header *kernel.Block
	back   []wayBack
	dom    *cfg.DomTree // made when there is something to choose from
}

// wayBack is an edge that leads back to the header, and what it passes to it.
type wayBack struct {
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
			l.back = append(l.back, wayBack{e, e.Edge().Args})
			continue
		}
		for _, g := range l.in[latch.ID] {
			args := make([]*kernel.Value, len(e.Edge().Args))
			for i, a := range e.Edge().Args {
				if args[i] = a; a.Block == latch {
					args[i] = g.Edge().Args[a.Index]
				}
			}
			l.back = append(l.back, wayBack{g, args})
		}
	}
}

// best returns the ways back that keep what most of the loop inside depends on, at
// least so many operations, as a set by their place; nil for none.
func (l *nesting) best(least int) []bool {
	if len(l.back) < 2 {
		return nil
	}
	var best []bool
	most := least - 1
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
		if s := l.steady(keep); s > most {
			best, most = keep, s
		}
	}
	return best
}

// steady counts the operations worth keeping that every round of the loop inside
// makes and that depend on what it keeps and on nothing else of the loop. Loads from
// private objects are among them: Forward carries what they find.
func (l *nesting) steady(keep []bool) int {
	same := map[*kernel.Value]bool{} // in the loop, but the same in all rounds of the one inside
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

// costs reports whether v takes more than what addresses and jumps do by themselves.
func costs(v *kernel.Value) bool {
	switch {
	case v.Op == kernel.Load:
		return true
	case !v.Op.Pure() || alu.InfoOf(v.Op).Class == alu.Compare || alu.InfoOf(v.Op).Class == alu.Convert:
		return false
	}
	return v.Op != alu.Add && v.Op != alu.Shl || v.Args[1].Op != kernel.Const
}

// always lists the blocks that all rounds of the loop inside pass, in order.
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

// private reports whether an address is in an object of the work-item's own.
func private(p *kernel.Value) bool {
	for p.Op == kernel.PtrAdd {
		p = p.Args[0]
	}
	return p.Op == kernel.Alloca
}

// split sends all edges but those of the loop inside to a new header before it.
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
