package opt_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu/interval"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/utest/fuzz"
)

// boundsObserver checks the values that a work-item computes against bounds, in the block
// that computes them and in every block that the work-item reaches from there.
type boundsObserver struct {
	f      *kernel.Func
	at     func(*kernel.Value, *kernel.Block) interval.Bounds
	last   map[*kernel.Value]uint64
	checks int // with nontrivial bounds
	err    error
}

func (o *boundsObserver) check(v *kernel.Value, b *kernel.Block, bits uint64) {
	bounds := o.at(v, b)
	if bounds == interval.Any(v.Type) || o.err != nil {
		return
	}
	o.checks++
	s := v.Type.Signed(bits)
	if bits < bounds.ULo || bits > bounds.UHi || s < bounds.SLo || s > bounds.SHi {
		o.err = fmt.Errorf("%s is %#x in b%d, not within %+v", kernel.FormatValue(v), bits, b.ID, bounds)
	}
}

func (o *boundsObserver) visit(_ [3]uint64, b int) {
	if b == 0 {
		clear(o.last)
	}
	for v, bits := range o.last {
		o.check(v, o.f.Blocks[b], bits)
	}
}

func (o *boundsObserver) trace(_ [3]uint64, v *kernel.Value, bits uint64) {
	if v.Type.IsInt() && v.Count <= 1 {
		bits &= v.Type.Mask()
		o.check(v, v.Block, bits)
		o.last[v] = bits
	}
}

// The values of random kernels are within the computed bounds in all blocks, whether
// the kernels are reducible or not. Those of the last iteration of a loop are also checked
// after the loop.
func TestBoundsHold(t *testing.T) {
	checks, found := 0, 0
	for _, kind := range []string{"cfg", "reducible", "program"} {
		n := cases() / 2
		if kind == "program" {
			n /= 5
		}
		for seed := range n {
			c, err := fuzz.Generate(seed, kind, fuzz.Options{Blocks: 12})
			require.NoError(t, err)
			f := c.Kernel
			canonical.Form(t, f)
			for _, at := range []func(*kernel.Value, *kernel.Block) interval.Bounds{opt.BoundsOf(f), opt.RangesIn(f)} {
				if at == nil {
					continue
				}
				found++
				o := &boundsObserver{f: f, at: at, last: map[*kernel.Value]uint64{}}
				require.NoError(t, c.Observe(o.visit, o.trace))
				require.NoError(t, o.err, "%s seed %d\n%s", kind, seed, f)
				checks += o.checks
			}
		}
	}
	require.Greater(t, found, int(cases()), "the analysis seldom converges")
	require.Greater(t, checks, 100000, "too few bounds are nontrivial")
}
