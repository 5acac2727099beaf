package memory

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Components computes on vectors in memory order what is computed equally for each of their
// components. Accesses to arrays of short vectors are wide loads with a shuffle for each component, or
// a concatenation of components, a shuffle and a wide store. If the operations in between are the same
// for all components, they are done on the wide vector without shuffles.
//
// A value per lane that all components use is replicated by a shuffle; one such shuffle for a store is
// worth it.
//
// requires: dense IDs, no unreachable blocks
// maintains: the graph; what f computes
func Components(f *vir.Func, stats edit.Stats) {
	var uses [][]analysis.Use
	to := map[*vir.Value]*vir.Value{}
	for _, b := range f.Blocks {
		edit.InsertBefore(b, func(v *vir.Value) []*vir.Value {
			if v.Op != vir.Shuffle || v.Args[0].Op != vir.Concat || len(v.Lanes) != v.Args[0].Type.Lanes {
				return nil
			}
			if uses == nil {
				uses = analysis.UsesOf(f)
			}
			c := &components{f: f, block: b, shuffle: v, uses: uses, refs: map[*vir.Value]int{}}
			x := c.wholeShuffle()
			if x == nil {
				return nil
			}
			to[v] = x
			stats.Add("components merged", 1)
			return c.made
		})
	}
	if len(to) == 0 {
		return
	}
	// The result of one shuffle may be an operand of another.
	for v, x := range to {
		for to[x] != nil {
			x = to[x]
		}
		to[v] = x
	}
	edit.ReplaceAll(f, to)
	f.Renumber()
	edit.Dead(f, stats)
}

// components is one shuffle whose components may be computed together.
type components struct {
	f       *vir.Func
	block   *vir.Block
	shuffle *vir.Value
	uses    [][]analysis.Use
	lanes   int                // of a component
	refs    map[*vir.Value]int // uses of a value by operations that are merged
	done    []merged
	made    []*vir.Value
	moves   int // remaining shuffles
}

// merged is a wide operation with the operations on components that it replaces.
type merged struct {
	parts []*vir.Value
	whole *vir.Value
}

// maxMerged bounds the merged operations.
const maxMerged = 64

// wholeShuffle returns the wide value of the shuffle, or nil.
func (c *components) wholeShuffle() *vir.Value {
	parts := c.shuffle.Args[0].Args
	c.lanes = parts[0].Type.Lanes
	for _, x := range parts {
		if x.Type != parts[0].Type {
			return nil
		}
	}
	if slices.ContainsFunc(c.shuffle.Lanes, func(n int) bool { return n >= c.lanes*len(parts) }) {
		return nil // a lane of the second operand
	}
	c.count(parts)
	c.count(c.shuffle.Args)
	x := c.wideValue(parts)
	if all := c.shuffle.Args[0]; x == nil || c.moves > 1 || len(c.uses[all.ID]) != c.refs[all] {
		return nil
	}
	for _, d := range c.done {
		for _, v := range d.parts {
			if len(c.uses[v.ID]) != c.refs[v] {
				return nil // it has other uses
			}
		}
	}
	return x
}

func (c *components) count(vs []*vir.Value) {
	for _, v := range vs {
		c.refs[v]++
	}
}

// wideValue returns the vector of the components xs in the order of the shuffle.
func (c *components) wideValue(xs []*vir.Value) *vir.Value {
	first := xs[0]
	if i := slices.IndexFunc(c.done, func(d merged) bool { return slices.Equal(d.parts, xs) }); i >= 0 {
		return c.done[i].whole
	}
	t := first.Type
	t.Lanes = len(c.shuffle.Lanes)
	alike := func(f func(x *vir.Value) bool) bool {
		return !slices.ContainsFunc(xs, func(x *vir.Value) bool { return !f(x) })
	}
	switch {
	case alike(func(x *vir.Value) bool { return x.Op == vir.Const && x.Const == first.Const }):
		return c.f.Const(t, first.Const)
	case alike(func(x *vir.Value) bool { return x.Op == vir.Splat && x.Args[0] == first.Args[0] }):
		return c.make(vir.Splat, t, first.Args[0])
	case alike(func(x *vir.Value) bool { return x == first }):
		if t.IsMask() {
			return nil
		}
		c.moves++
		x := c.make(vir.Shuffle, t, first, first)
		for _, from := range c.shuffle.Lanes {
			x.Lanes = append(x.Lanes, from%c.lanes)
		}
		return x
	case alike(func(x *vir.Value) bool { return x.Op == vir.Shuffle && x.Args[0] == first.Args[0] }):
		return c.inPlace(xs, t)
	case alu.InfoOf(first.Op).Class != alu.NotPure && len(c.done) < maxMerged && alike(func(x *vir.Value) bool {
		return x.Op == first.Op && x.Type == first.Type && x.Block == c.block && len(x.Args) == len(first.Args)
	}):
		return c.operation(xs, t)
	}
	return nil
}

// inPlace returns the vector that the components xs were shuffled out of, if the shuffle restores it.
func (c *components) inPlace(xs []*vir.Value, t vir.Type) *vir.Value {
	from := xs[0].Args[0]
	if from.Type != t {
		return nil
	}
	for i, at := range c.shuffle.Lanes {
		if xs[at/c.lanes].Lanes[at%c.lanes] != i {
			return nil
		}
	}
	return from
}

// operation merges the operations xs, one for each component.
func (c *components) operation(xs []*vir.Value, t vir.Type) *vir.Value {
	args := make([]*vir.Value, len(xs[0].Args))
	for k := range args {
		operands := make([]*vir.Value, len(xs))
		for i, x := range xs {
			operands[i] = x.Args[k]
			if operands[i].Type != xs[0].Args[k].Type {
				return nil
			}
		}
		c.count(operands)
		if operands[0].Type.IsScalar() { // a uniform condition
			if slices.ContainsFunc(operands, func(x *vir.Value) bool { return x != operands[0] }) {
				return nil
			}
			args[k] = operands[0]
		} else if args[k] = c.wideValue(operands); args[k] == nil {
			return nil
		}
	}
	x := c.make(xs[0].Op, t, args...)
	c.done = append(c.done, merged{xs, x})
	return x
}

func (c *components) make(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	x := c.block.NewValue(op, t, args...)
	x.Pos, x.Origin = c.shuffle.Pos, c.shuffle.Origin
	c.made = append(c.made, x)
	return x
}
