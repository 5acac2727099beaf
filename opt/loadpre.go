package opt

import (
	"slices"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/kernel"
)

// maxCarried limits the parameters inserted into one block (register pressure), maxTried
// the candidates per block, maxPad the padding of an object in bytes at either end, and
// maxEnds the block ends that are searched for an access that proves a load safe.
const (
	maxCarried = 4
	maxTried   = 64
	maxPad     = 64
	maxEnds    = 16
)

// loadPRE replaces loads from private objects by block parameters where paths join: some
// edges have the value of the load available, and the others get a load at their ends if
// that does not increase the number of loads (see profitable). A value that a loop pushes
// on a stack and pops next thus stays in a register.
//
// (Partial redundancy elimination with addresses renamed across edges: Chow,
// Chan, Kennedy, Liu, Lo, Tu, "A New Algorithm for Partial Redundancy
// Elimination based on SSA Form", PLDI'97, has the renaming.)
//
// A load only moves to points where a nearby address has just been accessed. Its object is
// padded by the distance that the load may lie outside.
func (fw *forwarding) loadPRE() int {
	g := fw.f.Graph()
	fw.assumed = nil
	fw.flow(g)
	c := &loadPRE{fw: fw, g: g, in: InEdges(fw.f), base: fw.out, params: map[location]*preParam{}}
	c.tried, c.failed = make([]int, len(fw.f.Blocks)), make([]attempt, len(fw.f.Blocks))
	if !c.collect() {
		return 0
	}
	for {
		fw.assumed = map[*kernel.Block][]cell{}
		for _, x := range c.all {
			if !x.dropped {
				fw.assumed[x.block] = append(fw.assumed[x.block], cell{x.at, x.load.Type.Size(), x.param, -1})
			}
		}
		fw.flow(g)
		if !c.drop() {
			break
		}
	}
	return c.commit()
}

// loadPRE is the state of one run.
type loadPRE struct {
	fw     *forwarding
	g      *cfg.Graph
	dom    *cfg.DomTree
	heads  []bool // by block ID: target of a back edge
	cycles *cfg.CycleForest
	in     [][]InEdge
	base   [][]cell // available at the ends of blocks because of accesses alone
	params map[location]*preParam
	tried  []int     // by block ID: number of candidates
	failed []attempt // by block ID: the last failed one
	all    []*preParam
	pads   map[*kernel.Value]*[2]int // Alloca -> padding below and above, in bytes
}

// attempt is a candidate load and the number of joins that are searched for its value.
type attempt struct {
	load  *kernel.Value
	at    address
	depth int
}

// location is a memory location at the start of a block.
type location struct {
	block *kernel.Block
	at    address
	typ   kernel.Type
}

// preParam is a parameter that may hold the contents of a location.
type preParam struct {
	location
	load    *kernel.Value // the load that it replaces
	param   *kernel.Value
	dropped bool
}

// collect finds the candidates and reports whether there are any.
func (c *loadPRE) collect() bool {
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

// candidates tries to insert a parameter for v, a load from a, at the joins that dominate it.
func (c *loadPRE) candidates(v *kernel.Value, a address) {
	if c.dom == nil {
		c.findHeads()
	}
	for id := v.Block.ID; id >= 0; id = c.dom.IDom[id] {
		b := c.fw.f.Blocks[id]
		if len(c.in[id]) > 1 {
			c.candidate(location{b, a, v.Type}, v, 2)
		}
		if a.base.Block == b {
			return // the address is not defined above
		}
	}
}

// candidate inserts a parameter at p for the load v if the contents of p are available at
// some back edge, where p is in a loop header, or at some edge to the join. depth limits the
// joins that it searches inside the loop.
func (c *loadPRE) candidate(p location, v *kernel.Value, depth int) bool {
	if x := c.params[p]; x != nil { // of several loads, prefer one that executes in any case
		if x.param != nil && (!c.everyIteration(p.block, x.load) && c.everyIteration(p.block, v) || v.Block == p.block && x.load.Block != p.block) {
			x.load = v
		}
		return true
	}
	if a := p.at.base; a.Block == p.block && a.Op != kernel.Param || c.tried[p.block.ID] >= maxTried {
		return false
	}
	if a := c.failed[p.block.ID]; a.load == v && a.at == p.at && a.depth >= depth {
		return false
	}
	x := &preParam{location: p, load: v}
	c.params[p] = x
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
				some = len(c.in[id]) > 1 && c.candidate(location{b, at, p.typ}, v, depth-1) || some
				break
			}
		}
	}
	if !some {
		delete(c.params, p)
		c.failed[p.block.ID] = attempt{v, p.at, depth}
		return false
	}
	x.param = p.block.NewValue(kernel.Param, p.typ)
	x.param.Name = v.Name
	c.all = append(c.all, x)
	c.tried[p.block.ID]++
	return true
}

// findHeads computes the dominators and the targets of back edges.
func (c *loadPRE) findHeads() {
	c.dom, c.heads = cfg.Dominators(c.g), make([]bool, len(c.in))
	for id, in := range c.in {
		c.heads[id] = slices.ContainsFunc(in, func(e InEdge) bool { return c.dom.Dominates(id, e.From.ID) })
	}
}

// translate returns the address at the end of an edge of a location at the start of the
// edge's target.
func translate(p location, e *kernel.Edge) address {
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

// available returns the value of x at edge e, or nil if a load is needed.
func (c *loadPRE) available(x *preParam, e InEdge) *kernel.Value {
	found := lookup(c.fw.out[e.From.ID], translate(x.location, e.Edge()), x.typ.Size())
	if found == nil || found.part >= 0 || found.value.Type != x.typ && found.value.Op != kernel.Const {
		return nil
	}
	if found.value.Op == kernel.Const {
		return c.fw.f.Const(x.typ, found.value.Const)
	}
	return found.value
}

// overrun returns the number of bytes by which a load of x at the end of e may exceed its
// object, below and above; ok means that they are known and small.
func (c *loadPRE) overrun(x *preParam, e InEdge) (below, above int, ok bool) {
	if x.load.Block == x.block {
		return 0, 0, true // the load executes in any case
	}
	size := x.typ.Size()
	for _, v := range x.block.Values { // which execute in any case
		if k, access := c.fw.access(v); access && !ok {
			below, above, ok = outside(x.at, size, k, v.Count*v.Accessed().Size())
		}
	}
	if ok {
		return below, above, ok
	}
	ends := maxEnds
	return c.overrunAt(translate(x.location, e.Edge()), size, e.From, &ends)
}

// overrunAt is overrun for a load of size bytes from at, at the end of b. It uses an access
// before that point or, at the block that defines the base of the address, the accesses
// before all of its edges. It visits at most *ends ends of blocks.
func (c *loadPRE) overrunAt(at address, size int, b *kernel.Block, ends *int) (below, above int, ok bool) {
	if at.base == at.object {
		return 0, 0, at.at >= 0 && at.at+size <= at.object.Size
	}
	for _, k := range c.base[b.ID] {
		if k.part > 0 {
			continue
		}
		if under, over, small := outside(at, size, k.address, k.size); small && (!ok || under+over < below+above) {
			below, above, ok = under, over, true
		}
	}
	if *ends--; ok || *ends <= 0 || at.base.Op != kernel.Param {
		return below, above, ok
	}
	for _, e := range c.in[at.base.Block.ID] {
		from := translate(location{block: at.base.Block, at: at}, e.Edge())
		if from == at { // unchanged in the loop
			continue
		}
		under, over, small := c.overrunAt(from, size, e.From, ends)
		if !small {
			return 0, 0, false
		}
		below, above = max(below, under), max(above, over)
	}
	return below, above, true
}

// outside returns the number of bytes by which an access of size bytes at a may exceed its
// object, given that an access of width bytes at k is in bounds; ok means that they are small.
func outside(a address, size int, k address, width int) (below, above int, ok bool) {
	if k.base != a.base || k.scale != a.scale {
		return 0, 0, false
	}
	// The number that is multiplied by the scale is in [low, high].
	low := ceilDiv(-k.at, k.scale)
	high := -ceilDiv(k.at+width-k.object.Size, k.scale)
	below = max(0, -(low*k.scale + a.at))
	above = max(0, high*k.scale+a.at+size-a.object.Size)
	return below, above, below <= maxPad && above <= maxPad
}

// ceilDiv returns a/b rounded up, for b > 0.
func ceilDiv(a, b int) int {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}
