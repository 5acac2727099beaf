package vir

import (
	"fmt"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/ssa"
)

// String formats f in the text form that Parse accepts.
func (f *Func) String() string { return f.Annotate(nil) }

// Annotate formats f. The result of note for an operation, or for nil at the end of a
// block, is appended to the line as a comment.
func (f *Func) Annotate(note func(*Block, *Value) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "vir %s width %d scratch %d", f.Name, f.Width, f.Scratch)
	if f.Local > 0 {
		fmt.Fprintf(&b, " local %d", f.Local)
	}
	if f.Iterations {
		b.WriteString(" iterations")
	}
	if f.Defers {
		b.WriteString(" defers")
	}
	if f.Groups {
		b.WriteString(" groups")
	}
	if f.LaneDim != 0 {
		fmt.Fprintf(&b, " lanedim %d", f.LaneDim)
	}
	if f.Phases {
		b.WriteString(" phases")
	}
	if f.VectorMasks {
		b.WriteString(" vectormasks")
	}
	if len(f.Objects) > 0 {
		b.WriteString(" objects")
		for _, o := range f.Objects {
			fmt.Fprintf(&b, " %d %d", o.At, o.Bytes)
		}
	}
	if len(f.NoAlias) > 0 {
		fmt.Fprintf(&b, " noalias %s", strings.Trim(fmt.Sprint(f.NoAlias), "[]"))
	}
	b.WriteString(" {\n")
	comment := func(blk *Block, v *Value) {
		if note != nil {
			if s := note(blk, v); s != "" {
				b.WriteString("  ; " + s)
			}
		}
		b.WriteByte('\n')
	}
	for _, blk := range f.Blocks {
		b.WriteString(Label(blk) + ssa.List(blk.Params, func(v *Value) string { return fmt.Sprintf("%s: %s", Ref(v), v.Type) }))
		b.WriteString(":\n")
		for _, v := range blk.Values {
			b.WriteString("  " + FormatValue(v))
			comment(blk, v)
		}
		b.WriteString("  " + FormatTerm(blk))
		comment(blk, nil)
	}
	b.WriteString("}\n")
	return b.String()
}

// Label formats the name of a block.
func Label(b *Block) string { return ssa.Label(b.ID, b.Name) }

// Ref formats a use of v: %7, %sum.7 if it has a name, or a literal, which is the value
// of every lane.
func Ref(v *Value) string {
	switch {
	case v == nil:
		return "%?"
	case v.Op == Const:
		return alu.FormatConst(v.Type.Elem, v.Const)
	}
	return ssa.Ref(v.ID, v.Name)
}

// operandType is the type after the operation's name: the operand type for comparisons,
// reductions and stores, otherwise the result type.
func operandType(v *Value) Type {
	i := -1
	switch {
	case alu.InfoOf(v.Op).Class == alu.Compare, v.Op == Any, v.Op == All, v.Op == Count, v.Op == Bits:
		i = 0
	case v.Op == Store, v.Op == VStore:
		i = 1
	case v.Op == Scatter:
		i = 2
	}
	if i < 0 || i >= len(v.Args) || v.Args[i] == nil { // missing if the value is malformed
		return v.Type
	}
	return v.Args[i].Type
}

// typedLiteral reports whether a literal as operand i needs an explicit type, because the
// operation's suffix does not determine it.
func typedLiteral(v *Value, i int) bool {
	switch v.Op {
	case Extract, First, Part, Concat, Shuffle, Resize, Load, Store, VLoad, VStore, Gather, Scatter, Insert,
		Atomic, CmpXchg, VAtomic, VCmpXchg, Rank, Compress, Expand:
		return true
	}
	return alu.InfoOf(v.Op).Class == alu.Convert || v.Op == alu.Select && i == 0
}

// FormatValue formats an operation without the end of the line.
func FormatValue(v *Value) string {
	var b strings.Builder
	if v.Type.Elem != alu.Void {
		b.WriteString(Ref(v) + " = ")
	}
	b.WriteString(InfoOf(v.Op).Name)
	if v.Op != Context && v.Op != Fence {
		fmt.Fprintf(&b, ".%s", operandType(v))
	}
	for i, a := range v.Args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + Ref(a))
		if a.Op == Const && typedLiteral(v, i) {
			fmt.Fprintf(&b, ":%s", a.Type)
		}
	}
	switch v.Op {
	case Iota, Prefix, Extract, Insert, Part:
		fmt.Fprintf(&b, " at %d", v.Index)
	case Atomic, VAtomic:
		fmt.Fprintf(&b, " %s", v.RMW())
	case Shuffle:
		fmt.Fprintf(&b, " lanes %s", strings.Trim(fmt.Sprint(v.Lanes), "[]"))
	}
	if InfoOf(v.Op).Memory {
		if v.Disp != 0 {
			fmt.Fprintf(&b, " disp %d", v.Disp)
		}
		if Indexed(v.Op) {
			fmt.Fprintf(&b, " scale %d", v.Scale)
		}
		if v.Align > 0 {
			fmt.Fprintf(&b, " align %d", v.Align)
		}
		if v.Invariant {
			b.WriteString(" invariant")
		}
		if v.Volatile {
			b.WriteString(" volatile")
		}
		if v.Local {
			b.WriteString(" local")
		}
		if v.Readable {
			b.WriteString(" readable")
		}
		if v.Object != 0 {
			fmt.Fprintf(&b, " object %d", v.Object)
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
	case Return:
		return "return"
	}
	return "; no terminator"
}

func formatEdge(e Edge) string { return ssa.FormatEdge(e, Label, Ref) }
