package launch

import (
	"context"
	"errors"
	"math/rand"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch/wasmhost"
)

// TestTiles checks that units of kernels with a large stride between lanes cover parts of
// several rows, narrow ones if columns share cache sets, as do units of ranges in groups of several rows.
func TestTiles(t *testing.T) {
	r, err := Range{Dims: 2, Global: [3]uint64{1000, 128, 1}}.Resolve([3]int{})
	require.NoError(t, err)
	row, err := Range{Dims: 1, Global: [3]uint64{1000, 1, 1}}.Resolve([3]int{})
	require.NoError(t, err)
	aligned, err := Range{Dims: 2, Global: [3]uint64{512, 1000, 1}}.Resolve([3]int{})
	require.NoError(t, err)
	grouped, err := Range{Dims: 2, Global: [3]uint64{1000, 1000, 1}, Local: [3]uint64{20, 10, 1}}.Resolve([3]int{})
	require.NoError(t, err)
	for _, of := range []struct {
		tiles       bool
		columns     int
		r           Range
		straight    int
		count, rows uint64
	}{
		{true, 0, r, 0, 256, 64}, {false, 0, r, 0, 1000, 16}, {true, 0, row, 0, 1000, 1},
		{true, 4, r, 0, 64, 128}, {true, 8, r, 0, 16, 128}, {true, 4, aligned, 0, 16, 256}, {true, 1, aligned, 0, 64, 256},
		{false, 0, grouped, 0, 24, 210}, {false, 0, grouped, 9, 1000, 16},
	} {
		p := Program{Kernel: &kernel.Func{}, Width: 8, Tiles: of.tiles, Columns: of.columns, Straight: of.straight}
		all := newRuns(of.r, false, p.chunk(of.r, 1), p.rows(of.r, 1))
		x := all.unit(0)
		require.Equal(t, of.count, x.count)
		require.Equal(t, of.rows, x.rows)
	}
}

// TestRunsCoverTheRange checks that the runs of any range contain every work-item once and
// do not cross work-groups for kernels that run in groups.
func TestRunsCoverTheRange(t *testing.T) {
	random, several := rand.New(rand.NewSource(1)), 0
	for range 100 {
		dims := 1 + random.Intn(3)
		r := Range{Dims: dims}
		for d := range dims {
			r.Global[d] = uint64(1 + random.Intn([]int{700, 12, 7}[d]))
			if random.Intn(2) == 0 {
				r.Local[d] = uint64(1 + random.Intn(40))
			}
		}
		r, err := r.Resolve([3]int{})
		require.NoError(t, err)
		p := Program{Kernel: &kernel.Func{}, Width: 1 << random.Intn(7), Groups: random.Intn(2) == 0, Tiles: random.Intn(2) == 0, Columns: random.Intn(3) * 64}
		threads := 1 + random.Intn(4)
		all := newRuns(r, p.Groups, p.chunk(r, threads), p.rows(r, threads))
		if all.rows > 1 {
			several++
		}
		seen := map[[3]uint64]int{}
		for i := range all.total {
			x := all.unit(i)
			require.Positive(t, x.count)
			rows := [3]uint64{1, x.rows, 1}
			if p.Groups {
				require.EqualValues(t, 1, x.rows)
				rows = x.size
			}
			n := uint64(0)
			require.NoError(t, x.eachRow(r, func(row run) error {
				require.Equal(t, x.start[1]+n, row.start[1])
				require.Equal(t, row.start[1]/r.Local[1], row.group[1])
				require.EqualValues(t, 1, row.rows)
				n++
				return nil
			}))
			require.Equal(t, x.rows, n)
			for g := range max(x.groups, 1) {
				for n := range x.count * rows[1] * rows[2] {
					id := [3]uint64{x.start[0] + g*x.count + n%x.count, x.start[1] + n/x.count%rows[1], x.start[2] + n/x.count/rows[1]}
					seen[id]++
					if !p.Groups {
						continue
					}
					group := x.group
					group[0] += g
					for d := range 3 {
						require.Equal(t, id[d]/r.Local[d], group[d])
						require.Equal(t, min(r.Local[d], r.Global[d]-group[d]*r.Local[d]), x.size[d])
					}
				}
			}
		}
		require.Len(t, seen, int(r.Global[0]*r.Global[1]*r.Global[2]))
		for id, n := range seen {
			require.Equal(t, 1, n, "work-item %v of %+v", id, r)
		}
	}
	require.Positive(t, several, "no unit has several rows")
}

func TestChunksAreWholeStrips(t *testing.T) {
	for _, w := range []int{1, 4, 16, 64} {
		for _, n := range []uint64{1, 63, 1000, 1 << 20, 1 << 31} {
			for _, threads := range []int{1, 2, 64} {
				p := Program{Width: w}
				c := p.chunk(Range{Dims: 1, Global: [3]uint64{n, 1, 1}}, threads)
				require.Positive(t, c)
				require.Zero(t, c%uint64(w))
			}
		}
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct {
		in       Range
		required [3]int
		want     [3]uint64 // local size
	}{
		{Of(1024), [3]int{}, [3]uint64{256, 1, 1}},
		{Of(1000), [3]int{}, [3]uint64{250, 1, 1}},
		{Of(1009), [3]int{}, [3]uint64{256, 1, 1}}, // a prime
		{Of(3), [3]int{}, [3]uint64{3, 1, 1}},
		{Of(64, 64), [3]int{}, [3]uint64{64, 1, 1}},
		{Of(64, 64).WithLocal(8, 8), [3]int{}, [3]uint64{8, 8, 1}},
		{Of(64, 64).WithLocal(8), [3]int{}, [3]uint64{8, 1, 1}},
		{Of(64).WithLocal(100), [3]int{}, [3]uint64{64, 1, 1}},
		{Of(64, 4), [3]int{16, 2, 1}, [3]uint64{16, 2, 1}},
	} {
		got, err := c.in.Resolve(c.required)
		require.NoError(t, err)
		require.Equal(t, c.want, got.Local, "%+v", c.in)
	}
}

func TestEmptyAndHugeRanges(t *testing.T) {
	_, err := Of(1<<31, 1<<17).Resolve([3]int{})
	require.NoError(t, err)
	for _, r := range []Range{Of(1<<31, 1<<17, 2), Of(1<<31, 1<<31, 1<<31)} {
		_, err := r.Resolve([3]int{})
		require.EqualError(t, err, "the range has more than 281474976710656 work-items in total")
	}
	for _, r := range []Range{Of(8).WithLocal(1, 1, 1, 1), Of(8).WithOffset(0, 0, 0, 0), Of(1, 1, 1, 1)} {
		_, err := r.Resolve([3]int{})
		require.EqualError(t, err, "a range must have 1 to 3 dimensions, not 4")
	}
	_, err = Of(1<<20, 1<<20).WithLocal(1<<8, 1<<8).Resolve([3]int{})
	require.NoError(t, err)
	for _, r := range []Range{Of(1 << 20).WithLocal(1<<16 + 1), Of(8).WithLocal(1 << 60), Of(1<<20, 1<<20).WithLocal(1<<8, 1<<9), Of(1<<16, 1<<16, 1<<16).WithLocal(1<<16, 1<<16, 1<<16)} {
		_, err := r.Resolve([3]int{})
		require.EqualError(t, err, "a work-group has more than 65536 work-items", "%v", r)
	}
}

func params(kinds ...kernel.ArgKind) *kernel.Func {
	f := &kernel.Func{Name: "f"}
	for _, k := range kinds {
		a := kernel.Arg{Name: "a", CType: "x", Kind: k, Type: alu.I32, Elem: "int", Count: 1, Size: 4, Align: 4}
		if k == kernel.ArgBuffer || k == kernel.ArgLocal {
			a.Size, a.Align = 8, 8
		}
		f.Args = append(f.Args, a)
	}
	f.LayoutArgs()
	return f
}

func TestLayOut(t *testing.T) {
	f := params(kernel.ArgScalar, kernel.ArgBuffer, kernel.ArgBuffer)
	buffer := []byte{1}
	block, err := layOut(f, []Arg{Bytes([]byte{1, 2, 3, 4}), Buffer(buffer), Buffer(nil)}, func(i int, b []byte) uint64 {
		require.Equal(t, 1, i, "a null pointer is not placed")
		return 0x1122334455667788
	})
	require.NoError(t, err)
	require.Equal(t, []byte{1, 2, 3, 4, 0, 0, 0, 0, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0, 0, 0, 0, 0, 0, 0, 0}, block[:24])
	require.Zero(t, len(block)%64)
	for _, args := range [][]Arg{
		{},
		{Bytes([]byte{1, 2, 3}), Buffer(buffer), Buffer(buffer)},
		{Buffer(buffer), Buffer(buffer), Buffer(buffer)},
		{Bytes([]byte{1, 2, 3, 4}), Bytes([]byte{1}), Buffer(buffer)},
	} {
		_, err := layOut(f, args, func(int, []byte) uint64 { return 0 })
		require.ErrorContains(t, err, "kernel f")
	}
}

func TestOverlappingBuffersOverlapInTheEngine(t *testing.T) {
	b := make([]byte, 300)
	other := make([]byte, 10)
	args := []Arg{Buffer(b[100:250]), Bytes(nil), Buffer(b[:120]), Buffer(other), Buffer(nil), Buffer(b[240:]), Buffer(other[:0]), Buffer(b[110:115])}
	var l arena
	l.next = 1000 &^ 63
	objects, at := placeBuffers(&l, 0, nil, args)
	require.Len(t, objects, 2)
	require.Zero(t, at[4], "null")
	require.NotZero(t, at[6], "empty, but not null")
	require.Equal(t, at[2]+100, at[0])
	require.Equal(t, at[2]+240, at[5])
	require.Equal(t, at[2]+110, at[7])
	for _, o := range objects {
		if len(o.args) > 1 {
			require.Len(t, o.bytes, 300)
			require.Same(t, &b[0], &o.bytes[0])
		}
	}
	end := at[2] + 300
	require.True(t, at[3] >= end || at[3]+10 <= at[2], "objects do not overlap")

	shared := &object{args: []int{0, 1}}
	require.False(t, shared.written([]bool{true, true}))
	require.True(t, shared.written([]bool{true, false}))
}

// TestFirstErrorStopsAll checks that an error stops the other workers and is returned unchanged.
func TestFirstErrorStopsAll(t *testing.T) {
	boom := errors.New("boom")
	p := Program{Kernel: &kernel.Func{Name: "f"}, Width: 16}
	for _, threads := range []int{1, 4} {
		var runs atomic.Int32
		err := p.launch(context.Background(), resolved(t, Of(1<<30)), threads, func() (worker, error) {
			return runFunc(func(ctx context.Context, _ Range, x run) error {
				runs.Add(1)
				if x.start[0] > 0 {
					return boom
				}
				return nil
			}), nil
		})
		require.ErrorIs(t, err, boom)
		require.LessOrEqual(t, runs.Load(), int32(20))
		err = p.launch(context.Background(), resolved(t, Of(100)), threads, func() (worker, error) { return nil, boom })
		require.ErrorIs(t, err, boom)
	}
	why := errors.New("why")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	err := p.launch(ctx, Of(100), 1, func() (worker, error) {
		return runFunc(func(context.Context, Range, run) error { return nil }), nil
	})
	require.ErrorIs(t, err, why)
}

func resolved(t *testing.T, r Range) Range {
	r, err := r.Resolve([3]int{})
	require.NoError(t, err)
	return r
}

// A stack overflow may be caused by the width, as the stack holds values of all lanes.
func TestStackOverflow(t *testing.T) {
	trap := &wasmhost.Trap{Kind: wasmhost.TrapStackOverflow, Func: "k"}
	wide := &wasmExecutor{Program: Program{Width: 16}}
	require.ErrorContains(t, wide.locate(trap), "stack overflow in k: the values of 16 work-items exceed the engine's stack; use a smaller width")
	one := &wasmExecutor{Program: Program{Width: 1}}
	require.EqualError(t, one.locate(trap), "stack overflow in k")
}
