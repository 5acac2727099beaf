package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/ndarg"
)

func checkCommand() *cobra.Command {
	var c checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE... -k KERNEL -g X[,Y[,Z]] ARG...",
		Short: "Run every variant of a kernel and compare the buffers",
		Long: "Run a kernel in the interpreter, one work-item at a time, and then on every target\n" +
			"with every linearizer and width. All buffers must have equal contents, bit for bit,\n" +
			"except that any NaN equals any other in a buffer of floats. The interpreter tests\n" +
			"every access that may be out of bounds, as run --checked does. --target, --linearize\n" +
			"and --width restrict the variants. A row is printed after each run; if a signal or\n" +
			"--timeout stops the command, it reports the rows so far.\n\n" + argHelp,
		Args: fileFirst,
		RunE: action(func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) }),
	}
	f := cmd.Flags()
	c.compileFlags.add(f)
	c.rangeFlags.add(f)
	f.BoolVar(&c.failFast, "fail-fast", false, "stop at the first difference")
	f.IntVar(&c.of.head, "head", 0, "print the first `N` elements of every buffer, as computed by the interpreter")
	f.StringVar(&c.of.dump, "dump", "", "write each buffer and image, as computed by the interpreter, to `PREFIX`.argI.bin, where I is the position of the argument, from 0")
	f.IntVarP(&c.of.runs, "runs", "n", 0, "ignored, as --reset is: accepted for command lines of run; check runs each variant once")
	f.BoolVar(&c.of.reset, "reset", false, "ignored: every run starts with the initial contents")
	c.completions(cmd)
	return cmd
}

type checkFlags struct {
	compileFlags
	rangeFlags
	failFast bool
	of       runFlags // output of the reference
}

// checkRow is the result of one variant.
type checkRow struct {
	Target     string  `json:"target"`
	Linearizer string  `json:"linearizer"`
	Width      int     `json:"width"`
	Lanes      string  `json:"lanes,omitempty"` // "iterations" if they are those of a loop
	LaneDim    string  `json:"lane_dim,omitempty"`
	LoopDepth  int     `json:"loop_depth,omitempty"`
	Scalar     string  `json:"scalar,omitempty"` // the form of one-lane code, if it is not the default
	Emulated   bool    `json:"emulated,omitempty"`
	Result     string  `json:"result"` // reference, same, differs, failed or unavailable
	Detail     string  `json:"detail,omitempty"`
	CompileMS  float64 `json:"compile_ms"`
	RunMS      float64 `json:"run_ms"`
}

// checkReport is the JSON output of check.
type checkReport struct {
	Kernel  string         `json:"kernel"`
	Global  [3]uint64      `json:"global"`
	Local   [3]uint64      `json:"local"`
	OK      bool           `json:"ok"`                // all variants were compared and are equal
	Stopped string         `json:"stopped,omitempty"` // why not all variants were compared
	Rows    []checkRow     `json:"rows"`
	Buffers []bufferReport `json:"buffers"` // of the reference

	Diagnostics []message `json:"diagnostics,omitempty"` // warnings
}

// emulates reports whether machine code for a target runs in the emulator, on request or because
// the processor cannot run it.
func (c *checkFlags) emulates(target string) bool {
	return simtc.IsNative(target) && (c.emulate || simtc.Available(target) != nil)
}

func (c *checkFlags) run(cmd *cobra.Command, words []string) error {
	files, words := splitFiles(words)
	rng, err := c.ndrange()
	if err != nil {
		return err
	}
	specs, err := ndarg.ParseArgs(words)
	if err != nil {
		return usageError{err}
	}
	if c.of.runs < 0 || c.of.head < 0 {
		return usagef("-n and --head must not be negative, got %d and %d", c.of.runs, c.of.head)
	}
	p, err := c.program(cmd, files, func(o *simtc.Options) {
		o.Threads, o.StrictBarriers = c.threads, true
		o.Debug.KeepOrder, o.Debug.EmulateMissing = true, true
		o.Emulate = c.emulate
		if c.kernel != "" {
			o.Kernels = []string{c.kernel}
		}
	})
	if err != nil {
		return err
	}
	defer p.Close()
	warned := newWarner(cmd, p)
	k, err := c.pick(p)
	if err != nil {
		return err
	}
	if rng, err = k.Resolve(rng); err != nil {
		return usageError{err}
	}
	ctx, cancel := c.context(cmd)
	defer cancel()

	out := checkReport{Kernel: k.Name(), Global: rng.Global, Local: rng.Local, OK: true}
	reference, err := k.With(simtc.Strategy{Target: simtc.Interpreter})
	if err != nil {
		return err
	}
	want, row, err := runOnce(ctx, reference.Checked(), rng, specs)
	if err != nil {
		return &onVariant{simtc.Interpreter, err}
	}
	row.Result = "reference"
	if out.Buffers, err = c.of.results(want); err != nil {
		return err
	}
	ranged, err := k.For(want.rng) // which shows the sizes of work-groups
	if err != nil {
		return err
	}
	ways, none := c.ways(ranged)
	if len(ways) == 0 && len(none) > 0 {
		return errors.New(none[0].Detail)
	}
	if len(ways) == 0 {
		if err := c.refused(k); err != nil {
			return err
		}
		return usagef("no variant is left to compare with the interpreter")
	}
	warned.warnElements(k, specs)
	table := newCheckTable(cmd.OutOrStdout(), &out, ways)
	table.quiet = c.json
	table.begin()
	table.add(row)
	for _, row := range none {
		table.add(row)
	}
	err = c.compareAll(ctx, cmd, p, k, reference, want, ways, warned, table)
	why := stopped(err)
	switch {
	case why != nil:
		out.OK, out.Stopped, err = false, why.Error(), reported{err}
	case err != nil:
		return err
	}
	out.Diagnostics = warned.outputs
	if c.json {
		err = errors.Join(err, json.NewEncoder(cmd.OutOrStdout()).Encode(out))
	} else {
		table.end()
		if c.of.head > 0 {
			printBuffers(cmd.OutOrStdout(), out.Buffers)
		}
	}
	if err == nil && !out.OK {
		return silent
	}
	return err
}

// compareAll runs all variants and adds a row to the table for each.
func (c *checkFlags) compareAll(ctx context.Context, cmd *cobra.Command, p *simtc.Program, k, reference *simtc.Kernel, want *session, ways []simtc.Strategy, warned *warner, table *checkTable) error {
	rng, specs := want.rng, want.specs
	// If the kernel depends on sub-groups, the interpreter needs a reference per size.
	of, err := reference.Width()
	if err != nil {
		return err
	}
	references := map[int]*session{of: want}
	for _, w := range ways {
		want := references[0]
		if want == nil {
			want = references[w.Width]
		}
		if want == nil {
			one, err := k.With(simtc.Strategy{Target: simtc.Interpreter, Width: w.Width})
			if err != nil {
				return err
			}
			if want, _, err = runOnce(ctx, one.Checked(), rng, specs); err != nil {
				return &onVariant{simtc.Interpreter, err}
			}
			references[w.Width] = want
		}
		k, err := k.With(w)
		if err != nil {
			return err
		}
		requested := w
		if c.strategy.Linearizer != "auto" {
			requested.Linearizer = c.strategy.Linearizer
		}
		requestedKernel, err := k.With(requested)
		if err != nil {
			return err
		}
		warned.about(requestedKernel)
		if c.stats != "" && c.stats != "costs" {
			settled, err := k.Strategy()
			if err != nil {
				return err
			}
			if err := c.printEffects(cmd, k, k.Name()+", "+settled.String()); err != nil {
				return err
			}
		}
		row, err := compare(ctx, k, want, w, c.emulates(w.Target))
		if ctx.Err() != nil {
			return &onVariant{w.String(), cmp.Or(err, context.Cause(ctx))}
		}
		table.add(row)
		if !table.report.OK && c.failFast {
			break
		}
	}
	printPassCosts(cmd.ErrOrStderr(), k) // of all variants
	return nil
}

// ways lists the variants besides the reference, and a row for each target that has none.
func (c *checkFlags) ways(k *simtc.Kernel) (out []simtc.Strategy, none []checkRow) {
	for _, t := range simtc.Targets() {
		if t == simtc.Interpreter || c.strategy.Target != "" && t != c.strategy.Target {
			continue
		}
		all, err := k.Strategies(t)
		if err != nil {
			none = append(none, checkRow{Target: t, Result: "unavailable", Detail: err.Error()})
			continue
		}
		for _, w := range all {
			w.Bypass, w.Divergence = c.strategy.Bypass, c.strategy.Divergence
			if simtc.InEngine(w.Target) {
				w.Engine = c.strategy.Engine
			}
			// If the requested linearizer does not support the kernel's control flow, the other is used.
			requested := func(o simtc.Strategy) bool { return o.Width == w.Width && o.Linearizer == c.strategy.Linearizer }
			if c.strategy.Lanes != "auto" && (c.strategy.Lanes == simtc.Iterations) != (w.Lanes == simtc.Iterations) {
				continue
			}
			if c.strategy.LoopDepth != 0 && c.strategy.LoopDepth != w.LoopDepth {
				continue
			}
			if c.strategy.Scalar != "auto" && (w.Width != 1 || cmp.Or(w.Scalar, simtc.Threaded) != c.strategy.Scalar) {
				continue
			}
			if (c.strategy.Linearizer == "auto" || requested(w) || !slices.ContainsFunc(all, requested)) && (c.width == "auto" || c.width == fmt.Sprint(w.Width)) {
				out = append(out, w)
			}
		}
	}
	return out, none
}

// refused returns the reason why the kernel cannot be compiled for any target with the requested
// flags, nil if it can.
func (c *checkFlags) refused(k *simtc.Kernel) (first error) {
	for _, t := range simtc.Targets() {
		if t == simtc.Interpreter || c.strategy.Target != "" && t != c.strategy.Target {
			continue
		}
		w := c.strategy
		w.Target = t
		if c.width != "auto" {
			w.Width, _ = strconv.Atoi(c.width)
		}
		requested, err := k.With(w)
		if err == nil {
			_, err = requested.Strategy()
		}
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

// runOnce builds the kernel and runs it on new buffers.
func runOnce(ctx context.Context, k *simtc.Kernel, rng simtc.Range, specs []ndarg.Arg) (*session, checkRow, error) {
	row := checkRow{Target: k.Target(), Linearizer: k.Linearizer()}
	began := time.Now()
	if err := k.Build(); err != nil {
		return nil, row, err
	}
	row.CompileMS = milliseconds(time.Since(began))
	s, err := newSession(k, rng, specs, (*ndarg.Arg).New)
	if err != nil {
		return nil, row, err
	}
	s.kernel = k.WithOutput(&s.printed)
	if err := k.Program().Reset(ctx); err != nil {
		return s, row, err
	}
	began = time.Now()
	err = s.launch(ctx)
	row.RunMS = milliseconds(time.Since(began))
	return s, row, err
}

// textDiffers finds the first line that differs between two outputs.
func textDiffers(want, got string) (string, bool) {
	a, b := strings.SplitAfter(want, "\n"), strings.SplitAfter(got, "\n")
	for i := range max(len(a), len(b)) {
		x, y := "", ""
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return fmt.Sprintf("line %d printed: want %q, got %q", i+1, x, y), true
		}
	}
	return "", false
}

// compare runs the kernel and compares its buffers with the reference's. The error is that of a
// failed run, which the row has, too.
func compare(ctx context.Context, k *simtc.Kernel, want *session, w simtc.Strategy, emulated bool) (checkRow, error) {
	got, row, err := runOnce(ctx, k, want.rng, want.specs)
	row.Width, row.Lanes, row.LaneDim, row.LoopDepth, row.Scalar = w.Width, w.Lanes, w.LaneDim, w.LoopDepth, w.Scalar
	row.Emulated = emulated
	if err != nil {
		row.Result, row.Detail = "failed", err.Error()
		return row, err
	}
	row.Result = "same"
	if at, differs := textDiffers(want.printed.String(), got.printed.String()); differs {
		row.Result, row.Detail = "differs", at
	}
	for i, b := range want.buffers {
		if b == nil {
			continue
		}
		t := want.specs[i].Type
		if at, differs := ndarg.Difference(got.buffers[i], b, t.Elem); differs {
			p := at * t.Elem.Size()
			row.Result = "differs"
			row.Detail = fmt.Sprintf("arg%d[%d] is %s, not %s", i, at, t.Elem.Format(got.buffers[i][p:]), t.Elem.Format(b[p:]))
			break
		}
	}
	return row, nil
}
