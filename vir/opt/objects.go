package opt

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// object is what an access lies in, as far as its address tells: private or
// local memory by the field of the context that has its address, what an
// argument points to by that argument's displacement.
type object struct {
	known bool  // which it is
	field int64 // of the context; 0: nothing is known
	arg   int64
}

// distinct reports whether two objects certainly share no memory.
func (o object) distinct(p object) bool {
	return o.field != 0 && p.field != 0 && (o.field != p.field || o.known && p.known && o.arg != p.arg)
}

// private reports whether the object is certainly private memory.
func (o object) private() bool { return o.known && o.field == vir.CtxScratch }

// objects finds objects by address.
type objects struct {
	f  *vir.Func
	of map[*vir.Value]object
}

func newObjects(f *vir.Func) *objects { return &objects{f, map[*vir.Value]object{}} }

// accessed is the object that a memory operation accesses. Atomic operations may
// tell that others have written to any.
func (o *objects) accessed(v *vir.Value) object {
	if !vir.InfoOf(v.Op).Memory || v.Volatile || vir.IsAtomic(v.Op) {
		return object{}
	}
	return o.at(v.Args[0])
}

// at is the object that an address lies in: that which it is computed from.
func (o *objects) at(v *vir.Value) object {
	if x, ok := o.of[v]; ok {
		return x
	}
	var x object
	switch v.Op {
	case vir.Load:
		x = o.loaded(v)
	case alu.Add:
		a, b := o.at(v.Args[0]), o.at(v.Args[1])
		switch {
		case a.known && b.known:
		case b.known || a.field == 0:
			x = b
		default:
			x = a
		}
	case alu.Sub:
		if !o.at(v.Args[1]).known {
			x = o.at(v.Args[0])
		}
	}
	o.of[v] = x
	return x
}

func (o *objects) loaded(v *vir.Value) object {
	if !v.Invariant || v.Type != vir.Scalar(alu.I64) {
		return object{}
	}
	switch from := v.Args[0]; {
	case from.Op == vir.Context && (v.Disp == vir.CtxScratch || v.Disp == vir.CtxLocal):
		return object{known: true, field: v.Disp}
	case from.Op == vir.Load && from.Args[0].Op == vir.Context && from.Disp == vir.CtxArgs:
		// It may be a number, too: what it is added to is known then.
		return object{known: slices.Contains(o.f.Apart, v.Disp), field: vir.CtxArgs, arg: v.Disp}
	}
	return object{}
}
