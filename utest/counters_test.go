package utest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/launch/native"
)

// counters adds up what passes say they did, in all ways to run all kernels. One
// that does nothing any more, since others leave it nothing to do, looks just like
// one that works.
type counters struct {
	sync.Mutex
	did  map[string]int
	runs int // how many run lines were counted
}

// add adds what passes did to k as it is run in the way w.
func (c *counters) add(t *testing.T, k *simtc.Kernel, w simtc.Strategy) {
	k, err := k.With(w)
	require.NoError(t, err)
	stats, err := k.Stats()
	require.NoError(t, err)
	c.Lock()
	defer c.Unlock()
	if c.did == nil {
		c.did = map[string]int{}
	}
	for name, n := range stats {
		c.did[name] += n
	}
}

// idle lists the counters that no kernel needs: the front end leaves nothing to a pass, though
// kernel IR as text may, or the processor lacks the instructions.
var idle = map[string]bool{
	"unreachable blocks removed": true,
	"dot products formed":        !vnni, "byte loads merged": !vnni,
}

var vnni, _ = native.Available(native.VNNI)

var counted = regexp.MustCompile(`\.(?:Add|add)\("([^"]+)"`)

// check asks whether all counters that the sources of the passes name have counted.
// It runs when the test is over, where nothing can be required.
func (c *counters) check(t *testing.T) {
	names := 0
	for _, dir := range []string{"..", "../opt", "../opt/lanes/meld", "../vir/opt", "../vir/opt/*"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		assert.NoError(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			assert.NoError(t, err)
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range counted.FindAllStringSubmatch(string(text), -1) {
				names++
				assert.Equal(t, idle[m[1]], c.did[m[1]] == 0, "%s counts %q: %d times in all kernels", file, m[1], c.did[m[1]])
			}
		}
	}
	assert.NotZero(t, names)
}
