package remarks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/simtc/simtc/internal/diag"
)

// finish merges equal drafts of one line and sorts the result.
func (c *collector) finish() []Remark {
	type key struct {
		file       string
		line       int
		kind, rest string
	}
	equal := map[key][]*draft{}
	var list []key
	for _, d := range c.list {
		k := key{d.at.File, d.at.Line, d.kind, d.rest}
		if equal[k] == nil {
			list = append(list, k)
		}
		equal[k] = append(equal[k], d)
	}
	out := make([]Remark, len(list))
	for i, of := range list {
		d, count := equal[of][0], c.once(equal[of])
		k := kinds[indexOf(d.kind)]
		text := k.one
		if count > 1 {
			text = fmt.Sprintf("%d %s", count, k.many)
		}
		out[i] = Remark{
			File: d.at.File, Line: d.at.Line, Column: d.at.Col, Kernel: c.Kernel.Name, Kind: d.kind, Width: c.Vector.Width,
			Count: count, Text: text + d.rest, NS: d.ns, Chain: d.chain, Help: d.help, at: d.at,
		}
	}
	Sort(out)
	return out
}

// Sort orders remarks by position: the file of the first remark first, then others by name;
// within a file by line, column and kind.
func Sort(rs []Remark) {
	if len(rs) == 0 {
		return
	}
	first := rs[0].File
	slices.SortStableFunc(rs, func(a, b Remark) int {
		if a.File != b.File {
			if a.File == first || b.File != first && a.File < b.File {
				return -1
			}
			return 1
		}
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, indexOf(a.Kind)-indexOf(b.Kind))
	})
}

// Choose returns the remarks of the given kinds, separated by commas: "" or "default" selects
// all kinds that are not quiet, "all" selects every kind.
func Choose(rs []Remark, names string) ([]Remark, error) {
	want := map[string]bool{}
	switch names {
	case "", "default", "all":
		for _, k := range kinds {
			want[k.Name] = names == "all" || !k.Quiet
		}
	default:
		for _, n := range strings.Split(names, ",") {
			if indexOf(n) < 0 {
				var all []string
				for _, k := range kinds {
					all = append(all, k.Name)
				}
				return nil, fmt.Errorf("invalid remark kind %q: want default, all or some of %s", n, strings.Join(all, ", "))
			}
			want[n] = true
		}
	}
	out := []Remark{}
	for _, r := range rs {
		if want[r.Kind] {
			out = append(out, r)
		}
	}
	return out, nil
}

// String formats a remark as "file:line:col: remark: [kind] text", without its chain and
// help.
func (r Remark) String() string {
	return fmt.Sprintf("%s:%d:%d: remark: [%s] %s", r.File, r.Line, r.Column, r.Kind, r.Text)
}

// Format prints remarks by source line: the line with a caret below each column concerned,
// then one line for each remark, followed by its chain and help, indented. source returns
// a file's text. The kernel is named if the remarks concern several kernels.
func Format(rs []Remark, source func(file string) (string, bool)) string {
	var b strings.Builder
	texts := diag.NewTexts(source)
	// Each explanation and each help text is printed once.
	explained, helped := map[string]bool{}, map[string]bool{}
	kernels := map[string]bool{}
	for _, r := range rs {
		kernels[r.Kernel] = true
	}
	for i, r := range rs {
		if i == 0 || rs[i-1].File != r.File || rs[i-1].Line != r.Line {
			if i > 0 {
				b.WriteByte('\n')
			}
			if s, _ := texts.Line(r.at); strings.TrimSpace(s) != "" {
				s = strings.ReplaceAll(s, "\t", " ")
				end := i
				for end < len(rs) && rs[end].File == r.File && rs[end].Line == r.Line {
					end++
				}
				b.WriteString(s + "\n" + carets(s, rs[i:end]) + "\n")
			}
		}
		b.WriteString(r.String())
		if len(kernels) > 1 {
			fmt.Fprintf(&b, " (kernel %s)", r.Kernel)
		}
		b.WriteByte('\n')
		for i, l := range r.Chain {
			fmt.Fprintf(&b, "    %s:%d:%d: %s", l.File, l.Line, l.Column, l.Text)
			rest := fmt.Sprint(r.Chain[i:])
			if explained[rest] && i+1 < len(r.Chain) {
				b.WriteString(", as above\n")
				break
			}
			b.WriteByte('\n')
			explained[rest] = true
		}
		if r.Help != "" && !helped[r.Help] {
			helped[r.Help] = true
			fmt.Fprintf(&b, "    help: %s\n", r.Help)
		}
	}
	return b.String()
}

// carets marks the columns of the remarks about one line.
func carets(line string, rs []Remark) string {
	marks := []byte{}
	for _, r := range rs {
		// Column counts bytes.
		n := utf8.RuneCountInString(line[:min(max(r.Column-1, 0), len(line))])
		for len(marks) <= n {
			marks = append(marks, ' ')
		}
		marks[n] = '^'
	}
	return string(marks)
}
