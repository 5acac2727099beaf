package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/simtc/simtc"
	"github.com/simtc/simtc/internal/diag"
)

// output is the standard output. It keeps the first error, as most output functions do not return
// one.
type output struct {
	to  io.Writer
	err error
}

// Write writes b unless an earlier write failed.
func (o *output) Write(b []byte) (n int, err error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err = o.to.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	o.err = err
	return n, err
}

// isTerminal reports whether w is a character device.
func isTerminal(w io.Writer) bool {
	if o, ok := w.(*output); ok {
		w = o.to
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// reported is the error of a command that has already reported it in its output.
type reported struct{ error }

// Unwrap returns the wrapped error.
func (r reported) Unwrap() error { return r.error }

// report writes an error in the usual form of compilers, "file:line:col: error: message", or
// "simtc: error: message" without a location.
func report(w io.Writer, err error) {
	io.WriteString(w, detailOf(err))
}

// detailOf returns the text of report.
func detailOf(err error) string {
	var options *simtc.OptionsError
	var wrong *simtc.CompileError
	if errors.As(err, &wrong) {
		if errors.As(err, &options) { // consequential errors of a wrong macro are left out
			d := wrong.Diagnostics[0]
			return fmt.Sprintf("%s:%d:%d: %s: %s\n", d.File, d.Line, d.Column, diag.SeverityError, d.Message)
		}
		return wrong.Detail()
	}
	var fault *simtc.Fault
	if errors.As(err, &fault) && fault.Line > 0 {
		return fault.Detail()
	}
	if why := stopped(err); why != nil {
		var launch *simtc.Stopped
		if errors.As(err, &launch) {
			copied := *launch
			copied.Message = why.Error()
			if copied.Line > 0 {
				return copied.Detail()
			}
			why = &copied
		}
		err = why
	}
	return fmt.Sprintf("simtc: %s: %v\n", diag.SeverityError, err)
}

// stopped returns the reason why a command was stopped, nil if it was not.
func stopped(err error) error {
	var late tooLate
	var signalled stopSignal
	on := ""
	var variant *onVariant
	if errors.As(err, &variant) {
		on = " on " + variant.name
	}
	switch {
	case errors.As(err, &signalled):
		return errors.New(signalled.Error() + on)
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted" + on)
	case errors.As(err, &late):
		return errors.New(late.Error() + on)
	}
	return nil
}

// onVariant is the error of a kernel with the name of its variant.
type onVariant struct {
	name string
	error
}

// Unwrap returns the wrapped error.
func (e *onVariant) Unwrap() error { return e.error }

// message is a diagnostic in JSON. Messages without a location have no file.
type message struct {
	Severity string `json:"severity"` // error, warning or note
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Message  string `json:"message"`
}

func messageAt(p diag.Pos, severity, text string) message {
	return message{severity, p.File, p.Line, p.Col, text}
}

// errorReport is the JSON output of a command that failed.
type errorReport struct {
	Error       string    `json:"error"` // all errors, one per line
	Diagnostics []message `json:"diagnostics"`
	Printf      string    `json:"printf,omitempty"` // the kernel's output before its launch failed
}

// printedError is the error of a launch that printed.
type printedError struct {
	error
	printed string
}

// Unwrap returns the wrapped error.
func (e *printedError) Unwrap() error { return e.error }

// reportJSON writes the object of a failed command if its output is JSON and it has not written
// one.
func reportJSON(cmd *cobra.Command, err error) {
	var done reported
	if asJSON, e := cmd.Flags().GetBool("json"); e != nil || !asJSON || errors.As(err, &done) || errors.Is(err, silent) {
		return
	}
	out := errorReport{Error: err.Error(), Diagnostics: messagesOf(err)}
	var printed *printedError
	if errors.As(err, &printed) {
		out.Printf = printed.printed
	}
	_ = json.NewEncoder(cmd.OutOrStdout()).Encode(out) // output keeps its error
}

// messagesOf lists the messages of an error, each error followed by its notes.
func messagesOf(err error) []message {
	var list *diag.List
	var one *diag.Error
	var fault *simtc.Fault
	var stop *simtc.Stopped
	var errs []*diag.Error
	var options *simtc.OptionsError
	switch {
	case errors.As(err, &list):
		errs = list.Errors()
	case errors.As(err, &one):
		errs = []*diag.Error{one}
	case errors.As(err, &fault):
		return []message{{diag.SeverityError, fault.File, fault.Line, fault.Column, "kernel " + fault.Kernel + ": " + fault.Message}}
	case errors.As(err, &stop):
		return []message{{diag.SeverityError, stop.File, stop.Line, stop.Column, "kernel " + stop.Kernel + ": " + stopped(err).Error()}}
	default:
		return []message{{Severity: diag.SeverityError, Message: err.Error()}}
	}
	if errors.As(err, &options) {
		errs = errs[:1]
	}
	var out []message
	for _, e := range errs {
		out = append(out, messageAt(e.Pos, diag.SeverityError, e.Msg))
		for _, n := range e.Notes {
			out = append(out, messageAt(n.Pos, diag.SeverityNote, n.Msg))
		}
	}
	return out
}

// warner writes each warning once, to the standard error.
type warner struct {
	cmd     *cobra.Command
	program *simtc.Program
	warned  []simtc.Diagnostic
	outputs []message // for JSON
}

// newWarner returns a warner that has written the warnings about a program's source.
func newWarner(cmd *cobra.Command, p *simtc.Program) *warner {
	w := &warner{cmd: cmd, program: p}
	w.write(p.Warnings())
	return w
}

// about writes the warnings about a kernel.
func (w *warner) about(k *simtc.Kernel) { w.write(k.Warnings()) }

func (w *warner) write(warnings []simtc.Diagnostic) {
	for _, d := range warnings {
		if slices.Contains(w.warned, d) {
			continue
		}
		w.warned = append(w.warned, d)
		w.outputs = append(w.outputs, message{diag.SeverityWarning, d.File, d.Line, d.Column, d.Message})
		io.WriteString(w.cmd.ErrOrStderr(), w.program.FormatWarning(d))
	}
}

// warnf writes a warning without a location.
func (w *warner) warnf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.outputs = append(w.outputs, message{Severity: diag.SeverityWarning, Message: text})
	fmt.Fprintf(w.cmd.ErrOrStderr(), "simtc: %s: %s\n", diag.SeverityWarning, text)
}
