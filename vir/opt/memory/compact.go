package memory

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
)

// compactedBits is the size of the vectors that Compact rearranges, and compactedLanes their maximum
// number of lanes.
const (
	compactedBits  = 512
	compactedLanes = 16
)

// Compact replaces scatters and gathers whose active lanes access consecutive elements, as their
// index is a uniform number plus the rank of the lane in the mask: a scatter becomes a store
// of the active lanes moved together, a gather a load of as many elements as there are active lanes,
// which Expand distributes. Loops that keep some elements and lanes that append to a list have
// such accesses.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Compact(f *vir.Func, stats edit.Stats) {
	to := map[*vir.Value]*vir.Value{}
	n := 0
	for _, b := range f.Blocks {
		old := b.Values
		b.Values = nil
		for _, v := range old {
			c := compactor{f: f, b: b, v: v}
			if v.Op != vir.Gather && v.Op != vir.Scatter || v.Volatile || v.Scale != v.Accessed().Elem.Size() || !c.ranked(v.Args[1]) {
				b.Values = append(b.Values, v)
				continue
			}
			n++
			if v.Op == vir.Scatter {
				c.store()
			} else {
				to[v] = c.load()
			}
		}
	}
	if n == 0 {
		return
	}
	stats.Add("compacted accesses", n)
	edit.ReplaceAll(f, to)
	f.Renumber()
}

// compactor replaces the access v in block b.
type compactor struct {
	f *vir.Func
	b *vir.Block
	v *vir.Value
}

func (c *compactor) op(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	x := c.b.Append(op, t, args...)
	x.Pos = c.v.Pos
	return x
}

func (c *compactor) mask() *vir.Value { return c.v.Args[vir.InfoOf(c.v.Op).Mask] }

// isRank reports whether x is the rank in the mask, except in inactive lanes.
func (c *compactor) isRank(x *vir.Value) bool { return x.Op == vir.Rank && x.Args[0] == c.mask() }

// ranked reports whether x is the sum of the rank in the mask and uniform values. Numbers of 32 bits
// in an address do not wrap.
func (c *compactor) ranked(x *vir.Value) bool {
	uniform := func(x *vir.Value) bool { return x.Op == vir.Splat || x.Op == vir.Const }
	switch {
	case c.isRank(x):
		return true
	case x.Op == alu.ZExt || x.Op == alu.SExt:
		return x.Args[0].Type.Elem == alu.I32 && c.ranked(x.Args[0])
	case x.Op == alu.Add:
		return uniform(x.Args[1]) && c.ranked(x.Args[0]) || uniform(x.Args[0]) && c.ranked(x.Args[1])
	}
	return false
}

// start returns the number x for a lane whose rank is zero.
func (c *compactor) start(x *vir.Value) *vir.Value {
	one := vir.Scalar(x.Type.Elem)
	switch {
	case c.isRank(x):
		return c.f.Const(one, 0)
	case x.Op == vir.Const:
		return c.f.Const(one, x.Const)
	case x.Op == vir.Splat:
		return x.Args[0]
	case x.Op == alu.Add && c.isRank(x.Args[0]):
		return c.start(x.Args[1])
	case x.Op == alu.Add && c.isRank(x.Args[1]):
		return c.start(x.Args[0])
	case x.Op == alu.Add:
		return c.op(alu.Add, one, c.start(x.Args[0]), c.start(x.Args[1]))
	}
	return c.op(x.Op, one, c.start(x.Args[0]))
}

// each calls access with the address of the first element and the lanes of each part.
func (c *compactor) each(access func(part int, address, mask, prefix *vir.Value)) {
	v, i64 := c.v, vir.Scalar(alu.I64)
	t, m := v.Accessed(), c.mask()
	size := c.f.Const(i64, uint64(t.Elem.Size()))
	at := c.start(v.Args[1])
	if at.Type != i64 {
		at = c.op(alu.SExt, i64, at)
	}
	address := c.op(alu.Add, i64, v.Args[0], c.op(alu.Mul, i64, at, size))
	parts := t.Lanes / c.lanes()
	for k := range parts {
		mask := m
		if parts > 1 {
			mask = c.part(m, k)
		}
		n := c.op(vir.Count, i64, mask)
		access(k, address, mask, c.op(vir.Prefix, mask.Type, n))
		if k+1 < parts {
			address = c.op(alu.Add, i64, address, c.op(alu.Mul, i64, n, size))
		}
	}
}

// lanes returns the number of lanes of a part.
func (c *compactor) lanes() int {
	t := c.v.Accessed()
	return min(t.Lanes, compactedLanes, compactedBits/t.Elem.Bits())
}

func (c *compactor) part(x *vir.Value, k int) *vir.Value {
	t := vir.Type{Elem: x.Type.Elem, Lanes: c.lanes()}
	if x.Type == t {
		return x
	}
	p := c.op(vir.Part, t, x)
	p.Index = k
	return p
}

// access sets the attributes of the contiguous access x.
func (c *compactor) access(x *vir.Value) *vir.Value {
	x.Disp, x.Align = c.v.Disp, c.v.Align
	return x
}

func (c *compactor) store() {
	c.each(func(k int, address, mask, prefix *vir.Value) {
		x := c.part(c.v.Args[2], k)
		c.access(c.op(vir.VStore, vir.Type{}, address, c.op(vir.Compress, x.Type, x, mask), prefix))
	})
}

func (c *compactor) load() *vir.Value {
	var parts []*vir.Value
	c.each(func(k int, address, mask, prefix *vir.Value) {
		t := vir.Vec(c.v.Type.Elem, mask.Type.Lanes)
		x := c.access(c.op(vir.VLoad, t, address, prefix))
		parts = append(parts, c.op(vir.Expand, t, x, mask))
	})
	if len(parts) == 1 {
		return parts[0]
	}
	return c.op(vir.Concat, c.v.Type, parts...)
}
