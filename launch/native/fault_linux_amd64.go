package native

import (
	"context"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Variables that findFault reads: the return address of call, and by signal the previous
// handlers and those that others have installed later.
var (
	codeReturn    uintptr
	before, after [32]uintptr
)

// needsArea reports that all code runs with an area, by which faults are recognized.
const needsArea = false

// prepare makes faults of code known.
func prepare() error {
	WatchFaults()
	return nil
}

// faultSignals lists the signals of faults.
var faultSignals = []unix.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE}

const faultFlags = saSigInfo | saRestorer | saOnStack

// actionOf returns the present action of a signal.
func actionOf(s unix.Signal) (action sigaction, ok bool) {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), 0, uintptr(unsafe.Pointer(&action)), saMaskSize, 0, 0)
	return action, errno == 0
}

func setAction(s unix.Signal, action *sigaction) bool {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(action)), 0, saMaskSize, 0, 0)
	return errno == 0
}

// WatchFaults installs handlers, in front of the present ones, that record the address of a
// faulting instruction, which the Go runtime does not report. It is done only once: a
// handler installed later may chain to this one, which must not chain back to it. If
// installation fails, faults have no offset.
//
// Load calls it. A library in a process that is not Go's calls it when it is loaded, while the
// present handlers are those of the Go runtime.
func WatchFaults() { watchFaults() }

var watchFaults = sync.OnceFunc(func() {
	_, onFault, _, _ := signalAddresses()
	_, _, findReturn := registerAddresses()
	call(findReturn, uintptr(unsafe.Pointer(&codeReturn)), 0, 0)
	for _, s := range faultSignals {
		action, ok := actionOf(s)
		if !ok || action.handler <= sigIgnore || action.flags&faultFlags != faultFlags {
			continue
		}
		before[s], action.handler = action.handler, onFault
		setAction(s, &action)
	}
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
		if !area.Brief {
			if err := area.clock.start(address); err != nil {
				return false, err
			}
			defer area.clock.stop()
		}
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
		call(fn, argument, address, area.rows(argument))
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

// faultsMu guards after.
var faultsMu sync.Mutex

var started = time.Now().Add(-time.Second)

// faultsAt is the time of the last check of KeepFaults.
var faultsAt atomic.Int64

// faultsEvery is the time between checks, which cost as much as a short launch.
const faultsEvery = int64(time.Millisecond)

// KeepFaults makes faults of code errors again where another part of the process has installed
// handlers since code was loaded, or has reset them. Those handlers get all other faults. It
// works once for each signal: a third handler is left in front. It does nothing within a
// millisecond of the last time.
func KeepFaults() {
	at := int64(time.Since(started))
	if at-faultsAt.Load() < faultsEvery {
		return
	}
	faultsAt.Store(at)
	_, onFault, onFaultAgain, afterSignal := signalAddresses()
	if now, ok := actionOf(unix.SIGSEGV); !ok || now.handler == onFault || now.handler == onFaultAgain {
		return // a program that handles the others handles this one, too
	}
	faultsMu.Lock()
	defer faultsMu.Unlock()
	for _, s := range faultSignals {
		now, ok := actionOf(s)
		if !ok || before[s] == 0 || after[s] != 0 && after[s] != now.handler || now.handler == onFault || now.handler == onFaultAgain {
			continue
		}
		if after[s] = now.handler; now.handler <= sigIgnore {
			after[s] = before[s]
		}
		setAction(s, &sigaction{handler: onFaultAgain, flags: faultFlags, restorer: afterSignal, mask: ^uint64(0)})
	}
}
