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
	*widen.Layout

	// direct: lanes that end the block together leave it together, and nobody
	// waits where they jump over, so that the branch stays a branch.
	direct []bool
	// apart, by cycle ID: a cycle of several entries in which lanes may be at
	// several places, so that control enters it at its header, whoever waits
	// further in. In the others nobody ever waits.
	apart []bool
	// leader is the block whose mask the block shares; itself if none.
	leader []int
	kind   []maskKind
	// points is the linear flow along order: where control goes from a block's
	// end, and from its head when no lane is there.
	points *joinpoints.Points
}

func newSchedule(k *kernel.Func, info *divergence.Info, opt Options) (*schedule, error) {
	l, err := widen.NewLayout(k, info)
	if err != nil {
		return nil, fmt.Errorf("blockip: %w", err)
	}
	s, line := &schedule{Layout: l}, joinpoints.NewLine(l.G, l.Order)
	s.findApart()
	for again := true; again; {
		s.findDirect(line, opt.Fold && opt.Width > 1)
		s.leader = l.Leaders(
			func(b int) bool { return l.Loops.IsHeader(b) && s.isApart(b) },
			func(p, _ int) bool { return s.direct[p] },
			func(int) bool { return false }, // the block IPs of the others tell
		)
		again = s.partMore()
	}
	s.findKinds()
	s.points = line.Points(s.direct)
	return s, nil
}

// findApart finds the cycles of several entries in which lanes part, or which they
// enter apart.
func (s *schedule) findApart() {
	s.apart = make([]bool, len(s.Loops.Cycles))
	for _, c := range s.Loops.Cycles {
		if c.Reducible() {
			continue
		}
		for _, b := range c.Blocks {
			s.apart[c.ID] = s.apart[c.ID] || s.Info.Divergent[b] || s.Info.Asynchronous[b]
		}
	}
}

// isApart reports whether lanes may be at several places of the cycle of header h.
func (s *schedule) isApart(h int) bool { return s.apart[s.Loops.InnermostCycle(h).ID] }

// partMore gives up cycles of several entries that are not run all by branches:
// where one would pass lanes that wait, where lanes of different masks enter, or
// inside another that is given up.
func (s *schedule) partMore() (more bool) {
	for _, c := range s.Loops.Cycles { // outer ones first
		if c.Reducible() || s.apart[c.ID] {
			continue
		}
		fits := true
		for p := c.Parent; p != nil; p = p.Parent {
			fits = fits && !s.apart[p.ID]
		}
		for _, b := range c.Blocks {
			fits = fits && s.direct[b]
		}
		for _, e := range s.Loops.Entering(c) {
			fits = fits && s.direct[e.From] && !s.Loops.Contains(c, s.leader[e.To])
		}
		if !fits {
			s.apart[c.ID], more = true, true
		}
	}
	return more
}

// findDirect keeps the uniform branches that may stay branches: a forward
// target is reached without passing a block where other lanes wait. A branch
// that fails leaves its lanes waiting and may fail others in turn. With fold those that
// go forward are none.
func (s *schedule) findDirect(line *joinpoints.Line, fold bool) {
	n := s.G.Len()
	s.direct = make([]bool, n)
	for b := range n {
		s.direct[b] = !s.Info.Divergent[b] && s.aside(b) < 0 && !(fold && s.Forward(b))
	}
	for changed := true; changed; {
		changed = false
		// waitFrom[q]: the least position that may run while a lane waits at q that did
		// not branch there directly.
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

// aside is the target of an edge of b that enters a cycle elsewhere than at its
// header, where lanes may be at several places: control enters at the header, and
// the lanes wait. It is -1 if there is none.
func (s *schedule) aside(b int) int {
	for _, t := range s.G.Succs[b] {
		if s.way(b, t) != t {
			return t
		}
	}
	return -1
}

// way is the block whose head control goes to on its way from block from to
// block to: a cycle in which lanes are apart is entered at its header, whoever
// waits further in.
func (s *schedule) way(from, to int) int {
	for c := s.Loops.InnermostCycle(to); c != nil && !s.Loops.Contains(c, from); c = c.Parent {
		if c.Reducible() || s.apart[c.ID] {
			to = c.Header
		}
	}
	return to
}

// findKinds decides how each block finds its mask.
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

// after is the next block where lanes may wait once b has run, skip the same
// when b is not run because no lane is there; -1 is the end. In canonical form
// nobody waits for a back jump but at the latch, which is a block like others.
func (s *schedule) after(b int) int { return s.target(s.points.Next[s.Pos[b]]) }
func (s *schedule) skip(b int) int  { return s.target(s.points.NextJoin[s.Pos[b]]) }

func (s *schedule) target(t joinpoints.Target) int {
	if t.Pos == len(s.Order) {
		return -1
	}
	return s.Order[t.Pos]
}

// String shows the order with each block's mask and where control goes when
// nobody is there.
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

// tested reports whether the block's head asks if any lane is there.
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
		return s.isApart(b)
	case maskIP:
		return true
	}
	return false
}

// inEdges lists the blocks with an edge to b by position.
func (s *schedule) inEdges(b int) []int {
	in := append([]int(nil), s.G.Preds[b]...)
	sort.Slice(in, func(i, j int) bool { return s.Pos[in[i]] < s.Pos[in[j]] })
	return in
}
