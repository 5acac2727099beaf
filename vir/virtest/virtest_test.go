package virtest_test

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/vir/legalize"
	"github.com/simtc/simtc/vir/virtest"
)

func TestRandomFunctionsAreWellFormedAndEnd(t *testing.T) {
	used := map[vir.Op]bool{}
	for seed := range int64(150) {
		rng := rand.New(rand.NewSource(seed))
		f := virtest.Random(rng, virtest.Options{Width: 4 << (seed % 4), Size: 25})
		require.NoError(t, vir.Verify(f), "seed %d\n%s", seed, f)
		m := virtest.NewImage(rng)
		a, err := virtest.Run(f, m)
		require.NoError(t, err, "seed %d\n%s", seed, f)
		b, err := virtest.Run(f, m)
		require.NoError(t, err)
		require.Empty(t, virtest.Differ(a, b))
		require.NotEmpty(t, virtest.Differ(a, m), "seed %d writes nothing", seed)

		text := f.String()
		g, err := vir.Parse(fmt.Sprint(seed), text)
		require.NoError(t, err, "seed %d\n%s", seed, text)
		require.Equal(t, text, g.String())
		c, err := virtest.Run(g, m)
		require.NoError(t, err)
		require.Empty(t, virtest.Differ(a, c), "seed %d: the parsed text runs differently", seed)
		masks := legalize.VectorMasks(f, 128)
		require.NoError(t, vir.Verify(masks), "seed %d\n%s", seed, masks)
		text = masks.String()
		g, err = vir.Parse(fmt.Sprint(seed), text)
		require.NoError(t, err, "seed %d\n%s", seed, text)
		require.Equal(t, text, g.String())
		c, err = virtest.Run(g, m)
		require.NoError(t, err)
		require.Empty(t, virtest.Differ(a, c), "seed %d: with masks in vectors it runs differently", seed)
		for _, b := range masks.Blocks {
			for _, v := range b.Values {
				used[v.Op] = true
			}
		}
	}
	for _, op := range vir.Ops() {
		if op != vir.Const && op != vir.Param {
			require.True(t, used[op], "no function uses %s", vir.InfoOf(op).Name)
		}
	}
}
