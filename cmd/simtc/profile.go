package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/simtc/simtc"
)

// profile runs the kernel once more, from the initial contents of the buffers, with instrumented
// code of the strategy that launches have found to be the fastest.
func (s *session) profile(ctx context.Context) (*simtc.Profile, error) {
	if err := s.reset(ctx); err != nil {
		return nil, err
	}
	way, err := s.kernel.Fastest()
	if err != nil {
		return nil, err
	}
	k, err := s.kernel.With(way)
	if err != nil {
		return nil, err
	}
	return k.Profile(ctx, s.rng, s.args...)
}

// profileReport is the JSON output of a profile.
type profileReport struct {
	Width      int           `json:"width"`
	Efficiency float64       `json:"efficiency"`
	Blocks     []blockReport `json:"blocks"`
	Lines      []lineReport  `json:"lines"`
}

type blockReport struct {
	Name     string  `json:"name"`
	File     string  `json:"file,omitempty"`
	Line     int     `json:"line,omitempty"`
	Ops      int     `json:"ops"`
	Runs     uint64  `json:"runs"`
	Lanes    uint64  `json:"lanes"`
	AvgLanes float64 `json:"avg_lanes"`
	Width    int     `json:"width"`
}

type lineReport struct {
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Ops      int     `json:"ops"`
	Runs     uint64  `json:"runs"`
	AvgLanes float64 `json:"avg_lanes"`
	Active   float64 `json:"active"`
	Share    float64 `json:"share"`
}

func newProfileReport(p *simtc.Profile) *profileReport {
	r := &profileReport{Width: p.Width, Efficiency: p.Efficiency(), Blocks: []blockReport{}, Lines: []lineReport{}}
	for _, b := range p.Blocks {
		r.Blocks = append(r.Blocks, blockReport{b.Name, b.File, b.Line, b.Ops, b.Runs, b.Lanes, b.AvgLanes(), b.Width})
	}
	for _, l := range p.Lines {
		r.Lines = append(r.Lines, lineReport{l.File, l.Line, l.Ops, l.Runs, l.Lanes, l.Active, l.Share})
	}
	return r
}

const (
	barLength = 10
	// nearby is the maximum number of lines without operations that are shown between others.
	nearby = 4
)

// printProfile prints the source with the executions of each line, its average number of active
// lanes, and its share of all operations.
func printProfile(w io.Writer, p *simtc.Profile, source func(file string) (string, bool)) {
	fmt.Fprintf(w, "profile: SIMD efficiency %s, %.4g of %d lanes active on average\n",
		percent(p.Efficiency()), p.Efficiency()*float64(p.Width), p.Width)
	texts := map[string][]string{}
	for first := 0; first < len(p.Lines); {
		file := p.Lines[first].File
		end := first
		for end < len(p.Lines) && p.Lines[end].File == file {
			if written, _ := p.Lines[end].Text(); texts[written] == nil {
				s, _ := source(written)
				texts[written] = strings.Split(s, "\n")
			}
			end++
		}
		fmt.Fprintf(w, "\n%s\n", file)
		fmt.Fprintf(w, "%12s %7s %7s %-*s %7s\n", "runs", "lanes", "active", barLength, "", "work")
		printLines(w, p, p.Lines[first:end], texts)
		first = end
	}
}

// printLines prints the lines of one file.
func printLines(w io.Writer, p *simtc.Profile, lines []simtc.LineProfile, texts map[string][]string) {
	number := len(fmt.Sprint(lines[len(lines)-1].Line))
	show := func(columns string, line int, of simtc.LineProfile) {
		row := fmt.Sprintf("%-*s  %*d", columnsLength, columns, number, line)
		file, at := of.Text()
		if text, at := texts[file], at+line-of.Line; at >= 1 && at <= len(text) {
			row += "  " + strings.ReplaceAll(strings.TrimRight(text[at-1], "\r"), "\t", "    ")
		}
		fmt.Fprintln(w, strings.TrimRight(row, " "))
	}
	last, file, moved := 0, "", 0 // moved: offset of the text's line from the line according to #line
	for _, l := range lines {
		written, at := l.Text()
		if last > 0 && (l.Line-last > nearby+1 || written != file || at-l.Line != moved) {
			fmt.Fprintf(w, "%-*s  %*s\n", columnsLength, "", number, strings.Repeat(".", min(number, 3)))
			last = l.Line - 1
		}
		for i := last + 1; last > 0 && i < l.Line; i++ {
			show("", i, l)
		}
		last, file, moved = l.Line, written, at-l.Line
		show(fmt.Sprintf("%12d %7.2f %7s %s %7s", l.Runs, l.Lanes, percent(l.Active), bar(l.Active), percent(l.Share)), l.Line, l)
	}
}

// columnsLength is the length of the columns left of the line number.
const columnsLength = 12 + 1 + 7 + 1 + 7 + 1 + barLength + 1 + 7

// bar draws a share as a bar.
func bar(share float64) string {
	n := min(max(int(share*barLength+0.5), 0), barLength)
	return strings.Repeat("#", n) + strings.Repeat("-", barLength-n)
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }
