package blockip

import (
	"fmt"
	"sort"
	"strings"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/joinpoints"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/widen"
)

// maskKind is the source of a block's mask.
type maskKind uint8

const (
	// maskShared: the mask of another block that the same lanes run, which is not empty.
	maskShared maskKind = iota
	// maskEdge: the lanes that took the only edge to the block.
	maskEdge
	// maskHeader: of a cycle's header, the lanes that enter the cycle, then those that
	// continue it.
	maskHeader
	// maskIP: the lanes whose block IP is this block.
	maskIP
)

var maskNames = [...]string{"shared", "edge", "header", "ip"}

// schedule holds the decisions of linearization, which precede building. Tables are
// indexed by block ID. Positions are indices in Order.
type schedule struct {
	*widen.Layout

	// direct marks uniform branches that stay branches: no lane waits in a block that
	// the branch jumps over.
	direct []bool
	// spread marks, by cycle ID, irreducible cycles in which lanes may be in several blocks
	// at once. Control enters them at the header, even if lanes wait further inside. In
	// other irreducible cycles no lane ever waits.
	spread []bool
	// leader is the block whose mask the block shares, or the block itself.
	leader []int
	kind   []maskKind
	// points is the linear flow along Order: the successors of a block's end, and of its
	// head if no lane is active.
	points *joinpoints.Points
}

func newSchedule(k *kernel.Func, info *divergence.Info, opt Options) (*schedule, error) {
	l, err := widen.NewLayout(k, info)
	if err != nil {
		return nil, fmt.Errorf("blockip: %w", err)
	}
	s, line := &schedule{Layout: l}, joinpoints.NewLine(l.G, l.Order)
	s.findSpread()
	for again := true; again; {
		s.findDirect(line, opt.Fold && opt.Width > 1)
		s.leader = l.Leaders(
			func(b int) bool { return l.Loops.IsHeader(b) && s.isSpread(b) },
			func(p, _ int) bool { return s.direct[p] },
			func(int) bool { return false }, // other headers find their lanes by block IP
		)
		again = s.spreadMore()
	}
	s.findKinds()
	s.points = line.Points(s.direct)
	return s, nil
}

// findSpread finds the irreducible cycles in which lanes diverge, or which they enter
// through different edges.
func (s *schedule) findSpread() {
	s.spread = make([]bool, len(s.Loops.Cycles))
	for _, c := range s.Loops.Cycles {
		if c.Reducible() {
			continue
		}
		for _, b := range c.Blocks {
			s.spread[c.ID] = s.spread[c.ID] || s.Info.Divergent[b] || s.Info.Asynchronous[b]
		}
	}
}

// isSpread reports whether lanes may be in several blocks of the cycle with header h at once.
func (s *schedule) isSpread(h int) bool { return s.spread[s.Loops.InnermostCycle(h).ID] }

// spreadMore marks further irreducible cycles as spread: those with a branch that is not
// direct, those that lanes of different masks enter, and those inside a spread cycle.
func (s *schedule) spreadMore() (more bool) {
	for _, c := range s.Loops.Cycles { // outer ones first
		if c.Reducible() || s.spread[c.ID] {
			continue
		}
		fits := true
		for p := c.Parent; p != nil; p = p.Parent {
			fits = fits && !s.spread[p.ID]
		}
		for _, b := range c.Blocks {
			fits = fits && s.direct[b]
		}
		for _, e := range s.Loops.Entering(c) {
			fits = fits && s.direct[e.From] && !s.Loops.Contains(c, s.leader[e.To])
		}
		if !fits {
			s.spread[c.ID], more = true, true
		}
	}
	return more
}

// findDirect selects the uniform branches that stay branches: control reaches a forward
// target without passing a block where other lanes wait. The lanes of a branch that is not
// selected wait, which may exclude further branches. With fold, no forward branch is
// selected.
func (s *schedule) findDirect(line *joinpoints.Line, fold bool) {
	n := s.G.Len()
	s.direct = make([]bool, n)
	for b := range n {
		s.direct[b] = !s.Info.Divergent[b] && s.aside(b) < 0 && !(fold && s.Forward(b))
	}
	for changed := true; changed; {
		changed = false
		// waitFrom[q] is the least position that may run while a lane that did not branch
		// directly waits at q.
		waitFrom := make([]int, n)
		for q := range n {
			waitFrom[q] = n
			for _, w := range s.G.Preds[q] {
				if !s.direct[w] && s.Pos[w] < s.Pos[q] {
					waitFrom[q] = min(waitFrom[q], line.WaitsFrom(s.Pos[w], s.Pos[q]))
				}
			}
		}
		for _, u := range s.Order {
			if !s.direct[u] {
				continue
			}
			for _, t := range s.G.Succs[u] {
				for p := s.Pos[u] + 1; p < s.Pos[t]; p++ {
					if waitFrom[s.Order[p]] <= s.Pos[u] {
						s.direct[u] = false
						changed = true
						break
					}
				}
			}
		}
	}
}

// aside returns the target of an edge of b that enters a spread cycle elsewhere than at
// its header, or -1: control enters at the header, and the lanes wait at the target.
func (s *schedule) aside(b int) int {
	for _, t := range s.G.Succs[b] {
		if s.headerOnPath(b, t) != t {
			return t
		}
	}
	return -1
}

// headerOnPath returns the block that control enters first on an edge from block from to
// block to: the header of a spread cycle, even if lanes wait further inside, or to itself.
func (s *schedule) headerOnPath(from, to int) int {
	for c := s.Loops.InnermostCycle(to); c != nil && !s.Loops.Contains(c, from); c = c.Parent {
		if c.Reducible() || s.spread[c.ID] {
			to = c.Header
		}
	}
	return to
}

// findKinds decides the source of each block's mask.
func (s *schedule) findKinds() {
	s.kind = make([]maskKind, s.G.Len())
	for b := range s.kind {
		preds := s.G.Preds[b]
		switch {
		case s.leader[b] != b || b == 0:
			s.kind[b] = maskShared
		case s.Loops.IsHeader(b):
			s.kind[b] = maskHeader
		case len(preds) == 1 && !s.Leaves(preds[0], b):
			s.kind[b] = maskEdge
		default:
			s.kind[b] = maskIP
		}
	}
}

// after is the next block where lanes may wait once b has run; skip is the same if b is
// skipped because its mask is empty; -1 is the end. In canonical form lanes wait for a
// back jump only at the latch, which is an ordinary block.
func (s *schedule) after(b int) int { return s.target(s.points.Next[s.Pos[b]]) }
func (s *schedule) skip(b int) int  { return s.target(s.points.NextJoin[s.Pos[b]]) }

func (s *schedule) target(t joinpoints.Target) int {
	if t.Pos == len(s.Order) {
		return -1
	}
	return s.Order[t.Pos]
}

// String prints the order with each block's mask and its successor if the mask is empty.
func (s *schedule) String() string {
	var b strings.Builder
	label := func(id int) string {
		if id < 0 {
			return "-"
		}
		return kernel.Label(s.K.Blocks[id])
	}
	for p, id := range s.Order {
		fmt.Fprintf(&b, "%4d %-16s", p, label(id))
		var notes []string
		if c := s.Loops.InnermostCycle(id); c != nil {
			notes = append(notes, fmt.Sprintf("cycle %s depth %d", label(c.Header), s.Loops.Depth(id)))
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

// tested reports whether the block's head tests for an empty mask.
func (s *schedule) tested(b int) bool {
	switch s.kind[b] {
	case maskEdge:
		return !s.direct[s.G.Preds[b][0]]
	case maskHeader:
		for _, p := range s.G.Preds[b] {
			if s.Pos[p] < s.Pos[b] && !s.direct[p] {
				return true
			}
		}
		return s.isSpread(b)
	case maskIP:
		return true
	}
	return false
}

// inEdges lists the predecessors of b in order of position.
func (s *schedule) inEdges(b int) []int {
	in := append([]int(nil), s.G.Preds[b]...)
	sort.Slice(in, func(i, j int) bool { return s.Pos[in[i]] < s.Pos[in[j]] })
	return in
}
