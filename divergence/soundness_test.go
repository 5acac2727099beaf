package divergence_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/cfg"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

const strip = 16 // lanes

// observer checks the values of lanes against shapes. Lanes of a strip are compared in a block
// if they run it in the same iteration of every enclosing cycle; in an asynchronous cycle, in
// any iteration.
type observer struct {
	info  *divergence.Info
	loops *cfg.CycleForest
	local uint64 // work-items of a group along x

	item      [3]uint64
	at        int            // block
	iteration map[int]int    // by header: the current item's iteration
	where     string         // strip, block and iterations
	seen      map[string]hit // by where and value: lane 0's value, by the shape
	count     int            // comparisons
	err       error
}

type hit struct {
	base uint64
	lane uint64
}

func (o *observer) visit(item [3]uint64, b int) {
	if b == 0 {
		o.item, o.at, o.iteration = item, -1, map[int]int{}
	}
	o.where = fmt.Sprint(item[0]/o.local, item[0]%o.local/strip, item[1], item[2], " ", b)
	for c := o.loops.InnermostCycle(b); c != nil; c = c.Parent {
		switch {
		case o.at < 0 || !o.loops.Contains(c, o.at):
			o.iteration[c.Header] = 0
		case b == c.Header:
			o.iteration[b]++
		}
		if !o.info.Asynchronous[c.Header] {
			o.where += fmt.Sprint(" ", c.Header, ":", o.iteration[c.Header])
		}
	}
	o.at = b
}

func (o *observer) trace(item [3]uint64, v *kernel.Value, bits uint64) {
	s := o.info.Shape(v)
	if v.Op == kernel.AllLanes || v.Op == kernel.FirstLane {
		return // a single work-item, each runs alone
	}
	if o.err != nil || s.Kind == divergence.Varying || v.Count > 1 {
		return
	}
	lane := item[0] % o.local % strip
	mask := uint64(1)<<(v.Type.Bits()-1)<<1 - 1
	if v.Type.IsPtr() {
		mask = ^uint64(0)
	}
	base := (bits - uint64(s.Offset(int64(lane)))) & mask
	if s.Kind == divergence.Bottom {
		o.err = fmt.Errorf("%s is unreached, but runs", kernel.FormatValue(v))
	}
	if s.Align > 1 && base&uint64(s.Align-1) != 0 {
		o.err = fmt.Errorf("%s, %s: %#x is not aligned", kernel.Ref(v), s, base)
	}
	key := fmt.Sprint(o.where, " ", v.ID)
	old, ok := o.seen[key]
	if !ok {
		o.seen[key] = hit{base, lane}
		return
	}
	if o.count++; old.base != base {
		o.err = fmt.Errorf("%s is %s, but lanes %d and %d differ: lane 0's value would be %#x and %#x (%s)",
			kernel.Ref(v), s, old.lane, lane, old.base, base, o.where)
	}
}

// observe interprets the kernel of c and checks the shapes of every value in every iteration.
func observe(t *testing.T, c *fuzz.Case) (comparisons int, err error) {
	f := c.Kernel
	canonical.Form(t, f)
	r, err := c.Range.Resolve(f.ReqdWorkGroupSize)
	require.NoError(t, err)
	o := &observer{
		info: divergence.Analyze(f, divergence.Options{Width: strip}), loops: cfg.Cycles(f.Graph()),
		local: r.Local[0], seen: map[string]hit{},
	}
	require.NoError(t, c.Observe(o.visit, o.trace))
	return o.count, o.err
}

func TestRandomKernelsKeepTheirShapes(t *testing.T) {
	total := 0
	for _, kind := range []string{"cfg", "reducible", "program"} {
		n := int64(150)
		if kind == "program" {
			n = 25
		}
		for seed := range n {
			c, err := fuzz.Generate(seed, kind, fuzz.Options{Blocks: 16})
			require.NoError(t, err)
			comparisons, err := observe(t, c)
			if err != nil {
				t.Fatalf("%s seed %d: %v\n%s", kind, seed, err, divergence.Analyze(c.Kernel, divergence.Options{Width: strip}))
			}
			total += comparisons
		}
	}
	require.Greater(t, total, 100000, "too few uniform or strided values")
}
