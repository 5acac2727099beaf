package types

import (
	"strconv"
	"strings"
)

// Identical reports whether a and b are the same type.
func Identical(a, b Type) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *Pointer:
		b, ok := b.(*Pointer)
		return ok && a.Space == b.Space && a.Quals == b.Quals && Identical(a.Elem, b.Elem)
	case *Array:
		b, ok := b.(*Array)
		return ok && a.Len == b.Len && Identical(a.Elem, b.Elem)
	case *Opaque:
		b, ok := b.(*Opaque)
		return ok && a.Name == b.Name && a.Access == b.Access
	case *Func:
		b, ok := b.(*Func)
		if !ok || a.Variadic != b.Variadic || len(a.Params) != len(b.Params) || !Identical(a.Result, b.Result) {
			return false
		}
		for i := range a.Params {
			if !Identical(a.Params[i], b.Params[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// ScalarType returns t as a scalar (an enum as its underlying type), or nil.
func ScalarType(t Type) *Scalar {
	switch t := t.(type) {
	case *Scalar:
		return t
	case *Enum:
		return t.Under
	}
	return nil
}

// ElemScalar returns the component type of a vector, a scalar itself, the underlying type
// of an enum, or nil.
func ElemScalar(t Type) *Scalar {
	if v, ok := t.(*Vector); ok {
		return v.Elem
	}
	return ScalarType(t)
}

// NumElems returns the number of components of a vector; 1 for other types.
func NumElems(t Type) int {
	if v, ok := t.(*Vector); ok {
		return v.N
	}
	return 1
}

// IsVoid reports whether t is void.
func IsVoid(t Type) bool { return t == Void }

// IsArithmetic reports whether t is a scalar arithmetic type or an enum.
func IsArithmetic(t Type) bool {
	s := ScalarType(t)
	return s != nil && s.Kind != KindVoid
}

// IsInteger reports whether t is bool, an integer or an enum (no vector).
func IsInteger(t Type) bool {
	s := ScalarType(t)
	return s != nil && s.IsInteger()
}

// IsFloating reports whether t is half, float or double (no vector).
func IsFloating(t Type) bool {
	s := ScalarType(t)
	return s != nil && s.IsFloat()
}

// IsPointer reports whether t is a pointer.
func IsPointer(t Type) bool { _, ok := t.(*Pointer); return ok }

// IsVector reports whether t is a vector.
func IsVector(t Type) bool { _, ok := t.(*Vector); return ok }

// IsComplete reports whether objects of type t can exist.
func IsComplete(t Type) bool {
	switch t := t.(type) {
	case *Scalar:
		return t.Kind != KindVoid
	case *Record:
		return t.Complete
	case *Enum:
		return t.Complete
	case *Array:
		return t.Len >= 0 && IsComplete(t.Elem)
	case *Func:
		return false
	}
	return true
}

// BoolResult returns the type of a comparison of values of type t: int for scalars; for
// vectors, the vector of signed integers with components of the same size.
func BoolResult(t Type) Type {
	if v, ok := t.(*Vector); ok {
		return VectorOf(SignedOf(v.Elem.Size()), v.N)
	}
	return Int
}

// Declare formats the declaration of name with type t and qualifiers q: Declare("p",
// float4*, 0) is "float4 *p".
func Declare(name string, t Type, q Quals) string {
	switch t.(type) {
	case *Pointer:
		return declare(t, q.String()+name)
	}
	return q.String() + declare(t, name)
}

// declare formats t around the declarator inner, from the inside out, as in C.
func declare(t Type, inner string) string {
	switch t := t.(type) {
	case *Pointer:
		q, ptr := "", "*"+inner
		if t.Space != Private {
			q = t.Space.String() + " "
		}
		q += t.Quals.String()
		switch elem := t.Elem.(type) {
		case *Array, *Func:
			return q + declare(elem, "("+ptr+")")
		case *Pointer:
			// The qualifiers of a pointer follow its star.
			return declare(elem, q+ptr)
		}
		return q + declare(t.Elem, ptr)
	case *Array:
		dim := "[]"
		if t.Len >= 0 {
			dim = "[" + strconv.FormatInt(t.Len, 10) + "]"
		}
		return declare(t.Elem, inner+dim)
	case *Func:
		var b strings.Builder
		b.WriteString(inner + "(")
		for i, p := range t.Params {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(p.String())
		}
		switch {
		case t.Variadic && len(t.Params) > 0:
			b.WriteString(", ...")
		case len(t.Params) == 0:
			b.WriteString("void")
		}
		b.WriteString(")")
		return declare(t.Result, b.String())
	}
	if inner == "" {
		return t.String()
	}
	return t.String() + " " + inner
}
