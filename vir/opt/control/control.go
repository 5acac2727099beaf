package control

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/analysis"
	"github.com/simtc/simtc/vir/opt/edit"
)

// Control decides branches on constants, skips blocks that only jump, and merges a block with
// its only successor if that has no other predecessor.
//
// requires: dense IDs, no unreachable blocks
// maintains: what f computes; a reducible graph stays so
func Control(f *vir.Func, stats edit.Stats) {
	for _, b := range f.Blocks {
		decide(b, stats)
	}
	vir.RemoveUnreachable(f)
	f.Renumber()
	skipEmpty(f, stats)
	for _, b := range f.Blocks {
		decide(b, stats)
	}
	vir.RemoveUnreachable(f)
	f.Renumber()
	join(f, stats)
	vir.RemoveUnreachable(f)
	f.Renumber()
}

// decide replaces a branch whose condition or targets leave one choice by a jump.
func decide(b *vir.Block, stats edit.Stats) {
	if b.Kind != vir.Branch {
		return
	}
	for x := analysis.Negation(b.Cond); x != nil; x = analysis.Negation(b.Cond) {
		b.Cond = x
		b.Edges[0], b.Edges[1] = b.Edges[1], b.Edges[0]
		stats.Add("inverted branches", 1)
	}
	taken := -1
	switch {
	case b.Cond.Op == vir.Const && b.Cond.Const != 0:
		taken = 0
	case b.Cond.Op == vir.Const:
		taken = 1
	case b.Edges[0].To == b.Edges[1].To && slices.Equal(b.Edges[0].Args, b.Edges[1].Args):
		taken = 0
	default:
		return
	}
	e := b.Edges[taken]
	b.Jump(e.To, e.Args...)
	stats.Add("decided branches", 1)
}

// skipEmpty redirects edges to a block that contains only a jump to the target of the jump.
// The block's parameters must have no other use.
func skipEmpty(f *vir.Func, stats edit.Stats) {
	outside := usedOutside(f)
	for k := len(f.Blocks) - 1; k >= 0; k-- { // later ones first: chains are short then
		b := f.Blocks[k]
		for i := range b.Edges {
			e := &b.Edges[i]
			for range len(f.Blocks) { // bounds a walk around an endless loop of empty blocks
				t := e.To
				if len(t.Values) > 0 || t.Kind != vir.Jump || t.Edges[0].To == t || t.ID == 0 || outside[t.ID] {
					break
				}
				args := substituted(t.Edges[0].Args, t, e.Args)
				to := t.Edges[0].To
				if b.Kind == vir.Branch {
					o := b.Edges[1-i]
					if o.To == to && !slices.Equal(o.Args, args) {
						break // a branch must not have two edges to one block with different arguments
					}
				}
				e.To, e.Args = to, args
				stats.Add("skipped blocks", 1)
			}
		}
	}
}

// usedOutside reports, by block ID, whether a parameter of the block is used anywhere but in
// its own terminator.
func usedOutside(f *vir.Func) []bool {
	out := make([]bool, len(f.Blocks))
	use := func(b *vir.Block, v *vir.Value) {
		if v != nil && v.Op == vir.Param && v.Block != b {
			out[v.Block.ID] = true
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				use(b, a)
				if a.Op == vir.Param {
					out[a.Block.ID] = true
				}
			}
		}
		use(b, b.Cond)
		for _, e := range b.Edges {
			for _, a := range e.Args {
				use(b, a)
			}
		}
	}
	return out
}

// substituted returns vs with the parameters of t replaced by args.
func substituted(vs []*vir.Value, t *vir.Block, args []*vir.Value) []*vir.Value {
	out := make([]*vir.Value, len(vs))
	for i, v := range vs {
		if v.Op == vir.Param && v.Block == t {
			v = args[v.Index]
		}
		out[i] = v
	}
	return out
}

// join appends blocks with one incoming edge to their predecessor.
func join(f *vir.Func, stats edit.Stats) {
	in := analysis.InEdges(f)
	to := make([]*vir.Value, f.NumValues())
	find := func(v *vir.Value) *vir.Value {
		for to[v.ID] != nil {
			v = to[v.ID]
		}
		return v
	}
	joined := false
	for _, b := range f.Blocks {
		for b.Kind == vir.Jump {
			t := b.Edges[0].To
			if t == b || len(in[t.ID]) != 1 || t.ID == 0 || t.Func == nil {
				break
			}
			for i, p := range t.Params {
				to[p.ID] = b.Edges[0].Args[i]
				if a := find(to[p.ID]); a.Name == "" && a.Op != vir.Const {
					a.Name = p.Name
				}
			}
			for _, v := range t.Values {
				v.Block = b
			}
			if b.Name == "" {
				b.Name = t.Name
			}
			b.Values = append(b.Values, t.Values...)
			b.Kind, b.Cond, b.Edges, b.Pos = t.Kind, t.Cond, t.Edges, t.Pos
			// The emptied block is unreachable; it must not join anything.
			t.Params, t.Values = nil, nil
			t.Return()
			joined = true
			stats.Add("joined blocks", 1)
		}
	}
	if !joined {
		return
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for i, a := range v.Args {
				v.Args[i] = find(a)
			}
		}
		if b.Cond != nil {
			b.Cond = find(b.Cond)
		}
		for _, e := range b.Edges {
			for i, a := range e.Args {
				e.Args[i] = find(a)
			}
		}
	}
}

// evaluate evaluates v with operands replaced by env; it returns nil if the result is not
// constant.
func evaluate(f *vir.Func, v *vir.Value, env map[*vir.Value]*vir.Value) *vir.Value {
	get := func(a *vir.Value) *vir.Value {
		if x := env[a]; x != nil {
			return x
		}
		return a
	}
	x := [3]*vir.Value{}
	for i, a := range v.Args {
		if i == 3 {
			return nil
		}
		x[i] = get(a)
	}
	switch {
	case (v.Op == alu.And) && (analysis.IsZero(x[0]) || analysis.IsZero(x[1])):
		return f.Const(v.Type, 0)
	case (v.Op == alu.Or) && (analysis.IsOnes(x[0]) || analysis.IsOnes(x[1])):
		return f.Const(v.Type, ^uint64(0))
	case v.Op == vir.Any || v.Op == vir.All || v.Op == vir.Splat:
		if x[0].Op == vir.Const {
			return f.Const(v.Type, x[0].Const)
		}
	case v.Op.Pure():
		var bits [3]uint64
		for i := range v.Args {
			if x[i].Op != vir.Const {
				return nil
			}
			bits[i] = x[i].Const
		}
		arg := v.Args[len(v.Args)-1].Type.Elem
		return f.Const(v.Type, alu.Eval(v.Op, v.Type.Elem, arg, bits[0], bits[1], bits[2]))
	}
	return nil
}
