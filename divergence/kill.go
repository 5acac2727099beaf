package divergence

import "github.com/simtc/simtc/cfg"

// kills finds the kill exits of loops: exits through which all lanes that are still
// in the loop leave in one iteration (Moll & Hack, PLDI 2018, section 4.2). Other exits
// collect lanes of different iterations; a kill exit passes the lanes of one
// iteration, so its live-outs keep their shapes.
//
// The exit at block u of a loop is a kill exit if u's branch is uniform and no
// divergent branch d of the loop may send some lanes to u and others to the next
// iteration without passing u: no two successors s1, s2 of d have a path s1 -> u
// and a path s2 -> latch that avoids u, both within one iteration. Proof: let one
// lane exit at u and another stay in the loop. Both passed the same blocks up to a
// divergent d, the last block that they have in common. By the condition the
// second lane passes u too; as u is not in common, it does so in another iteration of
// an inner loop around u. Both lanes were in that inner loop in the iteration of d.
// The condition also holds for the inner loop: either both lanes reach u in that
// iteration, and the same argument applies one level further in, or both reach the
// inner header and have that block in common.
//
// An exit of several loops is therefore a kill exit of one of them only if it is a
// kill exit of all loops inside that one. Blocks in irreducible cycles have none.
type kills struct {
	g     *cfg.Graph
	loops *cfg.CycleForest
	exits [][]*exit // by cycle ID
}

// exit is a block of a cycle with an edge out of it.
type exit struct {
	block     int
	divergent bool   // some lanes may continue the loop while others exit here
	spoilers  []bool // by block ID: a divergent branch there makes the exit divergent
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
				k.exits[c.ID] = append(k.exits[c.ID], &exit{block: e.From, divergent: irreducible})
			}
			last = e.From
		}
	}
	return k
}

// find returns the exit at block u of cycle c, or nil.
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
		if x == nil || x.divergent {
			break
		}
		depth = c.Depth
	}
	return depth
}

// diverge records that the branch of block d is divergent. It returns the blocks that
// may be kill exits of fewer cycles as a result.
func (k *kills) diverge(d int) (changed []int) {
	for c := k.loops.InnermostCycle(d); c != nil; c = c.Parent {
		for _, x := range k.exits[c.ID] {
			if x.divergent {
				continue
			}
			if x.spoilers == nil {
				x.spoilers = k.spoilers(c, x.block)
			}
			if x.block == d || x.spoilers[d] {
				x.divergent = true
				changed = append(changed, x.block)
			}
		}
	}
	return changed
}

// spoilers returns, by block ID, the blocks of c from which two different edges may lead
// to u and to the next iteration without passing u.
func (k *kills) spoilers(c *cfg.Cycle, u int) []bool {
	n := k.g.Len()
	toU, toLatch, spoil := make([]bool, n), make([]bool, n), make([]bool, n)
	k.markReaching(c, []int{u}, -1, toU)
	k.markReaching(c, c.Latches, u, toLatch)
	for _, d := range c.Blocks {
		// Two different targets are needed, one of which leads to u and one to the latch.
		some, other, reaches, continues := -1, -1, false, false
		for _, s := range k.g.Succs[d] {
			to := k.loops.Contains(c, s) && s != c.Header && toU[s]
			avoids := k.loops.Contains(c, s) && (s == c.Header || toLatch[s])
			if !to && !avoids {
				continue
			}
			reaches, continues = reaches || to, continues || avoids
			if some < 0 || some == s {
				some = s
			} else {
				other = s
			}
		}
		spoil[d] = reaches && continues && other >= 0
	}
	return spoil
}

// markReaching marks the blocks of c that reach one of the targets within one iteration
// without passing the block avoided.
func (k *kills) markReaching(c *cfg.Cycle, targets []int, avoided int, seen []bool) {
	var work []int
	push := func(b int) {
		if b != avoided && !seen[b] && k.loops.Contains(c, b) {
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
