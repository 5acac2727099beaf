package induction

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt/edit"
)

// extend returns the extension of x, computed at the end of b if it has none.
func (n *induction) extend(b *vir.Block, x *vir.Value) *vir.Value {
	t := vir.Scalar(alu.I64)
	if x.Op == vir.Const {
		return n.f.Const(t, uint64(x.Signed()))
	}
	if y := n.wide[x]; y != nil {
		return y
	}
	v := b.Append(alu.SExt, t, x)
	v.Pos = x.Pos
	return v
}

// widen adds 64-bit counterparts of parameters and their steps. Users of the old values are
// given truncations, which are free.
func (n *induction) widen(members []*vir.Value, starts []entry) {
	t, low := vir.Scalar(alu.I64), vir.Scalar(alu.I32)
	for _, v := range members {
		b := v.Block
		var wide *vir.Value
		if v.Op == vir.Param {
			wide = b.NewParam(t, v.Name)
		} else {
			wide = b.NewValue(alu.Add, t, nil, nil)
			wide.Pos, wide.Name = v.Pos, v.Name
		}
		narrow := b.NewValue(alu.Trunc, low, wide)
		n.wide[v], n.narrow[v] = wide, narrow
		if slices.ContainsFunc(starts, entry.far) {
			n.starts[wide] = starts
		}
		if v.Op == vir.Param {
			b.Values = append([]*vir.Value{narrow}, b.Values...)
		} else {
			b.Values = insertAfter(b.Values, v, wide, narrow)
		}
	}
	for _, v := range members {
		if v.Op == vir.Param {
			for _, e := range n.in[v.Block.ID] {
				e.Edge().Args = append(e.Edge().Args, n.extend(e.From, e.Edge().Args[v.Index]))
			}
			continue
		}
		b, wide := v.Block, n.wide[v]
		for i, y := range v.Args {
			switch {
			case n.wide[y] != nil:
				wide.Args[i] = n.wide[y]
			case y.Op == vir.Const:
				wide.Args[i] = n.f.Const(t, uint64(y.Signed()))
			default:
				s := b.NewValue(alu.SExt, t, y)
				s.Pos = y.Pos
				b.Values = slices.Insert(b.Values, slices.Index(b.Values, wide), s)
				wide.Args[i] = s
			}
		}
	}
}

func insertAfter(vs []*vir.Value, x *vir.Value, more ...*vir.Value) []*vir.Value {
	out := make([]*vir.Value, 0, len(vs)+len(more))
	for _, v := range vs {
		out = append(out, v)
		if v == x {
			out = append(out, more...)
		}
	}
	return out
}

// rewrite replaces extensions by the wide counters, and other uses by their truncations.
func (n *induction) rewrite() {
	to := map[*vir.Value]*vir.Value{}
	for _, b := range n.f.Blocks {
		for _, v := range b.Values {
			if v.Op == alu.SExt && v.Type.Elem == alu.I64 && n.wide[v.Args[0]] != nil {
				to[v] = n.wide[v.Args[0]]
			}
		}
	}
	for v, q := range n.reduced {
		to[v] = q
	}
	for x, v := range n.narrow {
		to[x] = v
		n.wide[v] = n.wide[x]
	}
	edit.ReplaceAll(n.f, to)
}
