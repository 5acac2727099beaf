package diag

import "strings"

// Places numbers source positions from 1, so that each instruction of a program with
// several files can refer to its position by one number.
type Places struct {
	list    []Pos
	numbers map[Pos]int
}

// Number returns the number of p, 0 if p has no line.
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

// At returns the position with the given number; it is invalid if there is none.
func (l *Places) At(n int) Pos {
	if l == nil || n < 1 || n > len(l.list) {
		return Pos{}
	}
	return l.list[n-1]
}

// Texts provides the lines of files.
type Texts struct {
	source func(file string) (string, bool)
	files  map[string][]string
}

// NewTexts returns a Texts that gets files from source.
func NewTexts(source func(file string) (string, bool)) *Texts {
	return &Texts{source, map[string][]string{}}
}

// Line returns the physical line of p, regardless of #line, if it is available.
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

// Comment formats line p for a listing: "12: text", preceded by the file if it is not
// main.
func (t *Texts) Comment(p Pos, main string) string {
	at := p.LineIn(main)
	text, known := t.Line(p)
	if !known {
		return at
	}
	return strings.TrimPrefix(at, "line ") + ": " + quoted(text, p.Col)
}

// maxQuoted bounds the part of a line quoted in listings, in bytes. Generated programs
// may consist of one line, which every instruction would quote.
const maxQuoted = 200

// quoted returns the text of a line without surrounding space; for a long line, the part
// around column col.
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
