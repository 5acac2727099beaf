package vir

import (
	"strconv"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/ssa"
)

// Parse reads one function in the text form written by String. Names of blocks and values
// are arbitrary; a comment extends from ";" to the end of the line. The result is
// verified. Positions refer to the text.
func Parse(file, text string) (*Func, error) {
	p := &parser{}
	p.Parser = ssa.NewParser[*Block, *Value, Type](file, text, p)
	p.function()
	if p.Err() != nil {
		return nil, p.Err()
	}
	p.f.Renumber()
	if err := Verify(p.f); err != nil {
		return nil, diag.Errorf(p.f.Pos, "%v", err)
	}
	return p.f, nil
}

// ParseType parses a type in the form of String: i32, i32x16, i1x8, m32x8.
func ParseType(s string) (Type, bool) {
	elem, lanes := s, "1"
	if at := strings.LastIndexByte(s, 'x'); at > 0 {
		elem, lanes = s[:at], s[at+1:]
		if lanes == "1" {
			return Type{}, false
		}
	}
	n, err := strconv.Atoi(lanes)
	t := Type{Lanes: n}
	ok := false
	if bits, mask := strings.CutPrefix(elem, "m"); mask {
		t.Elem = alu.I1
		t.MaskBits, ok = maskBits[bits]
	} else {
		t.Elem, ok = alu.ParseType(elem)
	}
	return t, ok && err == nil && validType(t) && strconv.Itoa(n) == lanes
}

// maskBits holds the values of MaskBits of masks in vectors.
var maskBits = map[string]uint8{"8": 8, "16": 16, "32": 32, "64": 64}

// parser is the ssa.Form of vir.
type parser struct {
	ssa.Parser[*Block, *Value, Type]
	f *Func
}

func (p *parser) number(what string) int64 { return p.Number(what, 10, 64) }

// ParseType parses the type of a value.
func (p *parser) ParseType(s string) (Type, bool) { return ParseType(s) }

// Literal returns a constant of the function.
func (p *parser) Literal(t Type, s string) (*Value, bool) {
	bits, ok := alu.ParseConst(t.Elem, s)
	if !ok {
		return nil, false
	}
	return p.f.Const(t, bits), true
}

// NewBlock makes a block. In b12.name only name is used, as blocks are numbered in order; any other
// label is a name as a whole.
func (p *parser) NewBlock(label string) *Block {
	name := label
	head, rest, _ := strings.Cut(label, ".")
	if strings.HasPrefix(head, "b") && digits(head[1:]) {
		name = rest
	}
	return &Block{Name: name, Func: p.f}
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func (p *parser) AddBlock(b *Block)                { p.f.Blocks = append(p.f.Blocks, b) }
func (p *parser) NewParam(b *Block, t Type) *Value { return b.NewParam(t, "") }
func (p *parser) Open(b *Block) bool               { return b.Kind == NoTerm }
func (p *parser) Edges(b *Block) *[]Edge           { return &b.Edges }
func (p *parser) Params(b *Block) []*Value         { return b.Params }
func (p *parser) TypeOf(v *Value) Type             { return v.Type }

// Name names a value: in %hint.7, hint.
func (p *parser) Name(v *Value, hint string, pos diag.Pos) {
	v.Pos = pos
	if at := strings.LastIndexByte(hint, '.'); at >= 0 && digits(hint[at+1:]) {
		hint = hint[:at]
	} else if digits(hint) {
		hint = ""
	}
	v.Name = hint
}

func (p *parser) function() {
	for p.Accept("\n") {
	}
	p.Expect("vir")
	p.f = &Func{Pos: p.Pos(), Name: p.Word("the function's name")}
	p.Expect("width")
	p.f.Width = int(p.number("the width"))
	p.Expect("scratch")
	p.f.Scratch = int(p.number("the bytes of scratch"))
	if p.Accept("local") {
		p.f.Local = int(p.number("the bytes of local memory"))
	}
	p.f.Iterations = p.Accept("iterations")
	p.f.Defers = p.Accept("defers")
	p.f.Groups = p.Accept("groups")
	if p.Accept("lanedim") {
		p.f.LaneDim = int(p.number("a dimension"))
	}
	p.f.Phases = p.Accept("phases")
	p.f.VectorMasks = p.Accept("vectormasks")
	if p.Accept("objects") {
		for p.Err() == nil && !p.At("{") && !p.At("noalias") {
			p.f.Objects = append(p.f.Objects, Object{p.number("an object's offset"), p.number("an object's size")})
		}
	}
	if p.Accept("noalias") {
		for p.Err() == nil && !p.At("{") {
			p.f.NoAlias = append(p.f.NoAlias, p.number("an argument's offset"))
		}
	}
	p.Body("function", func() bool { return false })
	for p.Accept("\n") {
	}
	if p.Err() == nil && !p.AtEnd() {
		p.Failf("expected the end of the file, found %s", p.Found())
	}
}

// Operation parses an operation after its result.
func (p *parser) Operation(b *Block, word string, pos diag.Pos) *Value {
	v := p.operation(b, word, pos)
	if v != nil && v.Type == (Type{}) {
		p.FailAt(pos, "%s has no value", InfoOf(v.Op).Name)
	}
	return v
}

// Statement parses an operation without a result, or a terminator.
func (p *parser) Statement(b *Block, word string, pos diag.Pos) {
	name, _, _ := strings.Cut(word, ".")
	if _, ok := ParseOp(name); !ok {
		p.term(b, word, pos)
	} else if v := p.operation(b, word, pos); v != nil && v.Type != (Type{}) {
		p.FailAt(pos, "the value of %s has no name", name)
	}
}

func (p *parser) operation(b *Block, word string, pos diag.Pos) *Value {
	name, suffix, dotted := strings.Cut(word, ".")
	op, ok := ParseOp(name)
	if !ok || op == Const || op == Param {
		p.FailAt(pos, "unknown operation %q", name)
		return nil
	}
	var typ Type
	if op == Fence && !dotted {
		typ = Type{}
	} else if op == Context {
		typ = Scalar(alu.I64)
	} else if typ, ok = ParseType(suffix); !ok {
		p.FailAt(pos, "unknown type %q", suffix)
		return nil
	}
	if op == Context && dotted {
		p.FailAt(pos, "context has no type")
	}
	in := InfoOf(op)
	v := b.Append(op, p.resultType(op, typ))
	v.Pos = pos
	for i := 0; p.Err() == nil && i != in.Args; i++ {
		if i > 0 && in.Args < 0 && !p.Accept(",") {
			break
		} else if i > 0 && in.Args >= 0 {
			p.Expect(",")
		}
		v.Args = append(v.Args, nil)
		p.Operand(func(x *Value) { v.Args[i] = x }, func() Type { return literalType(v, i, typ) })
	}
	p.attributes(v)
	return v
}

// resultType is the type of the result of op with the given type suffix.
func (p *parser) resultType(op Op, suffix Type) Type {
	switch {
	case InfoOf(op).Effect == Writes && !IsAtomic(op):
		return Type{}
	case op == Any || op == All:
		return Scalar(alu.I1)
	case op == Count || op == Bits:
		return Scalar(alu.I64)
	case alu.InfoOf(op).Class == alu.Compare:
		return p.f.MaskType(suffix)
	}
	return suffix
}

// literalType is the type of an untyped literal that is operand i.
func literalType(v *Value, i int, suffix Type) Type {
	switch {
	case typedLiteral(v, i):
		return Type{}
	case v.Op == Splat:
		return Scalar(suffix.Elem)
	case v.Op == Prefix, v.Op == Unbits:
		return Scalar(alu.I64)
	}
	return suffix
}

func (p *parser) attributes(v *Value) {
	switch v.Op {
	case Iota, Prefix, Extract, Insert, Part:
		p.Expect("at")
		v.Index = int(p.number("an index"))
	case Atomic, VAtomic:
		pos := p.Pos()
		k, ok := alu.ParseRMW(p.Word("an atomic operation"))
		if !ok {
			p.FailAt(pos, "unknown atomic operation")
		}
		v.Index = int(k)
	case Shuffle:
		p.Expect("lanes")
		for p.Err() == nil && !p.At("\n") && len(v.Lanes) <= maxLanes {
			v.Lanes = append(v.Lanes, int(p.number("a lane")))
		}
	}
	if !InfoOf(v.Op).Memory {
		return
	}
	if p.Accept("disp") {
		v.Disp = p.number("a displacement")
	}
	if p.Accept("scale") {
		v.Scale = int(p.number("a scale"))
	}
	if p.Accept("align") {
		v.Align = int(p.number("an alignment"))
	}
	v.Invariant = p.Accept("invariant")
	v.Volatile = p.Accept("volatile")
	v.Local = p.Accept("local")
	v.Readable = p.Accept("readable")
	if p.Accept("object") {
		v.Object = p.number("an object's offset")
	}
}

func (p *parser) term(b *Block, name string, pos diag.Pos) {
	b.Pos = pos
	switch name {
	case "return":
		b.Kind = Return
	case "jump":
		b.Kind = Jump
		p.Edge(b)
	case "branch":
		b.Kind = Branch
		p.Operand(func(v *Value) { b.Cond = v }, func() Type { return Scalar(alu.I1) })
		p.Expect(",")
		p.Edge(b)
		p.Expect(",")
		p.Edge(b)
	default:
		p.FailAt(pos, "unknown operation or terminator %q", name)
	}
}
