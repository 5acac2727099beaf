//go:build cgo

// Command driver is the OpenCL driver: a shared library for the ICD loader, and for programs that
// load it themselves.
//
//	go build -buildmode=c-shared -o libsimtc-opencl.so ./opencl/driver
//
// The C functions of the API, in entries.c, pass their arguments as words to simtcCall. The
// handlers below decode them and call package opencl.
package main

/*
#cgo LDFLAGS: -Wl,-Bsymbolic-functions
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern void *const simtcDispatch[];

// invoke calls a function of the application with up to four words.
static void invoke(uint64_t f, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
	((void (*)(uint64_t, uint64_t, uint64_t, uint64_t))(uintptr_t)f)(a, b, c, d);
}

// print writes to the standard output of C, so that the output of kernels and of the
// application have the right order.
static void print(const void *text, size_t n) {
	fwrite(text, 1, n, stdout);
	fflush(stdout);
}
*/
import "C"

import (
	"os"
	"runtime/debug"
	"sync"
	"unsafe"

	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/opencl"
	"github.com/simtc/simtc/opencl/cl"
)

func main() {}

// The application may install handlers of its own before it runs a kernel.
func init() { native.WatchFaults() }

// platform is the only platform, created on the first call.
var platform = sync.OnceValue(func() *opencl.Platform {
	cfg := opencl.FromEnvironment(os.Getenv, os.Stderr)
	cfg.Output = stdout{}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		cfg.Version = info.Main.Version
	}
	p := opencl.NewPlatform(cfg)
	handles.dispatch = uintptr(unsafe.Pointer(&C.simtcDispatch))
	handles.add(p)
	handles.add(p.Device())
	return p
})

// stdout writes to the standard output of C.
type stdout struct{}

func (stdout) Write(b []byte) (int, error) {
	if len(b) > 0 {
		C.print(unsafe.Pointer(&b[0]), C.size_t(len(b)))
	}
	return len(b), nil
}

// invoke calls a function of the application.
func invoke(f uintptr, words ...uint64) {
	var w [4]uint64
	copy(w[:], words)
	C.invoke(C.uint64_t(f), C.uint64_t(w[0]), C.uint64_t(w[1]), C.uint64_t(w[2]), C.uint64_t(w[3]))
}

// withText calls f with the address of a C string.
func withText(text string, f func(p uint64)) {
	p := C.CString(text)
	defer C.free(unsafe.Pointer(p))
	f(uint64(uintptr(unsafe.Pointer(p))))
}

// text returns the text at an address with a final zero byte.
func text(p unsafe.Pointer) string { return C.GoString((*C.char)(p)) }

// textOf returns n bytes of text at an address, or all to a zero byte if n is 0.
func textOf(p unsafe.Pointer, n int) string {
	if n == 0 {
		return text(p)
	}
	return string(unsafe.Slice((*byte)(p), n))
}

// calls are the handlers by number of the function.
var calls = func() (out [len(cl.Functions)]handler) {
	for i, f := range cl.Functions {
		out[i] = handlerOf(f, handlers[f.Name])
	}
	return out
}()

//export simtcCall
func simtcCall(function C.uint32_t, words *C.uint64_t) C.uint64_t {
	platform()
	a := args(unsafe.Slice((*uint64)(words), max(cl.Functions[function].Params, 1)))
	return C.uint64_t(calls[function](a))
}
