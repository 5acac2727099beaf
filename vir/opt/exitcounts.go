package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
)

// ExitCounts replaces what lanes take with them when a loop ends for all that
// are left, the scalar counter's next value, by their own next count:
//
//	select mask, splat (n+1), count        count', which is select mask, count+1, count
//
// Then it is no matter by which exit they go, and CountedExits may make one of
// two.
func ExitCounts(f *vir.Func, stats Stats) {
	cycles := cfg.Cycles(f.Graph())
	to := map[*vir.Value]*vir.Value{}
	for _, c := range cycles.Cycles {
		lp := findLoop(f, cycles, inEdges(f), c)
		if lp == nil {
			continue
		}
		k := findCounter(f, cycles, lp)
		if k == nil || !k.everyLane {
			continue
		}
		next := lp.next(k.n)
		for _, u := range k.uses[next.ID] {
			if u.by == nil || u.by.Op != vir.Splat {
				continue
			}
			for _, v := range k.uses[u.by.ID] {
				if x := v.by; x != nil && x != k.counted && x.Op == alu.Select && x.Args[0] == k.mask && x.Args[1] == u.by && x.Args[2] == k.count {
					to[x] = k.counted
				}
			}
		}
	}
	if len(to) == 0 {
		return
	}
	replaceAll(f, to)
	stats.add("counts that exits share", len(to))
	Dead(f, stats)
}
