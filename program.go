package simtc

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/simtc/simtc/clc"
	"github.com/simtc/simtc/clc/preprocess"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/pipeline"
	"github.com/simtc/simtc/vir"
)

// Program is a program that passed the front end. Its kernels are compiled further on demand.
// Its methods are safe for concurrent use.
type Program struct {
	opt      Options
	dialect  dialect
	choice   pipeline.Choice
	pipe     *pipeline.Program
	source   string
	linked   []clc.Source      // the sources, the first of which is source
	own      []*dialect        // by source; nil: dialect
	sources  map[string]string // texts by file, for messages
	includes []Inclusion
	kernels  []*Kernel

	variables *launch.Variables // nil if the program has none
	logs      launch.PrintfBuffers
	printing  sync.Mutex // held by a launch that writes its output
	closed    atomic.Bool
}

// dialect has the options of the front end for a source.
type dialect struct {
	language clc.Options // without Include and Kernels
	dirs     []string    // for included files
	include  func(name, from string, angled bool) (path, text string, err error)
}

// Inclusion is a file that a program included: the name in #include, the file that has the
// directive, the form <name>, and the file found.
type Inclusion struct {
	Name, From string
	Angled     bool
	Path, Text string
}

// Includes lists the inclusions of the program in their order.
func (p *Program) Includes() []Inclusion { return slices.Clone(p.includes) }

// VariableBytes returns the size in bytes of the program's variables in global memory, which
// keep their values between launches.
func (p *Program) VariableBytes() int { return p.variables.Size() }

// complete fills in defaults, validates the options, and returns their strategy.
func (o *Options) complete() (way pipeline.Choice, err error) {
	if o.Target == "" && o.Emulate {
		o.Target = Targets()[slices.IndexFunc(Targets(), IsNative)]
	}
	way, err = o.Strategy.Choose()
	if err != nil {
		return way, err
	}
	if o.Threads < 0 || o.Threads > MaxThreads {
		return way, fmt.Errorf("invalid number of threads %d: want 0 to %d", o.Threads, MaxThreads)
	}
	if o.PrintfBytes < 0 || o.PrintfBytes > launch.MaxPrintf {
		return way, fmt.Errorf("invalid printf buffer of %d bytes: want 0 to %d", o.PrintfBytes, launch.MaxPrintf)
	}
	if err := o.Debug.Check(); err != nil {
		return way, err
	}
	if o.Processor, err = pipeline.ProcessorByName(o.Processor); err != nil {
		return way, err
	}
	if o.File == "" {
		o.File = "kernel.cl"
	}
	return way, nil
}

// Compile checks a program and lowers it to kernel IR. The error is a *CompileError if the
// program is invalid, and an *OptionsError if options are.
func Compile(source string, opt Options) (*Program, error) {
	choice, err := opt.complete()
	if err != nil {
		return nil, &OptionsError{err.Error(), err}
	}
	language, dirs, err := opt.language()
	if err != nil {
		return nil, &OptionsError{err.Error(), err}
	}
	text, err := textOf(source)
	p := &Program{opt: opt, dialect: dialect{language, dirs, opt.Include}, choice: choice, source: text, sources: map[string]string{opt.File: text}}
	if err != nil {
		return nil, p.compileError(diag.Errorf(diag.Pos{File: opt.File}, "%w", err))
	}
	if err := p.link(); err != nil {
		return nil, err
	}
	in := &includer{headers: opt.Headers, sources: p.sources}
	module, err := p.lower(opt.Kernels, in)
	p.includes = in.found
	if err != nil {
		err = p.compileError(err)
		var wrong *CompileError
		if errors.As(err, &wrong) && wrong.Diagnostics[0].File == preprocess.CommandFile {
			d := wrong.Diagnostics[0]
			return nil, &OptionsError{fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Message), err}
		}
		return nil, err
	}
	for _, f := range module.Funcs {
		if strings.HasPrefix(f.Name, vir.SymbolPrefix) {
			return nil, p.compileError(diag.Errorf(f.Pos, "kernel '%s': names that begin with %s are reserved", f.Name, vir.SymbolPrefix))
		}
		err := pipeline.CheckSubGroup(f.Name, f.ReqdSubGroupSize)
		if n := f.ReqdWorkGroupSize; err == nil && n != [3]int{} {
			if _, err = launch.Of(uint64(n[0]), uint64(n[1]), uint64(n[2])).Resolve(n); err != nil {
				err = fmt.Errorf("kernel %s: %w", f.Name, err)
			}
		}
		if err != nil {
			return nil, p.compileError(diag.Errorf(f.Pos, "%v", err))
		}
	}
	p.variables = launch.NewVariables(module.Data)
	p.pipe = p.pipeline(module)
	for _, k := range p.pipe.Kernels(choice) {
		if opt.Checked {
			k = k.Checked()
		}
		p.kernels = append(p.kernels, &Kernel{k, p, opt.printf(), opt.Threads})
	}
	return p, nil
}

// pipeline returns the program for the stages after the front end.
func (p *Program) pipeline(m *kernel.Module) *pipeline.Program {
	o := &p.opt
	return &pipeline.Program{
		Settings: pipeline.Settings{
			File: o.File, IsIR: o.isIR(), Processor: o.Processor, NoTuning: o.NoTuning, NoAlias: o.NoAlias, RelaxedSIMD: o.RelaxedSIMD,
			OutOfBoundsReads: o.OutOfBoundsReads, StrictBarriers: o.StrictBarriers, Emulate: o.Emulate, MaxSteps: o.MaxSteps, Debug: o.Debug,
		},
		Module: m,
		Lower: func(name string) (*kernel.Module, error) {
			return p.lower([]string{name}, &includer{headers: p.opt.Headers, sources: map[string]string{}})
		},
		Syntax: p.syntax, Source: p.Source, Located: p.compileError,
	}
}

// link collects the sources that make up the program.
func (p *Program) link() error {
	p.linked = []clc.Source{{File: p.opt.File, Text: p.source}}
	p.own = make([]*dialect, 1+len(p.opt.Sources))
	for i, s := range p.opt.Sources {
		if p.opt.isIR() || strings.HasSuffix(s.File, ".simt") {
			text := fmt.Sprintf("%s and %s: kernel IR is not linked with other sources", p.opt.File, s.File)
			return &OptionsError{text, errors.New(text)}
		}
		if _, taken := p.sources[s.File]; taken || s.File == "" {
			text := fmt.Sprintf("sources need distinct names: %q is empty or used twice", s.File)
			return &OptionsError{text, errors.New(text)}
		}
		text, err := textOf(s.Text)
		p.sources[s.File] = text
		if err != nil {
			return p.compileError(diag.Errorf(diag.Pos{File: s.File}, "%w", err))
		}
		p.linked = append(p.linked, clc.Source{File: s.File, Text: text})
		if s.BuildOptions != "" || s.Include != nil {
			own := p.dialect
			own.language.Defines, own.dirs = slices.Clip(own.language.Defines), slices.Clip(own.dirs)
			if err := parseBuildOptions(s.BuildOptions, &own.language, &own.dirs); err != nil {
				return &OptionsError{err.Error(), err}
			}
			if s.Include != nil {
				own.include = s.Include
			}
			p.own[1+i] = &own
		}
	}
	return nil
}

// lower runs the front end, which includes files by in. Every call returns new kernels.
func (p *Program) lower(kernels []string, in *includer) (_ *kernel.Module, err error) {
	defer pipeline.Guard(&err)
	if p.opt.isIR() {
		m, err := kernel.Parse(p.opt.File, p.source)
		if err != nil || len(kernels) == 0 {
			return m, err
		}
		var funcs []*kernel.Func
		for _, f := range m.Funcs {
			for _, k := range kernels {
				if f.Name == k {
					funcs = append(funcs, f)
				}
			}
		}
		for _, k := range kernels {
			if !slices.ContainsFunc(funcs, func(f *kernel.Func) bool { return f.Name == k }) {
				return nil, diag.Errorf(diag.Pos{File: p.opt.File}, "there is no kernel '%s'", k)
			}
		}
		m.Funcs = funcs
		return m, nil
	}
	sources, opt := p.frontEnd(in)
	opt.Kernels = kernels
	m, err := clc.CompileAll(sources, opt)
	if err == nil && p.opt.Debug.KeepOrder {
		for _, f := range m.Funcs {
			f.Reassociate = false
		}
	}
	return m, err
}

// frontEnd returns the sources, with options where they differ from those of the program, and
// the latter.
func (p *Program) frontEnd(in *includer) ([]clc.Source, clc.Options) {
	sources := slices.Clone(p.linked)
	for i, own := range p.own {
		if own != nil {
			o := own.options(in)
			sources[i].Options = &o
		}
	}
	opt := p.dialect.options(in)
	opt.Library = p.opt.Library
	return sources, opt
}

func (d *dialect) options(in *includer) clc.Options {
	own := *in
	own.replacement, own.dirs = d.include, d.dirs
	opt := d.language
	opt.Include = func(name, from string, angled bool) (path, text string, err error) {
		path, text, err = own.find(name, from, angled)
		if err == nil {
			in.found = append(in.found, Inclusion{name, from, angled, path, text})
		}
		return path, text, err
	}
	return opt
}

// includePaths lists the candidate paths of an included file.
func includePaths(name, from string, angled bool, dirs []string) []string {
	if filepath.IsAbs(name) {
		return []string{name}
	}
	var paths []string
	if !angled {
		paths = append(paths, path.Join(path.Dir(filepath.ToSlash(from)), name))
	}
	for _, d := range dirs {
		paths = append(paths, path.Join(filepath.ToSlash(d), name))
	}
	return paths
}

// Kernels returns the kernels in the order of the source.
func (p *Program) Kernels() []*Kernel { return append([]*Kernel(nil), p.kernels...) }

// Kernel returns the kernel with the given name. "" stands for the only kernel of a program.
func (p *Program) Kernel(name string) (*Kernel, error) {
	var names []string
	for _, k := range p.kernels {
		if k.Name() == name || name == "" && len(p.kernels) == 1 {
			return k, nil
		}
		names = append(names, k.Name())
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no kernel", p.opt.File)
	}
	if name == "" {
		return nil, fmt.Errorf("%s has several kernels (%s): select one", p.opt.File, strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("%s has no kernel %q; it has %s", p.opt.File, name, strings.Join(names, ", "))
}

// Reset restores the initial values of the program's variables. It waits for launches that use
// them, unless ctx ends first.
//
// Variables, including static variables of functions, exist once per Program, for all strategies
// of its kernels, and keep their values between launches. Launches of kernels that use variables
// wait for each other. Pointers in variables to variables or constants of the program stay valid;
// pointers to buffers are valid during one launch.
func (p *Program) Reset(ctx context.Context) error {
	if p.variables == nil {
		return nil
	}
	return p.variables.Reset(ctx)
}

// Target returns the name of the program's target.
func (p *Program) Target() string { return p.choice.Target() }

// ErrClosed is returned by operations on a closed Program.
var ErrClosed = errors.New("the program is closed")

// Close frees the code of the kernels and all memory from Alloc. The garbage collector also frees
// the code of programs that are not closed, but not memory from Alloc. requires: no launch is
// running. Afterwards Launch, Profile, Build and Alloc fail with ErrClosed; methods that only
// report about the program and its kernels still work.
func (p *Program) Close() error {
	if p.closed.Swap(true) {
		return nil
	}
	var errs []error
	for _, k := range p.kernels {
		errs = append(errs, k.k.Close())
	}
	return errors.Join(append(errs, p.pipe.Close())...)
}
