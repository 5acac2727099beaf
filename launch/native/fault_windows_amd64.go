package native

import (
	"context"
	"math"

	"golang.org/x/sys/windows"
)

// faultOf returns the fault that onException recorded in the area.
func (s *save) faultOf() *Fault {
	f := &Fault{Kind: MemoryFault}
	if offset := s.fault - s.base; offset < s.size {
		f.Offset, f.OffsetKnown = int(offset), true
	}
	switch windows.NTStatus(s.exception) {
	case windows.STATUS_INTEGER_DIVIDE_BY_ZERO, windows.STATUS_INTEGER_OVERFLOW:
		f.Kind = DivideFault
	case windows.STATUS_ACCESS_VIOLATION, windows.STATUS_IN_PAGE_ERROR, windows.STATUS_GUARD_PAGE_VIOLATION:
		const known = 4096 // below it, the Go runtime of other systems reports no addresses
		switch address := s.address; {
		case address == math.MaxUint64: // non-canonical
			f.AddressKnown = true
		case address >= known:
			f.Address, f.AddressKnown = uintptr(address), true
		}
	default: // a privileged instruction
		f.AddressKnown = true
	}
	return f
}

// enter calls machine code at fn, and repeats it while next returns true, until the code is
// interrupted, which it reports. A fault is an error. The function prologue of enter is the
// point where the scheduler can preempt the goroutine in between.
//
//go:noinline
func enter(ctx context.Context, fn, argument uintptr, area *Area, next func() bool) (stopped bool, err error) {
	save := area.save
	if err := area.clock.start(area.address()); err != nil {
		return false, err
	}
	defer area.clock.stop()
	for {
		save.status = done
		call(fn, argument, area.address(), area.rows(argument))
		switch {
		case save.status == faulted:
			return false, save.faultOf()
		case save.status == interrupted:
			return true, nil
		case !next():
			return false, nil
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
}

// WatchFaults does nothing: Load installs the exception handler.
func WatchFaults() {}

// KeepFaults does nothing: exception handlers stay in place.
func KeepFaults() {}
