package divergence

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// AccessKind classifies the addresses that the lanes of a load or store use.
type AccessKind uint8

const (
	AccessUniform    AccessKind = iota // one address
	AccessContiguous                   // adjacent elements, in lane order
	AccessStrided                      // a constant stride
	AccessVarying                      // arbitrary addresses: a gather or scatter
	AccessPrivate                      // one offset in the private memory of each lane
)

var accessNames = [...]string{"uniform", "contiguous", "strided", "varying", "private"}

// String names the kind in a word.
func (k AccessKind) String() string { return accessNames[k] }

// Access classifies the addresses of v, a load or store, and returns their stride
// in bytes if they are strided.
//
// It is more precise than the shape of the address: extensions from 32 bits within
// an address do not wrap, since objects are no larger than widen.MaxObject.
func (in *Info) Access(v *kernel.Value) (kind AccessKind, stride int64) {
	p := v.Args[0]
	stride, ok := in.addressStride(p)
	size := v.Type.Size()
	if v.Op == kernel.Store {
		size = v.Args[1].Type.Size()
	}
	switch {
	case !ok:
		return AccessVarying, 0
	case p.Type == alu.PtrPrivate && stride == 0:
		return AccessPrivate, 0
	case p.Type == alu.PtrPrivate:
		return AccessVarying, 0
	case stride == 0:
		return AccessUniform, 0
	case stride == int64(max(v.Count, 1)*size):
		return AccessContiguous, stride
	}
	return AccessStrided, stride
}

// addressStride returns the stride of an address, or of an offset within one.
func (in *Info) addressStride(x *kernel.Value) (stride int64, ok bool) {
	if s := in.Shape(x); s.IsStrided() {
		return s.Stride, true
	}
	switch x.Op {
	case kernel.PtrAdd, alu.Add, alu.Sub:
		a, ok1 := in.addressStride(x.Args[0])
		b, ok2 := in.addressStride(x.Args[1])
		if x.Op == alu.Sub {
			b = -b
		}
		return a + b, ok1 && ok2
	case alu.SExt, alu.ZExt:
		if from := x.Args[0]; from.Type == alu.I32 {
			s := in.Shape(from)
			return s.Stride, s.IsStrided()
		}
	case alu.Mul, alu.Shl:
		if c := x.Args[1]; c.Op == kernel.Const {
			a, ok := in.addressStride(x.Args[0])
			if x.Op == alu.Shl {
				return a << (c.Const & 63), ok
			}
			return a * int64(c.Const), ok
		}
	}
	return 0, false
}

// inAddresses returns the shapes of varying values that are strided as parts of addresses.
func (in *Info) inAddresses() map[*kernel.Value]Shape {
	out, seen := map[*kernel.Value]Shape{}, map[*kernel.Value]bool{}
	var visit func(x *kernel.Value)
	visit = func(x *kernel.Value) {
		if seen[x] || in.Shape(x).IsStrided() {
			return
		}
		seen[x] = true
		if stride, ok := in.addressStride(x); ok {
			out[x] = strided(stride, 1)
		}
		switch x.Op {
		case kernel.PtrAdd, alu.Add, alu.Sub, alu.Mul, alu.Shl:
			for _, a := range x.Args {
				visit(a)
			}
		}
	}
	for _, b := range in.Func.Blocks {
		for _, v := range b.Values {
			if v.Op == kernel.Load || v.Op == kernel.Store {
				visit(v.Args[0])
			}
		}
	}
	return out
}

// Counts measures the precision of an analysis: branches, and memory accesses by kind.
type Counts struct {
	Branches, Uniform int // all conditional branches, and the uniform ones
	Accesses          [AccessPrivate + 1]int
}

// Count counts branches and accesses.
func (in *Info) Count() Counts {
	var c Counts
	for _, b := range in.Func.Blocks {
		if len(b.Edges) > 1 {
			c.Branches++
			if !in.Divergent[b.ID] {
				c.Uniform++
			}
		}
		for _, v := range b.Values {
			if v.Op == kernel.Load || v.Op == kernel.Store {
				kind, _ := in.Access(v)
				c.Accesses[kind]++
			}
		}
	}
	return c
}

// Add returns the sum of two counts.
func (c Counts) Add(d Counts) Counts {
	c.Branches += d.Branches
	c.Uniform += d.Uniform
	for k, n := range d.Accesses {
		c.Accesses[k] += n
	}
	return c
}

// String formats counts on one line: "1 of 2 branches uniform; accesses: 3
// contiguous, 1 varying".
func (c Counts) String() string {
	s := fmt.Sprintf("%d of %d branches uniform", c.Uniform, c.Branches)
	sep := "; accesses: "
	for k, n := range c.Accesses {
		if n > 0 {
			s += fmt.Sprintf("%s%d %s", sep, n, AccessKind(k))
			sep = ", "
		}
	}
	return s
}

// ByData reports whether a condition depends on loaded or computed data, not only on
// the order of ids.
func (info *Info) ByData(cond *kernel.Value) bool {
	switch cond.Op {
	case alu.And, alu.Or, alu.Xor, alu.Select:
		return slices.ContainsFunc(cond.Args, info.ByData)
	}
	varies := func(v *kernel.Value) bool { return !info.Shape(v).IsStrided() }
	if alu.InfoOf(cond.Op).Class == alu.Compare {
		return slices.ContainsFunc(cond.Args, varies)
	}
	return varies(cond)
}
