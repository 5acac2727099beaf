package widen

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/joinpoints"
	"github.com/simtc/simtc/kernel"
)

// Layout is a kernel's control flow, with the block order in which both linearizers visit
// it. Tables are indexed by block ID; positions are indices into Order.
type Layout struct {
	K     *kernel.Func
	G     *cfg.Graph
	Info  *divergence.Info
	Dom   *cfg.DomTree
	Tree  *cfg.RegionTree // for control equivalence: run equally often, in every iteration of every cycle
	Loops *cfg.CycleForest
	Order []int
	Pos   []int
}

// NewLayout orders the blocks of k. It checks the form that linearizers require: no switch,
// one return, every block reachable, back edges to headers only, and one entering edge and one
// back edge per header.
func NewLayout(k *kernel.Func, info *divergence.Info) (*Layout, error) {
	g := k.Graph()
	l := &Layout{K: k, G: g, Info: info, Dom: cfg.Dominators(g), Tree: cfg.Regions(g), Loops: cfg.Cycles(g)}
	l.Order = joinpoints.Order(g, l.Loops)
	l.Pos = cfg.Positions(l.Order, g.Len())
	return l, l.check()
}

func (l *Layout) check() error {
	fault := func(b *kernel.Block, format string, args ...any) error {
		return fmt.Errorf("kernel %s: %s%s", l.K.Name, kernel.Label(b), fmt.Sprintf(format, args...))
	}
	returns := 0
	for _, b := range l.K.Blocks {
		switch {
		case b.Kind == kernel.Switch:
			return fault(b, ": a switch remains")
		case b.Kind == kernel.Return:
			returns++
		case !l.Dom.Contains(b.ID):
			return fault(b, " is not reachable")
		}
		if l.Loops.IsHeader(b.ID) {
			forward, back := 0, 0
			for _, p := range l.G.Preds[b.ID] {
				if l.Back(p, b.ID) {
					back++
				} else {
					forward++
				}
			}
			if forward > 1 || back != 1 {
				return fault(b, " is a header with %d entering and %d back edges", forward, back)
			}
		}
		for _, t := range l.G.Succs[b.ID] {
			if l.Back(b.ID, t) && !l.Loops.IsHeader(t) {
				return fault(b, " has an edge back to %s, which is not a cycle header", kernel.Label(l.K.Blocks[t]))
			}
		}
	}
	if returns > 1 {
		return fmt.Errorf("kernel %s has %d return blocks", l.K.Name, returns)
	}
	return nil
}

// Back reports whether the edge from -> to closes a cycle.
func (l *Layout) Back(from, to int) bool { return l.Pos[to] <= l.Pos[from] }

// Forward reports whether b has a branch with a forward edge within its cycle.
func (l *Layout) Forward(b int) bool {
	for _, t := range l.G.Succs[b] {
		if l.Back(b, t) || l.Leaves(b, t) {
			return false
		}
	}
	return len(l.G.Succs[b]) > 1
}

// Rare reports whether the source marks all edges to b from earlier blocks as unlikely.
func (l *Layout) Rare(b int) bool {
	for _, p := range l.G.Preds[b] {
		for _, e := range l.K.Blocks[p].Edges {
			if e.To.ID == b && !e.Rare && !l.Back(p, b) {
				return false
			}
		}
	}
	return b != 0
}

// Leaves reports whether the edge u -> b exits a cycle, so that lanes may wait at b over
// several iterations.
func (l *Layout) Leaves(u, b int) bool {
	c := l.Loops.InnermostCycle(u)
	return c != nil && !l.Loops.Contains(c, b)
}

// Anchor returns the nearest dominator of b that runs in the same iteration of every cycle:
// all lanes that reach b have run it, and no lane waits at b when it runs.
func (l *Layout) Anchor(b int) int {
	d := l.Dom.IDom[b]
	for d != 0 && (l.Leaves(d, b) || l.irreducible(d)) {
		d = l.Dom.IDom[d]
	}
	return d
}

// irreducible reports whether b is in a cycle of several entries.
func (l *Layout) irreducible(b int) bool {
	for c := l.Loops.InnermostCycle(b); c != nil; c = c.Parent {
		if !c.Reducible() {
			return true
		}
	}
	return false
}

// Compact reports whether d dominates everything between it and b, so that control reaches b
// only after d has run.
func (l *Layout) Compact(d, b int) bool {
	for p := l.Pos[d] + 1; p < l.Pos[b]; p++ {
		if !l.Dom.Dominates(d, l.Order[p]) {
			return false
		}
	}
	return true
}

// Leaders groups the blocks that the same lanes run, and maps each to the first of its group.
// A block joins a group in one of these cases:
//
//   - control reaches it only from blocks with one mask, by edges that all their lanes take
//     together;
//   - it runs exactly when its immediate dominator does, in the same iteration of every cycle
//     ("AVR Predication": two instructions have an identical mask iff one dominates and the
//     other post-dominates), or when all lanes of the dominator enter the cycle that exits to
//     the block.
//
// own reports whether a block has its own mask in any case; together, whether all lanes of p
// reach b at once and no others wait there. A block that all lanes reach that entered a cycle
// is led by Entry of its header, if entered reports true for the header.
func (l *Layout) Leaders(own func(b int) bool, together func(p, b int) bool, entered func(h int) bool) []int {
	leader := make([]int, l.G.Len())
	for b := range leader {
		leader[b] = -1 // unknown; assumed to fit
	}
	find := func(b int) int {
		if b == 0 || own(b) || leader[b] == b {
			return b // a leader stays a leader, so this terminates
		}
		one := -1
		for _, p := range l.G.Preds[b] {
			switch of := leader[p]; {
			case !together(p, b) || of >= 0 && one >= 0 && of != one:
				one = b
			case of >= 0 && one < 0:
				one = of
			}
		}
		if one >= 0 && one != b {
			return one
		}
		// Lanes that left the cycles above b have waited there for the others.
		d, below := l.Dom.IDom[b], -1
		for l.Leaves(d, b) {
			d, below = l.Dom.IDom[d], d
		}
		switch {
		case l.Tree.Class[b] == l.Tree.Class[d] && l.Compact(d, b):
			return leader[d]
		case below >= 0 && together(d, below) && l.enters(d, below, b) && l.Compact(below, b):
			return leader[d]
		case below >= 0 && entered(below) && l.enters(d, below, b) && l.Compact(below, b):
			return l.Entry(below)
		}
		return b
	}
	for changed := true; changed; {
		changed = false
		for _, b := range l.Order {
			if x := find(b); x != leader[b] {
				leader[b] = x
				changed = true
			}
		}
	}
	return leader
}

// Entry represents the lanes that enter the cycle with header h, among leaders.
func (l *Layout) Entry(h int) int { return l.G.Len() + h }

// enters reports whether b runs once for each time an edge from d to h is taken.
func (l *Layout) enters(d, h, b int) bool {
	i := slices.Index(l.G.Succs[d], h)
	return i >= 0 && l.Tree.EdgeClass[d][i] == l.Tree.Class[b]
}
