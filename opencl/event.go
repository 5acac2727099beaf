package opencl

import (
	"github.com/simtc/simtc/opencl/cl"
)

// Event is the state of a command, or of a user event. The mutex of the context guards it.
type Event struct {
	object
	ctx   *Context
	queue *Queue // nil: a user event
	kind  int    // cl.COMMAND_READ_BUFFER and others

	status    int       // cl.QUEUED to cl.COMPLETE, or an error
	times     [4]uint64 // by stage: timeQueued and others
	run       func() error
	waits     int  // unfinished events that it waits for
	failed    bool // an event of its wait list has failed
	next      []edge
	callbacks []callback
	done      chan struct{} // closed on completion; nil: nobody waits
	barrier   bool
	keeps     []*object // used until completion
	profiled  bool
}

// edge leads to a command that waits for an event.
type edge struct {
	to     *Event
	listed bool // in its wait list, not only by the order of the queue
}

// callback is called when an event reaches a status.
type callback struct {
	status int
	call   func(status int)
}

// The stages of a command with their times.
const (
	timeQueued = iota
	timeSubmit
	timeStart
	timeEnd
)

// NewUserEvent returns an event that the application completes.
func (c *Context) NewUserEvent() *Event {
	e := &Event{ctx: c, kind: cl.COMMAND_USER, status: cl.SUBMITTED}
	c.use()
	e.create(c.drop)
	return e
}

// SetStatus completes a user event: status is cl.COMPLETE or negative.
func (e *Event) SetStatus(status int) error {
	if e.queue != nil {
		return fail(cl.INVALID_EVENT, "not a user event")
	}
	if status > 0 {
		return fail(cl.INVALID_VALUE, "status %d does not complete an event", status)
	}
	e.ctx.mu.Lock()
	if e.status <= 0 {
		e.ctx.mu.Unlock()
		return fail(cl.INVALID_OPERATION, "the event is complete")
	}
	e.completeLocked(status)
	e.ctx.startAll()
	e.ctx.mu.Unlock()
	return nil
}

// completeLocked sets the final status and releases commands that wait. requires: ctx.mu is
// held.
func (e *Event) completeLocked(status int) {
	e.status = status
	for _, n := range e.next {
		if n.listed && status < 0 {
			n.to.failed = true
		}
		if n.to.waits--; n.to.waits == 0 {
			n.to.queue.ready = append(n.to.queue.ready, n.to)
		}
	}
	e.next = nil
	if e.done != nil {
		close(e.done)
	}
	e.reached(status)
}

// reached calls the callbacks for a status on a goroutine of their own: they may take long.
// requires: ctx.mu is held.
func (e *Event) reached(status int) {
	if len(e.callbacks) == 0 {
		return
	}
	var due, left []callback
	for _, c := range e.callbacks {
		if status <= c.status {
			due = append(due, c)
		} else {
			left = append(left, c)
		}
	}
	e.callbacks = left
	if len(due) == 0 {
		return
	}
	e.use()
	go func() {
		defer e.drop()
		for _, c := range due {
			if status < 0 {
				c.call(status)
			} else {
				c.call(c.status)
			}
		}
	}()
}

// OnStatus registers a function that is called once the event has reached a status, or has
// failed, with the status reached.
func (e *Event) OnStatus(status int, call func(status int)) error {
	if status != cl.SUBMITTED && status != cl.RUNNING && status != cl.COMPLETE {
		return fail(cl.INVALID_VALUE, "no callback can be called at status %d", status)
	}
	e.ctx.mu.Lock()
	defer e.ctx.mu.Unlock()
	e.callbacks = append(e.callbacks, callback{status, call})
	e.reached(e.status)
	return nil
}

// WaitFor waits for events, which belong to one context. Their queues are flushed.
func WaitFor(events []*Event) error {
	if len(events) == 0 {
		return fail(cl.INVALID_VALUE, "no events")
	}
	for _, e := range events {
		if e.ctx != events[0].ctx {
			return fail(cl.INVALID_CONTEXT, "the events are of different contexts")
		}
	}
	failed := false
	for _, e := range events {
		failed = e.wait() < 0 || failed
	}
	if failed {
		return fail(cl.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event has failed")
	}
	return nil
}

// wait returns the final status of e. The calling goroutine runs commands of the event's queue
// itself unless another one does.
func (e *Event) wait() int {
	c := e.ctx
	c.mu.Lock()
	defer c.mu.Unlock()
	for e.status > 0 {
		if q := e.queue; q != nil && q.runners == 0 && len(q.ready) > 0 {
			q.startOthers()
			q.runners++
			q.runNext()
			q.runners--
			continue
		}
		c.startAll()
		if e.done == nil {
			e.done = make(chan struct{})
		}
		done := e.done
		c.mu.Unlock()
		<-done
		c.mu.Lock()
	}
	if e.queue != nil {
		e.queue.start() // commands after e, which are flushed too
	}
	return e.status
}

// Info answers a query of clGetEventInfo.
func (e *Event) Info(name int) (any, error) {
	switch name {
	case cl.EVENT_COMMAND_QUEUE:
		return e.queue, nil
	case cl.EVENT_COMMAND_TYPE:
		return uint32(e.kind), nil
	case cl.EVENT_COMMAND_EXECUTION_STATUS:
		e.ctx.mu.Lock()
		defer e.ctx.mu.Unlock()
		return int32(e.status), nil
	case cl.EVENT_REFERENCE_COUNT:
		return e.references(), nil
	case cl.EVENT_CONTEXT:
		return e.ctx, nil
	}
	return nil, badName(name)
}

// Profile answers a query of clGetEventProfilingInfo.
func (e *Event) Profile(name int) (any, error) {
	if e.queue == nil || !e.profiled {
		return nil, fail(cl.PROFILING_INFO_NOT_AVAILABLE, "the command is not profiled")
	}
	e.ctx.mu.Lock()
	defer e.ctx.mu.Unlock()
	if e.status != cl.COMPLETE {
		return nil, fail(cl.PROFILING_INFO_NOT_AVAILABLE, "the command is not complete")
	}
	switch name {
	case cl.PROFILING_COMMAND_QUEUED, cl.PROFILING_COMMAND_SUBMIT, cl.PROFILING_COMMAND_START, cl.PROFILING_COMMAND_END:
		return e.times[name-cl.PROFILING_COMMAND_QUEUED], nil
	case cl.PROFILING_COMMAND_COMPLETE:
		return e.times[timeEnd], nil
	}
	return nil, badName(name)
}
