package opencl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/opencl/cl"
)

// checkRange validates the range of a launch. Sizes are nil if they are not given.
func (k *Kernel) checkRange(dims int, offset, global, local []int) (simtc.Range, error) {
	var r simtc.Range
	if dims < 1 || dims > 3 {
		return r, fail(cl.INVALID_WORK_DIMENSION, "a range of %d dimensions", dims)
	}
	r.Dims = dims
	required := k.k.RequiredGroup()
	items := 1
	for d := range dims {
		if global != nil {
			if global[d] < 0 || uint64(global[d]) > math.MaxUint32 {
				return r, fail(cl.INVALID_GLOBAL_WORK_SIZE, "%d work-items in dimension %d", global[d], d)
			}
			r.Global[d] = uint64(global[d])
		}
		if offset != nil {
			if offset[d] < 0 || offset[d] > math.MaxInt-int(r.Global[d]) {
				return r, fail(cl.INVALID_GLOBAL_OFFSET, "offset %d in dimension %d", offset[d], d)
			}
			r.Offset[d] = uint64(offset[d])
		}
		if local == nil {
			continue
		}
		n := local[d]
		switch {
		case required[d] > 0 && n != required[d], n == 0:
			return r, fail(cl.INVALID_WORK_GROUP_SIZE, "kernel %s cannot have work-groups of %v", k.k.Name(), local)
		case n < 0 || n > maxGroup:
			return r, fail(cl.INVALID_WORK_ITEM_SIZE, "work-groups of %v", local)
		}
		if items *= n; items > maxGroup {
			return r, fail(cl.INVALID_WORK_GROUP_SIZE, "work-groups of %v", local)
		}
		r.Local[d] = uint64(n)
		if r.Global[d]%uint64(n) != 0 && k.uniform {
			return r, fail(cl.INVALID_WORK_GROUP_SIZE, "work-groups of %v do not divide %v work-items", local, global)
		}
	}
	for d, n := range required {
		if local == nil && n > 0 && (d < dims && r.Global[d]%uint64(n) != 0 && k.uniform || d >= dims && n > 1) {
			return r, fail(cl.INVALID_WORK_GROUP_SIZE, "the required work-groups of %v do not divide %v work-items", required, global)
		}
	}
	resolved, err := k.k.Resolve(r)
	if err != nil {
		return r, fail(cl.INVALID_GLOBAL_WORK_SIZE, "%v", err)
	}
	return resolved, nil
}

// SuggestLocal returns the work-group size of launches that leave it open.
func (k *Kernel) SuggestLocal(dims int, offset, global []int) ([3]uint64, error) {
	if global == nil && dims >= 1 && dims <= 3 {
		return [3]uint64{}, fail(cl.INVALID_GLOBAL_WORK_SIZE, "no global size")
	}
	if _, err := k.ready(); err != nil {
		return [3]uint64{}, err
	}
	r, err := k.checkRange(dims, offset, global, nil)
	if err == nil && r.Empty() {
		err = fail(cl.INVALID_GLOBAL_WORK_SIZE, "an empty range")
	}
	return r.Local, err
}

// ready returns the arguments, or an error if one is not set.
func (k *Kernel) ready() ([]argument, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	out := make([]argument, len(k.args))
	for i, a := range k.args {
		if !a.set {
			return nil, fail(cl.INVALID_KERNEL_ARGS, "kernel %s: argument %d (%s %s) is not set", k.k.Name(), i, k.params[i].Type, k.params[i].Name)
		}
		out[i] = a
	}
	return out, nil
}

// Launch enqueues a kernel; kind is cl.COMMAND_NDRANGE_KERNEL or cl.COMMAND_TASK.
func (q *Queue) Launch(k *Kernel, kind, dims int, offset, global, local []int, wait []*Event) (*Event, error) {
	if k.prog.ctx != q.ctx {
		return nil, fail(cl.INVALID_CONTEXT, "the kernel is of another context")
	}
	args, err := k.ready()
	if err != nil {
		return nil, err
	}
	r, err := k.checkRange(dims, offset, global, local)
	if err != nil {
		return nil, err
	}
	if n := k.localBytes(); n > simtc.MaxLocal {
		return nil, fail(cl.OUT_OF_RESOURCES, "kernel %s: %d bytes of local memory", k.k.Name(), n)
	}
	x := command{kind: kind, wait: wait, keeps: []*object{&k.object}}
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a.value
		if a.keeps != nil {
			x.keeps = append(x.keeps, a.keeps)
		}
	}
	x.run = func() error { return q.launch(k, r, args, values) }
	return q.enqueue(x)
}

// shortLaunch is the expected time of a launch up to which it runs on one thread: waking others
// takes as long.
const shortLaunch = 40 * time.Microsecond

// expected returns the expected time of a launch on one thread in nanoseconds; 0 if unknown.
func (k *Kernel) expected(items float64) float64 {
	return math.Abs(math.Float64frombits(k.pace.Load())) * items
}

// learn records that a launch took d on threads.
func (k *Kernel) learn(items float64, threads int, d time.Duration) {
	known, measured := k.expected(items), math.Float64frombits(k.pace.Load()) > 0
	each := float64(d) / items
	switch {
	case threads == 1:
		if measured && float64(d) > known {
			each = 1.25 * known / items // the launch may have been disturbed
		}
	case d < shortLaunch && !measured: // one thread is worth a try
		each = -each
	case known == 0 || known > 2*float64(d)*float64(threads):
		each *= -float64(threads)
	case measured && known < 4*float64(shortLaunch):
		each = 0.97 * known / items // one thread gets another try
	default:
		return
	}
	k.pace.Store(math.Float64bits(each))
}

// launch runs a kernel.
func (q *Queue) launch(k *Kernel, r simtc.Range, args []argument, values []any) error {
	p := q.ctx.platform
	items := float64(max(r.Global[0], 1)) * float64(max(r.Global[1], 1)) * float64(max(r.Global[2], 1))
	threads := q.device.units
	if t := k.expected(items); t > 0 && t < float64(shortLaunch) || r.Global == r.Local {
		threads = 1
	}
	ctx := context.Background()
	if p.cfg.Timeout > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, p.cfg.Timeout, fmt.Errorf("it did not end within %v (SIMTC_TIMEOUT)", p.cfg.Timeout))
		defer cancel()
		ctx = limited
	}
	p.dumpLaunch(k, r, args)
	began := time.Now()
	err := k.k.WithThreads(threads).Launch(ctx, r, values...)
	took := time.Since(began)
	k.learn(items, threads, took)
	if p.cfg.Debug {
		p.logf("kernel %s over %v in groups of %v: %v in %v", k.k.Name(), r.Global[:r.Dims], r.Local[:r.Dims], resultOf(err), took)
	}
	if err == nil {
		return nil
	}
	text := err.Error()
	var fault *simtc.Fault
	if errors.As(err, &fault) {
		text = fault.Detail()
	}
	q.ctx.report("kernel %s failed: %s", k.k.Name(), text)
	return fail(cl.OUT_OF_RESOURCES, "%v", err)
}
