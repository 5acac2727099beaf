package utest

import (
	"flag"
	"hash/fnv"
	"math"
	"strings"
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

// sampled is the number of strategies per target and linearizer that a run line of a kernel
// is run with, unless all are requested. Compiling the others would take most of the time
// of all tests.
func sampled(target string) int {
	switch {
	case *long || target == simtc.AVX512 && emulated && *emulateAll:
		return math.MaxInt
	case target == simtc.AVX512 && !emulated:
		return 3
	}
	return 1
}

// turn is a number that depends on the names, for samples that differ between tests and
// are the same in every run.
func turn(names ...string) int {
	h := fnv.New32a()
	for _, n := range names {
		h.Write([]byte(n))
	}
	return int(h.Sum32() >> 1)
}

// sample skips most strategies of a run line. Those that remain have every target with
// every linearizer, and their widths and modes differ from one run line to the next, so
// that all are covered by the kernels together.
func sample(t *testing.T, all []simtc.Strategy, i int) {
	var same []int // the strategies with the target and linearizer of this one
	at := 0
	for j, w := range all {
		if j == i {
			at = len(same)
		}
		if w.Target == all[i].Target && w.Linearizer == all[i].Linearizer {
			same = append(same, j)
		}
	}
	n := sampled(all[i].Target)
	if n >= len(same) {
		return
	}
	line := strings.TrimSuffix(t.Name(), all[i].String())
	if shift := turn(line, all[i].Linearizer) % len(same); (at+shift)*n%len(same) >= n {
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
