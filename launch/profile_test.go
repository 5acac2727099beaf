package launch

import (
	"encoding/binary"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
)

// Counts of workers that end at the same time are added.
func TestCountsOfWorkers(t *testing.T) {
	const blocks, workers = 5, 40
	p := Program{Counters: blocks}
	total := newCounts(&p)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			counters := make([]byte, p.counterBytes())
			for b := range blocks {
				slot := counters[b*vir.ProfileSlot:]
				binary.LittleEndian.PutUint64(slot[vir.ProfileRuns:], uint64(b)<<40)
				binary.LittleEndian.PutUint64(slot[vir.ProfileLanes:], uint64(w*b))
			}
			total.add(counters)
		})
	}
	wg.Wait()
	require.Len(t, total.sum, blocks)
	for b, c := range total.sum {
		require.Equal(t, uint64(b)<<40*workers, c.Runs)
		require.Equal(t, uint64(b*workers*(workers-1)/2), c.Lanes)
	}
}

// Code without instrumentation has no counters.
func TestNoCounts(t *testing.T) {
	var p Program
	total := newCounts(&p)
	total.add(nil)
	require.Empty(t, total.sum)
}
