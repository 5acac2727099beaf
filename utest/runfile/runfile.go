// Package runfile parses the header of an end-to-end kernel: the commands that run it and
// the expected checksums of its buffers.
//
// The header consists of comment lines anywhere in the source:
//
//	// run: -k NAME -g 1000 [-l 64] [--offset 3] [-D N=4] ARG...
//	// sum: ARGINDEX FNV1A64 [reason for a difference from the reference driver]
//
//	// bench: -k NAME -g 1000000 ARG...
//
// The words of a run line are those of "simtc run FILE ...". The sum lines after a run
// line, one per buffer, belong to that run. A bench line is a run line for measurements,
// which tests ignore. The package is independent of compilers and of the meaning of the
// words.
package runfile

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Sum is the expected checksum of one buffer argument.
type Sum struct {
	Arg  int    // index among the kernel's arguments, from 0
	Hash string // FNV-1a 64 of the bytes after the first run, 16 hex digits
	Note string // empty when the reference OpenCL driver gave the checksum
}

// Run is one run line with its sums.
type Run struct {
	Line  int      // line number of the run line, from 1
	Words []string // the words of the command line
	Sums  []Sum
}

// Flag returns the value that follows the first of names among the words, or "".
func (r *Run) Flag(names ...string) string {
	for i, w := range r.Words {
		for _, n := range names {
			if w == n && i+1 < len(r.Words) {
				return r.Words[i+1]
			}
		}
	}
	return ""
}

// File is a kernel source with its runs.
type File struct {
	Path   string
	Source string
	Runs   []*Run
	Bench  *Run // the bench line; nil if there is none
}

const (
	runPrefix   = "// run:"
	benchPrefix = "// bench:"
	sumPrefix   = "// sum:"
)

// Read parses the header of the source at path. A file without runs is an error.
func Read(path string) (*File, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// Parse is Read for a source in memory.
func Parse(path, source string) (*File, error) {
	f := &File{Path: path, Source: source}
	var last *Run
	for i, line := range strings.Split(source, "\n") {
		bench := strings.HasPrefix(line, benchPrefix)
		switch {
		case bench, strings.HasPrefix(line, runPrefix):
			_, rest, _ := strings.Cut(line, ":")
			words, err := split(rest)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
			}
			last = &Run{Line: i + 1, Words: words}
			if bench {
				f.Bench = last
			} else {
				f.Runs = append(f.Runs, last)
			}
		case strings.HasPrefix(line, sumPrefix):
			if last == nil {
				return nil, fmt.Errorf("%s:%d: sum line before any run line", path, i+1)
			}
			sum, err := parseSum(line[len(sumPrefix):])
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
			}
			last.Sums = append(last.Sums, sum)
		}
	}
	if len(f.Runs) == 0 {
		return nil, fmt.Errorf("%s: no run line", path)
	}
	return f, nil
}

// WithSums returns the source with the sum lines rewritten from f.Runs.
func (f *File) WithSums() string {
	byLine := map[int]*Run{}
	for _, r := range f.Runs {
		byLine[r.Line] = r
	}
	if f.Bench != nil {
		byLine[f.Bench.Line] = f.Bench
	}
	var out strings.Builder
	for i, line := range strings.SplitAfter(f.Source, "\n") {
		if strings.HasPrefix(line, sumPrefix) {
			continue
		}
		out.WriteString(line)
		if r := byLine[i+1]; r != nil {
			for _, s := range r.Sums {
				note := ""
				if s.Note != "" {
					note = " " + s.Note
				}
				fmt.Fprintf(&out, "%s %d %s%s\n", sumPrefix, s.Arg, s.Hash, note)
			}
		}
	}
	return out.String()
}

func parseSum(s string) (Sum, error) {
	words := strings.Fields(s)
	if len(words) < 2 || len(words[1]) != 16 {
		return Sum{}, fmt.Errorf("want %s ARGINDEX HASH", sumPrefix)
	}
	arg, err := strconv.Atoi(words[0])
	if err != nil {
		return Sum{}, fmt.Errorf("argument index: %w", err)
	}
	return Sum{Arg: arg, Hash: words[1], Note: strings.Join(words[2:], " ")}, nil
}

// split splits a command line at blanks; blanks in double quotes are part of a word.
func split(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	started, quoted := false, false
	for _, c := range s {
		switch {
		case c == '"':
			quoted = !quoted
			started = true
		case (c == ' ' || c == '\t' || c == '\r') && !quoted:
			if started {
				words = append(words, word.String())
				word.Reset()
				started = false
			}
		default:
			word.WriteRune(c)
			started = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("unterminated quote")
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}
