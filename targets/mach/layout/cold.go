package layout

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/targets/mach"
)

// coldLast moves rarely run blocks of loops in scalar code to the end of the function, if
// the common path would have to jump over them: an iteration without them then takes no
// jump, and one with them takes two instead of one.
func (l *layout[I]) coldLast(f *mach.Func[I], forest *cfg.CycleForest) {
	l.cold = make([]bool, len(f.Blocks))
	if !f.Scalar {
		return
	}
	preds := f.Graph().Preds
	var rare []int
	for i := 1; i+1 < len(l.order); i++ {
		b, after := l.order[i], l.order[i+1]
		if c := forest.InnermostCycle(b); c == nil || c.Parent == nil || len(preds[b]) != 1 || l.m.Unlikely(f.Blocks[preds[b][0]]) != b {
			continue
		}
		before := f.Blocks[l.order[i-1]].Term
		if l.order[i-1] != preds[b][0] && before.JumpsTo(after) && f.Blocks[b].Term.JumpsTo(after) {
			rare = append(rare, b)
			l.cold[b] = true
		}
	}
	l.order = slices.DeleteFunc(l.order, func(b int) bool { return l.cold[b] })
	l.order = append(l.order, rare...)
}
