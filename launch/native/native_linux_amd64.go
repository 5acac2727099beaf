package native

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/cpu"
	"golang.org/x/sys/unix"

	"github.com/simtc/simtc/targets/avx512/frame"
)

// features is what generated code takes for granted. x/sys/cpu reports the
// AVX-512 ones only where the operating system saves zmm and opmask registers.
var features = []struct {
	name    string
	present *bool
}{
	{"AVX512F", &cpu.X86.HasAVX512F},
	{"AVX512BW", &cpu.X86.HasAVX512BW},
	{"AVX512DQ", &cpu.X86.HasAVX512DQ},
	{"AVX512VL", &cpu.X86.HasAVX512VL},
	{"AVX512CD", &cpu.X86.HasAVX512CD},
	{"FMA", &cpu.X86.HasFMA},
	{"BMI1", &cpu.X86.HasBMI1},
	{"BMI2", &cpu.X86.HasBMI2},
	{"LZCNT", &cpu.X86.HasLZCNT},
	{"POPCNT", &cpu.X86.HasPOPCNT},
}

// Available tells whether native code can run here, and if not, why.
func Available() (ok bool, reason string) {
	var missing []string
	for _, feature := range features {
		if !*feature.present {
			missing = append(missing, feature.name)
		}
	}
	if len(missing) > 0 {
		return false, "the processor or the operating system lacks " + strings.Join(missing, ", ")
	}
	return true, ""
}

// Code is a loaded image. Its methods may be called from many goroutines.
type Code struct {
	image   Image // Text is the mapping, nil once closed
	base    uintptr
	fuel    atomic.Uint64 // what the last run settled on
	fixed   bool          // do not adapt fuel
	mu      sync.RWMutex  // held for reading while code runs
	cleanup runtime.Cleanup
}

// padding fills the last page after the code: hlt, which becomes a Fault.
const padding = 0xF4

// Load copies the image into memory of its own that is never writable and
// executable at once. Close frees it; so does the garbage collector when the
// Code is dropped.
func Load(image Image) (*Code, error) {
	if ok, reason := Available(); !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnavailable, reason)
	}
	if err := image.validate(); err != nil {
		return nil, err
	}
	page := unix.Getpagesize()
	size := (len(image.Text) + page) &^ (page - 1) // at least one byte of padding
	text, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes for native code: %w", size, err)
	}
	for i := copy(text, image.Text); i < size; i++ {
		text[i] = padding
	}
	if err := unix.Mprotect(text, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		_ = unix.Munmap(text) // the first error is the one to report
		return nil, fmt.Errorf("make native code executable: %w", err)
	}
	c := &Code{
		image: Image{
			Text:    text,
			Entries: append([]int(nil), image.Entries...),
			Resume:  image.Resume,
		},
		base: uintptr(unsafe.Pointer(unsafe.SliceData(text))),
	}
	c.fuel.Store(firstFuel)
	c.cleanup = runtime.AddCleanup(c, func(text []byte) { _ = unix.Munmap(text) }, text)
	return c, nil
}

// Close frees the memory of the code after waiting for runs under way.
// Closing twice is harmless.
func (c *Code) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.image.Text == nil {
		return nil
	}
	c.cleanup.Stop()
	err := unix.Munmap(c.image.Text)
	c.image.Text, c.base = nil, 0
	return err
}

// Size is the size in bytes of the memory the code takes, 0 once closed.
func (c *Code) Size() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.image.Text)
}

// Fuel, in loop back edges. The first guess is right for back edges of 2.5 ns;
// then Run adapts it to the time that passed between yields.
const (
	firstFuel  = 800_000
	leastFuel  = 500
	mostFuel   = 16_000_000
	sliceGoal  = 2 * time.Millisecond
	sliceUpper = 2 * sliceGoal
	sliceLower = sliceGoal / 2
)

// Run calls entry with argument (the address of a launch context) and runs it
// to its end. The code must find area.Address() in that context if it loops or
// spills; area may be nil if it does neither. On every yield Run lets the
// garbage collector and other goroutines in and looks at ctx: a run whose ctx
// ends is dropped and ctx.Err() returned. A fault is a *Fault; memory the code
// wrote before then stays written. Nothing but the caller keeps memory behind
// addresses alive: see Pins.
func (c *Code) Run(ctx context.Context, entry int, argument uintptr, area *frame.Area) error {
	return c.RunAll(ctx, entry, argument, area, func() bool { return false })
}

// RunAll is Run again and again for as long as next, which prepares the next
// run, returns true: for runs that are short beside what it takes to begin one.
func (c *Code) RunAll(ctx context.Context, entry int, argument uintptr, area *frame.Area, next func() bool) error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.image.Text == nil {
		return ErrClosed
	}
	if entry < 0 || entry >= len(c.image.Entries) {
		return fmt.Errorf("native code has no entry %d", entry)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	start := c.base + uintptr(c.image.Entries[entry])
	save := &frame.Save{Status: frame.Done} // of code that never yields
	if area != nil {
		defer runtime.KeepAlive(area)
		save = area.Save()
	}
	for {
		fuel := c.fuel.Load()
		if err := enter(ctx, start, argument, save, fuel, next); err != nil || save.Status == frame.Done {
			return err
		}
		if c.image.Resume < 0 {
			return fmt.Errorf("native code yielded, but has no resume stub")
		}
		if err := c.resume(ctx, area, fuel); err != nil || !next() {
			return err
		}
	}
}

// resume drives code that has yielded to its end.
func (c *Code) resume(ctx context.Context, area *frame.Area, fuel uint64) error {
	save, stub := area.Save(), c.base+uintptr(c.image.Resume)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		runtime.Gosched()
		if uintptr(save.Resume)-c.base >= uintptr(len(c.image.Text)) {
			return fmt.Errorf("native code asks to continue at %#x, outside of it", save.Resume)
		}
		began := time.Now()
		if err := enter(ctx, stub, area.Address(), save, fuel, func() bool { return false }); err != nil || save.Status == frame.Done {
			return err
		}
		if !c.fixed {
			fuel = adaptFuel(fuel, time.Since(began))
			c.fuel.Store(fuel)
		}
	}
}

// adaptFuel is the fuel for the next slice after one that burnt fuel in the
// time elapsed. A slice may have been long because the thread was descheduled,
// so one step changes it by no more than a factor of 4.
func adaptFuel(fuel uint64, elapsed time.Duration) uint64 {
	if elapsed >= sliceLower && elapsed <= sliceUpper {
		return fuel
	}
	want := uint64(float64(fuel) * float64(sliceGoal) / float64(max(elapsed, 1)))
	want = min(max(want, fuel/4), fuel*4)
	return min(max(want, leastFuel), mostFuel)
}

// enter calls machine code at fn, and again while next returns true, until it
// yields, which save tells, and turns a fault in it into an error. The ordinary
// prologue of call is where the scheduler gets hold of a goroutine in between.
//
//go:noinline
func enter(ctx context.Context, fn, argument uintptr, save *frame.Save, fuel uint64, next func() bool) (err error) {
	previous := debug.SetPanicOnFault(true)
	running := true
	defer func() {
		debug.SetPanicOnFault(previous)
		if !running {
			return
		}
		zeroUpper() // the trampoline did not get to it
		value := recover()
		fault := faultOf(value)
		if fault == nil {
			panic(value)
		}
		err = fault
	}()
	for {
		save.Status, save.Fuel = frame.Done, fuel
		call(fn, argument)
		if save.Status != frame.Done || !next() {
			break
		}
		if err = ctx.Err(); err != nil {
			break
		}
	}
	running = false
	return err
}

// call jumps to fn with argument in rdi and comes back when it returns.
func call(fn, argument uintptr)

// zeroUpper clears the upper halves of the vector registers, without which SSE
// instructions are slow on some processors.
func zeroUpper()
