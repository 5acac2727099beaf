package kernel

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/clprintf"
	"github.com/simtc/simtc/internal/ssa"
)

// Printer formats IR in the text form that Parse reads. Its hooks let an analysis print its results:
// the returned text is appended to the line as a comment.
type Printer struct {
	Value func(*Value) string // after an operation or a block parameter; may be nil
	Block func(*Block) string // after a block's label
	Term  func(*Block) string // after a terminator
}

// String formats the module without annotations.
func (m *Module) String() string { return (&Printer{}).Module(m) }

// String formats the function without annotations.
func (f *Func) String() string { return (&Printer{}).Func(f) }

// Module formats data and functions.
func (p *Printer) Module(m *Module) string {
	var b strings.Builder
	for _, d := range m.Data {
		fmt.Fprintf(&b, "data %s align %d", d.Name, d.Align)
		shown := d.Bytes
		if d.Variables {
			fmt.Fprintf(&b, " variables %d", len(d.Bytes))
			shown = bytes.TrimRight(d.Bytes, "\x00")
		}
		if len(shown) > 0 {
			fmt.Fprintf(&b, " %x", shown)
		}
		for _, a := range d.Addresses {
			fmt.Fprintf(&b, " address %d data %d plus %d", a.At, a.Data, a.Plus)
		}
		for _, at := range d.Pointers {
			fmt.Fprintf(&b, " pointer %d", at)
		}
		b.WriteByte('\n')
	}
	for i, f := range m.Funcs {
		if i > 0 || len(m.Data) > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.Func(f))
	}
	return b.String()
}

// Func formats one function.
func (p *Printer) Func(f *Func) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s {\n", f.Name)
	if f.Prepared {
		b.WriteString("  prepared\n")
	}
	if f.Reassociate {
		b.WriteString("  reassociate\n")
	}
	if r := f.ReqdWorkGroupSize; r != [3]int{} {
		fmt.Fprintf(&b, "  reqd_work_group_size %d %d %d\n", r[0], r[1], r[2])
	}
	if f.ReqdSubGroupSize != 0 {
		fmt.Fprintf(&b, "  reqd_sub_group_size %d\n", f.ReqdSubGroupSize)
	}
	if f.LaneDim != 0 {
		fmt.Fprintf(&b, "  ; dimensions 0 and %d are exchanged\n", f.LaneDim)
	}
	if n := f.Joined; n[2] > 1 {
		fmt.Fprintf(&b, "  ; rows of work-groups of %d by %d by %d are joined\n", n[0], n[1], n[2])
	} else if n[0] != 0 {
		fmt.Fprintf(&b, "  ; rows of work-groups of %d by %d are joined\n", n[0], n[1])
	}
	for _, a := range f.Args {
		b.WriteString("  " + formatArg(a) + "\n")
	}
	for _, l := range f.Locals {
		fmt.Fprintf(&b, "  local %s %d align %d\n", l.Name, l.Size, l.Align)
	}
	for _, x := range f.Formats {
		b.WriteString("  " + formatFormat(x) + "\n")
	}
	for _, blk := range f.Blocks {
		p.block(&b, blk)
	}
	b.WriteString("}\n")
	return b.String()
}

var argKinds = [...]string{"scalar", "buffer", "local", "bytes", "image", "variables", "printf", "report"}

func formatArg(a Arg) string {
	s := fmt.Sprintf("arg %s %s", a.Name, argKinds[a.Kind])
	if a.Kind == ArgBytes {
		s += fmt.Sprintf(" %d align %d", a.Size, a.Align)
	} else {
		elem := a.Elem
		if elem == "" {
			elem = "-"
		}
		s += fmt.Sprintf(" %s %s %d", a.Type, elem, a.Count)
	}
	s += " " + strconv.Quote(a.CType)
	if a.Pointee > 0 {
		s += fmt.Sprintf(" of %d", a.Pointee)
	}
	if a.ReadOnly {
		s += " readonly"
	}
	if a.Restrict {
		s += " restrict"
	}
	return s
}

func formatFormat(x clprintf.Format) string {
	s := "format " + strconv.Quote(x.Text)
	for _, a := range x.Args {
		if a.Elem == "string" {
			s += " " + strconv.Quote(a.Text)
		} else {
			s += fmt.Sprintf(" %s %d", a.Elem, a.Count)
		}
	}
	return s
}

func note(b *strings.Builder, s string) {
	if s != "" {
		b.WriteString("  ; " + s)
	}
	b.WriteByte('\n')
}

// Head formats the label of b with its parameters: b1.loop(%n.5: i32).
func Head(b *Block) string { return Label(b) + ssa.List(b.Params, formatParam) }

func formatParam(v *Value) string { return fmt.Sprintf("%s: %s", Ref(v), v.Type) }

func (p *Printer) block(b *strings.Builder, blk *Block) {
	b.WriteString(Head(blk))
	b.WriteByte(':')
	s := ""
	if p.Block != nil {
		s = p.Block(blk)
	}
	if p.Value != nil {
		for _, v := range blk.Params {
			if t := p.Value(v); t != "" {
				s = strings.TrimPrefix(s+", "+Ref(v)+" "+t, ", ")
			}
		}
	}
	note(b, s)
	switch {
	case blk.Unroll >= UnrollFull:
		b.WriteString("  unroll full\n")
	case blk.Unroll > 0:
		fmt.Fprintf(b, "  unroll %d\n", blk.Unroll)
	}
	if r := blk.Func.Request(blk); r != nil && r.Forbidden {
		b.WriteString("  novectorize\n")
	} else if r != nil {
		b.WriteString("  vectorize\n")
	}
	if blk.Loop > 0 {
		fmt.Fprintf(b, "  loop %d\n", blk.Loop)
	}
	for _, v := range blk.Values {
		b.WriteString("  " + FormatValue(v))
		s := ""
		if p.Value != nil {
			s = p.Value(v)
		}
		note(b, s)
	}
	b.WriteString("  " + FormatTerm(blk))
	s = ""
	if p.Term != nil {
		s = p.Term(blk)
	}
	note(b, s)
}

// Label formats the name of a block: b3, or b3.loop with a hint.
func Label(b *Block) string { return ssa.Label(b.ID, b.Name) }

// Ref formats a use of v: %7, %sum.7 with a hint, or a literal.
func Ref(v *Value) string {
	switch {
	case v == nil:
		return "%?"
	case v.Op == Const:
		return alu.FormatConst(v.Type, v.Const)
	}
	return ssa.Ref(v.ID, v.Name)
}

// operandType is the type printed after the operation's name: the result type, or the operands' for
// comparisons and stores.
func operandType(v *Value) Type {
	switch {
	case v.Op == Store:
		return v.Args[1].Type
	case alu.InfoOf(v.Op).Class == alu.Compare:
		return v.Args[0].Type
	}
	return v.Type
}

// FormatValue formats an operation without its line end.
func FormatValue(v *Value) string {
	var b strings.Builder
	if v.Type != alu.Void {
		b.WriteString(Ref(v) + " = ")
	}
	b.WriteString(InfoOf(v.Op).Name)
	switch v.Op {
	case GlobalID, LocalID, GroupID, GlobalSize, LocalSize, NumGroups, GlobalOffset, WorkDim, ArgAddr, DataAddr, LocalAddr, GroupState, Alloca, Lane, Lanes, SpanRows, Ballot, AllLanes, FewLanes, InLocal, InPrivate:
	default:
		if len(v.Args) > 0 || v.Op == Argument {
			fmt.Fprintf(&b, ".%s", operandType(v))
			if (v.Op == Load || v.Op == Store) && v.Count > 1 {
				fmt.Fprintf(&b, "x%d", v.Count)
			}
		}
	}
	convert := alu.InfoOf(v.Op).Class == alu.Convert
	for i, a := range v.Args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + Ref(a))
		if convert && a.Op == Const {
			fmt.Fprintf(&b, ":%s", a.Type)
		}
	}
	switch v.Op {
	case Component:
		fmt.Fprintf(&b, ", %d", v.Index)
	case Argument, ArgAddr, DataAddr, LocalAddr, GlobalID, LocalID, GroupID, GlobalSize, LocalSize, NumGroups, GlobalOffset:
		fmt.Fprintf(&b, " %d", v.Index)
	case Alloca:
		fmt.Fprintf(&b, " %d align %d", v.Size, v.Align)
		if v.Index > 0 {
			fmt.Fprintf(&b, " in loop %d", v.Index)
		}
		if v.Shared {
			b.WriteString(" shared")
		}
	case PtrAdd:
		if v.Size > 0 {
			fmt.Fprintf(&b, " in %d at %d", v.Size, v.Index)
		}
	case Atomic:
		fmt.Fprintf(&b, " %s", v.RMW())
	case Load, Store:
		fmt.Fprintf(&b, " align %d", v.Align)
		if v.Volatile {
			b.WriteString(" volatile")
		}
	}
	return b.String()
}

// FormatTerm formats the terminator of b.
func FormatTerm(b *Block) string {
	switch b.Kind {
	case Jump:
		return "jump " + formatEdge(b.Edges[0])
	case Branch:
		return fmt.Sprintf("branch %s, %s, %s", Ref(b.Cond), formatEdge(b.Edges[0]), formatEdge(b.Edges[1]))
	case Switch:
		var s strings.Builder
		fmt.Fprintf(&s, "switch.%s %s, %s", b.Cond.Type, Ref(b.Cond), formatEdge(b.Edges[0]))
		for i, c := range b.Cases {
			fmt.Fprintf(&s, ", %s: %s", alu.FormatConst(b.Cond.Type, c), formatEdge(b.Edges[i+1]))
		}
		return s.String()
	case Return:
		return "return"
	}
	return "; no terminator"
}

func formatEdge(e Edge) string { return ssa.FormatEdge(e, Label, Ref) }
