//go:build linux || windows

package native

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// faultCase is code that faults, with the expected error.
type faultCase struct {
	name  string
	build func(a *assembler)
	want  Fault
}

func faultCases() []faultCase {
	loadFrom := func(address uint64) func(*assembler) {
		return func(a *assembler) {
			a.loadImm(rax, address)
			a.load(rax, rax, 0)
		}
	}
	divide := func(high, low, divisor uint64, modrm byte) func(*assembler) {
		return func(a *assembler) {
			a.loadImm(rdx, high)
			a.loadImm(rax, low)
			a.loadImm(rcx, divisor)
			a.bytes(0x48, 0xF7, modrm)
		}
	}
	at := func(address uintptr) Fault {
		return Fault{Kind: MemoryFault, Address: address, AddressKnown: true}
	}
	guard := guardPage()
	return []faultCase{
		{"null", loadFrom(0), Fault{Kind: MemoryFault}},
		{"first page", loadFrom(0xFF8), Fault{Kind: MemoryFault}},
		{"no access", loadFrom(uint64(guard) + 8), at(guard + 8)},
		{"kernel", loadFrom(0xFFFF_8000_0000_0000), at(0xFFFF_8000_0000_0000)},
		{"non-canonical", loadFrom(1 << 60), at(0)},
		{"write to code", func(a *assembler) {
			a.bytes(0x48, 0x8D, 0x05, 0, 0, 0, 0) // lea rax, [rip]
			a.bytes(0xC6, 0x00, 0x90)             // mov byte ptr [rax], 0x90
		}, Fault{Kind: MemoryFault, AddressKnown: true}}, // address set by the test
		{"vector", func(a *assembler) {
			a.loadImm(rax, uint64(guard))
			a.loadVector(a.level.vectors()-1, rax, 64)
		}, at(guard + 64)},
		{"gather", func(a *assembler) {
			a.loadImm(rax, uint64(guard))
			if a.level == V3 {
				a.bytes(0xC5, 0xFD, 0x76, 0xC0)             // vpcmpeqd ymm0, ymm0, ymm0
				a.bytes(0xC5, 0xF5, 0xEF, 0xC9)             // vpxor ymm1, ymm1, ymm1
				a.bytes(0xC4, 0xE2, 0x7D, 0x90, 0x14, 0x08) // vpgatherdd ymm2, [rax+ymm1], ymm0
				return
			}
			a.addMasks(1, 1, 1)
			a.bytes(0xC5, 0xF4, 0x46, 0xC9)                   // kxnorw k1, k1, k1
			a.bytes(0x62, 0xF1, 0x75, 0x48, 0xEF, 0xC9)       // vpxord zmm1, zmm1, zmm1
			a.bytes(0x62, 0xF2, 0x7D, 0x49, 0x90, 0x04, 0x08) // vpgatherdd zmm0{k1}, [rax+zmm1]
		}, at(guard)},
		{"divide by zero", divide(0, 1, 0, 0xF1), Fault{Kind: DivideFault}},
		{"quotient overflow", divide(math.MaxUint64, 1<<63, math.MaxUint64, 0xF9), Fault{Kind: DivideFault}},
		{"hlt", func(a *assembler) { a.bytes(0xF4) }, at(0)},
		{"runs off the end", func(*assembler) {}, at(0)},
		{"jumps to nowhere", func(a *assembler) {
			a.loadImm(rax, uint64(guard))
			a.bytes(0xFF, 0xE0) // jmp rax
		}, at(guard)},
	}
}

func TestFaultsAreErrors(t *testing.T) {
	for _, test := range faultCases() {
		t.Run(test.name, func(t *testing.T) {
			a := newAssembler(best())
			if test.name != "runs off the end" {
				test.build(a)
				a.ret()
			} else {
				a.bytes(0x90)
			}
			code := mustLoad(t, a.image())
			want := test.want
			if test.name == "write to code" {
				want.Address = code.base + 7
			}
			for range 3 {
				err := code.Run(context.Background(), 0, 0, nil)
				var fault *Fault
				require.ErrorAs(t, err, &fault)
				require.Contains(t, err.Error(), "native code: ")
				fault.Offset, fault.OffsetKnown = 0, false // known on Windows, for which code always has an area
				require.Equal(t, want, *fault)
			}
		})
	}
}

// With an area, a fault has the offset of its instruction, unless that is outside of the code.
func TestFaultsHaveTheirInstruction(t *testing.T) {
	faulting := map[string]int{ // size in bytes of the faulting instruction, which is the last one
		"null": 7, "first page": 7, "no access": 7, "kernel": 7, "non-canonical": 7, "write to code": 3,
		"divide by zero": 3, "quotient overflow": 3, "hlt": 1, "jumps to nowhere": 0,
	}
	for _, test := range faultCases() {
		length, ok := faulting[test.name]
		if !ok {
			continue
		}
		for _, before := range []int{0, 1, 5000} {
			a := newAssembler(best())
			for range before {
				a.bytes(0x90)
			}
			test.build(a)
			want := len(a.code) - length
			a.ret()
			code, area := mustLoad(t, a.image()), NewArea()
			for range 2 {
				var fault *Fault
				require.ErrorAs(t, code.Run(context.Background(), 0, 0, area), &fault, test.name)
				require.Equal(t, length > 0, fault.OffsetKnown, test.name)
				if length > 0 {
					require.Equal(t, want, fault.Offset, test.name)
				}
			}
		}
	}
}

// Faults of Go code, and of code on many threads at once, are distinguished.
func TestFaultsOfManyThreadsHaveTheirInstruction(t *testing.T) {
	var running sync.WaitGroup
	for thread := range 8 {
		a := newAssembler(V3)
		for range thread {
			a.bytes(0x90)
		}
		a.loadImm(rax, uint64(guardPage()))
		a.load(rax, rax, 0)
		code, area := mustLoad(t, a.image()), NewArea()
		running.Go(func() {
			var nowhere *[4]int
			for range 200 {
				err := code.Run(context.Background(), 0, 0, area)
				var fault *Fault
				if !errors.As(err, &fault) || !fault.OffsetKnown || fault.Offset != thread+10 {
					t.Errorf("thread %d: %+v", thread, err)
				}
				func() {
					defer func() {
						if recover() == nil {
							t.Error("no panic")
						}
					}()
					nowhere[thread%4]++
				}()
			}
		})
	}
	running.Wait()
}

func TestFaultAfterInterrupts(t *testing.T) {
	a := newAssembler(V3)
	a.label("loop")
	a.decMemory(rdi, 8)
	a.jumpNotZero("loop")
	a.loadImm(rbx, uint64(guardPage()))
	a.load(rbx, rbx, 24)
	code := mustLoad(t, a.image())
	area := NewArea()
	block := testContext()
	var pins Pins
	defer pins.Release()
	area.clock.every = often
	defer area.Release()
	counter(block).Store(20 * interruptible)
	err := code.RunAll(context.Background(), 0, pins.Bytes(block), area, func() bool { return false })
	require.Equal(t, &Fault{Kind: MemoryFault, Address: guardPage() + 24, AddressKnown: true, Offset: len(a.code) - 7, OffsetKnown: true}, err)
	require.Zero(t, counter(block).Load())
	require.NotZero(t, area.save.resume)
}

func TestFaultsRestoreTheGoroutine(t *testing.T) {
	code := mustLoad(t, garble(best(), opFault))
	var pins Pins
	defer pins.Release()
	block := testContext()
	argument := pins.Bytes(block)
	require.False(t, debug.SetPanicOnFault(false))
	for range 100 {
		require.ErrorAs(t, code.Run(context.Background(), 0, argument, nil), new(*Fault))
		requireGoRounding(t)
	}
	require.False(t, debug.SetPanicOnFault(false), "the flag of the goroutine is put back")
}

// requireGoRounding fails if MXCSR rounds to zero or flushes denormals.
func requireGoRounding(t *testing.T) {
	t.Helper()
	random := rand.New(rand.NewSource(1))
	one, small := 1+0*random.Float64(), math.SmallestNonzeroFloat64+0*random.Float64()
	require.Equal(t, 1+0x1p-52, one+0x1.8p-53)
	require.NotZero(t, small*one)
}

func TestClobberedRegistersAreRestored(t *testing.T) {
	code := mustLoad(t, garble(best(), opReturn))
	var pins Pins
	defer pins.Release()
	argument := pins.Bytes(testContext())
	for i := range 1000 {
		require.NoError(t, code.Run(context.Background(), 0, argument, nil))
		if i%100 == 0 {
			runtime.GC()
			requireGoRounding(t)
		}
	}
}

func TestCodeStartsWithDefaultMXCSR(t *testing.T) {
	a := newAssembler(V3)
	a.bytes(0x0F, 0xAE, 0x5F, 0x08, 0xC3) // stmxcsr [rdi+8]; ret
	code := mustLoad(t, a.image())
	var pins Pins
	defer pins.Release()
	block := testContext()
	require.NoError(t, code.Run(context.Background(), 0, pins.Bytes(block), nil))
	require.EqualValues(t, 0x1F80, counter(block).Load()&0xFFC0)
}

// atDepth calls f with about depth*256 bytes of stack in use.
//
//go:noinline
func atDepth(depth int, f func() error) error {
	var pad [200]byte
	pad[depth%len(pad)] = byte(depth)
	if depth == 0 {
		return f()
	}
	err := atDepth(depth-1, f)
	runtime.KeepAlive(&pad)
	return err
}

func TestFaultsAtEveryStackDepth(t *testing.T) {
	faulting, torturing := mustLoad(t, garble(best(), opFault)), mustLoad(t, torture(best()))
	for depth := 0; depth < 120; depth++ {
		result := make(chan error)
		go func() { // a new goroutine, so that its stack must grow on the way down
			result <- atDepth(depth, func() error {
				var pins Pins
				defer pins.Release()
				err := faulting.Run(context.Background(), 0, pins.Bytes(testContext()), nil)
				if !errors.As(err, new(*Fault)) {
					return fmt.Errorf("no fault: %v", err)
				}
				_, err = runTorture(torturing, often, int64(depth), 1000)
				return err
			})
		}()
		require.NoError(t, <-result, "depth %d", depth)
	}
}

// churn allocates until ctx ends, to keep the collector busy.
func churn(ctx context.Context) {
	var keep [64][]*[64]byte
	for i := 0; ctx.Err() == nil; i++ {
		list := make([]*[64]byte, 16)
		for j := range list {
			list[j] = new([64]byte)
		}
		keep[i%len(keep)] = list
	}
}

func TestStress(t *testing.T) {
	if err := pprof.StartCPUProfile(io.Discard); err == nil {
		defer pprof.StopCPUProfile()
	}
	stress(t, 1500*time.Millisecond, garble(best(), opFault))
}

// TestStressWhileTracing has the runtime walk frame pointers all the time.
func TestStressWhileTracing(t *testing.T) {
	needNative(t, V3)
	runtime.SetBlockProfileRate(1)
	defer runtime.SetBlockProfileRate(0)
	defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
	if err := trace.Start(io.Discard); err != nil {
		t.Skip("SKIPPED: another trace is running")
	}
	defer trace.Stop()
	stress(t, time.Second, garble(best(), opFault, rbp))
}

// stress runs faulting code and other code on many goroutines during garbage collections
// and signals.
func stress(t *testing.T, duration time.Duration, fault Image) {
	torturing, garbling, faulting, spinning :=
		mustLoad(t, torture(best())), mustLoad(t, garble(best(), opReturn)), mustLoad(t, fault), mustLoad(t, spin())

	defer debug.SetGCPercent(debug.SetGCPercent(1))
	if testing.Short() {
		duration /= 5
	}
	ctx, cancel := context.WithTimeout(context.Background(), duration)
	defer cancel()
	var group sync.WaitGroup
	group.Go(func() { churn(ctx) })
	group.Go(func() { storm(ctx) })
	group.Go(func() { // endless loops that are dropped repeatedly
		for ctx.Err() == nil {
			short, stop := context.WithTimeout(ctx, 5*time.Millisecond)
			var pins Pins
			area := NewArea()
			_ = spinning.Run(short, 0, pins.Bytes(testContext()), area)
			pins.Release()
			stop()
		}
	})
	const workers = 6
	var rounds [workers]int
	var interrupts atomic.Int64
	errs := make([]error, workers)
	for i := range workers {
		group.Go(func() {
			var pins Pins
			defer pins.Release()
			argument := pins.Bytes(testContext())
			for ctx.Err() == nil && errs[i] == nil {
				rounds[i]++
				errs[i] = atDepth(rounds[i]%40, func() error {
					if err := garbling.Run(context.Background(), 0, argument, nil); err != nil {
						return err
					}
					err := faulting.Run(context.Background(), 0, argument, nil)
					if fault := new(Fault); !errors.As(err, &fault) || fault.Kind != MemoryFault {
						return fmt.Errorf("no fault: %v", err)
					}
					stopped, err := runTorture(torturing, often, int64(i*1000+rounds[i]), interruptible)
					if stopped {
						interrupts.Add(1)
					}
					return err
				})
			}
		})
	}
	group.Wait()
	for i, err := range errs {
		require.NoError(t, err)
		require.Positive(t, rounds[i])
	}
	require.Positive(t, interrupts.Load())
	t.Logf("rounds of garble, fault and torture: %v, %d of them interrupted", rounds, interrupts.Load())
}
