package lower

import (
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/kernel"
)

// imageCall inlines a function on an image.
func imageCall(l *lowerer, c *builtins.Call, e *ast.Call, args []arg) []*kernel.Value {
	fn, err := builtins.ImageBody(c)
	if err != nil {
		l.errorf(e.At, "built-in function '%s': %v", e.Name, err)
		t, n := regType(c.Result)
		out := make([]*kernel.Value, n)
		for i := range out {
			out[i] = l.konst(t, 0)
		}
		return out
	}
	for i, a := range args {
		args[i].val = append([]*kernel.Value(nil), a.val...) // inlineBody widens them in place
	}
	return l.narrow(c, l.inlineBody(fn, args))
}
