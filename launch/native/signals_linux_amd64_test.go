package native

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// mapping returns the line of /proc/self/maps that covers address, "" if none.
func mapping(t *testing.T, address uintptr) string {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	for line := range strings.Lines(string(maps)) {
		var low, high uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x", &low, &high); n == 2 && low <= address && address < high {
			return line
		}
	}
	return ""
}

func TestCodeIsNeverWritableAndExecutable(t *testing.T) {
	code := mustLoad(t, storeAndReturn())
	require.Contains(t, mapping(t, code.base), " r-xp ")
}

func TestDroppedCodeIsUnmapped(t *testing.T) {
	needNative(t, V3)
	base := func() uintptr {
		code, err := Load(storeAndReturn())
		require.NoError(t, err)
		return code.base
	}()
	require.Eventually(t, func() bool {
		runtime.GC()
		return !strings.Contains(mapping(t, base), " r-xp ")
	}, 5*time.Second, time.Millisecond)
}

// A program may handle or ignore all signals.
func TestClocksSurviveOtherHandlers(t *testing.T) {
	code := mustLoad(t, spin())
	area := NewArea()
	var pins Pins
	defer pins.Release()
	argument := pins.Bytes(testContext())
	all := make(chan os.Signal, 100)
	for _, change := range []func(){
		func() { signal.Notify(all, syscall.Signal(tickSignal)) },
		func() { signal.Stop(all) },
		func() { signal.Reset(syscall.Signal(tickSignal)) },
		func() { signal.Ignore(syscall.Signal(tickSignal)) },
	} {
		change()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		require.ErrorIs(t, code.Run(ctx, 0, argument, area), context.DeadlineExceeded)
		cancel()
	}
	signal.Reset(syscall.Signal(tickSignal))
}

// The parent process may have blocked the clocks' signal, and any process may send it.
func TestClocksWithBlockedAndForeignSignals(t *testing.T) {
	code := mustLoad(t, spin())
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const block = 0
	mask := uint64(1) << (tickSignal - 1)
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGPROCMASK, block, uintptr(unsafe.Pointer(&mask)), 0, saMaskSize, 0, 0)
	require.Zero(t, errno)
	thread := unix.Gettid()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			_ = unix.Tgkill(unix.Getpid(), thread, tickSignal)
			time.Sleep(50 * time.Microsecond)
		}
	})
	area := NewArea()
	var pins Pins
	defer pins.Release()
	block64 := testContext()
	require.ErrorIs(t, code.Run(ctx, 0, pins.Bytes(block64), area), context.DeadlineExceeded)
	require.Positive(t, counter(block64).Load())
	group.Wait()
}

// interruptible is the number of iterations of the torture code, of about 6 ns each, within
// which a clock of period often interrupts it.
const interruptible = 5000

func TestFaultOfRecognizesRuntimePanics(t *testing.T) {
	caught := func(f func()) (value any) {
		defer func() { value = recover() }()
		f()
		return nil
	}
	var pointer *[4]int
	zero := len(os.Args) - len(os.Args)
	require.Equal(t, &Fault{Kind: MemoryFault}, faultOf(caught(func() { pointer[zero]++ })))
	require.Equal(t, &Fault{Kind: DivideFault}, faultOf(caught(func() { zero = 1 / zero })))
	for _, value := range []any{
		nil, "text", errors.New("error"),
		caught(func() { _ = os.Args[len(os.Args)+zero] }), // a runtime.Error without a signal
	} {
		require.Nil(t, faultOf(value))
	}
}

// storm sends the process preemption and profiling signals until ctx ends.
func storm(ctx context.Context) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGUSR1)
	defer signal.Stop(ignored)
	for ctx.Err() == nil {
		for _, s := range []syscall.Signal{syscall.SIGURG, syscall.SIGUSR1} {
			_ = syscall.Kill(syscall.Getpid(), s)
		}
		time.Sleep(20 * time.Microsecond)
	}
}

// guardPage is an address without access for the rest of the process.
var guardPage = sync.OnceValue(func() uintptr {
	page, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		panic(err)
	}
	var pins Pins
	return pins.Bytes(page)
})

// TestBriefRunsHaveNoClock checks that a brief run needs no timer, and that other runs with the
// same area have one.
func TestBriefRunsHaveNoClock(t *testing.T) {
	code := mustLoad(t, storeAndReturn())
	var pins Pins
	defer pins.Release()
	block, area := testContext(), NewArea()
	none := func() bool { return false }
	for _, brief := range []bool{true, false} {
		area.Brief = brief
		require.NoError(t, code.RunAll(context.Background(), 0, pins.Bytes(block), area, none))
		require.Equal(t, brief, area.clock.thread == 0)
	}
	area.Release()
	require.EqualValues(t, 42, counter(block).Load())
}
