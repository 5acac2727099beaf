package check

import (
	"slices"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
)

func isTypeAttr(a *ast.Attr) bool {
	return a.Name == "ext_vector_type" || a.Name == "vector_size" || a.Name == "mode"
}

// typeAttrs applies the attributes of GNU C and clang that change the type: vectors with
// a number of components or bytes, and numbers with a machine mode.
func (c *checker) typeAttrs(t qt, attrs []ast.Attr) qt {
	for i := range attrs {
		if a := &attrs[i]; isTypeAttr(a) && t.t != nil {
			t.t = c.typeAttr(t.t, a)
		}
	}
	return t
}

// typeAttr returns t as changed by the attribute a, or nil after an error.
func (c *checker) typeAttr(t types.Type, a *ast.Attr) types.Type {
	s, ok := t.(*types.Scalar)
	if !ok || s.Kind <= types.KindBool {
		c.errorf(a.At, "attribute '%s' needs an integer or floating type, not '%s'", a.Name, t)
		return nil
	}
	if a.Name == "mode" {
		m, known := modes[a.Word]
		if !known || m.float != s.IsFloat() {
			c.errorf(a.At, "mode '%s' of '%s' is not supported", a.Word, t)
			return nil
		}
		switch {
		case m.float:
			return m.kind
		case s.IsSigned():
			return m.kind.Signed()
		}
		return m.kind.Unsigned()
	}
	if len(a.Args) != 1 {
		c.errorf(a.At, "attribute '%s' takes one number", a.Name)
		return nil
	}
	n, ok := c.intConst(a.Args[0], "the size of a vector")
	if !ok {
		return nil
	}
	if a.Name == "vector_size" {
		if n%s.Size() != 0 {
			c.errorf(a.At, "a vector of %d bytes does not hold a whole number of '%s'", n, t)
			return nil
		}
		n /= s.Size()
	}
	if !slices.Contains(types.VectorSizes[:], int(n)) {
		c.errorf(a.At, "there is no vector of %d components of '%s'", n, t)
		return nil
	}
	return types.VectorOf(s, int(n))
}

// modes lists the machine modes that have a corresponding type.
var modes = map[string]struct {
	kind  *types.Scalar
	float bool
}{
	"QI": {types.Char, false}, "byte": {types.Char, false},
	"HI": {types.Short, false},
	"SI": {types.Int, false},
	"DI": {types.Long, false}, "word": {types.Long, false}, "pointer": {types.Long, false}, "unwind_word": {types.Long, false},
	"HF": {types.Half, true}, "SF": {types.Float, true}, "DF": {types.Double, true},
}
