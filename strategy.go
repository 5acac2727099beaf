package simtc

import (
	"github.com/simtc/simtc/pipeline"
	"github.com/simtc/simtc/targets"
)

// A Strategy selects how a kernel is compiled. The compiler chooses each field that is left at
// its zero value or "auto"; Target defaults to the kernel's. The fields are independent:
//
//	Target      AVX512, AVX2, WASM, VIR or Interpreter
//	Linearizer  Partial or BlockIP
//	Bypass      a Bypass constant: branches around code that no lane needs, copies for full masks
//	Divergence  Mask, Defer or Refill: what lanes do while others run code that they do not need
//	Width       the number of lanes, an int: see Widths
//	Lanes       Items or Iterations: what a lane is
//	LaneDim     the dimension of the range along which work-items are lanes: "0", "1", "2" or Rows
//	LoopDepth   the depth of the loops whose iterations are lanes, in nests with several: 1 is outermost
//	Scalar      Threaded, Switch or Selects: the form of one-lane code
//	Engine      Plain or Optimized: the compiler of the WebAssembly engine
//
// The method String formats the fields that are set: "avx512 partial x16".
type Strategy = pipeline.Strategy

// The targets. The last two interpret the intermediate representations: they are slow, run
// everywhere, and are the reference for the others.
const (
	AVX2        = pipeline.AVX2        // native code; linux/amd64 with AVX2, FMA, BMI1, BMI2, F16C, LZCNT, MOVBE, POPCNT (x86-64-v3)
	AVX512      = pipeline.AVX512      // native code; linux/amd64 with AVX-512 F, BW, DQ, VL, CD; launches use VNNI if present
	WASM        = pipeline.WASM        // WebAssembly with 128-bit vectors, in wasmtime or wazero
	VIR         = pipeline.VIR         // interprets the masked vector IR
	Interpreter = pipeline.Interpreter // interprets the kernel IR, one work-item at a time
)

// Targets lists the names of all targets.
func Targets() []string { return pipeline.Targets() }

// Available returns the reason why kernels compiled for a target cannot run on this machine; nil
// means they can.
func Available(target string) error { return pipeline.Available(target) }

// IsNative reports whether a target's code is machine code, which Options.Emulate runs in an
// emulator.
func IsNative(target string) bool { return pipeline.IsNative(target) }

// InEngine reports whether a target's code runs in a WebAssembly engine.
func InEngine(target string) bool { return pipeline.InEngine(target) }

// Widths lists the supported widths of a target.
func Widths(target string) []int { return pipeline.Widths(target) }

// The linearizers, which make control flow uniform.
const (
	// BlockIP stores for each lane the number of its next block. It supports any control
	// flow.
	BlockIP = pipeline.BlockIP
	// Partial keeps uniform branches and masks divergent ones. Irreducible control flow of
	// several lanes needs BlockIP.
	Partial = pipeline.Partial
)

// Linearizers lists the names of all linearizers.
func Linearizers() []string { return pipeline.Linearizers() }

// Bypasses: branches around regions that no lane needs, and copies for full masks ("AVR
// Predication", Installing bypasses), beyond the required ones. BlockIP always tests whether
// a lane needs a region.
const (
	BypassNone  = pipeline.BypassNone
	BypassZeros = pipeline.BypassZeros // branches around expensive regions that no lane needs
	BypassOnes  = pipeline.BypassOnes  // unmasked copies of most of the work for full masks
	BypassBoth  = pipeline.BypassBoth  // zeros and ones
	BypassAll   = pipeline.BypassAll   // both, for every region
	// BypassFold is none, with uniform branches folded as well: full linearization, for
	// measurements.
	BypassFold = pipeline.BypassFold
)

// Bypasses lists the choices of bypasses.
func Bypasses() []string { return pipeline.Bypasses() }

// The handling of divergence: of lanes that do not need the code that others run.
const (
	Mask = pipeline.Mask // they idle
	// Defer is for an expensive region that few work-items need: those are deferred until they
	// fill all lanes.
	Defer = pipeline.Defer
	// Refill is for the kernel's most expensive loop: lanes that have exited it take another
	// work-item once few lanes are left in it.
	Refill = pipeline.Refill
)

// Divergences lists the ways to handle divergence.
func Divergences() []string { return pipeline.Divergences() }

// The meaning of lanes.
const (
	Items = pipeline.Items // adjacent work-items
	// Iterations are those of loops within one work-item. The loop's iterations must be
	// independent.
	Iterations = pipeline.Iterations
)

// Rows, as Strategy.LaneDim, means that lanes span the rows of a work-group, along dimensions 0 and 1.
// Its rows must be shorter than the lanes and have a power of two of work-items, all groups the same
// size, and a strip must not exceed a group.
const Rows = pipeline.Rows

// LaneDims lists the dimensions of a range along which lanes may lie, and Rows. A kernel that has
// positions only in dimension 0, or sub-groups, has them along 0.
func LaneDims() []string { return pipeline.LaneDims() }

// Forms of one-lane code, by how much they rely on branch prediction. The fastest depends
// more on the data than on the kernel. Threaded usually is; launches try the others if
// one-lane code is the fastest strategy and the forms differ.
const (
	// Threaded duplicates an interpreter loop's indirect jump at the end of each operation, and
	// turns selects that steer a loop into branches.
	Threaded = targets.Threaded
	// Switch keeps a single indirect jump. It is better if the next operation is unpredictable,
	// as with many different short programs.
	Switch = targets.Switch
	// Selects does not turn selects into branches.
	Selects = targets.Selects
)

// Scalars lists the forms of one-lane code.
func Scalars() []string { return pipeline.Scalars() }

// The compilers of a WebAssembly engine. Which one gives faster code differs from kernel to
// kernel by up to half and cannot be predicted. Launches try the other one for the fastest
// strategy.
const (
	// Plain translates code without optimizations.
	Plain = pipeline.Plain
	// Optimized runs the engine's optimizations.
	Optimized = pipeline.Optimized
)

// Engines lists the compilers of a WebAssembly engine.
func Engines() []string { return pipeline.Engines() }

// Engine returns the name of this build's WebAssembly engine.
func Engine() string { return pipeline.Engine() }

// Processors with known costs. They differ in the costs of vectors, gathers and branch
// mispredictions relative to scalar code, and so in the best strategy.
const (
	Zen4       = targets.Zen4       // AMD, 2022: 512-bit operations take two passes
	Zen5       = targets.Zen5       // AMD, 2024
	GoldenCove = targets.GoldenCove // Intel, 2021, in servers since 2023; also for Raptor Cove
	Zen3       = targets.Zen3       // AMD, 2020: without AVX-512
	Gracemont  = targets.Gracemont  // Intel, 2021, without AVX-512: 256-bit operations take two passes
)

// Processors lists the values of Options.Processor.
func Processors() []string { return pipeline.Processors() }

// Pass describes a pass of the compiler.
type Pass = pipeline.Pass

// Passes lists the passes in the order in which a kernel goes through them. A pass may run
// several times.
func Passes() []Pass { return pipeline.Passes() }
