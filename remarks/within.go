package remarks

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// within reports the vectors in one-lane code: SLP groups, and loops whose iterations run as
// lanes.
func (c *collector) within() {
	if c.wide() {
		return
	}
	of := map[diag.Pos]*kernel.Value{}
	for _, b := range c.Kernel.Blocks {
		for _, v := range b.Values {
			if v.Op == kernel.Load || v.Op == kernel.Store {
				of[v.Pos] = v
			}
		}
	}
	type part struct {
		at   diag.Pos
		op   vir.Op
		disp int64
	}
	single := map[diag.Pos]bool{} // positions of scalar loads outside of vectorized reductions
	for _, b := range c.Vector.Blocks {
		for _, v := range b.Values {
			if v.Op == vir.Load && v.Pos.IsValid() && lanesOfSums(b) == 0 {
				single[v.Pos] = true
			}
		}
	}
	seen := map[part]bool{} // loops may have copies
	for _, b := range c.Vector.Blocks {
		remaining := b.IterationsLeft()
		left := slices.IndexFunc(b.Values, func(v *vir.Value) bool { return single[v.Pos] }) // in the original loop
		if n := lanesOfSums(b); n > 0 && left >= 0 && !c.inVectorLoop(b) {
			c.add(Iterations, b.Values[left].Pos, fmt.Sprintf(": %d iterations run as lanes; irregular accesses are loaded element by element, and the original loop runs the remaining iterations; reductions are reassociated", n))
			continue
		}
		gathers := false
		for _, v := range b.Values {
			if remaining > 0 && v.Op == vir.Gather && v.Pos.IsValid() {
				c.add(Iterations, v.Pos, fmt.Sprintf(": %d iterations run as lanes; irregular accesses are gathered, and the remaining iterations run under a mask; reductions are reassociated", remaining))
				gathers = true
			}
		}
		if gathers {
			continue
		}
		for _, v := range b.Values {
			if v.Op != vir.VLoad && v.Op != vir.VStore || !v.Pos.IsValid() {
				continue
			}
			all := v.Args[len(v.Args)-1]
			whole := all.Op == vir.Const && all.Const == 1
			if remaining > 0 && !whole {
				c.add(Iterations, v.Pos, fmt.Sprintf(": %d iterations run as lanes; remaining iterations, if more than a few, run under a mask; reductions are reassociated", remaining))
				break
			}
			t, how := v.Accessed(), "loaded from"
			if v.Op == vir.VStore {
				how = "stored to"
			}
			k := part{v.Pos, v.Op, v.Disp}
			if seen[k] || !whole || c.inVectorLoop(b) {
				continue
			}
			seen[k] = true
			object := "memory"
			if x := of[v.Pos]; x != nil {
				object = quoted(c.object(x.Args[0]), object)
			}
			c.add(Packed, v.Pos, fmt.Sprintf(" of %d %s: adjacent in one work-item, they are %s %s as one vector", t.Lanes, t.Elem, how, object))
		}
	}
}

// lanesOfSums returns the number of lanes of the vectors accumulated by b, a single-block
// loop; 0 if there are none.
func lanesOfSums(b *vir.Block) int {
	again := slices.ContainsFunc(b.Edges, func(e vir.Edge) bool { return e.To == b })
	if i := slices.IndexFunc(b.Params, func(p *vir.Value) bool { return p.Type.IsVec() }); again && i >= 0 {
		return b.Params[i].Type.Lanes
	}
	return 0
}

// inVectorLoop reports whether the iterations of b's loop run as lanes: a block for remaining
// iterations follows.
func (c *collector) inVectorLoop(b *vir.Block) bool {
	for _, e := range b.Edges {
		if e.To.IterationsLeft() > 0 || slices.ContainsFunc(e.To.Edges, func(f vir.Edge) bool { return f.To.IterationsLeft() > 0 }) {
			return true
		}
	}
	return false
}
