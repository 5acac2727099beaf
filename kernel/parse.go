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
	"github.com/simtc/simtc/internal/ssa"
)

// Parse reads the text form: data lines and kernels, in the format of Printer. Names of
// blocks and values are arbitrary; a comment extends from ";" to the end of the line. The
// result is verified. Positions refer to the text.
func Parse(file, text string) (*Module, error) {
	p := &parser{mod: &Module{}}
	p.Parser = ssa.NewParser[*Block, *Value, Type](file, text, p)
	for !p.AtEnd() {
		switch {
		case p.Accept("data"):
			p.data()
		case p.Accept("kernel"):
			p.kernel()
		case p.Accept("\n"):
		default:
			p.Failf("expected data or kernel, found %s", p.Found())
		}
	}
	if p.Err() != nil {
		return nil, p.Err()
	}
	return p.mod, nil
}

// parser is the ssa.Form of the kernel IR.
type parser struct {
	ssa.Parser[*Block, *Value, Type]
	mod *Module
	f   *Func
}

func (p *parser) number(what string) int { return int(p.Number(what, 0, 32)) }

// ParseType parses the type of a value.
func (p *parser) ParseType(s string) (Type, bool) {
	t, ok := alu.ParseType(s)
	return t, ok && t != alu.Void
}

// Literal returns a constant of the kernel.
func (p *parser) Literal(t Type, s string) (*Value, bool) {
	bits, ok := alu.ParseConst(t, s)
	if !ok {
		return nil, false
	}
	return p.f.Const(t, bits), true
}

// NewBlock makes a block. The number in b12.name is only a label: blocks are numbered in order.
func (p *parser) NewBlock(label string) *Block {
	_, name, _ := strings.Cut(label, ".")
	return &Block{Name: name, Func: p.f}
}

func (p *parser) AddBlock(b *Block)                { p.f.Blocks = append(p.f.Blocks, b) }
func (p *parser) NewParam(b *Block, t Type) *Value { return b.NewParam(t, "") }
func (p *parser) Open(b *Block) bool               { return b.Kind == NoTerm }
func (p *parser) Edges(b *Block) *[]Edge           { return &b.Edges }
func (p *parser) Params(b *Block) []*Value         { return b.Params }
func (p *parser) TypeOf(v *Value) Type             { return v.Type }

// Name names a value: in %hint.7, hint.
func (p *parser) Name(v *Value, ref string, pos diag.Pos) {
	v.Pos = pos
	if dot := strings.LastIndexByte(ref, '.'); dot >= 0 {
		v.Name = ref[:dot]
	}
}

func (p *parser) data() {
	d := &Data{Name: p.Word("a name")}
	p.Expect("align")
	d.Align = p.number("an alignment")
	if p.Err() == nil && !powerOfTwo(d.Align) {
		p.Failf("alignment %d is not a power of two", d.Align)
	}
	size := 0
	if p.Accept("variables") {
		d.Variables, size = true, p.number("a size")
		if p.Err() == nil && (size < 0 || size > MaxVariables) {
			p.Failf("variables of %d bytes; at most %d are supported", size, MaxVariables)
			return
		}
	}
	if p.AtWord() && !p.At("address") && !p.At("pointer") {
		pos := p.Pos()
		b, err := hex.DecodeString(p.Word("bytes"))
		if err != nil {
			p.FailAt(pos, "data must be hexadecimal bytes")
		}
		d.Bytes = b
	}
	if d.Variables {
		if len(d.Bytes) > size {
			p.Failf("%d bytes do not fit in variables of %d", len(d.Bytes), size)
			return
		}
		d.Bytes = append(d.Bytes, make([]byte, size-len(d.Bytes))...)
	}
	for p.Accept("address") {
		a := DataAddress{At: p.number("a place")}
		p.Expect("data")
		a.Data = p.number("the number of data")
		p.Expect("plus")
		a.Plus = int64(p.number("a distance"))
		d.Addresses = append(d.Addresses, a)
	}
	for p.Accept("pointer") {
		d.Pointers = append(d.Pointers, p.number("a place"))
	}
	p.Expect("\n")
	p.mod.Data = append(p.mod.Data, d)
}

func (p *parser) kernel() {
	p.f = &Func{Pos: p.Pos(), Name: p.Word("a kernel's name"), Data: p.mod.Data}
	if slices.ContainsFunc(p.mod.Funcs, func(f *Func) bool { return f.Name == p.f.Name }) {
		p.FailAt(p.f.Pos, "kernel %s is defined twice", p.f.Name)
	}
	p.Body("kernel", p.header)
	if p.Err() != nil {
		return
	}
	p.f.LayoutArgs()
	p.f.LayoutLocals()
	p.f.Renumber()
	if err := Verify(p.f); err != nil {
		pos := p.f.Pos
		if fault := (*Fault)(nil); errors.As(err, &fault) && fault.Pos.IsValid() {
			pos = fault.Pos
		}
		p.FailAt(pos, "%v", err)
		return
	}
	p.mod.Funcs = append(p.mod.Funcs, p.f)
}

// header parses what precedes the blocks.
func (p *parser) header() bool {
	switch {
	case p.Accept("arg"):
		p.arg()
	case p.Accept("local"):
		p.local()
	case p.Accept("format"):
		p.format()
	case p.Accept("prepared"):
		p.f.Prepared = true
	case p.Accept("reassociate"):
		p.f.Reassociate = true
	case p.Accept("reqd_work_group_size"):
		for i := range p.f.ReqdWorkGroupSize {
			p.f.ReqdWorkGroupSize[i] = p.number("a size")
		}
	case p.Accept("reqd_sub_group_size"):
		p.f.ReqdSubGroupSize = p.number("a size")
	default:
		return false
	}
	return true
}

func (p *parser) arg() {
	at := p.Pos()
	a := Arg{Name: p.Word("an argument's name"), Count: 1}
	if a.Name != "" && slices.ContainsFunc(p.f.Args, func(b Arg) bool { return b.Name == a.Name }) {
		p.FailAt(at, "argument %s is declared twice", a.Name)
	}
	pos := p.Pos()
	kind := p.Word("scalar, buffer, local, bytes, image, variables, printf or report")
	found := false
	for i, k := range argKinds {
		if k == kind {
			a.Kind, found = ArgKind(i), true
		}
	}
	if !found {
		p.FailAt(pos, "unknown kind of argument %q", kind)
	}
	if a.Kind == ArgBytes {
		a.Size = p.number("a size")
		p.Expect("align")
		a.Align = p.number("an alignment")
	} else {
		a.Type = p.Type()
		if a.Elem = p.Word("an element type"); a.Elem == "-" {
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
	if p.AtString() {
		a.CType = p.Quoted()
	}
	if p.Accept("of") {
		a.Pointee = p.number("a size")
	}
	a.ReadOnly = p.Accept("readonly")
	a.Restrict = p.Accept("restrict")
	if p.Err() == nil && (a.Size <= 0 || a.Pointee < 0 || a.Size > 1<<20 || !powerOfTwo(a.Align) || a.Count < 1 || a.Count > 16) {
		p.FailAt(pos, "argument %s has a bad size, alignment or count", a.Name)
	}
	p.f.Args = append(p.f.Args, a)
}

func (p *parser) local() {
	l := Local{Name: p.Word("a local object's name")}
	pos := p.Pos()
	l.Size = p.number("a size")
	p.Expect("align")
	l.Align = p.number("an alignment")
	if p.Err() == nil && (l.Size < 0 || l.Size > MaxLocal || !powerOfTwo(l.Align) || l.Align > 4096) {
		p.FailAt(pos, "local object %s has a bad size or alignment", l.Name)
	}
	if n := len(p.f.Locals); p.Err() == nil && n > 0 {
		last := p.f.Locals[n-1]
		l.Offset = (last.Offset + last.Size + l.Align - 1) &^ (l.Align - 1)
	}
	if p.Err() == nil && l.Offset+l.Size > MaxLocal {
		p.FailAt(pos, "local object %s and those before it have more than %d bytes", l.Name, MaxLocal)
	}
	p.f.Locals = append(p.f.Locals, l)
}

func (p *parser) format() {
	pos := p.Pos()
	x := clprintf.Format{Text: p.Quoted()}
	for p.Err() == nil && (p.AtWord() || p.AtString()) {
		if p.AtString() {
			x.Args = append(x.Args, clprintf.Arg{Elem: "string", Count: 1, Text: p.Quoted()})
			continue
		}
		a := clprintf.Arg{Elem: p.Word("a type")}
		a.Count = p.number("a count")
		if _, ok := clprintf.ElemSize(a.Elem); !ok || a.Elem == "string" || a.Count < 1 || a.Count > 16 {
			p.FailAt(pos, "the format has an argument of unknown type %q", a)
		}
		x.Args = append(x.Args, a)
	}
	if err := x.Check(); err != nil && p.Err() == nil {
		p.FailAt(pos, "%v", err)
	}
	p.f.Formats = append(p.f.Formats, x)
}

// Statement parses an operation without a result, an attribute of the block or a terminator.
func (p *parser) Statement(b *Block, word string, pos diag.Pos) {
	switch op, _, _ := strings.Cut(word, "."); op {
	case "store", "fence", "barrier":
		p.Operation(b, word, pos)
	case "unroll":
		if p.Accept("full") {
			b.Unroll = UnrollFull
		} else if b.Unroll = p.number("how often"); b.Unroll < 1 {
			p.FailAt(pos, "a loop is unrolled at least once")
		}
	case "vectorize", "novectorize":
		b.At = pos
		p.f.Requests = append(p.f.Requests, LoopRequest{pos, word == "novectorize"})
	case "loop":
		if b.Loop = p.number("which loop"); b.Loop < 1 {
			p.FailAt(pos, "loop numbers start at 1")
		}
	default:
		p.term(b, word, pos)
	}
}

// Operation parses an operation after its result.
func (p *parser) Operation(b *Block, word string, pos diag.Pos) *Value {
	name, suffix, _ := strings.Cut(word, ".")
	op, ok := ParseOp(name)
	if !ok || op == Const || op == Param {
		p.FailAt(pos, "unknown operation %q", name)
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
			p.FailAt(pos, "unknown type %q", suffix)
			return nil
		}
	}
	nargs := in.Args
	if op == Store {
		nargs = 1 + count
	}
	if nargs < 0 || nargs > 32 {
		p.FailAt(pos, "bad count %d", count)
		return nil
	}
	v := b.Append(op, resultType(op, typ), make([]*Value, nargs)...)
	v.Count, v.Pos = count, pos
	if op != Load && op != Store {
		v.Count = 0
	}
	for i := range nargs {
		if i > 0 {
			p.Expect(",")
		}
		p.Operand(func(x *Value) { v.Args[i] = x }, func() Type { return literalType(op, i, typ) })
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
	if op == AllLanes || op == FewLanes || op == SpanRows || op == InLocal || op == InPrivate || alu.InfoOf(op).Class == alu.Compare {
		return alu.I1
	}
	return suffix
}

// literalType is the type of a literal as operand i.
func literalType(op Op, i int, suffix Type) Type {
	switch {
	case op == alu.Select && i == 0, op == Ballot, op == AllLanes:
		return alu.I1
	case op == InLocal, op == InPrivate:
		return alu.PtrGeneric
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
		p.Expect(",")
		v.Index = p.number("a component")
	case Argument, ArgAddr, DataAddr, LocalAddr, GlobalID, LocalID, GroupID, GlobalSize, LocalSize, NumGroups, GlobalOffset:
		v.Index = p.number("an index")
	case Alloca:
		v.Size = p.number("a size")
		p.Expect("align")
		v.Align = p.number("an alignment")
		if p.Accept("in") {
			p.Expect("loop")
			v.Index = p.number("which loop")
		}
		v.Shared = p.Accept("shared")
	case PtrAdd:
		if p.Accept("in") {
			v.Size = p.number("a size")
			p.Expect("at")
			v.Index = p.number("an offset")
		}
	case Atomic:
		pos := p.Pos()
		k, ok := alu.ParseRMW(p.Word("what it does"))
		if !ok {
			p.FailAt(pos, "unknown atomic operation")
		}
		v.Index = int(k)
	case Load, Store:
		p.Expect("align")
		v.Align = p.number("an alignment")
		v.Volatile = p.Accept("volatile")
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
		p.Edge(b)
	case "branch":
		b.Kind = Branch
		p.Operand(setCond, func() Type { return alu.I1 })
		p.Expect(",")
		p.Edge(b)
		p.Expect(",")
		p.Edge(b)
	case "switch":
		b.Kind = Switch
		t, ok := alu.ParseType(suffix)
		if !ok || !t.IsInt() {
			p.FailAt(pos, "a switch names the type of integers that it is on, as in switch.i32, not %q", word)
			return
		}
		p.Operand(setCond, func() Type { return t })
		p.Expect(",")
		p.Edge(b)
		for p.Accept(",") {
			at := p.Pos()
			s := p.Word("a case")
			c, ok := alu.ParseConst(t, s)
			if !ok {
				p.FailAt(at, "%q is not a constant of type %s", s, t)
			}
			p.Expect(":")
			b.Cases = append(b.Cases, c)
			p.Edge(b)
		}
	default:
		p.FailAt(pos, "unknown terminator or operation without a result %q", name)
	}
}
