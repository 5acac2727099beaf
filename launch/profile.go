package launch

import (
	"context"
	"encoding/binary"
	"sync"

	"github.com/simtc/simtc/vir"
)

// Count is what profiled code counts of one block of the kernel.
type Count struct {
	Runs  uint64 // how often the block ran
	Lanes uint64 // how many work-items ran it then, added up
}

// Profiler is an Executor of code that counts its blocks (Program.Counters).
type Profiler interface {
	Executor
	// Profile is Launch and returns the counts of this launch, by block.
	Profile(ctx context.Context, r Range, args []Arg, threads int) ([]Count, error)
}

// counts adds up what the workers of a launch count. Each has counters of its
// own; the code knows nothing of other workers.
type counts struct {
	mu  sync.Mutex
	sum []Count
}

func newCounts(p *Program) *counts { return &counts{sum: make([]Count, p.Counters)} }

// counterBytes is the size of one worker's counters.
func (p *Program) counterBytes() int { return p.Counters * vir.ProfileSlot }

// add takes the counters of a worker that is done.
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
