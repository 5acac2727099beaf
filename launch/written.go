package launch

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
)

// spared reports by argument whether the memory it gives certainly stays as it is: the
// kernel stores through nothing that comes from the pointer, and keeps no such thing in
// memory, from where it may be loaded. Whether the pointee is const says nothing: a
// pointer may be cast (C99 §6.7.3). Texels are written where the image's access says so.
func spared(f *kernel.Func) []bool {
	written := writtenThrough(f)
	out := make([]bool, len(f.Args))
	for i, a := range f.Args {
		switch a.Kind {
		case kernel.ArgBuffer:
			out[i] = written&argBit(i) == 0
		case kernel.ArgVariables: // pointers to them may be in constants and in themselves
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

// argBit stands for an argument in a set; the last one for all from there on.
func argBit(i int) uint64 { return 1 << min(i, 63) }

// writtenThrough is the set of the arguments that f may write through. What operations
// make of a pointer is followed, but for what they load through it, and for comparisons.
func writtenThrough(f *kernel.Func) (written uint64) {
	from := make([]uint64, f.NumValues()) // by value: the pointers it may be made of
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
