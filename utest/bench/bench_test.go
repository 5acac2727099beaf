package main

import (
	"testing"

	"github.com/simtc/simtc/utest/opencl"
	"github.com/stretchr/testify/require"
)

func TestEveryBenchmarkLoads(t *testing.T) {
	all, err := load(nil)
	require.NoError(t, err)
	require.Len(t, all, len(names()))
	for _, b := range all {
		require.NotEmpty(t, b.command.Kernel, b.name)
		require.NotEmpty(t, b.sums, b.name)
	}
	_, err = load([]string{"nothing"})
	require.ErrorContains(t, err, "mandelbrot")
}

func TestJudge(t *testing.T) {
	b, err := read("saxpy")
	require.NoError(t, err)
	right := []opencl.Checksum{{Arg: 1, FNV: 7}, {Arg: 2, FNV: 8}}
	wrong := []opencl.Checksum{{Arg: 1, FNV: 7}, {Arg: 2, FNV: 9}}
	require.Empty(t, b.judge(right, right))
	require.Contains(t, b.judge(wrong, right), "argument 2")
	require.Contains(t, b.judge(right, nil), "argument 1")
}

func TestMean(t *testing.T) {
	var m mean
	require.Equal(t, "-", m.String())
	m.add(2)
	m.add(8)
	require.Equal(t, "4.00", m.String())
}

func TestRankCorrelation(t *testing.T) {
	require.Equal(t, []float64{0.5, 2, 2, 3.5}, places([]float64{1, 3, 3, 7}))
	require.InDelta(t, 1, correlation(places([]float64{1, 2, 9}), places([]float64{5, 6, 7})), 1e-9)
	require.InDelta(t, -1, correlation(places([]float64{1, 2, 9}), places([]float64{7, 6, 5})), 1e-9)
	require.Zero(t, correlation([]float64{1, 1}, []float64{1, 2}))
}
