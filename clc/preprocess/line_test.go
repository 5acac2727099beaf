package preprocess

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/diag"
)

// TestExcerptsAfterLine checks that the source excerpt of an error comes from the
// physical line, regardless of #line.
func TestExcerptsAfterLine(t *testing.T) {
	files := map[string]string{
		"in.cl": "/* one\n  two */\n#line 1\nfirst @\n#line 7 \"other.cl\"\n\\\n\nsecond @\n#include \"h\"\nthird `\n",
		"h":     "\n#line 100 /*\n*/\nfourth @\n",
	}
	var errs diag.List
	Run("in.cl", files["in.cl"], Options{Include: func(name, _ string, _ bool) (string, string, error) {
		return name, files[name], nil
	}}, &errs)
	got := diag.Render(&errs, func(file string) (string, bool) {
		text, ok := files[file]
		return text, ok
	})
	require.Equal(t, `in.cl:1:7: error: stray '@'
    first @
          ^
other.cl:9:8: error: stray '@'
    second @
           ^
other.cl:11:7: error: stray '`+"`"+`'
    third `+"`"+`
          ^
h:100:8: error: stray '@'
    fourth @
           ^
other.cl:10:2: note: included here
    #include "h"
     ^
`, got)
}
