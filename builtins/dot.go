package builtins

import (
	"fmt"

	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// dotProducts lists the functions of cl_khr_integer_dot_product. In the vector forms the
// operands have 4 components of 8 bits, and their types determine the signedness; in the
// packed forms the name does.
var dotProducts = []Func{
	{Name: "__dot", Special: "dot_product", Operands: 2},
	{Name: "dot_acc_sat", Special: "dot_product", Operands: 3},
	{Name: "dot_4x8packed_uu_uint", Sig: "u(u,u)", Special: "packed_dot_product"},
	{Name: "dot_4x8packed_ss_int", Sig: "i(u,u)", Special: "packed_dot_product", Signed: [2]bool{true, true}},
	{Name: "dot_4x8packed_us_int", Sig: "i(u,u)", Special: "packed_dot_product", Signed: [2]bool{false, true}},
	{Name: "dot_4x8packed_su_int", Sig: "i(u,u)", Special: "packed_dot_product", Signed: [2]bool{true, false}},
	{Name: "dot_acc_sat_4x8packed_uu_uint", Sig: "u(u,u,u)", Special: "packed_dot_product"},
	{Name: "dot_acc_sat_4x8packed_ss_int", Sig: "i(u,u,i)", Special: "packed_dot_product", Signed: [2]bool{true, true}},
	{Name: "dot_acc_sat_4x8packed_us_int", Sig: "i(u,u,i)", Special: "packed_dot_product", Signed: [2]bool{false, true}},
	{Name: "dot_acc_sat_4x8packed_su_int", Sig: "i(u,u,i)", Special: "packed_dot_product", Signed: [2]bool{true, false}},
}

// dotProduct returns the vector form of f with the given signedness of the operands.
func dotProduct(f *Func, signed [2]bool) *Call {
	c := &Call{Func: f, N: 1, Elem: types.UInt}
	for _, s := range signed {
		elem := types.UChar
		if s {
			elem, c.Elem = types.Char, types.Int
		}
		c.Params = append(c.Params, types.VectorOf(elem, 4))
	}
	c.Result = c.Elem
	if f.Operands == 3 {
		c.Params = append(c.Params, c.Elem)
	}
	return c
}

func resolveDotProduct(f *Func, args []types.Type) (*Call, error) {
	if len(args) != f.Operands {
		return nil, fmt.Errorf("it takes %s", diag.Count(f.Operands, "argument"))
	}
	var signed [2]bool
	for i, a := range args[:2] {
		v, ok := a.(*types.Vector)
		if !ok || v.N != 4 || v.Elem != types.Char && v.Elem != types.UChar {
			return nil, fmt.Errorf("argument %d must be char4 or uchar4", i+1)
		}
		signed[i] = v.Elem == types.Char
	}
	return dotProduct(f, signed), nil
}
