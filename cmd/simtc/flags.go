package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/hugepages"
	"github.com/simtc/simtc/internal/ndarg"
)

// compileFlags are the flags of all commands that compile.
type compileFlags struct {
	kernel    string
	strategy  simtc.Strategy // without the width
	width     string
	processor string
	defines   []string
	undefs    []string
	include   []string
	std       string
	build     []string

	fastMath, singleConstants bool
	noContract, portable      bool
	verify, json              bool
	stats                     string
	disable, dumpAfter        []string
}

func (c *compileFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&c.kernel, "kernel", "k", "", "select a `KERNEL`; required if the file has several")
	f.StringVar(&c.strategy.Target, "target", "", "`TARGET`: "+strings.Join(simtc.Targets(), ", ")+"; auto, the default, is avx512 where it runs, else avx2 where that runs, else wasm-simd")
	f.StringVar(&c.strategy.Linearizer, "linearize", "auto", "linearizer: auto, blockip or partial")
	f.StringVar(&c.strategy.Bypass, "bypass", "auto", "where to add bypass branches or full-mask copies: auto, "+strings.Join(simtc.Bypasses(), ", "))
	f.StringVar(&c.strategy.Divergence, "divergence", "auto", "the lanes that do not need the code of others: auto, mask (they idle), defer (expensive regions) or refill (loops)")
	f.StringVar(&c.width, "width", "auto", "number of lanes: auto, 1, 4, 8, 16, 32 or 64")
	f.IntVar(&c.strategy.LoopDepth, "loop-depth", 0, "in nests of loops whose iterations may be lanes, the depth of the loop: 1 for the outermost; 0: auto")
	f.StringVar(&c.strategy.LaneDim, "lane-dim", "auto", "dimension of the range along which lanes lie: auto, 0, 1, 2, or rows (those of a work-group, in launches); emitted code has 0 unless another is given")
	f.StringVar(&c.strategy.Lanes, "lanes", "auto", "meaning of lanes: auto, items (work-items) or iterations (of a loop within one work-item)")
	f.StringVar(&c.strategy.Scalar, "scalar", "auto", "form of one-lane native code: auto, threaded (duplicates an interpreter loop's jump for each operation), switch (keeps one jump) or selects (turns no selects into branches)")
	f.StringVar(&c.strategy.Engine, "engine", "auto", "compiler of the WebAssembly engine: auto, plain (does not optimize) or optimized")
	f.StringVar(&c.processor, "processor", thisProcessor, "use the cost model of `PROCESSOR`: "+strings.Join(simtc.Processors(), ", ")+" (default: the host's)")
	f.StringArrayVarP(&c.defines, "define", "D", nil, "define the macro `NAME[=V]`")
	f.StringArrayVarP(&c.undefs, "undefine", "U", nil, "undefine the macro `NAME`")
	f.StringArrayVarP(&c.include, "include", "I", nil, "search included files in `DIR`")
	f.StringVar(&c.std, "cl-std", "1.2", "`VERSION` of OpenCL C: 1.0, 1.1, 1.2, 2.0 or 3.0")
	f.StringArrayVar(&c.build, "cl-options", nil, "`OPTIONS` as for clBuildProgram; those that begin with -cl-, -w and -Werror may stand alone")
	f.BoolVar(&c.fastMath, "cl-fast-relaxed-math", false, "define __FAST_RELAXED_MATH__, and let loops add floats in another order")
	f.BoolVar(&c.singleConstants, "cl-single-precision-constant", false, "floating constants without suffix are float")
	f.BoolVar(&c.noContract, "no-contract", false, "round a*b+c twice")
	f.BoolVar(&c.portable, "portable", false, "for web pages: modules that are fast and give the same results in every WebAssembly engine; as with --no-contract, a*b+c is rounded twice, so the last bit may differ from other targets' default")
	f.BoolVar(&c.verify, "verify", false, "check the intermediate representations after every pass")
	f.StringSliceVar(&c.disable, "disable", nil, "passes not to run, such as unroll or vector/unroll (see --emit passes)")
	f.StringSliceVar(&c.dumpAfter, "dump-after", nil, "passes after which the intermediate representation is printed to the standard error")
	f.StringVar(&c.stats, "stats", "", "print the effects of the passes and the ABI (effects), time and allocations of the passes (costs), or all")
	f.Lookup("stats").NoOptDefVal = "all"
	f.BoolVar(&c.json, "json", false, "print one JSON object on one line")
}

// completions registers the values of the flags that have a fixed set.
func (c *compileFlags) completions(cmd *cobra.Command) {
	for flag, values := range map[string][]string{
		"target": append([]string{"auto"}, simtc.Targets()...), "linearize": linearizers, "bypass": bypasses, "divergence": divergences, "width": widths, "lanes": lanes, "lane-dim": laneDims, "scalar": scalars, "engine": engines, "processor": simtc.Processors(), "cl-std": standards, "stats": statistics,
	} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
}

var (
	linearizers = append([]string{"auto"}, simtc.Linearizers()...)
	bypasses    = append([]string{"auto"}, simtc.Bypasses()...)
	divergences = append([]string{"auto"}, simtc.Divergences()...)
	widths      = []string{"auto", "1", "4", "8", "16", "32", "64"}
	lanes       = []string{"auto", simtc.Items, simtc.Iterations}
	laneDims    = append([]string{"auto"}, simtc.LaneDims()...)
	scalars     = append([]string{"auto"}, simtc.Scalars()...)
	engines     = append([]string{"auto"}, simtc.Engines()...)
	statistics  = []string{"effects", "costs", "all"}
	standards   = []string{"1.0", "1.1", "1.2", "2.0", "3.0"}
)

// definition is the operand of -D: a macro, optionally with parameters, and its value.
var definition = regexp.MustCompile(`(?s)^[A-Za-z_]\w*(\([^()]*\))?(=.*)?$`)

// thisProcessor is the default of --processor. Tests set it to be independent of the host.
var thisProcessor = ""

// invalid is the error of a flag that has none of the valid values.
func invalid(flag, value string, valid []string) error {
	last := len(valid) - 1
	return usagef("invalid --%s %q: want %s or %s", flag, value, strings.Join(valid[:last], ", "), valid[last])
}

// buildOptions returns the operands of --cl-options and the flags that are build options.
func (c *compileFlags) buildOptions() string {
	words := slices.Clip(c.build)
	for _, name := range c.undefs {
		words = append(words, `-U "`+quoting.Replace(name)+`"`)
	}
	for _, f := range []struct {
		set    bool
		option string
	}{
		{c.fastMath, "-cl-fast-relaxed-math"}, {c.singleConstants, "-cl-single-precision-constant"}, {c.noContract || c.portable, "-ffp-contract=off"},
	} {
		if f.set {
			words = append(words, f.option)
		}
	}
	return strings.Join(words, " ")
}

// quoting escapes the characters that are special between double quotes in build options.
var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// options converts the flags to compiler options.
func (c *compileFlags) options(file string) (simtc.Options, error) {
	if c.strategy.Lanes == "rounds" { // a synonym
		c.strategy.Lanes = simtc.Iterations
	}
	o := simtc.Options{
		Strategy: c.strategy,
		File:     file, Defines: c.defines, IncludeDirs: c.include,
		Std: strings.TrimPrefix(c.std, "CL"), Processor: c.processor, Debug: simtc.Debug{Verify: c.verify, Disable: c.disable, DumpAfter: c.dumpAfter, Measure: c.stats == "all" || c.stats == "costs"},
		BuildOptions: c.buildOptions(),
	}
	for _, d := range c.defines {
		if !definition.MatchString(d) {
			return o, usagef("-D %s: want NAME or NAME=VALUE", d)
		}
	}
	if !slices.Contains(widths, c.width) {
		return o, invalid("width", c.width, widths)
	}
	if c.width != "auto" {
		o.Width, _ = strconv.Atoi(c.width)
	}
	if !slices.Contains(linearizers, c.strategy.Linearizer) {
		return o, invalid("linearize", c.strategy.Linearizer, linearizers)
	}
	if !slices.Contains(bypasses, c.strategy.Bypass) {
		return o, invalid("bypass", c.strategy.Bypass, bypasses)
	}
	if !slices.Contains(divergences, c.strategy.Divergence) {
		return o, invalid("divergence", c.strategy.Divergence, divergences)
	}
	if !slices.Contains(lanes, c.strategy.Lanes) {
		return o, invalid("lanes", c.strategy.Lanes, lanes)
	}
	if !slices.Contains(laneDims, c.strategy.LaneDim) {
		return o, invalid("lane-dim", c.strategy.LaneDim, laneDims)
	}
	if c.strategy.LoopDepth < 0 {
		return o, usagef("invalid --loop-depth %d: want 0 or more", c.strategy.LoopDepth)
	}
	if !slices.Contains(scalars, c.strategy.Scalar) {
		return o, invalid("scalar", c.strategy.Scalar, scalars)
	}
	if c.stats != "" && !slices.Contains(statistics, c.stats) {
		return o, invalid("stats", c.stats, statistics)
	}
	if !slices.Contains(engines, c.strategy.Engine) {
		return o, invalid("engine", c.strategy.Engine, engines)
	}
	if c.strategy.Target == "auto" {
		c.strategy.Target, o.Target = "", ""
	}
	if c.strategy.Target != "" && !slices.Contains(simtc.Targets(), c.strategy.Target) {
		return o, invalid("target", c.strategy.Target, simtc.Targets())
	}
	if c.strategy.Target != "" && o.Width != 0 && simtc.Widths(c.strategy.Target) != nil && !slices.Contains(simtc.Widths(c.strategy.Target), o.Width) {
		return o, usagef("invalid --width %d: target %s supports %v", o.Width, c.strategy.Target, simtc.Widths(c.strategy.Target))
	}
	if c.processor != "" && !slices.Contains(simtc.Processors(), c.processor) {
		return o, invalid("processor", c.processor, simtc.Processors())
	}
	if !slices.Contains(standards, o.Std) {
		return o, invalid("cl-std", c.std, standards)
	}
	return o, nil
}

// The heap is grown in advance for large files, for which page faults took a sixth of the time.
// Compiling needs about heapPerByte bytes of heap per byte of source, at most maxHeap.
const (
	largeFile   = 64 << 10
	heapPerByte = 1000
	maxHeap     = 256 << 20
)

// maxText bounds a program's text in bytes: device files may be endless.
const maxText = 64 << 20

// readText reads a file; "-" is the standard input.
func readText(cmd *cobra.Command, file string) (string, error) {
	from := cmd.InOrStdin()
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, maxText+1))
	if err == nil && len(text) > maxText {
		err = fmt.Errorf("%s: it has more than %d bytes", file, maxText)
	}
	return string(text), err
}

// splitFiles splits off the files from a command's arguments: the first one and the following ones
// that end in .cl. Arguments for kernels contain a colon.
func splitFiles(words []string) (files, rest []string) {
	n := 1
	for n < len(words) && strings.HasSuffix(words[n], ".cl") && !strings.Contains(words[n], ":") {
		n++
	}
	return words[:n], words[n:]
}

// program reads and compiles the files as one program. more, if not nil, sets further options.
func (c *compileFlags) program(cmd *cobra.Command, files []string, more func(*simtc.Options)) (*simtc.Program, error) {
	var sources []simtc.Source
	size := 0
	for _, file := range files {
		name := file
		if file == "-" {
			name = "<stdin>"
		}
		if len(sources) == 0 {
			if _, err := c.options(name); err != nil {
				return nil, err
			}
		}
		text, err := readText(cmd, file)
		if err != nil {
			return nil, err
		}
		sources = append(sources, simtc.Source{File: name, Text: text})
		size += len(text)
	}
	o, err := c.options(sources[0].File)
	if err != nil {
		return nil, err
	}
	o.Sources, o.Debug.Dump = sources[1:], cmd.ErrOrStderr()
	if more != nil {
		more(&o)
	}
	if size >= largeFile {
		hugepages.GrowHeap(min(heapPerByte*size, maxHeap))
	}
	p, err := simtc.Compile(sources[0].Text, o)
	var wrong *simtc.OptionsError
	if errors.As(err, &wrong) {
		return nil, usageError{err}
	}
	return p, err
}

// pick returns the kernel that the command line selects.
func (c *compileFlags) pick(p *simtc.Program) (*simtc.Kernel, error) {
	k, err := p.Kernel(c.kernel)
	if err != nil && c.kernel == "" && len(p.Kernels()) > 0 {
		return nil, usagef("%w with -k", err)
	}
	return k, err
}

// printPassCosts prints the costs of the passes over a kernel.
func printPassCosts(w io.Writer, k *simtc.Kernel) {
	costs := k.PassCosts()
	if len(costs) == 0 {
		return
	}
	fmt.Fprintf(w, "  %-32s %5s %9s %9s %9s\n", "pass", "runs", "ms", "allocs", "KiB")
	for _, c := range costs {
		fmt.Fprintf(w, "  %-32s %5d %9.3f %9d %9.1f\n", c.Stage+"/"+c.Name, c.Runs, float64(c.Time.Microseconds())/1e3, c.Allocs, float64(c.Bytes)/1024)
	}
}

// printStats prints the statistics that --stats selects: the effects of the passes on a kernel and
// its ABI, and the costs of the passes.
func (c *compileFlags) printStats(cmd *cobra.Command, k *simtc.Kernel) error {
	if err := c.printEffects(cmd, k, k.Name()); err != nil {
		return err
	}
	printPassCosts(cmd.ErrOrStderr(), k)
	return nil
}

// printEffects prints the effects of the passes on a kernel and its ABI below a title.
func (c *compileFlags) printEffects(cmd *cobra.Command, k *simtc.Kernel, title string) error {
	stats, err := k.Stats()
	if err != nil {
		return err
	}
	abi, err := k.ABI()
	if err != nil {
		return err
	}
	for field, n := range abi {
		stats["abi "+field] = n
	}
	names := make([]string, 0, len(stats))
	for n := range stats {
		names = append(names, n)
	}
	slices.Sort(names)
	fmt.Fprintf(cmd.ErrOrStderr(), "kernel %s\n", title)
	if c.stats == "costs" {
		names = nil
	}
	for _, n := range names {
		fmt.Fprintf(cmd.ErrOrStderr(), "  %-32s %d\n", n, stats[n])
	}
	return nil
}

// rangeFlags are the flags of commands that launch.
type rangeFlags struct {
	global, local, offset string
	threads               int
	strict, emulate       bool
	timeout               time.Duration
}

func (r *rangeFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&r.global, "global", "g", "", "global size `X[,Y[,Z]]` in work-items")
	f.StringVarP(&r.local, "local", "l", "", "work-group size `X[,Y[,Z]]` (default: chosen by the launch)")
	f.StringVar(&r.offset, "offset", "", "global offset `X[,Y[,Z]]`")
	f.IntVar(&r.threads, "threads", 0, "number of threads, at most "+strconv.Itoa(simtc.MaxThreads)+" (default: one per core)")
	f.BoolVar(&r.strict, "strict-barriers", false, "fail if work-items return while others wait at a barrier (check always does)")
	f.BoolVar(&r.emulate, "emulate", false, "run avx512 and avx2 code in an emulator, on any machine but slowly")
	f.DurationVar(&r.timeout, "timeout", 0, "stop launches after this total time, such as 10s, not counting compilation (default: never)")
}

func (r *rangeFlags) ndrange() (simtc.Range, error) {
	if r.global == "" {
		return simtc.Range{}, usagef("give the global size with -g")
	}
	if r.threads < 0 || r.threads > simtc.MaxThreads {
		return simtc.Range{}, usagef("invalid --threads %d: want 0 to %d", r.threads, simtc.MaxThreads)
	}
	if r.timeout < 0 {
		return simtc.Range{}, usagef("invalid --timeout %v: must not be negative", r.timeout)
	}
	g, err := ndarg.ParseDims(r.global)
	if err != nil {
		return simtc.Range{}, usagef("-g: %w", err)
	}
	out := simtc.NDRange(g...)
	if r.local != "" {
		l, err := ndarg.ParseDims(r.local)
		if err != nil {
			return out, usagef("-l: %w", err)
		}
		if d := slices.Index(l, 0); d >= 0 {
			return out, usagef("-l: the local size of dimension %d is 0", d)
		}
		out = out.WithLocal(l...)
	}
	if r.offset != "" {
		o, err := ndarg.ParseDims(r.offset)
		if err != nil {
			return out, usagef("--offset: %w", err)
		}
		out = out.WithOffset(o...)
	}
	return out, nil
}

// tooLate is the cause of a launch that --timeout stopped.
type tooLate time.Duration

// Error includes the time limit.
func (t tooLate) Error() string { return fmt.Sprintf("stopped after %v", time.Duration(t)) }
