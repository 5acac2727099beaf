package opencl

import (
	"runtime"
	"runtime/debug"

	"github.com/simtc/simtc/opencl/cl"
)

// access runs a function that reads or writes memory of the application. That memory may be
// shorter than the application says, or none: a fault becomes an error, which is reported.
func (c *Context) access(run func() error) (err error) {
	previous := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(previous)
		value := recover()
		if value == nil {
			return
		}
		fault, ok := value.(runtime.Error)
		if !ok || !memoryFault(fault) {
			panic(value)
		}
		if located, ok := fault.(interface{ Addr() uintptr }); ok {
			err = fail(cl.OUT_OF_RESOURCES, "no access to the memory of the application at %#x", located.Addr())
		} else {
			err = fail(cl.OUT_OF_RESOURCES, "no access to the memory of the application: an address near 0")
		}
		c.report("%s", err.(*Error).Text)
	}()
	return run()
}

// memoryFault reports whether err is a fault of an access.
func memoryFault(err runtime.Error) bool {
	if _, ok := err.(interface{ Addr() uintptr }); ok {
		return true
	}
	// The address is not known if it is in the first page; the runtime exports no type for this.
	return err.Error() == "runtime error: invalid memory address or nil pointer dereference"
}
