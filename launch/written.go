package launch

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// spared reports for each argument that its memory is certainly not written: the kernel
// neither stores through a pointer derived from it nor stores such a pointer, which could
// be loaded again. A const pointee proves nothing, as a pointer may be cast (C99 §6.7.3).
// Images are written if their access qualifier allows it.
func spared(f *kernel.Func) []bool {
	written := writtenThrough(f)
	out := make([]bool, len(f.Args))
	for i, a := range f.Args {
		switch a.Kind {
		case kernel.ArgBuffer:
			out[i] = written&argBit(i) == 0
		case kernel.ArgVariables: // constants and variables may hold pointers to them
			out[i] = written&argBit(i) == 0 && !held(f.Data)
		case kernel.ArgImage:
			out[i] = a.ReadOnly
		}
	}
	return out
}

// held reports whether some of the data hold pointers.
func held(data []*kernel.Data) bool {
	return slices.ContainsFunc(data, func(d *kernel.Data) bool { return len(d.Addresses)+len(d.Pointers) > 0 })
}

// argBit is the bit of an argument in a set; the last bit stands for all arguments from 63 on.
func argBit(i int) uint64 { return 1 << min(i, 63) }

// writtenThrough returns the set of arguments through which f may write. It follows all
// operations on a pointer except loads through it and comparisons.
func writtenThrough(f *kernel.Func) (written uint64) {
	from := make([]uint64, f.NumValues()) // by value ID: the arguments it may derive from
	for changed := true; changed; {
		changed = false
		mark := func(v *kernel.Value, set uint64) {
			if set&^from[v.ID] != 0 {
				from[v.ID] |= set
				changed = true
			}
		}
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				set := uint64(0)
				for _, a := range v.Args {
					set |= from[a.ID]
				}
				switch v.Op {
				case kernel.Argument:
					mark(v, argBit(v.Index))
				case kernel.ArgAddr:
					written |= argBit(v.Index)
				case kernel.Load, kernel.Component:
				case kernel.Store, kernel.Atomic, kernel.CmpXchg:
					written |= set
				default:
					if alu.InfoOf(v.Op).Class != alu.Compare {
						mark(v, set)
					}
				}
			}
			for _, e := range b.Edges {
				for i, a := range e.Args {
					mark(e.To.Params[i], from[a.ID])
				}
			}
		}
	}
	return written
}
