package native

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// clock has the ticker interrupt code every few milliseconds. Native code cannot be preempted
// otherwise: garbage collection, other goroutines and the end of a context would have to wait
// for it.
type clock struct {
	every time.Duration // at most tickEvery; the last clock that starts sets it for all
	slot  *slot         // nil: none yet
}

// slot makes one thread known to the ticker and to the exception handler.
type slot struct {
	lock   uint32  // 1 while the ticker or the thread changes the slot
	thread uint32  // ID of the thread
	handle uintptr // of the thread; 0: the slot is free
	area   uintptr // address of the Area whose code the thread may be running, or 0
}

// maxSlots bounds the areas that have run code and were not released.
const maxSlots = 4096

// Variables that the code in exceptions_windows_amd64.s reads.
var (
	slots      [maxSlots]slot
	slotCount  uint32         // slots from here on were never used
	codeReturn uintptr        // return address of call
	running    int32          // slots with an area
	wake       windows.Handle // event: running is no longer 0
	period     uint32         // of the ticker, in milliseconds

	waitForSingleObject, sleep                                      uintptr
	suspendThread, resumeThread, getThreadContext, setThreadContext uintptr
)

// needsArea reports that all code runs with an area, by which faults are recognized.
const needsArea = true

// freeSlots guards handle of unused slots and slotCount.
var freeSlots sync.Mutex

// wide reports that the processor has zmm and opmask registers, which must be saved.
var wide, _ = Present(V4)

// exceptionAddresses returns addresses of code in exceptions_windows_amd64.s.
func exceptionAddresses() (onException, ticker uintptr)

// prepare installs the exception handler in front of the present ones and starts the ticker.
var prepare = sync.OnceValue(func() error {
	kernel32 := windows.NewLazySystemDLL("kernel32.dll")
	for name, address := range map[string]*uintptr{
		"WaitForSingleObject": &waitForSingleObject, "Sleep": &sleep,
		"SuspendThread": &suspendThread, "ResumeThread": &resumeThread,
		"GetThreadContext": &getThreadContext, "SetThreadContext": &setThreadContext,
	} {
		p := kernel32.NewProc(name)
		if err := p.Find(); err != nil {
			return err
		}
		*address = p.Addr()
	}
	_, _, findReturn := registerAddresses()
	call(findReturn, uintptr(unsafe.Pointer(&codeReturn)), 0, 0)
	var err error
	if wake, err = windows.CreateEvent(nil, 0, 0, nil); err != nil {
		return err
	}
	onException, ticker := exceptionAddresses()
	const first = 1
	if handler, _, err := kernel32.NewProc("AddVectoredExceptionHandler").Call(first, onException); handler == 0 {
		return err
	}
	thread, _, err := kernel32.NewProc("CreateThread").Call(0, 0, ticker, 0, 0, 0)
	if thread == 0 {
		return err
	}
	return windows.CloseHandle(windows.Handle(thread))
})

// start locks the calling goroutine to its thread and lets the ticker interrupt code that runs
// there with the area at this address, until stop.
func (c *clock) start(area uintptr) error {
	runtime.LockOSThread()
	if err := c.enroll(); err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("start a clock for native code: %w", err)
	}
	atomic.StoreUint32(&period, uint32(min(c.every, tickEvery)/time.Millisecond))
	c.slot.set(area)
	if atomic.AddInt32(&running, 1) == 1 {
		_ = windows.SetEvent(wake) // fails only for no event
	}
	return nil
}

// enroll gives the clock a slot for this thread: a goroutine may have moved to another one.
func (c *clock) enroll() error {
	thread := windows.GetCurrentThreadId()
	if c.slot != nil && c.slot.thread == thread {
		return nil
	}
	c.release()
	var handle windows.Handle
	process := windows.CurrentProcess()
	if err := windows.DuplicateHandle(process, windows.CurrentThread(), process, &handle, 0, false, windows.DUPLICATE_SAME_ACCESS); err != nil {
		return err
	}
	freeSlots.Lock()
	defer freeSlots.Unlock()
	for i := range slots {
		s := &slots[i]
		if s.handle != 0 {
			continue
		}
		s.thread, s.handle = thread, uintptr(handle)
		if n := uint32(i + 1); n > slotCount {
			atomic.StoreUint32(&slotCount, n)
		}
		c.slot = s
		return nil
	}
	_ = windows.CloseHandle(handle) // the error to report is another one
	return errors.New("too many threads run native code")
}

// set changes the slot's area while the ticker does not look at it. If the ticker has
// suspended this thread, it resumes it before it unlocks the slot.
func (s *slot) set(area uintptr) {
	for !atomic.CompareAndSwapUint32(&s.lock, 0, 1) {
	}
	atomic.StoreUintptr(&s.area, area)
	atomic.StoreUint32(&s.lock, 0)
}

// stop undoes start. The ticker does not touch this thread any more.
func (c *clock) stop() {
	c.slot.set(0)
	atomic.AddInt32(&running, -1)
	runtime.UnlockOSThread()
}

// release frees the slot.
func (c *clock) release() {
	if c.slot == nil {
		return
	}
	freeSlots.Lock()
	defer freeSlots.Unlock()
	_ = windows.CloseHandle(windows.Handle(c.slot.handle)) // fails only for no handle
	c.slot.handle, c.slot = 0, nil
}
