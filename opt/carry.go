package opt

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// maxCarried bounds the values carried into one block for want of registers, maxTried
// those that are looked at for it, maxPad the bytes by which an object grows at either
// end, maxEnds the blocks that are asked for what tells that a load is good.
const (
	maxCarried = 4
	maxTried   = 64
	maxPad     = 64
	maxEnds    = 16
)

// carry lets parameters take the place of loads from private objects where
// paths join: of the edges to a block, some bring what the load would find,
// known by their own names, and the others get a load at their ends, where that takes no
// more loads (see worth). What a loop pushes on a stack and pops next so stays in a register.
//
// (Partial redundancy elimination with addresses renamed across edges: Chow,
// Chan, Kennedy, Liu, Lo, Tu, "A New Algorithm for Partial Redundancy
// Elimination based on SSA Form", PLDI'97, has the renaming.)
//
// A load is only moved to where an access nearby has just been made; its object
// grows by as much as the load may lie outside.
func (fw *forwarding) carry() int {
	g := fw.f.Graph()
	fw.seeds = nil
	fw.flow(g)
	c := &carrying{fw: fw, g: g, in: InEdges(fw.f), base: fw.out, made: map[spot]*carried{}}
	c.tried, c.vain = make([]int, len(fw.f.Blocks)), make([]attempt, len(fw.f.Blocks))
	if !c.collect() {
		return 0
	}
	for {
		fw.seeds = map[*kernel.Block][]cell{}
		for _, x := range c.all {
			if !x.dropped {
				fw.seeds[x.block] = append(fw.seeds[x.block], cell{x.at, x.load.Type.Size(), x.param, -1})
			}
		}
		fw.flow(g)
		if !c.drop() {
			break
		}
	}
	return c.commit()
}

// carrying is one run of carry.
type carrying struct {
	fw     *forwarding
	g      *cfg.Graph
	dom    *cfg.DomTree
	heads  []bool // by block ID: an edge goes back to it
	cycles *cfg.CycleForest
	in     [][]InEdge
	base   [][]cell // what is known at the ends of blocks from accesses alone
	made   map[spot]*carried
	tried  []int     // by block ID: how many of all would be carried into it
	vain   []attempt // by block ID: the last that came to nothing
	all    []*carried
	pads   map[*kernel.Value]*[2]int // Alloca -> bytes below and above
}

// attempt is one to carry what a load finds, looking through so many joins.
type attempt struct {
	load  *kernel.Value
	at    address
	depth int
}

// spot is contents of memory at the start of a block.
type spot struct {
	block *kernel.Block
	at    address
	typ   kernel.Type
}

// carried is a parameter that may come to hold the contents of a place.
type carried struct {
	spot
	load    *kernel.Value // the load that it is for
	param   *kernel.Value
	dropped bool
}

// collect finds what may be carried and reports whether there is any.
func (c *carrying) collect() bool {
	for _, id := range c.g.ReversePostOrder() {
		cells := append([]cell(nil), c.fw.in[id]...)
		for _, v := range c.fw.f.Blocks[id].Values {
			a, ok := c.fw.access(v)
			switch {
			case !ok:
			case v.Op == kernel.Store:
				kill(&cells, a, v.Count*v.Accessed().Size())
				if !v.Volatile {
					c.fw.store(v, a, v.Accessed(), &cells)
				}
			case v.Volatile:
			case v.Count > 1 || a.object.Size > maxLinear:
				learn(v, a, &cells)
			default:
				if _, known := learn(v, a, &cells); !known {
					c.candidates(v, a)
				}
			}
		}
	}
	return len(c.all) > 0
}

// candidates tries to carry what the load v finds at a into the joins above.
func (c *carrying) candidates(v *kernel.Value, a address) {
	if c.dom == nil {
		c.findHeads()
	}
	for id := v.Block.ID; id >= 0; id = c.dom.IDom[id] {
		b := c.fw.f.Blocks[id]
		if len(c.in[id]) > 1 {
			c.candidate(spot{b, a, v.Type}, v, 2)
		}
		if a.base.Block == b {
			return // there is no such place above
		}
	}
}

// candidate makes p carried for the load v, if some edge of the loop that it
// is the head of, or of the join, brings what is known. depth is through how
// many joins inside the loop it looks.
func (c *carrying) candidate(p spot, v *kernel.Value, depth int) bool {
	if x := c.made[p]; x != nil { // of the loads that it may be for, one that is made in any case tells most
		if x.param != nil && (!c.steady(p.block, x.load) && c.steady(p.block, v) || v.Block == p.block && x.load.Block != p.block) {
			x.load = v
		}
		return true
	}
	if a := p.at.base; a.Block == p.block && a.Op != kernel.Param || c.tried[p.block.ID] >= maxTried {
		return false
	}
	if a := c.vain[p.block.ID]; a.load == v && a.at == p.at && a.depth >= depth {
		return false
	}
	x := &carried{spot: p, load: v}
	c.made[p] = x
	some := false
	for _, e := range c.in[p.block.ID] {
		from := e.From.ID
		if c.heads[p.block.ID] && !c.dom.Dominates(p.block.ID, from) {
			continue
		}
		at := translate(p, e.Edge())
		if lookup(c.base[from], at, p.typ.Size()) != nil {
			some = true
			continue
		}
		for id := from; depth > 0 && id != p.block.ID && id >= 0; id = c.dom.IDom[id] {
			if b := c.fw.f.Blocks[id]; len(c.in[id]) > 1 || at.base.Block == b {
				some = len(c.in[id]) > 1 && c.candidate(spot{b, at, p.typ}, v, depth-1) || some
				break
			}
		}
	}
	if !some {
		delete(c.made, p)
		c.vain[p.block.ID] = attempt{v, p.at, depth}
		return false
	}
	x.param = p.block.NewValue(kernel.Param, p.typ)
	x.param.Name = v.Name
	c.all = append(c.all, x)
	c.tried[p.block.ID]++
	return true
}

// findHeads finds the dominators, and the blocks that edges go back to.
func (c *carrying) findHeads() {
	c.dom, c.heads = cfg.Dominators(c.g), make([]bool, len(c.in))
	for id, in := range c.in {
		c.heads[id] = slices.ContainsFunc(in, func(e InEdge) bool { return c.dom.Dominates(id, e.From.ID) })
	}
}

// translate names a place at the start of a block as it is called at the end
// of an edge to it.
func translate(p spot, e *kernel.Edge) address {
	if p.at.base.Op != kernel.Param || p.at.base.Block != p.block {
		return p.at
	}
	l := linearOf(e.Args[p.at.base.Index], linearDepth)
	at := address{p.at.object, l.root, p.at.scale * l.scale, p.at.at + p.at.scale*l.at}
	if l.root == nil {
		at.base, at.scale = at.object, 1
	}
	return at
}

// brings is what edge e has for x: a value, or none where a load is needed.
func (c *carrying) brings(x *carried, e InEdge) *kernel.Value {
	found := lookup(c.fw.out[e.From.ID], translate(x.spot, e.Edge()), x.typ.Size())
	if found == nil || found.part >= 0 || found.value.Type != x.typ && found.value.Op != kernel.Const {
		return nil
	}
	if found.value.Op == kernel.Const {
		return c.fw.f.Const(x.typ, found.value.Const)
	}
	return found.value
}

// room returns how far outside its object a load of x at the end of e may lie,
// below and above, and whether that is known to be little.
func (c *carrying) room(x *carried, e InEdge) (below, above int, ok bool) {
	if x.load.Block == x.block {
		return 0, 0, true // it is made in any case
	}
	size := x.typ.Size()
	for _, v := range x.block.Values { // which follow in any case
		if k, access := c.fw.access(v); access && !ok {
			below, above, ok = outside(x.at, size, k, v.Count*v.Accessed().Size())
		}
	}
	if ok {
		return below, above, ok
	}
	ends := maxEnds
	return c.near(translate(x.spot, e.Edge()), size, e.From, &ends)
}

// near is room for a load of size bytes from at, at the end of b: by an access on
// the way there, or where it came from by those on all ways to there. It looks at
// so many ends of blocks as are left.
func (c *carrying) near(at address, size int, b *kernel.Block, ends *int) (below, above int, ok bool) {
	if at.base == at.object {
		return 0, 0, at.at >= 0 && at.at+size <= at.object.Size
	}
	for _, k := range c.base[b.ID] {
		if k.part > 0 {
			continue
		}
		if under, over, close := outside(at, size, k.address, k.size); close && (!ok || under+over < below+above) {
			below, above, ok = under, over, true
		}
	}
	if *ends--; ok || *ends <= 0 || at.base.Op != kernel.Param {
		return below, above, ok
	}
	for _, e := range c.in[at.base.Block.ID] {
		from := translate(spot{block: at.base.Block, at: at}, e.Edge())
		if from == at { // as it was
			continue
		}
		under, over, close := c.near(from, size, e.From, ends)
		if !close {
			return 0, 0, false
		}
		below, above = max(below, under), max(above, over)
	}
	return below, above, true
}

// outside returns how far outside its object an access of size bytes at a may lie,
// as one of width bytes at k is good, and whether that is little.
func outside(a address, size int, k address, width int) (below, above int, ok bool) {
	if k.base != a.base || k.scale != a.scale {
		return 0, 0, false
	}
	// What is multiplied by the scale is at least low, at most high.
	low := ceilDiv(-k.at, k.scale)
	high := -ceilDiv(k.at+width-k.object.Size, k.scale)
	below = max(0, -(low*k.scale + a.at))
	above = max(0, high*k.scale+a.at+size-a.object.Size)
	return below, above, below <= maxPad && above <= maxPad
}

// ceilDiv is a/b rounded up, for b > 0.
func ceilDiv(a, b int) int {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}
