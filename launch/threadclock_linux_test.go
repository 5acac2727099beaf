package launch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A clock of a thread counts its work, not what it waits for.
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
