package main

import (
	"fmt"
	"io"

	"github.com/simtc/simtc"
)

// checkTable prints the rows of a report as they are added.
type checkTable struct {
	w                  io.Writer
	report             *checkReport
	quiet              bool // only fills the report
	target, linearizer int  // widths of these columns
	ways, compared     int
}

// newCheckTable returns the table for the variants to be compared, with columns wide enough for
// their names.
func newCheckTable(w io.Writer, report *checkReport, ways []simtc.Strategy) *checkTable {
	t := &checkTable{w: w, report: report, target: len("target"), linearizer: len("linearizer"), ways: len(ways)}
	for _, name := range simtc.Targets() {
		t.target = max(t.target, len(name))
	}
	for _, x := range ways {
		t.linearizer = max(t.linearizer, len(linearizerOf(checkRow{Linearizer: x.Linearizer, Width: x.Width, Lanes: x.Lanes, LaneDim: x.LaneDim, LoopDepth: x.LoopDepth, Scalar: x.Scalar})))
	}
	return t
}

// linearizerOf formats the second column of a row.
func linearizerOf(r checkRow) string {
	name := r.Linearizer
	if r.Width == 0 {
		name = "-"
	}
	if r.Lanes != "" {
		name += " " + simtc.Iterations
	}
	if r.LaneDim != "" && r.LaneDim != "0" {
		name += " dim=" + r.LaneDim
	}
	if r.LoopDepth != 0 {
		name += fmt.Sprintf(" depth=%d", r.LoopDepth)
	}
	if r.Scalar != "" {
		name += " " + r.Scalar
	}
	return name
}

func (t *checkTable) begin() {
	if t.quiet {
		return
	}
	fmt.Fprintf(t.w, "%s  global %s local %s\n", t.report.Kernel, dims(t.report.Global), dims(t.report.Local))
	t.line("target", "linearizer", "width", "compile ms", "run ms", "result")
}

func (t *checkTable) line(target, linearizer, width, compile, run, result string) {
	fmt.Fprintf(t.w, "  %-*s  %-*s  %-5s  %-10s  %-7s  %s\n", t.target, target, t.linearizer, linearizer, width, compile, run, result)
}

// add adds a row to the report and prints it.
func (t *checkTable) add(r checkRow) {
	t.report.Rows = append(t.report.Rows, r)
	switch r.Result {
	case "same":
		t.compared++
	case "differs", "failed":
		t.compared++
		t.report.OK = false
	}
	if t.quiet {
		return
	}
	width, result := fmt.Sprint(r.Width), r.Result
	if r.Width == 0 {
		width = "-"
	}
	if r.Detail != "" {
		result += ": " + r.Detail
	}
	if r.Emulated {
		result += " (emulated)"
	}
	t.line(r.Target, linearizerOf(r), width, fmt.Sprintf("%.2f", r.CompileMS), fmt.Sprintf("%.3f", r.RunMS), result)
}

// end prints the verdict on all rows.
func (t *checkTable) end() {
	differ := 0
	for _, r := range t.report.Rows {
		if r.Result == "differs" || r.Result == "failed" {
			differ++
		}
	}
	verdict := "all equal to the interpreter (a NaN equals any NaN)"
	switch {
	case differ == 1:
		verdict = "1 differs from the interpreter"
	case differ > 1:
		verdict = fmt.Sprintf("%d differ from the interpreter", differ)
	}
	count := fmt.Sprint(t.compared)
	if t.report.Stopped != "" {
		count = fmt.Sprintf("%s; %d of %d", t.report.Stopped, t.compared, t.ways)
	}
	noun := "variants"
	if t.compared == 1 && t.report.Stopped == "" {
		noun = "variant"
	}
	fmt.Fprintf(t.w, "%s %s compared, %s\n", count, noun, verdict)
}
