package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/plan"
	"github.com/simtc/simtc/targets/avx512"
	"github.com/simtc/simtc/vir"
)

// Factors change the costs that they name, and not the Costs they are applied to.
func TestFactorsTimes(t *testing.T) {
	c := avx512.Costs
	c.LanesOf = nil // functions do not compare
	require.Equal(t, c, c.Times(plan.Factors{}))
	before := c.Rows[alu.Add]
	x := c.Times(plan.Factors{Vector: 2, ScatterBytes: 3, Latency: 4, IntegerLatency: 7, GatherLatency: 5, Mispredict: 6})
	require.Equal(t, before, c.Rows[alu.Add])
	require.InDelta(t, 2*before.Vector[2], x.Rows[alu.Add].Vector[2], 1e-9)
	require.Equal(t, before.Scalar, x.Rows[alu.Add].Scalar)
	require.InDelta(t, 7*before.Latency, x.Rows[alu.Add].Latency, 1e-9)
	require.InDelta(t, 4*c.Rows[alu.FAdd].Latency, x.Rows[alu.FAdd].Latency, 1e-9)
	require.InDelta(t, 4*before.Latency, c.Times(plan.Factors{Latency: 4}).Rows[alu.Add].Latency, 1e-9)
	scatter, gather := c.Rows[vir.Scatter], c.Rows[vir.Gather]
	require.InDelta(t, 3*scatter.Lane[0], x.Rows[vir.Scatter].Lane[0], 1e-9)
	require.Equal(t, scatter.Lane[2], x.Rows[vir.Scatter].Lane[2])
	require.InDelta(t, 5*gather.Latency, x.Rows[vir.Gather].Latency, 1e-9)
	require.Equal(t, gather.Lane, x.Rows[vir.Gather].Lane)
	require.InDelta(t, 6*c.Mispredict, x.Mispredict, 1e-9)
	require.Equal(t, c.Branch, x.Branch)
}
