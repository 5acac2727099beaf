package launch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// divide runs a launch whose units are distributed over all versions, of which first is one.
func (t *Tuned) divide(ctx context.Context, first divisible, r Range, args []Arg, threads int, left time.Duration) (err error) {
	if r, err = r.Resolve(first.program().Kernel.ReqdWorkGroupSize); err != nil {
		return err
	}
	d := &division{t: t, r: r, first: first.program(), args: args, threads: threads, parts: make([]part, len(t.executors)), left: left, began: t.now(), minItems: t.minItems()}
	defer func() { err = errors.Join(err, d.end()) }()
	p, err := d.part(0)
	if err != nil {
		return err
	}
	d.threads = p.workers()
	d.units = d.first.divide(d.first.of(r), d.threads, t.want(r, d.threads, d.minItems), t.crossed)
	return d.units.share(ctx, d.threads, func() (worker, error) {
		return &divisionWorker{division: d, workers: make([]worker, len(t.executors))}, nil
	})
}

// errNotAlike is the reason why a version cannot share a launch with the first.
var errNotAlike = errors.New("the launch is divided into units that the version cannot run")

// division is a launch that several versions run together.
type division struct {
	t        *Tuned
	r        Range
	first    *Program // of the first version, whose range is divided
	args     []Arg
	threads  int
	units    *runs
	over     atomic.Uint64 // units that are done
	began    time.Time
	left     time.Duration // expected rest of the launch: open, or 0 if the launch may be the only one
	minItems uint64        // minimum work-items of a unit, for the versions under comparison

	mu    sync.Mutex
	parts []part // by version; nil: not begun
}

// part begins the part of version i in the launch.
func (d *division) part(i int) (part, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.parts[i] != nil {
		return d.parts[i], nil
	}
	e := d.t.executor(i).(divisible)
	p, err := e.begin(e.program().of(d.r), d.args, d.threads)
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

// remaining estimates the time until the end of the launch.
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
	workers []worker // nil: not needed yet
}

func (w *divisionWorker) run(ctx context.Context, _ Range, next func() (run, bool)) error {
	for x, ok := next(); ok; x, ok = next() {
		if err := w.runUnit(ctx, x); err != nil {
			return err
		}
	}
	return nil
}

// runUnit runs x with the version whose turn it is and records the time.
func (w *divisionWorker) runUnit(ctx context.Context, x run) error {
	i := w.t.ready(w.t.pick(w.remaining()))
	if w.left == open {
		i = w.t.atMost(i, w.minItems) // for the rest of this launch
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
	p := w.t.executor(i).(divisible).program()
	r := p.of(w.r)
	length, _ := p.tile(r)
	stop := startThreadClock()
	err := w.workers[i].run(ctx, r, parts(x.along(w.first, p, r), length))
	took := stop()
	if err != nil {
		return err
	}
	w.t.record(i, x.items(), took, false)
	w.over.Add(1)
	return nil
}

// join creates a worker of version i.
func (w *divisionWorker) join(i int) error {
	p, err := w.part(i)
	if err != nil {
		return err
	}
	if w.t.executor(i).(divisible).program().Groups != w.units.groups || p.workers() < w.threads {
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
