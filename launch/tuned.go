package launch

import (
	"context"
	"errors"
	"sync"
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
	now       func() time.Time
}

// NewTuned returns an executor of versions the first of which is there, having
// taken built to make, and the others are made once launches have taken as long
// altogether. Closing them is left to those who made them.
func NewTuned(first Executor, built time.Duration, others ...func() (Executor, error)) *Tuned {
	return &Tuned{
		tuning:    newTuning(1+len(others), built),
		executors: append([]Executor{first}, make([]Executor, len(others))...),
		create:    append([]func() (Executor, error){nil}, others...),
		now:       time.Now,
	}
}

// Best is the version found fastest so far.
func (t *Tuned) Best() int {
	i, _ := t.steady()
	return i
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
	left, n := open, t.launches.Add(1)
	if n == 1 {
		left = 0
	}
	best, steady := t.steady()
	// While versions are compared, every second launch is as fast as it can be.
	steady = steady || n > 1 && n%2 == 1
	if e, ok := t.executors[0].(*nativeExecutor); ok && !steady {
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
	items := uint64(1)
	for _, n := range r.Global {
		items *= max(n, 1)
	}
	t.record(best, items, t.now().Sub(began))
	return nil
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
		i, _ = t.steady()
	}
	return i
}

// divide runs a launch whose units are done by any of the versions, all native.
func (t *Tuned) divide(ctx context.Context, first *nativeExecutor, r Range, args []Arg, threads int, left time.Duration) error {
	r, err := r.Resolve(first.Kernel.ReqdWorkGroupSize)
	if err != nil {
		return err
	}
	d := &division{t: t, r: r, args: args, launches: make([]*nativeLaunch, len(t.executors)), left: left, began: t.now()}
	defer d.end()
	l, err := d.launch(0)
	if err != nil {
		return err
	}
	d.threads = l.space.workers(threads)
	d.units = first.pieces(r, d.threads)
	return d.units.share(ctx, d.threads, func() (worker, error) {
		return &divisionWorker{division: d, workers: make([]worker, len(t.executors))}, nil
	})
}

// errNotAlike is why a version cannot share a launch with the first.
var errNotAlike = errors.New("the units of the launch are not its own")

// division is a launch that several versions do together.
type division struct {
	t       *Tuned
	r       Range
	args    []Arg
	threads int
	units   *runs
	over    atomic.Uint64 // units
	began   time.Time
	left    time.Duration // open, or 0 if the launch may be the only one

	mu       sync.Mutex
	launches []*nativeLaunch // of each version; nil: not begun
}

// launch begins version i's part in the launch.
func (d *division) launch(i int) (*nativeLaunch, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.launches[i] != nil {
		return d.launches[i], nil
	}
	l, err := d.t.executor(i).(*nativeExecutor).begin(d.r, d.args)
	d.launches[i] = l
	return l, err
}

func (d *division) end() {
	for _, l := range d.launches {
		if l != nil {
			l.end()
		}
	}
}

// remaining is how long the launch will take from now on.
func (d *division) remaining() time.Duration {
	done := d.over.Load()
	if d.left == open || done == 0 {
		return d.left
	}
	return time.Duration(float64(d.t.now().Sub(d.began)) * float64(d.units.total-done) / float64(done))
}

// divisionWorker has a worker of each version.
type divisionWorker struct {
	*division
	workers []worker // nil: not needed so far
}

func (w *divisionWorker) run(ctx context.Context, r Range, x run) error {
	i := w.t.ready(w.t.pick(w.remaining()))
	for w.workers[i] == nil {
		if err := w.join(i); err != nil {
			if i == 0 {
				return err
			}
			w.t.made(i, false)
			i = 0
		}
	}
	began := w.t.now()
	if err := w.workers[i].run(ctx, r, x); err != nil {
		return err
	}
	w.t.record(i, x.items(), w.t.now().Sub(began))
	w.over.Add(1)
	return nil
}

// join makes a worker of version i.
func (w *divisionWorker) join(i int) error {
	l, err := w.launch(i)
	if err != nil {
		return err
	}
	if l.e.Groups != w.units.groups || l.space.workers(w.threads) < w.threads {
		return errNotAlike
	}
	w.workers[i], err = l.newWorker()
	return err
}

func (w *divisionWorker) done() {
	for _, x := range w.workers {
		if x != nil {
			x.done()
		}
	}
}
