// Package boundscheck keeps the accesses of a kernel within their objects: the buffer of an
// argument, a __local or private object, or constant data.
//
// For one launch, Unproven lists the accesses that are not proven to be in bounds, Insert
// returns a kernel that tests those at run time, and Certain finds an access that is certain
// to be out of bounds before the kernel runs.
//
// It must not depend on the number of lanes or on a target.
package boundscheck

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/clprintf"
	"github.com/simtc/simtc/kernel"
)

// object is a memory object that pointers of a kernel are derived from.
type object struct {
	op    kernel.Op // Argument, ArgAddr, DataAddr, LocalAddr or Alloca
	index int       // Index of that operation; the ID of an Alloca
	name  string
	elem  int64 // size of the pointee's type in bytes, 0 if it is unknown
	space kernel.Type
	size  int64         // in bytes; -1 if the launch determines it
	base  *kernel.Value // an operation of the kernel that computes the address, nil if there is none
}

// set is a set of objects, by number; two numbers are special.
type set []uint64

const (
	trusted  = iota // memory that the compiler manages: images, printf, the state of a group
	anywhere        // unknown memory: the pointer was loaded from memory
	first           // the number of the first object
)

func (s set) has(i int) bool { return i>>6 < len(s) && s[i>>6]>>(i&63)&1 != 0 }

func (s *set) add(i int) {
	for len(*s) <= i>>6 {
		*s = append(*s, 0)
	}
	(*s)[i>>6] |= 1 << (i & 63)
}

// merge adds the members of t and reports whether there were new ones.
func (s *set) merge(t set) (changed bool) {
	for i, w := range t {
		for len(*s) <= i {
			*s = append(*s, 0)
		}
		changed = changed || w&^(*s)[i] != 0
		(*s)[i] |= w
	}
	return changed
}

func (s set) empty() bool { return !slices.ContainsFunc(s, func(w uint64) bool { return w != 0 }) }

// objects holds the objects of a kernel and, for each pointer, those it may be derived from.
type objects struct {
	f    *kernel.Func
	list []object
	from []set // by value ID: of pointers, and of integers that pointers were converted to
}

// pointees returns the objects of f. Arithmetic on pointers is followed, also through
// integers, and so are selects and block parameters. A pointer that is loaded from memory may
// point anywhere.
func pointees(f *kernel.Func) *objects {
	o := &objects{f: f, from: make([]set, f.NumValues())}
	numbers := map[object]int{}
	number := func(x object, base *kernel.Value) int {
		key := object{op: x.op, index: x.index}
		n, ok := numbers[key]
		if !ok {
			n = first + len(o.list)
			numbers[key] = n
			o.list = append(o.list, x)
		}
		if base != nil && o.list[n-first].base == nil {
			o.list[n-first].base = base
		}
		return n
	}
	argument := func(i int) object {
		a := f.Args[i]
		elem, _ := clprintf.ElemSize(a.Elem)
		if a.Elem == "half" {
			elem = 2
		}
		n := a.Count
		if n == 3 {
			n = 4
		}
		return object{op: kernel.Argument, index: i, name: a.Name, elem: int64(max(elem*n, a.Pointee)), space: a.Type, size: -1}
	}
	for i, a := range f.Args {
		if a.Kind == kernel.ArgBuffer || a.Kind == kernel.ArgLocal {
			number(argument(i), nil)
		}
	}
	datum := func(i int) object {
		d := f.Data[i]
		if d.Variables {
			return object{op: kernel.DataAddr, index: i, space: alu.PtrGlobal, size: int64(len(d.Bytes))}
		}
		return object{op: kernel.DataAddr, index: i, name: d.Name, space: alu.PtrConstant, size: int64(len(d.Bytes))}
	}
	// objectOf returns the object whose address v computes.
	made := func(v *kernel.Value) (int, bool) {
		switch v.Op {
		case kernel.Argument:
			switch f.Args[v.Index].Kind {
			case kernel.ArgBuffer, kernel.ArgLocal:
				return number(argument(v.Index), v), true
			case kernel.ArgVariables:
				return number(datum(slices.IndexFunc(f.Data, func(d *kernel.Data) bool { return d.Variables })), v), true
			case kernel.ArgImage, kernel.ArgPrintf, kernel.ArgReport:
				return trusted, true
			}
		case kernel.GroupState:
			return trusted, true
		case kernel.ArgAddr:
			a := f.Args[v.Index]
			return number(object{op: v.Op, index: v.Index, name: a.Name, space: v.Type, size: int64(a.Size)}, v), true
		case kernel.DataAddr:
			return number(datum(v.Index), v), true
		case kernel.LocalAddr:
			l := f.Locals[v.Index]
			return number(object{op: v.Op, index: v.Index, name: l.Name, space: v.Type, size: int64(l.Size)}, v), true
		case kernel.Alloca:
			return number(object{op: v.Op, index: v.ID, name: v.Name, space: v.Type, size: int64(v.Size)}, v), true
		}
		return 0, false
	}
	if slices.ContainsFunc(f.Data, func(d *kernel.Data) bool { return len(d.Addresses) > 0 }) {
		for i := range f.Data {
			number(datum(i), nil)
		}
	}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if n, ok := made(v); ok {
				o.from[v.ID].add(n)
			}
		}
	}
	wide := func(v *kernel.Value) bool { return v.Type == alu.I64 || v.Type.IsPtr() }
	for changed := true; changed; {
		changed = false
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				switch {
				case !wide(v) || alu.InfoOf(v.Op).Class == alu.Compare:
				case v.Op == kernel.Load, v.Op == kernel.Component, v.Op == kernel.Atomic, v.Op == kernel.CmpXchg:
					// Pointers in the compiler's memory point to the compiler's memory.
					if a := v.Args[0]; o.from[a.ID].has(trusted) {
						changed = o.from[v.ID].merge(set{1 << trusted}) || changed
					} else if v.Type.IsPtr() {
						changed = o.from[v.ID].merge(set{1 << anywhere}) || changed
					}
				case v.Op == kernel.PtrAdd:
					changed = o.from[v.ID].merge(o.from[v.Args[0].ID]) || changed
				default:
					for _, a := range v.Args {
						changed = o.from[v.ID].merge(o.from[a.ID]) || changed
					}
				}
			}
			for _, e := range b.Edges {
				for i, a := range e.Args {
					changed = o.from[e.To.Params[i].ID].merge(o.from[a.ID]) || changed
				}
			}
		}
	}
	return o
}

// of lists the objects, by index in o.list, that an access through p may refer to; ok is
// false if p points to memory that the compiler manages.
func (o *objects) of(p *kernel.Value) (list []int, ok bool) {
	from := o.from[p.ID]
	if from.has(trusted) {
		return nil, false
	}
	for i, x := range o.list {
		if from.has(first+i) || (from.empty() || from.has(anywhere)) && reachable(p.Type, x.space) {
			list = append(list, i)
		}
	}
	return list, true
}

// reachable reports whether a pointer of type p, about which nothing else is known, may point
// to an object in a space.
func reachable(p, space kernel.Type) bool {
	return p == space || p == alu.PtrGeneric && space != alu.PtrConstant
}

// access reports whether v accesses memory, and returns the number of bytes.
func access(v *kernel.Value) (bytes int64, ok bool) {
	switch v.Op {
	case kernel.Load, kernel.Store:
		return int64(v.Accessed().Size() * max(v.Count, 1)), true
	case kernel.Atomic, kernel.CmpXchg:
		return int64(v.Type.Size()), true
	}
	return 0, false
}
