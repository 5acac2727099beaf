package launch

import "github.com/simtc/simtc/kernel"

// spared reports by argument whether its memory certainly stays as it is. That
// the pointee is const does not say so: a pointer may be cast, and memory that was
// not declared const may then be written (C99 §6.7.3). So a kernel that stores
// through what may come from such a pointer, or keeps one in memory, spares
// nothing.
func spared(f *kernel.Func) []bool {
	out := make([]bool, len(f.Args))
	some := false
	for i, a := range f.Args {
		out[i] = a.ReadOnly
		some = some || a.ReadOnly
	}
	if some && writesThrough(f, out) {
		clear(out)
	}
	return out
}

// writesThrough reports whether f may write through a pointer made from one of
// some arguments. What operations make of such a pointer is followed, what they
// load through it is not.
func writesThrough(f *kernel.Func, args []bool) bool {
	from := make([]bool, f.NumValues())
	for changed := true; changed; {
		changed = false
		mark := func(v *kernel.Value) {
			if !from[v.ID] {
				from[v.ID], changed = true, true
			}
		}
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				switch v.Op {
				case kernel.Argument:
					if args[v.Index] {
						mark(v)
					}
				case kernel.Load, kernel.Component:
				case kernel.Store, kernel.Atomic, kernel.CmpXchg:
					for _, a := range v.Args {
						if from[a.ID] {
							return true
						}
					}
				default:
					for _, a := range v.Args {
						if from[a.ID] {
							mark(v)
						}
					}
				}
			}
			for _, e := range b.Edges {
				for i, a := range e.Args {
					if from[a.ID] {
						mark(e.To.Params[i])
					}
				}
			}
		}
	}
	return false
}
