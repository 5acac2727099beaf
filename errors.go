package simtc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/launch"
)

// CompileError is the error of an invalid program. Its text has one message per line,
// "file:line:col: message".
type CompileError struct {
	Diagnostics []Diagnostic
	err         error
	sources     map[string]string
}

// Diagnostic is a message about a location.
type Diagnostic struct {
	File    string `json:"file"`
	Line    int    `json:"line"` // from 1; 0 if unknown
	Column  int    `json:"column"`
	Message string `json:"message"`

	moved *diag.Moved // the location of the text, if #line changes it
}

func diagnosticAt(at diag.Pos, message string) Diagnostic {
	return Diagnostic{File: at.File, Line: at.Line, Column: at.Col, Message: message, moved: at.Moved}
}

// FormatWarning formats a warning about the program for a terminal,
// "file:line:col: warning: message", with the line of the source and a caret.
func (p *Program) FormatWarning(d Diagnostic) string {
	at := diag.Pos{File: d.File, Line: d.Line, Col: d.Column, Moved: d.moved}
	return diag.NewTexts(p.Source).Message(at, diag.SeverityWarning, d.Message)
}

// Error joins the messages.
func (e *CompileError) Error() string { return e.err.Error() }

// Unwrap returns the error of the stage that failed.
func (e *CompileError) Unwrap() error { return e.err }

// Detail formats the messages for a terminal, "file:line:col: error: message", each with
// the offending line and a caret under the column.
func (e *CompileError) Detail() string { return detail(e.err, e.sources) }

func detail(err error, sources map[string]string) string {
	return diag.Render(err, func(file string) (string, bool) {
		text, ok := sources[file]
		return text, ok
	})
}

// OptionsError is the error of Options that are invalid for every program.
type OptionsError struct {
	text string // without consequential errors
	err  error
}

// Error describes the problem.
func (e *OptionsError) Error() string { return e.text }

// Unwrap returns the underlying error, if any.
func (e *OptionsError) Unwrap() error { return e.err }

// compileError converts an error of a stage with locations to a CompileError; other errors are
// returned unchanged.
func (p *Program) compileError(err error) error {
	var list *diag.List
	var one *diag.Error
	var errs []*diag.Error
	switch {
	case errors.As(err, &list):
		errs, err = list.Errors(), list
	case errors.As(err, &one):
		errs, err = []*diag.Error{one}, one
	default:
		return err
	}
	e := &CompileError{err: err, sources: p.sources}
	for _, d := range errs {
		if d.Pos.File == "" {
			d.Pos.File = p.opt.File
		}
		e.Diagnostics = append(e.Diagnostics, diagnosticAt(d.Pos, d.Msg))
	}
	return e
}

// Fault is the error of a launch or a profile whose work-items could not continue: they
// accessed unmapped memory, did not reach the same barrier, or exceeded Options.MaxSteps; or
// would access memory outside of a buffer. The location is usually known. For a write through
// a null pointer that is not an argument, WebAssembly reports only the kernel.
type Fault struct {
	Kernel     string
	Diagnostic // Line and Column are 0 if unknown
	at         diag.Pos
	err        error
	sources    map[string]string
}

// Error returns the kernel, the location if known, and the cause.
func (f *Fault) Error() string { return f.err.Error() }

// Unwrap returns the executor's error.
func (f *Fault) Unwrap() error { return f.err }

// Detail formats the fault for a terminal, as CompileError does.
func (f *Fault) Detail() string {
	return detail(diag.Errorf(f.at, "kernel %s: %s", f.Kernel, f.Message), f.sources)
}

// runError converts a launch.Fault to a Fault.
func (p *Program) runError(err error) error {
	if err == nil {
		return nil
	}
	var f *launch.Fault
	var converted *Fault
	if !errors.As(err, &f) || errors.As(err, &converted) {
		return err
	}
	at := f.Pos
	if !at.IsValid() {
		at = diag.Pos{}
	}
	if at.File == "" {
		at.File = p.opt.File
	}
	return &Fault{f.Kernel, diagnosticAt(at, f.What.Error()), at, err, p.sources}
}

// Stopped is the error of a launch or a profile whose context ended first.
type Stopped struct {
	Kernel     string
	Diagnostic // the location of some work-item; Line and Column are 0 if unknown
	at         diag.Pos
	err        error
	sources    map[string]string
}

// Error returns the kernel, the location if known, and the cause of the context's end.
func (s *Stopped) Error() string {
	if s.Line == 0 {
		return fmt.Sprintf("kernel %s: %s", s.Kernel, s.Message)
	}
	return fmt.Sprintf("kernel %s: %v: %s", s.Kernel, s.at, s.Message)
}

// Unwrap returns the error of the context, with its cause.
func (s *Stopped) Unwrap() error { return s.err }

// Detail formats it for a terminal, as Fault does.
func (s *Stopped) Detail() string {
	return detail(diag.Errorf(s.at, "kernel %s: %s", s.Kernel, s.Message), s.sources)
}

// ended converts the error of a launch that the context ended to a Stopped, which wraps the
// context's error and its cause.
func (k *Kernel) ended(ctx context.Context, err error) error {
	why, cause := ctx.Err(), context.Cause(ctx)
	if why == nil || !errors.Is(err, why) && !errors.Is(err, cause) {
		return err
	}
	s := &Stopped{Kernel: k.Name(), err: cause, sources: k.prog.sources}
	if !errors.Is(cause, why) {
		s.err = fmt.Errorf("%w: %w", why, cause)
	}
	var l *diag.Located
	if errors.As(err, &l) {
		s.at = l.Pos
	}
	if s.at.File == "" {
		s.at.File = k.prog.opt.File
	}
	s.Diagnostic = diagnosticAt(s.at, s.err.Error())
	return s
}

// includer finds included files and keeps their texts for messages.
type includer struct {
	headers     map[string]string                                                   // Options.Headers
	replacement func(name, from string, angled bool) (path, text string, err error) // Options.Include
	dirs        []string
	sources     map[string]string
	found       []Inclusion
}

func (in *includer) find(name, from string, angled bool) (path, text string, err error) {
	find := in.replacement
	if find == nil {
		find = in.search
	}
	if header, ok := in.headers[name]; ok {
		path, text = name, header
	} else {
		path, text, err = find(name, from, angled)
	}
	if err == nil {
		text, err = textOf(text)
	}
	if err == nil {
		in.sources[path] = text
	}
	return path, text, err
}

// maxIncludedFile bounds an included file in bytes: device files may be endless.
const maxIncludedFile = 64 << 20

func readIncluded(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", cmp.Or(err, errors.New("it is not a regular file"))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxIncludedFile+1))
	if err == nil && len(b) > maxIncludedFile {
		err = fmt.Errorf("it has more than %d bytes", maxIncludedFile)
	}
	return string(b), err
}

// search looks in the directory of the including file, unless the form was <name>, and then in
// the include directories.
func (in *includer) search(name, from string, angled bool) (path, text string, err error) {
	for _, path := range includePaths(name, from, angled, in.dirs) {
		text, err := readIncluded(path)
		if err == nil {
			return path, text, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return "", "", err
		}
	}
	return "", "", errors.New("no such file in the include path")
}
