package cfg

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// DOT describes how a graph is drawn. Callbacks may be nil.
type DOT struct {
	Name   string                // of the graph; "cfg" if empty
	Label  func(b int) string    // text in a block's box, with lines separated by \n; the number if nil
	Edge   func(b, i int) string // label of the edge Succs[b][i]
	Attrs  func(b int) string    // further attributes of a block, e.g. `color=red`
	Cycles *CycleForest          // boxes are drawn around cycles if not nil
	Legend []LegendEntry         // the meaning of the boxes' appearance
}

// LegendEntry is a box of a legend, with attributes in the form of DOT.Attrs.
type LegendEntry struct{ Text, Attrs string }

// WriteDOT writes g in the language of Graphviz's dot. Text in boxes is left-aligned in a
// fixed-width font. An edge from inside a cycle to its header is bold. It returns the
// writer's error.
func (g *Graph) WriteDOT(w io.Writer, d DOT) error {
	out := bufio.NewWriter(w)
	name := d.Name
	if name == "" {
		name = "cfg"
	}
	fmt.Fprintf(out, "digraph %s {\n", quoteDOT(name, `\n`))
	fmt.Fprintf(out, "  node [shape=box, fontname=monospace];\n")

	node := func(indent string, b int) {
		label := fmt.Sprint(b)
		if d.Label != nil {
			label = d.Label(b)
		}
		end := `\n`
		if strings.Contains(label, "\n") {
			end = `\l`
			label = strings.TrimSuffix(label, "\n") + "\n"
		}
		attrs := ""
		if d.Attrs != nil {
			if a := d.Attrs(b); a != "" {
				attrs = ", " + a
			}
		}
		fmt.Fprintf(out, "%sb%d [label=%s%s];\n", indent, b, quoteDOT(label, end), attrs)
	}
	grouped := func(b int) bool { return d.Cycles != nil && d.Cycles.InnermostCycle(b) != nil }
	for b := range g.Succs {
		if !grouped(b) {
			node("  ", b)
		}
	}
	if d.Cycles != nil {
		d.Cycles.writeClusters(out, node)
	}
	for b, succs := range g.Succs {
		for i, s := range succs {
			var attrs []string
			if d.Edge != nil {
				if text := d.Edge(b, i); text != "" {
					attrs = append(attrs, "label="+quoteDOT(text, `\n`))
				}
			}
			if grouped(s) {
				if c := d.Cycles.InnermostCycle(s); c.Header == s && d.Cycles.Contains(c, b) {
					attrs = append(attrs, "style=bold")
				}
			}
			if attrs == nil {
				fmt.Fprintf(out, "  b%d -> b%d;\n", b, s)
			} else {
				fmt.Fprintf(out, "  b%d -> b%d [%s];\n", b, s, strings.Join(attrs, ", "))
			}
		}
	}
	if d.Legend != nil {
		fmt.Fprintf(out, "  subgraph cluster_legend {\n    label=legend;\n")
		for i, e := range d.Legend {
			attrs := ""
			if e.Attrs != "" {
				attrs = ", " + e.Attrs
			}
			fmt.Fprintf(out, "    legend%d [label=%s%s];\n", i, quoteDOT(e.Text, `\n`), attrs)
		}
		fmt.Fprintf(out, "  }\n")
	}
	fmt.Fprintf(out, "}\n")
	return out.Flush()
}

// writeClusters writes every cycle as a subgraph, nested like the cycles. An outer cycle
// precedes its inner ones, so cycles that end are closed when the next one opens.
func (f *CycleForest) writeClusters(out io.Writer, node func(indent string, b int)) {
	depth := 0
	shut := func(to int) {
		for ; depth > to; depth-- {
			fmt.Fprintf(out, "%s}\n", strings.Repeat("  ", depth))
		}
	}
	for _, c := range f.Cycles {
		shut(c.Depth - 1)
		depth = c.Depth
		indent := strings.Repeat("  ", depth)
		style := ""
		if !c.Reducible() {
			style = " style=dashed;"
		}
		fmt.Fprintf(out, "%ssubgraph cluster_%d {%s\n", indent, c.ID, style)
		for _, b := range c.Blocks {
			if f.innermost[b] == c {
				node(indent+"  ", b)
			}
		}
	}
	shut(0)
}

// quoteDOT quotes s for dot; newline is dot's escape for the end of a line.
func quoteDOT(s, newline string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", newline).Replace(s) + `"`
}
