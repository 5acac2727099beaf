package lower

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/types"
	"github.com/simtc/simtc/kernel"
)

// constant is an object in program data with its initial contents.
type constant struct {
	name  string
	bytes []byte
	align int64
	index int // in Module.Data; -1 until its address is needed

	addresses []kernel.DataAddress
	global    bool // has an address in __global memory
	open      bool // its initializer is being evaluated
}

// hold records an address stored at byte offset at.
func (c *constant) hold(a kernel.DataAddress) {
	i, found := slices.BinarySearchFunc(c.addresses, a.At, func(a kernel.DataAddress, at int) int { return a.At - at })
	if found {
		c.addresses[i] = a
		return
	}
	c.addresses = slices.Insert(c.addresses, i, a)
}

// forget drops the addresses that a store of size bytes at off overwrites.
func (c *constant) forget(off, size int64) {
	c.addresses = slices.DeleteFunc(c.addresses, func(a kernel.DataAddress) bool {
		return int64(a.At) < off+size && off < int64(a.At)+kernel.AddressSize
	})
}

// addressIn returns the address that overlaps the size bytes at off, if one does.
func (c *constant) addressIn(off, size int64) (kernel.DataAddress, bool) {
	return (&kernel.Data{Addresses: c.addresses}).AddressIn(int(off), int(size))
}

// stringConstant returns the data of a string literal.
func (m *module) stringConstant(e *ast.StringLit) *constant {
	return &constant{name: "str", bytes: e.Value, align: 1, index: -1}
}

// constantOf evaluates the initializer of a __constant variable, once.
func (m *module) constantOf(v *ast.Var) *constant {
	if c := m.consts[v]; c != nil {
		return c
	}
	c := &constant{name: hint(v.Name), align: max(v.Align, v.Type.Align()), index: -1, global: v.Space == types.Global}
	m.consts[v] = c
	m.evaluate(c, v)
	return c
}

// evaluate fills c from the initializer of v, a variable of static storage duration.
func (m *module) evaluate(c *constant, v *ast.Var) {
	size := v.Type.Size()
	m.bytes += size
	if size < 0 || m.bytes > maxData {
		m.errs.Addf(v.At, "'%s' and the constants before it have more than %d bytes, which is not supported", v.Name, maxData)
		return
	}
	c.bytes = make([]byte, size)
	if _, ok := v.Type.(*types.Opaque); ok && !isReg(v.Type) {
		m.errs.Addf(v.At, "%s ('%s') is not supported yet", v.Type, v.Name)
		return
	}
	if v.Init == nil {
		if v.Extern {
			m.errs.Addf(v.At, "'%s' is declared extern but never defined", v.Name)
		}
		return
	}
	l := m.newLowerer("", v.At)
	c.open = true
	defer m.finish(c)
	for _, s := range v.Init.Stores {
		for i := range max(s.Count, 1) {
			if !l.constantStore(c, v, s, s.Offset+i*s.Stride) {
				return
			}
			if isZero(s) {
				break
			}
		}
	}
}

// finish ends the evaluation of c's initializer, which may have taken c's own address.
func (m *module) finish(c *constant) {
	c.open = false
	if c.index >= 0 {
		m.out.Data[c.index].Addresses = c.addresses
	}
}

// isZero reports whether a store leaves zero-initialized data unchanged.
func isZero(s ast.InitStore) bool {
	x, ok := s.X.(*ast.IntLit)
	return ok && x.Value == 0
}

// constantStore evaluates one store of the initializer of v into c at off.
func (l *lowerer) constantStore(c *constant, v *ast.Var, s ast.InitStore, off int64) bool {
	bad := func(what string) bool {
		l.errorf(s.X.Pos(), "the initializer of '%s' %s", v.Name, what)
		return false
	}
	if str, ok := s.X.(*ast.StringLit); ok {
		if off >= 0 && off <= int64(len(c.bytes)) {
			copy(c.bytes[off:], str.Value)
		}
		return true
	}
	if !isReg(s.X.Type()) {
		p := l.object(s.X)
		if p.base != nil || p.data == nil {
			return bad("is not a constant expression")
		}
		n := s.X.Type().Size()
		if p.off >= 0 && p.off+n <= int64(len(p.data.bytes)) && off+n <= int64(len(c.bytes)) {
			copy(c.bytes[off:off+n], p.data.bytes[p.off:p.off+n])
			c.forget(off, n)
			for _, a := range slices.Clone(p.data.addresses) {
				if at := int64(a.At); at >= p.off && at < p.off+n {
					a.At = int(off + at - p.off)
					c.hold(a)
				}
			}
		}
		return true
	}
	for i, x := range l.expr(s.X) {
		size := int64(memType(x.Type).Size())
		if a, ok := dataAddress(x); ok {
			a.At = int(off + int64(i)*size)
			if a.At >= 0 && a.At+kernel.AddressSize <= len(c.bytes) {
				c.hold(a)
			}
			continue
		}
		if x.Op != kernel.Const {
			return bad("is not a constant expression")
		}
		c.forget(off+int64(i)*size, size)
		for b := range size {
			if at := off + int64(i)*size + b; at >= 0 && at < int64(len(c.bytes)) {
				c.bytes[at] = byte(x.Const >> (8 * b))
			}
		}
	}
	return true
}

// dataAddress returns the address that x computes if it lies in program data.
func dataAddress(x *kernel.Value) (a kernel.DataAddress, ok bool) {
	for {
		if x.Op == kernel.PtrAdd && x.Args[1].Op == kernel.Const {
			a.Plus += int64(x.Args[1].Const)
		} else if x.Op != alu.Bitcast || !x.Type.IsPtr() || !x.Args[0].Type.IsPtr() {
			break
		}
		x = x.Args[0]
	}
	if x.Op == kernel.Argument { // a constant expression has no other arguments
		return a, true
	}
	a.Data = x.Index
	return a, x.Op == kernel.DataAddr
}

// dataAddr returns the address of c and adds c to the module on first use. Objects with
// equal contents share data, except those whose initializers are still being evaluated.
func (l *lowerer) dataAddr(c *constant) *kernel.Value {
	if c.index < 0 {
		key := fmt.Sprintf("%d %v %s", c.align, c.addresses, c.bytes)
		i, ok := l.m.data[key]
		if !ok || c.open {
			i = len(l.m.out.Data)
			if !c.open {
				l.m.data[key] = i
			}
			name := c.name
			if name == "" {
				name = "data"
			}
			l.m.out.Data = append(l.m.out.Data, &kernel.Data{
				Name: fmt.Sprintf("%s.%d", name, i), Align: alignOf(c.align), Bytes: c.bytes, Addresses: c.addresses,
			})
		}
		c.index = i
	}
	if c.global {
		return l.conv(alu.Bitcast, alu.PtrGlobal, l.dataNumber(c.index))
	}
	return l.dataNumber(c.index)
}

// addressOf returns the address of data i of the module; data 0 may be the program's
// variables.
func (l *lowerer) addressOf(i int) *kernel.Value {
	if l.m.out.Data[i].Variables {
		return l.variables()
	}
	return l.dataNumber(i)
}

// dataNumber returns the address of data i of the module, which must be constant data.
func (l *lowerer) dataNumber(i int) *kernel.Value {
	v := l.emit(kernel.DataAddr, alu.PtrConstant)
	v.Index = i
	return v
}

// fold reads n components of type t from p, a known place in constant data. It returns
// nil if the place is out of bounds.
func (l *lowerer) fold(p place, t alu.Type, n int) []*kernel.Value {
	size := int64(memType(t).Size())
	if p.off < 0 || p.off+size*int64(n) > int64(len(p.data.bytes)) {
		return nil
	}
	out := make([]*kernel.Value, n)
	for i := range out {
		if a, ok := p.data.addressIn(p.off+int64(i)*size, size); ok {
			if !t.IsPtr() || int64(a.At) != p.off+int64(i)*size {
				return nil
			}
			from := l.addressOf(a.Data)
			if from.Type != t {
				from = l.conv(alu.Bitcast, t, from)
			}
			out[i] = l.ptrAdd(from, l.i64(a.Plus))
			continue
		}
		var bits uint64
		for b := range size {
			bits |= uint64(p.data.bytes[p.off+int64(i)*size+b]) << (8 * b)
		}
		if t == alu.I1 && bits != 0 {
			bits = 1
		}
		out[i] = l.konst(t, bits)
	}
	return out
}
