package native

import (
	"fmt"
	"runtime"
	"strings"
)

// FaultKind tells what the processor objected to.
type FaultKind uint8

const (
	// MemoryFault is an access to memory that is not there or may not be
	// accessed that way; also hlt, which is reported at address 0.
	MemoryFault FaultKind = iota
	// DivideFault is an integer division by zero or one whose quotient does
	// not fit.
	DivideFault
)

// Fault is the error of code that the processor stopped.
type Fault struct {
	Kind FaultKind
	// Address of the access, when AddressKnown. The processor gives no address
	// for non-canonical addresses and privileged instructions (Address is 0
	// then), and the Go runtime none below 4096.
	Address      uintptr
	AddressKnown bool
	// Offset of the instruction in the image's text, when OffsetKnown: of faults in code
	// that was run with an Area.
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

// Dropped is the error of code that was interrupted and not resumed, as its context had
// ended.
type Dropped struct {
	Offset int // in the image's text, of the instruction that would have been the next
	Err    error
}

func (d *Dropped) Error() string { return d.Err.Error() }

// Unwrap returns the error of the context.
func (d *Dropped) Unwrap() error { return d.Err }

// faultOf translates the value of a panic raised while native code ran. It
// returns nil for panics that the runtime's signal handling does not raise.
func faultOf(value any) *Fault {
	err, ok := value.(runtime.Error)
	if !ok {
		return nil
	}
	if located, ok := err.(interface{ Addr() uintptr }); ok {
		return &Fault{Kind: MemoryFault, Address: located.Addr(), AddressKnown: true}
	}
	// The runtime's values for these two are unexported; their texts are part
	// of what programs print and have not changed since Go 1.
	switch text := err.Error(); {
	case strings.Contains(text, "divide by zero"):
		return &Fault{Kind: DivideFault}
	case strings.Contains(text, "nil pointer dereference"):
		return &Fault{Kind: MemoryFault}
	}
	return nil
}
