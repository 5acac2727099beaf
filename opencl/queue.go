package opencl

import (
	"time"

	"github.com/simtc/simtc/opencl/cl"
)

// Queue is a command queue. The mutex of the context guards it.
//
// A command is ready when the events that it waits for are complete. Ready commands run on
// goroutines of the queue, one at a time if it is in order, or on the goroutine of a host thread
// that waits. They start when the application waits or flushes, but soon in any case: until then,
// a host thread that enqueues a small command and waits for it runs it without a switch of
// threads.
type Queue struct {
	object
	ctx        *Context
	device     *Device
	properties uint64
	list       []uint64 // as in queries; nil: not given
	outOfOrder bool

	ready      []*Event
	unfinished map[*Event]bool // out of order
	last       *Event          // in order: the last unfinished command
	barrier    *Event          // out of order: the last unfinished barrier
	backlog    int             // unfinished commands
	runners    int             // goroutines that run commands
	failure    error           // the first failure that no function has returned
	timer      *time.Timer
	armed      bool
}

const (
	queueProperties = cl.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl.QUEUE_PROFILING_ENABLE
	// maxRunners bounds the commands of an out-of-order queue that run at once.
	maxRunners = 16
	// startDelay is the time after which a command starts that nobody waits for or flushes.
	startDelay = 100 * time.Microsecond
	// startLength is the number of unfinished commands that are not left to a host thread.
	startLength = 16
)

// NewQueue returns a queue. list are the properties as in queries, if they were given as a list.
func (c *Context) NewQueue(d *Device, properties uint64, list []uint64) (*Queue, error) {
	if err := c.has(d); err != nil {
		return nil, err
	}
	const onDevice = cl.QUEUE_ON_DEVICE | cl.QUEUE_ON_DEVICE_DEFAULT
	if unknown := properties &^ (queueProperties | onDevice); unknown != 0 {
		return nil, fail(cl.INVALID_VALUE, "unknown properties %#x of a queue", unknown)
	}
	if properties&onDevice != 0 {
		return nil, fail(cl.INVALID_QUEUE_PROPERTIES, "the device has no queues of its own")
	}
	q := &Queue{ctx: c, device: d, properties: properties, list: list, outOfOrder: properties&cl.QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0, unfinished: map[*Event]bool{}}
	c.use()
	d.use()
	q.create(func() {
		c.mu.Lock()
		delete(c.queues, q)
		if q.timer != nil {
			q.timer.Stop()
		}
		c.mu.Unlock()
		d.drop()
		c.drop()
	})
	c.mu.Lock()
	c.queues[q] = true
	c.mu.Unlock()
	return q, nil
}

// Context returns the context of the queue.
func (q *Queue) Context() *Context { return q.ctx }

// Info answers a query of clGetCommandQueueInfo.
func (q *Queue) Info(name int) (any, error) {
	switch name {
	case cl.QUEUE_CONTEXT:
		return q.ctx, nil
	case cl.QUEUE_DEVICE:
		return q.device, nil
	case cl.QUEUE_REFERENCE_COUNT:
		return q.references(), nil
	case cl.QUEUE_PROPERTIES:
		return q.properties, nil
	case cl.QUEUE_PROPERTIES_ARRAY:
		return q.list, nil
	case cl.QUEUE_DEVICE_DEFAULT:
		return (*Queue)(nil), nil
	case cl.QUEUE_SIZE:
		return nil, fail(cl.INVALID_COMMAND_QUEUE, "not a queue of the device")
	}
	return nil, badName(name)
}

// command describes a command to enqueue.
type command struct {
	kind  int
	run   func() error // nil: nothing
	keeps []*object    // used until completion
	wait  []*Event

	barrier  bool
	marker   bool // waits for all commands before it if wait is empty
	blocking bool
}

// enqueue adds a command. The caller gets a reference to its event; it may be released at once.
func (q *Queue) enqueue(x command) (*Event, error) {
	c := q.ctx
	for _, w := range x.wait {
		if w.ctx != c {
			return nil, fail(cl.INVALID_CONTEXT, "an event of the wait list is of another context")
		}
	}
	for i, k := range x.keeps {
		if !k.use() {
			for _, used := range x.keeps[:i] {
				used.drop()
			}
			return nil, fail(cl.INVALID_MEM_OBJECT, "an object of the command was released")
		}
	}
	e := &Event{ctx: c, queue: q, kind: x.kind, status: cl.QUEUED, run: x.run, keeps: x.keeps, barrier: x.barrier, profiled: q.properties&cl.QUEUE_PROFILING_ENABLE != 0}
	q.use()
	e.create(q.drop)
	e.use() // by the queue, until completion
	e.times[timeQueued] = c.platform.now()
	c.mu.Lock()
	after := func(w *Event, listed bool) {
		switch {
		case w.status > 0:
			w.next = append(w.next, edge{e, listed})
			e.waits++
		case w.status < 0 && listed:
			e.failed = true
		}
	}
	for _, w := range x.wait {
		after(w, true)
	}
	if !q.outOfOrder {
		if q.last != nil {
			after(q.last, false)
		}
		q.last = e
	} else {
		if q.barrier != nil {
			after(q.barrier, false)
		}
		if x.marker && len(x.wait) == 0 {
			for u := range q.unfinished {
				after(u, false)
			}
		}
		if x.barrier {
			q.barrier = e
		}
		q.unfinished[e] = true
	}
	q.backlog++
	if e.waits == 0 {
		q.ready = append(q.ready, e)
	}
	if q.backlog >= startLength {
		q.start()
	} else if !x.blocking && q.runners == 0 && !q.armed {
		q.arm()
	}
	c.mu.Unlock()
	if x.blocking {
		if status := e.wait(); status < 0 {
			Release(e)
			q.takeFailure()
			return nil, fail(status, "the command failed")
		}
	}
	return e, nil
}

// arm starts the queue soon. The timer stays set while a host thread enqueues and waits for one
// command after the other: setting it may wake a thread. requires: ctx.mu is held.
func (q *Queue) arm() {
	q.armed = true
	if q.timer != nil {
		q.timer.Reset(startDelay)
		return
	}
	q.timer = time.AfterFunc(startDelay, func() {
		q.ctx.mu.Lock()
		defer q.ctx.mu.Unlock()
		q.armed = false
		switch {
		case len(q.ready) == 0 || q.runners > 0:
		case q.ctx.platform.now()-q.ready[0].times[timeQueued] < uint64(startDelay/2):
			q.arm()
		default:
			q.start()
		}
	})
}

// start starts goroutines for ready commands. requires: ctx.mu is held.
func (q *Queue) start() {
	if len(q.ready) == 0 || q.runners > 0 && !q.outOfOrder || q.runners >= maxRunners {
		return
	}
	q.runners++
	go func() {
		q.ctx.mu.Lock()
		for len(q.ready) > 0 {
			q.runNext()
		}
		q.runners--
		q.ctx.mu.Unlock()
	}()
}

// startAll starts all queues of the context. requires: mu is held.
func (c *Context) startAll() {
	for q := range c.queues {
		q.start()
	}
}

// startOthers starts all queues but q. requires: ctx.mu is held.
func (q *Queue) startOthers() {
	for o := range q.ctx.queues {
		if o != q {
			o.start()
		}
	}
}

// runNext runs the first ready command. It releases ctx.mu, which is held, meanwhile.
func (q *Queue) runNext() {
	c := q.ctx
	e := q.ready[0]
	q.ready[0] = nil
	if q.ready = q.ready[1:]; len(q.ready) > 0 {
		q.start()
	}
	e.status = cl.SUBMITTED
	e.reached(cl.SUBMITTED)
	e.status = cl.RUNNING
	e.reached(cl.RUNNING)
	failed := e.failed
	c.mu.Unlock()
	e.times[timeSubmit] = c.platform.now()
	e.times[timeStart] = e.times[timeSubmit]
	var err error
	switch {
	case failed:
		err = fail(cl.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event of the wait list has failed")
	case e.kind == cl.COMMAND_NDRANGE_KERNEL, e.kind == cl.COMMAND_TASK:
		err = e.run() // a launch handles the faults of its code
	case e.run != nil:
		err = c.access(e.run)
	}
	e.times[timeEnd] = c.platform.now()
	for _, k := range e.keeps {
		k.drop()
	}
	e.run, e.keeps = nil, nil
	c.mu.Lock()
	q.backlog--
	if err != nil && q.failure == nil && !failed {
		q.failure = err
	}
	if q.outOfOrder {
		delete(q.unfinished, e)
		if q.barrier == e {
			q.barrier = nil
		}
	} else if q.last == e {
		q.last = nil
	}
	others := false
	for _, n := range e.next {
		others = others || n.to.queue != q
	}
	e.completeLocked(CodeOf(err))
	if others {
		q.startOthers()
	}
	if len(q.ready) > 1 {
		q.start()
	}
	c.mu.Unlock()
	e.drop()
	c.mu.Lock()
}

// takeFailure returns the first failure of a command that was not returned yet.
func (q *Queue) takeFailure() error {
	q.ctx.mu.Lock()
	defer q.ctx.mu.Unlock()
	err := q.failure
	q.failure = nil
	return err
}

// Flush starts the commands of the queue.
func (q *Queue) Flush() {
	q.ctx.mu.Lock()
	defer q.ctx.mu.Unlock()
	q.start()
}

// Finish waits for all commands of the queue. It returns the failure of one that no other
// function has returned.
func (q *Queue) Finish() error {
	q.ctx.mu.Lock()
	var all []*Event
	if q.last != nil {
		all = append(all, q.last)
	}
	for e := range q.unfinished {
		all = append(all, e)
	}
	for _, e := range all {
		e.use()
	}
	q.ctx.mu.Unlock()
	for _, e := range all {
		e.wait()
		e.drop()
	}
	return q.takeFailure()
}

// Marker enqueues a command that completes when the events of wait do, or else all commands
// before it. After a barrier, no command of the queue starts before it is complete.
func (q *Queue) Marker(barrier bool, wait []*Event) (*Event, error) {
	kind := cl.COMMAND_MARKER
	if barrier {
		kind = cl.COMMAND_BARRIER
	}
	return q.enqueue(command{kind: kind, wait: wait, marker: true, barrier: barrier})
}

// Native enqueues a function of the application.
func (q *Queue) Native(run func(), mems []*Mem, wait []*Event) (*Event, error) {
	x := command{kind: cl.COMMAND_NATIVE_KERNEL, wait: wait, run: func() error { run(); return nil }}
	for _, m := range mems {
		if m.ctx != q.ctx {
			return nil, fail(cl.INVALID_CONTEXT, "a memory object is of another context")
		}
		x.keeps = append(x.keeps, &m.object)
	}
	return q.enqueue(x)
}
