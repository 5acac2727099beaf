package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/ndarg"
	"github.com/simtc/simtc/utest/opencl"
)

// row is the measurement of one kernel compiled by one strategy. Times are the process's
// CPU times in ms, the minimum of all runs; 0 means not measured.
type row struct {
	Kernel     string  `json:"kernel"`
	Target     string  `json:"target"`
	Linearizer string  `json:"linearizer"`
	Lanes      string  `json:"lanes,omitempty"` // rounds if lanes are iterations
	Requested  int     `json:"-"`
	Width      int     `json:"width"`
	Tuned      bool    `json:"tuned"` // the strategy was found faster than the planned one
	Driver     float64 `json:"driver_cpu_min_ms"`
	Simtc      float64 `json:"simtc_cpu_min_ms"`
	Checked    float64 `json:"checked_cpu_min_ms,omitempty"` // with Options.Checked
	Compile    float64 `json:"compile_ms"`
	Note       string  `json:"note"` // an error, or ""
}

// runsInTurn is the number of consecutive runs of one side: after a pause for the other
// side, Go's runtime monitors the process more closely for a while, and the branch
// predictor has lost its state.
const runsInTurn = 9

// tuneFor is the time for comparing candidates before the timed runs, which are too few for
// tuning at launch to finish.
const tuneFor = 500 * time.Millisecond

// measure runs a kernel on the driver and at every width, alternating between them.
func (s *settings) measure(ctx context.Context, b *benchmark, driver bool) ([]row, error) {
	dir, err := os.MkdirTemp("", "simtc-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var runs []runner
	if driver {
		c := b.command
		if c.File, err = b.writeSource(dir); err != nil {
			return nil, err
		}
		c.Threads = 1
		session, err := opencl.Open(ctx, c)
		if err != nil {
			return nil, err
		}
		defer session.Close()
		runs = append(runs, session)
	}
	rows := make([]row, len(s.widths))
	var subjects []*subject
	for i, w := range s.widths {
		rows[i] = row{Kernel: b.name, Requested: w}
		for _, checked := range []bool{false, true}[:1+boolToInt(s.checked)] {
			x, err := s.build(ctx, b, w, checked, &rows[i])
			if err != nil {
				rows[i].Note = firstLine(err.Error())
				break
			}
			defer x.close()
			subjects = append(subjects, x)
			runs = append(runs, x)
		}
	}
	var reference []opencl.Checksum
	var session *opencl.Session
	minTime := make([]float64, len(runs))
	for i, r := range runs {
		if _, err := r.Run(); err != nil {
			return nil, err
		}
		switch r := r.(type) {
		case *opencl.Session:
			if session = r; s.intrinsics {
				break
			}
			if reference, err = r.Checksums(); err != nil {
				return nil, err
			}
		case *subject:
			if note := b.judge(r.checksums(), reference); note != "" || r.row.Note == "" {
				r.row.Note = note
			}
			if s.intrinsics {
				if r.row.Note, err = r.mismatch(session); err != nil {
					return nil, err
				}
			}
		}
		minTime[i] = math.Inf(1)
	}
	for _, x := range subjects {
		if err := x.kernel.Tune(ctx, tuneFor, x.rng, x.args...); err != nil {
			return nil, err
		}
	}
	for turn := range (s.runs + runsInTurn - 1) / runsInTurn {
		for i, r := range runs {
			for range min(runsInTurn, s.runs-turn*runsInTurn) {
				if b.command.Reset {
					if err := r.Reset(); err != nil {
						return nil, err
					}
				}
				t, err := r.Run()
				if err != nil {
					return nil, err
				}
				minTime[i] = min(minTime[i], milliseconds(t.CPU))
			}
		}
	}
	for i, r := range runs {
		if x, ok := r.(*subject); ok {
			if x.checked {
				x.row.Checked = minTime[i]
				continue
			}
			x.row.Simtc = minTime[i]
			if err := x.recordTuned(); err != nil {
				return nil, err
			}
		}
	}
	if driver {
		for i := range rows {
			rows[i].Driver = minTime[0]
		}
	}
	return rows, nil
}

// runner runs a kernel once.
type runner interface {
	Run() (opencl.Time, error)
	Reset() error
}

// subject is a kernel compiled by simtc, with its buffers.
type subject struct {
	ctx     context.Context
	program *simtc.Program
	kernel  *simtc.Kernel
	rng     simtc.Range
	specs   []ndarg.Arg
	args    []any
	buffers [][]byte // by argument; nil for values
	row     *row
	checked bool
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// options returns the options for compiling the benchmark at a width.
func (s *settings) options(b *benchmark, width int, checked bool) simtc.Options {
	o := simtc.Options{Strategy: simtc.Strategy{Target: s.target, Linearizer: s.linearize, Width: width}, File: b.name + ".cl", Threads: 1, Checked: checked}
	for _, w := range strings.Fields(b.command.Options) {
		if d, ok := strings.CutPrefix(w, "-D"); ok {
			o.Defines = append(o.Defines, d)
		}
		if v, ok := strings.CutPrefix(w, "-cl-std="); ok {
			o.Std = v
		}
	}
	return o
}

// compileOnce compiles the source to a kernel that can be launched.
func (s *settings) compileOnce(b *benchmark, width int, checked bool) (*simtc.Program, *simtc.Kernel, error) {
	p, err := simtc.Compile(b.source, s.options(b, width, checked))
	if err != nil {
		return nil, nil, err
	}
	k, err := p.Kernel(b.command.Kernel)
	if err == nil {
		err = k.Build()
	}
	if err != nil {
		p.Close()
		return nil, nil, err
	}
	return p, k, nil
}

// build compiles b three times, keeps the last result and records the minimum time.
func (s *settings) build(ctx context.Context, b *benchmark, width int, checked bool, r *row) (*subject, error) {
	x := &subject{checked: checked, ctx: ctx, rng: simtc.NDRange(b.command.Global...), specs: b.command.Args, row: r}
	if b.command.Local != nil {
		x.rng = x.rng.WithLocal(b.command.Local...)
	}
	if b.command.Offset != nil {
		x.rng = x.rng.WithOffset(b.command.Offset...)
	}
	for i := range 3 {
		if x.program != nil {
			x.program.Close()
		}
		start := cpuTime()
		p, k, err := s.compileOnce(b, width, checked)
		if err != nil {
			return nil, err
		}
		if ms := milliseconds(cpuTime() - start); !checked && (i == 0 || ms < r.Compile) {
			r.Compile = ms
		}
		x.program, x.kernel = p, k
	}
	r.Target = x.kernel.Target()
	if err := x.allocate(); err != nil {
		return nil, err
	}
	runtime.GC()
	return x, nil
}

// allocate allocates and fills the buffers and sets the arguments.
func (x *subject) allocate() (err error) {
	x.args = nil
	x.buffers = make([][]byte, len(x.specs))
	for i := range x.specs {
		a := &x.specs[i]
		switch a.Kind {
		case ndarg.Value:
			x.args = append(x.args, simtc.Bytes(a.Value))
		case ndarg.Image:
			if x.buffers[i], err = a.NewIn(x.kernel.Alloc); err != nil {
				return err
			}
			im := &a.Image
			x.args = append(x.args, simtc.ImageArg(simtc.Image{
				Width: im.Width, Height: im.Height, Depth: im.Depth, ArraySize: im.Layers, Order: im.Format.Order, Type: im.Format.Type, Data: x.buffers[i],
			}))
		case ndarg.Local:
			x.args = append(x.args, simtc.LocalMemory(a.Bytes))
		default:
			if x.buffers[i], err = a.NewIn(x.kernel.Alloc); err != nil {
				return err
			}
			x.args = append(x.args, simtc.Buffer(x.buffers[i]))
		}
	}
	return nil
}

// Run launches the kernel over its range.
func (x *subject) Run() (opencl.Time, error) {
	wall, cpu := time.Now(), cpuTime()
	err := x.kernel.Launch(x.ctx, x.rng, x.args...)
	return opencl.Time{CPU: cpuTime() - cpu, Wall: time.Since(wall)}, err
}

// fitted returns the kernel specialized for the subject's range, as launches do.
func (x *subject) fitted() (*simtc.Kernel, error) {
	r, err := x.kernel.Resolve(x.rng)
	if err != nil {
		return nil, err
	}
	return x.kernel.ForLaunch(r, x.args...)
}

// recordTuned records the strategy that tuning found fastest.
func (x *subject) recordTuned() error {
	k, err := x.fitted()
	if err != nil {
		return err
	}
	fastest, err := k.Fastest()
	if err != nil {
		return err
	}
	planned, err := k.Strategy()
	if err != nil {
		return err
	}
	x.row.Target, x.row.Linearizer, x.row.Width, x.row.Lanes, x.row.Tuned = fastest.Target, fastest.Linearizer, fastest.Width, fastest.Lanes, fastest != planned
	return nil
}

// Reset writes the initial contents of the buffers.
func (x *subject) Reset() error {
	for i, b := range x.buffers {
		if b != nil {
			if err := x.specs[i].Reset(b); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *subject) checksums() []opencl.Checksum {
	var sums []opencl.Checksum
	for i, b := range x.buffers {
		if b != nil {
			sums = append(sums, opencl.Checksum{Arg: i, FNV: ndarg.Hash(b)})
		}
	}
	return sums
}

func (x *subject) close() { x.program.Close() }

// judge describes a mismatch of the first run's checksums with those of the driver, if any,
// or else with the expected ones.
func (b *benchmark) judge(got, driver []opencl.Checksum) string {
	for i, c := range got {
		if driver != nil {
			if c != driver[i] {
				return fmt.Sprintf("WRONG: argument %d differs from the driver's", c.Arg)
			}
			continue
		}
		for _, want := range b.sums {
			if want.Arg == c.Arg && want.Hash != ndarg.FormatHash(c.FNV) {
				return fmt.Sprintf("WRONG: argument %d has a wrong checksum", c.Arg)
			}
		}
	}
	return ""
}

// Tolerances against results computed in another order, with other contractions: of each
// number, and of the share of numbers that may differ more, because they decide when a loop
// ends.
const (
	tolerance   = 1e-3
	maxFarShare = 5e-3
)

// mismatch describes a mismatch of the buffers with those of a session.
func (x *subject) mismatch(session *opencl.Session) (string, error) {
	for i, b := range x.buffers {
		if b == nil {
			continue
		}
		want, err := session.Read(i)
		if err != nil {
			return "", err
		}
		e := x.specs[i].Type.Elem
		if n, all := countFar(b, want, e), len(b)/e.Size(); float64(n) > maxFarShare*float64(all) {
			return fmt.Sprintf("WRONG: argument %d differs in %d of %d elements", i, n, all), nil
		}
	}
	return "", nil
}

// countFar counts the numbers that differ from the expected ones by more than the
// tolerance.
func countFar(got, want []byte, e ndarg.Elem) int {
	n := 0
	for at := 0; at+e.Size() <= len(got); at += e.Size() {
		x, y := e.Number(got[at:]), e.Number(want[at:])
		if !(math.Abs(x-y) <= tolerance*max(1, math.Abs(y))) {
			n++
		}
	}
	return n
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
