package diag

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuotedLines checks that listings quote only part of a long line, as each
// instruction of a program in one line quotes it.
func TestQuotedLines(t *testing.T) {
	long := strings.Repeat("a", 1000) + " here " + strings.Repeat("é", 500)
	for _, c := range []struct {
		line string
		col  int
		want string
	}{
		{"  x = 1;  ", 3, "x = 1;"},
		{long, 0, strings.Repeat("a", 200) + "..."},
		{long, 1003, "..." + strings.Repeat("a", 98) + " here " + strings.Repeat("é", 48) + "..."},
		{long, 5000, "..." + strings.Repeat("é", 100)},
	} {
		require.Equal(t, c.want, quoted(c.line, c.col))
	}
}
