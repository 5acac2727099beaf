package native

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Variables that onFault reads: the return address of call, and the previous handlers by signal.
var (
	codeReturn uintptr
	before     [32]uintptr
)

// faultAddresses returns addresses of labels in interrupt_linux_amd64.s.
func faultAddresses() (onFault, findReturn uintptr)

// watchFaults installs handlers, in front of the present ones, that record the address of a
// faulting instruction, which the Go runtime does not report. It is done only once: a
// handler installed later may chain to this one, which must not chain back to it. If
// installation fails, faults have no offset.
var watchFaults = sync.OnceFunc(func() {
	onFault, findReturn := faultAddresses()
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
})
