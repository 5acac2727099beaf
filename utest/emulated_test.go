package utest

import (
	"flag"
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

var emulateAll = flag.Bool("emulate", false, "if AVX-512 is emulated, run every kernel with every strategy instead of some")

// emulated reports whether AVX-512 code runs in the emulator, because the machine lacks
// AVX-512.
var emulated = simtc.Available(simtc.AVX512) != nil

// otherWays is the reason for skipping a strategy.
const otherWays = "code for AVX-512 is emulated, and in other ways; -emulate runs all"

// runsHere reports whether code for a target can be run, in the emulator if necessary.
func runsHere(target string) bool { return target == simtc.AVX512 || simtc.Available(target) == nil }

// slowly reports whether code of strategy w is emulated, unless all strategies are
// requested.
func slowly(w simtc.Strategy) bool { return emulated && !*emulateAll && w.Target == simtc.AVX512 }

// turns is the number of emulated strategies per kernel unless all are requested.
// Compiling the others would take a large part of the total test time.
func sampled(target string) int {
	switch {
	case *long:
		return math.MaxInt
	case target == simtc.AVX512 && emulated && *emulateAll:
		return math.MaxInt
	case target == simtc.AVX512 && emulated:
		return 2
	case target == simtc.AVX512:
		return 8
	}
	return 4
}

// turn skips most emulated strategies of a kernel, as emulation is slow. It keeps turns
// of them, and different ones for different kernels.
func sample(t *testing.T, all []simtc.Strategy, i int) {
	target, n := all[i].Target, sampled(all[i].Target)
	count, at := 0, 0 // the strategies of the target, and the position of this one
	for j, w := range all {
		if w.Target == target {
			if j == i {
				at = count
			}
			count++
		}
	}
	if n >= count {
		return
	}
	h := fnv.New32a()
	h.Write([]byte(t.Name()[:len(t.Name())-len(all[i].String())]))
	if shift := int(h.Sum32() % uint32(count)); (at+shift)*n%count >= n {
		if slowly(all[i]) {
			skip(t, otherWays)
		}
		t.SkipNow() // a part of the sampling, not of what cannot run here
	}
}

// runNatively is runOne without the emulator, for one-lane code on a processor without
// AVX-512; the code is compiled for that processor.
func runNatively(t *testing.T, programs *programs, r *testRun, w simtc.Strategy, reference [][]byte) {
	native := *r
	native.opt.Emulate = false
	k, err := programs.get(t, native.opt).Kernel(r.kernel)
	require.NoError(t, err)
	one, err := k.With(w)
	require.NoError(t, err)
	if err := one.Available(); err != nil {
		skip(t, err.Error())
	}
	runOne(t, &native, k, w, reference)
}
