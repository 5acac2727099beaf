//go:build cgo

package main

import (
	"fmt"
	"unsafe"

	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

// args are the arguments of a call as words.
type args []uint64

// pointer returns the address in a word of the application.
func pointer(w uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&w)) }

func (a args) ptr(i int) unsafe.Pointer { return pointer(a[i]) }

// size returns a size_t. Sizes beyond those of int are negative, which no function accepts.
func (a args) size(i int) int { return int(a[i]) }

// num returns a number of 32 bits.
func (a args) num(i int) int { return int(uint32(a[i])) }

// signed returns a signed number of 32 bits.
func (a args) signed(i int) int { return int(int32(a[i])) }

// flag returns a cl_bool.
func (a args) flag(i int) bool { return uint32(a[i]) != 0 }

// words returns n words at p.
func words(p unsafe.Pointer, n int) []uint64 {
	if p == nil || n <= 0 {
		return nil
	}
	return unsafe.Slice((*uint64)(p), n)
}

// sizes returns n numbers of type size_t at p; nil if p is null.
func sizes(p unsafe.Pointer, n int) []int {
	var out []int
	for _, w := range words(p, n) {
		out = append(out, int(w))
	}
	return out
}

// extent returns numbers of type size_t at p, one for each of dims dimensions; nil if p is null or the
// number of dimensions is invalid, since the list may then be shorter.
func extent(p unsafe.Pointer, dims int) []int {
	if dims > 3 {
		return nil
	}
	return sizes(p, dims)
}

// triple returns three numbers of type size_t.
func (a args) triple(i int) ([3]int, error) {
	if a[i] == 0 {
		return [3]int{}, wrong(cl.INVALID_VALUE, "a null pointer for an origin or a region")
	}
	return [3]int(sizes(a.ptr(i), 3)), nil
}

// properties returns a list of words that ends with 0, with the 0; nil if p is null.
func properties(p unsafe.Pointer) []uint64 {
	var out []uint64
	for i := 0; p != nil; i++ {
		w := *(*uint64)(unsafe.Add(p, 8*i))
		out = append(out, w)
		if w == 0 {
			break
		}
	}
	return out
}

// pairs returns the properties in a list of names and values that ends with 0, with the 0; nil
// if p is null.
func pairs(p unsafe.Pointer) []uint64 {
	var out []uint64
	for i := 0; p != nil; i += 2 {
		w := *(*uint64)(unsafe.Add(p, 8*i))
		out = append(out, w)
		if w == 0 {
			break
		}
		out = append(out, *(*uint64)(unsafe.Add(p, 8*i+8)))
	}
	return out
}

// put writes a value unless p is null.
func put[T any](p unsafe.Pointer, v T) {
	if p != nil {
		*(*T)(p) = v
	}
}

// wrong returns an error of the API.
func wrong(code int, format string, args ...any) error {
	return &opencl.Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// handler answers a call: it returns the result of the C function.
type handler func(a args) uint64

// handlerOf returns the handler of a function: h is a func(args) error, (uintptr, error) or
// uintptr, a func(args), or nil for a function that is not supported.
func handlerOf(f cl.Function, h any) handler {
	unsupported := wrong(cl.INVALID_OPERATION, "%s is not supported", f.Name)
	switch h := h.(type) {
	case func(args) error:
		return func(a args) uint64 { return uint64(opencl.CodeOf(h(a))) }
	case func(args) (uintptr, error):
		return func(a args) uint64 {
			v, err := h(a)
			put(a.ptr(f.Params-1), int32(opencl.CodeOf(err)))
			return uint64(v)
		}
	case func(args) uintptr:
		return func(a args) uint64 { return uint64(h(a)) }
	case func(args):
		return func(a args) uint64 { h(a); return 0 }
	}
	switch f.Returns {
	case cl.Status:
		return func(args) uint64 { return uint64(opencl.CodeOf(unsupported)) }
	case cl.Object:
		return func(a args) uint64 {
			put(a.ptr(f.Params-1), int32(opencl.CodeOf(unsupported)))
			return 0
		}
	}
	return func(args) uint64 { return 0 }
}

// answer writes the result of a query to the parameters size, value and size returned, of which
// the first is number i.
func (a args) answer(i int, v any, err error) error {
	if err != nil {
		return err
	}
	b := opencl.Encode(v)
	if p := a.ptr(i + 1); p != nil {
		if a.size(i) >= 0 && a.size(i) < len(b) {
			return wrong(cl.INVALID_VALUE, "the result has %d bytes", len(b))
		}
		copy(unsafe.Slice((*byte)(p), len(b)), b)
	}
	put(a.ptr(i+2), uint64(len(b)))
	return nil
}

// waits returns the events of a wait list whose number is parameter i.
func (a args) waits(i int) ([]*opencl.Event, error) {
	n := a.num(i)
	if (n == 0) != (a[i+1] == 0) {
		return nil, wrong(cl.INVALID_EVENT_WAIT_LIST, "a wait list of %d events", n)
	}
	return all[*opencl.Event](n, a.ptr(i+1), cl.INVALID_EVENT_WAIT_LIST)
}

// event returns the event of a command through parameter i, if the application wants it.
func (a args) event(i int, e *opencl.Event, err error) error {
	if err != nil {
		return err
	}
	if p := a.ptr(i); p != nil {
		put(p, handles.add(e))
	} else {
		opencl.Release(e)
	}
	return nil
}

// object returns the handle of a new object.
func object[T opencl.Object](o T, err error) (uintptr, error) {
	if err != nil {
		return 0, err
	}
	return handles.add(o), nil
}

// callback returns the function of the application and its data in parameters i and i+1.
func (a args) callback(i int) (f uintptr, data uint64) { return uintptr(a[i]), a[i+1] }

// addressOf returns the address of a value as a word.
func addressOf[T any](p *T) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }
