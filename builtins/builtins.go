// Package builtins knows OpenCL C's built-in functions (OpenCL C 1.2 §6.12,
// and what programs use of 2.0 and of vendors' leniency): a table of
// signatures, and for what is no machine operation a body in OpenCL C. A body
// is written for scalars where the function works component by component.
//
// It must not know kernel IR beyond the names of pure operations: lowering
// turns a Call into operations.
package builtins

import (
	"strings"
	"sync"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/types"
)

// Func is a table row: one name with its overloads.
type Func struct {
	Name string
	// Sig gives the result and the parameters, one letter each; sig.go says
	// what they mean: "T(T,t)".
	Sig string
	// Elems are the scalar types that T may be.
	Elems set
	// Widths are the numbers of components that T may have; nil is all there are.
	Widths []int

	// Else names the row that is tried if this one does not take the arguments.
	Else string
	// Operands is the number of arguments of a dot product or a copy of lines; Signed says which
	// operands of a packed dot product are signed.
	Operands int
	Signed   [2]bool

	// Same asks for scalars of one type: there is no common one that would do.
	Same bool

	// How it is computed: by the first of these that is set.

	// Ops are pure operations applied to each component, for signed, unsigned
	// and floating T. Where one is Invalid it is Body, or else the result is
	// the argument itself.
	Ops *[3]alu.Op
	// Body names a function in the .cl files, applied to each component; with
	// Whole it is applied to whole vectors, an instance for each width.
	Body  string
	Whole bool
	// Half names the body for components of type half, before Ops and Body, where
	// computing with floats would not do: what is about bits, or rounds once.
	Half string
	// Special is a name by which lowering knows what to do.
	Special string
	// Atomic says what a function of atomic.go does.
	Atomic *Atomic
	// Group says what a function of subgroup.go is.
	Group *Group

	// Out names a body whose result, of the same arguments, is stored through
	// the last parameter, a pointer.
	Out string
	// Test marks functions whose body is a bool for each component: the result
	// is int, 1 if true, for scalars and -1 for vectors.
	Test bool
}

// BodyOf returns the body for components of type elem, and the type that it
// computes with: half is computed as float unless the row says otherwise.
func (f *Func) BodyOf(elem *types.Scalar) (name string, as *types.Scalar) {
	switch {
	case elem != types.Half:
		return f.Body, elem
	case f.Half != "":
		return f.Half, elem
	}
	return f.Body, types.Float
}

// Call is a call whose overload is resolved; the checker keeps it in
// ast.Call.Handle.
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

// Round is a rounding mode in a function's name.
type Round uint8

const (
	DefaultRound Round = iota // to nearest even for floating results, toward zero for integers
	ToEven
	ToZero
	ToPositive
	ToNegative
)

// Library resolves calls for the checker.
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

// Names lists every function of the tables, in their order.
func Names() []*Func {
	var out []*Func
	for _, list := range tables {
		for i := range list {
			out = append(out, &list[i])
		}
	}
	return out
}
