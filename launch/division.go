package launch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// divide runs a launch whose units are done by any of the versions, of which first is one.
func (t *Tuned) divide(ctx context.Context, first parted, r Range, args []Arg, threads int, left time.Duration) (err error) {
	if r, err = r.Resolve(first.program().Kernel.ReqdWorkGroupSize); err != nil {
		return err
	}
	d := &division{t: t, r: r, args: args, threads: threads, parts: make([]part, len(t.executors)), left: left, began: t.now(), piece: t.piece()}
	defer func() { err = errors.Join(err, d.end()) }()
	p, err := d.part(0)
	if err != nil {
		return err
	}
	d.threads = p.workers()
	d.units = first.program().pieces(r, d.threads, t.want(r, d.threads, d.piece))
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
	piece   uint64        // how many work-items the versions need that the units are made for

	mu    sync.Mutex
	parts []part // of each version; nil: not begun
}

// part begins version i's part in the launch.
func (d *division) part(i int) (part, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.parts[i] != nil {
		return d.parts[i], nil
	}
	p, err := d.t.executor(i).(parted).begin(d.r, d.args, d.threads)
	if err != nil {
		return nil, err
	}
	d.parts[i] = p
	return p, nil
}

func (d *division) end() error {
	var errs []error
	for _, p := range d.parts {
		if p != nil {
			errs = append(errs, p.end())
		}
	}
	return errors.Join(errs...)
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

func (w *divisionWorker) run(ctx context.Context, r Range, next func() (run, bool)) error {
	for x, ok := next(); ok; x, ok = next() {
		if err := w.runUnit(ctx, r, x); err != nil {
			return err
		}
	}
	return nil
}

// runUnit runs x with the version whose turn it is, and notes how long that takes.
func (w *divisionWorker) runUnit(ctx context.Context, r Range, x run) error {
	i := w.t.ready(w.t.pick(w.remaining()))
	if w.left == open {
		i = w.t.instead(i, w.piece) // until the next launch
	}
	for w.workers[i] == nil {
		if err := w.join(i); err != nil {
			if i == 0 {
				return err
			}
			w.t.made(i, false)
			i = 0
		}
	}
	stop := startThreadClock()
	err := w.workers[i].run(ctx, r, once(x))
	took := stop()
	if err != nil {
		return err
	}
	w.t.record(i, x.items(), took, false)
	w.over.Add(1)
	return nil
}

// join makes a worker of version i.
func (w *divisionWorker) join(i int) error {
	p, err := w.part(i)
	if err != nil {
		return err
	}
	if w.t.executor(i).(parted).program().Groups != w.units.groups || p.workers() < w.threads {
		return errNotAlike
	}
	w.workers[i], err = p.newWorker()
	return err
}

func (w *divisionWorker) done() {
	for _, x := range w.workers {
		if x != nil {
			x.done()
		}
	}
}
