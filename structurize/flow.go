package structurize

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/widen"
)

// ErrIrreducible is returned for kernels with irreducible cycles.
var ErrIrreducible = errors.New("a cycle with several entries needs block IPs")

// end is the ID of the end of the function.
const end = -1

// flow is the partially linearized control flow: the blocks where lanes may wait, and the
// successors of each block (Moll & Hack, "Partial Control-Flow Linearization", PLDI 2018,
// section 4). Tables are indexed by block ID. Positions are indices in Order.
type flow struct {
	*widen.Layout

	// diverges marks the blocks whose branch is linearized: divergent branches, and
	// uniform ones that are folded.
	diverges []bool

	// pending holds the positions of the blocks where lanes may wait when control reaches
	// a block: the deferred targets.
	pending []positions
	// entering is pending for control from before the block. At a loop header, lanes that
	// left the loop in earlier iterations wait too, but not on entry.
	entering []positions
	// next holds the successors of a block: one for each edge of a uniform branch, one
	// for a divergent branch. The back edge of a masked cycle is taken while lanes are
	// left in the cycle; next is the successor after that.
	next [][]int
	// skip is the successor of a block's head if the block's mask is empty.
	skip []int
	// waited marks the blocks that lanes may wait for while others run.
	waited []bool
	// masked marks, by cycle ID, the cycles that lanes exit in different iterations, which
	// need a live mask.
	masked []bool
}

// newFlow computes the flow of k for the divergent branches in info and, with opt.Fold,
// other forward branches. At width 1 any control flow is accepted.
func newFlow(k *kernel.Func, info *divergence.Info, opt Options) (*flow, error) {
	layout, err := widen.NewLayout(k, info)
	if err != nil {
		return nil, fmt.Errorf("structurize: %w", err)
	}
	f := &flow{Layout: layout}
	for _, c := range f.Loops.Cycles {
		if !c.Reducible() && opt.Width > 1 {
			return nil, fmt.Errorf("kernel %s: the cycle of %s: %w", k.Name, kernel.Label(k.Blocks[c.Header]), ErrIrreducible)
		}
	}
	n := len(k.Blocks)
	f.pending, f.entering, f.next, f.skip = make([]positions, n), make([]positions, n), make([][]int, n), make([]int, n)
	f.waited, f.masked = make([]bool, n), make([]bool, len(f.Loops.Cycles))
	f.diverges = slices.Clone(info.Divergent)
	for b := range f.diverges {
		f.diverges[b] = f.diverges[b] || opt.Fold && opt.Width > 1 && f.Forward(b)
	}
	f.route()
	return f, nil
}

// latch returns the latch of the cycle with header h.
func (f *flow) latch(h int) int {
	for _, p := range f.G.Preds[h] {
		if f.Back(p, h) {
			return p
		}
	}
	return end
}

// route walks the blocks in order and computes the successors. Lanes that wait outside a
// masked cycle also wait at its header from the second iteration on, so the walk is
// repeated until nothing changes.
func (f *flow) route() {
	for changed := true; changed; {
		changed = false
		for _, b := range f.Order {
			f.next[b] = f.next[b][:0]
			f.skip[b] = f.first(&f.entering[b])
			if to := f.skip[b]; to != end {
				changed = f.wait(to, nil, &f.entering[b]) || changed
			}
			for _, targets := range f.leaving(b) {
				to, back := f.first(&f.pending[b]), end
				for _, t := range targets {
					switch {
					case f.Back(b, t):
						back = t
					case to == end || f.Pos[t] < f.Pos[to]:
						to = t
					}
				}
				f.next[b] = append(f.next[b], to)
				forward := slices.DeleteFunc(slices.Clone(targets), func(t int) bool { return t == back })
				if to != end {
					changed = f.wait(to, forward, &f.pending[b]) || changed
				}
				if back != end {
					changed = f.add(&f.pending[back], back, forward, &f.pending[b]) || changed
				}
				for _, t := range targets {
					for c := f.Loops.InnermostCycle(b); c != nil && !f.Loops.Contains(c, t); c = c.Parent {
						if back != end || to != end && f.Loops.Contains(c, to) {
							changed = changed || !f.masked[c.ID]
							f.masked[c.ID] = true // other lanes stay in the cycle
						}
					}
				}
			}
		}
	}
}

// wait records that lanes may wait for the targets and the blocks of a set when control
// reaches block at. It reports whether anything changed.
func (f *flow) wait(at int, targets []int, set *positions) bool {
	changed := f.add(&f.pending[at], at, targets, set)
	return f.add(&f.entering[at], at, targets, set) || changed
}

// add adds targets and a set, except the block at, to a set of pending blocks. It reports
// whether anything changed.
func (f *flow) add(to *positions, at int, targets []int, set *positions) bool {
	changed := to.addAll(set, f.Pos[at])
	for _, t := range targets {
		if t != at {
			f.waited[t] = true
			changed = to.add(f.Pos[t]) || changed
		}
	}
	return changed
}

// leaving groups the targets of b: lanes may take the edges of one group at once.
func (f *flow) leaving(b int) [][]int {
	s := f.G.Succs[b]
	switch {
	case len(s) == 0:
		return [][]int{nil}
	case f.diverges[b]:
		return [][]int{s}
	}
	out := make([][]int, len(s))
	for i := range s {
		out[i] = s[i : i+1]
	}
	return out
}

// first returns the first block of a set, or end if the set is empty.
func (f *flow) first(set *positions) int {
	if p, some := set.first(); some {
		return f.Order[p]
	}
	return end
}

// maskedHeader reports whether b heads a cycle with a live mask.
func (f *flow) maskedHeader(b int) bool {
	return f.Loops.IsHeader(b) && f.masked[f.Loops.InnermostCycle(b).ID]
}

// kept reports whether the uniform branch of b stays a branch.
func (f *flow) kept(b int) bool {
	if f.diverges[b] || len(f.G.Succs[b]) < 2 {
		return false
	}
	for i, t := range f.G.Succs[b] {
		if f.Back(b, t) || f.next[b][i] != f.next[b][0] {
			return true
		}
	}
	return false
}

// String prints the order with each block's pending targets and successors.
func (f *flow) String(notes func(b int) []string) string {
	var s strings.Builder
	label := func(id int) string {
		if id == end {
			return "-"
		}
		return kernel.Label(f.K.Blocks[id])
	}
	list := func(ids []int) string {
		var names []string
		for _, id := range ids {
			names = append(names, label(id))
		}
		return strings.Join(names, " ")
	}
	for p, b := range f.Order {
		var text []string
		if c := f.Loops.InnermostCycle(b); c != nil {
			text = append(text, fmt.Sprintf("cycle %s depth %d", label(c.Header), f.Loops.Depth(b)))
		}
		if f.maskedHeader(b) {
			text = append(text, "live mask")
		}
		text = append(text, notes(b)...)
		if waiting := f.pending[b].list(); len(waiting) > 0 {
			for i, p := range waiting {
				waiting[i] = f.Order[p]
			}
			text = append(text, "pending "+list(waiting))
		}
		switch {
		case f.kept(b):
			text = append(text, "branches to "+list(f.next[b]))
		case f.next[b][0] != end:
			text = append(text, "then "+label(f.next[b][0]))
		}
		fmt.Fprintf(&s, "%4d %-16s %s\n", p, label(b), strings.Join(text, ", "))
	}
	return s.String()
}
