package wasm

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WAT prints the module in the text format, one instruction per line, indented by nesting,
// with names of functions, locals and labels, comments where the source line changes, and
// the comments of Func.Comments. Other tools assemble it to the same code; custom sections
// appear only in comments. The module need not be valid.
func (m *Module) WAT() string {
	p := &printer{m: m, funcs: m.funcNames()}
	p.buf.WriteString("(module")
	if m.Name != "" {
		p.buf.WriteString(" $" + identifier(m.Name))
	}
	p.buf.WriteString("\n")
	if mem := m.Memory; mem != nil {
		p.memory(mem)
	}
	for i, imp := range m.Imports {
		p.importFunc(p.funcs[i], imp)
	}
	for i, f := range m.Funcs {
		p.function(p.funcs[len(m.Imports)+i], f)
	}
	for _, c := range m.Custom {
		content := fmt.Sprintf(", %d bytes", len(c.Data))
		if isText(c.Data) {
			content = ": " + string(c.Data)
		}
		fmt.Fprintf(&p.buf, "  ;; custom section %q%s\n", c.Name, content)
	}
	p.buf.WriteString(")\n")
	return p.buf.String()
}

// isText reports whether data can appear in a comment.
func isText(data []byte) bool {
	return !slices.ContainsFunc(data, func(c byte) bool { return c < ' ' || c >= 0x7F })
}

type printer struct {
	m      *Module
	buf    strings.Builder
	funcs  []string
	f      *Func
	locals []string
	labels []string // of the open blocks
	count  int      // labels assigned in this function
}

func (p *printer) memory(mem *Memory) {
	limits := strconv.Itoa(int(mem.Min))
	if mem.HasMax {
		limits += " " + strconv.Itoa(int(mem.Max))
	}
	if mem.Shared {
		limits += " shared"
	}
	export := ""
	if mem.Export != "" {
		export = fmt.Sprintf(" (export %s)", quote(mem.Export))
	}
	if mem.ImportModule != "" {
		export += fmt.Sprintf(" (import %s %s)", quote(mem.ImportModule), quote(mem.ImportName))
	}
	fmt.Fprintf(&p.buf, "  (memory%s %s)\n", export, limits)
}

func (p *printer) importFunc(name string, imp Import) {
	p.buf.WriteString("  (func")
	if name != "" {
		p.buf.WriteString(" $" + name)
	}
	fmt.Fprintf(&p.buf, " (import %s %s)", quote(imp.Module), quote(imp.Name))
	for _, t := range imp.Params {
		fmt.Fprintf(&p.buf, " (param %s)", t)
	}
	for _, t := range imp.Results {
		fmt.Fprintf(&p.buf, " (result %s)", t)
	}
	p.buf.WriteString(")\n")
}

func (p *printer) function(name string, f *Func) {
	p.f, p.locals, p.labels, p.count = f, f.localNames(), nil, 0
	p.buf.WriteString("  (func")
	if name != "" {
		p.buf.WriteString(" $" + name)
	}
	if f.Export != "" {
		fmt.Fprintf(&p.buf, " (export %s)", quote(f.Export))
	}
	for k, l := range f.Params {
		p.buf.WriteString(" " + declare("param", p.locals[k], l.Type))
	}
	for _, r := range f.Results {
		fmt.Fprintf(&p.buf, " (result %s)", r)
	}
	p.buf.WriteString("\n")
	width := 0
	for k, l := range f.Locals {
		d := declare("local", p.locals[len(f.Params)+k], l.Type)
		switch {
		case width == 0:
			p.buf.WriteString("    ")
		case width+len(d) > 90:
			p.buf.WriteString("\n    ")
			width = 0
		default:
			p.buf.WriteString(" ")
		}
		p.buf.WriteString(d)
		width += len(d) + 1
	}
	if width > 0 {
		p.buf.WriteString("\n")
	}
	line, text := uint32(0), ""
	for k := range f.Body {
		in := &f.Body[k]
		if in.Line == 0 {
			text = ""
		} else if in.Line != line {
			if next := p.sourceLine(in.Line); next != text { // several numbers may belong to one line
				text = next
				p.comment(text)
			}
		}
		line = in.Line
		if c := f.Comments[k]; c != "" {
			p.comment(c)
		}
		p.instr(in)
	}
	p.buf.WriteString("  )\n")
}

func declare(kind, name string, t ValType) string {
	if name == "" {
		return fmt.Sprintf("(%s %s)", kind, t)
	}
	return fmt.Sprintf("(%s $%s %s)", kind, name, t)
}

func (p *printer) sourceLine(n uint32) string {
	if p.m.Comment != nil {
		return p.m.Comment(n)
	}
	return fmt.Sprintf("line %d", n)
}

func (p *printer) comment(text string) {
	for _, l := range strings.Split(text, "\n") {
		p.indent()
		p.buf.WriteString(";; " + l + "\n")
	}
}

func (p *printer) indent() {
	for range 2 + len(p.labels) {
		p.buf.WriteString("  ")
	}
}

func (p *printer) instr(in *Instr) {
	closed := ""
	if (in.Op == End || in.Op == Else) && len(p.labels) > 0 {
		closed = p.labels[len(p.labels)-1]
		p.labels = p.labels[:len(p.labels)-1]
	}
	p.indent()
	p.buf.WriteString(in.Op.String())
	if in.Op.Valid() {
		p.immediates(in)
	}
	switch in.Op {
	case End:
		if closed != "" {
			p.buf.WriteString(" $" + closed)
		}
	case Else:
		p.labels = append(p.labels, closed)
	}
	p.buf.WriteString("\n")
}

func (p *printer) immediates(in *Instr) {
	w := func(format string, args ...any) { fmt.Fprintf(&p.buf, " "+format, args...) }
	switch r := &Rows[in.Op]; r.Imm {
	case ImmBlock:
		p.count++
		label := in.Op.String()[:1] + strconv.Itoa(p.count)
		p.labels = append(p.labels, label)
		w("$%s", label)
		if t := ValType(in.Imm); t != BlockVoid {
			w("(result %s)", t)
		}
	case ImmType:
		w("(result %s)", ValType(in.Imm))
	case ImmLabel:
		w("%s", p.label(in.Imm))
	case ImmTable:
		if in.Imm < uint64(len(p.f.Tables)) {
			for _, l := range p.f.Tables[in.Imm] {
				w("%s", p.label(uint64(l)))
			}
		}
	case ImmFunc:
		w("%s", nameOrIndex(p.funcs, in.Imm))
	case ImmLocal:
		w("%s", nameOrIndex(p.locals, in.Imm))
	case ImmMem, ImmMemLane:
		if in.Imm != 0 {
			w("offset=%d", in.Imm)
		}
		if in.Align != r.N {
			w("align=%d", uint64(1)<<in.Align)
		}
		if r.Imm == ImmMemLane {
			w("%d", in.Lane)
		}
	case ImmLane:
		w("%d", in.Lane)
	case ImmShuffle:
		for _, l := range unpackBytes(in.Imm, in.Hi) {
			w("%d", l)
		}
	case ImmI32:
		w("%d", int32(in.Imm))
	case ImmI64:
		w("%d", int64(in.Imm))
	case ImmF32:
		w("%s", floatText(float64(math.Float32frombits(uint32(in.Imm))), 32, in.Imm>>31&1, in.Imm&(1<<23-1)))
	case ImmF64:
		w("%s", floatText(math.Float64frombits(in.Imm), 64, in.Imm>>63, in.Imm&(1<<52-1)))
	case ImmV128:
		w("i32x4 0x%08x 0x%08x 0x%08x 0x%08x", uint32(in.Imm), uint32(in.Imm>>32), uint32(in.Hi), uint32(in.Hi>>32))
	}
}

func (p *printer) label(depth uint64) string {
	if depth < uint64(len(p.labels)) {
		return "$" + p.labels[len(p.labels)-1-int(depth)]
	}
	return strconv.FormatUint(depth, 10)
}

func nameOrIndex(names []string, i uint64) string {
	if i < uint64(len(names)) && names[i] != "" {
		return "$" + names[i]
	}
	return strconv.FormatUint(i, 10)
}

// floatText prints the shortest decimal that parses as v; a NaN keeps its payload.
func floatText(v float64, size int, sign, payload uint64) string {
	prefix := ""
	if sign != 0 {
		prefix = "-"
	}
	switch {
	case math.IsNaN(v):
		return fmt.Sprintf("%snan:0x%x", prefix, payload)
	case math.IsInf(v, 0):
		return prefix + "inf"
	}
	return strconv.FormatFloat(v, 'g', -1, size)
}

// quote formats a string for the text format: bytes outside printable ASCII become two
// hexadecimal digits.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7F || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%02x", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
