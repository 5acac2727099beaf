package utest

import (
	"flag"
	"hash/fnv"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

var emulateAll = flag.Bool("emulate", false, "where AVX-512 is emulated, run every kernel in every way, not in turns")

// emulated reports whether code for AVX-512 is run by the emulator: where nothing else can.
var emulated = simtc.Available(simtc.AVX512) != nil

// otherWays is why one is skipped.
const otherWays = "code for AVX-512 is emulated, and in other ways; -emulate runs all"

// runsHere reports whether code of a target can be run, if need be by the emulator.
func runsHere(target string) bool { return target == simtc.AVX512 || simtc.Available(target) == nil }

// slowly reports whether a way is emulated, and not all is to be run.
func slowly(w simtc.Strategy) bool { return emulated && !*emulateAll && w.Target == simtc.AVX512 }

// sampled is the number of strategies with which a run line runs on a target. Others run for other
// kernels. Compiling takes most of the time.
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

// sample skips a strategy that other kernels run. The strategies of a target that are left are far
// apart in the list; which ones depends on the name of the test.
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

// runNatively is runOne by the processor itself, which lacks AVX-512, for code of one lane,
// which is made for it.
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
