package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// print writes the effects and reports whether results stayed the same.
func (a *ablation) print(out io.Writer) (ok bool, err error) {
	ok = true
	list := a.sorted()
	for _, e := range list {
		ok = ok && len(e.wrong) == 0 && len(e.failed) == 0
	}
	if a.json {
		for _, e := range list {
			line, err := json.Marshal(e.row())
			if err != nil {
				return false, err
			}
			fmt.Fprintln(out, string(line))
		}
		return ok, nil
	}
	fmt.Fprintf(out, "Measure: %s, target %s. %d kernels, of which %d ran.\n\n", a.ablate, a.target, a.kernels, a.measured)
	fmt.Fprint(out, markdown(list, a.ablate == byCode))
	for _, e := range list {
		for _, k := range e.wrong {
			fmt.Fprintf(out, "\nWRONG RESULTS without %s: %s", e.name, k)
		}
		for _, k := range e.failed {
			fmt.Fprintf(out, "\nFails without %s: %s", e.name, k)
		}
	}
	if !ok {
		fmt.Fprintln(out)
	}
	if len(a.notes) > 0 {
		fmt.Fprintf(out, "\nKernels not measured, and strategies that failed:\n\n- %s\n", strings.Join(a.notes, "\n- "))
	}
	return ok, nil
}

// effectRow is an effect as JSON.
type effectRow struct {
	Part    string   `json:"part"`
	Lines   int      `json:"lines"`
	Reached int      `json:"reached"`
	Changed int      `json:"changed"`
	Mean    float64  `json:"mean"`
	Helps   int      `json:"helps"`
	Hurts   int      `json:"hurts"`
	Largest float64  `json:"largest"`
	Kernel  string   `json:"kernel"`
	Compile float64  `json:"compile"`
	Wrong   []string `json:"wrong,omitempty"`
	Failed  []string `json:"failed,omitempty"`
}

func (e *effect) row() effectRow {
	return effectRow{e.name, e.own, e.reached, e.changed, e.ratios.value(), e.helps, e.hurts, e.largest, e.kernel, e.compile.value(), e.wrong, e.failed}
}

// markdown formats effects as a table; code omits the columns of measurements.
func markdown(list []*effect, code bool) string {
	var b strings.Builder
	b.WriteString("| without | lines | reached | changed |")
	if !code {
		b.WriteString(" mean | slower | faster | largest | kernel |")
	}
	b.WriteString(" compile |\n|---|---:|---:|---:|")
	if !code {
		b.WriteString("---:|---:|---:|---:|---|")
	}
	b.WriteString("---:|\n")
	for _, e := range list {
		fmt.Fprintf(&b, "| %s | %s | %s | %d |", e.name, count(e.own), count(e.reached), e.changed)
		if !code {
			largest, kernel := "", ""
			if e.kernel != "" {
				largest, kernel = fmt.Sprintf("%.2f", e.largest), strings.ReplaceAll(e.kernel, "|", `\|`)
			}
			fmt.Fprintf(&b, " %s | %d | %d | %s | %s |", ratio(e.ratios, 4), e.helps, e.hurts, largest, kernel)
		}
		fmt.Fprintf(&b, " %s |\n", ratio(e.compile, 2))
	}
	return b.String()
}

// count formats a number of lines.
func count(n int) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

// ratio formats a mean of ratios.
func ratio(m mean, digits int) string {
	if m.n == 0 {
		return "-"
	}
	return fmt.Sprintf("%.*f", digits, m.value())
}
