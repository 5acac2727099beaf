package combine

import (
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Loads merges scalar loads of one address if the first dominates the second and both are in
// a reducible loop without writes: a path between them that leaves the loop passes the first
// load again. It applies to scalar code, where branches depend on loaded values.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Loads(f *vir.Func, stats edit.Stats) {
	if f.Width != 1 {
		return
	}
	g := f.Graph()
	cycles, dom := cfg.Cycles(g), cfg.Dominators(g)
	writes := make([]bool, len(cycles.Cycles))
	for i, c := range cycles.Cycles {
		for _, b := range c.Blocks {
			for _, v := range f.Blocks[b].Values {
				writes[i] = writes[i] || vir.InfoOf(v.Op).Effect == vir.Writes || v.Volatile
			}
		}
	}
	quiet := func(b *vir.Block) *cfg.Cycle { // the outermost loop around b that writes nothing
		var found *cfg.Cycle
		for c := cycles.InnermostCycle(b.ID); c != nil && !writes[c.ID] && c.Reducible(); c = c.Parent {
			found = c
		}
		return found
	}
	first := newValueTable(0)
	same := map[*vir.Value]*vir.Value{}
	for _, id := range dom.Preorder {
		b := f.Blocks[id]
		c := quiet(b)
		if c == nil {
			continue
		}
		for _, v := range b.Values {
			if v.Op != vir.Load || v.Invariant {
				continue
			}
			at := first.find(v)
			if x := first.slots[at]; x != nil && cycles.Contains(c, x.Block.ID) && dom.Dominates(x.Block.ID, id) {
				same[v] = x
			} else {
				first.put(at, v)
			}
		}
	}
	if len(same) == 0 {
		return
	}
	stats.Add("merged loads", len(same))
	edit.ReplaceAll(f, same)
	for _, b := range f.Blocks {
		kept := b.Values[:0]
		for _, v := range b.Values {
			if same[v] == nil {
				kept = append(kept, v)
			}
		}
		b.Values = kept
	}
	f.Renumber()
}
