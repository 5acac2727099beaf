package layout

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/mach"
)

// latchesFirst moves latches that mostly conditional branches lead to in front of the
// head of their loop. A branch that ends an iteration early is then the only taken jump
// of that iteration. Loops with a jump table are laid out for the
// table instead.
func (l *layout[I]) latchesFirst(f *mach.Func[I], forest *cfg.CycleForest) {
	l.beforeHead = make([]bool, len(f.Blocks))
	if !f.Scalar {
		return // vector code: its loops have no early exits
	}
	branches := make([]int, len(f.Blocks)) // by block: branches minus jumps to it
	for _, b := range f.Blocks {
		for _, s := range b.Succs() {
			if branches[s]--; b.Term.Cond {
				branches[s] += 2
			}
		}
	}
	for _, c := range forest.Cycles {
		if c.Parent == nil || !c.Reducible() || len(c.Latches) != 1 {
			continue
		}
		b := c.Latches[0]
		t := f.Blocks[b].Term
		if b == c.Header || t.Cond || t.Ret || t.Targets != nil || branches[b] < 2 || l.beforeHead[c.Header] {
			continue
		}
		tables := false
		for _, x := range c.Blocks {
			tables = tables || f.Blocks[x].Term.Targets != nil
		}
		from, to := slices.Index(l.order, b), slices.Index(l.order, c.Header)
		if tables || from <= to || to == 0 {
			continue
		}
		l.order = slices.Insert(slices.Delete(l.order, from, from+1), to, b)
		l.beforeHead[b] = true
	}
}
