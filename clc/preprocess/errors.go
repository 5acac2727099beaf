package preprocess

import (
	"fmt"
	"unicode/utf8"

	"github.com/simtc/simtc/internal/diag"
)

// loc is a packed position: line and column count from 1, file is an index into names.
type loc struct {
	line, col, file uint32
}

// names lists the file names of positions, each with its changes by #line.
type names struct {
	list  []string
	moved []*diag.Moved // parallel to list; nil without #line
	ids   map[named]uint32
}

type named struct {
	name  string
	moved diag.Moved // zero without #line
}

func (n *names) init() { n.ids = map[named]uint32{} }

func (n *names) index(name string) uint32 { return n.add(named{name: name}) }

func (n *names) add(k named) uint32 {
	id, ok := n.ids[k]
	if !ok {
		id = uint32(len(n.list))
		n.ids[k] = id
		n.list = append(n.list, k.name)
		var moved *diag.Moved
		if k.moved != (diag.Moved{}) {
			moved = &k.moved
		}
		n.moved = append(n.moved, moved)
	}
	return id
}

// written returns the physical file and line of the text at l.
func (n *names) written(l loc) (file string, line int) {
	if m := n.moved[l.file]; m != nil {
		return m.File, int(l.line) + m.Down
	}
	return n.list[l.file], int(l.line)
}

// pos unpacks a position.
func (p *preprocessor) pos(l loc) diag.Pos {
	return diag.Pos{File: p.names.list[l.file], Line: int(l.line), Col: int(l.col), Moved: p.names.moved[l.file]}
}

// dropped represents the errors beyond the limit of a diag.List, which only counts them:
// formatting each of a million stray characters would be wasted.
var dropped = &diag.Error{}

// errorAt reports an error at l, with notes for the #includes that lead to it.
func (p *preprocessor) errorAt(l loc, notes []diag.Note, format string, args ...any) {
	if p.errs.Len() >= diag.MaxErrors {
		p.errs.Add(dropped)
		return
	}
	e := diag.Errorf(p.pos(l), format, args...)
	e.Notes = notes
	const maxNotes = 4
	for i := len(p.files) - 1; i > 0 && len(e.Notes) < maxNotes; i-- {
		if p.files[i].parent.line > 0 {
			e.Notes = append(e.Notes, diag.Note{Pos: p.pos(p.files[i].parent), Msg: "included here"})
		}
	}
	p.errs.Add(e)
}

// errorf reports an error about t: at the macro use if it comes from a macro, with a note
// at its position in the macro's body.
func (p *preprocessor) errorf(t *tok, format string, args ...any) {
	at, notes := p.place(t)
	p.errorAt(at, notes, format, args...)
}

// warnf reports a warning about t.
func (p *preprocessor) warnf(t *tok, format string, args ...any) {
	at, _ := p.place(t)
	p.errs.Warnf(p.pos(at), format, args...)
}

// errorDef is errorf with a note at the definition of m.
func (p *preprocessor) errorDef(t *tok, m *macro, format string, args ...any) {
	at, notes := p.place(t)
	if m.loc.line > 0 {
		notes = append(notes, diag.Note{Pos: p.pos(m.loc), Msg: fmt.Sprintf("'%s' is defined here", m.name.name)})
	}
	p.errorAt(at, notes, format, args...)
}

// place returns the position for an error about t, and the notes about the position of
// its text.
func (p *preprocessor) place(t *tok) (loc, []diag.Note) {
	if t.use == 0 {
		return t.loc, nil
	}
	return p.uses[t.use].at, []diag.Note{{Pos: p.pos(t.loc), Msg: "in the expansion of a macro, from here"}}
}

// fail reports an error and ends the run.
func (p *preprocessor) fail(t *tok, format string, args ...any) {
	if !p.fatal {
		p.errorf(t, format, args...)
		p.fatal = true
	}
}

// badToken reports an invalid token.
func (p *preprocessor) badToken(t *tok) {
	switch {
	case t.kind == kBadString:
		p.errorf(t, "unterminated string")
	case t.kind == kBadChar && t.text == "''":
		p.errorf(t, "empty character constant")
	case t.kind == kBadChar:
		p.errorf(t, "unterminated character constant")
	case len(t.text) > 1 && t.text[0] == '\\':
		p.errorf(t, "universal character names are not supported: %s", t.text)
	default:
		r, n := utf8.DecodeRuneInString(t.text)
		switch {
		case r == utf8.RuneError && n <= 1:
			p.errorf(t, "stray byte 0x%02x", t.text[0])
		case r < ' ' || r == 0x7f:
			p.errorf(t, "stray control character 0x%02x", r)
		case r < 0x80:
			p.errorf(t, "stray '%c'", r)
		default:
			p.errorf(t, "stray %q (U+%04X)", r, r)
		}
	}
}
