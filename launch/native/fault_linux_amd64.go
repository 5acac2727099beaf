package native

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Variables that onFault reads: the return address of call, and the previous handlers by signal.
var (
	codeReturn uintptr
	before     [32]uintptr
)

// needsArea reports that all code runs with an area, by which faults are recognized.
const needsArea = false

// prepare installs handlers, in front of the present ones, that record the address of a
// faulting instruction, which the Go runtime does not report. It is done only once: a
// handler installed later may chain to this one, which must not chain back to it. If
// installation fails, faults have no offset.
var prepare = sync.OnceValue(func() error {
	_, onFault, _ := signalAddresses()
	_, _, findReturn := registerAddresses()
	call(findReturn, uintptr(unsafe.Pointer(&codeReturn)), 0)
	for _, s := range []unix.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE} {
		var action sigaction
		if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), 0, uintptr(unsafe.Pointer(&action)), saMaskSize, 0, 0); errno != 0 {
			continue
		}
		const flags = saSigInfo | saRestorer | saOnStack
		if action.handler <= sigIgnore || action.flags&flags != flags {
			continue
		}
		before[s], action.handler = action.handler, onFault
		_, _, _ = unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&action)), 0, saMaskSize, 0, 0)
	}
	return nil
})

// enter calls machine code at fn, and repeats it while next returns true, until the code is
// interrupted, which it reports. A fault becomes an error. The function prologue of enter
// is the point where the scheduler can preempt the goroutine in between.
//
//go:noinline
func enter(ctx context.Context, fn, argument uintptr, area *Area, next func() bool) (stopped bool, err error) {
	status, address := new(uint64), uintptr(0)
	if area != nil {
		status, address = &area.save.status, area.address()
		area.save.fault = 0
		if err := area.clock.start(address); err != nil {
			return false, err
		}
		defer area.clock.stop()
	}
	previous := debug.SetPanicOnFault(true)
	running := true
	defer func() {
		debug.SetPanicOnFault(previous)
		if !running {
			return
		}
		zeroUpper() // the trampoline was skipped by the panic
		value := recover()
		fault := faultOf(value)
		if fault == nil {
			panic(value)
		}
		if area != nil && area.save.fault != 0 {
			fault.Offset, fault.OffsetKnown = int(area.save.fault-area.save.base), true
		}
		err = fault
	}()
	for {
		*status = done
		call(fn, argument, address)
		if *status != done || !next() {
			break
		}
		if err = ctx.Err(); err != nil {
			break
		}
	}
	running = false
	return *status != done, err
}

// zeroUpper clears the upper halves of the vector registers; otherwise SSE instructions
// are slow on some processors.
func zeroUpper()

// faultOf converts the value of a panic that was raised while native code ran. It returns
// nil for panics that did not originate in a signal.
func faultOf(value any) *Fault {
	err, ok := value.(runtime.Error)
	if !ok {
		return nil
	}
	if located, ok := err.(interface{ Addr() uintptr }); ok {
		return &Fault{Kind: MemoryFault, Address: located.Addr(), AddressKnown: true}
	}
	// The runtime's values for these two are unexported; their texts are part of programs'
	// output and have not changed since Go 1.
	switch text := err.Error(); {
	case strings.Contains(text, "divide by zero"):
		return &Fault{Kind: DivideFault}
	case strings.Contains(text, "nil pointer dereference"):
		return &Fault{Kind: MemoryFault}
	}
	return nil
}
