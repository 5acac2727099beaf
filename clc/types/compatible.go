package types

// Compatible reports whether types a and b of different source files are compatible (C99
// §6.2.7): structs, unions and enums need the same tag or typedef name and the same
// members. An array of unknown length is compatible with arrays of known length.
func Compatible(a, b Type) bool { return compatible(a, b, map[[2]*Record]bool{}) }

// compatible assumes that the pairs in assumed, whose comparison is in progress, are
// compatible.
func compatible(a, b Type, assumed map[[2]*Record]bool) bool {
	if Identical(a, b) {
		return true
	}
	switch a := a.(type) {
	case *Pointer:
		b, ok := b.(*Pointer)
		return ok && a.Space == b.Space && a.Quals == b.Quals && compatible(a.Elem, b.Elem, assumed)
	case *Array:
		b, ok := b.(*Array)
		return ok && (a.Len == b.Len || a.Len < 0 || b.Len < 0) && compatible(a.Elem, b.Elem, assumed)
	case *Func:
		b, ok := b.(*Func)
		return ok && compatible(a.Result, b.Result, assumed) && sameParams(a, b, assumed)
	case *Record:
		b, ok := b.(*Record)
		if !ok || a.Tag != b.Tag || a.Union != b.Union || a.Tag == "" && a.Typedef != b.Typedef {
			return false
		}
		pair := [2]*Record{a, b}
		if assumed[pair] || !a.Complete || !b.Complete {
			return true
		}
		assumed[pair] = true
		if len(a.Fields) != len(b.Fields) || a.Size() != b.Size() || a.Align() != b.Align() {
			return false
		}
		for i, f := range a.Fields {
			g := b.Fields[i]
			if f.Name != g.Name || f.Offset != g.Offset || f.Quals != g.Quals || !compatible(f.Type, g.Type, assumed) {
				return false
			}
		}
		return true
	}
	return false
}

// CompatibleParams reports whether two functions have compatible parameter types.
func CompatibleParams(a, b *Func) bool { return sameParams(a, b, map[[2]*Record]bool{}) }

func sameParams(a, b *Func, assumed map[[2]*Record]bool) bool {
	if len(a.Params) != len(b.Params) || a.Variadic != b.Variadic {
		return false
	}
	for i := range a.Params {
		if !compatible(a.Params[i], b.Params[i], assumed) {
			return false
		}
	}
	return true
}
