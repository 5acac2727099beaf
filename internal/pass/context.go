package pass

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Context has the settings and results of the passes over one kernel.
type Context struct {
	Stats  Stats
	Verify bool // check the unit after every pass

	// Disabled and DumpAfter name passes: "unroll", or "vector/unroll" for those of one stage.
	Disabled  []string
	DumpAfter []string
	Dump      func(Step, fmt.Stringer)

	// Costs collects the costs of the passes; nil: they are not measured.
	Costs *Costs
}

func (c *Context) disabled(stage, name string) bool { return selects(c.Disabled, stage, name) }

// selects reports whether names contains the pass.
func selects(names []string, stage, name string) bool {
	for _, n := range names {
		if s, only, qualified := strings.Cut(n, "/"); n == name || qualified && s == stage && only == name {
			return true
		}
	}
	return false
}

// Unknown returns the first of names that selects none of the passes.
func Unknown(names []string, list []Description) (string, bool) {
	for _, n := range names {
		if !slices.ContainsFunc(list, func(d Description) bool { return selects([]string{n}, d.Stage, d.Name) }) {
			return n, true
		}
	}
	return "", false
}

// Cost is the cost of all runs of a pass.
type Cost struct {
	Stage, Name string
	Runs        int
	Time        time.Duration
	Allocs      uint64 // objects
	Bytes       uint64
}

// Costs collects the costs of passes, also of several kernels at once. The allocations are those
// of the process, so they are those of the passes if nothing else runs.
type Costs struct {
	mu   sync.Mutex
	list []Cost
}

// List returns the costs in the order in which the passes first finished.
func (c *Costs) List() []Cost {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.list)
}

func (c *Costs) add(x Cost) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.list, func(y Cost) bool { return x.Stage == y.Stage && x.Name == y.Name })
	if i < 0 {
		c.list = append(c.list, x)
		return
	}
	sum := &c.list[i]
	sum.Runs += x.Runs
	sum.Time += x.Time
	sum.Allocs += x.Allocs
	sum.Bytes += x.Bytes
}

// measure returns a function that adds the cost since the call of measure.
func (c *Context) measure(stage, name string) func() {
	if c.Costs == nil {
		return func() {}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	return func() {
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		c.Costs.add(Cost{stage, name, 1, took, after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc})
	}
}
