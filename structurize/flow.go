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

// ErrIrreducible is the error for control flow that has no structure to keep.
var ErrIrreducible = errors.New("a cycle with several entries needs block IPs")

// end is where control goes when no block is left to run.
const end = -1

// flow is the partially linearized control flow: which blocks may have lanes
// waiting, and where control goes next (Moll & Hack, "Partial Control-Flow
// Linearization", PLDI 2018, section 4). All tables are indexed by block ID,
// positions count in order.
type flow struct {
	*widen.Layout

	// parts tells that lanes leave a block by several edges at once: where they
	// diverge, and where a uniform branch is folded all the same.
	parts []bool

	// pending has the positions of the blocks where lanes may wait when control
	// comes to a block: targets of branches that were put off.
	pending []positions
	// entering is pending as control comes from before the block: lanes that left
	// a cycle in earlier rounds wait at its header, too, but not when it is entered.
	entering []positions
	// next is where control goes from a block's end: an entry for each edge of
	// a uniform branch, one entry for a divergent one. The back edge of a masked
	// cycle is taken while lanes are left in it, next is where control goes then.
	next [][]int
	// skip is where control goes instead of a block that no lane needs.
	skip []int
	// waited tells that lanes may wait for a block while others run.
	waited []bool
	// masked tells, by cycle ID, that lanes leave the cycle one by one, so that
	// it needs a live mask.
	masked []bool
}

// newFlow finds the flow of k for lanes that part where info says, and if fold is
// set at other forward branches, too. One lane may go any way.
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
	f.parts = slices.Clone(info.Divergent)
	for b := range f.parts {
		f.parts[b] = f.parts[b] || opt.Fold && opt.Width > 1 && f.Forward(b)
	}
	f.route()
	return f, nil
}

// latch returns the block whose back edge goes to header h.
func (f *flow) latch(h int) int {
	for _, p := range f.G.Preds[h] {
		if f.Back(p, h) {
			return p
		}
	}
	return end
}

// route walks the blocks in order and decides where control goes. What waits
// outside a masked cycle waits from its second round on at its header too: the
// walk is repeated until nothing is added.
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
							f.masked[c.ID] = true // others stay
						}
					}
				}
			}
		}
	}
}

// wait says that when control comes to a block, lanes may wait for those targets and
// the blocks of a set. It reports whether that is news.
func (f *flow) wait(at int, targets []int, set *positions) bool {
	news := f.add(&f.pending[at], at, targets, set)
	return f.add(&f.entering[at], at, targets, set) || news
}

// add puts targets and a set, all but the block at, into a set of what waits.
func (f *flow) add(to *positions, at int, targets []int, set *positions) bool {
	news := to.addAll(set, f.Pos[at])
	for _, t := range targets {
		if t != at {
			f.waited[t] = true
			news = to.add(f.Pos[t]) || news
		}
	}
	return news
}

// leaving groups the targets of b: those that lanes may leave for at once.
func (f *flow) leaving(b int) [][]int {
	s := f.G.Succs[b]
	switch {
	case len(s) == 0:
		return [][]int{nil}
	case f.parts[b]:
		return [][]int{s}
	}
	out := make([][]int, len(s))
	for i := range s {
		out[i] = s[i : i+1]
	}
	return out
}

// first returns the block of a set that comes first, end if none.
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

// kept reports whether the uniform branch of b still chooses where control
// goes.
func (f *flow) kept(b int) bool {
	if f.parts[b] || len(f.G.Succs[b]) < 2 {
		return false
	}
	for i, t := range f.G.Succs[b] {
		if f.Back(b, t) || f.next[b][i] != f.next[b][0] {
			return true
		}
	}
	return false
}

// String shows the order with each block's pending targets and ways out.
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
