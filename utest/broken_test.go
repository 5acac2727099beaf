package utest

import (
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

var errorLine = regexp.MustCompile(`^// error: (\d+)`)

// TestBroken checks that every broken program gives an error on the line given by its
// first line, with a column inside that line, and that the message quotes the line.
func TestBroken(t *testing.T) {
	for _, path := range sources(t, "broken/*.cl") {
		t.Run(name(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			source := string(text)
			m := errorLine.FindStringSubmatch(source)
			require.NotNil(t, m, "the first line must be // error: LINE")
			line, err := strconv.Atoi(m[1])
			require.NoError(t, err)

			_, err = simtc.Compile(source, simtc.Options{File: path})
			var wrong *simtc.CompileError
			require.ErrorAs(t, err, &wrong)
			lines := strings.Split(source, "\n")
			found := false
			for _, d := range wrong.Diagnostics {
				require.Equal(t, path, d.File)
				require.NotEmpty(t, d.Message)
				require.True(t, d.Line >= 1 && d.Line <= len(lines), "%+v", d)
				require.True(t, d.Column >= 1 && d.Column <= len(lines[d.Line-1])+1, "%+v", d)
				found = found || d.Line == line
			}
			require.True(t, found, "no error on line %d:\n%v", line, err)
			if shown := strings.TrimSpace(lines[line-1]); shown != "" {
				require.Contains(t, wrong.Detail(), shown)
				require.Contains(t, wrong.Detail(), "^")
			}
		})
	}
}

// TestTruncated compiles correct sources truncated at many places: each gives an error or
// a program, never a panic.
func TestTruncated(t *testing.T) {
	paths := sources(t, "kernels/*.cl")
	for i := range paths {
		if i%8 != 0 && !*long {
			continue
		}
		path := paths[i]
		t.Run(name(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			step := 97
			if *long {
				step = 11
			}
			for end := 0; end < len(text); end += step {
				p, err := simtc.Compile(string(text[:end]), simtc.Options{File: path})
				if err == nil {
					for _, k := range p.Kernels() {
						_, err := k.Emit("vir")
						require.NoError(t, err)
					}
					require.NoError(t, p.Close())
					continue
				}
				var wrong *simtc.CompileError
				if errors.As(err, &wrong) {
					require.NotEmpty(t, wrong.Diagnostics)
				} else {
					require.ErrorContains(t, err, "no kernel")
				}
			}
		})
	}
}
