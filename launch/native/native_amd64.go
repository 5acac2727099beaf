//go:build linux || windows

package native

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// features lists the processor features that code of a level requires. x/sys/cpu reports
// vector features only if the operating system saves their registers.
var features = []struct {
	level   Level
	name    string
	present *bool
}{
	{VNNI, "AVX512VNNI", &cpu.X86.HasAVX512VNNI},
	{V4, "AVX512F", &cpu.X86.HasAVX512F},
	{V4, "AVX512BW", &cpu.X86.HasAVX512BW},
	{V4, "AVX512DQ", &cpu.X86.HasAVX512DQ},
	{V4, "AVX512VL", &cpu.X86.HasAVX512VL},
	{V4, "AVX512CD", &cpu.X86.HasAVX512CD},
	{V3, "AVX2", &cpu.X86.HasAVX2},
	{V3, "FMA", &cpu.X86.HasFMA},
	{V3, "F16C", &cpu.X86.HasF16C},
	{V3, "BMI1", &cpu.X86.HasBMI1},
	{V3, "BMI2", &cpu.X86.HasBMI2},
	{V3, "LZCNT", &cpu.X86.HasLZCNT},
	{V3, "MOVBE", &cpu.X86.HasMOVBE},
	{V3, "POPCNT", &cpu.X86.HasPOPCNT},
}

// Present reports whether the processor and the operating system support code of a level,
// and if not, the missing feature.
func Present(level Level) (ok bool, reason string) {
	var missing []string
	for _, feature := range features {
		if feature.level <= level && !*feature.present {
			missing = append(missing, feature.name)
		}
	}
	if len(missing) > 0 {
		return false, "the processor or the operating system lacks " + strings.Join(missing, ", ")
	}
	return true, ""
}

// Code is a loaded image. Its methods are safe for concurrent use.
type Code struct {
	image   Image // Text is the mapping, nil once closed
	base    uintptr
	mu      sync.RWMutex // held for reading while code runs
	cleanup runtime.Cleanup
}

// padding fills the last page after the code: hlt, which becomes a Fault.
const padding = 0xF4

// Load copies the image into its own memory, which is never writable and executable at the
// same time. Close frees it, as does the garbage collector when the Code is unreachable.
func Load(image Image) (*Code, error) {
	if err := image.validate(); err != nil {
		return nil, err
	}
	if ok, reason := Present(image.Level); !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnavailable, reason)
	}
	if err := prepare(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	page := pageSize()
	size := (len(image.Text) + page) &^ (page - 1) // at least one byte of padding
	text, err := mapText(size)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes for native code: %w", size, err)
	}
	for i := copy(text, image.Text); i < size; i++ {
		text[i] = padding
	}
	if err := protectText(text); err != nil {
		_ = unmapText(text) // the first error is the one to report
		return nil, fmt.Errorf("make native code executable: %w", err)
	}
	c := &Code{
		image: Image{
			Text:    text,
			Entries: append([]int(nil), image.Entries...),
			Level:   image.Level,
		},
		base: uintptr(unsafe.Pointer(unsafe.SliceData(text))),
	}
	c.cleanup = runtime.AddCleanup(c, func(text []byte) { _ = unmapText(text) }, text)
	return c, nil
}

// Close frees the memory of the code after waiting for current runs.
// Closing twice is harmless.
func (c *Code) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.image.Text == nil {
		return nil
	}
	c.cleanup.Stop()
	err := unmapText(c.image.Text)
	c.image.Text, c.base = nil, 0
	return err
}

// Size is the size in bytes of the code's memory, 0 once closed.
func (c *Code) Size() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.image.Text)
}

// Run calls entry with argument, the address of a launch context, and returns when the code
// has returned. Code with loops needs an area; it may be nil for other code. Whenever the
// code is interrupted, Run yields to the garbage collector and other goroutines and checks
// ctx. A run whose ctx has ended is dropped: the error is ctx.Err(), or a *Dropped that wraps
// it. A fault is a *Fault; memory that the code wrote before stays written. The caller must
// keep the memory at all addresses alive: see Pins.
func (c *Code) Run(ctx context.Context, entry int, argument uintptr, area *Area) error {
	if area != nil {
		defer area.Release()
	}
	return c.RunAll(ctx, entry, argument, area, func() bool { return false })
}

// RunAll repeats Run while next, which prepares the next run, returns true. It saves the
// cost of entering native code for short runs. The area can be reused until its Release.
func (c *Code) RunAll(ctx context.Context, entry int, argument uintptr, area *Area, next func() bool) error {
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
	if area == nil && needsArea {
		area = NewArea()
		defer area.Release()
	}
	if area != nil {
		defer runtime.KeepAlive(area)
		area.save.base, area.save.size = uint64(c.base), uint64(len(c.image.Text))
	}
	start := c.base + uintptr(c.image.Entries[entry])
	for {
		if stopped, err := enter(ctx, start, argument, area, next); err != nil || !stopped {
			return err
		}
		if err := goOn(ctx, area); err != nil || !next() {
			return err
		}
	}
}

// goOn resumes interrupted code until it returns.
func goOn(ctx context.Context, area *Area) error {
	_, resume, _ := registerAddresses()
	for {
		if err := ctx.Err(); err != nil {
			return &Dropped{int(area.save.resume - area.save.base), err}
		}
		runtime.Gosched()
		stopped, err := enter(ctx, resume, area.address(), area, func() bool { return false })
		if err != nil || !stopped {
			return err
		}
	}
}

// call jumps to fn with argument in rdi and returns when it does. A fault is recorded in the
// area at this address; 0: none.
//
// rows is a context with a number of rows, each of which is a call; 0: there is one call.
func call(fn, argument, area, rows uintptr)

// registerAddresses returns addresses of code in registers_amd64.s.
func registerAddresses() (interrupt, resume, findReturn uintptr)
