package plan

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// withArguments returns f with known scalar arguments substituted (Candidate.Args), and with
// operations on constants evaluated. It does not modify f.
func withArguments(f *vir.Func, args map[int]uint64) *vir.Func {
	if len(args) == 0 {
		return f
	}
	f = vir.Clone(f)
	constants := make([]*vir.Value, f.NumValues())
	replace := func(vs []*vir.Value) {
		for i, v := range vs {
			if v.ID < len(constants) && constants[v.ID] != nil {
				vs[i] = constants[v.ID]
			}
		}
	}
	for _, id := range f.Graph().ReversePostOrder() { // definitions precede uses, except those of back edges
		for _, v := range f.Blocks[id].Values {
			replace(v.Args)
			constants[v.ID] = constant(f, v, args)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			replace(v.Args)
		}
		if b.Cond != nil && constants[b.Cond.ID] != nil {
			b.Cond = constants[b.Cond.ID]
		}
		for _, e := range b.Edges {
			replace(e.Args)
		}
	}
	f.Renumber()
	return f
}

// constant returns the constant that v is, or nil.
func constant(f *vir.Func, v *vir.Value, args map[int]uint64) *vir.Value {
	switch {
	case v.Op == vir.Load:
		if x, ok := args[int(v.Disp)]; ok && v.Invariant && v.Type.IsScalar() && v.Type.Elem.IsInt() && vir.IsArguments(v.Args[0]) {
			return f.Const(v.Type, x)
		}
	case v.Op == vir.Splat && v.Args[0].Op == vir.Const:
		return f.Const(v.Type, v.Args[0].Const)
	case v.Op.Pure() && len(v.Args) > 0 && v.Type.IsScalar() && v.Args[0].Type.IsScalar():
		var x [3]uint64
		for i, a := range v.Args {
			if a.Op != vir.Const || !a.Type.Elem.IsInt() && a.Type.Elem != alu.I1 {
				return nil
			}
			x[i] = a.Const
		}
		if v.Type.Elem.IsInt() || v.Type.Elem == alu.I1 {
			return f.Const(v.Type, alu.Eval(v.Op, v.Type.Elem, v.Args[len(v.Args)-1].Type.Elem, x[0], x[1], x[2]))
		}
	}
	return nil
}
