package avx512

import (
	"math"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

const registerBits = 512

// legalOf returns Legal with the number of lanes in a mask chosen for f.
func legalOf(f *vir.Func) legalize.Target {
	t := Legal
	t.Lanes = maskLanes(f, f.Width)
	return t
}

// maskLanes chooses the number of lanes in the masks of f when compiled for the given width:
// 16, the number of 32-bit elements in a register, or 32 or 64 if that takes fewer register
// operations. Registers of shorts or bytes are full then, but are split and joined where
// they are operands together with wider elements.
func maskLanes(f *vir.Func, width int) int {
	maxLanes, narrow := 0, false
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if t := v.Accessed(); t.IsVec() {
				maxLanes = max(maxLanes, t.Lanes*width/f.Width)
				narrow = narrow || t.Elem.Bits() < 32
			}
		}
	}
	if !narrow || maxLanes <= 16 {
		return 16
	}
	cycles := cfg.Cycles(f.Graph())
	best, minCost := 0, 0.0
	for lanes := 16; lanes <= min(maxLanes, 64); lanes *= 2 {
		cost := 0.0
		for _, b := range f.Blocks {
			const assumedTrips = 8 // of each loop
			c := laneCost{f: f, width: width, lanes: lanes, split: map[splitValue]bool{}}
			for _, v := range b.Values {
				c.add(v)
			}
			cost += float64(c.cost) * math.Pow(assumedTrips, float64(cycles.Depth(b.ID)))
		}
		if best == 0 || cost < minCost {
			best, minCost = lanes, cost
		}
	}
	return best
}

// laneCost sums the costs of the register operations of a block.
type laneCost struct {
	f            *vir.Func
	width, lanes int // lanes: in a mask
	cost         int // in operations on 256 bits
	split        map[splitValue]bool
}

// splitValue is a value that is split into parts with the given number of lanes.
type splitValue struct {
	v     *vir.Value
	lanes int
}

// lanesOf returns the number of lanes of values of type t.
func (c *laneCost) lanesOf(t vir.Type) int { return max(1, t.Lanes*c.width/c.f.Width) }

// perRegister returns the number of lanes of a value of type t in one register.
func (c *laneCost) perRegister(t vir.Type) int {
	return min(c.lanesOf(t), c.lanes, registerBits/t.Elem.Bits())
}

// Costs of an operation by its vector length: one on 512 bits occupies a 256-bit unit for
// two cycles, and so does a split or a join.
const cost256, cost512 = 1, 2

// operationCost returns the cost of an operation on n lanes of type t.
func operationCost(t vir.Type, n int) int {
	if n*t.Elem.Bits() > registerBits/2 {
		return cost512
	}
	return cost256
}

// add adds the cost of v: an operation for each chunk of lanes, and a split or a join for
// each further chunk that shares a register of an operand or of the result.
func (c *laneCost) add(v *vir.Value) {
	t := v.Accessed()
	for _, a := range v.Args {
		if a.Type.Lanes > t.Lanes {
			t = a.Type // the operand that determines the number of lanes
		}
	}
	if t.Lanes <= 1 {
		return
	}
	switch v.Op {
	case vir.Splat, vir.Part, vir.Concat, vir.Extract, vir.Insert:
		c.cost += cost512
		return
	}
	lanes, n, lanewise := c.lanesOf(t), c.chunk(v, t), c.lanewise(v)
	cost := operationCost(t, n)
	for _, a := range v.Args {
		if lanewise && a.Type.Lanes > 1 {
			cost = max(cost, operationCost(a.Type, n))
		}
	}
	if !c.merged(v) {
		c.cost += lanes / n * cost
	}
	if v.Type.Lanes > 1 {
		c.cost += cost512 * (lanes/n - lanes/max(n, c.perRegister(v.Type)))
	}
	for _, a := range v.Args {
		k := splitValue{a, n}
		if !lanewise || a.Type.Lanes == 1 || a.Op == vir.Const || c.split[k] {
			continue
		}
		c.split[k] = true
		c.cost += cost512 * (lanes/n - lanes/max(n, c.perRegister(a.Type)))
	}
}

// lanewise reports whether the operands of v and its result correspond lane by lane, so
// that they are split alike.
func (c *laneCost) lanewise(v *vir.Value) bool {
	return v.Op.Pure() || vir.InfoOf(v.Op).Memory || v.Op == vir.First || v.Op == vir.Shuffle
}

// chunk returns the number of lanes that one operation of v computes; t is the type that
// determines the number of all lanes.
func (c *laneCost) chunk(v *vir.Value, t vir.Type) int {
	n := c.perRegister(t)
	switch {
	case v.Op == vir.Shuffle:
		return min(n, shuffleLanes(t.Elem))
	case !c.lanewise(v):
		return n
	}
	for _, a := range append(v.Args[:len(v.Args):len(v.Args)], v) {
		if a.Type.Lanes > 1 {
			n = min(n, c.perRegister(a.Type))
		}
	}
	if v.Op.Pure() && !c.has(v, n) { // computed on elements of at least twice the size
		n = min(n, registerBits/2/max(t.Elem.Bits(), 8))
	}
	return n
}

// merged reports whether v becomes part of the instruction of an operand: a blend part of
// the selected operation, mask logic part of a comparison whose mask is not joined first.
func (c *laneCost) merged(v *vir.Value) bool {
	if v.Op == alu.Select {
		return v.Type.IsVec() && maskable(v.Args[1].Op)
	}
	x, not := notMask(v)
	switch {
	case not:
		return c.wholeMaskTest(x)
	case v.Op != alu.And || !v.Type.IsMask():
		return false
	}
	for _, a := range v.Args {
		if y, ok := notMask(a); ok {
			a = y
		}
		if c.wholeMaskTest(a) {
			return true
		}
	}
	return false
}

// wholeMaskTest reports whether v is a comparison whose instructions each produce a whole
// mask register.
func (c *laneCost) wholeMaskTest(v *vir.Value) bool {
	return isLaneTest(v) && c.chunk(v, v.Args[0].Type) == c.perRegister(v.Type)
}

// has reports whether the target has the lanewise operation v on n lanes.
func (c *laneCost) has(v *vir.Value, n int) bool {
	t := v.Args[len(v.Args)-1].Type
	if alu.InfoOf(v.Op).Class == alu.Choose {
		if t = v.Type; t.IsMask() {
			return true // replaced by mask logic
		}
	}
	return has(v.Op, vir.Type{Elem: t.Elem, Lanes: n}, vir.Type{Elem: v.Type.Elem, Lanes: n})
}

// shuffleLanes returns the number of lanes of a shuffled vector. Bytes are shuffled within
// 16 bytes.
func shuffleLanes(t alu.Type) int {
	if t.Size() <= 1 {
		return 16
	}
	return registerBits / t.Bits()
}
