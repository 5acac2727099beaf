package avx512

import "github.com/simtc/simtc/cfg"

// A loop is entered with the values that it uses in registers. Where there are
// more than fit, a round that loses one on its way must load it for the next
// round, which may use it as rarely: a count of what is found, in a search that
// mostly finds nothing. Which values those are is seen once registers have been
// assigned; they are assigned again then.

// findAbsent finds the values that the heads of inner loops are better without:
// rounds can do without them and have mostly lost them at their end. It reports
// whether there are any.
func (a *allocator) findAbsent() bool {
	rounds := make([]int32, len(a.forest.Cycles)) // by cycle: edges back to its head
	lost := make([]map[int32]int32, len(a.forest.Cycles))
	at := a.scratch.reg
	for _, bi := range a.order {
		b := a.f.blocks[bi]
		for _, s := range b.succs() {
			c := a.forest.InnermostCycle(s)
			if c == nil || c.Depth < 2 || !a.forest.IsHeader(s) || a.placed[s] > a.placed[bi] {
				continue
			}
			rounds[c.ID]++
			for _, l := range a.exit[bi] {
				at[l.v] = l.reg
			}
			for _, l := range a.entry[s] {
				from := a.copySource(b, l.v)
				if l.reg == noPhys || at[l.v] != noPhys || a.vals[l.v].constant || from >= 0 && from != l.v {
					continue
				}
				if lost[c.ID] == nil {
					lost[c.ID] = map[int32]int32{}
				}
				lost[c.ID][l.v]++
			}
			for _, l := range a.exit[bi] {
				at[l.v] = noPhys
			}
		}
	}
	for id, values := range lost {
		c := a.forest.Cycles[id]
		for v, n := range values { // the order does not matter: each is a bit
			if 2*n < rounds[id] || !a.roundWithout(c, v) {
				continue
			}
			if a.absent == nil {
				a.absent = newBitsets(len(a.forest.Cycles), a.numGlobals)
			}
			a.absent[id].add(a.vals[v].global)
			a.stats.Absent++
		}
	}
	return a.absent != nil
}

// roundWithout reports whether there is a way around c on which v is not used.
func (a *allocator) roundWithout(c *cfg.Cycle, v int32) bool {
	seen := make([]bool, len(a.f.blocks))
	head := c.Entries[0]
	var around func(bi int) bool
	around = func(bi int) bool {
		seen[bi] = true
		for _, u := range a.exposed[bi] {
			if u.v == v {
				return false
			}
		}
		for _, s := range a.f.blocks[bi].succs() {
			if s == head || a.forest.Contains(c, s) && !seen[s] && around(s) {
				return true
			}
		}
		return false
	}
	return around(head)
}
