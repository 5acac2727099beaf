package regalloc

import "github.com/simtc/simtc/cfg"

// The values that a loop uses are in registers at its head. If there are too many, an
// iteration that evicts one of them must reload it for the next iteration, which may
// not use it: for example the count of matches in a search that rarely finds one. Such
// values are known once registers have been assigned, so they are assigned again.

// findAbsent finds the values that should not be in registers at the heads of inner loops:
// some iteration does not use them, and most back edges have lost them. It reports
// whether there are any.
func (a *allocator[I]) findAbsent() bool {
	backEdges := make([]int32, len(a.forest.Cycles)) // by cycle
	lost := make([]map[int32]int32, len(a.forest.Cycles))
	at := a.scratch.reg
	for _, bi := range a.order {
		b := a.f.Blocks[bi]
		for _, s := range b.Succs() {
			c := a.forest.InnermostCycle(s)
			if c == nil || c.Depth < 2 || !a.forest.IsHeader(s) || a.placed[s] > a.placed[bi] {
				continue
			}
			backEdges[c.ID]++
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
		for v, n := range values { // in any order: each sets one bit
			if 2*n < backEdges[id] || !a.hasIterationWithout(c, v) {
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

// hasIterationWithout reports whether a path through c, from its head to a back edge,
// does not use v.
func (a *allocator[I]) hasIterationWithout(c *cfg.Cycle, v int32) bool {
	seen := make([]bool, len(a.f.Blocks))
	head := c.Entries[0]
	var avoids func(bi int) bool
	avoids = func(bi int) bool {
		seen[bi] = true
		for _, u := range a.exposed[bi] {
			if u.v == v {
				return false
			}
		}
		for _, s := range a.f.Blocks[bi].Succs() {
			if s == head || a.forest.Contains(c, s) && !seen[s] && avoids(s) {
				return true
			}
		}
		return false
	}
	return avoids(head)
}
