package divergence

import (
	"fmt"
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// AccessKind says how the lanes' places of a load or store lie.
type AccessKind uint8

const (
	AccessUniform    AccessKind = iota // all at one address
	AccessContiguous                   // side by side, in the order of lanes
	AccessStrided                      // at even distances
	AccessVarying                      // anywhere: a gather or scatter
	AccessPrivate                      // in private memory at one offset, each lane in its own
)

var accessNames = [...]string{"uniform", "contiguous", "strided", "varying", "private"}

// String names the kind in a word.
func (k AccessKind) String() string { return accessNames[k] }

// Access says how the places lie that v, a load or store, accesses, and how far
// apart they are from lane to lane in bytes, where they are strided.
//
// It knows more than the shape of the address: in an address, no extension
// from 32 bits wraps, as package widen has it (widen.MaxObject).
func (in *Info) Access(v *kernel.Value) (kind AccessKind, stride int64) {
	p := v.Args[0]
	stride, even := in.reach(p)
	size := v.Type.Size()
	if v.Op == kernel.Store {
		size = v.Args[1].Type.Size()
	}
	switch {
	case !even:
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

// reach returns the stride of an address, or of an offset in one, if it has
// one.
func (in *Info) reach(x *kernel.Value) (stride int64, even bool) {
	if s := in.Shape(x); s.IsStrided() {
		return s.Stride, true
	}
	switch x.Op {
	case kernel.PtrAdd, alu.Add, alu.Sub:
		a, ok1 := in.reach(x.Args[0])
		b, ok2 := in.reach(x.Args[1])
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
			a, ok := in.reach(x.Args[0])
			if x.Op == alu.Shl {
				return a << (c.Const & 63), ok
			}
			return a * int64(c.Const), ok
		}
	}
	return 0, false
}

// inAddresses returns the shapes of those parts of addresses that vary by themselves but
// are evenly strided where they are used.
func (in *Info) inAddresses() map[*kernel.Value]Shape {
	out, seen := map[*kernel.Value]Shape{}, map[*kernel.Value]bool{}
	var visit func(x *kernel.Value)
	visit = func(x *kernel.Value) {
		if seen[x] || in.Shape(x).IsStrided() {
			return
		}
		seen[x] = true
		if stride, even := in.reach(x); even {
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

// Counts says how precise an analysis was: how many branches are uniform and
// how accesses to memory lie.
type Counts struct {
	Branches, Uniform int // branches, and those whose lanes stay together
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

// String formats counts in a line: "1 of 2 branches uniform; accesses: 3
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

// ByData reports whether a condition is one of what lanes have loaded or computed, not one
// of where their ids lie.
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
