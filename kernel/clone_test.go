package kernel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/utest/fuzz"
)

// parts lists all objects that a pass may change.
func parts(f *kernel.Func) (blocks map[*kernel.Block]bool, values map[*kernel.Value]bool) {
	blocks, values = map[*kernel.Block]bool{}, map[*kernel.Value]bool{}
	add := func(vs []*kernel.Value) {
		for _, v := range vs {
			values[v] = true
			if v.Block != nil {
				blocks[v.Block] = true
			}
		}
	}
	for _, b := range f.Blocks {
		blocks[b] = true
		add(b.Params)
		add(b.Values)
		for _, v := range b.Values {
			add(v.Args)
		}
		if b.Cond != nil {
			values[b.Cond] = true
		}
		for _, e := range b.Edges {
			blocks[e.To] = true
			add(e.Args)
		}
	}
	return blocks, values
}

// A clone prints like its original and shares nothing with it.
func TestClone(t *testing.T) {
	for seed := range int64(200) {
		f := fuzz.Kernel(seed, fuzz.Options{}).Kernel
		f.Renumber()
		for i, b := range f.Blocks {
			b.Pos.Line, b.Unroll = i, i%3
		}
		text := f.String()
		c := kernel.Clone(f)
		require.NoError(t, kernel.Verify(c), "seed %d", seed)
		require.Equal(t, text, c.String())
		require.Equal(t, f.NumValues(), c.NumValues())
		require.Equal(t, f.Args, c.Args)
		blocks, values := parts(c)
		mine, own := parts(f)
		for b := range blocks {
			require.False(t, mine[b], "seed %d shares %s", seed, kernel.Label(b))
			require.Same(t, c, b.Func)
			require.Equal(t, f.Blocks[b.ID].Pos, b.Pos)
			require.Equal(t, f.Blocks[b.ID].Unroll, b.Unroll)
		}
		for v := range values {
			require.False(t, own[v], "seed %d shares %s", seed, kernel.Ref(v))
			if v.Op == kernel.Const {
				require.Same(t, v, c.Const(v.Type, v.Const))
			}
		}
		// Changes of the clone do not affect the original.
		c.Blocks[0].Append(alu.Add, alu.I32, c.Const(alu.I32, 12345), c.Const(alu.I32, 54321))
		for _, b := range c.Blocks {
			for i := range b.Edges {
				b.Edges[i].Args = nil
			}
			b.Name = "changed"
		}
		require.Equal(t, text, f.String())
	}
}

// Positions of values stay, too.
func TestClonePositions(t *testing.T) {
	m, err := kernel.Parse("in.simt", `kernel k {
  arg p buffer ptr.global int 1 "int*"
b0:
  %p = arg.ptr.global 0
  store.i32 %p, 7 align 4
  return
}
`)
	require.NoError(t, err)
	f := m.Funcs[0]
	c := kernel.Clone(f)
	for i, v := range f.Blocks[0].Values {
		require.NotZero(t, v.Pos)
		require.Equal(t, v.Pos, c.Blocks[0].Values[i].Pos)
		require.Equal(t, v.ID, c.Blocks[0].Values[i].ID)
	}
}
