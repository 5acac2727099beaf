package check

import (
	"slices"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/internal/diag"
)

// candidate is a function that a call may refer to.
type candidate struct {
	Candidate
	fn    *ast.Func // nil for a built-in function
	convs []conversion
}

// lenientBuiltin is the result of overload if only built-in functions accept the
// arguments and none is better than the others; Builtins.Lookup then chooses.
var lenientBuiltin = &candidate{}

// builtinPlace is the position of declarations that are in no file.
var builtinPlace = diag.Pos{File: "<built-in>"}

// overload selects the best candidate of set and the built-in functions of the same name:
// the one whose conversions, compared with every other candidate, are worse for no
// argument and better for some. It returns nil after an error.
func (c *checker) overload(e *ast.Call, set *funcSet) *candidate {
	args := make([]types.Type, len(e.Args))
	for i, a := range e.Args {
		args[i] = a.Type()
	}
	viable := c.viable(e, set, args)
	var best []*candidate // candidates that no other candidate beats
	for _, a := range viable {
		beaten := false
		for _, b := range viable {
			if beaten = b.better(a); beaten {
				break
			}
		}
		if !beaten {
			best = append(best, a)
		}
	}
	if len(best) == 1 {
		return best[0]
	}
	builtin := true
	for _, b := range best {
		builtin = builtin && b.fn == nil
	}
	var why error
	if builtin && c.builtins != nil {
		result, _, _, err := c.builtins.Lookup(e.Name, args)
		if result != nil && err == nil {
			return lenientBuiltin
		}
		why = err
	}
	if len(best) > 0 {
		err := diag.Errorf(e.At, "several overloads of '%s' take (%s) equally well", e.Name, typeList(args))
		for _, b := range best {
			err.Notes = append(err.Notes, b.note(e.Name))
		}
		c.errs.Add(err)
		return nil
	}
	err := diag.Errorf(e.At, "no overload of '%s' takes (%s)", e.Name, typeList(args))
	for _, fn := range set.fns {
		err.Notes = append(err.Notes, functionCandidate(fn).note(fn.Name))
	}
	if why != nil {
		err.Notes = append(err.Notes, diag.Note{Pos: builtinPlace, Msg: "built-in function '" + e.Name + "': " + why.Error()})
	}
	c.errs.Add(err)
	return nil
}

// viable returns the candidates to whose parameters the arguments convert. A program
// function replaces a built-in function with the same parameters.
func (c *checker) viable(e *ast.Call, set *funcSet, args []types.Type) []*candidate {
	var all []*candidate
	for _, fn := range set.fns {
		all = append(all, functionCandidate(fn))
	}
	if c.builtins != nil {
		own := all
	candidates:
		for _, b := range c.builtins.Candidates(e.Name, args) {
			if !c.opts.GenericPointers && slices.ContainsFunc(b.Params, isGeneric) {
				continue
			}
			for _, o := range own {
				if identicalTypes(o.Params, b.Params) {
					continue candidates
				}
			}
			all = append(all, &candidate{Candidate: b})
		}
	}
	out := all[:0]
	for _, a := range all {
		if a.convs = c.conversions(e.Args, &a.Candidate); a.convs != nil || len(args) == 0 && len(a.Params) == 0 {
			out = append(out, a)
		}
	}
	return out
}

func isGeneric(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	return ok && p.Space == types.Generic
}

func functionCandidate(fn *ast.Func) *candidate {
	t := fn.Type
	return &candidate{Candidate: Candidate{Result: t.Result, Params: t.Params, Variadic: t.Variadic}, fn: fn}
}

// note describes a candidate and its declaration.
func (a *candidate) note(name string) diag.Note {
	t := &types.Func{Result: a.Result, Params: a.Params, Variadic: a.Variadic}
	if a.fn == nil {
		return diag.Note{Pos: builtinPlace, Msg: "candidate: " + types.Declare(name, t, 0)}
	}
	return diag.Note{Pos: a.fn.At, Msg: "candidate: " + types.Declare(name, t, 0)}
}

// better reports whether a is a better match than b. As in clang, a candidate without
// mismatched arguments is better than one with some, regardless of the other arguments.
func (a *candidate) better(b *candidate) bool {
	better := false
	for i := range a.convs {
		if mine, other := a.convs[i].rank == mismatch, b.convs[i].rank == mismatch; mine != other {
			if mine {
				return false
			}
			better = true
		}
	}
	if better {
		return true
	}
	for i := range a.convs {
		switch a.convs[i].compare(b.convs[i]) {
		case 1:
			return false
		case -1:
			better = true
		}
	}
	return better
}

// conversionRank orders implicit conversions, best first. Order and grouping are clang's:
// C++17 [over.ics.rank], extended by conversions of scalars to vectors and conversions
// that exist only in C.
type conversionRank uint8

const (
	exact        conversionRank = iota // the same type, or a pointer to a more qualified one
	promotion                          // of integers to int, of float to double
	converted                          // between arithmetic types; to void *; of 0 to a pointer
	pointerTruth                       // of a pointer to bool
	widened                            // of a scalar to a vector
	fromVoid                           // of void * to another pointer
	mismatch                           // between pointers to other types, or that drops a qualifier
	ellipsis
)

// conversion is the conversion of an argument to the type of a parameter.
type conversion struct {
	rank conversionRank
	// to is the parameter type if it is a pointer: among conversions of equal rank,
	// qualifiers and address spaces decide.
	to *types.Pointer
}

// compare returns -1 if a is better than b, 1 if it is worse, else 0.
func (a conversion) compare(b conversion) int {
	switch {
	case a.rank < b.rank:
		return -1
	case a.rank > b.rank:
		return 1
	case a.to == nil || b.to == nil || a.rank == mismatch || !types.Identical(a.to.Elem, b.to.Elem):
		return 0
	}
	less, more := narrower(a.to, b.to), narrower(b.to, a.to)
	switch {
	case less && !more:
		return -1
	case more && !less:
		return 1
	}
	return 0
}

// narrower reports whether b adds to a pointer every qualifier, and the generic address
// space, that a adds.
func narrower(a, b *types.Pointer) bool {
	return a.Quals&^b.Quals == 0 && (a.Space == b.Space || b.Space == types.Generic)
}

// conversions returns the conversion of each argument, or nil if an argument does not
// convert or the counts differ.
func (c *checker) conversions(args []ast.Expr, to *Candidate) []conversion {
	if len(args) < len(to.Params) || len(args) > len(to.Params) && !to.Variadic {
		return nil
	}
	out := make([]conversion, len(args))
	for i, a := range args {
		if i >= len(to.Params) {
			out[i].rank = ellipsis
			continue
		}
		var ok bool
		if out[i], ok = c.conversion(a, to.Params[i]); !ok {
			return nil
		}
	}
	return out
}

// conversion ranks the implicit conversion of the rvalue x to type to; ok is false if
// there is none.
func (c *checker) conversion(x ast.Expr, to types.Type) (conv conversion, ok bool) {
	from := x.Type()
	p, toPointer := to.(*types.Pointer)
	if types.Identical(from, to) {
		return conversion{exact, p}, true
	}
	if y, _ := c.tryAssign(x, to); y == nil {
		return conversion{}, false
	}
	q, fromPointer := from.(*types.Pointer)
	switch {
	case fromPointer && toPointer:
		return conversion{pointerRank(x, q, p), p}, true
	case fromPointer:
		return conversion{rank: pointerTruth}, true
	case types.IsVector(to):
		return conversion{rank: widened}, true
	case types.IsArithmetic(from) && (promoted(from) == to || from == types.Float && to == types.Double):
		return conversion{rank: promotion}, true
	}
	return conversion{rank: converted}, true
}

// pointerRank ranks the conversion of x, of pointer type from, to another pointer type.
func pointerRank(x ast.Expr, from, to *types.Pointer) conversionRank {
	drops := from.Quals&^to.Quals&^types.Restrict != 0
	switch {
	case isNull(x):
		return converted
	case drops:
		return mismatch
	case types.Identical(from.Elem, to.Elem):
		return exact
	case types.IsVoid(to.Elem):
		return converted
	case types.IsVoid(from.Elem):
		return fromVoid
	}
	return mismatch
}
