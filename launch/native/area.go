package native

import (
	"runtime"
	"time"
	"unsafe"
)

// Numbers of registers that are saved in an Area.
const (
	vectorCount = 32 // zmm0-zmm31, 64 bytes each
	maskCount   = 8  // k0-k7, 64 bits each
	gprCount    = 16 // by hardware number: rax rcx rdx rbx rsp rbp rsi rdi r8..r15
)

// Offsets in bytes from the address of an Area; the assembly includes them from go_asm.h.
const (
	saveSize      = 2304
	vectorsOffset = -saveSize // zmm n at 64*n
	masksOffset   = -256      // k n at 8*n
	gprsOffset    = -192      // register n at 8*n; rsp is that of the code, on Windows only
	resumeOffset  = -64
	flagsOffset   = -56
	statusOffset  = -48
	baseOffset    = -40
	sizeOffset    = -32
	faultOffset   = -24

	exceptionOffset = -16
	addressOffset   = -8
)

// tickEvery is the period of interrupts.
const tickEvery = 4 * time.Millisecond

// areaAlign is the alignment in bytes of the address of an Area.
const areaAlign = 64

// Values of save.status.
const (
	done        = 0 // the code returned
	interrupted = 1 // the code was interrupted and can be resumed
	faulted     = 2 // Windows only: the code caused an exception
)

// save holds the registers of interrupted code: saveSize bytes that end at the address of
// an Area.
type save struct {
	vectors [vectorCount][64]byte
	masks   [maskCount]uint64
	gprs    [gprCount]uint64
	resume  uint64 // address at which to continue
	flags   uint64
	status  uint64
	base    uint64 // address of the code that may be interrupted
	size    uint64 // its size in bytes, 0: no code
	fault   uint64 // address of the instruction that faulted, 0: none

	// Windows only: the exception of the fault, and the address of the access.
	exception, address uint64
}

// Offsets in bytes of fields of a launch context: the number of a row, and of the rows to run.
const (
	rowOffset  = 8
	rowsOffset = 208
)

// Area is the state of one run of code besides its context: space for the registers of
// interrupted code, and the interrupting clock.
type Area struct {
	memory []byte // the allocation that contains save
	save   *save
	clock  *clock

	// Rows: the argument of the code is a context with a number of rows, for each of which it is
	// called. If the code is interrupted and resumed, the context has the rows that are left,
	// the current one included.
	Rows bool

	// Brief: the code is known to end within about a millisecond, so that it is not worth the
	// system calls of a clock.
	Brief bool
}

// NewArea allocates a zeroed area on the Go heap, whose objects do not move.
func NewArea() *Area {
	memory := AlignedBytes(saveSize, areaAlign)
	a := &Area{memory: memory, save: (*save)(unsafe.Pointer(&memory[0])), clock: &clock{every: tickEvery}}
	runtime.AddCleanup(a, (*clock).release, a.clock)
	return a
}

// rows returns argument, that of fn, if it is a context with a number of rows; else 0.
func (a *Area) rows(argument uintptr) uintptr {
	if a == nil || !a.Rows || argument == a.address() {
		return 0
	}
	return argument
}

// address is the end of save. It is valid while the Area is reachable.
func (a *Area) address() uintptr { return uintptr(unsafe.Pointer(a.save)) + saveSize }

// Release frees the Area's system resources; it can be used again. The garbage collector
// does the same.
func (a *Area) Release() { a.clock.release() }
