// Package wasmhost is the interface between a launch and the WebAssembly engine that runs
// its code: compile a module, create a memory, bind instances to it and call them, several
// at once if the memory is shared.
//
// The engines are in packages wasmtimehost (cgo) and wazerohost (pure Go); package
// defaulthost selects one. This package must be free of knowledge of both and of the code's
// purpose.
package wasmhost

import (
	"errors"
	"fmt"

	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// Host is an engine. Its methods are safe for concurrent use.
type Host interface {
	// Name is the engine's name, "wasmtime" or "wazero".
	Name() string

	// Features returns the supported proposals beyond WebAssembly 2.0.
	Features() wasm.Features

	// Yields reports whether code runs on the stack of a goroutine, where it cannot be
	// preempted. The garbage collector, and with it the whole program, then waits for the
	// code, so every loop must regularly call the import host.yield, of type () -> (),
	// which only such hosts provide.
	Yields() bool

	// Compile validates and compiles a module. It may import one memory,
	// env.memory, and host.yield if the host yields.
	Compile(code []byte) (Module, error)

	// NewMemory creates a zeroed memory for modules that import one with the same Shared
	// flag, a minimum of at most t.Min and a maximum of at least t.Max. It reserves address
	// space for the maximum; if there is not enough, the error wraps ErrNoRoom, and a
	// smaller maximum may succeed.
	NewMemory(t MemoryType) (Memory, error)
}

// ErrNoRoom is wrapped by errors of memories that do not fit in the address space, as on
// 32-bit systems or under a limit such as "ulimit -v".
var ErrNoRoom = errors.New("no room in the address space of the process")

// ErrTooLarge is wrapped by errors of modules with a function that exceeds a limit of the engine's compiler.
var ErrTooLarge = errors.New("a function is too large for the engine")

// Optimizer is a Host with an optimizing compiler as an alternative.
type Optimizer interface {
	Host

	// Optimize is Compile with the engine's own optimizations. They take longer and often
	// slow down optimized code, because they move operations to their first uses, duplicate
	// some, and extend live ranges. Scalar code that mostly loads and stores gains, because
	// the address of the memory is not reloaded for each access.
	Optimize(code []byte) (Module, error)
}

// MemoryType is the type of a memory. Sizes are in pages of wasm.PageSize bytes.
type MemoryType struct {
	Min, Max uint32 // Max 0: equal to Min
	Shared   bool   // several instances may use it concurrently
}

// Module is compiled code, safe for concurrent use.
type Module interface {
	// Instantiate binds the module to a memory. Instances over an unshared
	// memory must not run at the same time.
	Instantiate(m Memory) (Instance, error)

	// Close frees the code. requires: no instance of it is used afterwards.
	Close() error
}

// Memory is a linear memory. It stays at its address for its lifetime.
type Memory interface {
	// Bytes returns the whole memory at its current size. A slice from before Grow stays
	// valid for its part. It must not be used after Close.
	Bytes() []byte

	// Grow makes the memory at least the given number of pages long. It fails beyond the
	// maximum. requires: no instance of an unshared memory is running.
	Grow(pages uint32) error

	// StoreUint32 atomically writes an aligned 32-bit word. It may be called while code
	// runs, to set its stop flag.
	StoreUint32(addr, value uint32) error

	// Close frees the memory. requires: its instances are closed.
	Close() error
}

// Instance is a module bound to a memory. It and its functions may be used by one goroutine
// at a time.
type Instance interface {
	// Func returns an exported function of type (i32) -> ().
	Func(name string) (Func, error)

	// Close frees the instance.
	Close() error
}

// Func is a function of an instance.
type Func interface {
	// Call runs the function until it returns. A trap is a *Trap.
	Call(arg uint32) error
}

// TrapKind is the cause of a trap.
type TrapKind uint8

const (
	TrapOther TrapKind = iota
	TrapOutOfBounds
	TrapUnreachable
	TrapMisaligned // atomic access at a misaligned address
	TrapDivideByZero
	TrapIntegerOverflow
	TrapBadConversion
	TrapStackOverflow
)

var trapTexts = [...]string{
	TrapOther:           "trap",
	TrapOutOfBounds:     "out of bounds memory access",
	TrapUnreachable:     "unreachable code reached",
	TrapMisaligned:      "misaligned atomic access",
	TrapDivideByZero:    "integer divided by zero",
	TrapIntegerOverflow: "integer overflow",
	TrapBadConversion:   "invalid conversion to an integer",
	TrapStackOverflow:   "stack overflow",
}

// String describes the cause.
func (k TrapKind) String() string { return trapTexts[k] }

// Trap is the error of code that trapped.
type Trap struct {
	Kind   TrapKind
	Func   string // name of the innermost function, from the name section, or ""
	Offset uint32 // of the instruction in the encoded module; 0: unknown (see wasm.LineMark)
	Detail string // the engine's message if Kind is TrapOther
}

// Error names the reason and the function.
func (t *Trap) Error() string {
	s := t.Kind.String()
	if t.Kind == TrapOther && t.Detail != "" {
		s = t.Detail
	}
	if t.Func != "" {
		s += " in " + t.Func
	}
	return s
}

// Line returns the source line of the trap, 0 if unknown. marks are those of
// wasm.Module.EncodeLines.
func (t *Trap) Line(marks []wasm.LineMark) uint32 {
	line := uint32(0)
	if t.Offset == 0 {
		return 0
	}
	for _, m := range marks {
		if m.Offset > t.Offset {
			break
		}
		line = m.Line
	}
	return line
}

// Check returns an error for types that no host supports.
func (t MemoryType) Check() error {
	if t.Min > wasm.MaxPages || t.Max > wasm.MaxPages {
		return fmt.Errorf("wasm memory of %d pages exceeds the maximum of %d", max(t.Min, t.Max), wasm.MaxPages)
	}
	if t.Max != 0 && t.Max < t.Min {
		return fmt.Errorf("wasm memory maximum of %d pages below its minimum of %d", t.Max, t.Min)
	}
	return nil
}

// Maximum returns the maximum in pages.
func (t MemoryType) Maximum() uint32 {
	return max(t.Min, t.Max)
}

// Exporter encodes a module that defines a memory of type t and exports it as "memory", for
// engines that create shared memory only by instantiation.
func (t MemoryType) Exporter() []byte {
	m := wasm.Module{Memory: &wasm.Memory{
		Export: "memory", Min: t.Min, Max: t.Maximum(), HasMax: true, Shared: t.Shared,
	}}
	return m.Encode()
}
