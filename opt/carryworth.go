package opt

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// drop drops what cannot be carried, or not with profit, and reports whether
// it dropped any. What is carried around a loop may keep what is carried around
// one inside from serving: that waits until no other is dropped.
func (c *carrying) drop() bool {
	byParam := map[*kernel.Value]*carried{}
	for _, x := range c.all {
		if !x.dropped {
			byParam[x.param] = x
		}
	}
	used, waits := map[*carried]bool{}, map[*carried]bool{}
	for _, x := range c.all {
		switch {
		case x.dropped:
		case !c.serves(x):
			waits[x] = c.steady(x.block, x.load)
		default:
			if t := c.worth(x, byParam); t != nil && !c.crowded(x) {
				for y := range t.seen {
					used[y] = true
				}
			}
		}
	}
	drop := func(waiting bool) (any bool) {
		for _, x := range c.all {
			if !x.dropped && !used[x] && waits[x] == waiting {
				x.dropped, any = true, true
			}
		}
		return any
	}
	return drop(false) || drop(true)
}

// worth returns what carrying x takes if that pays: with all the others that bring
// something, or with those in joins alone, or by itself.
func (c *carrying) worth(x *carried, byParam map[*kernel.Value]*carried) *tally {
	all := c.tally(x, byParam, func(*carried) bool { return true })
	if !all.unsafe && c.pays(x, all) {
		return all
	}
	joins := c.tally(x, byParam, func(y *carried) bool { return !c.heads[y.block.ID] })
	alone := c.tally(x, byParam, func(*carried) bool { return false })
	for _, t := range []*tally{all, joins, alone} {
		balanced := t.near > 0 && t.near >= t.without // as many pushes as pops, and rounds between
		if !t.unsafe && (balanced || t.known > 0 && t.missing <= 1 && !t.heads && c.spares(x)) {
			return t
		}
	}
	return nil
}

// pays reports whether carrying x, with all others, takes fewer loads than making them,
// which it does if every round loads it and no other knows it in vain.
func (c *carrying) pays(x *carried, t *tally) bool {
	if t.known > t.missing {
		return t.near > 0
	}
	return t.known == t.missing && (t.near > 0 || t.known == 0) && c.steady(x.block, x.load)
}

// spares reports whether the load of x may be moved to the edges that do not know it:
// it is made wherever they lead, and none of them leaves a loop, where it would be one
// more value to keep for the lanes that left.
func (c *carrying) spares(x *carried) bool {
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

// crowded reports whether enough is carried into the block of x already.
func (c *carrying) crowded(x *carried) bool {
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

// steady reports whether every round of the loop that head is the head of makes
// the load, so that the loads at the ends of edges are no more.
func (c *carrying) steady(head *kernel.Block, load *kernel.Value) bool {
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

// serves reports whether the load of x finds the parameter.
func (c *carrying) serves(x *carried) bool {
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

// tally counts the edges into what is carried, through the joins inside.
type tally struct {
	known   int // edges that bring a value made in the loop
	near    int // those of them that come from below the load
	missing int // loads that other edges need in the loop
	without int // the ways to those edges
	loads   []address
	unsafe  bool // some load might fault
	seen    map[*carried]bool
	heads   bool                // some are carried around loops
	through func(*carried) bool // whether what comes from another is what that takes
}

// tally counts for x, looking through those of the others that it is told to.
func (c *carrying) tally(x *carried, byParam map[*kernel.Value]*carried, through func(*carried) bool) *tally {
	t := &tally{seen: map[*carried]bool{}, through: through}
	c.count(x, x, byParam, t)
	return t
}

func (c *carrying) count(top, x *carried, byParam map[*kernel.Value]*carried, t *tally) {
	if t.seen[x] {
		return
	}
	t.seen[x] = true
	t.heads = t.heads || c.heads[x.block.ID]
	head := c.heads[top.block.ID]
	for _, e := range c.in[x.block.ID] {
		from := e.From.ID
		v := c.brings(x, e)
		inside := !head || c.dom.Dominates(top.block.ID, from)
		y := byParam[v]
		if y != nil && !t.seen[y] && !t.through(y) {
			if !c.serves(y) { // and is not carried unless it helps
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
			_, _, ok := c.room(x, e)
			t.unsafe = t.unsafe || !ok
			if at := translate(x.spot, e.Edge()); inside {
				if !slices.Contains(t.loads, at) {
					t.loads = append(t.loads, at)
					t.missing++
				}
				t.without += max(1, len(c.in[from]))
			}
		}
	}
}
