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
	seen := map[part]bool{} // copies of a loop have it several times
	for _, b := range c.Vector.Blocks {
		rounds := b.RoundsLeft()
		for _, v := range b.Values {
			if k := (part{v.Pos, v.Op, v.Disp}); v.Op == vir.Gather && v.Pos.IsValid() && !seen[k] {
				seen[k] = true
				c.gatheredRounds(v, of[v.Pos])
			}
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

// gatheredRounds tells of a gather for rounds of a loop, which access is in the kernel.
func (c *collector) gatheredRounds(v *vir.Value, access *kernel.Value) {
	object := "memory"
	if access != nil {
		object = quoted(c.object(access.Args[0]), object)
	}
	ns := c.Costs.Operation(v.Op, v.Type)
	d := c.add(Gather, v.Pos, fmt.Sprintf(" of %d %s from %s, %s (contiguous: %.2g): rounds of a loop that are lanes have addresses of no fixed distance",
		v.Type.Lanes, v.Type.Elem, object, about(ns), c.Costs.Operation(vir.VLoad, v.Type)))
	d.ns = ns
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
