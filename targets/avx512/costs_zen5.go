package avx512

import (
	"maps"

	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/vir"
)

// CostsZen5 are those of a Zen 5, whose vector units are 512 bits wide, by what
// differs from a Zen 4: how many times as much things cost there. The numbers are
// those with which measured kernels (utest/bench --plan) come out best.
var CostsZen5 = zen5(Costs)

func zen5(c plan.Costs) plan.Costs {
	const (
		vector, vectorLatency   = 0.2, 0.74
		scalarLatency           = 2.74
		mask, moves             = 0.33, 0.94
		scalarDivision          = 1.39
		contiguous, gather      = 0.78, 1.02
		gatherLatency           = 2.62
		scatter, scatterOfBytes = 1.37, 2.59
		scalarMemory            = 0.75
	)
	c.ScalarWork *= 0.66
	c.Part *= 1.25
	c.Spill *= 0.86
	c.MaskSpill *= 0.52
	c.Branch *= 0.85
	c.MaskBranch *= 0.74
	c.MaskExit *= 0.77
	c.BackEdge *= 0.8
	c.Mispredict *= 2.65
	c.Window *= 0.96
	c.Overlap *= 1.49
	c.MaskedLoad *= 1.27
	c.MaskedStore *= 1.27
	c.MaskedPrivate *= 0.84
	c.Bandwidth *= 1.88
	times := func(ns *[4]float64, f float64) {
		for size := range ns {
			ns[size] *= f
		}
	}
	c.Rows = maps.Clone(c.Rows)
	for op, r := range c.Rows {
		r.Mask *= mask
		r.ScalarLatency *= scalarLatency
		if op == vir.Gather {
			r.Latency *= gatherLatency
		} else {
			r.Latency *= vectorLatency
		}
		switch r.Kind {
		case plan.Arithmetic:
			times(&r.Vector, vector)
		case plan.Division:
			times(&r.Scalar, scalarDivision)
		case plan.Moves:
			times(&r.Vector, moves)
		case plan.Gathers:
			times(&r.Lane, gather)
		case plan.Contiguous:
			times(&r.Vector, contiguous)
		case plan.ScalarMemory:
			times(&r.Scalar, scalarMemory)
		}
		if op == vir.Scatter {
			for size := range r.Lane {
				if 1<<size < c.ScatterSize {
					r.Lane[size] *= scatterOfBytes
				} else {
					r.Lane[size] *= scatter
				}
			}
		}
		c.Rows[op] = r
	}
	return c
}
