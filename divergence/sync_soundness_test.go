package divergence_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// pathObserver checks the paths of lanes against the analysis of control flow: lanes in a block
// that is no join came by one edge; in a block without temporal divergence, from one iteration;
// and where one lane leaves by a kill exit, all do. This finds wrong results that no value
// shows.
type pathObserver struct {
	info  *divergence.Info
	loops *cfg.CycleForest
	local uint64

	strip     string
	at        int // block, -1 before the first
	iteration map[int]int
	came      map[string]string // by strip, block and iterations: the edge, if it is the only one, and the iterations left
	killed    map[string]int    // by strip, cycle and iterations around it: the iteration of a kill exit
	stayed    map[string]int    // the last iteration in which a lane was in the cycle
	kills     int               // kill exits taken out of cycles that lanes exit in different iterations
	err       error
}

// iterations formats the item's iteration of every cycle around c, c included.
func (o *pathObserver) iterations(c *cfg.Cycle) string {
	s := ""
	for ; c != nil; c = c.Parent {
		s += fmt.Sprint(" ", c.Header, ":", o.iteration[c.Header])
	}
	return s
}

func (o *pathObserver) visit(item [3]uint64, b int) {
	from := o.at
	if b == 0 {
		o.strip = fmt.Sprint(item[0]/o.local, item[0]%o.local/strip, item[1], item[2])
		o.iteration, from = map[int]int{}, -1
	}
	if from >= 0 {
		o.leave(from, b)
	}
	left := ""
	for c := o.loops.InnermostCycle(b); c != nil; c = c.Parent {
		switch {
		case from < 0 || !o.loops.Contains(c, from):
			o.iteration[c.Header] = 0
		case b == c.Header:
			o.iteration[b]++
		}
	}
	if from >= 0 && !o.info.Temporal[b] && !o.info.Asynchronous[from] {
		for c := o.loops.InnermostCycle(from); c != nil && !o.loops.Contains(c, b); c = c.Parent {
			left += fmt.Sprint(" ", c.Header, ":", o.iteration[c.Header])
		}
	}
	for c := o.loops.InnermostCycle(b); c != nil; c = c.Parent {
		key := o.strip + fmt.Sprint(" ", c.Header, o.iterations(c.Parent))
		o.stayed[key] = max(o.stayed[key], o.iteration[c.Header])
	}
	o.at = b
	if o.info.Joins[b] || o.info.Temporal[b] || o.info.Asynchronous[b] {
		return
	}
	key := o.strip + fmt.Sprint(" at ", b, o.iterations(o.loops.InnermostCycle(b)))
	came := fmt.Sprint("from ", from, left)
	if old, ok := o.came[key]; ok && old != came && o.err == nil {
		o.err = fmt.Errorf("lanes come to block %d %s and %s, but it is no join (%s)", b, old, came, key)
	}
	o.came[key] = came
}

// leave records the kill exits between two blocks.
func (o *pathObserver) leave(from, to int) {
	for c := o.loops.InnermostCycle(from); c != nil && !o.loops.Contains(c, to); c = c.Parent {
		if !o.info.KillExit(c, from) {
			continue
		}
		o.killed[o.strip+fmt.Sprint(" ", c.Header, o.iterations(c.Parent))] = o.iteration[c.Header]
		if o.info.ExitsDivergently(c) {
			o.kills++
		}
	}
}

// finish checks the kill exits after all items have run.
func (o *pathObserver) finish() error {
	for key, r := range o.killed {
		if last := o.stayed[key]; last != r && o.err == nil {
			o.err = fmt.Errorf("a lane left by a kill exit in iteration %d, another stayed to %d (%s)", r, last, key)
		}
	}
	return o.err
}

func observePaths(t *testing.T, c *fuzz.Case) (kills int, err error) {
	f := c.Kernel
	canonical.Form(t, f)
	r, err := c.Range.Resolve(f.ReqdWorkGroupSize)
	require.NoError(t, err)
	o := &pathObserver{
		info: divergence.Analyze(f, divergence.Options{Width: strip}), loops: cfg.Cycles(f.Graph()), local: r.Local[0],
		came: map[string]string{}, killed: map[string]int{}, stayed: map[string]int{},
	}
	require.NoError(t, c.Observe(o.visit, nil))
	return o.kills, o.finish()
}

func TestRandomKernelsKeepTheirPaths(t *testing.T) {
	kills := 0
	for seed := range int64(1200) {
		kind := "reducible"
		if seed%4 == 3 {
			kind = "cfg"
		}
		c, err := fuzz.Generate(seed, kind, fuzz.Options{Blocks: 6 + int(seed%18)})
		require.NoError(t, err)
		n, err := observePaths(t, c)
		if err != nil {
			t.Fatalf("%s seed %d: %v\n%s", kind, seed, err, divergence.Analyze(c.Kernel, divergence.Options{Width: strip}))
		}
		kills += n
	}
	require.Greater(t, kills, 100, "too few kill exits")
}
