package divergence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/utest/canonical"
)

func TestShapes(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		info := divergence.Analyze(canonical.Kernel(t, files), divergence.Options{Width: 16})
		return map[string]string{"out": info.String(), "summary": info.Count().String()}
	})
}

func TestOneLaneIsUniform(t *testing.T) {
	f := canonical.Kernel(t, map[string]string{"in.cl": `
kernel void k(global int *p) {
	int i = get_global_id(0);
	while (p[i] > 0) p[i] -= i;
}`})
	info := divergence.Analyze(f, divergence.Options{Width: 1})
	for _, b := range f.Blocks {
		require.False(t, info.Divergent[b.ID])
		for _, vs := range [][]*kernel.Value{b.Params, b.Values} {
			for _, v := range vs {
				require.True(t, info.Uniform(v), "%s", kernel.Ref(v))
			}
		}
	}
	require.Equal(t, "1 of 1 branches uniform; accesses: 2 uniform", info.Count().String())
}

func TestShapeText(t *testing.T) {
	for text, s := range map[string]divergence.Shape{
		"unreached":            {},
		"uniform":              divergence.Uniform(1),
		"uniform(align 16)":    divergence.Uniform(16),
		"contiguous":           {Kind: divergence.Strided, Stride: 1, Align: 1},
		"contiguous(align 4)":  {Kind: divergence.Strided, Stride: 1, Align: 4},
		"strided(-4)":          {Kind: divergence.Strided, Stride: -4, Align: 1},
		"strided(4, align 64)": {Kind: divergence.Strided, Stride: 4, Align: 64},
		"varying":              {Kind: divergence.Varying, Align: 1},
	} {
		require.Equal(t, text, s.String())
	}
}

// An int of an id equals the id unless ids are wide.
func TestFarIDs(t *testing.T) {
	m, err := kernel.Parse("f", "kernel f {\n  arg p buffer ptr.global int 1 \"int*\"\nb0:\n  %i = globalid 0\n  %t = trunc.i32 %i\n  %s = sext.i64 %t\n  return\n}\n")
	require.NoError(t, err)
	f := m.Funcs[0]
	extended := f.Blocks[0].Values[2]
	for far, want := range map[bool]bool{false: true, true: false} {
		s := divergence.Analyze(f, divergence.Options{Width: 16, Far: far}).Shape(extended)
		require.Equal(t, want, s.IsStrided(), "far: %v", far)
	}
}
