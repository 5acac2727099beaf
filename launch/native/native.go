// Package native loads machine code and runs it from Go without cgo, on
// linux/amd64 with AVX2 or AVX-512, whichever the code is for. Elsewhere it builds,
// Available says why not, and Load returns an error.
//
// The code is a leaf: it is called with its one argument in rdi, never moves rsp,
// pushes or calls nothing, and returns with ret. That is what makes the rest work:
//
//   - A fault (bad address, division error, hlt) becomes a *Fault error. The
//     Go runtime turns a signal in foreign code into a panic only while [rsp]
//     is a return address into Go code, which in a leaf it always is. ud2 and
//     int3 are not survivable; code that marks unreachable places should use
//     hlt. The runtime does not tell which instruction it was, so a handler of this
//     package goes ahead of its own, once code is loaded, and notes that.
//   - A goroutine inside native code cannot be preempted, so a clock of its
//     thread sends a signal every few milliseconds. The handler lets the thread go
//     on where the registers of the code are kept in its Area; the code returns,
//     the garbage collector, other goroutines and the end of a context get their
//     turn, and the code is resumed with its registers where it was, between any
//     two instructions. The code itself knows nothing of it. The signal is a
//     real-time one, number 58, and belongs to this package.
//   - Any register but rsp may be clobbered; rbp and the Go registers are
//     restored on return. The code runs with the default MXCSR (round to
//     nearest, no flush to zero, exceptions masked) whatever the thread had, and
//     gives its thread's back on return. Code that may fault must not change
//     MXCSR or the direction flag: the panic starts, and may be moved to another
//     thread, with what the code left there.
//
// One limit: rbp is 0 on entry, and code should leave it so. After a fault the
// panicking goroutine has the code's rbp for a frame pointer until the panic is
// recovered. Nothing follows it but the runtime's frame pointer unwinder, that
// is, an execution trace or a block or mutex profile being taken; it stops at 0
// and crashes the process at anything else.
//
// A program is run like this:
//
//	code, err := native.Load(native.Image{Text: text, Entries: offsets})
//	defer code.Close()
//	area := native.NewArea()               // one for each concurrent run
//	var pins native.Pins
//	defer pins.Release()
//	// put pins.Bytes(buffer)... into the launch context
//	err = code.Run(ctx, 0, pins.Bytes(launchContext), area)
//
// The package must not know what the code computes, the layout of the launch
// context, kernels or work-groups.
package native

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// Image is a module of machine code ready to be loaded. It is position
// independent and has no relocations. Text is loaded at an address that is a
// multiple of 4096, so data in it may be aligned up to that.
type Image struct {
	Text    []byte
	Entries []int // offsets in Text of the functions Run may enter
	Level   Level // the processors it is for
}

// Level is a level of x86-64 processors (System V ABI for x86-64, 3.1.1).
type Level int

const (
	V3 Level = 3 // AVX2, BMI, F16C, FMA
	V4 Level = 4 // and AVX-512 F, BW, CD, DQ, VL
)

// assumed is 1 more than the level given to Assume, 0 if none was.
var assumed atomic.Int32

// Assume makes Available answer as on a processor of a level, 0 for one below V3, until the
// function that it returns is called. It serves tests of what depends on the processor. Code
// for a level that is assumed but not Present cannot be loaded.
func Assume(level Level) (restore func()) {
	old := assumed.Swap(int32(level) + 1)
	return func() { assumed.Store(old) }
}

// Available reports whether native code of a level can run here, and if not, why: as
// Present does, or by the level that is assumed.
func Available(level Level) (ok bool, reason string) {
	switch a := assumed.Load(); {
	case a == 0:
		return Present(level)
	case int32(level) < a:
		return true, ""
	}
	return false, fmt.Sprintf("a processor below x86-64-v%d is assumed", level)
}

// ErrUnavailable is wrapped by the error of Load where native code cannot run.
var ErrUnavailable = errors.New("native code cannot run here")

// ErrClosed is returned by Run after Close.
var ErrClosed = errors.New("native code is closed")

// validate checks that every offset of the image lies in its text.
func (image Image) validate() error {
	if image.Level != V3 && image.Level != V4 {
		return fmt.Errorf("native image: there is no code for level %d", image.Level)
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
