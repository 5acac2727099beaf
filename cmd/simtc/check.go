package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/ndarg"
)

func checkCommand() *cobra.Command {
	var c checkFlags
	cmd := &cobra.Command{
		Use:   "check FILE... -k KERNEL -g X[,Y[,Z]] ARG...",
		Short: "Run a kernel in every way there is and compare the buffers",
		Long: "Run a kernel with the interpreter, one work-item after the other, and then on\n" +
			"every target with every linearizer and width. Every buffer must come out the\n" +
			"same, bit for bit; only for a NaN in a buffer of floats any NaN will do.\n" +
			"--target, --linearize and --width restrict what is run.\n\n" + argHelp,
		Args: fileFirst,
		RunE: action(func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) }),
	}
	f := cmd.Flags()
	c.compileFlags.add(f)
	c.rangeFlags.add(f)
	f.BoolVar(&c.failFast, "fail-fast", false, "stop at the first difference")
	c.completions(cmd)
	return cmd
}

type checkFlags struct {
	compileFlags
	rangeFlags
	failFast bool
}

// checkRow is what came of one way to run the kernel.
type checkRow struct {
	Target     string  `json:"target"`
	Linearizer string  `json:"linearizer"`
	Width      int     `json:"width"`
	Lanes      string  `json:"lanes,omitempty"`  // rounds, where they are no work-items
	Scalar     string  `json:"scalar,omitempty"` // the form of code of one lane, where it is not the first
	Emulated   bool    `json:"emulated,omitempty"`
	Result     string  `json:"result"` // reference, same, differs, failed or unavailable
	Detail     string  `json:"detail,omitempty"`
	CompileMS  float64 `json:"compile_ms"`
	RunMS      float64 `json:"run_ms"`
}

// checkReport is the JSON of check.
type checkReport struct {
	Kernel  string         `json:"kernel"`
	Global  [3]uint64      `json:"global"`
	Local   [3]uint64      `json:"local"`
	OK      bool           `json:"ok"`
	Rows    []checkRow     `json:"rows"`
	Buffers []bufferReport `json:"buffers"` // of the reference
}

// emulates reports whether avx512 code is run by the emulator: if the processor cannot, too.
func (c *checkFlags) emulates() bool { return c.emulate || simtc.Available(simtc.AVX512) != nil }

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
	p, err := c.program(cmd, files, func(o *simtc.Options) {
		o.Threads, o.StrictBarriers = c.threads, true
		o.Emulate = c.emulates()
		if c.kernel != "" {
			o.Kernels = []string{c.kernel}
		}
	})
	if err != nil {
		return err
	}
	defer p.Close()
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
	reference, err := k.With(simtc.Way{Target: simtc.Interpreter})
	if err != nil {
		return err
	}
	want, row, err := runOnce(ctx, reference, rng, specs)
	if err != nil {
		return &onWay{simtc.Interpreter, err}
	}
	row.Result = "reference"
	out.Rows = append(out.Rows, row)
	if out.Buffers, err = new(runFlags).results(want); err != nil {
		return err
	}
	ways, none := c.ways(k)
	if len(ways) == 0 && len(none) > 0 {
		return errors.New(none[0].Detail)
	}
	if len(ways) == 0 {
		if err := c.refused(k); err != nil {
			return err
		}
		return usagef("no way to run the kernel is left to compare with the interpreter")
	}
	out.Rows = append(out.Rows, none...)
	// Where sub-groups matter, the interpreter's are as large as those it is compared
	// with.
	of, err := reference.Width()
	if err != nil {
		return err
	}
	references := map[int]*session{of: want}
	warned := warner{cmd: cmd}
	for _, w := range ways {
		want := references[0]
		if want == nil {
			want = references[w.Width]
		}
		if want == nil {
			one, err := k.With(simtc.Way{Target: simtc.Interpreter, Width: w.Width})
			if err != nil {
				return err
			}
			if want, _, err = runOnce(ctx, one, rng, specs); err != nil {
				return &onWay{simtc.Interpreter, err}
			}
			references[w.Width] = want
		}
		k, err := k.With(w)
		if err != nil {
			return err
		}
		asked := w
		if c.linearize != "auto" {
			asked.Linearizer = c.linearize
		}
		asking, err := k.With(asked)
		if err != nil {
			return err
		}
		warned.about(asking)
		if c.stats {
			settled, err := k.Way()
			if err != nil {
				return err
			}
			if err := printStats(cmd, k, settled.String()); err != nil {
				return err
			}
		}
		row, err := compare(ctx, k, want, w, c.emulates())
		if ctx.Err() != nil {
			return &onWay{w.String(), cmp.Or(err, context.Cause(ctx))}
		}
		out.Rows = append(out.Rows, row)
		if row.Result == "differs" || row.Result == "failed" {
			out.OK = false
			if c.failFast {
				break
			}
		}
	}
	if c.json {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(out)
	} else {
		err = out.print(cmd.OutOrStdout())
	}
	if err == nil && !out.OK {
		return silent
	}
	return err
}

// ways lists the ways to run a kernel besides the reference, and a row for each target
// that has none.
func (c *checkFlags) ways(k *simtc.Kernel) (out []simtc.Way, none []checkRow) {
	for _, t := range simtc.Targets() {
		if t == simtc.Interpreter || c.target != "" && t != c.target {
			continue
		}
		all, err := k.Ways(t)
		if err != nil {
			none = append(none, checkRow{Target: t, Result: "unavailable", Detail: err.Error()})
			continue
		}
		for _, w := range all {
			w.Bypass = c.bypass
			if w.Target == simtc.WASM {
				w.Engine = c.engine
			}
			// What a kernel's control flow does not allow is left to the other linearizer.
			asked := func(o simtc.Way) bool { return o.Width == w.Width && o.Linearizer == c.linearize }
			if c.lanes != "auto" && (c.lanes == simtc.Rounds) != (w.Lanes == simtc.Rounds) {
				continue
			}
			if c.scalar != "auto" && (w.Width != 1 || cmp.Or(w.Scalar, simtc.Threaded) != c.scalar) {
				continue
			}
			if (c.linearize == "auto" || asked(w) || !slices.ContainsFunc(all, asked)) && (c.width == "auto" || c.width == fmt.Sprint(w.Width)) {
				out = append(out, w)
			}
		}
	}
	return out, none
}

// refused says why the kernel cannot be compiled for any target as the flags ask for, nil
// if it can.
func (c *checkFlags) refused(k *simtc.Kernel) (first error) {
	for _, t := range simtc.Targets() {
		if t == simtc.Interpreter || c.target != "" && t != c.target {
			continue
		}
		w := simtc.Way{Target: t, Linearizer: c.linearize, Bypass: c.bypass, Lanes: c.lanes, Scalar: c.scalar, Engine: c.engine}
		if c.width != "auto" {
			w.Width, _ = strconv.Atoi(c.width)
		}
		asked, err := k.With(w)
		if err == nil {
			_, err = asked.Way()
		}
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return first
}

// runOnce builds the kernel and runs it on fresh buffers.
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

// textDiffers finds the first line in which what was printed differs.
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

// compare runs the kernel and compares its buffers with the reference's. The error is that
// of a run that failed, which the row tells, too.
func compare(ctx context.Context, k *simtc.Kernel, want *session, w simtc.Way, emulated bool) (checkRow, error) {
	got, row, err := runOnce(ctx, k, want.rng, want.specs)
	row.Width, row.Lanes, row.Scalar = w.Width, w.Lanes, w.Scalar
	row.Emulated = emulated && w.Target == simtc.AVX512
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

func (o *checkReport) print(w io.Writer) error {
	fmt.Fprintf(w, "%s  global %s local %s\n", o.Kernel, dims(o.Global), dims(o.Local))
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "  target\tlinearizer\twidth\tcompile ms\trun ms\tresult\n")
	count := 0
	for _, r := range o.Rows {
		lin, width := r.Linearizer, fmt.Sprint(r.Width)
		if r.Width == 0 {
			lin, width = "-", "-"
		}
		if r.Lanes != "" {
			lin += " " + r.Lanes
		}
		if r.Scalar != "" {
			lin += " " + r.Scalar
		}
		result := r.Result
		if r.Detail != "" {
			result += ": " + r.Detail
		}
		if r.Emulated {
			result += " (emulated)"
		}
		if r.Result == "same" || r.Result == "differs" || r.Result == "failed" {
			count++
		}
		fmt.Fprintf(tw, "  %s\t%s\t%s\t%.2f\t%.3f\t%s\n", r.Target, lin, width, r.CompileMS, r.RunMS, result)
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	verdict := "all the same as the interpreter (a NaN equals any NaN)"
	if !o.OK {
		verdict = "NOT all the same as the interpreter"
	}
	ways := "ways"
	if count == 1 {
		ways = "way"
	}
	_, err := fmt.Fprintf(w, "%d %s compared: %s\n", count, ways, verdict)
	return err
}
