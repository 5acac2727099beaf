package kernel

import (
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/simtc/simtc/alu"
	"github.com/simtc/simtc/internal/clprintf"
	"github.com/simtc/simtc/internal/diag"
)

// Parse reads the text form: data lines and kernels, in the format of Printer. Names of
// blocks and values are arbitrary; a comment extends from ";" to the end of the line. The
// result is verified. Positions refer to the text.
func Parse(file, text string) (*Module, error) {
	p := &parser{lex: lexer{file: file, text: text, line: 1, bol: 0}, mod: &Module{}}
	p.next()
	for p.err == nil && p.tok.kind != tokEOF {
		switch p.tok.text {
		case "data":
			p.data()
		case "kernel":
			p.kernel()
		case "\n":
			p.next()
		default:
			p.failf("expected data or kernel, found %q", p.tok.text)
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return p.mod, nil
}

type tokKind uint8

const (
	tokEOF tokKind = iota
	tokWord
	tokString
	tokPunct
)

type tok struct {
	kind tokKind
	text string
	pos  diag.Pos
}

type lexer struct {
	file, text string
	at         int
	line, bol  int
}

func wordByte(c byte) bool {
	return c == '_' || c == '.' || c == '-' || c == '+' || c == '%' || c == '$' ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (l *lexer) next() (tok, *diag.Error) {
	for l.at < len(l.text) {
		c := l.text[l.at]
		if c == ';' {
			for l.at < len(l.text) && l.text[l.at] != '\n' {
				l.at++
			}
			continue
		}
		if c != ' ' && c != '\t' && c != '\r' {
			break
		}
		l.at++
	}
	pos := diag.Pos{File: l.file, Line: l.line, Col: l.at - l.bol + 1}
	if l.at >= len(l.text) {
		return tok{tokEOF, "end of file", pos}, nil
	}
	start := l.at
	c := l.text[l.at]
	switch {
	case c == '\n':
		l.at++
		l.line++
		l.bol = l.at
		return tok{tokPunct, "\n", pos}, nil
	case c == '"':
		q, err := strconv.QuotedPrefix(l.text[l.at:])
		if err != nil {
			return tok{}, diag.Errorf(pos, "unterminated string")
		}
		l.at += len(q)
		s, _ := strconv.Unquote(q)
		return tok{tokString, s, pos}, nil
	case wordByte(c):
		for l.at < len(l.text) && wordByte(l.text[l.at]) {
			l.at++
		}
		return tok{tokWord, l.text[start:l.at], pos}, nil
	case strings.IndexByte("(){}[]:,=", c) >= 0:
		l.at++
		return tok{tokPunct, string(c), pos}, nil
	}
	return tok{}, diag.Errorf(pos, "stray character %q", c)
}

type parser struct {
	lex    lexer
	tok    tok
	err    error
	mod    *Module
	f      *Func
	blocks map[string]*Block
	order  []*Block // in the order of their labels
	refs   map[string]*Block
	values map[string]*Value
	fixups []func()
}

func (p *parser) failf(format string, args ...any) { p.failAt(p.tok.pos, format, args...) }

func (p *parser) failAt(pos diag.Pos, format string, args ...any) {
	if p.err == nil {
		p.err = diag.Errorf(pos, format, args...)
		p.tok = tok{tokEOF, "end of file", pos}
	}
}

func (p *parser) next() {
	if p.err != nil {
		return
	}
	t, err := p.lex.next()
	if err != nil {
		p.failAt(err.Pos, "%s", err.Msg)
		return
	}
	p.tok = t
}

func (p *parser) accept(s string) bool {
	if p.tok.text == s && p.tok.kind != tokString && p.tok.kind != tokEOF {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.failf("expected %q, found %q", s, p.tok.text)
	}
}

func (p *parser) word(what string) string {
	if p.tok.kind != tokWord {
		p.failf("expected %s, found %q", what, p.tok.text)
		return ""
	}
	s := p.tok.text
	p.next()
	return s
}

func (p *parser) number(what string) int {
	pos := p.tok.pos
	s := p.word(what)
	n, err := strconv.ParseInt(s, 0, 32)
	if err != nil {
		p.failAt(pos, "%s: %q is not a number", what, s)
	}
	return int(n)
}

func (p *parser) typ() Type {
	pos := p.tok.pos
	s := p.word("a type")
	t, ok := alu.ParseType(s)
	if !ok || t == alu.Void {
		p.failAt(pos, "unknown type %q", s)
	}
	return t
}

func (p *parser) str() string {
	if p.tok.kind != tokString {
		p.failf("expected a string, found %q", p.tok.text)
		return ""
	}
	s := p.tok.text
	p.next()
	return s
}

func (p *parser) data() {
	p.next()
	d := &Data{Name: p.word("a name")}
	p.expect("align")
	d.Align = p.number("an alignment")
	if p.err == nil && !powerOfTwo(d.Align) {
		p.failf("alignment %d is not a power of two", d.Align)
	}
	size := 0
	if p.accept("variables") {
		d.Variables, size = true, p.number("a size")
		if p.err == nil && (size < 0 || size > MaxVariables) {
			p.failf("variables of %d bytes; at most %d are supported", size, MaxVariables)
			return
		}
	}
	if p.tok.kind == tokWord && p.tok.text != "address" && p.tok.text != "pointer" {
		b, err := hex.DecodeString(p.tok.text)
		if err != nil {
			p.failf("data must be hexadecimal bytes")
		}
		d.Bytes = b
		p.next()
	}
	if d.Variables {
		if len(d.Bytes) > size {
			p.failf("%d bytes do not fit in variables of %d", len(d.Bytes), size)
			return
		}
		d.Bytes = append(d.Bytes, make([]byte, size-len(d.Bytes))...)
	}
	for p.err == nil && p.tok.text == "address" {
		p.next()
		a := DataAddress{At: p.number("a place")}
		p.expect("data")
		a.Data = p.number("the number of data")
		p.expect("plus")
		a.Plus = int64(p.number("a distance"))
		d.Addresses = append(d.Addresses, a)
	}
	for p.err == nil && p.tok.text == "pointer" {
		p.next()
		d.Pointers = append(d.Pointers, p.number("a place"))
	}
	p.expect("\n")
	p.mod.Data = append(p.mod.Data, d)
}

func (p *parser) kernel() {
	p.next()
	p.f = &Func{Pos: p.tok.pos, Name: p.word("a kernel's name"), Data: p.mod.Data}
	if slices.ContainsFunc(p.mod.Funcs, func(f *Func) bool { return f.Name == p.f.Name }) {
		p.failAt(p.f.Pos, "kernel %s is defined twice", p.f.Name)
	}
	p.blocks, p.order, p.values, p.fixups = map[string]*Block{}, nil, map[string]*Value{}, nil
	p.refs = map[string]*Block{}
	p.expect("{")
	p.expect("\n")
	var cur *Block
	for p.err == nil {
		if end := p.tok.pos; p.accept("}") {
			if cur != nil && cur.Kind == NoTerm {
				p.failAt(end, "the last block has no terminator")
			}
			break
		}
		if p.accept("\n") {
			continue
		}
		switch {
		case p.tok.kind == tokEOF:
			p.failf("the kernel does not end")
		case p.tok.text == "arg" && cur == nil:
			p.arg()
		case p.tok.text == "local" && cur == nil:
			p.local()
		case p.tok.text == "format" && cur == nil:
			p.format()
		case p.tok.text == "prepared" && cur == nil:
			p.next()
			p.f.Prepared = true
		case p.tok.text == "reassociate" && cur == nil:
			p.next()
			p.f.Reassociate = true
		case p.tok.text == "reqd_work_group_size" && cur == nil:
			p.next()
			for i := range p.f.ReqdWorkGroupSize {
				p.f.ReqdWorkGroupSize[i] = p.number("a size")
			}
		case p.tok.text == "reqd_sub_group_size" && cur == nil:
			p.next()
			p.f.ReqdSubGroupSize = p.number("a size")
		default:
			cur = p.line(cur)
		}
		if p.err == nil && p.tok.text != "}" {
			p.expect("\n")
		}
	}
	for _, fix := range p.fixups {
		if p.err == nil {
			fix()
		}
	}
	if p.err != nil {
		return
	}
	p.f.Blocks = p.order
	p.f.LayoutArgs()
	p.f.LayoutLocals()
	p.f.Renumber()
	if err := Verify(p.f); err != nil {
		pos := p.f.Pos
		if fault := (*Fault)(nil); errors.As(err, &fault) && fault.Pos.IsValid() {
			pos = fault.Pos
		}
		p.failAt(pos, "%v", err)
		return
	}
	p.mod.Funcs = append(p.mod.Funcs, p.f)
}

func (p *parser) arg() {
	p.next()
	at := p.tok.pos
	a := Arg{Name: p.word("an argument's name"), Count: 1}
	if a.Name != "" && slices.ContainsFunc(p.f.Args, func(b Arg) bool { return b.Name == a.Name }) {
		p.failAt(at, "argument %s is declared twice", a.Name)
	}
	pos := p.tok.pos
	kind := p.word("scalar, buffer, local, bytes, image, variables, printf or report")
	found := false
	for i, k := range argKinds {
		if k == kind {
			a.Kind, found = ArgKind(i), true
		}
	}
	if !found {
		p.failAt(pos, "unknown kind of argument %q", kind)
	}
	if a.Kind == ArgBytes {
		a.Size = p.number("a size")
		p.expect("align")
		a.Align = p.number("an alignment")
	} else {
		a.Type = p.typ()
		if a.Elem = p.word("an element type"); a.Elem == "-" {
			a.Elem = ""
		}
		a.Count = p.number("a count")
		a.Size = a.Type.Size()
		if a.Kind == ArgScalar {
			n := a.Count
			if n == 3 {
				n = 4
			}
			a.Size *= n
		}
		a.Align = a.Size
	}
	if p.tok.kind == tokString {
		a.CType = p.str()
	}
	if p.accept("of") {
		a.Pointee = p.number("a size")
	}
	a.ReadOnly = p.accept("readonly")
	if p.err == nil && (a.Size <= 0 || a.Pointee < 0 || a.Size > 1<<20 || !powerOfTwo(a.Align) || a.Count < 1 || a.Count > 16) {
		p.failAt(pos, "argument %s has a bad size, alignment or count", a.Name)
	}
	p.f.Args = append(p.f.Args, a)
}

func (p *parser) local() {
	p.next()
	l := Local{Name: p.word("a local object's name")}
	pos := p.tok.pos
	l.Size = p.number("a size")
	p.expect("align")
	l.Align = p.number("an alignment")
	if p.err == nil && (l.Size < 0 || l.Size > MaxLocal || !powerOfTwo(l.Align) || l.Align > 4096) {
		p.failAt(pos, "local object %s has a bad size or alignment", l.Name)
	}
	if n := len(p.f.Locals); p.err == nil && n > 0 {
		last := p.f.Locals[n-1]
		l.Offset = (last.Offset + last.Size + l.Align - 1) &^ (l.Align - 1)
	}
	if p.err == nil && l.Offset+l.Size > MaxLocal {
		p.failAt(pos, "local object %s and those before it have more than %d bytes", l.Name, MaxLocal)
	}
	p.f.Locals = append(p.f.Locals, l)
}

func (p *parser) format() {
	p.next()
	pos := p.tok.pos
	x := clprintf.Format{Text: p.str()}
	for p.err == nil && (p.tok.kind == tokWord || p.tok.kind == tokString) {
		if p.tok.kind == tokString {
			x.Args = append(x.Args, clprintf.Arg{Elem: "string", Count: 1, Text: p.str()})
			continue
		}
		a := clprintf.Arg{Elem: p.word("a type")}
		a.Count = p.number("a count")
		if _, ok := clprintf.ElemSize(a.Elem); !ok || a.Elem == "string" || a.Count < 1 || a.Count > 16 {
			p.failAt(pos, "the format has an argument of unknown type %q", a)
		}
		x.Args = append(x.Args, a)
	}
	if err := x.Check(); err != nil && p.err == nil {
		p.failAt(pos, "%v", err)
	}
	p.f.Formats = append(p.f.Formats, x)
}

// block returns the block with that label, made at its first use. The number in b12.name is only a
// label: blocks are numbered in order.
func (p *parser) block(label string) *Block {
	b := p.refs[label]
	if b == nil {
		_, name, _ := strings.Cut(label, ".")
		b = &Block{Name: name, Func: p.f}
		p.refs[label] = b
	}
	return b
}

func (p *parser) define(name string, v *Value, pos diag.Pos) {
	if !strings.HasPrefix(name, "%") {
		p.failAt(pos, "expected a value's name, found %q", name)
		return
	}
	if p.values[name] != nil {
		p.failAt(pos, "%s is defined twice", name)
		return
	}
	p.values[name] = v
	v.Pos = pos
	if dot := strings.LastIndexByte(name, '.'); dot > 0 {
		v.Name = name[1:dot]
	}
}

// line parses a label, an operation or a terminator. It returns the block that the next line belongs
// to.
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
		op := p.word("an operation")
		if v := p.operation(cur, op, pos); v != nil {
			p.define(first, v, pos)
		}
		return cur
	}
	if op, _, _ := strings.Cut(first, "."); op == "store" || op == "fence" || op == "barrier" {
		p.operation(cur, first, pos)
		return cur
	}
	if first == "unroll" {
		if p.accept("full") {
			cur.Unroll = UnrollFull
		} else if cur.Unroll = p.number("how often"); cur.Unroll < 1 {
			p.failAt(pos, "a loop is unrolled at least once")
		}
		return cur
	}
	if first == "loop" {
		if cur.Loop = p.number("which loop"); cur.Loop < 1 {
			p.failAt(pos, "loop numbers start at 1")
		}
		return cur
	}
	p.term(cur, first, pos)
	return cur
}

func (p *parser) label(name string, pos diag.Pos) *Block {
	if p.blocks[name] != nil {
		p.failAt(pos, "block %s is defined twice", name)
		return nil
	}
	b := p.block(name)
	p.blocks[name] = b
	p.order = append(p.order, b)
	if p.accept("(") {
		for p.err == nil && !p.accept(")") {
			at := p.tok.pos
			ref := p.word("a parameter's name")
			p.expect(":")
			v := b.NewParam(p.typ(), "")
			p.define(ref, v, at)
			if p.tok.text != ")" {
				p.expect(",")
			}
		}
	}
	p.expect(":")
	return b
}

// operand parses a use. Values may be defined later, and the type of a literal depends on its context,
// so the result is set when the kernel has been read; typ is called then.
func (p *parser) operand(set func(*Value), typ func() Type) {
	pos := p.tok.pos
	s := p.word("an operand")
	explicit := alu.Void
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
		if t == alu.Void {
			t = typ()
		}
		if t == alu.Void {
			p.failAt(pos, "the literal %q needs a type, as in 7:i32", s)
			return
		}
		bits, ok := alu.ParseConst(t, s)
		if !ok {
			p.failAt(pos, "%q is not a constant of type %s", s, t)
			return
		}
		set(p.f.Const(t, bits))
	})
}

func (p *parser) operation(b *Block, word string, pos diag.Pos) *Value {
	name, suffix, _ := strings.Cut(word, ".")
	op, ok := ParseOp(name)
	if !ok || op == Const || op == Param {
		p.failAt(pos, "unknown operation %q", name)
		return nil
	}
	in := InfoOf(op)
	count := 1
	if op == Load || op == Store {
		if at := strings.LastIndexByte(suffix, 'x'); at > 0 {
			if n, err := strconv.Atoi(suffix[at+1:]); err == nil {
				count, suffix = n, suffix[:at]
			}
		}
	}
	typ := alu.Void
	if suffix != "" {
		if typ, ok = alu.ParseType(suffix); !ok {
			p.failAt(pos, "unknown type %q", suffix)
			return nil
		}
	}
	nargs := in.Args
	if op == Store {
		nargs = 1 + count
	}
	if nargs < 0 || nargs > 32 {
		p.failAt(pos, "bad count %d", count)
		return nil
	}
	v := b.Append(op, resultType(op, typ), make([]*Value, nargs)...)
	v.Count, v.Pos = count, pos
	if op != Load && op != Store {
		v.Count = 0
	}
	for i := range nargs {
		if i > 0 {
			p.expect(",")
		}
		p.operand(func(x *Value) { v.Args[i] = x }, func() Type { return literalType(op, i, typ) })
	}
	p.attributes(v)
	return v
}

// resultType is the type of the value of an operation with that suffix.
func resultType(op Op, suffix Type) Type {
	switch op {
	case Store, Fence, Barrier:
		return alu.Void
	case ArgAddr, DataAddr:
		return alu.PtrConstant
	case LocalAddr, GroupState:
		return alu.PtrLocal
	case Alloca:
		return alu.PtrPrivate
	case GlobalID, LocalID, GroupID, GlobalSize, LocalSize, NumGroups, GlobalOffset, WorkDim, Ballot:
		return alu.I64
	case Lane, Lanes:
		return alu.I32
	}
	if op == AllLanes || op == FewLanes || alu.InfoOf(op).Class == alu.Compare {
		return alu.I1
	}
	return suffix
}

// literalType is the type of a literal as operand i.
func literalType(op Op, i int, suffix Type) Type {
	switch {
	case op == alu.Select && i == 0, op == Ballot, op == AllLanes:
		return alu.I1
	case op == Shuffle && i == 1:
		return alu.I32
	case op == PtrAdd && i == 1:
		return alu.I64
	case (op == Load || op == Store || op == Atomic || op == CmpXchg) && i == 0, alu.InfoOf(op).Class == alu.Convert:
		return alu.Void // the literal must have a type
	}
	return suffix
}

func (p *parser) attributes(v *Value) {
	switch v.Op {
	case Component:
		p.expect(",")
		v.Index = p.number("a component")
	case Argument, ArgAddr, DataAddr, LocalAddr, GlobalID, LocalID, GroupID, GlobalSize, LocalSize, NumGroups, GlobalOffset:
		v.Index = p.number("an index")
	case Alloca:
		v.Size = p.number("a size")
		p.expect("align")
		v.Align = p.number("an alignment")
		if p.accept("in") {
			p.expect("loop")
			v.Index = p.number("which loop")
		}
	case PtrAdd:
		if p.accept("in") {
			v.Size = p.number("a size")
			p.expect("at")
			v.Index = p.number("an offset")
		}
	case Atomic:
		pos := p.tok.pos
		k, ok := alu.ParseRMW(p.word("what it does"))
		if !ok {
			p.failAt(pos, "unknown atomic operation")
		}
		v.Index = int(k)
	case Load, Store:
		p.expect("align")
		v.Align = p.number("an alignment")
		v.Volatile = p.accept("volatile")
	}
}

func (p *parser) edge(b *Block) {
	i := len(b.Edges)
	pos := p.tok.pos
	label := p.word("a block")
	to := p.block(label)
	b.Edges = append(b.Edges, Edge{To: to})
	p.fixups = append(p.fixups, func() {
		if p.blocks[label] == nil {
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
			p.failAt(pos, "block %s takes %d arguments", label, len(to.Params))
			return alu.Void
		})
		if p.tok.text != ")" {
			p.expect(",")
		}
	}
}

func (p *parser) term(b *Block, word string, pos diag.Pos) {
	b.Pos = pos
	name, suffix, _ := strings.Cut(word, ".")
	setCond := func(v *Value) { b.Cond = v }
	switch name {
	case "return":
		b.Kind = Return
	case "jump":
		b.Kind = Jump
		p.edge(b)
	case "branch":
		b.Kind = Branch
		p.operand(setCond, func() Type { return alu.I1 })
		p.expect(",")
		p.edge(b)
		p.expect(",")
		p.edge(b)
	case "switch":
		b.Kind = Switch
		t, ok := alu.ParseType(suffix)
		if !ok || !t.IsInt() {
			p.failAt(pos, "a switch names the type of integers that it is on, as in switch.i32, not %q", word)
			return
		}
		p.operand(setCond, func() Type { return t })
		p.expect(",")
		p.edge(b)
		for p.accept(",") {
			at := p.tok.pos
			s := p.word("a case")
			c, ok := alu.ParseConst(t, s)
			if !ok {
				p.failAt(at, "%q is not a constant of type %s", s, t)
			}
			p.expect(":")
			b.Cases = append(b.Cases, c)
			p.edge(b)
		}
	default:
		p.failAt(pos, "unknown terminator or operation without a result %q", name)
	}
}
