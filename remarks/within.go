package remarks

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// within tells of the vectors in code that runs each work-item by itself: accesses of
// elements side by side that became one, and loops whose rounds are lanes.
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
	single := map[diag.Pos]bool{} // where numbers are loaded, but by loops that sum in lanes
	for _, b := range c.Vector.Blocks {
		for _, v := range b.Values {
			if v.Op == vir.Load && v.Pos.IsValid() && lanesOfSums(b) == 0 {
				single[v.Pos] = true
			}
		}
	}
	seen := map[part]bool{} // copies of a loop have it several times
	for _, b := range c.Vector.Blocks {
		rounds := b.RoundsLeft()
		left := slices.IndexFunc(b.Values, func(v *vir.Value) bool { return single[v.Pos] }) // to the loop itself
		if n := lanesOfSums(b); n > 0 && left >= 0 && !c.inRounds(b) {
			c.add(Rounds, b.Values[left].Pos, fmt.Sprintf(" of a loop: %d at a time are lanes of vectors, what lies anywhere is loaded number by number, and those left over are left to the loop; what they compute is put together in any order", n))
			continue
		}
		gathers := false
		for _, v := range b.Values {
			if rounds > 0 && v.Op == vir.Gather && v.Pos.IsValid() {
				c.add(Rounds, v.Pos, fmt.Sprintf(" of a loop: %d at a time are lanes of vectors, what lies anywhere is gathered, and the last of them are under a mask; what they compute is put together in any order", rounds))
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
			if rounds > 0 && !whole {
				c.add(Rounds, v.Pos, fmt.Sprintf(" of a loop: %d at a time are lanes of vectors, and those left over are under a mask, if there are more than a few; what they compute is put together in any order", rounds))
				break
			}
			t, how := v.Accessed(), "loaded from"
			if v.Op == vir.VStore {
				how = "stored to"
			}
			k := part{v.Pos, v.Op, v.Disp}
			if seen[k] || !whole || c.inRounds(b) {
				continue
			}
			seen[k] = true
			object := "memory"
			if x := of[v.Pos]; x != nil {
				object = quoted(c.object(x.Args[0]), object)
			}
			c.add(Packed, v.Pos, fmt.Sprintf(" of %d %s: side by side in one work-item, they are %s %s at once", t.Lanes, t.Elem, how, object))
		}
	}
}

// lanesOfSums returns how many lanes the vectors have that b, a loop by itself, adds to; 0
// if it adds to none.
func lanesOfSums(b *vir.Block) int {
	again := slices.ContainsFunc(b.Edges, func(e vir.Edge) bool { return e.To == b })
	if i := slices.IndexFunc(b.Params, func(p *vir.Value) bool { return p.Type.IsVec() }); again && i >= 0 {
		return b.Params[i].Type.Lanes
	}
	return 0
}

// inRounds reports whether the rounds of b's loop are lanes: what is left over of them
// comes behind it.
func (c *collector) inRounds(b *vir.Block) bool {
	for _, e := range b.Edges {
		if e.To.RoundsLeft() > 0 || slices.ContainsFunc(e.To.Edges, func(f vir.Edge) bool { return f.To.RoundsLeft() > 0 }) {
			return true
		}
	}
	return false
}
