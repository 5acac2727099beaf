// Package diag holds source positions and the errors that point at them.
//
// Every stage that reads text (OpenCL C, kernel IR, vector IR) reports bad
// input as a diag.List; no stage prints, and none panics on input.
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

// Pos is a place in a source file. Line and Col count from 1, Col in bytes; Col 0 means
// that only the line is known. The zero Pos means "no place known".
type Pos struct {
	File string
	Line int
	Col  int
	// Moved is where the text really is, if a #line gives it another place.
	Moved *Moved
	// Later tells that control has come to this place before when it comes to what is here: of
	// what a macro or a built-in function became, what is in blocks behind the first.
	Later bool
	// Added tells that the compiler put what is here beside what the source says there: that
	// it runs does not mean that the line does.
	Added bool
	// Made tells that the source has nothing like what is here: a pass made it, and tells of
	// it itself, at this place.
	Made bool
}

// Plain is p without what it tells besides the place.
func (p Pos) Plain() Pos {
	p.Later, p.Added, p.Made = false, false, false
	return p
}

// Moved tells the place of text from the one that a #line gives it.
type Moved struct {
	File string
	Down int // lines further down than Pos.Line says
}

// Written is the file and line that hold the text at p.
func (p Pos) Written() (file string, line int) {
	if p.Moved != nil {
		return p.Moved.File, p.Line + p.Moved.Down
	}
	return p.File, p.Line
}

// IsValid reports whether p names a line.
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

// SameLine reports whether p and q are in one line.
func (p Pos) SameLine(q Pos) bool { return p.File == q.File && p.Line == q.Line }

// LineIn is the line of p as a text about file names it: "line 12", with the name of
// another file "x.h:12".
func (p Pos) LineIn(file string) string {
	if p.File != file {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("line %d", p.Line)
}

// Located is an error of others and its place.
type Located struct {
	Pos Pos
	Err error
}

// Error formats e as "place: error".
func (e *Located) Error() string { return e.Pos.String() + ": " + e.Err.Error() }

// Unwrap returns the error without the place.
func (e *Located) Unwrap() error { return e.Err }

// Error is one message about one place. Notes say what else is involved: the
// earlier declaration, the chain of calls, the macro being expanded.
type Error struct {
	Pos   Pos
	Msg   string
	Notes []Note
	Err   error // what it comes of, if that is an error of others; Msg has its text

	Message bool // a warning that is the program's own message: it is never made an error
}

// Note is a second place that explains an Error.
type Note struct {
	Pos Pos
	Msg string
}

// Error formats e as "file:line:col: message", without notes.
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Msg }

// Unwrap returns what e comes of.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an Error, which comes of the argument of a verb %w.
func Errorf(pos Pos, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Pos: pos, Msg: err.Error(), Err: errors.Unwrap(err)}
}

// MaxErrors is how many errors a List keeps; a broken file rarely explains
// itself better with more.
const MaxErrors = 20

// List collects errors and warnings in the order they were found.
type List struct {
	errs     []*Error
	dropped  int
	warnings []*Error
}

// Add appends e; beyond MaxErrors it is only counted.
func (l *List) Add(e *Error) {
	if len(l.errs) >= MaxErrors {
		l.dropped++
		return
	}
	l.errs = append(l.errs, e)
}

// Addf appends a new error at pos.
func (l *List) Addf(pos Pos, format string, args ...any) { l.Add(Errorf(pos, format, args...)) }

// Warnf appends a warning at pos. A warning that the list has already is left out, as one
// construct may be lowered several times; those beyond MaxErrors are dropped.
func (l *List) Warnf(pos Pos, format string, args ...any) {
	l.Warn(Errorf(pos, format, args...))
}

// Warn is Warnf for a warning that is made already.
func (l *List) Warn(w *Error) {
	if len(l.warnings) >= MaxErrors || slices.ContainsFunc(l.warnings, func(x *Error) bool { return x.Pos == w.Pos && x.Msg == w.Msg }) {
		return
	}
	l.warnings = append(l.warnings, w)
}

// Warnings returns the warnings in the order of Errors.
func (l *List) Warnings() []*Error { return sorted(l.warnings) }

// PromoteWarnings makes errors of the warnings, but of the program's own messages.
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

// Unwrap returns the errors kept.
func (l *List) Unwrap() []error {
	var out []error
	for _, e := range l.Errors() {
		out = append(out, e)
	}
	return out
}

// Len returns how many errors were added, kept or not.
func (l *List) Len() int { return len(l.errs) + l.dropped }

// Errors returns the errors kept: files in the order of their first error,
// within a file by line and column, stable.
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

// Error joins the messages, one a line.
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

// excerptColumns is how much of a line is shown: a program may be a single one.
const excerptColumns = 160

// excerpt returns what is shown of a line, around its character at, and where that is. What
// would move the cursor of a terminal takes one column.
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

// Message formats a message for a terminal, "file:line:col: severity: message", followed
// by the offending line and a caret under the column where the text is known.
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

// Render formats err for a terminal, each error and note as Texts.Message does. source
// returns a file's text.
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

// Count is a number of things in words: "1 load", "2 loads".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
