package native

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What onFault reads: where code returns to, and the handlers by signal.
var (
	codeReturn uintptr
	before     [32]uintptr
)

// faultAddresses returns where parts of interrupt_linux_amd64.s lie.
func faultAddresses() (onFault, findReturn uintptr)

// watchFaults has the instructions of faults recorded, which the Go runtime does not tell
// of: a handler of this package goes ahead of each that is there. That is done once, as
// another that came later, and goes on with this one, must not be gone on with. Where it
// cannot be done, nobody learns where faults are.
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
