// Package frame is the contract between generated AVX-512 code and whoever
// runs it: where the code finds its spill space and its fuel, where it leaves
// its registers when it yields, and the two stubs that do the leaving and the
// coming back.
//
// Generated code is a leaf. It is called with the address of a launch context
// in rdi, never moves rsp, pushes or calls nothing, and returns with `ret`. It
// may clobber every other register, though it should leave rbp, which is 0 on
// entry, alone: a fault while the process records an execution trace can only
// be survived then (see package native). Unreachable places are best marked
// with hlt, which faults like a bad address; ud2 and int3 end the process. Two
// registers are reserved throughout:
//
//	r14  the frame: spill space lies at and above [r14], the save area
//	     (type Save) ends at r14, that is, lies at negative offsets from it
//	r15  fuel: how many loop back edges may still be taken before a yield
//
// Putting the frame pointer between the two gives the spill slots the short
// displacements: 128 vector slots (disp8 scaled by 64) and 16 scalar ones.
//
// At entry the code loads both, the frame address from a field of the launch
// context (that field is the context's owner's business) and then the fuel:
//
//	mov r14, [rdi + offset of the frame address in the context]
//	mov r15, [r14 + frame.FuelOffset]
//
// Every loop back edge counts down and, out of fuel, goes to the yield stub
// with the address to continue at in r15, which is zero then and so free:
//
//	dec r15
//	jnz header
//	lea r15, [rip + header]   ; any address in the same module
//	jmp yield
//
// The yield stub stores every register but rsp, r14 and r15, marks the save
// area Yielded and returns to the caller. The resume stub is called like any
// function but with the frame address in rdi; it loads the registers back,
// takes the refilled fuel and jumps to where the code wanted to go on. Flags
// and MXCSR are not kept. Code that finishes just returns: the caller sets the
// status to Done before it enters.
//
// The package must not know about IR, instruction selection, or how code
// memory is obtained; it imports nothing but the standard library.
package frame

import "unsafe"

// Numbers of registers saved.
const (
	VectorCount = 32 // zmm0-zmm31, 64 bytes each
	MaskCount   = 8  // k0-k7, 64 bits each
	GPRCount    = 16 // by hardware number: rax rcx rdx rbx rsp rbp rsi rdi r8..r15
)

// Offsets from the frame address, in bytes. A frame address is a multiple of
// Alignment.
const (
	VectorsOffset = -2304            // zmm n at VectorsOffset + 64*n
	MasksOffset   = -256             // k n at MasksOffset + 8*n
	GPRsOffset    = -192             // register n at GPRsOffset + 8*n; rsp, r14, r15 unused
	ResumeOffset  = -64              // address to continue at after a yield
	FuelOffset    = ResumeOffset + 8 // fuel for the next entry or resume, at least 1
	StatusOffset  = FuelOffset + 8   // Done or Yielded
	SpillOffset   = 0                // first byte of the spill space
)

// SaveSize is the size in bytes of the save area below the frame address.
const SaveSize = 2304

// Alignment in bytes of a frame address and of the spill space.
const Alignment = 64

// Values of Save.Status.
const (
	Done    = 0 // the code returned by itself
	Yielded = 1 // the code ran out of fuel and can be resumed
)

// Save is the save area as Go sees it: SaveSize bytes that end at the frame
// address.
type Save struct {
	Vectors [VectorCount][64]byte
	Masks   [MaskCount]uint64
	GPRs    [GPRCount]uint64
	Resume  uint64
	Fuel    uint64
	Status  uint64
	_       [5]uint64
}

// Area is one frame: a save area and the spill space above it. It belongs to
// one run at a time.
type Area struct {
	memory []byte // keeps the allocation; Save starts at an aligned byte in it
	save   *Save
	spill  int
}

// NewArea allocates a zeroed frame with spillBytes of spill space (negative
// counts as none). It lives on the Go heap, whose objects do not move.
func NewArea(spillBytes int) *Area {
	spillBytes = max(spillBytes, 0)
	memory := make([]byte, SaveSize+spillBytes+Alignment-1)
	start := -uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % Alignment
	return &Area{
		memory: memory,
		save:   (*Save)(unsafe.Pointer(&memory[start])),
		spill:  spillBytes,
	}
}

// Address is the frame address: what goes into r14, and into the launch
// context for the code to find. It is valid as long as the Area is reachable.
func (a *Area) Address() uintptr {
	return uintptr(unsafe.Pointer(a.save)) + SaveSize
}

// Save is the save area below the frame address.
func (a *Area) Save() *Save { return a.save }

// SpillSize is the size of the spill space in bytes.
func (a *Area) SpillSize() int { return a.spill }
