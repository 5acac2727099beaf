package launch

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/simtc/simtc/vir"
)

// Count is the profile of one block of the kernel.
type Count struct {
	Runs  uint64 // executions of the block
	Lanes uint64 // sum over these executions of the active work-items
}

// Profiler is an Executor of code that counts block executions (Program.Counters).
type Profiler interface {
	Executor
	// Profile is Launch and returns the counts of this launch, indexed by block.
	Profile(ctx context.Context, r Range, args []Arg, threads int) ([]Count, error)
}

// counts accumulates the counts of a launch. Each worker has its own counters, so that
// the code needs no atomics.
type counts struct {
	mu  sync.Mutex
	sum []Count
}

func newCounts(p *Program) *counts { return &counts{sum: make([]Count, p.Counters)} }

// counterBytes is the size of one worker's counters.
func (p *Program) counterBytes() int { return p.Counters * vir.ProfileSlot }

// add adds the counters of a worker that is done.
func (c *counts) add(counters []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.sum {
		slot := counters[i*vir.ProfileSlot:]
		c.sum[i].Runs += binary.LittleEndian.Uint64(slot[vir.ProfileRuns:])
		c.sum[i].Lanes += binary.LittleEndian.Uint64(slot[vir.ProfileLanes:])
	}
}

func (e *nativeExecutor) Launch(ctx context.Context, r Range, args []Arg, threads int) error {
	_, err := e.Profile(ctx, r, args, threads)
	return err
}

func (e *wasmExecutor) Launch(ctx context.Context, r Range, args []Arg, threads int) error {
	_, err := e.Profile(ctx, r, args, threads)
	return err
}

func (e *virExecutor) Launch(ctx context.Context, r Range, args []Arg, threads int) error {
	_, err := e.Profile(ctx, r, args, threads)
	return err
}
