// Package builtins defines the built-in functions of OpenCL C (OpenCL C 1.2 §6.12, and
// those of 2.0 and of vendor dialects that programs use): a table of signatures, and
// bodies in OpenCL C for functions that are not machine operations. The body of a
// component-wise function is written for scalars.
//
// The package uses only the names of pure operations from the kernel IR: lowering
// translates a Call to operations.
package builtins

import (
	"strings"
	"sync"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/types"
)

// Func is a table row: one function name with its overloads.
type Func struct {
	Name string
	// Sig gives the types of the result and the parameters, one letter each, such as
	// "T(T,t)". The letters are explained in sig.go.
	Sig string
	// Elems are the scalar types allowed for T.
	Elems set
	// Widths are the numbers of components allowed for T; nil allows all.
	Widths []int

	// Else names the row to try if this one does not accept the arguments.
	Else string
	// Operands is the number of arguments of a dot product or a copy of lines; Signed
	// lists the signedness of the operands of a packed dot product.
	Operands int
	Signed   [2]bool

	// Same requires all scalar arguments to have the same type; no common type is
	// computed.
	Same bool

	// The implementation is the first of the following that is set.

	// Ops are pure operations applied to each component, for signed, unsigned and
	// floating T. If one is Invalid, Body is used, or else the result is the argument
	// itself.
	Ops *[3]alu.Op
	// Body names a function in the .cl files, applied to each component; with Whole it is
	// applied to whole vectors and instantiated for each width.
	Body  string
	Whole bool
	// Half names the body for components of type half, which precedes Ops and Body. It is
	// set if computing in float would be incorrect: for operations on bits, or with a
	// single rounding.
	Half string
	// Special identifies a function that lowering implements.
	Special string
	// Atomic describes a function of atomic.go.
	Atomic *Atomic
	// Group describes a function of subgroup.go.
	Group *Group

	// Out names a body, with the same arguments, whose result is stored through the last
	// parameter, a pointer.
	Out string
	// Test marks functions whose body returns a bool for each component: the result is an
	// int, 1 if true for scalars and -1 for vectors.
	Test bool
}

// BodyOf returns the body for components of type elem, and the type in which it computes:
// half is computed in float unless the row has a body for half.
func (f *Func) BodyOf(elem *types.Scalar) (name string, as *types.Scalar) {
	switch {
	case elem != types.Half:
		return f.Body, elem
	case f.Half != "":
		return f.Half, elem
	}
	return f.Body, types.Float
}

// Call is a call with its resolved overload; the checker stores it in ast.Call.Handle.
type Call struct {
	Func   *Func
	Elem   *types.Scalar // T, or its component type
	N      int           // components of T
	Params []types.Type
	Result types.Type

	image imageKind // for the functions of image.go

	// For the functions of names.go:
	Round Round
	Sat   bool
}

// Round is a rounding mode in the name of a function.
type Round uint8

const (
	DefaultRound Round = iota // to nearest even for floating results, toward zero for integers
	ToEven
	ToZero
	ToPositive
	ToNegative
)

// Library resolves calls of built-in functions for the checker.
type Library struct{}

var index = sync.OnceValue(func() map[string]*Func {
	m := make(map[string]*Func, 512)
	for _, list := range tables {
		for i := range list {
			m[list[i].Name] = &list[i]
		}
	}
	return m
})

// Lookup implements check.Builtins.
func (Library) Lookup(name string, args []types.Type) (types.Type, []types.Type, any, error) {
	var c *Call
	var err error
	if f := index()[name]; f != nil {
		if c, err = resolve(f, args); err != nil && f.Else != "" {
			if other, otherErr := resolve(index()[f.Else], args); otherErr == nil {
				c, err = other, nil
			}
		}
	} else if c, err = resolveName(name, args); c == nil && err == nil {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return c.Result, c.Params, c, nil
}

// Names implements check.Builtins.
func (Library) Names() []string {
	var out []string
	for _, f := range Names() {
		if !strings.HasPrefix(f.Name, "__") {
			out = append(out, f.Name)
		}
	}
	return out
}

// Names returns every function of the tables, in order.
func Names() []*Func {
	var out []*Func
	for _, list := range tables {
		for i := range list {
			out = append(out, &list[i])
		}
	}
	return out
}
