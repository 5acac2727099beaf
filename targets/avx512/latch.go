package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
)

// latchesFirst moves blocks that mostly branches of a loop lead to, and that
// only go on to its head, ahead of the head. A branch that ends a round early
// is then the only jump taken in it. Loops that jump through tables are laid
// out for those.
func (l *layout) latchesFirst(f *machineFunc, forest *cfg.CycleForest) {
	l.ahead = make([]bool, len(f.blocks))
	if !f.scalar {
		return // lanes: their loops are not left early
	}
	branches := make([]int, len(f.blocks)) // to each, less the jumps there
	for _, b := range f.blocks {
		for _, s := range b.succs() {
			if branches[s]--; b.term.cond {
				branches[s] += 2
			}
		}
	}
	for _, c := range forest.Cycles {
		if c.Parent == nil || !c.Reducible() || len(c.Latches) != 1 {
			continue
		}
		b := c.Latches[0]
		t := f.blocks[b].term
		if b == c.Header || t.cond || t.ret || t.targets != nil || branches[b] < 2 || l.ahead[c.Header] {
			continue
		}
		tables := false
		for _, x := range c.Blocks {
			tables = tables || f.blocks[x].term.targets != nil
		}
		from, to := slices.Index(l.order, b), slices.Index(l.order, c.Header)
		if tables || from <= to || to == 0 {
			continue
		}
		l.order = slices.Insert(slices.Delete(l.order, from, from+1), to, b)
		l.ahead[b] = true
	}
}
