package utest

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

var emulateAll = flag.Bool("emulate", false, "run every kernel with every strategy of targets that are emulated, instead of some")

// otherWays is the reason for skipping a strategy.
const otherWays = "the code is emulated, and in other ways; -emulate runs all"

// runsHere reports whether code for a target can be run, in the emulator if necessary.
func runsHere(target string) bool { return simtc.IsNative(target) || simtc.Available(target) == nil }

// slowly reports whether code of strategy w is emulated, unless all strategies are
// requested.
func slowly(w simtc.Strategy) bool {
	return !*emulateAll && simtc.IsNative(w.Target) && simtc.Available(w.Target) != nil
}

// sampled is the number of strategies per target and linearizer that a run line of a kernel
// is run with, unless all are requested. Compiling the others would take most of the time
// of all tests.
func sampled(target string) int {
	switch {
	case *long || simtc.IsNative(target) && simtc.Available(target) != nil && *emulateAll:
		return math.MaxInt
	case target == simtc.AVX512 && simtc.Available(target) == nil:
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

// sample skips most strategies of a run line. Those that remain for the first line of a
// kernel have every target with every linearizer; the other lines have one linearizer per
// target. Their widths and modes differ from one line to the next, so that all are covered
// by the kernels together.
func sample(t *testing.T, all []simtc.Strategy, i int, first bool) {
	w := all[i]
	line := strings.TrimSuffix(t.Name(), strings.ReplaceAll(w.String(), " ", "_"))
	switch {
	case isSampled(line, all, i, sampled(w.Target), first):
	case slowly(w):
		skip(t, otherWays)
	default:
		t.SkipNow() // a part of the sampling, not of what cannot run here
	}
}

// isSampled reports whether strategy i is among the n per linearizer that a run line is run
// with.
func isSampled(line string, all []simtc.Strategy, i, n int, first bool) bool {
	w := all[i]
	var linearizers []string // that fit the kernel
	count, at := 0, 0        // the strategies with the target and linearizer of this one, and its position among them
	for j, other := range all {
		if j == i {
			at = count
		}
		if other.Target != w.Target {
			continue
		}
		if !slices.Contains(linearizers, other.Linearizer) {
			linearizers = append(linearizers, other.Linearizer)
		}
		if other.Linearizer == w.Linearizer {
			count++
		}
	}
	if n >= count {
		return true
	}
	if !first && linearizers[turn(line, w.Target)%len(linearizers)] != w.Linearizer {
		return false
	}
	shift := turn(line, w.Target, w.Linearizer) % count
	return (at+shift)*n%count < n
}

// TestSamplesCoverStrategies checks that a first run line has every target with every
// linearizer, another line one linearizer of every target, and many lines all strategies.
func TestSamplesCoverStrategies(t *testing.T) {
	p, err := simtc.Compile("kernel void k(global int *a, int n) { int i = get_global_id(0); while (a[i] % n) a[i]++; }", simtc.Options{})
	require.NoError(t, err)
	defer p.Close()
	all := ways(t, p.Kernels()[0], false)
	type pair struct{ target, linearizer string }
	pairs := map[pair]bool{}
	for _, w := range all {
		pairs[pair{w.Target, w.Linearizer}] = true
	}
	require.Len(t, pairs, 8)
	for _, first := range []bool{true, false} {
		covered := map[simtc.Strategy]bool{}
		for line := range 300 {
			found := map[pair]int{}
			for i, w := range all {
				if isSampled(fmt.Sprint("kernel", line, "/1/"), all, i, 1, first) {
					found[pair{w.Target, w.Linearizer}]++
					covered[w] = true
				}
			}
			if first {
				require.Len(t, found, len(pairs))
			} else {
				require.Len(t, found, len(pairs)/2)
			}
			for at, n := range found {
				require.Equal(t, 1, n, at)
			}
		}
		require.Len(t, covered, len(all))
	}
}
