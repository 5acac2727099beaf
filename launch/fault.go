package launch

import (
	"context"
	"errors"
	"fmt"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// Fault is the error of a kernel whose work-items cannot continue.
type Fault struct {
	Kernel string
	Pos    diag.Pos // invalid if unknown
	What   error    // without the location
	err    error    // with the location
}

func (f *Fault) Error() string { return fmt.Sprintf("kernel %s: %v", f.Kernel, f.err) }

// Unwrap returns the executor's error.
func (f *Fault) Unwrap() error { return f.err }

// NewFault returns a Fault at a location.
func NewFault(kernel string, at diag.Pos, what error) *Fault {
	return faultOf(kernel, located(at, what))
}

// fault wraps an error of the kernel's code in a Fault, unless it is the end of ctx.
func fault(ctx context.Context, name string, err error) error {
	if why := ctx.Err(); why != nil && (errors.Is(err, why) || errors.Is(err, context.Cause(ctx))) {
		return err
	}
	return faultOf(name, err)
}

// faultOf wraps err in a Fault.
func faultOf(name string, err error) *Fault {
	f := &Fault{Kernel: name, What: err, err: err}
	var barrier *kernel.BarrierFault
	if errors.As(err, &barrier) && barrier.At.IsValid() {
		f.err = &diag.Located{Pos: barrier.At, Err: err}
	}
	var located *diag.Located
	if errors.As(f.err, &located) && located.Pos.IsValid() {
		f.Pos, f.What = located.Pos, located.Err
	}
	return f
}
