package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/simtc/simtc"
)

// table prints the rows of measured kernels and their geometric means.
type table struct {
	driver   string
	out      *tabwriter.Writer
	overhead *mean // of checked code; nil: not measured
	logs     map[int]*mean
	order    []int
}

// mean accumulates a geometric mean.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(x float64) {
	m.sum += math.Log(x)
	m.n++
}

func (m *mean) String() string {
	if m.n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", m.value())
}

// value returns the mean; 1 without numbers.
func (m *mean) value() float64 {
	if m.n == 0 {
		return 1
	}
	return math.Exp(m.sum / float64(m.n))
}

func runTable(driver string, checked bool) *table {
	t := &table{driver: driver, out: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight), logs: map[int]*mean{}}
	if checked {
		t.overhead = &mean{}
		fmt.Printf("CPU ms, minimum of all runs on one thread; ratio is the time with --checked over that without.\n\n")
		fmt.Fprintln(t.out, left("kernel")+"\tsimtc\tchecked\tratio\tcompile\tcompiled as\t")
		return t
	}
	if driver != "" {
		fmt.Printf("Driver: %s\nCPU ms, minimum of all runs on one thread; ratio is the driver's time over simtc's.\n\n", driver)
		fmt.Fprintln(t.out, left("kernel")+"\tdriver\tsimtc\tratio\tcompile\tcompiled as\t")
	} else {
		fmt.Printf("CPU ms, minimum of all runs on one thread.\n\n")
		fmt.Fprintln(t.out, left("kernel")+"\tsimtc\tcompile\tcompiled as\t")
	}
	return t
}

func (t *table) row(r row) {
	as := simtc.Strategy{Target: r.Target, Linearizer: r.Linearizer, Width: r.Width, Lanes: r.Lanes}.String()
	if r.Tuned {
		as += " (tuned)"
	}
	note := ""
	if r.Note != "" {
		note = "  " + r.Note
	}
	if r.Simtc == 0 {
		as = "-"
	}
	if t.overhead != nil {
		ratio := "-"
		if r.Simtc > 0 && r.Checked > 0 {
			ratio = fmt.Sprintf("%.2f", r.Checked/r.Simtc)
			t.overhead.add(r.Checked / r.Simtc)
		}
		fmt.Fprintf(t.out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", left(r.Kernel), number(r.Simtc), number(r.Checked), ratio, number(r.Compile), as, note)
		return
	}
	if t.driver == "" {
		fmt.Fprintf(t.out, "%s\t%s\t%s\t%s\t%s\n", left(r.Kernel), number(r.Simtc), number(r.Compile), as, note)
		return
	}
	ratio := "-"
	if r.Simtc > 0 {
		ratio = fmt.Sprintf("%.2f", r.Driver/r.Simtc)
		if t.logs[r.Requested] == nil {
			t.logs[r.Requested] = &mean{}
			t.order = append(t.order, r.Requested)
		}
		t.logs[r.Requested].add(r.Driver / r.Simtc)
	}
	fmt.Fprintf(t.out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", left(r.Kernel), number(r.Driver), number(r.Simtc), ratio, number(r.Compile), as, note)
}

func (t *table) print() {
	t.out.Flush()
	if t.overhead != nil {
		fmt.Printf("\nGeometric mean of %d ratios: %s\n", t.overhead.n, t.overhead)
	}
	if t.driver == "" {
		return
	}
	fmt.Println()
	for _, w := range t.order {
		of := ""
		if w != 0 {
			of = fmt.Sprintf(" at width %d", w)
		}
		fmt.Printf("Geometric mean of %d ratios%s: %s\n", t.logs[w].n, of, t.logs[w])
	}
}

// left pads a kernel's name, in the only left-aligned column.
func left(name string) string { return fmt.Sprintf("%-16s", name) }

// number formats milliseconds.
func number(ms float64) string {
	if ms == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", ms)
}

// progress shows the progress of the measurement on a terminal.
func progress(done, all int) {
	if info, err := os.Stderr.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return
	}
	fmt.Fprintf(os.Stderr, "\r%d of %d kernels", done, all)
	if done == all {
		fmt.Fprintf(os.Stderr, "\r%s\r", strings.Repeat(" ", 30))
	}
}
