package simtc

import (
	"io"
	"os"
	"strings"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/pipeline"
)

// MaxThreads bounds Options.Threads.
const MaxThreads = 1024

// MaxBuffer bounds a buffer, an image and the output of printf, and MaxLocal the local memory of
// a work-group, in bytes.
const (
	MaxBuffer = launch.MaxBuffer
	MaxLocal  = kernel.MaxLocal
)

// The bounds of a Range, in work-items. The bound of one dimension is 2^31.
const (
	MaxRange = launch.MaxRange // of a range: 2^48
	MaxGroup = launch.MaxGroup // of a work-group: 65536
)

// Source is the text of a file. File is its name in messages and the base of #include.
type Source struct {
	File, Text string
	// BuildOptions add to those of the program for this source; Include, if set, replaces
	// the program's.
	BuildOptions string
	Include      func(name, from string, angled bool) (path, text string, err error)
}

// Options configures Compile. The zero value compiles for the best target of the host.
type Options struct {
	// File is the source's name in messages. The extension .simt marks kernel IR in text
	// form instead of OpenCL C.
	File string

	// Sources are further OpenCL C sources, linked with the first: a declaration in one refers
	// to the function or variable that another defines. Each is preprocessed separately, with
	// the same options.
	Sources []Source

	// Defines are macros as for -D: "NAME" or "NAME=VALUE".
	Defines []string

	// IncludeDirs are the directories that #include searches after that of the including
	// file. Include, if set, replaces the search: it is called with the name as written, the
	// including file, and whether the form was <name>, and returns the path and text of the
	// file.
	IncludeDirs []string
	Include     func(name, from string, angled bool) (path, text string, err error)
	// Headers are texts by the names with which #include may name them. They come before the
	// search.
	Headers map[string]string

	// Std is the version of OpenCL C: "1.0", "1.1", "1.2" (default), "2.0" or "3.0",
	// optionally with the prefix "CL".
	Std string

	// BuildOptions are options in the syntax of clBuildProgram (OpenCL 1.2 §5.6.4), which add
	// to Defines and IncludeDirs and override Std. Options without effect on results are
	// ignored. The others are:
	//
	//	-D NAME[=VALUE], -U NAME     define a macro, or undefine it
	//	-I DIR                       search a directory for included files
	//	-cl-std=CL2.0                the version of OpenCL C
	//	-cl-single-precision-constant  floating constants without suffix are float
	//	-cl-fast-relaxed-math        define __FAST_RELAXED_MATH__; loops may add floats in
	//	                             another order, so that their iterations can be lanes
	//	-cl-unsafe-math-optimizations  the latter without the macro
	//	-ffp-contract=off            a*b + c rounds twice unless a pragma allows contraction;
	//	                             by default it is one fused operation
	//	-Werror, -w                  turn warnings into errors, or suppress them
	BuildOptions string

	// Library makes a program that is to be linked with others, as by clCompileProgram: Compile
	// only checks the sources, in which functions may lack a body. The program has no kernels.
	Library bool

	// Kernels restricts the compilation to the named kernels; empty means all.
	Kernels []string

	// Strategy selects how kernels are compiled. The compiler chooses the fields that are left
	// at their zero values. The default Target, also named "auto", is AVX512 where it can run,
	// else AVX2 where that can, else WASM.
	Strategy

	// Processor names the processor whose instruction costs the cost model uses: Zen4, Zen5,
	// GoldenCove, Zen3 or Gracemont. The default is the host's, or Zen4 if the host is unknown. It affects the
	// choice of strategy, gather sequences and tile sizes, never results.
	Processor string

	// NoTuning makes launches run the strategy that the plan chose. Otherwise, if the strategy
	// is left to the compiler, launches also try the plan's close candidates and continue with
	// the fastest. All candidates give the same results.
	NoTuning bool

	// NoAlias promises that buffers passed for different parameters do not overlap when code
	// from Emit is called. Launch checks this itself and ignores the option.
	NoAlias bool

	// RelaxedSIMD lets emitted WebAssembly use the relaxed multiply-add, which gives correct
	// results in engines where it rounds once. Launch uses it where the engine is known to.
	RelaxedSIMD bool

	// Printf receives the output of kernels; nil is the standard output. It is written when a
	// launch ends, also if it fails, ordered by work-group, then by work-item, whatever the
	// strategy. Launches of a program write one at a time.
	Printf io.Writer
	// PrintfBytes bounds the output of a launch, in bytes of arguments plus 16 per call. The
	// maximum is 2^31 - 2^24; 0 means 16 MiB. Output beyond it is lost, and the last line
	// reports the loss.
	PrintfBytes int

	// Threads is the number of threads of a launch, at most MaxThreads; 0 means one per core.
	Threads int
	// Debug has options for those who examine or change the compiler.
	Debug Debug
	// Checked makes launches test every access that is not provably inside its buffer, object
	// or variable. An access outside is not executed; it ends the launch with a *Fault that
	// names the memory, the index, the work-item and the location. See docs/checks.md. Code
	// from Emit has no tests, because its callers pass no sizes.
	Checked bool
	// OutOfBoundsReads lets launches begin although a read is certain to be out of bounds: OpenCL
	// programs read past the end of buffers where the value does not matter. Such a read is undefined
	// unless Checked is set; if its memory cannot be read, it ends the launch with a *Fault.
	OutOfBoundsReads bool
	// StrictBarriers makes it an error if work-items of a group return while others wait at a
	// barrier, which OpenCL C leaves undefined; by default the waiting ones continue. Waiting
	// at different barriers is always an error.
	StrictBarriers bool
	// MaxSteps bounds the operations that the interpreters execute per work-item (Interpreter)
	// or run of work-items (VIR), and the instructions with Emulate. 0 is no bound.
	MaxSteps uint64
	// Emulate runs machine code, of which AVX-512 becomes the default target, in an emulator, on any
	// machine, on one core and slowly.
	Emulate bool
}

// Debug has options for those who examine or change the compiler.
type Debug = pipeline.Debug

func (o *Options) printf() io.Writer {
	if o.Printf == nil {
		return os.Stdout
	}
	return o.Printf
}

func (o *Options) isIR() bool { return strings.HasSuffix(o.File, ".simt") }

// Range is the NDRange of a launch.
type Range = launch.Range

// NDRange returns a range over one to three global sizes. The methods WithLocal and
// WithOffset refine it. If a size is 0, a launch only checks its arguments.
func NDRange(global ...uint64) Range { return launch.Of(global...) }

// Arg is an explicit argument for Launch; most arguments are plain Go values.
type Arg = launch.Arg

// Bytes returns the argument for a value of any type, given by its bytes in memory.
func Bytes(b []byte) Arg { return launch.Bytes(b) }

// Buffer returns the argument for a pointer of any type to b. A nil slice is a null pointer;
// other empty slices are not.
func Buffer(b []byte) Arg { return launch.Buffer(b) }

// LocalMemory returns the argument for a pointer to n bytes of local memory.
func LocalMemory(n int) Arg { return launch.LocalMemory(n) }
