package lower

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// isVariable reports whether v, of static storage duration, can be modified. All such
// variables share one block of memory, data 0 of the module, which persists across
// launches.
func isVariable(v *ast.Var) bool {
	constant := v.Quals&types.Const != 0 && v.Quals&types.Volatile == 0
	return v.Space != types.Constant && !isSampler(v.Type) && !constant
}

// placeVariables lays out the modifiable variables among vars and evaluates their
// initializers. The layout does not depend on the kernels being lowered, as launches of
// all kernels share the memory.
func (m *module) placeVariables(vars []*ast.Var) {
	d := &kernel.Data{Name: "variables", Align: kernel.AddressSize, Variables: true}
	size := int64(0)
	var placed []*ast.Var
	for _, v := range vars {
		if !isVariable(v) || v.Extern {
			continue
		}
		align := max(v.Align, v.Type.Align(), 1)
		size = (size + align - 1) &^ (align - 1)
		if v.Type.Size() < 0 || v.Type.Size() > maxData-size {
			m.errs.Addf(v.At, "'%s' and the variables before it have more than %d bytes, which is not supported", v.Name, maxData)
			return
		}
		m.places[v] = size
		placed = append(placed, v)
		size += v.Type.Size()
		d.Align = max(d.Align, alignOf(align))
	}
	if len(placed) == 0 {
		return
	}
	m.out.Data = append(m.out.Data, d) // first, as initializers may refer to it
	d.Bytes = make([]byte, size)
	for _, v := range placed {
		c := &constant{name: v.Name, index: -1}
		m.evaluate(c, v)
		at := int(m.places[v])
		copy(d.Bytes[at:], c.bytes)
		for _, a := range c.addresses {
			a.At += at
			d.Addresses = append(d.Addresses, a)
		}
		d.Pointers = pointersIn(d.Pointers, v.Type, at)
		if name := hint(v.Name); name != "" {
			for _, part := range members(v.Type, name) {
				part.At += at
				m.parts = append(m.parts, part)
			}
		}
	}
}

// pointersIn appends the offsets of the pointers in an object of type t at offset at,
// without duplicates.
func pointersIn(to []int, t types.Type, at int) []int {
	switch t := t.(type) {
	case *types.Pointer:
		if n := len(to); n == 0 || to[n-1] < at { // members of a union share places
			to = append(to, at)
		}
	case *types.Array:
		if len(pointersIn(nil, t.Elem, 0)) > 0 {
			for i := range int(t.Len) {
				to = pointersIn(to, t.Elem, at+i*int(t.Elem.Size()))
			}
		}
	case *types.Record:
		for _, f := range t.Fields {
			to = pointersIn(to, f.Type, at+int(f.Offset))
		}
	}
	return to
}

// variables returns the address of the program's variables, which is a hidden argument.
func (l *lowerer) variables() *kernel.Value {
	if l.vars == nil {
		l.vars = l.emit(kernel.Argument, alu.PtrGlobal)
		l.vars.Index, l.vars.Members = len(l.f.Args), l.m.parts
		l.f.Args = append(l.f.Args, kernel.Arg{
			Name: "variables", CType: "variables", Kind: kernel.ArgVariables, Type: alu.PtrGlobal, Elem: "uchar", Count: 1, Size: 8, Align: 8,
		})
	}
	return l.vars
}
