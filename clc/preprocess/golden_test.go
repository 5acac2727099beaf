package preprocess

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc/token"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/golden"
)

// TestGolden runs in.cl of each file. Section options holds -DNAME[=V], -UNAME and
// -cl-std=V, one per line; every other section can be included. Section out holds the
// tokens, in one line per source line; tokens, if present, lists them with kinds and
// positions; errors holds the errors with their notes.
func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		opt := Options{}
		for _, line := range strings.Split(strings.TrimSpace(files["options"]), "\n") {
			switch {
			case line == "":
			case strings.HasPrefix(line, "-D"):
				opt.Defines = append(opt.Defines, line[2:])
			case strings.HasPrefix(line, "-U"):
				opt.Undefs = append(opt.Undefs, line[2:])
			case strings.HasPrefix(line, "-cl-std="):
				opt.Std = strings.TrimPrefix(line, "-cl-std=")
			default:
				require.Fail(t, "unknown option", line)
			}
		}
		opt.Include = func(name, from string, angled bool) (string, string, error) {
			if angled {
				name = path.Join("sys", name)
			} else {
				name = path.Join(path.Dir(from), name)
			}
			if text, ok := files[name]; ok {
				return name, text, nil
			}
			return "", "", errors.New("no such file")
		}
		var errs diag.List
		toks := Run("in.cl", files["in.cl"], opt, &errs)
		require.Equal(t, token.EOF, toks[len(toks)-1].Kind)
		got := map[string]string{"out": lines(toks), "errors": ""}
		if errs.Len() > 0 {
			got["errors"] = errs.Error() + "\n"
		}
		if _, ok := files["tokens"]; ok {
			got["tokens"] = listing(toks)
		}
		return got
	})
}

// lines formats tokens, one output line per source line.
func lines(toks []token.Token) string {
	var b strings.Builder
	last := toks[0].At()
	for i, tk := range toks {
		if tk.Kind == token.EOF {
			break
		}
		at := tk.At()
		switch {
		case i == 0:
		case tk.Kind == token.Pragma || toks[i-1].Kind == token.Pragma || at.Line != last.Line || at.File != last.File:
			b.WriteByte('\n')
		default:
			b.WriteByte(' ')
		}
		last = at
		if tk.Kind == token.Pragma {
			b.WriteString("#pragma ")
		}
		b.WriteString(tk.Text)
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// listing formats one token per line.
func listing(toks []token.Token) string {
	var b strings.Builder
	for _, tk := range toks {
		fmt.Fprintf(&b, "%s %s", tk.Pos, tk.Kind)
		if tk.Text != "" {
			fmt.Fprintf(&b, " %s", tk.Text)
		}
		if tk.Use.IsValid() {
			fmt.Fprintf(&b, " (used at %s)", tk.Use)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
