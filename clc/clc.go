// Package clc compiles OpenCL C to kernel IR: it preprocesses, parses, checks and lowers
// a program, and provides its environment: macros, extensions and built-in functions.
//
// It is independent of the further compilation and the execution of kernel IR.
package clc

import (
	"github.com/simtc/simtc/builtins"
	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/check"
	"github.com/simtc/simtc/clc/features"
	"github.com/simtc/simtc/clc/lower"
	"github.com/simtc/simtc/clc/parse"
	"github.com/simtc/simtc/clc/preprocess"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// Options are the build options of a program.
type Options struct {
	// Defines and Undefs are macros in the form of the options -D ("NAME", "NAME=VALUE")
	// and -U.
	Defines []string
	Undefs  []string
	// Include returns the file of an #include: name is as written in the file from, and
	// angled reports <name>. If Include is nil, every #include is an error.
	Include func(name, from string, angled bool) (path, text string, err error)
	// Std is the version of OpenCL C: "1.0", "1.1", "1.2" (also ""), "2.0", "3.0".
	Std string
	// NoContract turns floating-point contraction off by default: a*b + c is rounded
	// twice. Pragmas override it.
	NoContract bool
	// SinglePrecisionConstant makes floating constants without suffix float.
	SinglePrecisionConstant bool
	// FastMath defines __FAST_RELAXED_MATH__.
	FastMath bool
	// Reassociate allows floating-point operations to be reassociated unless a pragma forbids it.
	Reassociate bool
	// Kernels are the names of the kernels to compile; empty means all.
	Kernels []string
	// Library checks sources that will be linked with others: functions that are called need no
	// body, and nothing is lowered.
	Library bool
	// WarningsAreErrors turns warnings into errors; NoWarnings suppresses them.
	WarningsAreErrors, NoWarnings bool
}

// Source is the text of a file.
type Source struct {
	File, Text string
	Options    *Options // of this file's language; nil: those of the program
}

// Compile compiles the text of one OpenCL C file to kernel IR: see CompileAll.
func Compile(file, text string, opt Options) (*kernel.Module, error) {
	return CompileAll([]Source{{File: file, Text: text}}, opt)
}

// CompileAll compiles OpenCL C files, which form one program, to kernel IR. The error is
// a *diag.List whose positions are in the files, in included files, in "<built-in>" or in
// "<command line>".
func CompileAll(sources []Source, opt Options) (*kernel.Module, error) {
	var errs diag.List
	f := Check(sources, opt, &errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	m := &kernel.Module{}
	if !opt.Library {
		m = lower.Program(f, lower.Options{Kernels: opt.Kernels}, &errs)
	}
	switch {
	case opt.NoWarnings:
	case opt.WarningsAreErrors:
		errs.PromoteWarnings()
		fallthrough
	default:
		m.Warnings = errs.Warnings()
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return m, nil
}

// Check runs the stages before lowering and returns the typed tree of the program. The
// tree is complete only if nothing was added to errs.
func Check(sources []Source, opt Options, errs *diag.List) *ast.File {
	files := make([]*ast.File, len(sources))
	for i, s := range sources {
		of := opt
		if s.Options != nil {
			of = *s.Options
		}
		files[i] = checkFile(s.File, s.Text, of, errs)
	}
	if errs.Len() > 0 {
		return files[0]
	}
	return check.Link(files, builtins.Library{}, opt.Library, errs)
}

// checkFile runs the stages that process one file at a time.
func checkFile(file, text string, opt Options, errs *diag.List) *ast.File {
	before := errs.Len()
	defines := append(features.Macros(opt.Std), environment...)
	generic := features.Has(features.GenericAddressSpace, opt.Std)
	extensions := map[string]bool{}
	for _, e := range features.Extensions {
		extensions[e.Name] = true
	}
	if opt.FastMath {
		defines = append(defines, "__FAST_RELAXED_MATH__=1")
	}
	toks := preprocess.Run(file, text, preprocess.Options{
		Environment: defines, Defines: opt.Defines, Undefs: opt.Undefs, Include: opt.Include, Std: opt.Std,
	}, errs)
	f := parse.File(toks, parse.Options{NoContract: opt.NoContract, Reassociate: opt.Reassociate, Generic: generic, Extensions: extensions}, errs)
	if errs.Len() > before {
		return f
	}
	check.File(f, check.Options{
		SinglePrecisionConstant: opt.SinglePrecisionConstant,
		GenericPointers:         generic,
		GlobalVariables:         features.Has(features.GlobalVariables, opt.Std),
	}, builtins.Library{}, errs)
	return f
}
