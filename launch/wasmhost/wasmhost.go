// Package wasmhost is the contract between a launch and the WebAssembly engine
// that runs its code: compile a module, make a memory, bind instances to it and
// call them, several at once if the memory is shared.
//
// The engines are in packages wasmtimehost (cgo) and wazerohost (pure Go);
// package defaulthost picks one. This package must not know either of them,
// nor what the code computes.
package wasmhost

import (
	"errors"
	"fmt"

	"github.com/simtc/simtc/targets/wasm-simd/wasm"
)

// Host is an engine. Its methods may be called from several goroutines.
type Host interface {
	// Name is the engine's name, "wasmtime" or "wazero".
	Name() string

	// Features gives the proposals beyond WebAssembly 2.0 the engine runs.
	Features() wasm.Features

	// Yields reports whether code runs on the stack of a goroutine, where
	// nothing can interrupt it: then the garbage collector, and with it the
	// whole program, waits for the code, so every loop must now and then call
	// the import host.yield, of type () -> (), which only such hosts have.
	Yields() bool

	// Compile validates and compiles a module. It may import one memory,
	// env.memory, and host.yield if the host yields.
	Compile(code []byte) (Module, error)

	// NewMemory makes a zeroed memory for modules that import one with the
	// same Shared flag, a minimum not above t.Min and a maximum not below
	// t.Max. It reserves address space for the maximum; where there is not as
	// much, the error wraps ErrNoRoom, and a smaller maximum may succeed.
	NewMemory(t MemoryType) (Memory, error)
}

// ErrNoRoom is wrapped by errors of memories that do not fit into the address space, as on
// 32-bit systems or under a limit such as that of "ulimit -v".
var ErrNoRoom = errors.New("no room in the address space of the process")

// Optimizer is a Host that can compile in a second way.
type Optimizer interface {
	Host

	// Optimize is Compile with the optimizations of the engine's own. They take longer, and
	// code that comes optimized often loses by them: operations move to where they are
	// first used, some of them to several places, and more values live at once. Scalar
	// code that does little but load and store gains, as the address of the memory is not
	// loaded for each access.
	Optimize(code []byte) (Module, error)
}

// MemoryType says what a memory is like. Sizes are in pages of
// wasm.PageSize bytes.
type MemoryType struct {
	Min, Max uint32 // Max 0: the same as Min
	Shared   bool   // several instances may run over it at once
}

// Module is compiled code, usable from several goroutines.
type Module interface {
	// Instantiate binds the module to a memory. Instances over an unshared
	// memory must not run at the same time.
	Instantiate(m Memory) (Instance, error)

	// Close frees the code; no instance of it may be used afterwards.
	Close() error
}

// Memory is a linear memory. It stays at its address for its lifetime.
type Memory interface {
	// Bytes is the whole memory as it is now; a slice from before Grow stays
	// good for the part it covers. It must not be used after Close.
	Bytes() []byte

	// Grow makes the memory at least so many pages long. It fails beyond the
	// maximum, and must not be called while an instance of an unshared memory
	// runs.
	Grow(pages uint32) error

	// StoreUint32 writes four bytes at a multiple of four in one access. It
	// may be called while code runs, to tell it to stop.
	StoreUint32(addr, value uint32) error

	// Close frees the memory; its instances must be closed before.
	Close() error
}

// Instance is a module bound to a memory. One goroutine at a time may use it
// and the functions it gives.
type Instance interface {
	// Func finds an exported function of type (i32) -> ().
	Func(name string) (Func, error)

	// Close frees the instance.
	Close() error
}

// Func is a function of an instance.
type Func interface {
	// Call runs the function to its end. A trap is a *Trap.
	Call(arg uint32) error
}

// TrapKind is the reason of a trap.
type TrapKind uint8

const (
	TrapOther TrapKind = iota
	TrapOutOfBounds
	TrapUnreachable
	TrapMisaligned // atomic access at an address that is not a multiple of its size
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

// String says what went wrong.
func (k TrapKind) String() string { return trapTexts[k] }

// Trap is the error of code that was stopped by the engine.
type Trap struct {
	Kind   TrapKind
	Func   string // name of the innermost function, from the name section; may be empty
	Offset uint32 // of the instruction in the encoded module; 0: unknown (see wasm.LineMark)
	Detail string // the engine's words if Kind is TrapOther
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

// Line gives the source line of the trap, 0 if it is not known. The marks are
// those of wasm.Module.EncodeLines.
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

// Check reports in one place what every host must refuse.
func (t MemoryType) Check() error {
	if t.Min > wasm.MaxPages || t.Max > wasm.MaxPages {
		return fmt.Errorf("wasm memory of %d pages, at most %d are possible", max(t.Min, t.Max), wasm.MaxPages)
	}
	if t.Max != 0 && t.Max < t.Min {
		return fmt.Errorf("wasm memory maximum of %d pages below its minimum of %d", t.Max, t.Min)
	}
	return nil
}

// Maximum gives the maximum in pages.
func (t MemoryType) Maximum() uint32 {
	return max(t.Min, t.Max)
}

// Exporter encodes a module that only has and exports a memory of type t, as
// "memory". Engines that make shared memory in no other way instantiate it.
func (t MemoryType) Exporter() []byte {
	m := wasm.Module{Memory: &wasm.Memory{
		Export: "memory", Min: t.Min, Max: t.Maximum(), HasMax: true, Shared: t.Shared,
	}}
	return m.Encode()
}
