package simtc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/clprintf"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/boundscheck"
)

// Kernel is a kernel of a program with the strategy of the program's options, or that of With.
// Its methods are safe for concurrent use.
type Kernel struct {
	shared *kernelState
	cfg    config
	out    io.Writer // for printf; nil discards the output
}

// kernelState is the state that all strategies of a kernel share.
type kernelState struct {
	prog    *Program
	raw     *kernel.Func // as lowered; prepare modifies it
	index   int
	args    []kernel.Arg // the parameters in the source, without those that launches add
	formats []clprintf.Format
	name    string

	localBytes int // local memory of variables, as lowered

	prepareOnce    sync.Once
	prepareErr     error
	stats          opt.Stats
	costs          pass.Costs // of the passes over all strategies, if measured
	irreducible    bool       // has a cycle with several entries
	divergent      bool       // has a divergent branch
	divergentArms  bool       // has one that neither exits a loop nor ends the kernel
	divergentExits bool       // has a loop with several divergent exits
	distantLanes   bool       // adjacent lanes may access distant cache lines
	deferrable     bool       // a region of it can be deferred (package postpone)
	refillable     bool       // it has a loop with divergent exits that can be refilled (package refill)
	certainlyHeavy bool       // the deferrable region is certainly expensive
	variables      bool       // it can access the program's variables
	byGroup        bool       // it must run in work-groups
	subGroups      bool       // its results depend on the width

	oracleOnce sync.Once
	oracle     *kernel.Func
	oracleErr  error

	// base is the kernel from which a kernel with tests of accesses is derived; see withTests.
	base         *kernelState
	checks       *boundscheck.Checked
	oracleChecks *boundscheck.Checked

	checkMu sync.Mutex
	checked checkedStates

	mu       sync.Mutex
	settled  map[config]config // results of settle
	variants map[config]*variant

	executed *atomic.Uint64 // see Executed

	// A kernel that queries the size of its work-group and requires one has two states: code of
	// the first assumes the required size. Each refers to the other.
	uniform, nonUniform *kernelState
	// wholeGroups: the kernel was read from text in which its required work-group size is
	// already substituted.
	wholeGroups bool

	planMu sync.Mutex
	plans  map[config]*planned
}

func newKernel(p *Program, f *kernel.Func, index int) *Kernel {
	s := newKernelState(p, f, index)
	if f.ReqdWorkGroupSize != [3]int{} && f.Uses(kernel.LocalSize) {
		g := kernel.Clone(f)
		g.NonUniform = true
		s.nonUniform = newKernelState(p, g, index)
		s.nonUniform.uniform, s.nonUniform.executed = s, s.executed
	}
	return &Kernel{s, p.cfg, p.opt.printf()}
}

func newKernelState(p *Program, f *kernel.Func, index int) *kernelState {
	s := &kernelState{
		prog: p, raw: f, index: index, name: f.Name, formats: f.Formats, executed: new(atomic.Uint64),
		wholeGroups: f.Prepared && f.ReqdWorkGroupSize != [3]int{}, localBytes: f.LocalSize(),
		stats: opt.Stats{}, settled: map[config]config{}, variants: map[config]*variant{}, plans: map[config]*planned{},
	}
	s.args, s.variables = f.Args[:f.ParamCount()], f.UsesVariables()
	return s
}

// With returns the kernel compiled with another strategy, for the same target if w has none.
func (k *Kernel) With(w Way) (*Kernel, error) {
	open := w.Target == "" && k.cfg.open
	if w.Target == "" {
		w.Target = k.Target()
	}
	c, err := w.config()
	if err != nil {
		return nil, err
	}
	c.open, c.checked = open, k.cfg.checked
	return &Kernel{k.shared, c, k.out}, nil
}

// WithOutput returns the kernel with its output redirected to w, as with Options.Printf; nil
// discards it.
func (k *Kernel) WithOutput(w io.Writer) *Kernel { return &Kernel{k.shared, k.cfg, w} }

// Checked returns the kernel with launches that test accesses, as with Options.Checked.
func (k *Kernel) Checked() *Kernel {
	c := k.cfg
	c.checked = true
	return &Kernel{k.shared, c, k.out}
}

// Program returns the program that the kernel belongs to.
func (k *Kernel) Program() *Program { return k.shared.prog }

// Name returns the kernel's name.
func (k *Kernel) Name() string { return k.shared.name }

// Param describes a parameter of a kernel.
type Param struct {
	Name     string
	Type     string // in OpenCL C syntax: "__global float4 *"
	Kind     ParamKind
	Elem     string // scalar type of the value or the pointee: "float"; "" for structs and void
	Lanes    int    // vector components of the value or the pointee
	Size     int    // size of the value in bytes; 8 for other kinds
	ReadOnly bool   // the pointee is const
}

// TakesElements reports whether a buffer with elements of the given OpenCL C scalar type may be
// passed for a pointer, by the rule for slices in Launch: elements have the size of the pointee
// and are floating-point if it is, or they are bytes ("uchar").
func (p Param) TakesElements(scalar string) bool { return launch.FitsElement(p.Elem, scalar) }

// ParamKind is the kind of a parameter.
type ParamKind uint8

const (
	ByValue       ParamKind = iota // a number, vector, struct or sampler
	GlobalPointer                  // a pointer to __global or __constant memory: a buffer
	LocalPointer                   // a pointer to __local memory: its size
	ImageParam                     // an image; Param.Elem is its type, such as "image2d_t"
)

// Params lists the kernel's parameters.
func (k *Kernel) Params() []Param {
	out := make([]Param, len(k.shared.args))
	for i, a := range k.shared.args {
		p := Param{Name: a.Name, Type: a.CType, Elem: a.Elem, Lanes: a.Count, Size: a.Size, ReadOnly: a.ReadOnly}
		switch a.Kind {
		case kernel.ArgBuffer:
			p.Kind = GlobalPointer
		case kernel.ArgLocal:
			p.Kind = LocalPointer
		case kernel.ArgImage:
			p.Kind = ImageParam
		}
		out[i] = p
	}
	return out
}

// Target returns the name of the kernel's target.
func (k *Kernel) Target() string { return k.cfg.target.name }

// Available returns the reason why Launch would reject the kernel's options or cannot run its
// code on this processor; nil if it can run.
func (k *Kernel) Available() error {
	if err := k.cfg.target.canRun(&k.shared.prog.opt, k.cfg.width); err != nil {
		return err
	}
	_, _, err := k.shared.allowed(k.cfg)
	return err
}

// Executed returns the number of instructions that launches of the kernel have executed so far,
// with any strategy, if they are emulated (Options.Emulate); otherwise 0.
func (k *Kernel) Executed() uint64 { return k.shared.executed.Load() }

// Way returns the kernel's strategy with all choices made. Targets without lanes have no
// linearizer, no bypasses, and no width, unless the kernel uses sub-groups, whose size it is
// then.
func (k *Kernel) Way() (Way, error) {
	c, err := k.shared.settle(k.cfg)
	return c.way(), err
}

// Linearizer returns the name of the linearizer; "" if the target has no lanes or the kernel
// cannot be compiled.
func (k *Kernel) Linearizer() string {
	w, _ := k.Way()
	return w.Linearizer
}

// Width returns the number of lanes; 0 if the target has no lanes and the kernel no
// sub-groups.
func (k *Kernel) Width() (int, error) {
	w, err := k.Way()
	return w.Width, err
}

// Build compiles the kernel for its target and loads the code. Launch does so if needed.
func (k *Kernel) Build() error {
	if err := k.open(); err != nil {
		return err
	}
	_, err := k.executor()
	return err
}

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
	e, err := k.runner()
	if err != nil {
		return err
	}
	return k.withVariables(ctx, as, func(as []Arg) error { return k.run(ctx, e, r, as) })
}

// withVariables calls run with args and, if the program has variables, the argument for those,
// which run owns until it returns. A kernel that uses none gets no memory and does not wait.
func (k *Kernel) withVariables(ctx context.Context, args []Arg, run func(args []Arg) error) error {
	s := k.shared
	switch {
	case s.raw.VariablesArg() < 0:
		return run(args)
	case !s.variables:
		return run(append(args, Buffer([]byte{})))
	}
	v, release, err := s.prog.variables.Hold(ctx)
	if err != nil {
		return k.ended(ctx, err)
	}
	defer release()
	return run(append(args, v))
}

// run launches the kernel with its executor e.
func (k *Kernel) run(ctx context.Context, e launch.Executor, r Range, args []Arg) error {
	return k.printing(r, args, func(args []Arg) error {
		return k.reporting(r, args, func(args []Arg) error {
			return k.ended(ctx, k.shared.prog.runError(e.Launch(ctx, r, args, k.shared.prog.opt.Threads)))
		})
	})
}

// launching validates a launch over r with args. It returns the kernel for it and r completed.
func (k *Kernel) launching(r Range, args []any) (*Kernel, Range, []Arg, error) {
	if err := k.open(); err != nil {
		return nil, r, nil, err
	}
	r, err := k.Resolve(r)
	if err != nil {
		return nil, r, nil, err
	}
	if k, err = k.For(r); err != nil {
		return nil, r, nil, err
	}
	as, err := launch.FromGo(k.shared.signature(), args)
	if err != nil {
		return nil, r, nil, err
	}
	if k, err = k.bounded(r, as); err != nil {
		return nil, r, nil, err
	}
	return k.over(as), r, as, nil
}

// over returns the kernel compiled for buffers that overlap, if some of args do.
func (k *Kernel) over(args []Arg) *Kernel {
	c := k.cfg
	if c.overlap = c.overlap || launch.Overlap(args); c == k.cfg || c.target.scalar {
		return k
	}
	return &Kernel{k.shared, c, k.out}
}

// printing runs a launch over r with an argument for the output of the kernel, if it has any,
// and writes that output.
func (k *Kernel) printing(r Range, args []Arg, run func(args []Arg) error) error {
	s := k.shared
	if s.raw.PrintfArg() < 0 {
		return run(args)
	}
	p := s.prog.logs.New(&kernel.Func{Name: s.name, Formats: s.formats, ReqdWorkGroupSize: s.raw.ReqdWorkGroupSize}, s.prog.opt.PrintfBytes)
	err := run(append(args, p.Arg()))
	s.prog.printing.Lock()
	defer s.prog.printing.Unlock()
	return errors.Join(err, p.Finish(k.out, r))
}

// Resolve completes a range as Launch does, by the work-group size. It returns an error for
// ranges that the kernel does not support.
func (k *Kernel) Resolve(r Range) (Range, error) {
	return r.Resolve(k.shared.raw.ReqdWorkGroupSize)
}

// signature returns a function with the kernel's name and parameters.
func (s *kernelState) signature() *kernel.Func {
	return &kernel.Func{Name: s.name, Args: s.args}
}

// prepared returns the kernel in the form that linearization requires.
func (s *kernelState) prepared() (*kernel.Func, error) {
	s.prepareOnce.Do(func() {
		s.prepareErr = prepare(s.raw, s.passes(s.stats))
		if s.prepareErr == nil {
			s.diverge(s.raw)
			s.byGroup, s.subGroups = s.raw.ByGroup(), s.raw.SubGroups()
		}
	})
	if s.prepareErr != nil {
		return nil, fmt.Errorf("kernel %s: %w", s.name, s.prog.compileError(s.prepareErr))
	}
	return s.raw, nil
}

// passes returns a context for passes over the kernel that counts their effects in stats.
func (s *kernelState) passes(stats opt.Stats) *pass.Context {
	o := &s.prog.opt.Debug
	c := &pass.Context{Stats: stats, Verify: o.Verify, Disabled: slices.Clone(o.Disable)}
	if o.Measure {
		c.Costs = &s.costs
	}
	if len(o.DumpAfter) > 0 {
		c.DumpAfter, c.Dump = o.DumpAfter, func(step pass.Step, ir fmt.Stringer) {
			s.prog.dump(fmt.Sprintf("; kernel %s after pass %s\n%s\n", s.name, step, ir))
		}
	}
	return c
}

// lowered returns the kernel as lowered by the front end.
func (s *kernelState) lowered() (*kernel.Func, error) {
	s.oracleOnce.Do(func() {
		if s.base != nil {
			s.oracle, s.oracleErr = s.checkedOracle()
			return
		}
		m, err := s.prog.lower([]string{s.name}, map[string]string{})
		if err == nil && len(m.Funcs) != 1 {
			err = fmt.Errorf("kernel %s: compiled to %d kernels", s.name, len(m.Funcs))
		}
		if err != nil {
			s.oracleErr = s.prog.compileError(err)
			return
		}
		s.oracle = m.Funcs[0]
	})
	return s.oracle, s.oracleErr
}

// settled returns the variant that shows stages before the target: for a target without lanes,
// that of VIR.
func (k *Kernel) settled() (*variant, error) {
	if k.cfg.target.scalar {
		t, err := targetByName(VIR)
		if err != nil {
			return nil, err
		}
		c := k.cfg
		c.target = t
		k = &Kernel{k.shared, c, k.out}
	}
	return k.variant()
}

// Stats returns the statistics of the passes by name: those over the kernel IR, and, if the
// target has lanes, those over the vector IR and of code generation.
func (k *Kernel) Stats() (map[string]int, error) {
	if _, err := k.shared.prepared(); err != nil {
		return nil, err
	}
	out := maps.Clone(map[string]int(k.shared.stats))
	if k.cfg.target.scalar {
		return out, nil
	}
	v, err := k.variant()
	if err != nil {
		return nil, err
	}
	if err := v.generated(); err != nil {
		return nil, err
	}
	for name, n := range v.stats {
		out[name] += n
	}
	if c, ok := v.code.(nativeCode); ok {
		c.count(out)
	}
	for _, part := range v.parts() {
		for name, n := range part.report.Counts() {
			out[name] += n
		}
		for kind, n := range part.info.Count().Accesses {
			out["accesses "+divergence.AccessKind(kind).String()] += n
		}
	}
	return out, nil
}

// ABI returns by name the facts that a caller of the kernel's code needs besides its arguments
// and the launch context (vir.Func.ABI): its memory ("private_bytes", "local_bytes"; for native
// code "spill_bytes", below the private memory), its processor level ("x86_64_level", for native
// code: 3 or 4), its width ("width"), and flags that are 1 if set ("groups", "phases",
// "postpones"). Targets without lanes have none.
func (k *Kernel) ABI() (map[string]int, error) {
	if k.cfg.target.scalar {
		return nil, nil
	}
	v, err := k.variant()
	if err != nil {
		return nil, err
	}
	if err := v.generated(); err != nil {
		return nil, err
	}
	if c, ok := v.code.(nativeCode); ok {
		return c.ABI().Map(), nil
	}
	return v.vir.ABI().Map(), nil
}

func (s *kernelState) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, v := range s.variants {
		if v.exec != nil {
			errs = append(errs, v.exec.Close())
		}
	}
	clear(s.variants)
	if s.nonUniform != nil {
		errs = append(errs, s.nonUniform.close())
	}
	s.checkMu.Lock()
	defer s.checkMu.Unlock()
	for _, c := range s.checked.states {
		errs = append(errs, c.close())
	}
	s.checked = checkedStates{}
	return errors.Join(errs...)
}
