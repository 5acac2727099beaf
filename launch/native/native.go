// Package native loads machine code and runs it from Go without cgo, on linux/amd64 and
// windows/amd64 with AVX2 or AVX-512, depending on the code. On other platforms it builds,
// Available returns the reason, and Load returns an error.
//
// The code is a leaf function: it is called with one argument in rdi, never moves rsp, pushes
// or calls nothing, and returns with ret. The following properties rely on that:
//
//   - A fault (bad address, division error, hlt) becomes a *Fault error. The Go runtime
//     turns a signal in foreign code into a panic only while [rsp] is a return address into
//     Go code, which holds throughout a leaf. ud2 and int3 kill the process; code should
//     mark unreachable places with hlt. The runtime does not report the faulting
//     instruction, so this package installs a signal handler in front of the runtime's,
//     once code is loaded, which records it.
//   - A goroutine in native code cannot be preempted, so a clock of its thread sends a
//     signal every few milliseconds. The handler makes the thread continue in a routine that
//     saves the code's registers in its Area and returns from the code. The garbage
//     collector, other goroutines and the end of a context get their turn, and the code is
//     resumed between the same two instructions with its registers restored. This is
//     transparent to the code. The signal is real-time signal 58, which belongs to this package.
//   - Any register but rsp may be clobbered; rbp and Go's reserved registers are restored on
//     return. The code runs with the default MXCSR (round to nearest, no flush to zero,
//     exceptions masked), and the thread's is restored on return. Code that may fault must
//     not change MXCSR or the direction flag: the panic runs with the values that the code
//     left, and may be moved to another thread.
//
// On Windows, a vectored exception handler recognizes faults by the stack pointer, and the thread
// continues after the call; there is no panic. The clock is a thread of the operating system
// that suspends threads in native code and changes their contexts. Exceptions are handled on
// the stack of the goroutine, so the code runs with 32 KB of it free.
//
// One limitation on Linux: rbp is 0 on entry, and code should leave it 0. After a fault, the
// panicking goroutine has the code's rbp as its frame pointer until the panic is
// recovered. Only the runtime's frame pointer unwinder follows it, in execution traces and
// block or mutex profiles; it stops at 0 and crashes the process at other values.
//
// Usage:
//
//	code, err := native.Load(native.Image{Text: text, Entries: offsets})
//	defer code.Close()
//	area := native.NewArea()               // one per concurrent run
//	var pins native.Pins
//	defer pins.Release()
//	// store pins.Bytes(buffer)... in the launch context
//	err = code.Run(ctx, 0, pins.Bytes(launchContext), area)
//
// The package must be free of knowledge of the code's purpose, the layout of the launch
// context, kernels and work-groups.
package native

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// Image is a module of machine code. It is position independent and has no relocations.
// Text is loaded at an address that is a multiple of 4096, which bounds the alignment of
// data in it.
type Image struct {
	Text    []byte
	Entries []int // offsets in Text of the functions that Run may call
	Level   Level // minimum processor level
}

// Level is a level of x86-64 processors (System V ABI for x86-64, 3.1.1), or VNNI.
type Level int

const (
	V3 Level = 3 // AVX2, BMI, F16C, FMA
	V4 Level = 4 // V3 and AVX-512 F, BW, CD, DQ, VL
	// VNNI is V4 and AVX512_VNNI, which processors have since 2019 (Intel) and 2022 (AMD).
	VNNI Level = 5
)

// assumed is 1 plus the level given to Assume, 0 if there is none.
var assumed atomic.Int32

// Assume makes Available answer as on a processor of the given level, 0 for one below V3,
// until the returned function is called. It is for tests. Code for a level that is assumed
// but not Present cannot be loaded.
func Assume(level Level) (restore func()) {
	old := assumed.Swap(int32(level) + 1)
	return func() { assumed.Store(old) }
}

// Available reports whether native code of a level can run, and if not, the reason. It uses
// the assumed level, if there is one, else Present.
func Available(level Level) (ok bool, reason string) {
	switch a := assumed.Load(); {
	case a == 0:
		return Present(level)
	case int32(level) < a:
		return true, ""
	case level == VNNI:
		return false, "a processor without AVX512_VNNI is assumed"
	}
	return false, fmt.Sprintf("a processor below x86-64-v%d is assumed", level)
}

// ErrUnavailable is wrapped by the error of Load where native code cannot run.
var ErrUnavailable = errors.New("native code cannot run here")

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("native code is closed")

// validate checks that all offsets of the image are in its text.
func (image Image) validate() error {
	if image.Level < V3 || image.Level > VNNI {
		return fmt.Errorf("native image: no code is supported for level %d", image.Level)
	}
	size := len(image.Text)
	if size == 0 {
		return errors.New("native image has no code")
	}
	for i, offset := range image.Entries {
		if offset < 0 || offset >= size {
			return fmt.Errorf("native image: entry %d at offset %d is outside the %d bytes of code", i, offset, size)
		}
	}
	return nil
}
