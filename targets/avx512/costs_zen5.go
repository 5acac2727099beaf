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
		vector, vectorLatency      = 0.33, 1.12
		scalarLatency              = 2.47
		mask                       = 0.47
		division, scalarDivision   = 0.78, 1.14
		contiguous, scalarMemory   = 0.89, 0.75
		gatherLatency              = 2
		scatter, scatterOfBytes    = 1.14, 2.12
		scalarWork, branch         = 0.78, 0.85
		maskBranch, maskExit       = 0.88, 0.78
		backEdge, mispredict       = 0.89, 2.57
		spill, maskSpill           = 0.88, 0.68
		maskedLoad, maskedStore    = 1.14, 1.13
		part, overlap, bytesInTime = 1.13, 1.49, 1.33
	)
	c.ScalarWork *= scalarWork
	c.Part *= part
	c.Spill *= spill
	c.MaskSpill *= maskSpill
	c.Branch *= branch
	c.MaskBranch *= maskBranch
	c.MaskExit *= maskExit
	c.BackEdge *= backEdge
	c.Mispredict *= mispredict
	c.Overlap *= overlap
	c.MaskedLoad *= maskedLoad
	c.MaskedStore *= maskedStore
	c.Bandwidth *= bytesInTime
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
			times(&r.Vector, division)
			times(&r.Scalar, scalarDivision)
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
