package diag

import "strings"

// Places numbers places in source files from 1, so that each instruction of a program of
// several files can name its own by one number.
type Places struct {
	list    []Pos
	numbers map[Pos]int
}

// Number is that of p, 0 if p names no line.
func (l *Places) Number(p Pos) int {
	if !p.IsValid() {
		return 0
	}
	n, ok := l.numbers[p]
	if !ok {
		if l.numbers == nil {
			l.numbers = map[Pos]int{}
		}
		l.list = append(l.list, p)
		n = len(l.list)
		l.numbers[p] = n
	}
	return n
}

// At is the place with a number, not valid if there is none.
func (l *Places) At(n int) Pos {
	if l == nil || n < 1 || n > len(l.list) {
		return Pos{}
	}
	return l.list[n-1]
}

// Texts finds the lines of files.
type Texts struct {
	source func(file string) (string, bool)
	files  map[string][]string
}

// NewTexts makes one of what returns the text of a file.
func NewTexts(source func(file string) (string, bool)) *Texts {
	return &Texts{source, map[string][]string{}}
}

// Line is the text of the line of p, wherever a #line says that it is, if it is known.
func (t *Texts) Line(p Pos) (string, bool) {
	file, n := p.Written()
	lines, ok := t.files[file]
	if !ok {
		if text, known := t.source(file); known {
			lines = strings.Split(text, "\n")
		}
		t.files[file] = lines
	}
	if n < 1 || n > len(lines) {
		return "", false
	}
	return strings.TrimSuffix(lines[n-1], "\r"), true
}

// Comment says which line p is in a listing: "12: text", with the file ahead if it is
// another than main.
func (t *Texts) Comment(p Pos, main string) string {
	at := p.LineIn(main)
	text, known := t.Line(p)
	if !known {
		return at
	}
	return strings.TrimPrefix(at, "line ") + ": " + quoted(text, p.Col)
}

// maxQuoted bounds the part of a line that listings quote, in bytes. Generated programs may
// have all of their text in one line, which every instruction would quote.
const maxQuoted = 200

// quoted is the text of a line without the space around it; of a long one the part at a column.
func quoted(line string, col int) string {
	if len(line) <= maxQuoted {
		return strings.TrimSpace(line)
	}
	from := min(max(col-1-maxQuoted/2, 0), len(line)-maxQuoted)
	text := strings.TrimSpace(strings.ToValidUTF8(line[from:from+maxQuoted], ""))
	if from > 0 {
		text = "..." + text
	}
	if from+maxQuoted < len(line) {
		text += "..."
	}
	return text
}
