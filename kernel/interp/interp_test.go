package interp_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/memory"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/kernel/interp"
)

// run executes a kernel whose arguments are a buffer and, if it takes one, an i64, and returns the
// buffer as words.
func run(t *testing.T, text string, l interp.Launch, words int, arg uint64) ([]uint64, error) {
	t.Helper()
	m, err := kernel.Parse("k.simt", text)
	require.NoError(t, err)
	f := m.Funcs[0]
	buf := make([]byte, 8*words)
	l.Memory = &memory.Space{}
	l.Args = make([]byte, f.ArgBlockSize())
	binary.LittleEndian.PutUint64(l.Args, l.Memory.Add(buf))
	if len(l.Args) >= 16 {
		binary.LittleEndian.PutUint64(l.Args[8:], arg)
	}
	err = interp.Run(context.Background(), f, l)
	out := make([]uint64, words)
	for i := range out {
		out[i] = binary.LittleEndian.Uint64(buf[8*i:])
	}
	return out, err
}

const head = "kernel k {\n  arg p buffer ptr.global long 1 \"long*\"\n  arg n scalar i64 long 1 \"long\"\n"

func one(t *testing.T, body string, arg uint64, words int) []uint64 {
	t.Helper()
	out, err := run(t, head+body+"}\n", interp.Launch{}, words, arg)
	require.NoError(t, err)
	return out
}

// Edge arguments are read before any parameter is written.
func TestParallelArguments(t *testing.T) {
	require.Equal(t, []uint64{2, 1, 3}, one(t, `
b0:
  %p = arg.ptr.global 0
  jump b1(1, 2, 0)
b1(%a: i64, %b: i64, %i: i64):
  %j = add.i64 %i, 1
  %c = ult.i64 %j, 4
  branch %c, b1(%b, %a, %j), b2
b2:
  store.i64x3 %p, %a, %b, %i align 8
  return
`, 0, 3))
}

func TestSwitch(t *testing.T) {
	text := `
b0:
  %p = arg.ptr.global 0
  %n = arg.i64 1
  %x = trunc.i8 %n
  switch.i8 %x, b1(100), 3: b1(1), -1: b1(2), 0: b1(3)
b1(%v: i64):
  store.i64 %p, %v align 8
  return
`
	for arg, want := range map[uint64]uint64{3: 1, 0xff: 2, 0: 3, 0x103: 1, 4: 100, 1 << 32: 3} {
		require.Equal(t, want, one(t, text, arg, 1)[0], "%#x", arg)
	}
}

func TestBranchGoesByTheCondition(t *testing.T) {
	text := `
b0:
  %p = arg.ptr.global 0
  %n = arg.i64 1
  %c = trunc.i1 %n
  branch %c, b1(10), b1(20)
b1(%v: i64):
  store.i64 %p, %v align 8
  return
`
	require.Equal(t, uint64(10), one(t, text, 7, 1)[0])
	require.Equal(t, uint64(20), one(t, text, 6, 1)[0])
}

// Vector accesses, their components, all sizes.
func TestMemory(t *testing.T) {
	out := one(t, `
b0:
  %p = arg.ptr.global 0
  %n = arg.i64 1
  %q = ptradd.ptr.global %p, 8
  store.i64 %p, 0x8877665544332211 align 8
  %b = load.i8x4 %p align 1
  %b3 = component.i8 %b, 3
  %b0 = component.i8 %b, 0
  store.i8x3 %q, %b3, %b0, 0x7f align 1
  %r = ptradd.ptr.global %p, 12
  %h = load.i16 %p align 1
  store.i16 %r, %h align 2
  %o = ptradd.ptr.global %p, 17
  %w = load.i32 %p align 4
  store.i32 %o, %w align 1
  return
`, 0, 3)
	require.Equal(t, []uint64{0x8877665544332211, 0x00002211_007f1144, 0x0000004433221100}, out)
}

// Private memory is zero when a work-item starts.
func TestPrivateMemoryIsFresh(t *testing.T) {
	out, err := run(t, head+`
b0:
  %p = arg.ptr.global 0
  %id = globalid 0
  %a = alloca 8 align 8
  %o = shl.i64 %id, 3
  %q = ptradd.ptr.global %p, %o
  %x = load.i64 %a align 8
  store.i64 %q, %x align 8
  store.i64 %a, 77 align 8
  return
}
`, interp.Launch{Global: [3]uint64{4}}, 4, 0)
	require.NoError(t, err)
	require.Equal(t, make([]uint64, 4), out)
}

// Ids and sizes in three dimensions, with offsets and a partial last group.
func TestQueries(t *testing.T) {
	text := head + `
b0:
  %p = arg.ptr.global 0
  %x = globalid 0
  %y = globalid 1
  %z = globalid 2
  %ox = globaloffset 0
  %oy = globaloffset 1
  %nx = globalsize 0
  %ny = globalsize 1
  %rx = sub.i64 %x, %ox
  %ry = sub.i64 %y, %oy
  %zy = mul.i64 %z, %ny
  %zy2 = add.i64 %zy, %ry
  %row = mul.i64 %zy2, %nx
  %i = add.i64 %row, %rx
  %at = shl.i64 %i, 6
  %q = ptradd.ptr.global %p, %at
  %lx = localid 0
  %gx = groupid 0
  %gy = groupid 1
  %sx = localsize 0
  %sy = localsize 1
  %mx = numgroups 0
  %dims = workdim
  store.i64x8 %q, %x, %lx, %gx, %gy, %sx, %sy, %mx, %dims align 8
  return
}
`
	l := interp.Launch{Global: [3]uint64{5, 3, 2}, Local: [3]uint64{2, 2, 1}, Offset: [3]uint64{100, 10, 0}, Dims: 3}
	out, err := run(t, text, l, 8*30, 0)
	require.NoError(t, err)
	item := func(x, y, z int) []uint64 { i := 8 * ((z*3+y)*5 + x); return out[i : i+8] }
	require.Equal(t, []uint64{100, 0, 0, 0, 2, 2, 3, 3}, item(0, 0, 0))
	require.Equal(t, []uint64{103, 1, 1, 0, 2, 2, 3, 3}, item(3, 1, 1))
	require.Equal(t, []uint64{104, 0, 2, 1, 1, 1, 3, 3}, item(4, 2, 1), "the last group is smaller")

	out, err = run(t, text, interp.Launch{}, 8, 0)
	require.NoError(t, err)
	require.Equal(t, []uint64{0, 0, 0, 0, 1, 1, 1, 1}, out, "without sizes there is one work-item")
}

func TestDataAndArgumentAddresses(t *testing.T) {
	out, err := run(t, "data d align 8 0500000000000000\ndata e align 8 0700000000000000\n"+head+`
b0:
  %p = arg.ptr.global 0
  %d = dataaddr 1
  %x = load.i64 %d align 8
  %a = argaddr 1
  %y = load.i64 %a align 8
  store.i64x2 %p, %x, %y align 8
  return
}
`, interp.Launch{}, 2, 42)
	require.NoError(t, err)
	require.Equal(t, []uint64{7, 42}, out)
}

// Errors name the work-item and the position.
func TestFaults(t *testing.T) {
	text := head + `
b0:
  %p = arg.ptr.global 0
  %id = globalid 0
  %o = shl.i64 %id, 3
  %q = ptradd.ptr.global %p, %o
  store.i64 %q, 1 align 8
  return
}
`
	out, err := run(t, text, interp.Launch{Global: [3]uint64{4}}, 2, 0)
	var fault *memory.Fault
	require.ErrorAs(t, err, &fault)
	require.True(t, fault.Write)
	require.Equal(t, 8, fault.Size)
	require.ErrorContains(t, err, "work-item 2,0,0: k.simt:10:3: invalid write of 8 bytes")
	require.Equal(t, []uint64{1, 1}, out)

	_, err = run(t, head+`
b0:
  %n = arg.i64 1
  %q = bitcast.ptr.global %n
  %x = load.i32 %q align 4
  return
}
`, interp.Launch{}, 1, 0)
	require.ErrorContains(t, err, "invalid read of 4 bytes at address 0x0")
}

func TestEndlessLoops(t *testing.T) {
	text := head + "b0:\n  jump b1\nb1:\n  jump b1\n}\n"
	_, err := run(t, text, interp.Launch{MaxSteps: 1000}, 1, 0)
	require.ErrorIs(t, err, interp.ErrSteps)

	m, err := kernel.Parse("k.simt", text)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	l := interp.Launch{Memory: &memory.Space{}, Args: make([]byte, 16)}
	require.ErrorIs(t, interp.Run(ctx, m.Funcs[0], l), context.Canceled)
	ctx, cancel = context.WithCancel(context.Background())
	l.Visit = func([3]uint64, int) { cancel() }
	require.ErrorIs(t, interp.Run(ctx, m.Funcs[0], l), context.Canceled)
}

// Visit sees every block entered, in order.
func TestVisit(t *testing.T) {
	var seen []int
	_, err := run(t, head+`
b0:
  jump b2(0)
b1:
  return
b2(%i: i64):
  %j = add.i64 %i, 1
  %c = ult.i64 %j, 3
  branch %c, b2(%j), b1
}
`, interp.Launch{Visit: func(_ [3]uint64, b int) { seen = append(seen, b) }}, 1, 0)
	require.NoError(t, err)
	require.Equal(t, []int{0, 2, 2, 2, 1}, seen)
}

// TestAtomics checks that atomic operations return the old value, and that work-items
// execute one after another.
func TestAtomics(t *testing.T) {
	text := head + `
b0:
  %p = arg.ptr.global 0
  %n = arg.i64 1
  %i = globalid 0
  %o = shl.i64 %i, 3
  %old = atomic.i64 %p, %n add
  %q = ptradd.ptr.global %p, 8
  %m = atomic.i64 %q, %i umax
  %r = ptradd.ptr.global %p, 16
  %was = cmpxchg.i64 %r, %i, %n
  fence
  %s = ptradd.ptr.global %p, 24
  %t = ptradd.ptr.global %s, %o
  store.i64 %t, %old align 8
  %u = ptradd.ptr.global %t, 24
  %sum = add.i64 %was, %m
  store.i64 %u, %sum align 8
  return
}
`
	out, err := run(t, text, interp.Launch{Global: [3]uint64{3}}, 9, 5)
	require.NoError(t, err)
	require.Equal(t, []uint64{15, 2, 5, 0, 5, 10, 0, 5, 6}, out)
}
