package builtins

import (
	"slices"
	"strings"
	"sync"

	"github.com/simtc/simtc/clc/check"
	"github.com/simtc/simtc/clc/types"
)

// Candidates implements check.Builtins. For rows with a signature, atomic functions,
// selections and shuffles it returns the overloads declared by the specification,
// regardless of args. For other functions, whose types follow from their names or pointer
// arguments, it returns the one overload selected by args, or none.
func (Library) Candidates(name string, args []types.Type) []check.Candidate {
	f := index()[name]
	if f != nil {
		if list := declared(f); list != nil {
			if f.Else != "" {
				list = slices.Concat(list, declared(index()[f.Else]))
			}
			return list
		}
	}
	result, params, handle, err := Library{}.Lookup(name, args)
	if result == nil || err != nil {
		return nil
	}
	return []check.Candidate{{Result: result, Params: params, Handle: handle, Variadic: len(args) > len(params)}}
}

var declarations sync.Map // *Func to []check.Candidate

// declared returns the overloads of a row for all element types and widths, or nil if
// they depend on the arguments.
func declared(f *Func) []check.Candidate {
	if list, ok := declarations.Load(f); ok {
		return list.([]check.Candidate)
	}
	var out []check.Candidate
	switch {
	case f.Special == "atomic":
		out = declaredAtomics(f)
	case f.Special == "select":
		out = declaredSelects(f)
	case f.Special == "shuffle", f.Special == "shuffle2":
		out = declaredShuffles(f)
	case f.Special == "dot_product":
		for i := range 4 {
			out = append(out, candidate(dotProduct(f, [2]bool{i&1 != 0, i&2 != 0})))
		}
	case f.Group != nil, f.Special == "" || specials[f.Special] == nil:
		out = expandSignature(f)
	}
	declarations.Store(f, out)
	return out
}

func candidate(c *Call) check.Candidate {
	return check.Candidate{Result: c.Result, Params: c.Params, Handle: c}
}

// cut splits a signature into the letters of its result and parameters.
func (f *Func) cut() (result string, params []string, variadic bool) {
	result, list, _ := strings.Cut(strings.TrimSuffix(f.Sig, ")"), "(")
	if list != "" {
		params = strings.Split(list, ",")
	}
	if n := len(params); n > 0 && params[n-1] == "*" {
		params, variadic = params[:n-1], true
	}
	return result, params, variadic
}

// scalars returns the scalar types of a set.
func (s set) scalars() []*types.Scalar {
	var out []*types.Scalar
	for k := types.KindBool; k <= types.KindDouble; k++ {
		if t := types.ScalarOf(k); s.has(t) {
			out = append(out, t)
		}
	}
	return out
}

// expandSignature returns an overload for each element type and width of T, for the
// scalar form of parameters that have one, and for each address space of a pointer.
func expandSignature(f *Func) []check.Candidate {
	result, params, variadic := f.cut()
	elems, widths := []*types.Scalar{types.Float}, []int{1}
	if strings.ContainsAny(f.Sig, "TtPSU") {
		elems = f.Elems.scalars()
		switch {
		case f.Widths != nil:
			widths = f.Widths
		case f.Group == nil || f.Group.Vectors:
			widths = append(widths, types.VectorSizes[:]...)
		}
	}
	least := len(params)
	if f.Group != nil {
		least -= f.Group.Optional
	}
	spaces := []types.Space{types.Private}
	if slices.Contains(params, "P") || slices.Contains(params, "Q") {
		spaces = []types.Space{types.Private, types.Global, types.Local, types.Generic}
	}
	var out []check.Candidate
	for _, elem := range elems {
		for _, n := range widths {
			forms := []bool{false}
			if n > 1 && (slices.Contains(params, "t") || slices.Contains(params, "n")) {
				forms = []bool{false, true}
			}
			for _, scalar := range forms {
				for _, space := range spaces {
					for count := least; count <= len(params); count++ {
						c := &Call{Func: f, Elem: elem, N: n}
						if c.declare(result, params[:count], scalar, space) {
							d := candidate(c)
							d.Variadic = variadic
							out = append(out, d)
						}
					}
				}
			}
		}
	}
	return out
}

// declare sets the parameters and the result of c; it reports whether these types exist.
// scalar selects the scalar form of parameters t and n.
func (c *Call) declare(result string, params []string, scalar bool, space types.Space) bool {
	c.Params = make([]types.Type, len(params))
	for i, p := range params {
		var t types.Type
		switch {
		case p == "t" && scalar:
			t = c.Elem
		case p == "t":
			t = c.vector(c.Elem)
		case p == "n" && scalar:
			t = types.Int
		case p == "n":
			t = c.vector(types.Int)
		case p == "P":
			t = &types.Pointer{Elem: c.vector(c.Elem), Space: space}
		case p == "Q":
			t = &types.Pointer{Elem: c.vector(types.Int), Space: space}
		default:
			t = c.typeOf(p[0])
		}
		if t == nil {
			return false
		}
		c.Params[i] = t
	}
	c.Result = c.typeOf(result[0])
	return c.Result != nil
}

// declaredAtomics returns the overloads of an atomic function. Objects are volatile, and
// those of loads const.
func declaredAtomics(f *Func) []check.Candidate {
	quals := types.Volatile
	if f.Atomic.Do == AtomicLoad {
		quals |= types.Const
	}
	var out []check.Candidate
	for _, s := range []*types.Scalar{types.Int, types.UInt, types.Long, types.ULong, types.Float, types.Double} {
		for _, space := range []types.Space{types.Global, types.Local, types.Generic} {
			lists := [][]types.Type{{&types.Pointer{Elem: s, Space: space, Quals: quals}}}
			switch f.Atomic.Do {
			case AtomicUpdate, AtomicStore, AtomicInit:
				lists[0] = append(lists[0], s)
			case AtomicCmpXchg:
				lists[0] = append(lists[0], s, s)
			case AtomicCompare:
				object := lists[0][0]
				lists = nil
				for _, expected := range []types.Space{types.Private, types.Global, types.Local, types.Generic} {
					lists = append(lists, []types.Type{object, &types.Pointer{Elem: s, Space: expected}, s})
				}
			}
			for _, args := range lists {
				for range f.orders() {
					args = append(args, types.Int)
				}
				scoped := append(slices.Clip(args), types.Int)
				for _, list := range [][]types.Type{args, scoped} {
					if c, err := resolveAtomic(f, list); err == nil {
						out = append(out, candidate(c))
					}
				}
			}
		}
	}
	return out
}

func declaredSelects(f *Func) []check.Candidate {
	var out []check.Candidate
	for _, s := range all.scalars() {
		for _, n := range append([]int{1}, types.VectorSizes[:]...) {
			t, cond := types.VectorOf(s, n), types.SignedOf(s.Size())
			for _, k := range []*types.Scalar{cond, cond.Unsigned()} {
				if c, err := resolveSelect(f, []types.Type{t, t, types.VectorOf(k, n)}); err == nil {
					out = append(out, candidate(c))
				}
			}
		}
	}
	return out
}

func declaredShuffles(f *Func) []check.Candidate {
	var out []check.Candidate
	for _, s := range all.scalars() {
		for _, n := range types.VectorSizes {
			for _, m := range types.VectorSizes {
				args := []types.Type{types.VectorOf(s, n), types.VectorOf(types.SignedOf(s.Size()).Unsigned(), m)}
				if f.Name == "shuffle2" {
					args = append(args[:1:1], args[0], args[1])
				}
				if c, err := resolveShuffle(f, args); err == nil {
					out = append(out, candidate(c))
				}
			}
		}
	}
	return out
}
