package launch

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/vir"
)

// noting is a processor whose code records the rows that it is called for.
type noting struct {
	*emulatedProcessor
	begun int
	rows  [][2]uint64 // positions along dimensions 0 and 1
}

func (p *noting) runAll(_ context.Context, w *nativeWorker, next func() bool) error {
	p.begun++
	for again := true; again; again = next() {
		at := func(d int) uint64 { return binary.LittleEndian.Uint64(w.ctx[vir.CtxStart+8*d:]) }
		p.rows = append(p.rows, [2]uint64{at(0), at(1)})
	}
	return nil
}

// TestUnitsShareACall checks that a worker enters native code once for all of its units:
// entering takes about a microsecond.
func TestUnitsShareACall(t *testing.T) {
	code := &noting{emulatedProcessor: &emulatedProcessor{}}
	e := &nativeExecutor{Program: Program{Kernel: &kernel.Func{}, Width: 16, Tiles: true}, processor: code}
	r := resolved(t, Range{Dims: 3, Global: [3]uint64{1024, 100, 2}, Offset: [3]uint64{7, 5, 3}})
	units := newRuns(r, false, e.chunk(r, 1), e.rows(r, 1))
	require.EqualValues(t, 16, units.total, "tiles of 256 by 64")
	require.NoError(t, e.Launch(context.Background(), r, nil, 1))
	require.Equal(t, 1, code.begun)
	seen := map[[2]uint64]int{}
	for _, row := range code.rows {
		seen[row]++
	}
	for x := range uint64(4) {
		for y := range uint64(100) {
			require.Equal(t, 2, seen[[2]uint64{256*x + 7, y + 5}], "tile %d, row %d", x, y)
		}
	}
	require.Len(t, code.rows, 4*100*2)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, e.Launch(ctx, r, nil, 1), context.Canceled)
	require.Equal(t, 1, code.begun, "nothing runs once the context has ended")
}
