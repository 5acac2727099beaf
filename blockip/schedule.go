package blockip

import (
	"fmt"
	"sort"
	"strings"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/joinpoints"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/widen"
)

// maskKind is how a block finds out which lanes run it.
type maskKind uint8

const (
	// maskShared: the same lanes as another block, whose mask is at hand and
	// not empty.
	maskShared maskKind = iota
	// maskEdge: the lanes that took the one edge there is to the block.
	maskEdge
	// maskHeader: a cycle's header; the lanes that enter the cycle, then those
	// that go round again.
	maskHeader
	// maskIP: the lanes whose block IP is this block.
	maskIP
)

var maskNames = [...]string{"shared", "edge", "header", "ip"}

// schedule is what linearization decides before it builds anything. All
// tables are indexed by block ID, positions count in order.
type schedule struct {
	k     *kernel.Func
	g     *cfg.Graph
	info  *divergence.Info
	dom   *cfg.DomTree
	class []int // control equivalence: run equally often, in every round of every cycle
	loops *cfg.CycleForest
	order []int
	pos   []int

	// direct: lanes that end the block together leave it together, and nobody
	// waits where they jump over, so that the branch stays a branch.
	direct []bool
	// leader is the block whose mask the block shares; itself if none.
	leader []int
	kind   []maskKind
	// points is the linear flow along order: where control goes from a block's
	// end, and from its head when no lane is there.
	points *joinpoints.Points
}

func newSchedule(k *kernel.Func, info *divergence.Info) (*schedule, error) {
	g := k.Graph()
	s := &schedule{k: k, g: g, info: info, dom: cfg.Dominators(g), class: cfg.Regions(g).Class, loops: cfg.Cycles(g)}
	s.order = joinpoints.Order(g, s.loops)
	s.pos = cfg.Positions(s.order, g.Len())
	if err := widen.CheckForm(k, g, s.order); err != nil {
		return nil, fmt.Errorf("blockip: %w", err)
	}
	s.findDirect()
	s.findLeaders()
	s.findKinds()
	s.points = joinpoints.ComputeDirect(g, s.order, s.direct)
	return s, nil
}

// waits returns the positions [lo, pos(q)) that may run while a lane that took
// the forward edge w -> q waits at q, plus that of w itself.
func (s *schedule) waits(w, q int) (lo int) {
	lo = s.pos[w]
	for c := s.loops.InnermostCycle(w); c != nil && !s.loops.Contains(c, q); c = c.Parent {
		lo = s.pos[c.Header]
	}
	return lo
}

// findDirect keeps the uniform branches that may stay branches: a forward
// target is reached without passing a block where other lanes wait. A branch
// that fails leaves its lanes waiting and may fail others in turn.
func (s *schedule) findDirect() {
	n := s.g.Len()
	s.direct = make([]bool, n)
	for b := range n {
		s.direct[b] = !s.info.Divergent[b] && !s.entersAside(b)
	}
	for changed := true; changed; {
		changed = false
		// waitFrom[q]: the least position that may run while a lane waits at q.
		waitFrom := make([]int, n)
		for q := range n {
			waitFrom[q] = n
			for _, w := range s.g.Preds[q] {
				if !s.direct[w] && s.pos[w] < s.pos[q] {
					waitFrom[q] = min(waitFrom[q], s.waits(w, q))
				}
			}
		}
		for _, u := range s.order {
			if !s.direct[u] {
				continue
			}
			for _, t := range s.g.Succs[u] {
				for p := s.pos[u] + 1; p < s.pos[t]; p++ {
					if waitFrom[s.order[p]] <= s.pos[u] {
						s.direct[u] = false
						changed = true
						break
					}
				}
			}
		}
	}
}

// entersAside reports whether b has an edge that enters a cycle elsewhere than
// at its header. Control enters there too, and the lanes wait.
func (s *schedule) entersAside(b int) bool {
	for _, t := range s.g.Succs[b] {
		for c := s.loops.InnermostCycle(t); c != nil && !s.loops.Contains(c, b); c = c.Parent {
			if c.Header != t {
				return true
			}
		}
	}
	return false
}

// findLeaders groups blocks that are run by the same lanes: those whose
// predecessors jump there directly with one mask, and those that control
// reaches exactly when it has run the immediate dominator, in the same round of
// every cycle.
func (s *schedule) findLeaders() {
	n := s.g.Len()
	s.leader = make([]int, n)
	for b := range n {
		s.leader[b] = -1 // not known yet; taken as fitting
	}
	for changed := true; changed; {
		changed = false
		for _, b := range s.order {
			if l := s.findLeader(b); l != s.leader[b] {
				s.leader[b] = l
				changed = true
			}
		}
	}
}

func (s *schedule) findLeader(b int) int {
	if b == 0 || s.loops.IsHeader(b) && !s.loops.InnermostCycle(b).Reducible() {
		return b
	}
	if s.leader[b] == b {
		return b // only ever split further, so that this ends
	}
	l := -1
	for _, p := range s.g.Preds[b] {
		switch pl := s.leader[p]; {
		case !s.direct[p] || pl >= 0 && l >= 0 && pl != l:
			l = b
		case pl >= 0 && l < 0:
			l = pl
		}
	}
	if l >= 0 && l != b {
		return l
	}
	// Whoever left the cycles above b has waited for the others there.
	d := s.dom.IDom[b]
	for s.leaves(d, b) {
		d = s.dom.IDom[d]
	}
	if s.class[b] == s.class[d] && s.compact(d, b) {
		return s.leader[d]
	}
	return b
}

// compact reports whether d dominates everything between it and b, so that
// control comes to b only after d has run.
func (s *schedule) compact(d, b int) bool {
	for p := s.pos[d] + 1; p < s.pos[b]; p++ {
		if !s.dom.Dominates(d, s.order[p]) {
			return false
		}
	}
	return true
}

func (s *schedule) findKinds() {
	s.kind = make([]maskKind, s.g.Len())
	for b := range s.kind {
		preds := s.g.Preds[b]
		switch {
		case s.leader[b] != b || b == 0:
			s.kind[b] = maskShared
		case s.loops.IsHeader(b):
			s.kind[b] = maskHeader
		case len(preds) == 1 && !s.leaves(preds[0], b):
			s.kind[b] = maskEdge
		default:
			s.kind[b] = maskIP
		}
	}
}

// leaves reports whether the edge u -> b leaves a cycle, so that lanes gather
// at b over several rounds.
func (s *schedule) leaves(u, b int) bool {
	c := s.loops.InnermostCycle(u)
	return c != nil && !s.loops.Contains(c, b)
}

// after is the next block where lanes may wait once b has run, skip the same
// when b is not run because no lane is there; -1 is the end. In canonical form
// nobody waits for a back jump but at the latch, which is a block like others.
func (s *schedule) after(b int) int { return s.target(s.points.Next[s.pos[b]]) }
func (s *schedule) skip(b int) int  { return s.target(s.points.NextJoin[s.pos[b]]) }

func (s *schedule) target(t joinpoints.Target) int {
	if t.Pos == len(s.order) {
		return -1
	}
	return s.order[t.Pos]
}

// String shows the order with each block's mask and where control goes when
// nobody is there.
func (s *schedule) String() string {
	var b strings.Builder
	label := func(id int) string {
		if id < 0 {
			return "-"
		}
		return kernel.Label(s.k.Blocks[id])
	}
	for p, id := range s.order {
		fmt.Fprintf(&b, "%4d %-16s", p, label(id))
		var notes []string
		if c := s.loops.InnermostCycle(id); c != nil {
			notes = append(notes, fmt.Sprintf("cycle %s depth %d", label(c.Header), s.loops.Depth(id)))
		}
		mask := maskNames[s.kind[id]]
		if s.kind[id] == maskShared && s.leader[id] != id {
			mask += " with " + label(s.leader[id])
		}
		notes = append(notes, "mask "+mask)
		if s.tested(id) {
			notes = append(notes, "JOIN else "+label(s.skip(id)))
		}
		if s.direct[id] {
			notes = append(notes, "branches directly")
		} else {
			notes = append(notes, "then "+label(s.after(id)))
		}
		b.WriteString(" " + strings.Join(notes, ", ") + "\n")
	}
	return b.String()
}

// tested reports whether the block's head asks if any lane is there.
func (s *schedule) tested(b int) bool {
	switch s.kind[b] {
	case maskEdge:
		return !s.direct[s.g.Preds[b][0]]
	case maskHeader:
		for _, p := range s.g.Preds[b] {
			if s.pos[p] < s.pos[b] && !s.direct[p] {
				return true
			}
		}
		return !s.loops.InnermostCycle(b).Reducible()
	case maskIP:
		return true
	}
	return false
}

// inEdges lists the blocks with an edge to b by position.
func (s *schedule) inEdges(b int) []int {
	in := append([]int(nil), s.g.Preds[b]...)
	sort.Slice(in, func(i, j int) bool { return s.pos[in[i]] < s.pos[in[j]] })
	return in
}
