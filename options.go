package simtc

import (
	"io"
	"os"
	"strings"

	"github.com/simtc/simtc/launch"
)

// The targets. The last two run the intermediate representations as they are;
// they are slow, work everywhere and are what the others are checked against.
const (
	AVX512      = "avx512"    // native code; linux/amd64 with AVX-512 F, BW, DQ, VL, CD
	WASM        = "wasm-simd" // WebAssembly with 128-bit vectors, in wasmtime or wazero
	VIR         = "vir"       // interprets the masked vector IR
	Interpreter = "interp"    // interprets the kernel IR, one work-item after the other
)

// MaxThreads bounds Options.Threads.
const MaxThreads = 1024

// The bounds of a Range, in work-items. More in one dimension than 2^31 is an error as well.
const (
	MaxRange = launch.MaxRange // in all: 2^48
	MaxGroup = launch.MaxGroup // of a work-group: 65536
)

// Source is the text of a file. File is its name in messages, and where #include looks from.
type Source struct{ File, Text string }

// Options of Compile. The zero value compiles for the best target here.
type Options struct {
	// File is the source's name in messages. The extension .simt says that the
	// source is kernel IR in text form, not OpenCL C.
	File string

	// Sources are further sources in OpenCL C, which are linked with the first: functions and
	// variables that one declares and another defines are the same. Each is preprocessed
	// by itself, with the same options.
	Sources []Source

	// Defines and Undefs are macros as after -D ("NAME", "NAME=VALUE") and -U.
	Defines []string
	Undefs  []string

	// IncludeDirs are the folders in which #include looks, after that of the
	// including file. Include, if set, replaces the search: it gets the name
	// as written, the including file, and whether the form was <name>, and
	// returns the found file's path and text.
	IncludeDirs []string
	Include     func(name, from string, angled bool) (path, text string, err error)

	// Std is the version of OpenCL C: "1.0", "1.1", "1.2" (also ""), "2.0", "3.0"; each may
	// begin with "CL".
	Std string

	// BuildOptions are options written as for clBuildProgram, "-D N=4 -I inc
	// -cl-std=CL2.0 -cl-mad-enable", which add to the fields above and below.
	BuildOptions string

	// NoContract rounds a*b + c twice where no pragma says otherwise; usually
	// it is one fused operation.
	NoContract bool
	// SinglePrecisionConstant makes floating constants without suffix float.
	SinglePrecisionConstant bool
	// FastMath defines __FAST_RELAXED_MATH__. Results do not change.
	FastMath bool

	// WarningsAreErrors makes errors of warnings about the source, as -Werror does.
	// NoWarnings leaves them out, as -w does, and comes first.
	WarningsAreErrors, NoWarnings bool

	// Kernels limits the compilation to some kernels; none means all.
	Kernels []string

	// Target is where Launch runs kernels and what Emit shows: AVX512, WASM,
	// VIR or Interpreter. "" is AVX512 where it can run, else WASM. With AVX2 alone, code
	// for AVX512 of Width 1 runs: launches make it for such processors. With ""
	// as Target they try it, too, and no engine bounds its accesses then.
	Target string
	// Linearize chooses how control flow is made uniform: Partial, BlockIP, or
	// "auto" (also ""), which leaves it to the compiler.
	Linearize string
	// Bypass chooses what is done where no lane needs a region or none is missing:
	// BypassZeros or another, or "auto" (also "").
	Bypass string
	// Width is how many lanes run together; 0 lets the compiler choose.
	Width int
	// Lanes chooses what the lanes are: Items, Rounds, or "auto" (also ""), see Way.
	Lanes string
	// Scalar chooses how code of one lane goes on: Threaded, Switch, Selects, or "auto"
	// (also ""), see Way.
	Scalar string

	// Engine chooses what an engine of WebAssembly does with the code: Plain, Optimized, or
	// "auto" (also ""), see Way.
	Engine string

	// Processor is that whose costs decide what is left to the compiler: Zen4, Zen5 or
	// GoldenCove. "" is the one this runs on, or Zen4 if its costs are not known. Code
	// that is asked for in some way is the same for all, but for how elements are gathered
	// and rows tiled, and what memory is asked for ahead.
	Processor string

	// NoTuning makes launches run what the plan chose. Else, where all of it is left
	// to the compiler, launches also try other candidates that the plan
	// thinks are close, and go on with the one they find fastest. All give the
	// same results.
	NoTuning bool

	// Apart says that the buffers of several arguments share no memory wherever
	// code that Emit makes will be called. Launch looks at them by itself.
	Apart bool

	// RelaxedSIMD lets emitted WebAssembly use the relaxed multiply-add, which
	// gives the right results in engines where it rounds once. Modules that
	// Launch runs use it where the engine is known to.
	RelaxedSIMD bool

	// Printf is where kernels print to; nil is the standard output. It is written
	// to when a launch ends, also when it fails: all lines in the order of
	// work-groups, within one of work-items, whatever runs them. Of a program's launches
	// one at a time writes.
	Printf io.Writer
	// PrintfBytes is how much a launch can print, in bytes of arguments and
	// 16 for each call, at most 2^31 - 2^24; 0 is 16 MiB. What does not fit is lost,
	// which the last line of the output says.
	PrintfBytes int

	// Threads is how many threads a launch uses, at most MaxThreads; 0 means one for each
	// core.
	Threads int
	// Verify checks the intermediate representations after every pass.
	Verify bool
	// Checked makes launches test every access that is not certain to lie in the buffer, the
	// object or the variable that it is meant for. An access outside is not made; it ends the
	// launch with a *Fault that names the memory, the index, the work-item and the place. See
	// docs/checks.md. Code that Emit writes has no tests: its callers pass no sizes.
	Checked bool
	// StrictBarriers makes it an error if work-items of a group return while
	// others wait at a barrier, which OpenCL C leaves undefined; else those that
	// wait go on without them. Waiting at different barriers is always an error.
	StrictBarriers bool
	// MaxSteps bounds what the interpreters execute: operations for each
	// work-item (Interpreter) or run of work-items (VIR), or instructions with
	// Emulate. 0 is no bound.
	MaxSteps uint64
	// Emulate runs code for AVX-512, which is then what "" as Target means, by an
	// emulator of its instructions, on any machine, on one core and slowly.
	Emulate bool
}

func (o *Options) printf() io.Writer {
	if o.Printf == nil {
		return os.Stdout
	}
	return o.Printf
}

func (o *Options) isIR() bool { return strings.HasSuffix(o.File, ".simt") }

// Range says which work-items a launch runs.
type Range = launch.Range

// NDRange returns a range over the given global sizes, one to three. The
// methods WithLocal and WithOffset refine it. Where a size is 0, a launch only checks its
// arguments.
func NDRange(global ...uint64) Range { return launch.Of(global...) }

// Arg is an argument for Launch in an explicit form; most arguments are plain
// Go values.
type Arg = launch.Arg

// Bytes is the argument for a value of any type, given as it lies in memory.
func Bytes(b []byte) Arg { return launch.Bytes(b) }

// Buffer is the argument for a pointer to b, whatever the pointer's type. nil
// is a null pointer, other slices without bytes are not.
func Buffer(b []byte) Arg { return launch.Buffer(b) }

// LocalMemory is the argument for a pointer to n bytes of local memory.
func LocalMemory(n int) Arg { return launch.LocalMemory(n) }
