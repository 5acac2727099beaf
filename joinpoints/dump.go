package joinpoints

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Dump writes the order, the intervals and the JOIN points as a table, one
// position a line; label names a block. It returns the writer's error.
//
// The column loops shows where intervals begin (>), go on (|) and end (<),
// outermost left, X for one of a single position. "join -> p" is a JOIN point
// and where control goes without active lanes; "then -> p" where it goes after
// the block, if that is not the next position; p is a head, "end of p..q" the
// end of an interval, and "done" the end of the flow. "same p" says that the active lanes are those of
// position p, "gathers" that lanes which waited join in.
func (p *Points) Dump(w io.Writer, label func(b int) string) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "pos\tblock\tloops\tflow\n")
	for q, b := range p.Order {
		var notes []string
		if p.IsJoin[q] {
			notes = append(notes, "join -> "+p.target(p.NextJoin[q]))
		}
		if p.Gathers[q] && q > 0 {
			notes = append(notes, "gathers")
		}
		if d := p.SameMask[q]; d != q {
			notes = append(notes, fmt.Sprintf("same %d", d))
		}
		for _, i := range p.Ends(q) {
			notes = append(notes, fmt.Sprintf("back -> %d", p.Intervals[i].Lo))
		}
		if t := p.Next[q]; t != (Target{Pos: q + 1}) {
			notes = append(notes, "then -> "+p.target(t))
		}
		loops := p.loops(q)
		if loops == "" {
			loops = "."
		}
		fmt.Fprintf(tw, "%d\t%s\t%s\t%s\n", q, label(b), loops, strings.Join(notes, ", "))
	}
	return tw.Flush()
}

func (p *Points) target(t Target) string {
	switch {
	case t.Pos == p.Len():
		return "done"
	case t.End:
		return fmt.Sprintf("end of %d..%d", p.Intervals[t.Interval].Lo, t.Pos)
	}
	return fmt.Sprint(t.Pos)
}

// loops draws the intervals around a position.
func (p *Points) loops(pos int) string {
	var marks []byte
	for i := p.nest.innermost[pos]; i >= 0; i = p.Intervals[i].Parent {
		switch s := p.Intervals[i]; {
		case s.Lo == s.Hi:
			marks = append(marks, 'X')
		case s.Lo == pos:
			marks = append(marks, '>')
		case s.Hi == pos:
			marks = append(marks, '<')
		default:
			marks = append(marks, '|')
		}
	}
	for i, j := 0, len(marks)-1; i < j; i, j = i+1, j-1 {
		marks[i], marks[j] = marks[j], marks[i]
	}
	return string(marks)
}
