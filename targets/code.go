package targets

import (
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/pass"
	"github.com/simtc/simtc/targets/mach/regalloc"
	"github.com/simtc/simtc/targets/wasm-simd/wasm"
	"github.com/simtc/simtc/targets/x86/emulate"
	"github.com/simtc/simtc/vir"
)

// Code is the code of a function. To be run by launches, it implements Native or Module.
type Code interface {
	// ABI describes the calling convention.
	ABI() vir.ABI
	// AddStats adds the statistics of code generation.
	AddStats(pass.Stats)
	// Spills lists the spill code in loops.
	Spills() []regalloc.Spill
	// Differs reports whether another form of one-lane code would differ from this, which is of
	// the default form.
	Differs(form string) bool
}

// Unreported has the methods of Code for which there is nothing to report.
type Unreported struct{}

func (Unreported) AddStats(pass.Stats)      {}
func (Unreported) Spills() []regalloc.Spill { return nil }
func (Unreported) Differs(string) bool      { return false }

// Native is machine code, which runs on the host's processor or in an emulator.
type Native interface {
	Code
	Image() Image
	Emulation() (*emulate.Program, error)
}

// Image is position-independent machine code without relocations.
type Image struct {
	Text       []byte
	Entry      int                       // offset of the function
	Level      int                       // x86-64 level
	VNNI       bool                      // it requires AVX512_VNNI as well
	SpillBytes int                       // bytes of the spill area below the private memory
	At         func(offset int) diag.Pos // source position of the code at an offset
	Places     *diag.Places              // positions by the lines of emulated instructions
}

// Module is code that becomes a module once the WebAssembly engine is known.
type Module interface {
	Code
	// Module returns a module of the function, and the positions that its line marks number. It
	// returns a *LimitError for code that exceeds a limit.
	Module(e Engine) (*wasm.Module, *diag.Places, error)
}

// Engine describes a WebAssembly engine.
type Engine struct {
	Threads   bool // it has threads, and so shared memory
	FusedMadd bool // its relaxed multiply-add rounds once
	Yields    bool // code calls the host whenever it tests the stop flag
}

// LimitError is the error of code that exceeds a limit, as code for fewer lanes might not.
type LimitError struct {
	Func string
	Err  error
}

// Error returns the message of Err.
func (e *LimitError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *LimitError) Unwrap() error { return e.Err }

// Forms of one-lane code, by how much they rely on branch prediction. The fastest depends
// more on the data than on the kernel. Threaded usually is; launches try the others if
// one-lane code is the fastest strategy and the forms differ.
const (
	// Threaded duplicates an interpreter loop's indirect jump at the end of each operation, and
	// turns selects that steer a loop into branches.
	Threaded = "threaded"
	// Switch keeps a single indirect jump. It is better if the next operation is unpredictable,
	// as with many different short programs.
	Switch = "switch"
	// Selects does not turn selects into branches.
	Selects = "selects"
)

// Forms lists the forms, the default first.
func Forms() []string { return []string{Threaded, Switch, Selects} }
