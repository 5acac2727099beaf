package native

import (
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

// faultAddresses returns addresses of labels in interrupt_linux_amd64.s.
func faultAddresses() (onFault, onFaultAgain, findReturn uintptr)

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
var WatchFaults = sync.OnceFunc(func() {
	onFault, _, findReturn := faultAddresses()
	call(findReturn, uintptr(unsafe.Pointer(&codeReturn)), 0)
	for _, s := range faultSignals {
		action, ok := actionOf(s)
		if !ok || action.handler <= sigIgnore || action.flags&faultFlags != faultFlags {
			continue
		}
		before[s], action.handler = action.handler, onFault
		setAction(s, &action)
	}
})

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
	onFault, onFaultAgain, _ := faultAddresses()
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
		_, afterSignal, _ := addresses()
		setAction(s, &sigaction{handler: onFaultAgain, flags: faultFlags, restorer: afterSignal, mask: ^uint64(0)})
	}
}
