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

// counters adds up the statistics of the passes for all kernels and strategies. A pass
// that no longer finds anything to do, because others precede it, is otherwise
// indistinguishable from one that works.
type counters struct {
	sync.Mutex
	did  map[string]int
	runs int // the number of run lines counted
}

// add adds the statistics of the passes for k with strategy w.
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

// idle lists the counters that stay 0 for OpenCL C, as the front end leaves nothing to
// do; kernel IR from text may increase them.
var idle = map[string]bool{
	"unreachable blocks removed": true,
	"dot products formed":        !vnni, "byte loads merged": !vnni,
}

var vnni, _ = native.Available(native.VNNI)

var counted = regexp.MustCompile(`\.(?:Add|add)\("([^"]+)"`)

// check reports the counters named in the sources of the passes that are 0. It runs in a
// cleanup function, which must not call require.
func (c *counters) check(t *testing.T) {
	names := 0
	for _, dir := range []string{"..", "../opt", "../opt/lanes/equalities", "../opt/lanes/meld", "../vir/opt", "../vir/opt/*"} {
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
