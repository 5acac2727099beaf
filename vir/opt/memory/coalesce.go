package memory

import (
	"cmp"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Coalesce combines gathers of adjacent elements into one gather of wider elements, and scatters
// likewise: four bytes become a 32-bit element, two 32-bit elements one of 64 bits. A gather's
// cost is proportional to its lanes; splitting the elements is cheap, and reassembling bytes is
// simplified away. The wide access faults exactly where one of the narrow ones would.
//
// Gathers are combined if they have the same base, index and mask, and no write in between may
// alias them. Scatters are combined if no access in between may alias them and the wide elements
// of different lanes do not partially overlap, so that the order of the stores does not matter.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Coalesce(f *vir.Func, stats edit.Stats) {
	for coalesce(f, stats) { // bytes to words, words to pairs
	}
}

// coalesce combines accesses once; it reports whether it found any.
func coalesce(f *vir.Func, stats edit.Stats) bool {
	c := newCoalescer(f, stats)
	c.done = c.findPairs
	to := map[*vir.Value]*vir.Value{}
	return c.all(func(b *vir.Block, out, members []*vir.Value) []*vir.Value { return c.join(b, out, members, to) }, to)
}

func newCoalescer(f *vir.Func, stats edit.Stats) *coalescer {
	return &coalescer{f: f, stats: stats, in: analysis.NewObjects(f), first: map[*vir.Value][]*vir.Value{}, last: map[*vir.Value][]*vir.Value{}}
}

// all finds runs in all blocks. join appends the replacement of a run to a block, and adds the
// values of gathers to the map to. all reports whether there were runs.
func (c *coalescer) all(join func(b *vir.Block, out, members []*vir.Value) []*vir.Value, to map[*vir.Value]*vir.Value) bool {
	for _, b := range c.f.Blocks {
		c.block(b)
	}
	if len(c.first)+len(c.last) == 0 {
		return false
	}
	for _, b := range c.f.Blocks {
		kept := make([]*vir.Value, 0, len(b.Values))
		for _, v := range b.Values {
			for _, members := range [][]*vir.Value{c.first[v], c.last[v]} {
				if members != nil {
					kept = join(b, kept, members)
				}
			}
			if !c.gone(v) {
				kept = append(kept, v)
			}
		}
		b.Values = kept
	}
	edit.ReplaceAll(c.f, to)
	c.f.Renumber()
	return true
}

// coalescer finds accesses to combine: groups, and in them the runs that become one access.
type coalescer struct {
	f     *vir.Func
	stats edit.Stats
	open  []*group
	done  func(*group) // finds the runs of a complete group
	in    *analysis.Objects
	// Runs by the member at whose position the wide access goes: the first gather, the last
	// scatter. Members are sorted by displacement.
	first, last map[*vir.Value][]*vir.Value
	removed     []bool // by value ID
}

// group is a set of accesses that differ only in the displacement.
type group struct {
	op                vir.Op
	base, index, mask *vir.Value
	scale, size       int
	in                analysis.Object
	members           []*vir.Value
	passed            []*vir.Value // scatters to other fields that its gathers move past
}

func (c *coalescer) gone(v *vir.Value) bool { return v.ID < len(c.removed) && c.removed[v.ID] }

func (c *coalescer) block(b *vir.Block) {
	if c.removed == nil {
		c.removed = make([]bool, c.f.NumValues())
	}
	for _, v := range b.Values {
		effect := vir.InfoOf(v.Op).Effect
		if effect == vir.Pure || v.Op == vir.Load && v.Invariant && !v.Volatile {
			continue
		}
		joins := (v.Op == vir.Gather || v.Op == vir.Scatter) && !v.Volatile
		writes := effect == vir.Writes || v.Volatile
		at := c.in.Accessed(v)
		c.close(func(g *group) bool {
			switch {
			case !writes && g.op == vir.Gather, joins && g.accepts(v), g.in.Distinct(at):
				return false
			case g.op == vir.Gather && v.Op == vir.Scatter && g.sameStructs(v):
				g.passed = append(g.passed, v) // later members must not move past an aliasing one
				return false
			}
			return !g.sameStructs(v) || !g.disjointFrom(v, g.members)
		})
		if joins {
			c.add(v)
		}
	}
	c.close(func(*group) bool { return true })
}

// accepts reports whether v can be a member.
func (g *group) accepts(v *vir.Value) bool {
	return g.op == v.Op && g.base == v.Args[0] && g.index == v.Args[1] && g.mask == v.Args[len(v.Args)-1] &&
		g.scale == v.Scale && g.size == v.Accessed().Elem.Size() && (len(g.passed) == 0 || g.disjointFrom(v, g.passed))
}

// sameStructs reports whether v accesses fields of the same structs as the group: the same base and
// index, with a constant stride between lanes.
func (g *group) sameStructs(v *vir.Value) bool {
	if v.Op != vir.Gather && v.Op != vir.Scatter || v.Volatile || v.Args[0] != g.base || v.Args[1] != g.index || v.Scale != g.scale {
		return false
	}
	stride, ok := g.index.Steps()
	return ok && stride != 0
}

// disjointFrom reports whether v, which accesses fields, accesses other fields than all of some, in any
// lanes.
func (g *group) disjointFrom(v *vir.Value, some []*vir.Value) bool {
	stride, _ := g.index.Steps()
	period := max(stride, -stride) * int64(g.scale)
	size := int64(v.Accessed().Elem.Size())
	return !slices.ContainsFunc(some, func(m *vir.Value) bool {
		ahead := ((v.Disp-m.Disp)%period + period) % period
		return ahead < int64(m.Accessed().Elem.Size()) || ahead+size > period
	})
}

// maxOpen bounds the groups that an access is compared with.
const maxOpen = 16

func (c *coalescer) add(v *vir.Value) {
	for _, g := range c.open {
		if g.accepts(v) {
			g.members = append(g.members, v)
			return
		}
	}
	if len(c.open) == maxOpen {
		c.done(c.open[0])
		c.open = slices.Delete(c.open, 0, 1)
	}
	g := &group{
		op: v.Op, base: v.Args[0], index: v.Args[1], mask: v.Args[len(v.Args)-1],
		scale: v.Scale, size: v.Accessed().Elem.Size(), in: c.in.Accessed(v), members: []*vir.Value{v},
	}
	for _, x := range c.open {
		if v.Op == vir.Gather && x.op == vir.Scatter && x.sameStructs(v) {
			g.passed = append(g.passed, x.members...) // these may move down past v
		}
	}
	c.open = append(c.open, g)
}

// close finishes the open groups for which done is true.
func (c *coalescer) close(done func(*group) bool) {
	kept := c.open[:0]
	for _, g := range c.open {
		if done(g) {
			c.done(g)
		} else {
			kept = append(kept, g)
		}
	}
	c.open = kept
}

// sorted returns the members by displacement, and one member for each displacement.
func (g *group) sorted() (all, once []*vir.Value) {
	all = slices.Clone(g.members)
	slices.SortStableFunc(all, func(a, b *vir.Value) int { return cmp.Compare(a.Disp, b.Disp) })
	once = slices.CompactFunc(slices.Clone(all), func(a, b *vir.Value) bool { return a.Disp == b.Disp })
	return all, once
}

// findPairs finds the runs of a group that combine to wider elements.
func (c *coalescer) findPairs(g *group) {
	if len(g.members) < 2 || g.size == 8 {
		return
	}
	all, order := g.sorted()
	if len(order) < len(all) && g.op == vir.Scatter {
		return // an element is overwritten
	}
	for i := 0; i < len(order); {
		n := 1
		for _, k := range []int{4, 2} {
			wide := k * g.size
			if wide > 8 || wide == 8 && k == 4 || i+k > len(order) || order[i+k-1].Disp-order[i].Disp != int64((k-1)*g.size) {
				continue
			}
			if g.op == vir.Scatter && !withoutPartialOverlap(order[i], wide) {
				continue
			}
			n = k
			break
		}
		if n > 1 {
			c.replaceRun(g, order[i:i+n], "coalesced")
		}
		i += n
	}
}

// withoutPartialOverlap reports whether elements of the given size at the addresses of any two lanes
// of v are the same or disjoint.
func withoutPartialOverlap(v *vir.Value, bytes int) bool {
	if v.Align >= bytes {
		return true
	}
	stride, ok := v.Args[1].Steps()
	stride *= int64(v.Scale)
	return ok && (stride >= int64(bytes) || stride <= -int64(bytes))
}

// replaceRun requests one access in place of members.
func (c *coalescer) replaceRun(g *group, members []*vir.Value, counter string) {
	at := members[0]
	for _, v := range members[1:] {
		if earlier := v.ID < at.ID; earlier == (g.op == vir.Gather) {
			at = v
		}
	}
	if g.op == vir.Gather {
		c.first[at] = members
	} else {
		c.last[at] = members
	}
	for _, v := range members {
		c.removed[v.ID] = true
	}
	c.stats.Add(counter, len(members))
}

// join appends the wide access that replaces members to out.
func (c *coalescer) join(b *vir.Block, out, members []*vir.Value, to map[*vir.Value]*vir.Value) []*vir.Value {
	low := members[0]
	lanes := low.Accessed().Lanes
	small := alu.IntOf(low.Accessed().Elem.Bits())
	wide := vir.Vec(alu.IntOf(small.Bits()*len(members)), lanes)
	of := low
	op := func(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
		v := b.NewValue(op, t, args...)
		v.Pos, v.Origin = of.Pos, of.Origin
		out = append(out, v)
		return v
	}
	attributes := func(v *vir.Value) {
		v.Disp, v.Scale, v.Align = low.Disp, low.Scale, low.Align
	}
	if low.Op == vir.Gather {
		w := op(vir.Gather, wide, slices.Clone(low.Args)...)
		attributes(w)
		for i, v := range members {
			of = v
			x := w
			if i > 0 {
				x = op(alu.LShr, wide, x, c.f.Const(wide, uint64(i*small.Bits())))
			}
			x = op(alu.Trunc, wide.With(small), x)
			if v.Type.Elem != small {
				x = op(alu.Bitcast, v.Type, x)
			}
			if x.Name == "" {
				x.Name = v.Name
			}
			to[v] = x
		}
		return out
	}
	var sum *vir.Value
	for i, v := range members {
		x := v.Args[2]
		if x.Type.Elem != small {
			x = op(alu.Bitcast, x.Type.With(small), x)
		}
		x = op(alu.ZExt, wide, x)
		if i == 0 {
			sum = x
			continue
		}
		x = op(alu.Shl, wide, x, c.f.Const(wide, uint64(i*small.Bits())))
		sum = op(alu.Or, wide, sum, x)
	}
	args := slices.Clone(low.Args)
	args[2] = sum
	w := op(vir.Scatter, vir.Type{}, args...)
	attributes(w)
	return out
}
