package preprocess

import (
	"fmt"
	"unicode/utf8"

	"github.com/simtc/simtc/internal/diag"
)

// loc is a place, packed: Line and Col count from 1, file indexes names.
type loc struct {
	line, col, file uint32
}

// names numbers the file names that positions use, each with what #line made of
// the places in it.
type names struct {
	list  []string
	moved []*diag.Moved // beside list; nil where no #line did
	ids   map[named]uint32
}

type named struct {
	name  string
	moved diag.Moved // zero where no #line did
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

// written is the file and line that hold the text at l.
func (n *names) written(l loc) (file string, line int) {
	if m := n.moved[l.file]; m != nil {
		return m.File, int(l.line) + m.Down
	}
	return n.list[l.file], int(l.line)
}

// pos unpacks a place.
func (p *preprocessor) pos(l loc) diag.Pos {
	return diag.Pos{File: p.names.list[l.file], Line: int(l.line), Col: int(l.col), Moved: p.names.moved[l.file]}
}

// dropped stands for the errors beyond those a diag.List keeps: it only counts
// them, so there is no point in formatting each of a million stray characters.
var dropped = &diag.Error{}

// errorAt reports an error at l with notes that lead to the includer.
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

// errorf reports an error about t: at the macro use if it came from one, with
// a note where the macro's body has it.
func (p *preprocessor) errorf(t *tok, format string, args ...any) {
	at, notes := p.place(t)
	p.errorAt(at, notes, format, args...)
}

// warnf reports a warning about t.
func (p *preprocessor) warnf(t *tok, format string, args ...any) {
	at, _ := p.place(t)
	p.errs.Warnf(p.pos(at), format, args...)
}

// errorDef is errorf with a note to the definition of m.
func (p *preprocessor) errorDef(t *tok, m *macro, format string, args ...any) {
	at, notes := p.place(t)
	if m.loc.line > 0 {
		notes = append(notes, diag.Note{Pos: p.pos(m.loc), Msg: fmt.Sprintf("'%s' is defined here", m.name.name)})
	}
	p.errorAt(at, notes, format, args...)
}

// place is where to report an error about t, and what to say about the place
// its text comes from.
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

// badToken reports what is no token of C.
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
