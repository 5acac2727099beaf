package remarks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/kernel"
)

// TestQuote checks that expressions are quoted at the position of their operator, which
// is marked by ^.
func TestQuote(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"if (top ^== stack) {", "top == stack"},
		{"if (sq.x + sq.y ^> 4) break;", "sq.x + sq.y > 4"},
		{"if (sq.x ^+ sq.y > 4) break;", "sq.x + sq.y"},
		{"p[i] = n + tri[i ^/ 3];", "i / 3"},
		{"p[i] = n ^+ tri[i / 3];", "n + tri[i / 3]"},
		{"p[i] = n + tri^[i / 3];", "tri[i / 3]"},
		{"int *s = stack ^+ (p[i] & 3);", "stack + (p[i] & 3)"},
		{"int *s = stack + (p[i] ^& 3);", "p[i] & 3"},
		{"x = a ^- b - c;", "a - b"},
		{"x = a - b ^- c;", "a - b - c"},
		{"x = a * -b ^+ c << 2;", "a * -b + c"},
		{"x = ^-a * b;", "-a"},
		{"x = a ^* -b + c;", "a * -b"},
		{"x = a ^< b ? c + 1 : d;", "a < b"},
		{"x = a < b ^? c + 1 : d;", "a < b ? c + 1 : d"},
		{"x = a < b ? c ^+ 1 : d;", "c + 1"},
		{"f(a, b ^% 7, c);", "b % 7"},
		{"y = ^max(a[i], 3) + 1;", ""}, // may be a macro
		{"y = max^(a[i], 3) + 1;", "max(a[i], 3)"},
		{"y = q->z^.w * 2;", "q->z.w"},
		{"return a ^& 1;", "a & 1"},
		{"while (n ^< p[i + 100]) {", "n < p[i + 100]"},
		{"for (int i = 0; i ^< n; i++)", "i < n"},
		{"for (int i = 0; i < n; i^++)", "i++"},
		{"sum ^+= a[i];", ""}, // begins before the window of lines
		{"x; sum ^+= a[i];", "sum += a[i]"},
		{"x ^= 3;", ""},
		{"if (a > 0 &&\n    b ^< 3) {", "b < 3"},
		{"if (a /* one */ ^> // two\n    0) {", "a > 0"},
		{"#define A 1\nx = y ^>> 2;", "y >> 2"},
		{"x = (float)n ^/ m;", "(float)n / m"},
		{"x = n ^/ (float)m;", "n / (float)m"},
		{"c = s[i] ^== ')' || d;", "s[i] == ')'"},
		{"int a; } ^ x", ""},
	} {
		before, after, ok := strings.Cut(c.source, "^")
		require.True(t, ok)
		if strings.HasPrefix(after, "^") {
			before, after = before+"^", after[1:]
		}
		line := 1 + strings.Count(before, "\n")
		text := before + after
		col := len(before) - strings.LastIndex(before, "\n")
		texts := diag.NewTexts(func(string) (string, bool) { return text, true })
		v := &kernel.Value{Pos: diag.Pos{File: "q.cl", Line: line, Col: col}}
		require.Equal(t, c.want, (&collector{texts: texts}).quote(v), c.source)
	}
	require.Equal(t, 60, len([]rune(shortened(strings.Repeat("é", 80)))))
}
