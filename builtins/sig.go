package builtins

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// set is a set of scalar types.
type set uint16

const (
	signed   set = 1<<types.KindChar | 1<<types.KindShort | 1<<types.KindInt | 1<<types.KindLong
	unsigned set = signed << 1
	ints         = signed | unsigned
	floats   set = 1<<types.KindHalf | 1<<types.KindFloat | 1<<types.KindDouble
	all          = ints | floats
	words    set = 1<<types.KindInt | 1<<types.KindUInt
	narrow   set = ints &^ (1<<types.KindLong | 1<<types.KindULong)
	single   set = 1 << types.KindFloat
)

func (s set) has(t *types.Scalar) bool { return s>>t.Kind&1 != 0 }

// resolve selects the overload of f for the argument types, using the letters of
// Func.Sig. T is determined by the arguments: a scalar of Func.Elems or a vector of such.
//
//	T  gentype; scalars beside vectors are converted to vectors
//	t  as a parameter: T, or its scalar where T is a vector
//	S  T's scalar
//	U  unsigned integer of T's width, with T's number of components; I the signed one
//	N  int, with T's number of components; n also allows a single int
//	W  the integer of twice T's width
//	P  pointer to T, any address space; Q pointer to N
//	R  result of a relation: int for scalars, else I
//	i u z v  int, uint, size_t, void
//	b  uint4, the lanes of a ballot
//	2 4  vector of 2 or 4 T, in helpers for one component
//	*  any further arguments
func resolve(f *Func, args []types.Type) (*Call, error) {
	if f.Special != "" {
		if r := specials[f.Special]; r != nil {
			return r(f, args)
		}
	}
	result, params, variadic := f.cut()
	if variadic {
		if len(args) < len(params) {
			return nil, fmt.Errorf("it takes at least %d arguments", len(params))
		}
	} else if len(args) != len(params) {
		return nil, fmt.Errorf("it takes %s", diag.Count(len(params), "argument"))
	}
	c := &Call{Func: f, N: 1, Elem: types.Float}
	if strings.ContainsAny(f.Sig, "TtPSU") {
		if err := c.gentype(params, args); err != nil {
			return nil, err
		}
	}
	c.Params = make([]types.Type, len(params))
	for i, p := range params {
		t, err := c.param(p[0], args[i])
		if err != nil {
			return nil, err
		}
		c.Params[i] = t
	}
	c.Result = c.typeOf(result[0])
	if c.Result == nil {
		return nil, fmt.Errorf("there is no overload for %s", c.vector(c.Elem))
	}
	return c, nil
}

// gentype determines T: the vector type among the arguments, or else the common type of
// the scalars, converted to a type in Func.Elems.
func (c *Call) gentype(params []string, args []types.Type) error {
	var vec *types.Vector
	var common, least *types.Scalar
	same := true
	deciding := "Tt"
	if !slices.Contains(params, "T") {
		deciding = "U" // for nan the width of the unsigned argument determines T
	}
	for i, p := range params {
		if !strings.Contains(deciding, p) {
			continue
		}
		switch a := args[i].(type) {
		case *types.Vector:
			if p == "U" {
				a = types.VectorOf(floatOf(a.Elem), a.N).(*types.Vector)
			}
			if vec != nil && vec != a {
				return fmt.Errorf("the arguments have different vector types")
			}
			vec = a
		default:
			s := types.ScalarType(a)
			if s == nil || s == types.Void {
				return fmt.Errorf("argument %d is not a number", i+1)
			}
			if p == "U" {
				s = floatOf(s)
			}
			if common != nil && s != common {
				same = false
			}
			if common == nil || s.Rank() > common.Rank() {
				common = s
			}
			if least == nil || s.Rank() < least.Rank() {
				least = s
			}
		}
	}
	if vec != nil {
		c.Elem, c.N = vec.Elem, vec.N
		if !c.Func.Elems.has(c.Elem) {
			return fmt.Errorf("it does not work on %s", vec)
		}
		return c.Func.width(c.N)
	}
	if common == nil {
		return fmt.Errorf("it needs an argument")
	}
	if err := c.Func.width(1); err != nil {
		return err
	}
	if common == types.Bool || !same && common.Rank() < types.Int.Rank() {
		common = types.Int
	}
	el := c.Func.Elems
	switch {
	case c.Func.Same && !same:
		return fmt.Errorf("the arguments have different types")
	case el.has(common):
	case common.IsInteger() && el.has(types.Float) && !c.Func.Test:
		common = types.Float
	case el == words && least.Rank() <= types.UInt.Rank():
		// mul24 and similar functions convert wider integers and floats if another
		// argument has a valid type.
		if common.IsFloat() || common.IsSigned() {
			common = types.Int
		} else {
			common = types.UInt
		}
	default:
		return fmt.Errorf("it does not work on %s", common)
	}
	c.Elem = common
	return nil
}

// width returns an error if T must not have n components.
func (f *Func) width(n int) error {
	if f.Widths == nil || slices.Contains(f.Widths, n) {
		return nil
	}
	if f.Widths[0] > 1 {
		return fmt.Errorf("it takes vectors of %d or %d components", f.Widths[0], f.Widths[1])
	}
	return fmt.Errorf("it takes scalars and vectors of up to %d components", f.Widths[len(f.Widths)-1])
}

// floatOf returns the floating type with an integer type's width (for nan).
func floatOf(s *types.Scalar) *types.Scalar {
	switch s.Size() {
	case 2:
		return types.Half
	case 8:
		return types.Double
	}
	return types.Float
}

// vector returns the type with T's number of components of type s.
func (c *Call) vector(s *types.Scalar) types.Type { return types.VectorOf(s, c.N) }

func (c *Call) param(p byte, arg types.Type) (types.Type, error) {
	switch p {
	case 't':
		if c.N > 1 && !types.IsVector(arg) {
			return c.Elem, nil
		}
		return c.vector(c.Elem), nil
	case 'U':
		return c.vector(types.SignedOf(c.Elem.Size()).Unsigned()), nil
	case 'n':
		if c.N > 1 && !types.IsVector(arg) {
			return types.Int, nil
		}
		return c.vector(types.Int), nil
	case 'P', 'Q':
		ptr, ok := arg.(*types.Pointer)
		want := c.vector(c.Elem)
		if p == 'Q' {
			want = c.vector(types.Int)
		}
		if !ok || !types.Identical(ptr.Elem, want) || ptr.Space == types.Constant {
			return nil, fmt.Errorf("the last argument must be a pointer to %s", want)
		}
		return ptr, nil
	}
	t := c.typeOf(p)
	if t == nil {
		return nil, fmt.Errorf("there is no overload for %s", c.vector(c.Elem))
	}
	return t, nil
}

// typeOf returns the type for a letter once T is known.
func (c *Call) typeOf(p byte) types.Type {
	switch p {
	case 'T':
		return c.vector(c.Elem)
	case 'S':
		return c.Elem
	case 'U':
		return c.vector(types.SignedOf(c.Elem.Size()).Unsigned())
	case 'I':
		return c.vector(types.SignedOf(c.Elem.Size()))
	case 'N':
		return c.vector(types.Int)
	case 'W':
		if w := wider(c.Elem); w != nil {
			return c.vector(w)
		}
		return nil
	case 'R':
		if c.N == 1 {
			return types.Int
		}
		return c.vector(types.SignedOf(c.Elem.Size()))
	case '2', '4':
		return types.VectorOf(c.Elem, int(p-'0'))
	case 'i':
		return types.Int
	case 'u':
		return types.UInt
	case 'z':
		return types.SizeT
	case 'b':
		return types.VectorOf(types.UInt, 4)
	case 'v':
		return types.Void
	}
	return nil
}

// wider returns the integer type of twice the width; nil for 64 bits and floats.
func wider(s *types.Scalar) *types.Scalar {
	if !s.IsInteger() || s.Size() > 4 || s == types.Bool {
		return nil
	}
	w := types.SignedOf(2 * s.Size())
	if !s.IsSigned() {
		w = w.Unsigned()
	}
	return w
}
