package native

import "fmt"

// FaultKind is the cause of a Fault.
type FaultKind uint8

const (
	// MemoryFault is an access to unmapped memory or without permission; also hlt, which
	// is reported at address 0.
	MemoryFault FaultKind = iota
	// DivideFault is an integer division by zero, or one whose quotient overflows.
	DivideFault
)

// Fault is the error of code that caused a processor exception.
type Fault struct {
	Kind FaultKind
	// Address of the access, if AddressKnown. The processor reports no address for
	// non-canonical addresses and privileged instructions (Address is 0), the Go runtime
	// none below 4096.
	Address      uintptr
	AddressKnown bool
	// Offset of the instruction in the image's text, if OffsetKnown: for code that ran
	// with an Area.
	Offset      int
	OffsetKnown bool
}

func (f *Fault) Error() string {
	switch {
	case f.Kind == DivideFault:
		return "native code: integer division fault"
	case !f.AddressKnown:
		return "native code: memory fault at an address below 4096"
	case f.Address == 0:
		return "native code: memory fault at a non-canonical address, or a privileged instruction"
	}
	return fmt.Sprintf("native code: memory fault at address %#x", f.Address)
}

// Dropped is the error of code that was interrupted and not resumed because its context
// had ended.
type Dropped struct {
	Offset int // offset of the next instruction in the image's text
	Err    error
}

func (d *Dropped) Error() string { return d.Err.Error() }

// Unwrap returns the context's error.
func (d *Dropped) Unwrap() error { return d.Err }
