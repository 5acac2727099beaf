// Package diag defines source positions and the errors that refer to them.
//
// Every stage that reads text (OpenCL C, kernel IR, vector IR) reports invalid input as a
// diag.List. No stage prints, and none panics on any input.
package diag

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pos is a position in a source file. Line and Col count from 1, Col in bytes; Col 0
// means that only the line is known. The zero Pos means that the position is unknown.
type Pos struct {
	File string
	Line int
	Col  int
	// Moved is the physical position of the text if a #line changes it; otherwise nil.
	Moved *Moved
	// Later reports that control has already passed this position when it reaches the
	// code: it is set for code from a macro or built-in function in all blocks but the
	// first.
	Later bool
	// Added reports that the compiler added the code to the source's code at this
	// position: its execution does not mean that the line executes.
	Added bool
	// Made reports that the code has no equivalent in the source: a pass created it and
	// reports on it at this position.
	Made bool
}

// Plain returns p without the properties other than the position.
func (p Pos) Plain() Pos {
	p.Later, p.Added, p.Made = false, false, false
	return p
}

// Moved is the difference between a position given by #line and the physical one.
type Moved struct {
	File string
	Down int // added to Pos.Line to obtain the physical line
}

// Written returns the physical file and line of the text at p.
func (p Pos) Written() (file string, line int) {
	if p.Moved != nil {
		return p.Moved.File, p.Line + p.Moved.Down
	}
	return p.File, p.Line
}

// IsValid reports whether p has a line.
func (p Pos) IsValid() bool { return p.Line > 0 }

// String formats p as file:line:col, or file:line if no column is known.
func (p Pos) String() string {
	if !p.IsValid() {
		if p.File == "" {
			return "-"
		}
		return p.File
	}
	if p.Col <= 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// SameLine reports whether p and q are in the same line.
func (p Pos) SameLine(q Pos) bool { return p.File == q.File && p.Line == q.Line }

// LineIn formats the line of p for a text about file: "line 12", or "x.h:12" for another
// file.
func (p Pos) LineIn(file string) string {
	if p.File != file {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("line %d", p.Line)
}

// Located is an error from another package with a position.
type Located struct {
	Pos Pos
	Err error
}

// Error formats e as "position: error".
func (e *Located) Error() string { return e.Pos.String() + ": " + e.Err.Error() }

// Unwrap returns the error without the position.
func (e *Located) Unwrap() error { return e.Err }

// Error is a message about one position. Notes refer to other positions involved: an
// earlier declaration, the chain of calls, the macro being expanded.
type Error struct {
	Pos   Pos
	Msg   string
	Notes []Note
	Err   error // the cause, if it is an error from another package; Msg contains its text

	Message bool // a warning that is the program's own message, which is never promoted to an error
}

// Note is another position that explains an Error.
type Note struct {
	Pos Pos
	Msg string
}

// Error formats e as "file:line:col: message", without notes.
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Unwrap returns the cause of e.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error; its cause is the argument of a verb %w.
func Errorf(pos Pos, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Pos: pos, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// MaxErrors is the number of errors that a List keeps; further ones rarely help.
const MaxErrors = 20

// List collects errors and warnings in the order they were found.
type List struct {
	errs     []*Error
	dropped  int
	warnings []*Error
}

// Add appends e. Beyond MaxErrors, errors are only counted.
func (l *List) Add(e *Error) {
	if len(l.errs) >= MaxErrors {
		l.dropped++
		return
	}
	l.errs = append(l.errs, e)
}

// Addf appends a new error at pos.
func (l *List) Addf(pos Pos, format string, args ...any) { l.Add(Errorf(pos, format, args...)) }

// Warnf appends a warning at pos. Duplicates are dropped, as one construct may be lowered
// several times; so are warnings beyond MaxErrors.
func (l *List) Warnf(pos Pos, format string, args ...any) {
	l.Warn(Errorf(pos, format, args...))
}

// Warn is Warnf for an existing warning.
func (l *List) Warn(w *Error) {
	if len(l.warnings) >= MaxErrors || slices.ContainsFunc(l.warnings, func(x *Error) bool { return x.Pos == w.Pos && x.Msg == w.Msg }) {
		return
	}
	l.warnings = append(l.warnings, w)
}

// Warnings returns the warnings in the order of Errors.
func (l *List) Warnings() []*Error { return sorted(l.warnings) }

// PromoteWarnings turns the warnings into errors, except the program's own messages.
func (l *List) PromoteWarnings() {
	var left []*Error
	for _, w := range l.warnings {
		if w.Message {
			left = append(left, w)
		} else {
			l.Add(w)
		}
	}
	l.warnings = left
}

// Unwrap returns the stored errors.
func (l *List) Unwrap() []error {
	var out []error
	for _, e := range l.Errors() {
		out = append(out, e)
	}
	return out
}

// Len returns the number of errors added, stored or not.
func (l *List) Len() int { return len(l.errs) + l.dropped }

// Errors returns the stored errors: files in the order of their first error, within a
// file by line and column, stable.
func (l *List) Errors() []*Error { return sorted(l.errs) }

func sorted(errs []*Error) []*Error {
	out := append([]*Error(nil), errs...)
	files := map[string]int{}
	for _, e := range out {
		if _, ok := files[e.Pos.File]; !ok {
			files[e.Pos.File] = len(files)
		}
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i].Pos, out[j].Pos
		if a.File != b.File {
			return files[a.File] < files[b.File]
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
	return out
}

// Err returns nil for an empty list, else an error that unwraps to the list.
func (l *List) Err() error {
	if l.Len() == 0 {
		return nil
	}
	return l
}

// Error joins the messages, one per line.
func (l *List) Error() string {
	var b strings.Builder
	for i, e := range l.Errors() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
		for _, n := range e.Notes {
			fmt.Fprintf(&b, "\n%s: note: %s", n.Pos, n.Msg)
		}
	}
	if l.dropped > 0 {
		fmt.Fprintf(&b, "\n(%d more errors)", l.dropped)
	}
	return b.String()
}

// excerptColumns bounds the part of a line that is shown: a program may consist of a
// single line.
const excerptColumns = 160

// excerpt returns the part of a line to show, around its character at, and the position
// of that character in it. Characters that would move a terminal's cursor are replaced by
// one column.
func excerpt(line string, at int) (string, int) {
	shown := []rune(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case unicode.IsControl(r):
			return utf8.RuneError
		}
		return r
	}, line))
	from := min(max(at-excerptColumns/2, 0), max(len(shown)-excerptColumns, 0))
	to := min(from+excerptColumns, len(shown))
	text := string(shown[from:to])
	if to < len(shown) {
		text += "..."
	}
	if from > 0 {
		return "..." + text, at - from + len("...")
	}
	return text, at
}

// The severities of messages.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
	SeverityNote    = "note"
)

// Message formats a message for a terminal: "file:line:col: severity: message", followed
// by the source line and a caret below the column if the text is available.
func (t *Texts) Message(p Pos, severity, msg string) string {
	where := ""
	if p.IsValid() || p.File != "" {
		where = p.String() + ": "
	}
	out := fmt.Sprintf("%s%s: %s\n", where, severity, msg)
	line, ok := t.Line(p)
	if !ok {
		return out
	}
	col := min(max(p.Col, 1), len(line)+1)
	shown, before := excerpt(line, utf8.RuneCountInString(line[:col-1])) // a column counts bytes
	out += "    " + shown + "\n"
	if p.Col > 0 {
		out += "    " + strings.Repeat(" ", before) + "^\n"
	}
	return out
}

// Render formats err for a terminal, with each error and note in the form of
// Texts.Message. source returns a file's text.
func Render(err error, source func(file string) (string, bool)) string {
	var b strings.Builder
	texts := NewTexts(source)
	one := func(e *Error) {
		b.WriteString(texts.Message(e.Pos, SeverityError, e.Msg))
		for _, n := range e.Notes {
			b.WriteString(texts.Message(n.Pos, SeverityNote, n.Msg))
		}
	}
	switch e := err.(type) {
	case *List:
		for _, d := range e.Errors() {
			one(d)
		}
		if e.dropped > 0 {
			fmt.Fprintf(&b, "(%d more errors)\n", e.dropped)
		}
	case *Error:
		one(e)
	default:
		fmt.Fprintf(&b, "%s: %v\n", SeverityError, err)
	}
	return b.String()
}

// Count formats a number of things: "1 load", "2 loads".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
