package diag

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func at(file string, line, col int) Pos { return Pos{File: file, Line: line, Col: col} }

func TestPosition(t *testing.T) {
	require.Equal(t, "a.cl:3:7", at("a.cl", 3, 7).String())
	require.Equal(t, "a.cl", Pos{File: "a.cl"}.String(), "a file without a line")
	require.Equal(t, "-", Pos{}.String())
	require.False(t, Pos{File: "a.cl"}.IsValid())
}

func TestEmptyListIsNoError(t *testing.T) {
	var l List
	require.NoError(t, l.Err())
	require.Zero(t, l.Len())
	require.Empty(t, l.Errors())
}

// TestOrder checks the order of errors: by line and column within a file; files, and
// errors at one position, in the order found, also if errors of several files alternate.
func TestOrder(t *testing.T) {
	var l List
	for _, p := range []Pos{at("b.cl", 2, 1), at("b.cl", 1, 9), at("b.cl", 1, 2), at("a.h", 1, 1)} {
		l.Addf(p, "m")
	}
	l.Addf(at("b.cl", 1, 2), "second")
	require.EqualError(t, l.Err(), "b.cl:1:2: m\nb.cl:1:2: second\nb.cl:1:9: m\nb.cl:2:1: m\na.h:1:1: m")
}

func TestMaxErrors(t *testing.T) {
	var l List
	for i := range MaxErrors + 3 {
		l.Addf(at("a.cl", i+1, 1), "number %d", i)
	}
	require.Equal(t, MaxErrors+3, l.Len())
	require.Len(t, l.Errors(), MaxErrors)
	lines := strings.Split(l.Err().Error(), "\n")
	require.Len(t, lines, MaxErrors+1)
	require.Equal(t, fmt.Sprintf("a.cl:%d:1: number %d", MaxErrors, MaxErrors-1), lines[MaxErrors-1])
	require.Equal(t, "(3 more errors)", lines[MaxErrors])
	none := func(string) (string, bool) { return "", false }
	require.True(t, strings.HasSuffix(Render(&l, none), "\n(3 more errors)\n"))
}

func TestErrUnwrapsToTheList(t *testing.T) {
	var l List
	l.Add(Errorf(at("a.cl", 1, 1), "%d bad", 2))
	var back *List
	require.True(t, errors.As(fmt.Errorf("compile: %w", l.Err()), &back))
	require.Equal(t, "2 bad", back.Errors()[0].Msg)
}

func TestRender(t *testing.T) {
	source := func(file string) (string, bool) {
		switch file {
		case "u.cl":
			return "/*é*/ §", true
		case "long.cl":
			return strings.Repeat("é ", 50) + "x\n" + strings.Repeat("0123456789", 100), true
		case "bell.cl":
			return "\a\xff\x1b[2J@", true
		}
		return "int a;\r\n\t\tfloat b = @;\nlast", file == "a.cl"
	}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"caret", Errorf(at("a.cl", 1, 5), "bad name"), "" +
			"a.cl:1:5: error: bad name\n    int a;\n        ^\n"},
		{"tabs count as one column and are shown so", Errorf(at("a.cl", 2, 13), "stray '@'"), "" +
			"a.cl:2:13: error: stray '@'\n      float b = @;\n                ^\n"},
		{"columns are bytes", Errorf(at("u.cl", 1, 8), "m"), "u.cl:1:8: error: m\n    /*é*/ §\n          ^\n"},
		{"beyond the end of the line", Errorf(at("a.cl", 3, 99), "m"), "a.cl:3:99: error: m\n    last\n        ^\n"},
		{"no column", Errorf(at("a.cl", 3, 0), "m"), "a.cl:3: error: m\n    last\n"},
		{"a line that is shown whole", Errorf(at("long.cl", 1, 151), "m"), "long.cl:1:151: error: m\n    " + strings.Repeat("é ", 50) + "x\n    " + strings.Repeat(" ", 100) + "^\n"},
		{"the beginning of a long line", Errorf(at("long.cl", 2, 3), "m"), "long.cl:2:3: error: m\n    " + strings.Repeat("0123456789", 16) + "...\n      ^\n"},
		{"amid a long line", Errorf(at("long.cl", 2, 501), "m"), "long.cl:2:501: error: m\n    ..." + strings.Repeat("0123456789", 16) + "...\n    " + strings.Repeat(" ", 83) + "^\n"},
		{"the end of a long line", Errorf(at("long.cl", 2, 1001), "m"), "long.cl:2:1001: error: m\n    ..." + strings.Repeat("0123456789", 16) + "\n    " + strings.Repeat(" ", 163) + "^\n"},
		{"a long line without a column", Errorf(at("long.cl", 2, 0), "m"), "long.cl:2: error: m\n    " + strings.Repeat("0123456789", 16) + "...\n"},
		{"what is no text", Errorf(at("bell.cl", 1, 7), "m"), "bell.cl:1:7: error: m\n    \ufffd\ufffd\ufffd[2J@\n          ^\n"},
		{"beyond the file", Errorf(at("a.cl", 4, 1), "m"), "a.cl:4:1: error: m\n"},
		{"unknown file", Errorf(at("<built-in>", 1, 1), "m"), "<built-in>:1:1: error: m\n"},
		{"no place", Errorf(Pos{}, "m"), "error: m\n"},
		{"another error", errors.New("out of memory"), "error: out of memory\n"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, Render(c.err, source)) })
	}
}

func TestNotes(t *testing.T) {
	var l List
	e := Errorf(at("a.cl", 2, 3), "redeclared")
	e.Notes = []Note{{at("a.cl", 1, 5), "first here"}, {at("b.h", 7, 1), "included from here"}}
	l.Add(e)
	require.EqualError(t, l.Err(), "a.cl:2:3: redeclared\na.cl:1:5: note: first here\nb.h:7:1: note: included from here")
	source := func(file string) (string, bool) { return "int x;\n  x;\n", file == "a.cl" }
	require.Equal(t, ""+
		"a.cl:2:3: error: redeclared\n      x;\n      ^\n"+
		"a.cl:1:5: note: first here\n    int x;\n        ^\n"+
		"b.h:7:1: note: included from here\n", Render(&l, source))
}
