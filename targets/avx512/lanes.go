package avx512

import (
	"math"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
)

const registerBits = 512

// TargetOf is Target with as many lanes in a mask as suit f.
func TargetOf(f *vir.Func) legalize.Target {
	t := Target
	t.Lanes = maskLanes(f, f.Width)
	return t
}

// maskLanes chooses how many lanes the masks of f have, if it is made for the given
// width: 16, as many as a register has of 32 bits, or 32 or 64 where that takes fewer
// operations on registers. A register is then full of shorts or bytes, but is cut and
// joined where it meets longer numbers.
func maskLanes(f *vir.Func, width int) int {
	most, narrow := 0, false
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if t := v.Accessed(); t.IsVec() {
				most = max(most, t.Lanes*width/f.Width)
				narrow = narrow || t.Elem.Bits() < 32
			}
		}
	}
	if !narrow || most <= 16 {
		return 16
	}
	cycles := cfg.Cycles(f.Graph())
	best, least := 0, 0.0
	for lanes := 16; lanes <= min(most, 64); lanes *= 2 {
		count := 0.0
		for _, b := range f.Blocks {
			const rounds = 8
			c := laneCount{f: f, width: width, lanes: lanes, cut: map[cutting]bool{}}
			for _, v := range b.Values {
				c.add(v)
			}
			count += float64(c.operations) * math.Pow(rounds, float64(cycles.Depth(b.ID)))
		}
		if best == 0 || count < least {
			best, least = lanes, count
		}
	}
	return best
}

// laneCount counts the operations on registers of a block.
type laneCount struct {
	f            *vir.Func
	width, lanes int
	operations   int
	cut          map[cutting]bool
}

// cutting is a value in parts of so many lanes.
type cutting struct {
	v     *vir.Value
	lanes int
}

// all is how many lanes values of type t have.
func (c *laneCount) all(t vir.Type) int { return max(1, t.Lanes*c.width/c.f.Width) }

// per is how many of them one register holds.
func (c *laneCount) per(t vir.Type) int {
	return min(c.all(t), c.lanes, registerBits/t.Elem.Bits())
}

// What an operation counts as: those on 512 bits take two turns of 256-bit units, and
// so does a cut or a join.
const halfTurn, wholeTurn = 1, 2

// turns is what an operation on n lanes of type t counts as.
func turns(t vir.Type, n int) int {
	if n*t.Elem.Bits() > registerBits/2 {
		return wholeTurn
	}
	return halfTurn
}

// add counts v: an operation for each register of its narrowest operand or result, and one
// for each part that others are cut into or joined from besides.
func (c *laneCount) add(v *vir.Value) {
	t := v.Accessed()
	for _, a := range v.Args {
		if a.Type.Lanes > t.Lanes {
			t = a.Type // what tells of lanes
		}
	}
	if t.Lanes <= 1 { // none, if there is no value
		return
	}
	switch v.Op {
	case vir.Splat, vir.Part, vir.Concat, vir.Extract, vir.Insert:
		c.operations += wholeTurn
		return
	}
	lanes, n, meets := c.all(t), c.grain(v, t), c.meets(v)
	cost := turns(t, n)
	for _, a := range v.Args {
		if meets && a.Type.Lanes > 1 {
			cost = max(cost, turns(a.Type, n))
		}
	}
	if !c.merged(v) {
		c.operations += lanes / n * cost
	}
	if v.Type.Lanes > 1 {
		c.operations += wholeTurn * (lanes/n - lanes/max(n, c.per(v.Type)))
	}
	for _, a := range v.Args {
		k := cutting{a, n}
		if !meets || a.Type.Lanes == 1 || a.Op == vir.Const || c.cut[k] {
			continue
		}
		c.cut[k] = true
		c.operations += wholeTurn * (lanes/n - lanes/max(n, c.per(a.Type)))
	}
}

// meets reports whether the operands of v and its result go together lane by lane, or are
// cut alike.
func (c *laneCount) meets(v *vir.Value) bool {
	return v.Op.Pure() || vir.InfoOf(v.Op).Memory || v.Op == vir.First || v.Op == vir.Shuffle
}

// grain is how many lanes of type t, the type that tells of them, one operation of v does.
func (c *laneCount) grain(v *vir.Value, t vir.Type) int {
	n := c.per(t)
	switch {
	case v.Op == vir.Shuffle:
		return min(n, shuffleLanes(t.Elem))
	case !c.meets(v):
		return n
	}
	for _, a := range append(v.Args[:len(v.Args):len(v.Args)], v) {
		if a.Type.Lanes > 1 {
			n = min(n, c.per(a.Type))
		}
	}
	if v.Op.Pure() && !c.has(v, n) { // made of twice as long numbers, or longer ones
		n = min(n, registerBits/2/max(t.Elem.Bits(), 8))
	}
	return n
}

// merged reports whether v is part of the instruction of an operand: a blend that of what
// it chooses, logic of masks that of a comparison, whose mask is not joined first.
func (c *laneCount) merged(v *vir.Value) bool {
	if v.Op == alu.Select {
		return v.Type.IsVec() && maskable(v.Args[1].Op)
	}
	x, not := notMask(v)
	switch {
	case not:
		return c.tests(x)
	case v.Op != alu.And || !v.Type.IsMask():
		return false
	}
	for _, a := range v.Args {
		if y, ok := notMask(a); ok {
			a = y
		}
		if c.tests(a) {
			return true
		}
	}
	return false
}

// tests reports whether v is a comparison that makes whole masks.
func (c *laneCount) tests(v *vir.Value) bool {
	return isLaneTest(v) && c.grain(v, v.Args[0].Type) == c.per(v.Type)
}

// has is has of an elementwise operation on n lanes.
func (c *laneCount) has(v *vir.Value, n int) bool {
	t := v.Args[len(v.Args)-1].Type
	if alu.InfoOf(v.Op).Class == alu.Choose {
		if t = v.Type; t.IsMask() {
			return true // logic of masks stands for it
		}
	}
	return has(v.Op, vir.Type{Elem: t.Elem, Lanes: n}, vir.Type{Elem: v.Type.Elem, Lanes: n})
}

// shuffleLanes is how many lanes a vector has that is shuffled: bytes move within 16 of
// them.
func shuffleLanes(t alu.Type) int {
	if t.Size() <= 1 {
		return 16
	}
	return registerBits / t.Bits()
}
