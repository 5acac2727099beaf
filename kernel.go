package simtc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/clprintf"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/boundscheck"
)

// Kernel is a kernel of a program, compiled in the way the program's options
// ask for, or as With says. Its methods may be called from several goroutines.
type Kernel struct {
	shared *kernelState
	cfg    config
	out    io.Writer // of printf; nil: nowhere
}

// kernelState is what all ways to compile a kernel have in common.
type kernelState struct {
	prog    *Program
	raw     *kernel.Func // as lowered; prepare works on it in place
	index   int
	args    []kernel.Arg // those of the source: not those that launches add
	formats []clprintf.Format
	name    string

	localBytes int // of local variables, as lowered

	prepareOnce sync.Once
	prepareErr  error
	stats       opt.Stats
	irreducible bool // has a cycle with several entries
	divergent   bool // has a branch at which lanes may part
	arms        bool // has one that neither leaves a loop nor ends the kernel
	exits       bool // has a loop that lanes leave at several such branches
	apart       bool // lanes may access lines of memory far from each other
	postpones   bool // a part of it can be put off (package postpone)
	refills     bool // it has a loop that lanes leave apart (package refill)
	heavy       bool // it is certain that this part is heavy
	variables   bool // it can access the program's variables
	byGroup     bool // has to be run group by group
	subGroups   bool // what it computes depends on the width

	oracleOnce sync.Once
	oracle     *kernel.Func
	oracleErr  error

	// A kernel with tests of accesses is made of base; see withTests.
	base         *kernelState
	checks       *boundscheck.Checked
	oracleChecks *boundscheck.Checked

	checkMu sync.Mutex
	checked checkedStates

	mu       sync.Mutex
	settled  map[config]config // what configs are that leave something open
	variants map[config]*variant

	executed *atomic.Uint64 // see Executed

	// A kernel that asks for the size of its work-group and requires one has two states:
	// code of the first takes the size for granted. Each knows the other.
	uniform, nonUniform *kernelState
	// wholeGroups: the kernel was read from text in which the size that it requires is
	// already taken for granted, where it asks for it.
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

// With returns the kernel compiled in another way, for the same target if w names none.
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

// WithOutput returns the kernel with what it prints going to w, as to Options.Printf; nil
// drops it.
func (k *Kernel) WithOutput(w io.Writer) *Kernel { return &Kernel{k.shared, k.cfg, w} }

// Checked returns the kernel with launches that test accesses, as with Options.Checked.
func (k *Kernel) Checked() *Kernel {
	c := k.cfg
	c.checked = true
	return &Kernel{k.shared, c, k.out}
}

// Program returns the program that the kernel belongs to.
func (k *Kernel) Program() *Program { return k.shared.prog }

// Name is the kernel's name.
func (k *Kernel) Name() string { return k.shared.name }

// Param describes a parameter of a kernel.
type Param struct {
	Name     string
	Type     string // as OpenCL C writes it: "__global float4 *"
	Kind     ParamKind
	Elem     string // scalar type of the value or the pointee: "float"; "" for structs and void
	Lanes    int    // vector components of the value or the pointee
	Size     int    // bytes of a value; of what is no value, 8
	ReadOnly bool   // the pointee is const
}

// TakesElements reports whether a buffer with elements of a scalar type of OpenCL C may be
// passed for a pointer, by the rule by which Launch takes slices: elements have the pointee's
// size and are floating-point if it is, or they are bytes ("uchar").
func (p Param) TakesElements(scalar string) bool { return launch.FitsElement(p.Elem, scalar) }

// ParamKind says how a parameter is passed.
type ParamKind uint8

const (
	ByValue       ParamKind = iota // a number, vector, struct or sampler
	GlobalPointer                  // a pointer to __global or __constant memory: a buffer
	LocalPointer                   // a pointer to __local memory, of which only the size is given
	ImageParam                     // an image; Param.Elem is its type, as "image2d_t"
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

// Target names what the kernel is compiled for.
func (k *Kernel) Target() string { return k.cfg.target.name }

// Available reports why Launch would refuse the kernel's options, or has no processor for
// its code; nil means that it can run here.
func (k *Kernel) Available() error {
	if err := k.cfg.target.canRun(&k.shared.prog.opt, k.cfg.width); err != nil {
		return err
	}
	_, _, err := k.shared.allowed(k.cfg)
	return err
}

// Executed is how many instructions of the kernel's code launches have executed so far, in
// whatever way it is compiled, where they are emulated (Options.Emulate); else 0.
func (k *Kernel) Executed() uint64 { return k.shared.executed.Load() }

// Way tells how the kernel is compiled, with all choices made. Targets without
// lanes have no linearizer and no bypasses, and no width unless the kernel calls
// functions of sub-groups: then it is the size of those.
func (k *Kernel) Way() (Way, error) {
	c, err := k.shared.settle(k.cfg)
	return c.way(), err
}

// Linearizer names what makes the control flow uniform; "" if the target has no
// lanes or the kernel cannot be compiled.
func (k *Kernel) Linearizer() string {
	w, _ := k.Way()
	return w.Linearizer
}

// Width is how many lanes run together; 0 if the target has no lanes and
// the kernel no sub-groups.
func (k *Kernel) Width() (int, error) {
	w, err := k.Way()
	return w.Width, err
}

// Build compiles the kernel for its target and makes it ready to run. Launch
// does it when it is needed.
func (k *Kernel) Build() error {
	if err := k.open(); err != nil {
		return err
	}
	_, err := k.executor()
	return err
}

// Launch runs the kernel over a range and returns when all work-items are done,
// ctx ends or a work-item fails. If ctx ends, the error is a *Stopped with that of ctx
// and its cause; if work-items cannot go on, it is a *Fault. It is also a *Fault, and nothing
// runs, if ids and arguments alone decide that a work-item accesses memory outside of a buffer.
//
// There is one argument for each parameter: a slice for a pointer (of elements of the
// pointee's type, arrays or structs of its size, laid out like it, or bytes; nil, also that of a slice
// type, is a null pointer, and an empty slice one to no memory), a number for a scalar, an
// array or slice of numbers for a vector, a struct for a struct, of which only the size is
// compared, an Image or a pointer to one, a Sampler, or an Arg. A vector of three components
// takes the place of four in memory. Numbers that the parameter's type cannot hold are
// errors, floats are rounded to it; for a half, a uint16 is taken for its bits.
//
// Launches may run at once. The buffers and images that a kernel may write to belong to
// its launch while that runs, whole, whatever part of them it writes: an engine that
// works on copies brings all of it back. What kernels only read they may share.
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

// withVariables calls run with args and, if the program has variables, that for those, which
// belong to run until it returns. A kernel that uses none gets no memory and waits for nobody.
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

// run launches e, which is the kernel.
func (k *Kernel) run(ctx context.Context, e launch.Executor, r Range, args []Arg) error {
	return k.printing(r, args, func(args []Arg) error {
		return k.reporting(r, args, func(args []Arg) error {
			return k.ended(ctx, k.shared.prog.runError(e.Launch(ctx, r, args, k.shared.prog.opt.Threads)))
		})
	})
}

// launching returns the kernel for a launch over r, completed, with args.
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

// over returns the kernel compiled for arguments like those given: code for
// buffers that share no memory would not do for others.
func (k *Kernel) over(args []Arg) *Kernel {
	c := k.cfg
	if c.overlap = c.overlap || launch.Overlap(args); c == k.cfg || c.target.scalar {
		return k
	}
	return &Kernel{k.shared, c, k.out}
}

// printing runs a launch over r with an argument for what the kernel prints,
// if it does, and writes that out.
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

// Resolve fills in what a range leaves open, as Launch will: the work-group's
// size. It reports ranges that the kernel cannot run over.
func (k *Kernel) Resolve(r Range) (Range, error) {
	return r.Resolve(k.shared.raw.ReqdWorkGroupSize)
}

// signature is a function with the kernel's name and parameters.
func (s *kernelState) signature() *kernel.Func {
	return &kernel.Func{Name: s.name, Args: s.args}
}

// prepared returns the kernel in the form that linearization takes.
func (s *kernelState) prepared() (*kernel.Func, error) {
	s.prepareOnce.Do(func() {
		s.prepareErr = prepare(s.raw, s.stats, s.prog.opt.Verify)
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

// lowered returns the kernel as the front end made it.
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

// settled returns the variant, or for a target without lanes one of another
// that has them: the way in which stages before the targets are shown.
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

// Stats counts what the passes did, by name: those over the kernel IR, and, if
// the target has lanes, those over the vector IR and what became of it.
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

// ABI tells by name what a caller of the kernel's code has to know besides its
// arguments and the launch context (vir.Func.ABI): how much memory it needs
// ("private_bytes", "local_bytes"; of native code "spill_bytes", below the private
// memory), what processors it is for ("x86_64_level" of native code: 3 or 4), and how it
// runs ("width"; 1 for what is so: "groups", "phases", "postpones"). Targets without lanes
// have none.
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
