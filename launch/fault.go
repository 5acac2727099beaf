package launch

import (
	"context"
	"errors"
	"fmt"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// Fault is the error of work-items that cannot go on.
type Fault struct {
	Kernel string
	Pos    diag.Pos // not valid if no place is known
	What   error    // without the place
	err    error    // with it
}

func (f *Fault) Error() string { return fmt.Sprintf("kernel %s: %v", f.Kernel, f.err) }

// Unwrap returns what the executor reported.
func (f *Fault) Unwrap() error { return f.err }

// NewFault makes a Fault of what happened at a place.
func NewFault(kernel string, at diag.Pos, what error) *Fault {
	return faultOf(kernel, located(at, what))
}

// fault makes a Fault of what code of the kernel ended with, unless that is the end of ctx.
func fault(ctx context.Context, name string, err error) error {
	if why := ctx.Err(); why != nil && (errors.Is(err, why) || errors.Is(err, context.Cause(ctx))) {
		return err
	}
	return faultOf(name, err)
}

// faultOf makes a Fault of err.
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
