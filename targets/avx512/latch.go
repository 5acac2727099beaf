package avx512

import (
	"slices"

	"github.com/simtc/simtc/cfg"
)

// latchesFirst moves latches that mostly conditional branches lead to in front of the
// head of their loop. A branch that ends an iteration early is then the only taken jump
// of that iteration. Loops with a jump table are laid out for the
// table instead.
func (l *layout) latchesFirst(f *machineFunc, forest *cfg.CycleForest) {
	l.beforeHead = make([]bool, len(f.blocks))
	if !f.scalar {
		return // vector code: its loops have no early exits
	}
	branches := make([]int, len(f.blocks)) // by block: branches minus jumps to it
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
		if b == c.Header || t.cond || t.ret || t.targets != nil || branches[b] < 2 || l.beforeHead[c.Header] {
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
		l.beforeHead[b] = true
	}
}
