package iterations

import (
	"slices"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// decides finds the values on which the exits of the loop depend, and reports whether they can be
// computed for all lanes before any lane stores.
func (l *loop) decides() bool {
	l.deciding = map[*kernel.Value]bool{}
	var work []*kernel.Value
	add := func(v *kernel.Value) {
		if v != nil && l.inside(v.Block) && !l.deciding[v] {
			l.deciding[v] = true
			work = append(work, v)
		}
	}
	for _, id := range l.cycle.Blocks {
		b := l.f.Blocks[id]
		add(b.Cond)
		for _, v := range b.Values {
			if l.storesOwn(v) {
				add(v)
			}
		}
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range v.Args {
			add(a)
		}
		if v.Op == kernel.Param && v.Block != l.header {
			for _, e := range l.in[v.Block.ID] {
				add(e.Edge().Args[v.Index])
			}
		}
	}
	for _, r := range l.recurrences {
		if l.deciding[r.p] {
			l.refuse("an exit depends on %s, which comes from the iteration before", names([]*kernel.Value{r.p})[0])
			return false
		}
	}
	for _, id := range l.cycle.Blocks {
		for _, v := range l.f.Blocks[id].Values {
			if v.Op == kernel.Store && !l.storesOwn(v) && l.feedsDecision(v) {
				l.refuse("an exit depends on memory that the store in line %d writes", v.Pos.Line)
				return false
			}
		}
	}
	return true
}

// storesOwn reports whether v stores to an object of which each iteration has its own.
func (l *loop) storesOwn(v *kernel.Value) bool {
	if v.Op != kernel.Store {
		return false
	}
	s, ok := opt.SubscriptOf(v.Args[0])
	return ok && l.own[s.Object]
}

// feedsDecision reports whether a load on which exits depend may read what the store wrote
// in the same iteration or in an earlier one.
func (l *loop) feedsDecision(store *kernel.Value) bool {
	for v := range l.deciding {
		if l.follows(store, v) {
			return true
		}
		if v.Op != kernel.Load || !l.deps.MayMeet(store, v) {
			continue
		}
		if l.deps.Reaches(store.Block, v.Block) || v.Block == store.Block && slices.Index(v.Block.Values, v) > slices.Index(v.Block.Values, store) {
			return true
		}
	}
	return false
}
