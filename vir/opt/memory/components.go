package memory

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Components does with the elements of vectors in memory where they lie what is
// done alike with each of their components. An access to such elements is one
// wide load and a shuffle for each component, or a concatenation of components,
// a shuffle and one wide store. Where nothing in between tells components apart,
// the operations are done on the wide vector, and no lane moves.
//
// What all components of a lane meet alike is spread over them, which is worth
// it once for a store.
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
			x := c.whole()
			if x == nil {
				return nil
			}
			to[v] = x
			stats.Add("components taken together", 1)
			return c.made
		})
	}
	if len(to) == 0 {
		return
	}
	// What one shuffle became may be part of another.
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

// components is one shuffle of components that may be done together.
type components struct {
	f       *vir.Func
	block   *vir.Block
	shuffle *vir.Value
	uses    [][]analysis.Use
	lanes   int                // of a component
	refs    map[*vir.Value]int // how often operations that are done together use a value
	done    []together
	made    []*vir.Value
	moves   int // shuffles that are left
}

// together is an operation on all components, and what it was on each of them.
type together struct {
	parts []*vir.Value
	whole *vir.Value
}

// mostTogether bounds the operations that are done together.
const mostTogether = 64

// whole returns what the shuffle is with its components done together, or nil.
func (c *components) whole() *vir.Value {
	parts := c.shuffle.Args[0].Args
	c.lanes = parts[0].Type.Lanes
	for _, x := range parts {
		if x.Type != parts[0].Type {
			return nil
		}
	}
	if slices.ContainsFunc(c.shuffle.Lanes, func(n int) bool { return n >= c.lanes*len(parts) }) {
		return nil // of the second operand
	}
	c.count(parts)
	c.count(c.shuffle.Args)
	x := c.wide(parts)
	if all := c.shuffle.Args[0]; x == nil || c.moves > 1 || len(c.uses[all.ID]) != c.refs[all] {
		return nil
	}
	for _, d := range c.done {
		for _, v := range d.parts {
			if len(c.uses[v.ID]) != c.refs[v] {
				return nil // it has to be done by itself, too
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

// wide returns the vector that has the components xs as the shuffle places them.
func (c *components) wide(xs []*vir.Value) *vir.Value {
	first := xs[0]
	if i := slices.IndexFunc(c.done, func(d together) bool { return slices.Equal(d.parts, xs) }); i >= 0 {
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
	case alu.InfoOf(first.Op).Class != alu.NotPure && len(c.done) < mostTogether && alike(func(x *vir.Value) bool {
		return x.Op == first.Op && x.Type == first.Type && x.Block == c.block && len(x.Args) == len(first.Args)
	}):
		return c.operation(xs, t)
	}
	return nil
}

// inPlace returns what the components xs were shuffled out of, if that is where
// the shuffle puts them back.
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

// operation does the operations xs, one for each component, as one.
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
		if operands[0].Type.IsScalar() { // a condition for all
			if slices.ContainsFunc(operands, func(x *vir.Value) bool { return x != operands[0] }) {
				return nil
			}
			args[k] = operands[0]
		} else if args[k] = c.wide(operands); args[k] == nil {
			return nil
		}
	}
	x := c.make(xs[0].Op, t, args...)
	c.done = append(c.done, together{xs, x})
	return x
}

func (c *components) make(op vir.Op, t vir.Type, args ...*vir.Value) *vir.Value {
	x := c.block.NewValue(op, t, args...)
	x.Pos, x.Origin = c.shuffle.Pos, c.shuffle.Origin
	c.made = append(c.made, x)
	return x
}
