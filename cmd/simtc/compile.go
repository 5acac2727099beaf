package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/simtc/simtc"
)

// kindByExtension gives the kind of output for the extension of -o if there is no --emit.
var kindByExtension = map[string]string{
	".simt": "kernel", ".json": "signature", ".vir": "vir", ".s": "asm", ".o": "obj", ".wasm": "wasm", ".wat": "wat", ".dot": "dot", ".gv": "dot",
}

// binary lists the kinds that are not written to a terminal.
var binary = []string{"obj", "wasm"}

func compileCommand() *cobra.Command {
	var c compileFlags
	var remarks remarkFlags
	var out, kind string
	var relaxed, noAlias bool
	var help strings.Builder
	help.WriteString("Compile an OpenCL C file (.cl, or - for the standard input) or kernel IR (.simt) and\nprint one stage of it. Several OpenCL C files are linked into one program:\n\n")
	var kinds []string
	for _, k := range simtc.EmitKinds() {
		kinds = append(kinds, k.Name)
		about := k.About
		if len(k.Targets) > 0 {
			about += " (" + strings.Join(k.Targets, ", ") + ")"
		}
		help.WriteString(entry(k.Name, 11, about))
	}
	help.WriteString("\nWithout --emit, the extension of the output file selects the kind, or without\nan output file the target.\n\n" +
		"With --remarks but neither --emit nor an output file, only remarks are printed;\n" +
		"otherwise they go to the standard error. The kinds of remarks are:\n\n" + remarkHelp())
	cmd := &cobra.Command{
		Use:     "compile FILE...",
		Short:   "Compile a file and print a stage of it",
		Long:    help.String(),
		Example: "  simtc compile kernel.cl --emit vir --width 8\n  simtc compile kernel.cl -o kernel.wasm",
		Args:    fileFirst,
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if err := remarks.check(); err != nil {
				return err
			}
			only := remarks.kinds != "" && kind == "" && out == ""
			if kind == "" {
				var known bool
				if kind, known = kindByExtension[filepath.Ext(out)]; !known && filepath.Ext(out) != "" {
					return usagef("%s: unknown extension %s: want one of %s, or select the kind of output with --emit",
						out, filepath.Ext(out), strings.Join(slices.Sorted(maps.Keys(kindByExtension)), ", "))
				}
			} else if !slices.Contains(kinds, kind) {
				return invalid("emit", kind, kinds)
			}
			if isCode(kind) && c.strategy.Target != "" && !slices.Contains(targetsOfKind(kind), c.strategy.Target) {
				return usagef("%s is code for target %s, not %s", kind, strings.Join(targetsOfKind(kind), " or "), c.strategy.Target)
			}
			if c.portable && relaxed {
				return usagef("--portable and --relaxed-simd exclude each other")
			}
			began := time.Now()
			p, err := c.program(cmd, args, func(o *simtc.Options) {
				o.RelaxedSIMD, o.NoAlias = relaxed, noAlias
				if o.Target == "" && isCode(kind) {
					o.Target = targetsOfKind(kind)[0]
				}
				if c.kernel != "" {
					o.Kernels = []string{c.kernel}
				}
			})
			if err != nil {
				return err
			}
			defer p.Close()
			warned := newWarner(cmd, p)
			kernels, emit := p.Kernels(), p.Emit
			if c.kernel != "" {
				k, err := p.Kernel(c.kernel)
				if err != nil {
					return err
				}
				kernels, emit = []*simtc.Kernel{k}, k.Emit
			}
			stats := func() error {
				if c.stats == "" {
					return nil
				}
				for _, k := range kernels {
					if err := c.printStats(cmd, k); err != nil {
						return err
					}
				}
				return nil
			}
			if only {
				for _, k := range kernels {
					warned.about(k)
				}
				if err := remarks.output(cmd, p, kernels, c.json); err != nil {
					return err
				}
				return stats()
			}
			if kind == "" {
				kind = simtc.DefaultEmit(p.Target())
			}
			for i, k := range kernels {
				if kernels[i], err = k.Shown(kind); err != nil {
					return err
				}
				warned.about(kernels[i])
			}
			written, err := remarks.print(cmd, p, kernels, c.json)
			if err != nil {
				return err
			}
			text, err := emit(kind)
			if err != nil {
				return err
			}
			elapsed := time.Since(began)
			if err := stats(); err != nil {
				return err
			}
			if out != "" && out != "-" {
				if err := os.WriteFile(out, text, 0o666); err != nil {
					return err
				}
			} else if slices.Contains(binary, kind) && !c.json && isTerminal(cmd.OutOrStdout()) {
				return usagef("%s is binary: give an output file with -o", kind)
			}
			if c.json {
				o := compileReport{File: args[0], Files: args[1:], Kernels: []string{}, Target: p.Target(), Emit: kind, Bytes: len(text), CompileMS: milliseconds(elapsed), Remarks: written, Diagnostics: warned.outputs}
				for _, k := range kernels {
					o.Kernels = append(o.Kernels, k.Name())
				}
				if isCode(kind) {
					if o.ABI, err = abiOf(kernels); err != nil {
						return err
					}
				}
				switch {
				case out != "" && out != "-":
					o.Output = out
				case kind == "signature":
					o.Signature = text
				case !slices.Contains(binary, kind):
					o.Text = string(text)
				}
				return json.NewEncoder(cmd.OutOrStdout()).Encode(o)
			}
			if out == "" || out == "-" {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return err
		}),
	}
	f := cmd.Flags()
	c.add(f)
	remarks.add(f)
	f.StringVarP(&out, "output", "o", "", "write to `FILE`")
	f.StringVar(&kind, "emit", "", "`KIND` of output: "+strings.Join(kinds, ", "))
	f.BoolVar(&noAlias, "noalias", false, "asm, obj, wasm, wat: assume that callers pass buffers that do not overlap (run checks this)")
	f.BoolVar(&noAlias, "apart", false, "")
	_ = f.MarkHidden("apart") // its earlier name
	f.BoolVar(&relaxed, "relaxed-simd", false, "wasm: use the relaxed multiply-add, for engines with relaxed SIMD in which it rounds once")
	c.completions(cmd)
	remarks.completions(cmd)
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("emit", cobra.FixedCompletions(kinds, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// targetsOfKind returns the targets whose code a kind of output shows, none for earlier stages.
func targetsOfKind(kind string) []string {
	for _, k := range simtc.EmitKinds() {
		if k.Name == kind {
			return k.Targets
		}
	}
	return nil
}

// isCode reports whether a kind of output is code of a target.
func isCode(kind string) bool { return len(targetsOfKind(kind)) > 0 }

// abiOf returns the ABI of the kernels' code.
func abiOf(kernels []*simtc.Kernel) (map[string]map[string]int, error) {
	out := map[string]map[string]int{}
	for _, k := range kernels {
		var err error
		if out[k.Name()], err = k.ABI(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// compileReport is the JSON output of compile.
type compileReport struct {
	File      string   `json:"file"`
	Files     []string `json:"linked,omitempty"` // further files
	Kernels   []string `json:"kernels"`
	Target    string   `json:"target"`
	Emit      string   `json:"emit"`
	Bytes     int      `json:"bytes"`
	CompileMS float64  `json:"compile_ms"`
	Output    string   `json:"output,omitempty"`
	Text      string   `json:"text,omitempty"`

	ABI map[string]map[string]int `json:"abi,omitempty"` // by kernel, only for code: see Kernel.ABI

	Remarks []simtc.Remark `json:"remarks,omitempty"`

	Signature   json.RawMessage `json:"signature,omitempty"`   // instead of text
	Diagnostics []message       `json:"diagnostics,omitempty"` // warnings
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }
