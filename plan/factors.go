package plan

import (
	"maps"

	"github.com/simtc/simtc/vir"
)

// Factors are the costs of one processor relative to another. 0 means 1: the same cost.
type Factors struct {
	// Factors of rows: operations on vectors and on masks, moves between lanes, scalar
	// divisions, contiguous accesses, gathers and scatters (with a separate factor for
	// scatters of elements smaller than Costs.ScatterSize), scalar accesses; and latencies,
	// with a separate factor, if any, for simple operations on integer vectors.
	Vector, Mask, Moves, Division             float64
	Contiguous, Gather, Scatter, ScatterBytes float64
	ScalarMemory                              float64
	Latency, GatherLatency, ScalarLatency     float64
	IntegerLatency                            float64

	// Factors of the fields of Costs with the same names.
	ScalarWork, Part, Spill, MaskSpill                 float64
	Branch, MaskBranch, MaskExit, BackEdge, Mispredict float64
	MaskedLoad, MaskedStore, MaskedPrivate, Near       float64
	NearLanes                                          float64
	Window, Overlap, Bandwidth, Strips                 float64
}

// Times returns the costs of another processor.
func (c Costs) Times(f Factors) Costs {
	for _, x := range []struct {
		ns     *float64
		factor float64
	}{
		{&c.ScalarWork, f.ScalarWork}, {&c.Part, f.Part}, {&c.Spill, f.Spill}, {&c.MaskSpill, f.MaskSpill},
		{&c.Branch, f.Branch}, {&c.MaskBranch, f.MaskBranch}, {&c.MaskExit, f.MaskExit}, {&c.BackEdge, f.BackEdge}, {&c.Mispredict, f.Mispredict},
		{&c.MaskedLoad, f.MaskedLoad}, {&c.MaskedStore, f.MaskedStore}, {&c.MaskedPrivate, f.MaskedPrivate}, {&c.Near, f.Near},
		{&c.Window, f.Window}, {&c.Overlap, f.Overlap}, {&c.Bandwidth, f.Bandwidth}, {&c.Strips, f.Strips}, {&c.NearLanes, f.NearLanes},
	} {
		times(x.factor, x.ns)
	}
	c.Rows = maps.Clone(c.Rows)
	for op, r := range c.Rows {
		times(f.Mask, &r.Mask)
		times(f.ScalarLatency, &r.ScalarLatency)
		latency := f.Latency
		switch {
		case op == vir.Gather:
			latency = f.GatherLatency
		case r.Simple && f.IntegerLatency != 0:
			latency = f.IntegerLatency
		}
		times(latency, &r.Latency)
		switch r.Kind {
		case Arithmetic:
			timesAll(f.Vector, &r.Vector)
		case Division:
			timesAll(f.Division, &r.Scalar)
		case Moves:
			timesAll(f.Moves, &r.Vector)
		case Contiguous:
			timesAll(f.Contiguous, &r.Vector)
		case ScalarMemory:
			timesAll(f.ScalarMemory, &r.Scalar)
		case Gathers:
			timesAll(f.Gather, &r.Lane)
		case Scatters:
			for size := range r.Lane {
				factor := f.Scatter
				if 1<<size < c.ScatterSize {
					factor = f.ScatterBytes
				}
				times(factor, &r.Lane[size])
			}
		}
		c.Rows[op] = r
	}
	return c
}

func times(factor float64, ns *float64) {
	if factor != 0 {
		*ns *= factor
	}
}

func timesAll(factor float64, ns *[4]float64) {
	for size := range ns {
		times(factor, &ns[size])
	}
}
