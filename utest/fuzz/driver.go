package fuzz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/launch/wasmhost"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/opt/lanes/equalities"
	"github.com/simtc/simtc/opt/lanes/iterations"
	"github.com/simtc/simtc/opt/lanes/meld"
	"github.com/simtc/simtc/structurize"
	"github.com/simtc/simtc/targets"
	"github.com/simtc/simtc/targets/avx2"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
	viropt "github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/widen"
	"github.com/simtc/simtc/workgroup"
)

// passes are the compiler's passes; a test inserts a wrong one.
var passes = slices.Concat(
	opt.Simplify,
	[]opt.Pass{{Name: "barriers", Run: workgroup.Barriers}},
	opt.Canonicalize,
)

// Steps selects the variants that Check compares.
type Steps struct {
	Widths      []int
	Linearizers []string // as LinearizersOf names them; none: all
	EveryPass   bool     // run the interpreter after every pass, not only the last
	Raw         bool     // also linearize without the optimizing passes
	Legalize    bool     // interpret the legalized code
	Native      bool     // run machine code
	Text        bool     // parse the printed vector code, and run that
	Threads     int      // workers of a launch; 0: one

	group [3]int // the size of work-groups whose rows can be joined; 0: none
	turn  int    // selects the dimension of the lanes at each width

	// WASM is the engine for WebAssembly, or nil. Callers pass it, since linking an engine
	// dominates the build time of tests that only need programs.
	WASM wasmhost.Host
}

// WidthsOf returns two widths for a seed. Consecutive seeds cover all widths.
func WidthsOf(seed int64) []int {
	all := []int{1, 4, 8, 16, 32, 64}
	i := int(uint64(seed) % 12)
	return []int{all[i%6], all[(i+1+i/6)%6]}
}

// LinearizersOf returns n linearizers for a seed. Consecutive seeds cover all of them.
func LinearizersOf(seed int64, n int) []string {
	var out []string
	for i := range n {
		out = append(out, linearizers[(uint64(seed)*uint64(n)+uint64(i))%uint64(len(linearizers))].name)
	}
	return out
}

// tries reports whether a linearizer is selected.
func (s Steps) tries(linearizer string) bool {
	return len(s.Linearizers) == 0 || slices.Contains(s.Linearizers, linearizer)
}

// maxSteps limits the operations per work-item and, multiplied by the lanes, of a vector run.
// Generated programs stay far below it, except that fully folded nested loops also run
// iterations without active lanes.
const maxSteps = 1 << 26

// Mismatch is a failure and the step that failed.
type Mismatch struct {
	Step string
	Err  error
}

func (m *Mismatch) Error() string { return m.Step + ": " + m.Err.Error() }
func (m *Mismatch) Unwrap() error { return m.Err }

// ErrOracle means that the oracle could not run a program, which is a bug of the generator.
var ErrOracle = errors.New("the oracle failed")

// Check runs all variants of c that steps selects and returns the first mismatch. A panic
// counts as one.
func Check(ctx context.Context, c *Case, steps Steps) (err error) {
	step := "verify"
	fail := func(e error) error { return &Mismatch{step, e} }
	defer func() {
		if r := recover(); r != nil {
			err = fail(fmt.Errorf("panic: %v", r))
		}
	}()
	if err := kernel.Verify(c.Kernel); err != nil {
		return fail(errors.Join(ErrOracle, err))
	}
	want, err := c.Run(ctx, launch.NewInterpreter(c.Kernel, maxSteps, false))
	if err != nil {
		return fail(errors.Join(ErrOracle, err))
	}
	step = "clone"
	f, err := Clone(c.Kernel)
	if err != nil {
		return fail(err)
	}
	same := func(e launch.Executor) error {
		got, err := c.run(ctx, e, max(steps.Threads, 1))
		if err == nil {
			err = c.Compare(want, got)
		}
		if err != nil {
			return fail(err)
		}
		return nil
	}
	for i, p := range passes {
		step = fmt.Sprintf("pass %d %s", i, p.Name)
		p.Run(f, nil)
		if err := kernel.Verify(f); err != nil {
			return fail(err)
		}
		if steps.EveryPass || i == len(passes)-1 {
			if err := same(launch.NewInterpreter(f, maxSteps, false)); err != nil {
				return err
			}
		}
	}
	steps.turn, steps.group = int(uint64(c.Seed)%12), groupOf(c.Range, c.Kernel.ReqdWorkGroupSize)
	if err := checkWidths(f, steps, &step, "", same); err != nil || !steps.Raw {
		return err
	}
	step = "clone"
	if f, err = Clone(c.Kernel); err != nil {
		return fail(err)
	}
	opt.RemoveUnreachable(f, nil)
	for _, p := range passes[len(opt.Simplify):] {
		step = "unoptimized pass " + p.Name
		p.Run(f, nil)
		if err := kernel.Verify(f); err != nil {
			return fail(err)
		}
	}
	return checkWidths(f, steps, &step, "unoptimized ", same)
}

// checkWidths linearizes f at every width and runs the result.
func checkWidths(f *kernel.Func, steps Steps, step *string, prefix string, same func(launch.Executor) error) error {
	before := ""
	if steps.Text {
		before = f.String()
	}
	melds := make([]*kernel.Func, len(steps.Widths))
	for i, w := range steps.Widths {
		*step = fmt.Sprintf("%smeld width %d", prefix, w)
		var err error
		if melds[i], err = melded(alongLanes(f, i+steps.turn, steps.group), w, prefix == "", steps.EveryPass, same); err != nil {
			return &Mismatch{*step, err}
		}
	}
	for _, l := range linearizers {
		if !steps.tries(l.name) {
			continue
		}
		for i, w := range steps.Widths {
			*step = fmt.Sprintf("%s%s width %d", prefix, l.name, w)
			f := melds[i]
			v, err := l.run(f, divergence.Analyze(f, divergence.Options{Width: w}), widen.Options{Width: w})
			if errors.Is(err, structurize.ErrIrreducible) {
				continue
			}
			if err != nil {
				return &Mismatch{*step, err}
			}
			if err := checkVIR(f, v, steps, step, same); err != nil {
				return err
			}
		}
	}
	if err := checkIterations(f, steps, step, prefix, same); err != nil {
		return err
	}
	*step = prefix + "linearization keeps its input"
	if steps.Text && f.String() != before {
		return &Mismatch{*step, errors.New("linearization changed the kernel")}
	}
	return nil
}

// alongLanes returns f with lanes along the n-th dimension in which it has positions, or across the
// rows of work-groups of the given size, counted repeatedly.
func alongLanes(f *kernel.Func, n int, group [3]int) *kernel.Func {
	var dims []int
	for d, possible := range f.LaneDims() {
		if possible {
			dims = append(dims, d)
		}
	}
	joins := group[0] > 0 && f.ByGroup() && f.LaneDims()[1]
	if joins && n%(len(dims)+1) == len(dims) {
		return kernel.Joined(f, group)
	}
	if joins {
		n %= len(dims) + 1
	}
	return kernel.Exchanged(f, dims[n%len(dims)])
}

// groupOf returns the size of the work-groups of r, all of whose dimensions can be joined.
func groupOf(r launch.Range, required [3]int) (group [3]int) {
	r, err := r.Resolve(required)
	if err != nil || !r.WholeGroups() || r.Local[1]*r.Local[2] == 1 {
		return group
	}
	return [3]int{int(r.Local[0]), int(r.Local[1]), int(r.Local[2])}
}

// checkIterations runs iterations of f's loops as lanes, where possible.
func checkIterations(f *kernel.Func, steps Steps, step *string, prefix string, same func(launch.Executor) error) error {
	for _, w := range steps.Widths {
		o := iterations.Options{Width: w, Extents: true, Overlap: w == 8} // then distances between buffers are tested
		for _, o.Depth = range iterations.Depths(f, o) {
			if err := checkLanes(f, o, steps, step, prefix, same); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkLanes runs iterations of f's loops as lanes.
func checkLanes(f *kernel.Func, o iterations.Options, steps Steps, step *string, prefix string, same func(launch.Executor) error) error {
	w := o.Width
	*step = fmt.Sprintf("%siterations as lanes, width %d, depth %d", prefix, w, o.Depth)
	g := iterations.Lanes(f, o, nil)
	if err := kernel.Verify(g); err != nil {
		return &Mismatch{*step, err}
	}
	info := divergence.Analyze(g, divergence.Options{Width: w, Iterations: true})
	for _, l := range linearizers {
		if !steps.tries(l.name) {
			continue
		}
		*step = fmt.Sprintf("%s%s width %d, iterations as lanes, depth %d", prefix, l.name, w, o.Depth)
		v, err := l.run(g, info, widen.Options{Width: w, Iterations: true})
		if errors.Is(err, structurize.ErrIrreducible) {
			continue
		}
		if err != nil {
			return &Mismatch{*step, err}
		}
		if err := checkVIR(g, v, steps, step, same); err != nil {
			return err
		}
	}
	return nil
}

// melded returns a copy of f for a width with equalities used and the arms of divergent branches
// melded. If usual
// is false, all branches count as divergent.
func melded(f *kernel.Func, width int, usual, run bool, same func(launch.Executor) error) (*kernel.Func, error) {
	if width == 1 {
		f = opt.OneLane(f, nil)
	}
	info := divergence.Analyze(f, divergence.Options{Width: width})
	lanes := meld.Lanes{Divergent: info.Divergent, Joins: info.Joins, Stride: func(v *kernel.Value) (int64, bool) {
		s := info.Shapes[v.ID]
		return s.Stride, s.IsStrided()
	}}
	if !usual {
		all := make([]bool, len(f.Blocks))
		for i := range all {
			all[i] = true
		}
		lanes = meld.Lanes{Divergent: all, Joins: all}
	}
	out := kernel.Clone(f)
	if usual {
		uniform := make([]bool, len(info.Shapes))
		for i, s := range info.Shapes {
			uniform[i] = s.IsUniform()
		}
		if equalities.Use(out, info.Divergent, uniform, true, nil) {
			info = divergence.Analyze(out, divergence.Options{Width: width})
			lanes.Divergent, lanes.Joins = info.Divergent, info.Joins
		}
	}
	meld.Arms(out, lanes, nil)
	if err := kernel.Verify(out); err != nil || !run || out.Joined[0] != 0 { // the range is that of the source
		return out, err
	}
	return out, same(launch.NewInterpreter(out, maxSteps, false))
}

// program describes the launch of v, compiled from f, with counters for all blocks.
func program(f *kernel.Func, v *vir.Func) launch.Program {
	source := f
	switch {
	case f.LaneDim != 0:
		source = kernel.Exchanged(f, f.LaneDim)
	case f.Joined[0] != 0:
		source = kernel.Clone(f)
		source.ReqdWorkGroupSize = [3]int{}
	}
	return launch.Program{
		Kernel: source, LaneDim: f.LaneDim, Joined: f.Joined, Width: v.Width, Scratch: v.Scratch, Groups: v.Groups, Phases: v.Phases, Counters: len(f.Blocks),
	}
}

// checkVIR runs a linearized kernel through all later stages.
func checkVIR(f *kernel.Func, v *vir.Func, steps Steps, step *string, same func(launch.Executor) error) error {
	name := *step
	interpret := func(v *vir.Func) error {
		if err := vir.Verify(v); err != nil {
			return &Mismatch{*step, err}
		}
		return same(launch.NewVIRInterpreter(program(f, v), v, maxSteps))
	}
	if err := interpret(v); err != nil {
		return err
	}
	before := ""
	if steps.Text {
		*step = name + ", vir text"
		before = v.String()
		back, err := vir.Parse("fuzz.vir", before)
		if err != nil {
			return &Mismatch{*step, err}
		}
		if printed := back.String(); printed != before {
			return &Mismatch{*step, fmt.Errorf("printing the parsed text gives\n%s\nnot\n%s", printed, before)}
		}
		if err := interpret(back); err != nil {
			return err
		}
	}
	// The optimizing passes are skipped for unoptimized kernels in Raw mode.
	if !steps.Raw || !strings.HasPrefix(name, "unoptimized") {
		vir.RemoveUnreachable(v)
		v.Renumber()
		if err := runVIR(v, viropt.Passes, name, steps, step, interpret); err != nil {
			return err
		}
		if err := runVIR(v, viropt.Final, name+", final", steps, step, interpret); err != nil {
			return err
		}
		before = ""
		if steps.Text {
			before = v.String()
		}
	}
	if steps.Legalize {
		for _, t := range []*targets.Target{&avx512.Target, &avx2.Target} {
			*step = name + ", legalized for " + t.Name
			legal, err := legalize.Func(v, t.Legal(v))
			if err != nil {
				return &Mismatch{*step, err}
			}
			if err := interpret(legal); err != nil {
				return err
			}
		}
	}
	wasm := func(f *kernel.Func, v *vir.Func) (launch.Executor, error) { return newWASM(steps.WASM, f, v) }
	for _, t := range []struct {
		on   bool
		name string
		make func(*kernel.Func, *vir.Func) (launch.Executor, error)
	}{{steps.Native, "avx512", newNative}, {steps.Native, "avx2", newAVX2}, {steps.WASM != nil, "wasm-simd", wasm}} {
		if !t.on {
			continue
		}
		*step = name + ", " + t.name
		e, err := t.make(f, v)
		if errors.Is(err, wasmhost.ErrTooLarge) { // launches take fewer lanes
			continue
		}
		if err != nil {
			return &Mismatch{*step, err}
		}
		err = same(e)
		if err = errors.Join(err, e.Close()); err != nil {
			return err
		}
	}
	if *step = name + ", keeps its input"; steps.Text && v.String() != before {
		return &Mismatch{*step, errors.New("a target changed the vector code")}
	}
	return nil
}

// runVIR runs passes over v and interprets the result, after each pass if EveryPass is set.
func runVIR(v *vir.Func, passes []viropt.Pass, name string, steps Steps, step *string, interpret func(*vir.Func) error) error {
	for i, p := range passes {
		*step = fmt.Sprintf("%s, vir pass %d %s", name, i, p.Name)
		p.Run(v, nil)
		if steps.EveryPass || i == len(passes)-1 {
			if err := interpret(v); err != nil {
				return err
			}
		}
	}
	return nil
}
