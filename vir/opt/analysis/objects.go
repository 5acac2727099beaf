package analysis

import (
	"slices"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/vir"
)

// Object identifies the memory that an address points into: private or local memory by
// the context field that holds its address, the buffer of an argument by the displacement
// of that argument.
type Object struct {
	Known bool  // the object is known exactly
	Field int64 // displacement in the context; 0: nothing is known
	arg   int64
}

// Distinct reports whether two objects cannot overlap.
func (o Object) Distinct(p Object) bool {
	return o.Field != 0 && p.Field != 0 && (o.Field != p.Field || o.Known && p.Known && o.arg != p.arg)
}

// Private reports whether the object is certainly private memory.
func (o Object) Private() bool { return o.Known && o.Field == vir.CtxScratch }

// Objects finds the objects of addresses in a function.
type Objects struct {
	f  *vir.Func
	of map[*vir.Value]Object
}

// NewObjects returns an empty cache for f.
func NewObjects(f *vir.Func) *Objects { return &Objects{f, map[*vir.Value]Object{}} }

// Accessed returns the object that a memory operation accesses. That of an atomic operation
// is unknown, as it may order accesses to every other object.
func (o *Objects) Accessed(v *vir.Value) Object {
	if !vir.InfoOf(v.Op).Memory || v.Volatile || vir.IsAtomic(v.Op) {
		return Object{}
	}
	return o.at(v.Args[0])
}

// at returns the object of an address: that of the pointer it is computed from.
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

// loaded returns the object that a pointer loaded by v points to.
func (o *Objects) loaded(v *vir.Value) Object {
	if !v.Invariant || v.Type != vir.Scalar(alu.I64) {
		return Object{}
	}
	switch from := v.Args[0]; {
	case from.Op == vir.Context && (v.Disp == vir.CtxScratch || v.Disp == vir.CtxLocal):
		return Object{Known: true, Field: v.Disp}
	case from.Op == vir.Load && from.Args[0].Op == vir.Context && from.Disp == vir.CtxArgs:
		// The argument may also be an integer that is added to a known pointer.
		return Object{Known: slices.Contains(o.f.NoAlias, v.Disp), Field: vir.CtxArgs, arg: v.Disp}
	}
	return Object{}
}
