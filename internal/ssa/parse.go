package ssa

import (
	"strings"

	"github.com/simtc/simtc/internal/diag"
)

// Edge passes control to To, with Args for its parameters.
type Edge[B, V any] struct {
	To   B
	Args []V
	Rare bool // unlikely
}

// Form is an IR, with blocks B, values V and types T, to the parser of its functions.
type Form[B, V, T any] interface {
	ParseType(s string) (T, bool)
	// Literal returns the constant of type t that s denotes.
	Literal(t T, s string) (V, bool)
	// NewBlock makes the block with the given label, and AddBlock appends it to the function.
	NewBlock(label string) B
	AddBlock(b B)
	NewParam(b B, t T) V
	// Name names v, whose reference is %ref.
	Name(v V, ref string, pos diag.Pos)
	// Open reports whether b lacks a terminator.
	Open(b B) bool
	Edges(b B) *[]Edge[B, V]
	Params(b B) []V
	TypeOf(v V) T
	// Operation parses an operation that begins with word and has a result. It returns the zero V after
	// an error.
	Operation(b B, word string, pos diag.Pos) V
	// Statement parses what else begins with word, such as a terminator.
	Statement(b B, word string, pos diag.Pos)
}

// Parser parses the functions of an IR. Names of blocks and values are arbitrary, and both may be used
// before they are defined.
type Parser[B, V, T comparable] struct {
	Lexer
	form   Form[B, V, T]
	refs   map[string]B    // by label, made on first reference
	blocks map[string]bool // labels that have been defined
	values map[string]V
	fixups []func()
}

// NewParser returns a parser at the start of the text.
func NewParser[B, V, T comparable](file, text string, form Form[B, V, T]) Parser[B, V, T] {
	return Parser[B, V, T]{Lexer: newLexer(file, text), form: form}
}

// Type returns a type.
func (p *Parser[B, V, T]) Type() T {
	pos := p.tok.pos
	s := p.Word("a type")
	t, ok := p.form.ParseType(s)
	if !ok {
		p.FailAt(pos, "unknown type %q", s)
	}
	return t
}

// Body parses the lines of a function from "{" to "}". header parses a line before the first block, if
// it is not a label. what names the function in errors.
func (p *Parser[B, V, T]) Body(what string, header func() bool) {
	p.refs, p.blocks, p.values, p.fixups = map[string]B{}, map[string]bool{}, map[string]V{}, nil
	p.Expect("{")
	p.Expect("\n")
	var none, b B
	for p.err == nil {
		if end := p.tok.pos; p.Accept("}") {
			if b != none && p.form.Open(b) {
				p.FailAt(end, "the last block has no terminator")
			}
			break
		}
		switch {
		case p.Accept("\n"):
			continue
		case p.AtEnd():
			p.Failf("the %s does not end", what)
		case b != none || !header():
			b = p.line(b)
		}
		if p.err == nil && !p.At("}") {
			p.Expect("\n")
		}
	}
	for _, fix := range p.fixups {
		if p.err == nil {
			fix()
		}
	}
}

// line parses a label, an operation or a terminator. It returns the block that the next line belongs to.
func (p *Parser[B, V, T]) line(b B) B {
	var noBlock B
	var noValue V
	pos := p.tok.pos
	first := p.Word("a label, an operation or a terminator")
	if p.err != nil {
		return b
	}
	open := b != noBlock && p.form.Open(b)
	switch {
	case p.At(":") || p.At("("):
		if open {
			p.FailAt(pos, "the block before %s has no terminator", first)
		}
		return p.label(first, pos)
	case !open:
		p.FailAt(pos, "expected a label, found %q", first)
	case strings.HasPrefix(first, "%"):
		p.Expect("=")
		if v := p.form.Operation(b, p.Word("an operation"), pos); v != noValue {
			p.define(first, v, pos)
		}
	default:
		p.form.Statement(b, first, pos)
	}
	return b
}

// block returns the block with the given label, which is made on its first use.
func (p *Parser[B, V, T]) block(label string) B {
	b, ok := p.refs[label]
	if !ok {
		b = p.form.NewBlock(label)
		p.refs[label] = b
	}
	return b
}

func (p *Parser[B, V, T]) label(name string, pos diag.Pos) B {
	var none B
	if p.blocks[name] {
		p.FailAt(pos, "block %s is defined twice", name)
		return none
	}
	b := p.block(name)
	p.blocks[name] = true
	p.form.AddBlock(b)
	if p.Accept("(") {
		for p.err == nil && !p.Accept(")") {
			at := p.tok.pos
			ref := p.Word("a parameter's name")
			p.Expect(":")
			p.define(ref, p.form.NewParam(b, p.Type()), at)
			p.separator()
		}
	}
	p.Expect(":")
	return b
}

// separator skips the comma between elements of a list in parentheses.
func (p *Parser[B, V, T]) separator() {
	if !p.At(")") {
		p.Expect(",")
	}
}

func (p *Parser[B, V, T]) define(name string, v V, pos diag.Pos) {
	if !strings.HasPrefix(name, "%") || len(name) == 1 {
		p.FailAt(pos, "expected a value's name, found %q", name)
		return
	}
	if _, ok := p.values[name]; ok {
		p.FailAt(pos, "%s is defined twice", name)
		return
	}
	p.values[name] = v
	p.form.Name(v, name[1:], pos)
}

// Operand parses a use. A value may be defined later, and the type of a literal may depend on its
// context, so set, and typ for a literal without a type, are called at the end of the function. A zero T means
// that the literal must have a type.
func (p *Parser[B, V, T]) Operand(set func(V), typ func() T) {
	var none, explicit T
	pos := p.tok.pos
	s := p.Word("an operand")
	if p.Accept(":") {
		explicit = p.Type()
	}
	p.fixups = append(p.fixups, func() {
		if strings.HasPrefix(s, "%") {
			v, ok := p.values[s]
			if !ok {
				p.FailAt(pos, "%s is not defined", s)
			}
			set(v)
			return
		}
		t := explicit
		if t == none {
			t = typ()
		}
		if t == none {
			p.FailAt(pos, "the literal %q needs a type, as in 7:i32", s)
			return
		}
		v, ok := p.form.Literal(t, s)
		if !ok {
			p.FailAt(pos, "%q is not a constant of type %v", s, t)
			return
		}
		set(v)
	})
}

// Edge parses an edge and appends it to those of b.
func (p *Parser[B, V, T]) Edge(b B) {
	pos := p.tok.pos
	label := p.Word("a block")
	to, edges := p.block(label), p.form.Edges(b)
	i := len(*edges)
	*edges = append(*edges, Edge[B, V]{To: to})
	p.fixups = append(p.fixups, func() {
		if !p.blocks[label] {
			p.FailAt(pos, "block %s is not defined", label)
		}
	})
	if p.Accept("(") {
		for n := 0; p.err == nil && !p.Accept(")"); n++ {
			var missing V
			(*edges)[i].Args = append((*edges)[i].Args, missing)
			p.Operand(func(x V) { (*edges)[i].Args[n] = x }, func() (t T) {
				params := p.form.Params(to)
				if n < len(params) {
					return p.form.TypeOf(params[n])
				}
				p.FailAt(pos, "block %s takes %d arguments", label, len(params))
				return t
			})
			p.separator()
		}
	}
	(*edges)[i].Rare = p.Accept("rare")
}
