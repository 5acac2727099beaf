package native

import (
	"runtime"
	"time"
	"unsafe"
)

// Numbers of registers that an Area has room for.
const (
	vectorCount = 32 // zmm0-zmm31, 64 bytes each
	maskCount   = 8  // k0-k7, 64 bits each
	gprCount    = 16 // by hardware number: rax rcx rdx rbx rsp rbp rsi rdi r8..r15
)

// Offsets from the address of an Area in bytes, as interrupt_linux_amd64.s has
// them from go_asm.h.
const (
	saveSize      = 2304
	vectorsOffset = -saveSize // zmm n at 64*n
	masksOffset   = -256      // k n at 8*n
	gprsOffset    = -192      // register n at 8*n; rsp is the caller's
	resumeOffset  = -64
	flagsOffset   = -56
	statusOffset  = -48
	baseOffset    = -40
	sizeOffset    = -32
	faultOffset   = -24
)

// tickEvery is how often code is interrupted.
const tickEvery = 4 * time.Millisecond

// areaAlign is the alignment in bytes of the address of an Area.
const areaAlign = 64

// Values of save.status.
const (
	done        = 0 // the code returned by itself
	interrupted = 1 // it was stopped and can be resumed
)

// save is where the registers of interrupted code lie: saveSize bytes that end
// at the address of an Area.
type save struct {
	vectors [vectorCount][64]byte
	masks   [maskCount]uint64
	gprs    [gprCount]uint64
	resume  uint64 // address to continue at
	flags   uint64
	status  uint64
	base    uint64 // of the code that may be interrupted
	size    uint64 // its bytes, 0: none
	fault   uint64 // address of the instruction of the code that the processor stopped, 0: none
	_       [2]uint64
}

// Area is what a run of code needs besides its context: room for its registers while
// it is interrupted, and the clock that does that. It belongs to one run at a time.
type Area struct {
	memory []byte // keeps the allocation; save starts at an aligned byte in it
	save   *save
	clock  *clock
}

// NewArea allocates a zeroed area. It lives on the Go heap, whose objects do not
// move.
func NewArea() *Area {
	memory := AlignedBytes(saveSize, areaAlign)
	a := &Area{memory: memory, save: (*save)(unsafe.Pointer(&memory[0])), clock: &clock{every: tickEvery}}
	runtime.AddCleanup(a, (*clock).release, a.clock)
	return a
}

// address is where the room for registers ends. It is valid as long as the Area is
// reachable.
func (a *Area) address() uintptr { return uintptr(unsafe.Pointer(a.save)) + saveSize }

// Release gives back what the system keeps for the Area, which can be used again. The
// garbage collector does so, too.
func (a *Area) Release() { a.clock.release() }
