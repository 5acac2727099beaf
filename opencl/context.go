package opencl

import (
	"io"
	"slices"
	"sync"

	"github.com/simtc/simtc/opencl/cl"
)

// Context has the objects that can be used together.
type Context struct {
	object
	platform   *Platform
	devices    []*Device
	properties []int
	notify     func(text string) // nil: errors are not reported
	output     io.Writer         // of printf

	mu     sync.Mutex // guards the events and queues of the context
	queues map[*Queue]bool

	destructors []func()
	svm         allocations
}

// ContextOptions has the options of a context.
type ContextOptions struct {
	Properties []int             // as in queries
	Notify     func(text string) // called with errors, by any goroutine
	Output     io.Writer         // of printf; nil: that of the platform
}

// NewContext returns a context for devices.
func (p *Platform) NewContext(devices []*Device, o ContextOptions) (*Context, error) {
	if len(devices) == 0 {
		return nil, fail(cl.INVALID_VALUE, "a context without devices")
	}
	c := &Context{platform: p, properties: o.Properties, notify: o.Notify, output: o.Output, queues: map[*Queue]bool{}}
	if c.output == nil {
		c.output = p.cfg.Output
	}
	for _, d := range devices {
		if !slices.Contains(c.devices, d) {
			c.devices = append(c.devices, d)
			d.use()
		}
	}
	c.create(func() {
		for _, f := range slices.Backward(c.destructors) {
			f()
		}
		c.svm.freeAll()
		for _, d := range c.devices {
			d.drop()
		}
	})
	return c, nil
}

// OnDestroy registers a function that is called when the context is destroyed.
func (c *Context) OnDestroy(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.destructors = append(c.destructors, f)
}

// report passes the text of an error to the application and the log.
func (c *Context) report(format string, args ...any) {
	text := fail(0, format, args...).(*Error).Text
	c.platform.logf("%s", text)
	if c.notify != nil {
		c.notify(text)
	}
}

// Info answers a query of clGetContextInfo.
func (c *Context) Info(name int) (any, error) {
	switch name {
	case cl.CONTEXT_REFERENCE_COUNT:
		return c.references(), nil
	case cl.CONTEXT_NUM_DEVICES:
		return uint32(len(c.devices)), nil
	case cl.CONTEXT_DEVICES:
		return c.devices, nil
	case cl.CONTEXT_PROPERTIES:
		return c.properties, nil
	}
	return nil, badName(name)
}

// Devices lists the devices of the context.
func (c *Context) Devices() []*Device { return c.devices }

func (c *Context) has(d *Device) error {
	if !slices.Contains(c.devices, d) {
		return fail(cl.INVALID_DEVICE, "the context lacks the device")
	}
	return nil
}
