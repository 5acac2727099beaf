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

// compileFlags are the flags of every command that compiles.
type compileFlags struct {
	kernel    string
	target    string
	linearize string
	bypass    string
	width     string
	lanes     string
	scalar    string
	engine    string
	processor string
	defines   []string
	undefs    []string
	include   []string
	std       string
	build     []string

	fastMath, singleConstants bool
	noContract, portable      bool
	verify, stats, json       bool
}

func (c *compileFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&c.kernel, "kernel", "k", "", "the `KERNEL`; needed if the file has several")
	f.StringVar(&c.target, "target", "", "`TARGET`: "+strings.Join(simtc.Targets(), ", ")+" (default: avx512 where it runs, else wasm-simd, or avx512 of width 1 where launches find that faster)")
	f.StringVar(&c.linearize, "linearize", "auto", "how control flow is made uniform: auto, blockip or partial")
	f.StringVar(&c.bypass, "bypass", "auto", "what has a way past it, or code of its own: auto, "+strings.Join(simtc.Bypasses(), ", "))
	f.StringVar(&c.width, "width", "auto", "work-items that run together: auto, 1, 4, 8, 16, 32 or 64")
	f.StringVar(&c.lanes, "lanes", "auto", "what runs together: auto, items (work-items) or iterations (of loops of one work-item)")
	f.StringVar(&c.scalar, "scalar", "auto", "how avx512 code of one work-item goes on: auto, threaded (an interpreter's jumps at each operation), switch (in one place) or selects (no branches for selects)")
	f.StringVar(&c.engine, "engine", "auto", "what an engine of WebAssembly does with the code: auto, plain (translates it) or optimized (optimizes it again)")
	f.StringVar(&c.processor, "processor", thisProcessor, "the `PROCESSOR` whose costs decide what is left to the compiler: "+strings.Join(simtc.Processors(), ", ")+" (default: the one this runs on)")
	f.StringArrayVarP(&c.defines, "define", "D", nil, "define the macro `NAME[=V]`")
	f.StringArrayVarP(&c.undefs, "undefine", "U", nil, "undefine the macro `NAME`")
	f.StringArrayVarP(&c.include, "include", "I", nil, "look for included files in `DIR`")
	f.StringVar(&c.std, "cl-std", "1.2", "`VERSION` of OpenCL C: 1.0, 1.1, 1.2, 2.0 or 3.0")
	f.StringArrayVar(&c.build, "cl-options", nil, "`OPTIONS` as for clBuildProgram; those that begin with -cl-, -w and -Werror may stand alone")
	f.BoolVar(&c.fastMath, "cl-fast-relaxed-math", false, "define __FAST_RELAXED_MATH__; results do not change")
	f.BoolVar(&c.singleConstants, "cl-single-precision-constant", false, "floating constants without suffix are float")
	f.BoolVar(&c.noContract, "no-contract", false, "round a*b+c twice")
	f.BoolVar(&c.portable, "portable", false, "for web pages: modules that are fast and give the same results in every engine of WebAssembly; as with --no-contract, a*b+c is rounded twice, so the last bit may differ from other targets' default")
	f.BoolVar(&c.verify, "verify", false, "check the intermediate code after every pass")
	f.BoolVar(&c.stats, "stats", false, "print what the passes did and how the code is called, to the standard error")
	f.BoolVar(&c.json, "json", false, "print one JSON object on one line")
}

// completions offers values for the flags that take one of a few.
func (c *compileFlags) completions(cmd *cobra.Command) {
	for flag, values := range map[string][]string{
		"target": simtc.Targets(), "linearize": linearizers, "bypass": bypasses, "width": widths, "lanes": lanes, "scalar": scalars, "engine": engines, "processor": simtc.Processors(), "cl-std": standards,
	} {
		cobra.CheckErr(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)))
	}
}

var (
	linearizers = append([]string{"auto"}, simtc.Linearizers()...)
	bypasses    = append([]string{"auto"}, simtc.Bypasses()...)
	widths      = []string{"auto", "1", "4", "8", "16", "32", "64"}
	lanes       = []string{"auto", simtc.Items, iterations}
	scalars     = append([]string{"auto"}, simtc.Scalars()...)
	engines     = append([]string{"auto"}, simtc.Engines()...)
	standards   = []string{"1.0", "1.1", "1.2", "2.0", "3.0"}
)

// iterations is the value of --lanes for simtc.Rounds, whose own name is taken as well.
const iterations = "iterations"

// definition is what -D takes: a macro, perhaps with parameters, and its value.
var definition = regexp.MustCompile(`(?s)^[A-Za-z_]\w*(\([^()]*\))?(=.*)?$`)

// thisProcessor is the one that commands choose for unless they are told another.
// Tests set it, to choose the same wherever they run.
var thisProcessor = ""

// options turns the flags into compiler options.
func (c *compileFlags) options(file string) (simtc.Options, error) {
	if c.lanes == iterations {
		c.lanes = simtc.Rounds
	}
	o := simtc.Options{
		File: file, Defines: c.defines, Undefs: c.undefs, IncludeDirs: c.include, Linearize: c.linearize, Bypass: c.bypass, Lanes: c.lanes, Scalar: c.scalar, Engine: c.engine,
		Std: strings.TrimPrefix(c.std, "CL"), Target: c.target, Processor: c.processor, Verify: c.verify,
		BuildOptions: strings.Join(c.build, " "), FastMath: c.fastMath, SinglePrecisionConstant: c.singleConstants, NoContract: c.noContract || c.portable,
	}
	for _, d := range c.defines {
		if !definition.MatchString(d) {
			return o, usagef("-D %s: want NAME or NAME=VALUE", d)
		}
	}
	if !slices.Contains(widths, c.width) {
		return o, usagef("unknown width %q; there are %s", c.width, strings.Join(widths, ", "))
	}
	if c.width != "auto" {
		o.Width, _ = strconv.Atoi(c.width)
	}
	if !slices.Contains(linearizers, c.linearize) {
		return o, usagef("unknown linearizer %q; there are %s", c.linearize, strings.Join(linearizers, ", "))
	}
	if !slices.Contains(bypasses, c.bypass) {
		return o, usagef("unknown bypass %q; there are %s", c.bypass, strings.Join(bypasses, ", "))
	}
	if c.lanes != simtc.Rounds && !slices.Contains(lanes, c.lanes) {
		return o, usagef("unknown lanes %q; there are %s", c.lanes, strings.Join(lanes, ", "))
	}
	if !slices.Contains(scalars, c.scalar) {
		return o, usagef("unknown scalar code %q; there are %s", c.scalar, strings.Join(scalars, ", "))
	}
	if !slices.Contains(engines, c.engine) {
		return o, usagef("unknown engine code %q; there are %s", c.engine, strings.Join(engines, ", "))
	}
	if c.target != "" && !slices.Contains(simtc.Targets(), c.target) {
		return o, usagef("unknown target %q; there are %s", c.target, strings.Join(simtc.Targets(), ", "))
	}
	if c.target != "" && o.Width != 0 && simtc.Widths(c.target) != nil && !slices.Contains(simtc.Widths(c.target), o.Width) {
		return o, usagef("target %s has no width %d; it has %v", c.target, o.Width, simtc.Widths(c.target))
	}
	if c.processor != "" && !slices.Contains(simtc.Processors(), c.processor) {
		return o, usagef("unknown processor %q; there are %s", c.processor, strings.Join(simtc.Processors(), ", "))
	}
	if !slices.Contains(standards, o.Std) {
		return o, usagef("unknown version %q of OpenCL C; there are %s", c.std, strings.Join(standards, ", "))
	}
	return o, nil
}

// Compiling takes some heapPerByte bytes of memory for each of the text. Of a
// large file's time a sixth went into getting them a small page at a time.
const (
	largeFile   = 64 << 10
	heapPerByte = 1000
	mostHeap    = 256 << 20
)

// mostText bounds a program's text, in bytes: some files that are none never end.
const mostText = 64 << 20

// readText reads the file; "-" is the standard input.
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
	text, err := io.ReadAll(io.LimitReader(from, mostText+1))
	if err == nil && len(text) > mostText {
		err = fmt.Errorf("%s: it has more than %d bytes", file, mostText)
	}
	return string(text), err
}

// splitFiles takes the files from the words of a command: the first, and what follows it
// and is a name that ends in .cl. Arguments for kernels have a colon.
func splitFiles(words []string) (files, rest []string) {
	n := 1
	for n < len(words) && strings.HasSuffix(words[n], ".cl") && !strings.Contains(words[n], ":") {
		n++
	}
	return words[:n], words[n:]
}

// program reads and compiles the files, which make one program. more, if not nil, sets further
// options.
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
	o.Sources = sources[1:]
	if more != nil {
		more(&o)
	}
	if size >= largeFile {
		hugepages.GrowHeap(min(heapPerByte*size, mostHeap))
	}
	p, err := simtc.Compile(sources[0].Text, o)
	var wrong *simtc.OptionsError
	if errors.As(err, &wrong) {
		return nil, usageError{err}
	}
	return p, err
}

// pick finds the kernel the command is about.
func (c *compileFlags) pick(p *simtc.Program) (*simtc.Kernel, error) {
	k, err := p.Kernel(c.kernel)
	if err != nil && c.kernel == "" && len(p.Kernels()) > 0 {
		return nil, usagef("%w with -k", err)
	}
	return k, err
}

// printStats writes what the passes did with a kernel, and how its code is called. way, if
// not "", tells it from the same kernel compiled in other ways.
func printStats(cmd *cobra.Command, k *simtc.Kernel, way string) error {
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
	fmt.Fprintf(cmd.ErrOrStderr(), "kernel %s\n", strings.TrimSuffix(k.Name()+", "+way, ", "))
	for _, n := range names {
		fmt.Fprintf(cmd.ErrOrStderr(), "  %-32s %d\n", n, stats[n])
	}
	return nil
}

// rangeFlags say what to run.
type rangeFlags struct {
	global, local, offset string
	threads               int
	strict, emulate       bool
	timeout               time.Duration
}

func (r *rangeFlags) add(f *pflag.FlagSet) {
	f.StringVarP(&r.global, "global", "g", "", "global size `X[,Y[,Z]]` in work-items")
	f.StringVarP(&r.local, "local", "l", "", "work-group size `X[,Y[,Z]]` (default: chosen)")
	f.StringVar(&r.offset, "offset", "", "global offset `X[,Y[,Z]]`")
	f.IntVar(&r.threads, "threads", 0, "how many threads run work-items, at most "+strconv.Itoa(simtc.MaxThreads)+" (default: one for each core)")
	f.BoolVar(&r.strict, "strict-barriers", false, "fail if work-items return while others wait at a barrier (check always does)")
	f.BoolVar(&r.emulate, "emulate", false, "run avx512 code by an emulator of its instructions: on any machine, but slowly")
	f.DurationVar(&r.timeout, "timeout", 0, "stop launches after this time in all, such as 10s; compiling does not count (default: never)")
}

func (r *rangeFlags) ndrange() (simtc.Range, error) {
	if r.global == "" {
		return simtc.Range{}, usagef("give the global size with -g")
	}
	if r.threads < 0 || r.threads > simtc.MaxThreads {
		return simtc.Range{}, usagef("--threads %d: there may be 0 to %d", r.threads, simtc.MaxThreads)
	}
	if r.timeout < 0 {
		return simtc.Range{}, usagef("--timeout %v: it is in the past", r.timeout)
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

// tooLate is why a launch ended that took as long as --timeout allows.
type tooLate time.Duration

// Error tells how long that is.
func (t tooLate) Error() string { return fmt.Sprintf("stopped after %v", time.Duration(t)) }
