package preprocess

import (
	"strings"

	"github.com/simtc/simtc/internal/diag"
)

// directive identifies a directive of C99 §6.10.
type directive uint8

const (
	noDirective directive = iota
	dirIf
	dirIfdef
	dirIfndef
	dirElif
	dirElse
	dirEndif
	dirDefine
	dirUndef
	dirInclude
	dirLine
	dirError
	dirWarning
	dirPragma
)

var directives = map[string]directive{
	"if": dirIf, "ifdef": dirIfdef, "ifndef": dirIfndef, "elif": dirElif, "else": dirElse, "endif": dirEndif,
	"define": dirDefine, "undef": dirUndef, "include": dirInclude, "line": dirLine,
	"error": dirError, "warning": dirWarning, "pragma": dirPragma,
}

// directive handles the directive that begins with hash. Extra tokens after #else,
// #endif, #undef, #ifdef and #include are ignored.
func (p *preprocessor) directive(hash *tok) {
	s := p.cur
	s.dir = true
	var t tok
	s.next(&t)
	var include func()
	switch {
	case t.kind == kNewline: // a null directive
	case t.kind == kNumber: // # 12 "file", the output of other preprocessors
		p.lineMarker(t)
	case t.kind != kIdent:
		p.errorf(&t, "a directive's name must follow '#', not '%s'", t.text)
	default:
		switch t.sym.dir {
		case dirIf:
			p.openCond(hash, func() bool { return p.condition(&t) })
		case dirIfdef, dirIfndef:
			p.openCond(hash, func() bool {
				name, ok := p.macroName(t.text)
				return ok && (name.sym.macro != nil) == (t.sym.dir == dirIfdef)
			})
		case dirElif, dirElse:
			p.nextCond(&t)
		case dirEndif:
			p.endCond(&t)
		case dirDefine:
			p.define()
		case dirUndef:
			p.undef()
		case dirInclude:
			include = p.include(&t)
		case dirLine:
			p.lineDirective(&t)
		case dirError:
			p.errorDirective(&t)
		case dirWarning:
			p.warnf(&t, "%s", strings.TrimSpace("#warning "+spell(p.readLine())))
		case dirPragma:
			p.pragmaDirective(&t)
		default:
			p.errorf(&t, "unknown directive #%s", t.text)
		}
	}
	s.skipLine()
	s.dir = false
	if include != nil {
		include()
	}
}

// readLine reads the rest of a directive's line.
func (p *preprocessor) readLine() []tok {
	p.line = p.line[:0]
	var t tok
	for p.cur.next(&t); t.kind != kNewline; p.cur.next(&t) {
		p.line = append(p.line, t)
	}
	return p.line
}

// include reads an #include (C99 §6.10.2). The caller calls the returned function, if
// any, after reading the line; it starts the included file.
func (p *preprocessor) include(at *tok) func() {
	s := p.cur
	if p.collecting > 0 {
		p.errorf(at, "#include in the arguments of a macro")
		return nil
	}
	name, angled, ok := s.headerName()
	if !ok {
		name, angled, ok = p.expandedHeader()
	}
	switch {
	case !ok:
		p.errorf(at, "#include needs \"name\" or <name>")
		return nil
	case name == "":
		p.errorf(at, "#include of an empty name")
		return nil
	case p.opt.Include == nil:
		p.errorf(at, "cannot include '%s': no include path is available", name)
		return nil
	case len(p.files) > maxIncludes:
		p.fail(at, "more than %d files include each other", maxIncludes)
		return nil
	case p.included >= maxIncluded:
		p.fail(at, "more than %d files are included", maxIncluded)
		return nil
	}
	p.included++
	path, text, err := p.opt.Include(name, p.files[len(p.files)-1].path, angled)
	if err != nil {
		p.errorf(at, "cannot include '%s': %w", name, err)
		return nil
	}
	if p.once[path] {
		return nil
	}
	p.text += len(text)
	if p.text > maxText {
		p.fail(at, "the included files hold more than %d MB", maxText>>20)
		return nil
	}
	return func() { p.push(path, text, at.loc) }
}

// expandedHeader reads the name of an #include that is given by macros.
func (p *preprocessor) expandedHeader() (name string, angled, ok bool) {
	out := p.expandList(p.readLine(), p.buffer())
	defer p.release(out)
	if len(out) == 0 {
		return "", false, false
	}
	if t := &out[0]; t.kind == kString && strings.HasPrefix(t.text, `"`) {
		return t.text[1 : len(t.text)-1], false, true
	}
	if out[0].text != "<" {
		return "", false, false
	}
	for i := 1; i < len(out); i++ {
		if out[i].text == ">" {
			return spell(out[1:i]), true, true
		}
	}
	return "", false, false
}

// lineDirective handles a #line (C99 §6.10.4): the following lines get its number, and
// positions its file name.
func (p *preprocessor) lineDirective(at *tok) {
	out := p.expandList(p.readLine(), p.buffer())
	defer p.release(out)
	p.setLine(at, out)
}

// lineMarker handles # NUMBER "FILE"; t is the number.
func (p *preprocessor) lineMarker(t tok) {
	out := append(p.buffer(), t)
	out = append(out, p.readLine()...)
	defer p.release(out)
	if len(out) > 2 { // flags follow the name
		out = out[:2]
	}
	p.setLine(&t, out)
}

func (p *preprocessor) setLine(at *tok, args []tok) {
	if len(args) == 0 || args[0].kind != kNumber {
		p.errorf(at, "#line needs a line number")
		return
	}
	n := 0
	for _, c := range []byte(args[0].text) {
		if n = n*10 + int(c-'0'); c < '0' || c > '9' || n > 1<<31-1 {
			n = 0
			break
		}
	}
	if n == 0 {
		p.errorf(&args[0], "a line number is a decimal number from 1 to 2147483647, not '%s'", args[0].text)
		return
	}
	file := p.names.list[p.cur.file]
	if len(args) > 1 {
		name := &args[1]
		if name.kind != kString || name.text[0] != '"' || len(args) > 2 {
			p.errorf(name, "only a \"name\" may follow the number in #line")
			return
		}
		file = unquote(name.text)
	}
	// The newline has not been read yet.
	written, line := p.names.written(p.cur.here())
	p.cur.file = p.names.add(named{file, diag.Moved{File: written, Down: line + 1 - n}})
	p.cur.line = uint32(n - 1)
}

// unquote returns the contents of a string literal without prefix, whose only escapes may
// be \" and \\.
func unquote(s string) string {
	s = s[1 : len(s)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(s)
}

// errorDirective handles an #error.
func (p *preprocessor) errorDirective(at *tok) {
	text := spell(p.readLine())
	if text == "" {
		text = "#error"
	} else {
		text = "#error " + text
	}
	p.errorf(at, "%s", text)
}
