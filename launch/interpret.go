package launch

import (
	"context"

	"github.com/simtc/simtc/internal/memory"
	"github.com/simtc/simtc/kernel"
	kinterp "github.com/simtc/simtc/kernel/interp"
	"github.com/simtc/simtc/vir"
	vinterp "github.com/simtc/simtc/vir/interp"
)

// scalarExecutor interprets the kernel IR one work-item at a time: the oracle.
type scalarExecutor struct {
	f        *kernel.Func
	maxSteps uint64
	strict   bool
	subGroup int // work-items in a sub-group; 0: the interpreter's choice
}

// NewInterpreter returns the oracle. maxSteps bounds the operations of one
// work-item between barriers; 0 means no bound. strict is Program.Strict.
func NewInterpreter(f *kernel.Func, maxSteps uint64, strict bool) Executor {
	return &scalarExecutor{f, maxSteps, strict, f.ReqdSubGroupSize}
}

// NewSubGroupInterpreter is NewInterpreter for a kernel that uses sub-groups,
// with n work-items each.
func NewSubGroupInterpreter(f *kernel.Func, maxSteps uint64, strict bool, n int) Executor {
	return &scalarExecutor{f, maxSteps, strict, n}
}

func (e *scalarExecutor) Close() error { return nil }

func (e *scalarExecutor) Launch(ctx context.Context, r Range, args []Arg, _ int) error {
	return e.run(ctx, r, args, nil)
}

// Profile counts the executions of the kernel's blocks, with one lane each.
func (e *scalarExecutor) Profile(ctx context.Context, r Range, args []Arg, _ int) ([]Count, error) {
	sum := make([]Count, len(e.f.Blocks))
	err := e.run(ctx, r, args, func(_ [3]uint64, block int) {
		sum[block].Runs++
		sum[block].Lanes++
	})
	return sum, err
}

func (e *scalarExecutor) run(ctx context.Context, r Range, args []Arg, visit func(item [3]uint64, block int)) error {
	r, err := r.Resolve(e.f.ReqdWorkGroupSize)
	if err != nil {
		return err
	}
	local, err := localSize(e.f, args)
	if err != nil {
		return err
	}
	var mem memory.Space
	block, err := layOut(e.f, args, func(_ int, b []byte) uint64 { return mem.Add(b) })
	if err != nil {
		return err
	}
	if r.Empty() {
		return nil
	}
	program := Program{Kernel: e.f}
	at := program.placeData(nil, block, mem.Add)
	if kept := program.keptPointers(args, at); kept != nil {
		kept.enter(kept.block)
		defer kept.leave()
	}
	err = kinterp.Run(ctx, e.f, kinterp.Launch{
		Data:   at,
		Global: r.Global, Local: r.Local, Offset: r.Offset, Dims: r.Dims, Args: block, Memory: &mem, MaxSteps: e.maxSteps,
		LocalSize: local, Strict: e.strict, SubGroup: uint64(e.subGroup),
		Visit: visit,
	})
	if err != nil {
		return cause(ctx, fault(ctx, e.f.Name, err))
	}
	return nil
}

// virExecutor interprets the vector IR.
type virExecutor struct {
	Program
	f        *vir.Func
	maxSteps uint64
}

// NewVIRInterpreter returns an executor that interprets f. maxSteps bounds the
// operations of one run of work-items; 0 means no bound.
func NewVIRInterpreter(p Program, f *vir.Func, maxSteps uint64) Executor {
	return &virExecutor{p, f, maxSteps}
}

func (e *virExecutor) Close() error { return nil }

func (e *virExecutor) Profile(ctx context.Context, r Range, args []Arg, _ int) ([]Count, error) {
	r, err := r.Resolve(e.Kernel.ReqdWorkGroupSize)
	if err != nil {
		return nil, err
	}
	r = e.of(r)
	space, err := e.room(r, args)
	if err != nil {
		return nil, err
	}
	var mem memory.Space
	block, err := layOut(e.Kernel, args, func(_ int, b []byte) uint64 { return mem.Add(b) })
	if err != nil {
		return nil, err
	}
	c := make(contextBlock, vir.CtxSize)
	c.put(vir.CtxArgs, mem.Add(block))
	c.put(vir.CtxScratch, mem.Add(make([]byte, space.scratch)))
	c.put(vir.CtxLocal, mem.Add(make([]byte, space.local)))
	c.put(vir.CtxLocalBytes, uint64(space.local))
	table := make([]byte, 8*max(len(e.Kernel.Data), 1))
	placed := e.placeData(table, block, mem.Add)
	if kept := e.keptPointers(args, placed); kept != nil {
		kept.enter(kept.block)
		defer kept.leave()
	}
	c.put(vir.CtxData, mem.Add(table))
	counters := make([]byte, e.counterBytes())
	c.put(vir.CtxProfile, mem.Add(counters))
	at := mem.Add(c)
	begun := false
	machine := vinterp.New(e.f)
	err = e.launch(ctx, r, 1, func() (worker, error) {
		return runFunc(func(ctx context.Context, r Range, x run) error {
			if !begun {
				begun = true
				c.setRange(r)
			}
			c.setRun(r, x)
			if err := machine.Run(ctx, &mem, at, e.maxSteps); err != nil {
				return fault(ctx, e.Kernel.Name, err)
			}
			return c.fault(ctx, &e.Program, x)
		}), nil
	})
	total := newCounts(&e.Program)
	total.add(counters)
	return total.sum, err
}

// runFunc is a stateless worker that runs one row per call.
type runFunc func(ctx context.Context, r Range, x run) error

func (f runFunc) run(ctx context.Context, r Range, next func() (run, bool)) error {
	return rowsOf(next, r, func(row run) error { return f(ctx, r, row) })
}

func (f runFunc) done() {}
