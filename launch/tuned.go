package launch

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"time"
)

// Tuned runs a kernel that has several versions with equal results. It starts with the
// first and finds the fastest by measuring launches.
type Tuned struct {
	*tuning
	executors []Executor // nil: not created
	create    []func() (Executor, error)
	launches  atomic.Uint64 // number of launches begun
	took      atomic.Uint64 // ns per work-item of the last whole launch, as the bits of a float64; 0: none
	now       func() time.Time

	crossed bool // the lanes of versions lie along different dimensions
}

// Version is a version of a kernel that can be created on demand.
type Version struct {
	Make     func() (Executor, error)
	After    int // the version is tried only if version After is the fastest; Always: in any case
	Kind     int // versions of a kind perform alike: if one is much slower than another kind, all are skipped
	LaneDim  int // the dimension of the lanes; any numbering serves
	MinItems int // minimum work-items of a unit that shows the version's speed: its end is slower
}

// Always is the value of Version.After for a version that is always tried.
const Always = -1

// NewTuned returns an executor of several versions. Number 0 is first, of the given kind,
// whose creation took built. The others are created once launches have taken that long in
// total. The caller closes the executors.
func NewTuned(first Executor, kind, laneDim int, built time.Duration, others ...Version) *Tuned {
	t := &Tuned{executors: make([]Executor, 1+len(others)), create: make([]func() (Executor, error), 1+len(others)), now: time.Now}
	t.executors[0] = first
	versions := []version{{after: Always, kind: kind}}
	for i, v := range others {
		t.create[1+i], versions = v.Make, append(versions, version{after: v.After, kind: v.Kind, minItems: uint64(v.MinItems)})
	}
	t.tuning = newTuning(built, versions...)
	if e, ok := first.(divisible); ok {
		t.crossed = !e.program().Groups && slices.ContainsFunc(others, func(v Version) bool { return v.LaneDim != laneDim })
	}
	_, native := first.(*nativeExecutor)
	t.fresh = !native // the first launch creates an engine's instances and their memory
	return t
}

// Best returns the fastest version so far.
func (t *Tuned) Best() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.best
}

// Comparisons returns the number of completed comparisons of all versions.
func (t *Tuned) Comparisons() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.comparisons
}

// Close does nothing: see NewTuned.
func (t *Tuned) Close() error { return nil }

func (t *Tuned) Launch(ctx context.Context, r Range, args []Arg, threads int) error {
	if r.Empty() {
		return t.executors[0].Launch(ctx, r, args, threads)
	}
	left, n := open, t.launches.Add(1)
	if n == 1 {
		left = 0
		defer t.forgetSpent()
	}
	best, steady := t.steady(n)
	if e, ok := t.executors[0].(divisible); ok && !steady && !t.isWholeSample(n, r) && e.shares(args) {
		return t.divide(ctx, e, r, args, threads, left)
	}
	if !steady {
		best = t.ready(t.pick(left))
	}
	if p, ok := t.executor(best).(interface {
		program() *Program
		room(Range, []Arg) (space, error)
	}); ok && best != 0 {
		if _, err := p.room(p.program().of(r), args); err != nil {
			best = 0 // may need less memory
		}
	}
	began := t.now()
	if err := t.executor(best).Launch(ctx, r, args, threads); err != nil {
		return err
	}
	took := t.now().Sub(began)
	t.took.Store(math.Float64bits(float64(took) / float64(r.items())))
	t.record(best, r.items(), took, true)
	return nil
}

// Tune calls launch, which must launch the kernel, until the versions are compared and the
// run-off of the finalistLimit ones is over, or limit has passed.
func (t *Tuned) Tune(limit time.Duration, launch func() error) error {
	if !t.undecided() {
		return nil
	}
	t.hurry(true)
	defer t.hurry(false)
	end := t.now().Add(limit)
	for t.undecided() {
		if !t.now().Before(end) {
			return nil
		}
		if err := launch(); err != nil {
			return err
		}
	}
	return t.runOff(end, launch)
}

// isWholeSample reports whether the n-th launch is one sample: short launches are while tuning
// eagerly (hurry), as more of them follow.
func (t *Tuned) isWholeSample(n uint64, r Range) bool {
	took := math.Float64frombits(t.took.Load())
	return n > 1 && t.hurrying() && took*float64(r.items()) < float64(longSample)
}

// want returns the number of units into which a launch is divided: at least one per thread,
// otherwise none shorter than minUnit, which makes the overhead of a unit negligible, or
// with fewer work-items than minItems.
func (t *Tuned) want(r Range, threads int, minItems uint64) uint64 {
	took := math.Float64frombits(t.took.Load())
	n := uint64(maxUnits)
	if took > 0 {
		n = uint64(min(took*float64(r.items())*float64(threads)/float64(minUnit), maxUnits))
	}
	if minItems > 0 {
		n = min(n, r.items()/minItems|1) // odd: versions take turns, and of two units each would always get the same one
	}
	return max(n, uint64(threads), 1)
}

func (t *Tuned) executor(i int) Executor {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.executors[i]
}

// ready returns version i, created first if create is set, or the best one if that fails.
func (t *Tuned) ready(i int, create bool) int {
	if !create {
		return i
	}
	e, err := t.create[i]()
	if err == nil {
		t.mu.Lock()
		t.executors[i] = e
		t.mu.Unlock()
	}
	t.made(i, err == nil)
	if err != nil {
		i = t.Best()
	}
	return i
}
