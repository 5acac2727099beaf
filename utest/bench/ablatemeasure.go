package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/utest/opencl"
)

// built is a kernel compiled for an ablation.
type built struct {
	*subject
	strategy simtc.Strategy
	hash     uint64        // of the vector IR that launches generate code from
	took     time.Duration // CPU time
}

// compile compiles b up to the vector IR that launches over its range use. The plan chooses the
// strategy. For counts of instructions it is the strategy of like, because the plan minimizes time.
func (a *ablation) compile(b *benchmark, disable []string, like *built) (_ *built, err error) {
	o := a.options(b, a.widths[0], false)
	o.Target, o.Emulate, o.Debug.Disable, o.Printf = a.target, a.emulates(), disable, io.Discard
	o.NoTuning = true
	if a.emulates() {
		o.MaxSteps = maxInstructions
	}
	x := &built{subject: &subject{ctx: a.ctx, specs: b.command.Args, rng: a.rangeOf(b)}}
	start := cpuTime()
	if x.program, err = simtc.Compile(b.source, o); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			x.close()
		}
	}()
	if x.kernel, err = x.program.Kernel(b.command.Kernel); err != nil {
		return nil, err
	}
	took := cpuTime() - start
	if like != nil {
		x.args = like.args
	} else if err := x.allocate(); err != nil {
		return nil, err
	}
	start = cpuTime()
	if a.ablate == byInstructions && like != nil {
		same, err := x.kernel.With(like.strategy)
		if err != nil {
			return nil, err
		}
		if _, err := same.Strategy(); err == nil { // otherwise the pass enables it
			x.kernel = same
		}
	}
	if x.kernel, err = x.fitted(); err != nil {
		return nil, err
	}
	if x.strategy, err = x.kernel.Strategy(); err != nil {
		return nil, err
	}
	x.hash, err = hashOf(x.kernel, "vir")
	x.took = took + cpuTime() - start
	return x, err
}

// hashOf returns a hash of an output of k.
func hashOf(k *simtc.Kernel, output string) (uint64, error) {
	text, err := k.Emit(output)
	if err != nil {
		return 0, err
	}
	h := fnv.New64a()
	h.Write(text)
	return h.Sum64(), nil
}

// everyNth is the number of passes after which a kernel is compiled with all passes again, so that
// a change of the machine's state affects both compile times.
const everyNth = 8

// kernel measures one kernel with every part switched off.
func (a *ablation) kernel(b *benchmark) error {
	on, err := a.compile(b, nil, nil)
	if err != nil {
		a.notes = append(a.notes, fmt.Sprintf("%s: %s", b.name, firstLine(err.Error())))
		return nil
	}
	defer on.close()
	a.kernels++
	k, err := a.first(b, on)
	if err != nil {
		a.notes = append(a.notes, fmt.Sprintf("%s: not run: %s", b.name, firstLine(err.Error())))
	} else {
		a.measured++
	}
	var whole mean
	off := map[string]time.Duration{}
	for i, p := range a.passes {
		if err := a.ctx.Err(); err != nil {
			return err
		}
		if (i+a.kernels)%everyNth == 0 || i == len(a.passes)-1 && whole.n == 0 { // not in step with garbage collection
			again, err := a.compile(b, nil, on)
			if err != nil {
				return err
			}
			again.close()
			whole.add(float64(again.took))
		}
		x, err := a.compile(b, p.passes, on)
		e := a.effects[p.name]
		if err != nil {
			e.failed = append(e.failed, b.name+": "+firstLine(err.Error()))
			continue
		}
		off[p.name] = x.took
		err = a.compare(k, x, e)
		x.close()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	for name, t := range off {
		a.effects[name].compile.add(float64(t) / whole.value())
	}
	if len(a.choices) == 0 {
		return nil
	}
	return a.features(k)
}

// reference is a kernel with all parts.
type reference struct {
	*built
	b        *benchmark
	runs     bool
	launches int // of a sample
	sums     []opencl.Checksum
	byWidth  bool // the results depend on the width: the kernel uses sub-groups
}

// first runs a kernel with all parts for the first time and checks its results. Its error is the
// reason why the kernel is not measured.
func (a *ablation) first(b *benchmark, on *built) (*reference, error) {
	k := &reference{built: on, b: b, launches: 1}
	scalar, err := on.kernel.With(simtc.Strategy{Target: simtc.Interpreter})
	if err != nil {
		return k, err
	}
	n, err := scalar.Width()
	if err != nil {
		return k, err
	}
	k.byWidth = n != 0
	used, err := a.launch(on.subject)
	if err != nil {
		return k, err
	}
	k.sums = on.checksums()
	if !a.reduced(b) && !k.byWidth {
		if note := b.judge(k.sums, nil); note != "" {
			return k, errors.New(note)
		}
	}
	k.runs = true
	if a.ablate == byTime && !b.command.Reset {
		k.launches = max(1, min(int(minSample/max(used, 1)), maxLaunches))
	}
	return k, nil
}

// A sample has as many launches as take minSample, in ns, at most maxLaunches.
const (
	minSample   = 1e6
	maxLaunches = 1000
)

// equal reports whether x, compiled without a part, has the code of k. Passes over machine code do not
// change the vector IR. Kernels whose code needs the sizes of a launch count as different.
func (k *reference) equal(x *built, e *effect) bool {
	if x.hash != k.hash || !strings.HasPrefix(e.name, "machine/") {
		return x.hash == k.hash
	}
	with, err := hashOf(k.kernel, "asm")
	if err != nil {
		return false
	}
	without, err := hashOf(x.kernel, "asm")
	return err == nil && with == without
}

// compare records the effect of code x that was compiled without the part of e.
func (a *ablation) compare(k *reference, x *built, e *effect) error {
	switch {
	case k.equal(x, e):
		if k.runs {
			e.add(k.b.name, 1)
		}
		return nil
	case !k.runs:
		e.changed++
		return nil
	}
	e.changed++
	if err := x.allocate(); err != nil {
		return err
	}
	if _, err := a.launch(x.subject); a.ctx.Err() != nil {
		return a.ctx.Err()
	} else if err != nil {
		e.failed = append(e.failed, k.b.name+": "+firstLine(err.Error()))
		return nil
	}
	if !slices.Equal(x.checksums(), k.sums) && !(k.byWidth && x.strategy.Width != k.strategy.Width) {
		e.wrong = append(e.wrong, k.b.name)
	}
	if a.ablate == byCode {
		return nil
	}
	used, err := a.interleave(k, []*subject{k.subject, x.subject})
	if err != nil {
		return err
	}
	if math.IsInf(used[0], 1) || math.IsInf(used[1], 1) {
		return nil // noted
	}
	e.add(k.b.name, used[1]/used[0])
	return nil
}

// launch resets the buffers and runs the kernel once. It returns the CPU time in ns or the number of
// instructions.
func (a *ablation) launch(x *subject) (float64, error) {
	if err := x.Reset(); err != nil {
		return 0, err
	}
	if err := x.program.Reset(a.ctx); err != nil {
		return 0, err
	}
	if err := x.kernel.Build(); err != nil { // otherwise the launch does so, in its time
		return 0, err
	}
	limited := *x
	var cancel context.CancelFunc
	limited.ctx, cancel = context.WithTimeout(a.ctx, launchLimit*a.limit)
	defer cancel()
	executed := x.kernel.Executed()
	t, err := limited.Run()
	if a.emulates() {
		return float64(x.kernel.Executed() - executed), err
	}
	return float64(t.CPU), err
}

// launchLimit bounds the time of one launch relative to that of a comparison.
const launchLimit = 10

// interleave measures subjects in turn, for the limited time, and returns the minimum of each;
// infinity for one of which a launch fails or exceeds its time.
func (a *ablation) interleave(k *reference, xs []*subject) ([]float64, error) {
	used := make([]float64, len(xs))
	runs := a.runs
	if a.emulates() { // exact
		runs = 1
	}
	began := time.Now()
	for run := 0; run < min(runs, minRuns) || run < runs && time.Since(began) < a.limit; run++ {
		for i, x := range xs {
			if math.IsInf(used[i], 1) {
				continue
			}
			t, err := a.launch(x)
			for n := 1; n < k.launches && err == nil; n++ {
				var more opencl.Time
				more, err = x.Run()
				t += float64(more.CPU)
			}
			switch {
			case a.ctx.Err() != nil:
				return nil, a.ctx.Err()
			case err != nil:
				a.notes = addOnce(a.notes, k.b.name+": "+firstLine(err.Error()))
				used[i] = math.Inf(1)
			case run == 0 || t < used[i]:
				used[i] = max(t, 1)
			}
		}
	}
	return used, nil
}

// minRuns is the number of runs of each side that a comparison has at least.
const minRuns = 3

// The bounds of emulated launches: work-items, and instructions.
const (
	maxEmulated     = 1024
	maxInstructions = 4 << 20
)

// rangeOf returns the range of b, reduced for the emulator.
func (a *ablation) rangeOf(b *benchmark) simtc.Range {
	global := b.command.Global
	if a.emulates() {
		global = reduce(global, b.command.Local)
	}
	r := simtc.NDRange(global...)
	if b.command.Local != nil {
		r = r.WithLocal(b.command.Local...)
	}
	if b.command.Offset != nil {
		r = r.WithOffset(b.command.Offset...)
	}
	return r
}

// reduced reports whether the range of b is reduced, so that the results differ from its
// checksums.
func (a *ablation) reduced(b *benchmark) bool {
	return a.emulates() && !slices.Equal(b.command.Global, reduce(b.command.Global, b.command.Local))
}

// reduce returns global sizes with at most maxEmulated work-items, but at least one work-group. The
// later dimensions are reduced first: the length of rows affects the code.
func reduce(global, local []uint64) []uint64 {
	out := slices.Clone(global)
	for i := len(out) - 1; i >= 0; i-- {
		rest := uint64(1)
		for j, n := range out {
			if j != i {
				rest *= n
			}
		}
		unit := uint64(1)
		if i < len(local) {
			unit = max(local[i], 1)
		}
		if most := maxEmulated / max(rest, 1) / unit * unit; out[i] > max(most, unit) {
			out[i] = max(most, unit)
		}
	}
	return out
}
