package opt

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// drop discards the parameters that are impossible or unprofitable and reports whether it
// discarded any. A parameter of a loop may hide one of an inner loop from its load: those
// of inner loops are only discarded when no other is.
func (c *loadPRE) drop() bool {
	byParam := map[*kernel.Value]*preParam{}
	for _, x := range c.all {
		if !x.dropped {
			byParam[x.param] = x
		}
	}
	used, hidden := map[*preParam]bool{}, map[*preParam]bool{}
	for _, x := range c.all {
		switch {
		case x.dropped:
		case !c.reachesLoad(x):
			hidden[x] = c.everyIteration(x.block, x.load)
		default:
			if t := c.profitable(x, byParam); t != nil && !c.full(x) {
				for y := range t.seen {
					used[y] = true
				}
			}
		}
	}
	drop := func(whichHidden bool) (any bool) {
		for _, x := range c.all {
			if !x.dropped && !used[x] && hidden[x] == whichHidden {
				x.dropped, any = true, true
			}
		}
		return any
	}
	return drop(false) || drop(true)
}

// profitable returns the edge counts of x if it is profitable with all other parameters
// that it depends on, with those in joins only, or alone.
func (c *loadPRE) profitable(x *preParam, byParam map[*kernel.Value]*preParam) *tally {
	all := c.tally(x, byParam, func(*preParam) bool { return true })
	if !all.unsafe && c.reducesLoads(x, all) {
		return all
	}
	joins := c.tally(x, byParam, func(y *preParam) bool { return !c.heads[y.block.ID] })
	alone := c.tally(x, byParam, func(*preParam) bool { return false })
	for _, t := range []*tally{all, joins, alone} {
		balanced := t.near > 0 && t.near >= t.paths // as many pushes as pops
		if !t.unsafe && (balanced || t.known > 0 && t.missing <= 1 && !t.heads && c.movable(x)) {
			return t
		}
	}
	return nil
}

// reducesLoads reports whether x, with all others counted in t, saves loads: more edges have
// the value available than need a load, or as many and every iteration executes the load.
func (c *loadPRE) reducesLoads(x *preParam, t *tally) bool {
	if t.known > t.missing {
		return t.near > 0
	}
	return t.known == t.missing && (t.near > 0 || t.known == 0) && c.everyIteration(x.block, x.load)
}

// movable reports whether the load of x may move to the edges without an available value:
// it executes after all of them, and none of them exits a loop, where the value would have
// to be kept for the lanes that exited.
func (c *loadPRE) movable(x *preParam) bool {
	if c.heads[x.block.ID] || x.load.Block != x.block {
		return false
	}
	if c.cycles == nil {
		c.cycles = cfg.Cycles(c.g)
	}
	around := c.cycles.InnermostCycle(x.block.ID)
	for _, e := range c.in[x.block.ID] {
		if c.cycles.InnermostCycle(e.From.ID) != around {
			return false
		}
	}
	return true
}

// full reports whether enough parameters are inserted into the block of x already.
func (c *loadPRE) full(x *preParam) bool {
	n := 0
	for _, y := range c.all {
		if y == x {
			break
		}
		if !y.dropped && y.block == x.block {
			n++
		}
	}
	return n >= maxCarried
}

// everyIteration reports whether every iteration of the loop at head executes the load, so
// that loads at the ends of back edges do not increase their number.
func (c *loadPRE) everyIteration(head *kernel.Block, load *kernel.Value) bool {
	back := false
	for _, e := range c.in[head.ID] {
		if c.dom.Dominates(head.ID, e.From.ID) {
			back = true
			if !c.dom.Dominates(load.Block.ID, e.From.ID) {
				return false
			}
		}
	}
	return back
}

// reachesLoad reports whether the parameter is available at the load of x.
func (c *loadPRE) reachesLoad(x *preParam) bool {
	b, size := x.load.Block, x.typ.Size()
	at, ok := c.fw.access(x.load)
	if !ok {
		return false
	}
	found := lookup(c.fw.in[b.ID], at, size)
	if found == nil || found.value != x.param {
		return false
	}
	for _, v := range b.Values {
		if v == x.load {
			return true
		}
		if a, ok := c.fw.access(v); ok && v.Op == kernel.Store && found.overlaps(a, v.Count*v.Accessed().Size()) {
			return false
		}
	}
	return false
}

// tally counts the edges to a parameter, through the parameters of joins in the loop.
type tally struct {
	known   int // edges with a value computed in the loop
	near    int // those of them after the load
	missing int // loads needed at other edges in the loop
	paths   int // paths to those edges
	loads   []address
	unsafe  bool // some load might fault
	seen    map[*preParam]bool
	heads   bool                 // some parameters are in loop headers
	through func(*preParam) bool // whether the edges of another parameter are counted
}

// tally counts the edges to x, through the other parameters that the predicate selects.
func (c *loadPRE) tally(x *preParam, byParam map[*kernel.Value]*preParam, through func(*preParam) bool) *tally {
	t := &tally{seen: map[*preParam]bool{}, through: through}
	c.count(x, x, byParam, t)
	return t
}

func (c *loadPRE) count(top, x *preParam, byParam map[*kernel.Value]*preParam, t *tally) {
	if t.seen[x] {
		return
	}
	t.seen[x] = true
	t.heads = t.heads || c.heads[x.block.ID]
	head := c.heads[top.block.ID]
	for _, e := range c.in[x.block.ID] {
		from := e.From.ID
		v := c.available(x, e)
		inside := !head || c.dom.Dominates(top.block.ID, from)
		y := byParam[v]
		if y != nil && !t.seen[y] && !t.through(y) {
			if !c.reachesLoad(y) { // it will be discarded
				v = nil
			}
			y = nil
		}
		switch {
		case y != nil && v != nil && inside:
			c.count(top, y, byParam, t)
		case v != nil && inside:
			t.known++
			if !head || c.dom.Dominates(top.load.Block.ID, from) {
				t.near++
			}
		case v != nil:
		default:
			_, _, ok := c.overrun(x, e)
			t.unsafe = t.unsafe || !ok
			if at := translate(x.location, e.Edge()); inside {
				if !slices.Contains(t.loads, at) {
					t.loads = append(t.loads, at)
					t.missing++
				}
				t.paths += max(1, len(c.in[from]))
			}
		}
	}
}
