package builtins

import (
	"fmt"

	"github.com/simtc/simtc/clc/types"
)

// resolvePrintf accepts any numbers and pointers after the format (OpenCL C 1.2
// §6.12.13). Lowering checks them against the format.
func resolvePrintf(f *Func, args []types.Type) (*Call, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("it takes a format")
	}
	p, ok := args[0].(*types.Pointer)
	if ok {
		s := types.ScalarType(p.Elem)
		ok = s == types.Char || s == types.UChar
	}
	if !ok {
		return nil, fmt.Errorf("the format must be a string literal")
	}
	for i, a := range args[1:] {
		if _, ok := a.(*types.Pointer); ok {
			continue
		}
		if s := types.ElemScalar(a); s == nil || s == types.Void {
			return nil, fmt.Errorf("argument %d cannot be printed", i+2)
		}
	}
	return &Call{Func: f, N: 1, Elem: types.Int, Params: args[:1], Result: types.Int}, nil
}
