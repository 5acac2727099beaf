package divergence

import (
	"fmt"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// Describe names v for a reader of the source: by its name, or as an expression
// of few operators.
func Describe(v *kernel.Value) string { return expression(v, 2) }

// queries are the work-item functions, as OpenCL C calls them.
var queries = map[kernel.Op]string{
	kernel.GlobalID: "get_global_id", kernel.LocalID: "get_local_id", kernel.GroupID: "get_group_id",
	kernel.GlobalSize: "get_global_size", kernel.LocalSize: "get_local_size", kernel.NumGroups: "get_num_groups",
	kernel.GlobalOffset: "get_global_offset",
}

// symbols are the operators of C that results without a name are shown with.
var symbols = map[kernel.Op]string{
	alu.Add: "+", alu.Sub: "-", alu.Mul: "*", alu.UDiv: "/", alu.SDiv: "/", alu.URem: "%", alu.SRem: "%",
	alu.And: "&", alu.Or: "|", alu.Xor: "^", alu.Shl: "<<", alu.LShr: ">>", alu.AShr: ">>",
	alu.FAdd: "+", alu.FSub: "-", alu.FMul: "*", alu.FDiv: "/",
	alu.Eq: "==", alu.Ne: "!=", alu.Slt: "<", alu.Sle: "<=", alu.Ult: "<", alu.Ule: "<=",
	alu.FEq: "==", alu.FNe: "!=", alu.FLt: "<", alu.FLe: "<=",
}

// expression shows v with up to depth operators one inside the other.
func expression(v *kernel.Value, depth int) string {
	switch f, query := queries[v.Op]; {
	case query:
		return fmt.Sprintf("%s(%d)", f, v.Index)
	case v.Name != "":
		return v.Name
	case v.Op == kernel.Const:
		return constant(v)
	case v.Op == kernel.Param:
		return "the value merged in " + kernel.Label(v.Block)
	case v.Op == kernel.Load:
		p := v.Args[0]
		for p.Op == kernel.PtrAdd && p.Name == "" {
			p = p.Args[0]
		}
		if p.Name != "" && p == v.Args[0] {
			return "*" + p.Name
		} else if p.Name != "" {
			return p.Name + "[…]"
		}
		return "a value in memory"
	case v.Op == kernel.PtrAdd:
		return "the address " + kernel.Ref(v)
	case v.Op == kernel.Component:
		return expression(v.Args[0], depth) + fmt.Sprintf(".s%x", v.Index)
	case depth == 0:
		return "…"
	}
	if v.Op == alu.Add {
		if c := v.Args[1]; c.Op == kernel.Const && c.Type.Signed(c.Const) < 0 && large(c) == "" {
			return bracketed(v.Args[0], depth) + fmt.Sprintf(" - %d", -c.Type.Signed(c.Const))
		}
	}
	if s, ok := symbols[v.Op]; ok {
		return bracketed(v.Args[0], depth) + " " + s + " " + bracketed(v.Args[1], depth)
	}
	in := alu.InfoOf(v.Op)
	if in.Class == alu.Convert {
		return expression(v.Args[0], depth) // the same to a reader
	}
	s := in.Name + "("
	for i, x := range v.Args {
		if i > 0 {
			s += ", "
		}
		s += expression(x, depth-1)
	}
	return s + ")"
}

// constant shows c as it may stand in the source: the IR has no unsigned numbers.
func constant(c *kernel.Value) string {
	if s := large(c); s != "" {
		return s
	}
	return kernel.Ref(c)
}

// large shows an integer that is rather a large unsigned number or a pattern of bits than a
// negative number, "" for others.
func large(c *kernel.Value) string {
	if !c.Type.IsInt() || c.Type.Signed(c.Const) >= -1<<16 {
		return ""
	}
	return fmt.Sprintf("%#x", c.Const&c.Type.Mask())
}

// bracketed is an expression in brackets where it has operators.
func bracketed(v *kernel.Value, depth int) string {
	for v.Name == "" && alu.InfoOf(v.Op).Class == alu.Convert {
		v = v.Args[0]
	}
	s := expression(v, depth-1)
	if _, ok := symbols[v.Op]; ok && v.Name == "" && s != "…" {
		return "(" + s + ")"
	}
	return s
}
