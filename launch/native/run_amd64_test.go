//go:build linux || windows

package native

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// testContext is the context of the test codes: a field of their own, a counter, scratch space.
func testContext() []byte { return AlignedBytes(64, 64) }

// counter loads the field at context offset 8, which code may be writing.
func counter(block []byte) *atomic.Uint64 {
	return (*atomic.Uint64)(unsafe.Pointer(&block[8]))
}

func TestRunCallsTheEntryWithTheArgument(t *testing.T) {
	code := mustLoad(t, storeAndReturn())
	var pins Pins
	defer pins.Release()
	block := testContext()
	require.NoError(t, code.Run(context.Background(), 0, pins.Bytes(block), nil))
	require.EqualValues(t, 42, counter(block).Load())
}

func TestLoadRejectsBadImages(t *testing.T) {
	for name, image := range map[string]Image{
		"no code is supported for level 0": {Text: []byte{0xC3}, Entries: []int{0}},
		"has no code":                      {Level: V3},
		"outside the 1 bytes":              {Text: []byte{0xC3}, Entries: []int{1}, Level: V3},
		"entry 0 at offset -1":             {Text: []byte{0xC3}, Entries: []int{-1}, Level: V3},
	} {
		_, err := Load(image)
		require.ErrorContains(t, err, name)
	}
}

func TestRunRejectsUnknownEntriesAndClosedCode(t *testing.T) {
	code := mustLoad(t, storeAndReturn())
	for _, entry := range []int{-1, 1} {
		require.ErrorContains(t, code.Run(context.Background(), entry, 0, nil), fmt.Sprintf("no entry %d", entry))
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, code.Run(ended, 0, 0, nil), context.Canceled)
	require.Equal(t, pageSize(), code.Size())
	require.NoError(t, code.Close())
	require.NoError(t, code.Close())
	require.Zero(t, code.Size())
	require.ErrorIs(t, code.Run(context.Background(), 0, 0, nil), ErrClosed)
}

func TestCloseWaitsForRuns(t *testing.T) {
	code := mustLoad(t, spin())
	area := NewArea()
	block := testContext()
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error)
	go func() {
		var pins Pins
		defer pins.Release()
		result <- code.Run(ctx, 0, pins.Bytes(block), area)
	}()
	require.Eventually(t, func() bool { return counter(block).Load() > 0 }, 5*time.Second, time.Millisecond)
	closed := make(chan error, 1)
	go func() { closed <- code.Close() }()
	select {
	case <-closed:
		t.Fatal("closed under a running kernel")
	case <-time.After(20 * time.Millisecond):
	}
	cancel()
	require.ErrorIs(t, <-result, context.Canceled)
	require.NoError(t, <-closed)
}

func TestEndlessLoopIsCancelled(t *testing.T) {
	code := mustLoad(t, spin())
	area := NewArea()
	var pins Pins
	defer pins.Release()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	block := testContext()
	require.ErrorIs(t, code.Run(ctx, 0, pins.Bytes(block), area), context.DeadlineExceeded)
	require.Positive(t, counter(block).Load())
	t.Logf("cancelled %v after the start", time.Since(began))

	// The area of the dropped run can be reused.
	require.NoError(t, mustLoad(t, storeAndReturn()).Run(context.Background(), 0, pins.Bytes(block), area))
}

func TestEndlessLoopsLetTheCollectorRun(t *testing.T) {
	code := mustLoad(t, spin())
	ctx, cancel := context.WithCancel(context.Background())
	var group sync.WaitGroup
	errs := make([]error, 2*runtime.GOMAXPROCS(0))
	for i := range errs {
		group.Go(func() {
			var pins Pins
			defer pins.Release()
			area := NewArea()
			errs[i] = code.Run(ctx, 0, pins.Bytes(testContext()), area)
		})
	}
	for range 10 {
		runtime.GC() // would not return
	}
	cancel()
	group.Wait()
	for _, err := range errs {
		require.ErrorIs(t, err, context.Canceled)
	}
}

func TestPinsAcceptAnyMemory(t *testing.T) {
	var pins Pins
	defer pins.Release()
	require.Zero(t, pins.Bytes(nil))
	mapped, err := mapText(4096)
	require.NoError(t, err)
	defer func() { require.NoError(t, unmapText(mapped)) }()
	require.Equal(t, uintptr(unsafe.Pointer(&mapped[0])), pins.Bytes(mapped))
	heap := make([]byte, 100)
	require.Equal(t, uintptr(unsafe.Pointer(&heap[50])), pins.Bytes(heap[50:]))
	for _, align := range []int{1, 64, 4096} {
		require.Zero(t, pins.Bytes(AlignedBytes(100, align))%uintptr(align))
	}
	pins.Release()
	pins.Release()
	require.Equal(t, uintptr(unsafe.Pointer(&heap[0])), pins.Bytes(heap))
}

func BenchmarkCall(b *testing.B) {
	needNative(b, V3)
	code, err := Load(Image{Text: []byte{0xC3}, Entries: []int{0}, Level: V3})
	require.NoError(b, err)
	defer code.Close()
	b.Run("trampoline", func(b *testing.B) {
		for range b.N {
			call(code.base, 0, 0, 0)
		}
	})
	b.Run("guarded", func(b *testing.B) {
		ctx, area := context.Background(), NewArea()
		defer area.Release()
		for range b.N {
			if _, err := enter(ctx, code.base, 0, area, func() bool { return false }); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("all", func(b *testing.B) {
		ctx, area, n := context.Background(), NewArea(), b.N
		defer area.Release()
		if err := code.RunAll(ctx, 0, 0, area, func() bool { n--; return n > 0 }); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("run", func(b *testing.B) {
		ctx, area := context.Background(), NewArea()
		for range b.N {
			if err := code.Run(ctx, 0, 0, area); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkInterrupt measures the throughput, in iterations of about 6 ns, with the usual
// clock period and a short one.
func BenchmarkInterrupt(b *testing.B) {
	needNative(b, V3)
	code, err := Load(torture(best()))
	require.NoError(b, err)
	defer code.Close()
	for _, every := range []time.Duration{time.Hour, tickEvery, often} {
		b.Run(every.String(), func(b *testing.B) {
			var pins Pins
			defer pins.Release()
			dump, area := tortureContext(1, b.N)
			area.clock.every = every
			defer area.Release()
			b.ResetTimer()
			if err := code.RunAll(context.Background(), 0, pins.Bytes(dump), area, func() bool { return false }); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkFault(b *testing.B) {
	needNative(b, V3)
	code, err := Load(Image{Text: []byte{padding}, Entries: []int{0}, Level: V3})
	require.NoError(b, err)
	defer code.Close()
	for range b.N {
		if err := code.Run(context.Background(), 0, 0, nil); !errors.As(err, new(*Fault)) {
			b.Fatal(err)
		}
	}
}

// RunAll runs as often as next says, and ends with the context.
func TestRunAll(t *testing.T) {
	needNative(t, V3)
	code, err := Load(Image{Text: []byte{0xFF, 0x07, 0xC3}, Entries: []int{0}, Level: V3}) // inc dword ptr [rdi]; ret
	require.NoError(t, err)
	defer code.Close()
	var pins Pins
	defer pins.Release()
	count := AlignedBytes(64, 64)
	runs := func(ctx context.Context, n int) (uint32, error) {
		clear(count)
		err := code.RunAll(ctx, 0, pins.Bytes(count), nil, func() bool { n--; return n > 0 })
		return binary.LittleEndian.Uint32(count), err
	}
	for _, n := range []int{1, 2, 1000} {
		ran, err := runs(context.Background(), n)
		require.NoError(t, err)
		require.EqualValues(t, n, ran)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err = code.RunAll(ctx, 0, pins.Bytes(count), nil, func() bool {
		if n++; n == 3 {
			cancel()
		}
		return true
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 3, n)
}
