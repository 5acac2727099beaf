package builtins

import (
	"fmt"

	"github.com/simtc/simtc/clc/types"
)

// spaces gives the address space of the result of the functions that convert generic pointers.
var spaces = map[string]types.Space{"to_global": types.Global, "to_local": types.Local, "to_private": types.Private}

// resolveSpace resolves the functions of the address space of a generic pointer, to any type
// (OpenCL C 2.0 §6.13.9). The result of get_fence is a cl_mem_fence_flags.
func resolveSpace(f *Func, args []types.Type) (*Call, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("it takes 1 argument")
	}
	p, ok := args[0].(*types.Pointer)
	if !ok || p.Space == types.Constant {
		return nil, fmt.Errorf("the argument must be a pointer to memory that is not constant")
	}
	c := &Call{Func: f, N: 1, Elem: types.UChar, Result: types.UInt}
	c.Params = []types.Type{&types.Pointer{Elem: p.Elem, Quals: p.Quals, Space: types.Generic}}
	if space, ok := spaces[f.Name]; ok {
		c.Result = &types.Pointer{Elem: p.Elem, Quals: p.Quals, Space: space}
	}
	return c, nil
}
