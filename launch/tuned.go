package launch

import (
	"context"
	"math"
	"sync/atomic"
	"time"
)

// Tuned runs a kernel that there are several versions of, all of which do the
// same: it begins with the first and finds out in launches which is the fastest.
type Tuned struct {
	*tuning
	executors []Executor // nil: not made
	create    []func() (Executor, error)
	launches  atomic.Uint64 // begun
	took      atomic.Uint64 // the last whole launch, ns for each work-item: the bits of a float64; 0: there was none
	now       func() time.Time
}

// Version is a version of a kernel that can be made.
type Version struct {
	Make  func() (Executor, error)
	After int // it is tried only when that one, by number, is the fastest; Always: whatever is
	Kind  int // versions of one kind are alike: if one is much slower than those of another, all are
	Piece int // how many work-items it needs to show what it can: at the end of them it is slower
}

// Always says that a version is tried whatever is the fastest.
const Always = -1

// NewTuned returns an executor of versions the first of which, with number 0, is
// there, having taken built to make, and of the given kind. The others are made once
// launches have taken as long altogether. Closing them is left to those who made them.
func NewTuned(first Executor, kind int, built time.Duration, others ...Version) *Tuned {
	t := &Tuned{executors: make([]Executor, 1+len(others)), create: make([]func() (Executor, error), 1+len(others)), now: time.Now}
	t.executors[0] = first
	versions := []version{{after: Always, kind: kind}}
	for i, v := range others {
		t.create[1+i], versions = v.Make, append(versions, version{after: v.After, kind: v.Kind, piece: uint64(v.Piece)})
	}
	t.tuning = newTuning(built, versions...)
	_, native := first.(*nativeExecutor)
	t.fresh = !native // an engine's instances, and what they work in, are made for the first launch
	return t
}

// Best is the version found fastest so far.
func (t *Tuned) Best() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.best
}

// Rounds is how many times all versions have been compared.
func (t *Tuned) Rounds() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rounds
}

// Close does nothing.
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
	if e, ok := t.executors[0].(parted); ok && !steady && !t.wholly(n, r) && e.shares(args) {
		return t.divide(ctx, e, r, args, threads, left)
	}
	if !steady {
		best = t.ready(t.pick(left))
	}
	if p, ok := t.executor(best).(interface {
		room(Range, []Arg) (space, error)
	}); ok && best != 0 {
		if _, err := p.room(r, args); err != nil {
			best = 0 // which may take less memory
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

// Tune calls launch, which is to launch the kernel, until the versions have been compared,
// those that came close twice, or it has taken limit.
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

// wholly reports whether the n-th launch is a sample as a whole: short ones are, if there can
// be more of them at once.
func (t *Tuned) wholly(n uint64, r Range) bool {
	took := math.Float64frombits(t.took.Load())
	return n > 1 && t.hurrying() && took*float64(r.items()) < float64(longSample)
}

// want is how many pieces a launch should be divided into: none that take less than it
// takes to begin them and look at the clock many times over, or have fewer work-items than
// piece, but one for each thread.
func (t *Tuned) want(r Range, threads int, piece uint64) uint64 {
	took := math.Float64frombits(t.took.Load())
	n := uint64(mostPieces)
	if took > 0 {
		n = uint64(min(took*float64(r.items())*float64(threads)/float64(leastPiece), mostPieces))
	}
	if piece > 0 {
		n = min(n, r.items()/piece|1) // versions take turns: of two pieces each would always have the same
	}
	return max(n, uint64(threads), 1)
}

func (t *Tuned) executor(i int) Executor {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.executors[i]
}

// ready returns the version picked, made if that is asked for, or if that fails
// another one.
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
