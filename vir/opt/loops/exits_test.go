package loops_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/opt"
	"github.com/simtc/simtc/vir/opt/loops"
	"github.com/simtc/simtc/vir/opt/opttest"
)

// Loops that do not change share the function's edge lists: memory grows linearly with the
// function.
func TestExitsOfLongCode(t *testing.T) {
	for _, pass := range []func(*vir.Func, opt.Stats){loops.LatchTests, loops.Unroll} {
		bytes := func(loops int) uint64 {
			f := opttest.ManyLoops(t, loops)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			pass(f, opt.Stats{})
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		require.Less(t, bytes(1600), 8*bytes(400))
	}
}
