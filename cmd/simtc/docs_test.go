package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
	_ "github.com/simtc/simtc/internal/golden" // its flag -update
	"github.com/simtc/simtc/launch/native"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/utest/runfile"
	viropt "github.com/simtc/simtc/vir/opt"
)

// root is the repository, seen from this package.
const root = "../.."

func updating() bool { return flag.Lookup("update").Value.String() == "true" }

func init() { thisProcessor = simtc.Zen4 }

// inRoot makes the repository the working directory, as the documents assume.
func inRoot(t *testing.T) {
	t.Cleanup(native.Assume(native.V4)) // documents show what is compiled for AVX-512
	dir, err := filepath.Abs(root)
	require.NoError(t, err)
	t.Chdir(dir)
}

// block is a fenced block of a document.
type block struct {
	info  string // after the backquotes
	lines []string
	from  int // index of the first line of text
}

func blocks(text []string) []block {
	var out []block
	open := -1
	for i, line := range text {
		if !strings.HasPrefix(line, "```") {
			continue
		}
		if open < 0 {
			open = i
			continue
		}
		out = append(out, block{strings.TrimPrefix(text[open], "```"), text[open+1 : i], open + 1})
		open = -1
	}
	return out
}

// TestDocuments runs the commands in the documents and compares what they
// print; with -update it puts that in.
func TestDocuments(t *testing.T) {
	inRoot(t)
	left := 0
	for _, path := range documents(t) {
		t.Run(path, func(t *testing.T) {
			old, err := os.ReadFile(path)
			require.NoError(t, err)
			text := strings.Split(string(old), "\n")
			found := blocks(text)
			for i := len(found) - 1; i >= 0; i-- {
				b := found[i]
				if !strings.HasPrefix(b.info, "console") {
					continue
				}
				want, ran := transcript(t, b)
				if !ran {
					left++
					continue
				}
				if !updating() {
					require.Equal(t, normal(want), normal(b.lines), "%s:%d: run go test ./cmd/simtc -update", path, b.from)
				}
				text = append(text[:b.from:b.from], append(want, text[b.from+len(b.lines):]...)...)
			}
			if updating() {
				require.NoError(t, os.WriteFile(path, []byte(strings.Join(text, "\n")), 0o666))
			}
		})
	}
	if left > 0 {
		t.Logf("NOT TESTED: %d blocks of the documents show native runs", left)
	}
}

var (
	headFlag = regexp.MustCompile(`head=(\d+)`)
	fromFlag = regexp.MustCompile(`from=(\S+)`) // the first line begins so, perhaps after blanks
)

// transcript runs the commands of a block, unless they run native code and this machine
// cannot. Files they write are written to a folder that is gone afterwards.
func transcript(t *testing.T, b block) (out []string, ran bool) {
	present, _ := native.Present(native.V4)
	dir := t.TempDir()
	for _, line := range b.lines {
		command, ok := strings.CutPrefix(line, "$ simtc ")
		if !ok {
			continue
		}
		args := strings.Fields(command)
		for i := range args {
			if i > 0 && (args[i-1] == "-o" || args[i-1] == "--ppm") {
				args[i] = filepath.Join(dir, args[i])
			}
		}
		if !present && args[0] != "compile" && !slices.Contains(args, "--target") { // the default is another one here
			return nil, false
		}
		var printed bytes.Buffer
		status := 0
		if strings.Contains(b.info, "fails") {
			status = 1
		}
		require.Equal(t, status, run(context.Background(), args, &printed, &printed), "%s: %s", line, printed.String())
		out = append(out, line)
		lines := strings.Split(strings.TrimSuffix(printed.String(), "\n"), "\n")
		if printed.Len() == 0 {
			lines = nil
		}
		if m := fromFlag.FindStringSubmatch(b.info); m != nil {
			at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, m[1]) })
			if at < 0 {
				at = slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(strings.TrimLeft(l, " "), m[1]) })
			}
			require.Positive(t, at, "%s: no line begins with %s", line, m[1])
			lines = append([]string{"..."}, lines[at:]...)
		}
		if m := headFlag.FindStringSubmatch(b.info); m != nil {
			if n, _ := strconv.Atoi(m[1]); len(lines) > n {
				lines = append(lines[:n:n], "...")
			}
		}
		for _, l := range lines {
			out = append(out, strings.TrimRight(l, " "))
		}
	}
	return out, true
}

var (
	foundFaster = regexp.MustCompile(`; found faster: .*`)
	times       = regexp.MustCompile(`\b\d+\.\d\d\d?\b`)
	// The prices in remarks are a target's, who may think better of them.
	prices = regexp.MustCompile(`\b[\d.]+ ns|: [\d.]+\)| [\d.]+ and`)
)

// normal takes out of a transcript what differs from run to run: times, what
// they decide, and the blanks that line them up.
func normal(lines []string) string {
	var out []string
	for _, l := range lines {
		if strings.Contains(l, " ms: ") || strings.Contains(l, "compiled in") || strings.Contains(l, "blockip") || strings.Contains(l, "partial") || strings.Contains(l, "interp") {
			l = foundFaster.ReplaceAllString(times.ReplaceAllString(l, "#"), "")
		}
		if strings.Contains(l, "remark: [") {
			l = prices.ReplaceAllString(l, "#")
		}
		out = append(out, strings.Join(strings.Fields(l), " "))
	}
	return strings.Join(out, "\n")
}

// TestLanguage compiles the programs of docs/language.md.
func TestLanguage(t *testing.T) {
	inRoot(t)
	text, err := os.ReadFile("docs/language.md")
	require.NoError(t, err)
	good, bad := 0, 0
	for _, b := range blocks(strings.Split(string(text), "\n")) {
		source := strings.Join(b.lines, "\n")
		info, std, _ := strings.Cut(b.info, " std=")
		p, err := simtc.Compile(source, simtc.Options{File: fmt.Sprintf("docs/language.md+%d", b.from), Std: std, Debug: simtc.Debug{Verify: true}})
		switch info {
		case "c":
			require.NoError(t, err)
			_, err = p.Emit("vir")
			require.NoError(t, err)
			good++
		case "c error":
			want := strings.TrimPrefix(b.lines[len(b.lines)-1], "// ")
			require.ErrorContains(t, err, want)
			bad++
		}
	}
	require.Positive(t, good)
	require.Positive(t, bad)
}

// TestExamples runs the examples as their first lines say.
func TestExamples(t *testing.T) {
	inRoot(t)
	paths, err := filepath.Glob("examples/*.cl")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		f, err := runfile.Read(path)
		require.NoError(t, err)
		for _, r := range f.Runs {
			require.NotEmpty(t, r.Sums, "%s:%d", path, r.Line)
			for _, target := range simtc.Targets() {
				if simtc.Available(target) != nil {
					continue
				}
				out := ok(t, append([]string{"run", path, "-n", "0", "--target", target}, r.Words...)...)
				for _, s := range r.Sums {
					require.Regexp(t, fmt.Sprintf(`arg%d .* fnv1a64 %s `, s.Arg, s.Hash), out, "%s:%d on %s", path, r.Line, target)
				}
			}
		}
	}
}

// TestExamplesToTry runs the longer commands that the examples' first lines
// propose.
func TestExamplesToTry(t *testing.T) {
	if testing.Short() || simtc.Available(simtc.AVX512) != nil {
		t.Skip("SKIPPED: takes long without native code")
	}
	inRoot(t)
	paths, err := filepath.Glob("examples/*.cl")
	require.NoError(t, err)
	count := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, line := range strings.Split(string(text), "\n") {
			command, found := strings.CutPrefix(line, "//\tsimtc ")
			if !found {
				continue
			}
			require.Contains(t, command, path)
			args := strings.Fields(command)
			if args[0] == "run" {
				args = append(args, "-n", "0")
			}
			require.NotEmpty(t, ok(t, args...))
			count++
		}
	}
	require.GreaterOrEqual(t, count, len(paths))
}

// TestPassesAreDocumented checks that docs/optimizations.md names every pass, or the row of the pass has a
// summary.
func TestPassesAreDocumented(t *testing.T) {
	inRoot(t)
	text, err := os.ReadFile("docs/optimizations.md")
	require.NoError(t, err)
	for _, p := range slices.Concat(opt.Passes, opt.SingleLane) {
		require.True(t, p.Summary != "" || strings.Contains(string(text), "`"+p.Name+"`"), p.Name)
	}
	for _, p := range slices.Concat(viropt.Passes, viropt.Final) {
		require.True(t, p.Summary != "" || strings.Contains(string(text), "`"+p.Name+"`"), p.Name)
	}
}
