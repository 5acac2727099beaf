package opencl

import (
	"sync/atomic"

	"github.com/simtc/simtc/opencl/cl"
)

// object is the part that all objects of the API have in common: two reference counts. refs
// counts those of the application, uses also those of other objects and of commands. The
// application cannot name an object once refs is 0; it is destroyed once uses is 0.
type object struct {
	handle     uintptr // that the driver has given it
	refs, uses atomic.Int32
	destroy    func() // nil: nothing to do
}

func (o *object) base() *object { return o }

// Object is a *Platform, *Device, *Context, *Queue, *Event, *Mem, *Sampler, *Program or *Kernel.
type Object interface{ base() *object }

// create makes an object that the application refers to once.
func (o *object) create(destroy func()) {
	o.refs.Store(1)
	o.uses.Store(1)
	o.destroy = destroy
}

// use adds a use by another object, or reports that the object is destroyed.
func (o *object) use() bool {
	for {
		n := o.uses.Load()
		if n == 0 {
			return false
		}
		if o.uses.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// drop ends a use.
func (o *object) drop() {
	if o.uses.Add(-1) == 0 && o.destroy != nil {
		o.destroy()
	}
}

// Retain adds a reference of the application.
func Retain(o Object) { o.base().refs.Add(1) }

// Release ends a reference of the application. It returns the number of those that are left;
// with the last one the object's handle is no longer valid.
func Release(o Object) int {
	b := o.base()
	left := b.refs.Add(-1)
	if left == 0 {
		b.drop()
	}
	return int(max(left, 0))
}

// Handle returns the handle of an object, 0 if it has none or is nil.
func Handle(o Object) uintptr {
	if o == nil {
		return 0
	}
	return o.base().handle
}

// SetHandle gives an object its handle.
func SetHandle(o Object, handle uintptr) { o.base().handle = handle }

// references returns the reference count that queries report.
func (o *object) references() uint32 { return uint32(o.refs.Load()) }

// badName is the error of a query for something that the object lacks.
func badName(name int) error { return fail(cl.INVALID_VALUE, "there is no query %#x", name) }
