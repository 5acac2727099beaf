package launch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The thread clock counts CPU time, not waiting time.
func TestThreadClockStandsWhileOthersRun(t *testing.T) {
	stop := startThreadClock()
	began := time.Now()
	time.Sleep(50 * time.Millisecond)
	n := 0
	for before, _ := threadTime(); ; n++ {
		if now, ok := threadTime(); !ok || now-before >= time.Millisecond {
			break
		}
	}
	took := stop()
	require.Positive(t, n)
	require.GreaterOrEqual(t, took, time.Millisecond)
	require.Less(t, took, time.Since(began))
}
