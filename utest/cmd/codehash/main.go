// Codehash prints a hash of the code that the compiler emits for each kernel file at
// each width, with each linearizer, and the strategy that the plan chooses. A change that
// should not affect code leaves its output unchanged:
//
//	go run ./utest/cmd/codehash > before.txt
//	go run ./utest/cmd/codehash | diff before.txt -
package main

import (
	"bufio"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/utest/runfile"
)

// defaultFiles are the kernels of the end-to-end tests, the benchmark and the examples.
var defaultFiles = []string{"utest/kernels/*.cl", "utest/bench/kernels/*.cl", "examples/*.cl"}

// outputs lists the emitted forms that are hashed, by target.
var outputs = []struct{ target, kind string }{{simtc.AVX512, "obj"}, {simtc.WASM, "wasm"}}

func main() {
	cpu := pflag.String("processor", simtc.Zen4, "processor whose costs choose the strategy")
	pflag.Parse()
	files := pflag.Args()
	if len(files) == 0 {
		for _, pattern := range defaultFiles {
			found, err := filepath.Glob(pattern)
			if err != nil || len(found) == 0 {
				fmt.Fprintf(os.Stderr, "codehash: no %s: run it in the root of the repository\n", pattern)
				os.Exit(2)
			}
			files = append(files, found...)
		}
	}
	out := bufio.NewWriter(os.Stdout)
	for _, file := range files {
		if err := hashFile(out, file, *cpu); err != nil {
			fmt.Fprintf(os.Stderr, "codehash: %v\n", err)
			os.Exit(1)
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintf(os.Stderr, "codehash: %v\n", err)
		os.Exit(1)
	}
}

// hashFile prints a line for each output of one file. A file is compiled once for each
// set of compiler options among its run lines.
func hashFile(out *bufio.Writer, path, cpu string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := runfile.Parse(path, string(text))
	if err != nil { // without run lines: default options
		file = &runfile.File{Path: path, Source: string(text), Runs: []*runfile.Run{{}}}
	}
	seen := map[string]bool{}
	for _, run := range file.Runs {
		opt, label := options(run)
		if seen[label] {
			continue
		}
		seen[label] = true
		opt.File, opt.Processor = path, cpu
		for _, o := range outputs {
			opt.Target = o.target
			for _, width := range simtc.Widths(o.target) {
				for _, linearizer := range []string{simtc.Partial, simtc.BlockIP} {
					opt.Width, opt.Linearizer = width, linearizer
					fmt.Fprintf(out, "%s%s %s %s x%d %s\n", path, label, o.kind, linearizer, width, hashOf(file.Source, opt, o.kind))
				}
			}
			opt.Width, opt.Linearizer = 0, ""
			if err := printChoices(out, file.Source, opt, path+label); err != nil {
				return err
			}
		}
	}
	return nil
}

// options returns the compiler options of a run line and a label that distinguishes them.
func options(run *runfile.Run) (opt simtc.Options, label string) {
	f := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.ParseErrorsWhitelist.UnknownFlags = true
	f.StringArrayVarP(&opt.Defines, "define", "D", nil, "")
	f.StringVar(&opt.Std, "cl-std", "", "")
	f.StringP("kernel", "k", "", "")
	f.StringP("global", "g", "", "")
	f.StringP("local", "l", "", "")
	f.String("offset", "", "")
	_ = f.Parse(run.Words) // arguments of kernels are not read here
	for _, d := range opt.Defines {
		label += " -D " + d
	}
	if opt.Std != "" {
		label += " --cl-std " + opt.Std
	}
	return opt, label
}

// hashOf returns the FNV-1a hash of an output, or the error that prevents it.
func hashOf(source string, opt simtc.Options, kind string) string {
	p, err := simtc.Compile(source, opt)
	if err != nil {
		return firstLine(err)
	}
	defer p.Close()
	code, err := p.Emit(kind)
	if err != nil {
		return firstLine(err)
	}
	h := fnv.New64a()
	h.Write(code)
	return fmt.Sprintf("%016x", h.Sum64())
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return "error: " + line
}

// printChoices prints the strategy that the plan chooses for each kernel.
func printChoices(out *bufio.Writer, source string, opt simtc.Options, label string) error {
	p, err := simtc.Compile(source, opt)
	if err != nil {
		return err
	}
	defer p.Close()
	for _, k := range p.Kernels() {
		way, err := k.Strategy()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s plan %s: %s\n", label, k.Name(), way)
	}
	return nil
}
