package vir

import (
	"strconv"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/diag"
)

// Parse reads one function in the text form written by String. Names of blocks and values
// are arbitrary; a comment extends from ";" to the end of the line. The result is
// verified. Positions refer to the text.
func Parse(file, text string) (*Func, error) {
	p := &parser{
		scan: scanner{file: file, text: text, line: 1},
		refs: map[string]*Block{}, blocks: map[string]bool{}, values: map[string]*Value{},
	}
	p.next()
	for p.accept("\n") {
	}
	p.function()
	if p.err != nil {
		return nil, p.err
	}
	p.f.Renumber()
	if err := Verify(p.f); err != nil {
		return nil, diag.Errorf(p.f.Pos, "%v", err)
	}
	return p.f, nil
}

// ParseType parses a type in the form of String: i32, i32x16, i1x8.
func ParseType(s string) (Type, bool) {
	elem, lanes := s, "1"
	if at := strings.LastIndexByte(s, 'x'); at > 0 {
		elem, lanes = s[:at], s[at+1:]
		if lanes == "1" {
			return Type{}, false
		}
	}
	e, ok := alu.ParseType(elem)
	n, err := strconv.Atoi(lanes)
	t := Type{e, n}
	return t, ok && err == nil && validType(t) && strconv.Itoa(n) == lanes
}

type parser struct {
	scan   scanner
	tok    token
	err    error
	f      *Func
	refs   map[string]*Block // by label, made on first reference
	blocks map[string]bool   // labels that have been defined
	values map[string]*Value
	fixups []func()
}

func (p *parser) failf(format string, args ...any) { p.failAt(p.tok.pos, format, args...) }

func (p *parser) failAt(pos diag.Pos, format string, args ...any) {
	if p.err == nil {
		p.err = diag.Errorf(pos, format, args...)
		p.tok = token{"", pos}
	}
}

func (p *parser) next() {
	if p.err != nil {
		return
	}
	t, err := p.scan.next()
	if err != nil {
		p.failAt(err.Pos, "%s", err.Msg)
		return
	}
	p.tok = t
}

func (p *parser) accept(s string) bool {
	if p.err == nil && p.tok.text == s {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.failf("expected %q, found %s", s, found(p.tok))
	}
}

func found(t token) string {
	if t.text == "" {
		return "the end of the file"
	}
	return strconv.Quote(t.text)
}

func (p *parser) word(what string) string {
	s := p.tok.text
	if s == "" || !wordByte(s[0]) {
		p.failf("expected %s, found %s", what, found(p.tok))
		return ""
	}
	p.next()
	return s
}

func (p *parser) number(what string) int64 {
	pos := p.tok.pos
	s := p.word(what)
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		p.failAt(pos, "%s: %q is not a number", what, s)
	}
	return n
}

func (p *parser) typ() Type {
	pos := p.tok.pos
	s := p.word("a type")
	t, ok := ParseType(s)
	if !ok {
		p.failAt(pos, "unknown type %q", s)
	}
	return t
}

func (p *parser) function() {
	p.expect("vir")
	p.f = &Func{Pos: p.tok.pos, Name: p.word("the function's name")}
	p.expect("width")
	p.f.Width = int(p.number("the width"))
	p.expect("scratch")
	p.f.Scratch = int(p.number("the bytes of scratch"))
	if p.accept("local") {
		p.f.Local = int(p.number("the bytes of local memory"))
	}
	p.f.Iterations = p.accept("iterations")
	p.f.Defers = p.accept("defers")
	p.f.Groups = p.accept("groups")
	p.f.Phases = p.accept("phases")
	if p.accept("objects") {
		for p.err == nil && p.tok.text != "{" && p.tok.text != "apart" {
			p.f.Objects = append(p.f.Objects, Object{p.number("an object's offset"), p.number("an object's size")})
		}
	}
	if p.accept("apart") {
		for p.err == nil && p.tok.text != "{" {
			p.f.Apart = append(p.f.Apart, p.number("an argument's offset"))
		}
	}
	p.expect("{")
	p.expect("\n")
	var cur *Block
	for p.err == nil && !p.accept("}") {
		if p.accept("\n") {
			continue
		}
		if p.tok.text == "" {
			p.failf("the function does not end")
			return
		}
		cur = p.line(cur)
		p.expect("\n")
	}
	for p.accept("\n") {
	}
	if p.tok.text != "" {
		p.failf("expected the end of the file, found %s", found(p.tok))
	}
	for _, fix := range p.fixups {
		if p.err == nil {
			fix()
		}
	}
}

// block returns the block with the given label. In b12.name only name is used, as blocks
// are numbered in order; any other label is a name as a whole.
func (p *parser) block(label string) *Block {
	b := p.refs[label]
	if b == nil {
		name := label
		head, rest, _ := strings.Cut(label, ".")
		if strings.HasPrefix(head, "b") && digits(head[1:]) {
			name = rest
		}
		b = &Block{Name: name, Func: p.f}
		p.refs[label] = b
	}
	return b
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// define names a value: in %hint.7 the value's name is hint.
func (p *parser) define(name string, v *Value, pos diag.Pos) {
	if !strings.HasPrefix(name, "%") || len(name) == 1 {
		p.failAt(pos, "expected a value's name, found %q", name)
		return
	}
	if p.values[name] != nil {
		p.failAt(pos, "%s is defined twice", name)
		return
	}
	p.values[name] = v
	v.Pos = pos
	hint := name[1:]
	if at := strings.LastIndexByte(hint, '.'); at >= 0 && digits(hint[at+1:]) {
		hint = hint[:at]
	} else if digits(hint) {
		hint = ""
	}
	v.Name = hint
}

// line parses a label, an operation or a terminator. It returns the block that the next
// line belongs to.
func (p *parser) line(cur *Block) *Block {
	pos := p.tok.pos
	first := p.word("a label, an operation or a terminator")
	if p.err != nil {
		return cur
	}
	if p.tok.text == ":" || p.tok.text == "(" {
		if cur != nil && cur.Kind == NoTerm {
			p.failAt(pos, "the block before %s has no terminator", first)
		}
		return p.label(first, pos)
	}
	if cur == nil || cur.Kind != NoTerm {
		p.failAt(pos, "expected a label, found %q", first)
		return cur
	}
	if strings.HasPrefix(first, "%") {
		p.expect("=")
		if v := p.operation(cur, p.word("an operation"), pos); v != nil {
			if v.Type == (Type{}) {
				p.failAt(pos, "%s has no value", InfoOf(v.Op).Name)
			}
			p.define(first, v, pos)
		}
		return cur
	}
	name, _, _ := strings.Cut(first, ".")
	if _, ok := ParseOp(name); ok {
		if v := p.operation(cur, first, pos); v != nil && v.Type != (Type{}) {
			p.failAt(pos, "the value of %s has no name", name)
		}
		return cur
	}
	p.term(cur, first, pos)
	return cur
}

func (p *parser) label(name string, pos diag.Pos) *Block {
	if p.blocks[name] {
		p.failAt(pos, "block %s is defined twice", name)
		return nil
	}
	b := p.block(name)
	p.blocks[name] = true
	p.f.Blocks = append(p.f.Blocks, b)
	if p.accept("(") {
		for p.err == nil && !p.accept(")") {
			at := p.tok.pos
			ref := p.word("a parameter's name")
			p.expect(":")
			p.define(ref, b.NewParam(p.typ(), ""), at)
			if p.tok.text != ")" {
				p.expect(",")
			}
		}
	}
	p.expect(":")
	return b
}

// operand parses a use. Values may be defined later, and the type of a literal depends on
// its context, so set is called after the whole text has been read; typ is called then,
// too.
func (p *parser) operand(set func(*Value), typ func() Type) {
	pos := p.tok.pos
	s := p.word("an operand")
	explicit := Type{}
	if p.accept(":") {
		explicit = p.typ()
	}
	p.fixups = append(p.fixups, func() {
		if strings.HasPrefix(s, "%") {
			v := p.values[s]
			if v == nil {
				p.failAt(pos, "%s is not defined", s)
			}
			set(v)
			return
		}
		t := explicit
		if t == (Type{}) {
			t = typ()
		}
		if t == (Type{}) {
			p.failAt(pos, "the literal %s needs a type", s)
			return
		}
		bits, ok := alu.ParseConst(t.Elem, s)
		if !ok {
			p.failAt(pos, "%q is not a constant of type %s", s, t)
			return
		}
		set(p.f.Const(t, bits))
	})
}

func (p *parser) operation(b *Block, word string, pos diag.Pos) *Value {
	name, suffix, dotted := strings.Cut(word, ".")
	op, ok := ParseOp(name)
	if !ok || op == Const || op == Param {
		p.failAt(pos, "unknown operation %q", name)
		return nil
	}
	var typ Type
	if op == Fence && !dotted {
		typ = Type{}
	} else if op == Context {
		typ = Scalar(alu.I64)
	} else if typ, ok = ParseType(suffix); !ok {
		p.failAt(pos, "unknown type %q", suffix)
		return nil
	}
	if op == Context && dotted {
		p.failAt(pos, "context has no type")
	}
	in := InfoOf(op)
	v := b.Append(op, resultType(op, typ))
	v.Pos = pos
	for i := 0; p.err == nil && i != in.Args; i++ {
		if i > 0 && in.Args < 0 && !p.accept(",") {
			break
		} else if i > 0 && in.Args >= 0 {
			p.expect(",")
		}
		v.Args = append(v.Args, nil)
		p.operand(func(x *Value) { v.Args[i] = x }, func() Type { return literalType(v, i, typ) })
	}
	p.attributes(v)
	return v
}

// resultType is the type of the result of op with the given type suffix.
func resultType(op Op, suffix Type) Type {
	switch {
	case InfoOf(op).Effect == Writes && !IsAtomic(op):
		return Type{}
	case op == Any || op == All:
		return Scalar(alu.I1)
	case op == Count || op == Bits:
		return Scalar(alu.I64)
	case alu.InfoOf(op).Class == alu.Compare:
		return suffix.With(alu.I1)
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
		p.expect("at")
		v.Index = int(p.number("an index"))
	case Atomic, VAtomic:
		pos := p.tok.pos
		k, ok := alu.ParseRMW(p.word("an atomic operation"))
		if !ok {
			p.failAt(pos, "unknown atomic operation")
		}
		v.Index = int(k)
	case Shuffle:
		p.expect("lanes")
		for p.err == nil && p.tok.text != "\n" && len(v.Lanes) <= maxLanes {
			v.Lanes = append(v.Lanes, int(p.number("a lane")))
		}
	}
	if !InfoOf(v.Op).Memory {
		return
	}
	if p.accept("disp") {
		v.Disp = p.number("a displacement")
	}
	if p.accept("scale") {
		v.Scale = int(p.number("a scale"))
	}
	if p.accept("align") {
		v.Align = int(p.number("an alignment"))
	}
	v.Invariant = p.accept("invariant")
	v.Volatile = p.accept("volatile")
	v.Local = p.accept("local")
	if p.accept("object") {
		v.Object = p.number("an object's offset")
	}
}

func (p *parser) edge(b *Block) {
	i := len(b.Edges)
	pos := p.tok.pos
	label := p.word("a block")
	to := p.block(label)
	b.Edges = append(b.Edges, Edge{To: to})
	p.fixups = append(p.fixups, func() {
		if !p.blocks[label] {
			p.failAt(pos, "block %s is not defined", label)
		}
	})
	defer func() { b.Edges[i].Rare = p.accept("rare") }()
	if !p.accept("(") {
		return
	}
	for n := 0; p.err == nil && !p.accept(")"); n++ {
		b.Edges[i].Args = append(b.Edges[i].Args, nil)
		p.operand(func(x *Value) { b.Edges[i].Args[n] = x }, func() Type {
			if n < len(to.Params) {
				return to.Params[n].Type
			}
			return Type{}
		})
		if p.tok.text != ")" {
			p.expect(",")
		}
	}
}

func (p *parser) term(b *Block, name string, pos diag.Pos) {
	b.Pos = pos
	switch name {
	case "return":
		b.Kind = Return
	case "jump":
		b.Kind = Jump
		p.edge(b)
	case "branch":
		b.Kind = Branch
		p.operand(func(v *Value) { b.Cond = v }, func() Type { return Scalar(alu.I1) })
		p.expect(",")
		p.edge(b)
		p.expect(",")
		p.edge(b)
	default:
		p.failAt(pos, "unknown operation or terminator %q", name)
	}
}
