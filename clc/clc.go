// Package clc compiles OpenCL C to kernel IR: it preprocesses, parses, checks
// and lowers, and defines what a program finds around it: macros, extensions
// and built-in functions.
//
// It must not know how kernel IR is compiled further or run.
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

// Options are what a build of a program may set.
type Options struct {
	// Defines and Undefs are macros as after -D ("NAME", "NAME=VALUE") and -U.
	Defines []string
	Undefs  []string
	// Include finds the file of an #include: name as written in the file from,
	// angled for <name>. Nil makes every #include an error.
	Include func(name, from string, angled bool) (path, text string, err error)
	// Std is the version of OpenCL C: "1.0", "1.1", "1.2" (also ""), "2.0", "3.0".
	Std string
	// NoContract turns floating contraction off (a*b + c is rounded twice)
	// where no pragma says otherwise.
	NoContract bool
	// SinglePrecisionConstant makes floating constants without suffix float.
	SinglePrecisionConstant bool
	// FastMath defines __FAST_RELAXED_MATH__; results do not change.
	FastMath bool
	// Kernels are the kernels wanted; none means all.
	Kernels []string
	// WarningsAreErrors makes errors of warnings; NoWarnings leaves them out.
	WarningsAreErrors, NoWarnings bool
}

// Compile turns the text of an OpenCL C file into kernel IR. The error is a
// *diag.List whose positions lie in file, in what it includes, in "<built-in>"
// or in "<command line>".
func Compile(file, text string, opt Options) (*kernel.Module, error) {
	var errs diag.List
	f := Check(file, text, opt, &errs)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	m := lower.Program(f, lower.Options{Kernels: opt.Kernels}, &errs)
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

// Check runs the stages before lowering and returns the typed tree, which is
// complete only if nothing was added to errs.
func Check(file, text string, opt Options, errs *diag.List) *ast.File {
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
	f := parse.File(toks, parse.Options{NoContract: opt.NoContract, Generic: generic, Extensions: extensions}, errs)
	if errs.Len() > 0 {
		return f
	}
	check.Program(f, check.Options{
		SinglePrecisionConstant: opt.SinglePrecisionConstant,
		GenericPointers:         generic,
		GlobalVariables:         features.Has(features.GlobalVariables, opt.Std),
	}, builtins.Library{}, errs)
	return f
}
