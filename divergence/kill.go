package divergence

import "github.com/simtc/simtc/cfg"

// kills finds the kill exits of loops: exits by which all lanes that are still
// in the loop leave together (Moll & Hack, PLDI 2018, section 4.2). What a
// loop's other exits gather differs from round to round; a kill exit passes
// the lanes of one round, so its live-outs keep their shapes.
//
// An exit at block u of a loop is one if u's branch is uniform and no
// divergent branch d of the loop parts lanes so that some may come to u and
// others go round without: no two successors s1, s2 of d have a path s1 -> u
// and a path s2 -> latch that avoids u, both within one round. Proof: let a
// lane leave at u and another go round. They have come through the same blocks
// up to a divergent d, the last they have in common; the condition sends the
// second lane through u too, and as u is not in common, in another round of an
// inner loop around u. Both were in that inner loop in the round of d; the
// condition holds for it, too, so that either both come to u in that round, and
// the same argument applies further in, or both go round to the inner header
// and have that in common.
//
// So an exit that leaves several loops at once is a kill exit of one of them
// only if it is for all loops within. Blocks inside irreducible cycles have
// none.
type kills struct {
	g     *cfg.Graph
	loops *cfg.CycleForest
	exits [][]*exit // by cycle ID
}

// exit is a block of a cycle with an edge out of it.
type exit struct {
	block    int
	apart    bool // lanes may go round without those that leave here
	spoilers []bool
}

func newKills(g *cfg.Graph, loops *cfg.CycleForest) *kills {
	k := &kills{g: g, loops: loops, exits: make([][]*exit, len(loops.Cycles))}
	for _, c := range loops.Cycles {
		irreducible := false
		for o := c; o != nil; o = o.Parent {
			irreducible = irreducible || !o.Reducible()
		}
		last := -1
		for _, e := range loops.Exits(c) {
			if e.From != last {
				k.exits[c.ID] = append(k.exits[c.ID], &exit{block: e.From, apart: irreducible})
			}
			last = e.From
		}
	}
	return k
}

// find returns the exit at block u of cycle c, nil if there is none.
func (k *kills) find(c *cfg.Cycle, u int) *exit {
	for _, x := range k.exits[c.ID] {
		if x.block == u {
			return x
		}
	}
	return nil
}

// depth returns the depth of the outermost cycle that has a kill exit at u,
// 0 if there is none.
func (k *kills) depth(u int) int {
	depth := 0
	for c := k.loops.InnermostCycle(u); c != nil; c = c.Parent {
		x := k.find(c, u)
		if x == nil || x.apart {
			break
		}
		depth = c.Depth
	}
	return depth
}

// diverge takes note of a divergent branch and returns the blocks that may be
// kill exits of fewer cycles for it.
func (k *kills) diverge(d int) (changed []int) {
	for c := k.loops.InnermostCycle(d); c != nil; c = c.Parent {
		for _, x := range k.exits[c.ID] {
			if x.apart {
				continue
			}
			if x.spoilers == nil {
				x.spoilers = k.spoilers(c, x.block)
			}
			if x.block == d || x.spoilers[d] {
				x.apart = true
				changed = append(changed, x.block)
			}
		}
	}
	return changed
}

// spoilers tells, by block ID, where in c lanes may part to come to u and to go
// round without passing u.
func (k *kills) spoilers(c *cfg.Cycle, u int) []bool {
	n := k.g.Len()
	toU, round, spoil := make([]bool, n), make([]bool, n), make([]bool, n)
	k.back(c, []int{u}, -1, toU)
	k.back(c, c.Latches, u, round)
	for _, d := range c.Blocks {
		// The targets of d's edges by which lanes come to u, and by which round:
		// two of them must differ.
		some, other, comes, rounds := -1, -1, false, false
		for _, s := range k.g.Succs[d] {
			to := k.loops.Contains(c, s) && s != c.Header && toU[s]
			avoids := k.loops.Contains(c, s) && (s == c.Header || round[s])
			if !to && !avoids {
				continue
			}
			comes, rounds = comes || to, rounds || avoids
			if some < 0 || some == s {
				some = s
			} else {
				other = s
			}
		}
		spoil[d] = comes && rounds && other >= 0
	}
	return spoil
}

// back marks the blocks of c that reach one of the targets in one round
// without passing block without.
func (k *kills) back(c *cfg.Cycle, targets []int, without int, seen []bool) {
	var work []int
	push := func(b int) {
		if b != without && !seen[b] && k.loops.Contains(c, b) {
			seen[b] = true
			work = append(work, b)
		}
	}
	for _, t := range targets {
		push(t)
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == c.Header {
			continue
		}
		for _, p := range k.g.Preds[b] {
			if k.loops.Contains(c, p) {
				push(p)
			}
		}
	}
}
