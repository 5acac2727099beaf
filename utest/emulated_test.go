package utest

import (
	"flag"
	"hash/fnv"
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

// turns is how many ways of a kernel are emulated where not all are: what it takes to
// compile the others is a good part of what all tests take.
const turns = 2

// turn skips most ways of a kernel that would be emulated, which is slow: turns of all are
// left, others for other kernels.
func turn(t *testing.T, all []simtc.Strategy, i int) {
	if !slowly(all[i]) {
		return
	}
	ours, at := 0, 0 // the emulated ways, and which of them this is
	for j, w := range all {
		if w.Target == simtc.AVX512 {
			if j == i {
				at = ours
			}
			ours++
		}
	}
	h := fnv.New32a()
	h.Write([]byte(t.Name()[:len(t.Name())-len(all[i].String())]))
	if shift := int(h.Sum32() % uint32(ours)); (at+shift)*turns%ours >= turns { // as far apart as may be
		skip(t, otherWays)
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
