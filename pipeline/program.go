package pipeline

import (
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
)

// Settings apply to all kernels of a program and all their strategies.
type Settings struct {
	File string // the program's name in messages
	IsIR bool   // the program was written as kernel IR

	Processor        string // whose costs the plan uses: see ProcessorByName
	NoTuning         bool   // launches run the plan's choice
	NoAlias          bool   // callers of emitted code pass buffers that do not overlap
	RelaxedSIMD      bool   // emitted WebAssembly may use the relaxed multiply-add
	OutOfBoundsReads bool   // reads that are certain to be out of bounds do not fail launches
	StrictBarriers   bool   // work-items that return while others wait at a barrier are an error
	Emulate          bool   // machine code runs in the emulator
	MaxSteps         uint64 // bounds the operations of interpreters and the emulator; 0: no bound

	Debug Debug
}

// Debug has options for those who examine or change the compiler. Names of passes are those of
// Passes: "unroll", or "vector/unroll" for the pass of one stage.
type Debug struct {
	// Verify checks the intermediate representation after every pass.
	Verify bool
	// Disable names passes that do not run. Required passes cannot be disabled.
	Disable []string
	// DumpAfter names passes after which the intermediate representation is written to Dump, or
	// to the standard error if that is nil.
	DumpAfter []string
	Dump      io.Writer
	// KeepOrder keeps the order of operations on floats where the program permits another, so that
	// the results of all strategies can be compared.
	KeepOrder bool
	// EmulateMissing runs machine code in the emulator if the processor lacks its instructions.
	EmulateMissing bool
	// Measure measures the passes: see Kernel.PassCosts.
	Measure bool
}

// Program is a program that passed the front end.
type Program struct {
	Settings
	Module *kernel.Module
	// Lower runs the front end again for one kernel: passes modify that of Module.
	Lower func(kernel string) (*kernel.Module, error)
	// Syntax returns the printed syntax tree.
	Syntax func() ([]byte, error)
	// Source returns the text of a file of the program, if known.
	Source func(file string) (text string, ok bool)
	// Located converts the error of a stage, which may have locations, to that of callers.
	Located func(error) error

	large bool // more than largeProgram operations

	memoryOnce sync.Once
	memory     *launch.EngineMemory

	dumping sync.Mutex
}

// largeProgram is the operation count, of all kernels as lowered, above which planning is
// abbreviated. The kernels of a file usually have a few thousand operations.
const largeProgram = 8000

// Kernels returns the program's kernels with the given strategy.
func (p *Program) Kernels(c Choice) []*Kernel {
	ops := 0
	for _, f := range p.Module.Funcs {
		ops += f.NumValues()
	}
	p.large = ops > largeProgram
	var out []*Kernel
	for i, f := range p.Module.Funcs {
		out = append(out, newKernel(p, f, i, c))
	}
	return out
}

// EngineMemory returns the memory of the WebAssembly engine in which buffers of the program may
// lie. It is created on first use: not all programs need an engine.
func (p *Program) EngineMemory() *launch.EngineMemory {
	p.memoryOnce.Do(func() {
		host := engine()
		p.memory = launch.NewEngineMemory(host, hasThreads(host))
	})
	return p.memory
}

// Close frees the memory of the engine. requires: the kernels are closed.
func (p *Program) Close() error {
	if p.memory == nil {
		return nil
	}
	return p.memory.Close()
}

// dump writes the text of an intermediate representation.
func (p *Program) dump(text string) {
	p.dumping.Lock()
	defer p.dumping.Unlock()
	to := p.Debug.Dump
	if to == nil {
		to = os.Stderr
	}
	fmt.Fprint(to, text)
}

// Guard turns a panic, which is a bug of the compiler, into an error: a program that compiles
// untrusted sources must not crash.
func Guard(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("internal compiler error: %v", fault)
	}
}
