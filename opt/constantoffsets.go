package opt

import (
	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// maxOffset limits the extracted constants to the difference of 2 GiB and the size of the
// largest object (widen.MaxObject). The addresses before and after are less than 2 GiB from
// the start of the object and congruent modulo 4 GiB, hence equal.
const maxOffset = 1 << 24

// ConstantOffsets extracts constants from 32-bit subscripts: the address of a[i+1] is that
// of a[i] plus a constant offset, and both extend i with the same operation. Neighbouring
// accesses then share an address, and their loads can be merged.
//
// The sum may wrap where its extension does not, and an unsigned subscript may be negative
// when it is sign-extended; but then the access would be outside its object. So only addresses
// change that have no uses but accesses. Addresses of private memory are left to Forward.
//
// requires: dense IDs; maintains: everything
func ConstantOffsets(f *kernel.Func, st Stats) {
	uses, accesses := UsesOf(f), make([]int, f.NumValues())
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == kernel.Load || v.Op == kernel.Store {
				accesses[v.Args[0].ID]++
			}
		}
	}
	found := map[*kernel.Value]linear{} // addresses -> their subscripts
	withOffset := map[*kernel.Value]bool{}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != kernel.PtrAdd || uses[v.ID] != accesses[v.ID] || v.Type == alu.PtrPrivate {
				continue
			}
			if l := linearOf(v.Args[1], linearDepth); l.root != nil && l.root.Type.Bits() <= 32 && l.at > -maxOffset && l.at < maxOffset {
				found[v] = l
				withOffset[l.root] = withOffset[l.root] || l.at != 0
			}
		}
	}
	n := 0
	for _, b := range f.Blocks {
		var out []*kernel.Value
		for i, v := range b.Values {
			if l, ok := found[v]; ok && withOffset[l.root] && (l.at != 0 || extensionIn(v.Args[1]) != extension(l.root.Type)) {
				if out == nil {
					out = append(make([]*kernel.Value, 0, len(b.Values)+8), b.Values[:i]...)
				}
				out = append(out, extractOffset(b, v, l)...)
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
		st.Add("constant offsets extracted", n)
		f.Renumber()
		RemoveDead(f, nil)
	}
}

// extensionIn returns the operation that extends the subscript of an offset.
func extensionIn(v *kernel.Value) kernel.Op {
	for v.Op == alu.Mul || v.Op == alu.Shl {
		v = v.Args[0]
	}
	return v.Op
}

// extractOffset rewrites the address v, p + (x+c)*s with x or the sum extended, as
// (p + x*s) + c*s. It returns the operations that compute p + x*s.
func extractOffset(b *kernel.Block, v *kernel.Value, l linear) []*kernel.Value {
	x := b.NewValue(extension(l.root.Type), alu.I64, l.root)
	made := append([]*kernel.Value{x}, pointer(b, address{v.Args[0], l.root, l.scale, l.at}, x)...)
	for _, m := range made {
		m.Pos = v.Pos
	}
	last := made[len(made)-1]
	v.Args = last.Args
	return made[:len(made)-1]
}
