package kernel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/alu"
)

// Describe names v for a reader of the source: by its name, or as an expression of few operators.
func Describe(v *Value) string { return expression(v, 2) }

// Replaced describes v before a pass replaces it by operations on x. It is text, since later passes
// may change the values.
func Replaced(v, x *Value) *Replacement {
	if v.Replaced() {
		return v.Was
	}
	return &Replacement{Text: Describe(v), Operand: Describe(x)}
}

// Replacement is a source expression that was replaced by other operations, or whose variables
// differ from the names of the values.
type Replacement struct {
	Text    string
	Operand string // the common operand of the replacing operations; "" if the operation is that of the source
}

// Replaced reports whether v replaces another operation.
func (v *Value) Replaced() bool { return v.Was != nil && v.Was.Operand != "" }

// KeepNames records v's expression with the current names of its operands, if name returns other
// names for some of them; it returns "" for unknown values. A value may be that of several
// variables.
func (v *Value) KeepNames(name func(*Value) string) {
	if v.Type == alu.Void || v.Op == PtrAdd {
		return
	}
	other := func(a *Value) bool { n := name(a); return n != "" && n != a.Name && a.Op != Const }
	converted := func(a *Value) bool {
		return a.Name == "" && a.Was != nil && !a.Replaced() && alu.InfoOf(a.Op).Class == alu.Convert
	}
	if !slices.ContainsFunc(v.Args, func(a *Value) bool { return other(a) || converted(a) }) {
		return
	}
	own := make([]string, len(v.Args))
	for i, a := range v.Args {
		own[i] = a.Name
		if other(a) {
			a.Name = name(a)
		}
	}
	v.Was = &Replacement{Text: Describe(v)}
	for i, a := range slices.Backward(v.Args) {
		a.Name = own[i]
	}
}

func (r *Replacement) hasOperators() bool { return strings.Contains(r.Text, " ") }

// queries are the work-item functions, by their names in OpenCL C.
var queries = map[Op]string{
	GlobalID: "get_global_id", LocalID: "get_local_id", GroupID: "get_group_id",
	GlobalSize: "get_global_size", LocalSize: "get_local_size", NumGroups: "get_num_groups",
	GlobalOffset: "get_global_offset",
}

// places are the work-item functions without a dimension.
var places = map[Op]string{WorkDim: "get_work_dim()", Lane: "get_sub_group_local_id()", Lanes: "get_max_sub_group_size()", SpanRows: "sub-groups span rows", FewLanes: "few lanes are left"}

// symbols are the C operators used to print unnamed results.
var symbols = map[Op]string{
	alu.Add: "+", alu.Sub: "-", alu.Mul: "*", alu.UDiv: "/", alu.SDiv: "/", alu.URem: "%", alu.SRem: "%",
	alu.And: "&", alu.Or: "|", alu.Xor: "^", alu.Shl: "<<", alu.LShr: ">>", alu.AShr: ">>",
	alu.FAdd: "+", alu.FSub: "-", alu.FMul: "*", alu.FDiv: "/",
	alu.Eq: "==", alu.Ne: "!=", alu.Slt: "<", alu.Sle: "<=", alu.Ult: "<", alu.Ule: "<=",
	alu.FEq: "==", alu.FNe: "!=", alu.FLt: "<", alu.FLe: "<=",
}

// functions are the OpenCL C names of operations that are named differently in the IR.
var functions = map[Op]string{
	alu.SMin: "min", alu.UMin: "min", alu.SMax: "max", alu.UMax: "max", alu.SMulHi: "mul_hi", alu.UMulHi: "mul_hi",
	alu.UAddSat: "add_sat", alu.SAddSat: "add_sat", alu.USubSat: "sub_sat", alu.SSubSat: "sub_sat",
	alu.Rotl: "rotate", alu.FSqrt: "sqrt", alu.FFloor: "floor", alu.FCeil: "ceil", alu.FTrunc: "trunc", alu.FRint: "rint",
	InLocal: "to_local", InPrivate: "to_private",
	Ballot: "sub_group_ballot", Shuffle: "sub_group_shuffle", AllLanes: "sub_group_all", ActiveLane: "sub_group_broadcast_first", FirstLane: "sub_group_broadcast_first",
}

// VariableAt names the program's variable, or its member, at address p; "" if unknown.
func VariableAt(p *Value) string {
	at := 0
	for p.Op == PtrAdd {
		if p.Args[1].Op != Const {
			return ""
		}
		at += int(int64(p.Args[1].Const))
		p = p.Args[0]
	}
	if m := p.member(at); m != nil && p.Op == Argument {
		return m.Name
	}
	return ""
}

// expression formats v with up to depth nested operators.
func expression(v *Value, depth int) string {
	switch f, query := queries[v.Op]; {
	case query:
		d := v.Index
		if v.Block != nil && v.Block.Func != nil {
			d = v.Block.Func.SourceDimension(d)
		}
		return fmt.Sprintf("%s(%d)", f, d)
	case v.Name != "": // passes that vectorize iterations name such values
		return v.Name
	case places[v.Op] != "":
		return places[v.Op]
	case v.Replaced(), v.Was != nil && (depth > 0 || !v.Was.hasOperators()):
		return v.Was.Text
	case v.Op == Const:
		return constant(v)
	case v.Op == Param:
		return "the value merged in " + Label(v.Block)
	case v.Op == Load:
		p, at, plain := v.Args[0], 0, v.Count == 1
		for p.Op == PtrAdd && p.Name == "" {
			at += int(int64(p.Args[1].Const))
			plain = plain && p.Args[1].Op == Const
			p = p.Args[0]
		}
		if m := p.member(at); plain && m != nil && (p.Name != "" || p.Op == Argument) {
			if m.Element {
				return p.Name + m.Name + "[…]"
			}
			return p.Name + m.Name
		}
		if p.Name != "" && p == v.Args[0] {
			return "*" + p.Name
		} else if p.Name != "" {
			return p.Name + "[…]"
		}
		return "a value in memory"
	case v.Op == PtrAdd:
		return "the address " + Ref(v)
	case v.Op == Component:
		return expression(v.Args[0], depth) + fmt.Sprintf(".s%x", v.Index)
	case depth == 0:
		return "…"
	}
	if v.Op == alu.Add {
		if c := v.Args[1]; c.Op == Const && c.Type.Signed(c.Const) < 0 && large(c) == "" {
			return bracketed(v.Args[0], depth) + fmt.Sprintf(" - %d", -c.Type.Signed(c.Const))
		}
	}
	if s, ok := symbols[v.Op]; ok {
		return bracketed(v.Args[0], depth) + " " + s + " " + bracketed(v.Args[1], depth)
	}
	if v.Op == alu.Select {
		return expression(v.Args[0], depth-1) + " ? " + bracketed(v.Args[1], depth) + " : " + bracketed(v.Args[2], depth)
	}
	in, name := alu.InfoOf(v.Op), InfoOf(v.Op).Name
	if in.Class == alu.Convert {
		return expression(v.Args[0], depth) // equal in the source
	}
	if f, ok := functions[v.Op]; ok {
		name = f
	}
	s := name + "("
	for i, x := range v.Args {
		if i > 0 {
			s += ", "
		}
		s += expression(x, depth-1)
	}
	return s + ")"
}

// constant formats c as in the source: the IR has no unsigned numbers.
func constant(c *Value) string {
	if s := large(c); s != "" {
		return s
	}
	return Ref(c)
}

// large formats an integer that is more likely a large unsigned number or a bit pattern than a
// negative number; "" for other integers.
func large(c *Value) string {
	if !c.Type.IsInt() || c.Type.Signed(c.Const) >= -1<<16 {
		return ""
	}
	return fmt.Sprintf("%#x", c.Const&c.Type.Mask())
}

// bracketed is an expression, in brackets if it has operators.
func bracketed(v *Value, depth int) string {
	for v.Name == "" && v.Was == nil && alu.InfoOf(v.Op).Class == alu.Convert {
		v = v.Args[0]
	}
	s := expression(v, depth-1)
	operators := v.Op == alu.Select || symbols[v.Op] != ""
	if v.Was != nil {
		operators = v.Was.hasOperators()
	}
	if operators && v.Name == "" && s != "…" {
		return "(" + s + ")"
	}
	return s
}
