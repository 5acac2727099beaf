package simtc

import (
	"context"
	"errors"
	"time"

	"github.com/simtc/simtc/launch"
)

// Launch runs the kernel over a range and returns when all work-items are done, ctx ends or a
// work-item fails. If ctx ends, the error is a *Stopped that wraps ctx's error and cause; if
// work-items cannot continue, it is a *Fault. If ids and arguments alone imply an access outside
// of a buffer, the error is a *Fault and nothing runs.
//
// There is one argument per parameter: a slice for a pointer (its elements have the pointee's
// type, are arrays or structs of the pointee's size and layout, or bytes; nil and nil slices
// are null pointers, an empty slice is a pointer to no memory), a number for a scalar, an array
// or slice of numbers for a vector, a struct for a struct (only its size is checked), an Image
// or a pointer to one, a Sampler, or an Arg. A vector of three components has the size of one of
// four. A number that the parameter's type cannot represent is an error; floats are rounded to
// the type; a uint16 for a half is its bits.
//
// Launches may run concurrently. A buffer or image that a kernel may write belongs to its launch
// exclusively and as a whole while that runs, because an engine that works on copies copies all
// of it back. Kernels may share what they only read.
func (k *Kernel) Launch(ctx context.Context, r Range, args ...any) error {
	k, r, as, err := k.launching(r, args)
	if err != nil {
		return err
	}
	e, err := k.k.Runner()
	if err != nil {
		return err
	}
	return k.withVariables(ctx, as, func(as []Arg) error { return k.run(ctx, e, r, as) })
}

// Tune finds the fastest strategy for launches over r with args ahead of time. It launches the
// kernel repeatedly until all close candidates have been compared, the closest again by
// several launches in a row, or limit has passed. It restores memory. Later launches over
// ranges like r run the fastest strategy from the start. The kernel's output is discarded.
// limit does not end a launch, ctx does.
//
// It does nothing if there is one candidate, if launches have compared them already, or if the
// memory that the kernel may write, which is restored after every launch, exceeds one byte per
// nanosecond of limit.
func (k *Kernel) Tune(ctx context.Context, limit time.Duration, r Range, args ...any) error {
	k, r, as, err := k.WithOutput(nil).launching(r, args)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return k.ended(ctx, context.Cause(ctx))
	}
	t, err := k.k.Tuner()
	if t == nil || err != nil || r.Empty() {
		return err
	}
	return k.withVariables(ctx, as, func(as []Arg) error {
		began := time.Now()
		contents := k.k.KeepContents(as, limit.Nanoseconds())
		if contents == nil {
			return nil
		}
		return t.Tune(limit-time.Since(began), func() error {
			defer contents.Restore()
			return k.run(ctx, t, r, as)
		})
	})
}

// Fastest returns the strategy that launches over ranges like that given to For have found to
// be the fastest so far. Until they find a faster one, it is Strategy.
func (k *Kernel) Fastest() (Strategy, error) { return k.k.Fastest() }

// launching validates a launch over r with args. It returns the kernel for it and r completed.
func (k *Kernel) launching(r Range, args []any) (*Kernel, Range, []Arg, error) {
	if err := k.open(); err != nil {
		return nil, r, nil, err
	}
	r, err := k.Resolve(r)
	if err != nil {
		return nil, r, nil, err
	}
	as, err := launch.FromGo(k.k.Signature(), args)
	if err != nil {
		return nil, r, nil, err
	}
	c, err := k.k.Launching(r, as)
	if err != nil {
		return nil, r, nil, k.prog.runError(err)
	}
	return k.as(c), r, as, nil
}

// withVariables calls run with args and, if the program has variables, the argument for those,
// which run owns until it returns. A kernel that uses none gets no memory and does not wait.
func (k *Kernel) withVariables(ctx context.Context, args []Arg, run func(args []Arg) error) error {
	passed, used := k.k.Variables()
	switch {
	case !passed:
		return run(args)
	case !used:
		return run(append(args, Buffer([]byte{})))
	}
	v, release, err := k.prog.variables.Hold(ctx)
	if err != nil {
		return k.ended(ctx, err)
	}
	defer release()
	return run(append(args, v))
}

// run launches the kernel with its executor e.
func (k *Kernel) run(ctx context.Context, e launch.Executor, r Range, args []Arg) error {
	return k.around(ctx, r, args, func(args []Arg) error { return e.Launch(ctx, r, args, k.threads) })
}

// around calls run with the arguments that launches add, handles the memory of those, and
// converts the error.
func (k *Kernel) around(ctx context.Context, r Range, args []Arg, run func(args []Arg) error) error {
	return k.printing(r, args, func(args []Arg) error {
		return k.prog.runError(k.k.Reporting(r, args, func(args []Arg) error {
			return k.ended(ctx, k.prog.runError(run(args)))
		}))
	})
}

// printing runs a launch over r with an argument for the output of the kernel, if it has any,
// and writes that output.
func (k *Kernel) printing(r Range, args []Arg, run func(args []Arg) error) error {
	if !k.k.Prints() {
		return run(args)
	}
	p := k.prog.logs.New(k.k.Signature(), k.prog.opt.PrintfBytes)
	err := run(append(args, p.Arg()))
	k.prog.printing.Lock()
	defer k.prog.printing.Unlock()
	return errors.Join(err, p.Finish(k.out, r))
}
