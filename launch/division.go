package launch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

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
	d.threads = first.most(l.space.workers(threads))
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
	w.t.record(i, x.items(), w.t.now().Sub(began), false)
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
