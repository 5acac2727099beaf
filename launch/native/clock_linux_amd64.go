package native

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tickSignal is the signal of the clocks: a real-time signal that neither Go nor C
// libraries use.
const tickSignal = 58

// clock interrupts code every few milliseconds. Native code cannot be preempted otherwise:
// garbage collection, other goroutines and the end of a context would have to wait for it.
// The value of a signal is the address of an Area, which identifies the code that may be
// interrupted.
type clock struct {
	every  time.Duration
	thread int   // the thread that receives the signals; 0: there is no timer
	timer  int32 // the timer's id
}

// sigevent is struct sigevent of Linux.
type sigevent struct {
	value          uintptr
	signal, notify int32
	thread         int32
	_              [44]byte
}

// sigaction is struct sigaction of Linux on x86-64.
type sigaction struct {
	handler  uintptr
	flags    uint64
	restorer uintptr
	mask     uint64
}

// Constants of Linux that package unix lacks.
const (
	sigevThreadID = 4

	saSigInfo  = 0x4
	saRestorer = 0x04000000
	saOnStack  = 0x08000000
	saRestart  = 0x10000000
	saMaskSize = 8

	sigUnblock = 1
	sigIgnore  = 1 // SIG_DFL and SIG_IGN are at most this
)

// wide reports that the processor has zmm and opmask registers, which must be saved.
var wide, _ = Present(V4)

// signalAddresses returns addresses of code in signals_linux_amd64.s.
func signalAddresses() (onTick, onFault, onFaultAgain, afterSignal uintptr)

// handleTicks installs the signal's handler before every run, because a program may ignore
// all signals at any time.
func handleTicks() error {
	onTick, _, _, afterSignal := signalAddresses()
	action := sigaction{
		handler: onTick, restorer: afterSignal, mask: ^uint64(0),
		flags: saSigInfo | saRestorer | saOnStack | saRestart,
	}
	if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, tickSignal, uintptr(unsafe.Pointer(&action)), 0, saMaskSize, 0, 0); errno != 0 {
		return fmt.Errorf("handle signal %d, which interrupts native code: %w", tickSignal, errno)
	}
	return nil
}

// start locks the calling goroutine to its thread and interrupts code that runs there with
// the area at this address, until stop.
func (c *clock) start(area uintptr) error {
	runtime.LockOSThread()
	err := handleTicks()
	if err == nil {
		err = c.arm(area)
	}
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("start a clock for native code: %w", err)
	}
	return nil
}

// arm starts a timer for this thread: a goroutine may have moved to another one.
func (c *clock) arm(area uintptr) error {
	if thread := unix.Gettid(); c.thread != thread {
		c.release()
		mask := uint64(1) << (tickSignal - 1) // the parent process may have blocked the signal
		if _, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, sigUnblock, uintptr(unsafe.Pointer(&mask)), 0, saMaskSize, 0, 0); errno != 0 {
			return errno
		}
		event := sigevent{
			value: area, signal: tickSignal, notify: sigevThreadID, thread: int32(thread),
		}
		if _, _, errno := unix.RawSyscall(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&event)), uintptr(unsafe.Pointer(&c.timer))); errno != 0 {
			return errno
		}
		c.thread = thread
	}
	return c.set(c.every)
}

// set sets the period of the timer's signals; 0 stops it.
func (c *clock) set(every time.Duration) error {
	t := unix.NsecToTimespec(every.Nanoseconds())
	times := unix.ItimerSpec{Interval: t, Value: t}
	if _, _, errno := unix.RawSyscall6(unix.SYS_TIMER_SETTIME, uintptr(c.timer), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// stop undoes start. A pending signal is delivered before the system call returns, so that
// none arrives later.
func (c *clock) stop() {
	_ = c.set(0) // fails only for no timer
	runtime.UnlockOSThread()
}

// release deletes the timer.
func (c *clock) release() {
	if c.thread != 0 {
		_, _, _ = unix.RawSyscall(unix.SYS_TIMER_DELETE, uintptr(c.timer), 0, 0) // fails only for no timer
		c.thread = 0
	}
}
