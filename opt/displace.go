package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// mostDisplaced bounds displacements by what objects are smaller than 2 GiB
// (widen.MaxObject). So the address before and after, both of them within 2 GiB
// and that of where the object begins but equal modulo 4 GiB, are one.
const mostDisplaced = 1 << 24

// Displace takes constants out of 32-bit subscripts: the address of a[i+1] is
// that of a[i] and a displacement, and that of a[i] extends i as the other does.
// So accesses to neighbours share an address, and what they load may be loaded at once.
//
// A sum may wrap where its extension does not, and i as an unsigned number be one that
// is negative; but then the access would be outside its object. So only addresses are
// changed that nothing but accesses use. Those of private memory are left to Forward.
//
// requires: dense IDs; maintains: everything
func Displace(f *kernel.Func, st Stats) {
	uses, accesses := UsesOf(f), make([]int, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == kernel.Load || v.Op == kernel.Store {
				accesses[v.Args[0].ID]++
			}
		}
	}
	found := map[*kernel.Value]linear{} // addresses, with their subscripts
	displaced := map[*kernel.Value]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != kernel.PtrAdd || uses[v.ID] != accesses[v.ID] || v.Type == alu.PtrPrivate {
				continue
			}
			if l := linearOf(v.Args[1], linearDepth); l.root != nil && l.root.Type.Bits() <= 32 && l.at > -mostDisplaced && l.at < mostDisplaced {
				found[v] = l
				displaced[l.root] = displaced[l.root] || l.at != 0
			}
		}
	}
	n := 0
	for _, b := range f.Blocks {
		var out []*kernel.Value
		for i, v := range b.Values {
			if l, ok := found[v]; ok && displaced[l.root] && (l.at != 0 || extensionIn(v.Args[1]) != extension(l.root.Type)) {
				if out == nil {
					out = append(make([]*kernel.Value, 0, len(b.Values)+8), b.Values[:i]...)
				}
				out = append(out, displace(b, v, l)...)
				n++
			}
			if out != nil {
				out = append(out, v)
			}
		}
		if out != nil {
			b.Values = out
		}
	}
	if n > 0 {
		st.Add("subscripts displaced", n)
		f.Renumber()
		RemoveDead(f, nil)
	}
}

// extensionIn returns the operation that extends the subscript in an offset.
func extensionIn(v *kernel.Value) kernel.Op {
	for v.Op == alu.Mul || v.Op == alu.Shl {
		v = v.Args[0]
	}
	return v.Op
}

// displace makes the address v, p + (x+c)*s with x extended or the sum, what
// is c*s behind p + x*s, and returns the operations of that.
func displace(b *kernel.Block, v *kernel.Value, l linear) []*kernel.Value {
	x := b.NewValue(extension(l.root.Type), alu.I64, l.root)
	made := append([]*kernel.Value{x}, pointer(b, address{v.Args[0], l.root, l.scale, l.at}, x)...)
	for _, m := range made {
		m.Pos = v.Pos
	}
	last := made[len(made)-1]
	v.Args = last.Args
	return made[:len(made)-1]
}
