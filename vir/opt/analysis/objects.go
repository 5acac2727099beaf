package analysis

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Object is what an access lies in, as far as its address tells: private or
// local memory by the field of the context that has its address, what an
// argument points to by that argument's displacement.
type Object struct {
	Known bool  // which it is
	Field int64 // of the context; 0: nothing is known
	arg   int64
}

// Distinct reports whether two objects certainly share no memory.
func (o Object) Distinct(p Object) bool {
	return o.Field != 0 && p.Field != 0 && (o.Field != p.Field || o.Known && p.Known && o.arg != p.arg)
}

// Private reports whether the object is certainly private memory.
func (o Object) Private() bool { return o.Known && o.Field == vir.CtxScratch }

// Objects finds objects by address.
type Objects struct {
	f  *vir.Func
	of map[*vir.Value]Object
}

func NewObjects(f *vir.Func) *Objects { return &Objects{f, map[*vir.Value]Object{}} }

// Accessed is the object that a memory operation accesses. Atomic operations may
// tell that others have written to any.
func (o *Objects) Accessed(v *vir.Value) Object {
	if !vir.InfoOf(v.Op).Memory || v.Volatile || vir.IsAtomic(v.Op) {
		return Object{}
	}
	return o.at(v.Args[0])
}

// at is the object that an address lies in: that which it is computed from.
func (o *Objects) at(v *vir.Value) Object {
	if x, ok := o.of[v]; ok {
		return x
	}
	var x Object
	switch v.Op {
	case vir.Load:
		x = o.loaded(v)
	case alu.Add:
		a, b := o.at(v.Args[0]), o.at(v.Args[1])
		switch {
		case a.Known && b.Known:
		case b.Known || a.Field == 0:
			x = b
		default:
			x = a
		}
	case alu.Sub:
		if !o.at(v.Args[1]).Known {
			x = o.at(v.Args[0])
		}
	}
	o.of[v] = x
	return x
}

func (o *Objects) loaded(v *vir.Value) Object {
	if !v.Invariant || v.Type != vir.Scalar(alu.I64) {
		return Object{}
	}
	switch from := v.Args[0]; {
	case from.Op == vir.Context && (v.Disp == vir.CtxScratch || v.Disp == vir.CtxLocal):
		return Object{Known: true, Field: v.Disp}
	case from.Op == vir.Load && from.Args[0].Op == vir.Context && from.Disp == vir.CtxArgs:
		// It may be a number, too: what it is added to is known then.
		return Object{Known: slices.Contains(o.f.Apart, v.Disp), Field: vir.CtxArgs, arg: v.Disp}
	}
	return Object{}
}
