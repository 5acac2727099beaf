package pipeline

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/clprintf"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/boundscheck"
)

// Kernel is a kernel of a program with a strategy. Its methods are safe for concurrent use.
type Kernel struct {
	shared *state
	cfg    Choice
}

// state is the state that all strategies of a kernel share.
type state struct {
	prog    *Program
	raw     *kernel.Func // as lowered; prepare modifies it
	index   int
	args    []kernel.Arg // the parameters in the source, without those that launches add
	formats []clprintf.Format
	name    string

	localBytes int // local memory of variables, as lowered

	prepareOnce sync.Once
	prepareErr  error
	stats       opt.Stats
	costs       pass.Costs // of the passes over all strategies, if measured
	irreducible bool       // has a cycle with several entries
	laneDims    [3]bool    // dimensions along which lanes may lie
	variables   bool       // it can access the program's variables
	byGroup     bool       // it must run in work-groups
	subGroups   bool       // its results depend on the width

	boundsOnce  sync.Once
	boundsLoops []int // arguments that decide how often loops run: see valuesFor

	factsMu sync.Mutex
	facts   map[lanesKey]*laneFacts // those computed so far

	oracleOnce sync.Once
	oracle     *kernel.Func
	oracleErr  error

	// base is the kernel from which a kernel with tests of accesses is derived; see withTests.
	base         *state
	checks       *boundscheck.Checked
	oracleChecks *boundscheck.Checked

	checkMu sync.Mutex
	checked checkedStates

	mu       sync.Mutex
	settled  map[Choice]Choice // results of settle
	variants map[Choice]*variant

	executed *atomic.Uint64 // see Executed

	// A kernel that queries the size of its work-group and requires one has two states: code of
	// the first assumes the required size. Each refers to the other.
	uniform, nonUniform *state
	// wholeGroups: the kernel was read from text in which its required work-group size is
	// already substituted.
	wholeGroups bool

	planMu sync.Mutex
	plans  map[Choice]*planned
}

func newKernel(p *Program, f *kernel.Func, index int, c Choice) *Kernel {
	s := newState(p, f, index)
	if f.ReqdWorkGroupSize != [3]int{} && f.Uses(kernel.LocalSize) {
		g := kernel.Clone(f)
		g.NonUniform = true
		s.nonUniform = newState(p, g, index)
		s.nonUniform.uniform, s.nonUniform.executed = s, s.executed
	}
	return &Kernel{s, c}
}

func newState(p *Program, f *kernel.Func, index int) *state {
	s := &state{
		prog: p, raw: f, index: index, name: f.Name, formats: f.Formats, executed: new(atomic.Uint64),
		wholeGroups: f.Prepared && f.ReqdWorkGroupSize != [3]int{}, localBytes: f.LocalSize(),
		stats: opt.Stats{}, settled: map[Choice]Choice{}, variants: map[Choice]*variant{}, plans: map[Choice]*planned{},
	}
	s.args, s.variables = f.Args[:f.ParamCount()], f.UsesVariables()
	return s
}

// With returns the kernel compiled with another strategy, for the same target if w has none.
func (k *Kernel) With(w Strategy) (*Kernel, error) {
	if w.Target == "" {
		w.Target = k.Target()
	}
	c, err := w.Choose()
	if err != nil {
		return nil, err
	}
	c.checked = k.cfg.checked
	return &Kernel{k.shared, c}, nil
}

// Checked returns the kernel with launches that test accesses, as with Options.Checked.
func (k *Kernel) Checked() *Kernel {
	c := k.cfg
	c.checked = true
	return &Kernel{k.shared, c}
}

// Name returns the kernel's name.
func (k *Kernel) Name() string { return k.shared.name }

// Target returns the name of the kernel's target.
func (k *Kernel) Target() string { return k.cfg.target.Name }

// Available returns the reason why Launch would reject the kernel's options or cannot run its
// code on this processor; nil if it can run.
func (k *Kernel) Available() error {
	if err := canRun(k.cfg.target, &k.shared.prog.Settings); err != nil {
		return err
	}
	_, _, err := k.shared.allowed(k.cfg)
	return err
}

// Executed returns the number of instructions that launches of the kernel have executed so far,
// with any strategy, if they are emulated; otherwise 0.
func (k *Kernel) Executed() uint64 { return k.shared.executed.Load() }

// Strategy returns the kernel's strategy with all choices made. Targets without lanes have no
// linearizer, no bypasses, and no width, unless the kernel uses sub-groups, whose size it is
// then.
func (k *Kernel) Strategy() (Strategy, error) {
	c, err := k.shared.settle(k.cfg)
	return c.strategy(), err
}

// Build compiles the kernel for its target and loads the code.
func (k *Kernel) Build() error {
	_, err := k.executor()
	return err
}

// Launching returns the kernel for a launch over r, which is resolved, with args: code for such
// ranges and buffers, with tests of the accesses that need them. An access that is certainly out
// of bounds is an error, a *launch.Fault.
func (k *Kernel) Launching(r launch.Range, args []launch.Arg) (*Kernel, error) {
	k, err := k.For(r)
	if err != nil {
		return nil, err
	}
	if k, err = k.bounded(r, args); err != nil {
		return nil, err
	}
	return k.over(args).given(args), nil
}

// given returns the kernel planned for the values of args that bound its loops.
func (k *Kernel) given(args []launch.Arg) *Kernel {
	c := k.cfg
	if c.target.Costs == nil {
		return k
	}
	if c.values = k.shared.valuesFor(args); c == k.cfg {
		return k
	}
	return &Kernel{k.shared, c}
}

// over returns the kernel compiled for buffers that overlap, if some of args do.
func (k *Kernel) over(args []launch.Arg) *Kernel {
	c := k.cfg
	if c.overlap = c.overlap || launch.Overlap(args); c == k.cfg || c.target.Scalar {
		return k
	}
	return &Kernel{k.shared, c}
}

// Resolve completes a range as Launch does, by the work-group size. It returns an error for
// ranges that the kernel does not support.
func (k *Kernel) Resolve(r launch.Range) (launch.Range, error) {
	return r.Resolve(k.shared.raw.ReqdWorkGroupSize)
}

// OwnMemory reports whether code of the kernel runs in an engine's own memory, in which buffers
// may lie: see Program.EngineMemory.
func (k *Kernel) OwnMemory() bool { return k.cfg.target.Engine }

// Signature returns a function with the kernel's name, parameters, required sizes and the
// formats of its output, and without code.
func (k *Kernel) Signature() *kernel.Func {
	s := k.shared
	return &kernel.Func{Name: s.name, Args: s.args, Formats: s.formats, ReqdWorkGroupSize: s.raw.ReqdWorkGroupSize, ReqdSubGroupSize: s.raw.ReqdSubGroupSize, Hints: s.raw.Hints, Pos: s.raw.Pos}
}

// LocalBytes returns the size of the local variables in bytes.
func (k *Kernel) LocalBytes() int { return k.shared.localBytes }

// Prints reports whether launches need an argument for the output of the kernel.
func (k *Kernel) Prints() bool { return k.shared.raw.PrintfArg() >= 0 }

// Variables reports whether launches need an argument for the variables of the program, and
// whether the kernel accesses them.
func (k *Kernel) Variables() (passed, used bool) {
	return k.shared.raw.VariablesArg() >= 0, k.shared.variables
}

// prepared returns the kernel in the form that linearization requires.
func (s *state) prepared() (*kernel.Func, error) {
	s.prepareOnce.Do(func() {
		s.prepareErr = prepare(s.raw, s.passes(s.stats))
		if s.prepareErr == nil {
			s.irreducible = !cfg.Cycles(s.raw.Graph()).Reducible()
			s.byGroup, s.subGroups, s.laneDims = s.raw.ByGroup(), s.raw.SubGroups(), s.raw.LaneDims()
		}
	})
	if s.prepareErr != nil {
		return nil, fmt.Errorf("kernel %s: %w", s.name, s.prog.Located(s.prepareErr))
	}
	return s.raw, nil
}

// passes returns a context for passes over the kernel that counts their effects in stats.
func (s *state) passes(stats opt.Stats) *pass.Context {
	o := &s.prog.Debug
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
func (s *state) lowered() (*kernel.Func, error) {
	s.oracleOnce.Do(func() {
		if s.base != nil {
			s.oracle, s.oracleErr = s.checkedOracle()
			return
		}
		m, err := s.prog.Lower(s.name)
		if err == nil && len(m.Funcs) != 1 {
			err = fmt.Errorf("kernel %s: compiled to %d kernels", s.name, len(m.Funcs))
		}
		if err != nil {
			s.oracleErr = s.prog.Located(err)
			return
		}
		s.oracle = m.Funcs[0]
	})
	return s.oracle, s.oracleErr
}

// settled returns the variant that shows stages before the target: for a target without lanes,
// that of VIR.
func (k *Kernel) settled() (*variant, error) {
	if k.cfg.target.Scalar {
		c := k.cfg
		c.target = &virTarget
		k = &Kernel{k.shared, c}
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
	if k.cfg.target.Scalar {
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
	v.code.AddStats(out)
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
// "defers"). Targets without lanes have none.
func (k *Kernel) ABI() (map[string]int, error) {
	if k.cfg.target.Scalar {
		return nil, nil
	}
	v, err := k.variant()
	if err != nil {
		return nil, err
	}
	if err := v.generated(); err != nil {
		return nil, err
	}
	return v.code.ABI().Map(), nil
}

// Close frees the code of the kernel.
func (k *Kernel) Close() error { return k.shared.close() }

func (s *state) close() error {
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
