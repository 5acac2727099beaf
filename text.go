package simtc

import (
	"errors"
	"fmt"
	"strings"
)

// startOfText is the number of bytes that are inspected to recognize a text.
const startOfText = 1000

// textOf returns the text of a file with lone CRs at line ends replaced by LF. A binary file
// is one error, instead of one per byte.
func textOf(text string) (string, error) {
	start := text[:min(len(text), startOfText)]
	var zeros [2]int // at even and odd offsets: ASCII in UTF-16 has them at one of the two
	controls := 0
	for i := range len(start) {
		switch c := start[i]; {
		case c == 0:
			zeros[i%2]++
			controls++
		case c < '\t' || c > '\r' && c < ' ' || c == 0x7f:
			controls++
		}
	}
	switch {
	case strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") || min(zeros[0], zeros[1]) == 0 && max(zeros[0], zeros[1])*3 > len(start):
		return "", errors.New("the text is not UTF-8, but UTF-16 or UTF-32")
	case controls > 1 && controls*20 > len(start):
		return "", fmt.Errorf("not a text file: of the first %d bytes, %d are control characters", len(start), controls)
	}
	return endLines(text), nil
}

// endLines replaces each CR that is not followed by LF.
func endLines(text string) string {
	alone := func(i int) bool { return text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n") }
	from := strings.IndexByte(text, '\r')
	for ; from >= 0 && from < len(text) && !alone(from); from++ {
	}
	if from < 0 || from == len(text) {
		return text
	}
	out := []byte(text)
	for i := from; i < len(text); i++ {
		if alone(i) {
			out[i] = '\n'
		}
	}
	return string(out)
}
