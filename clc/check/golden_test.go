package check_test

import (
	"bytes"
	"testing"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/check"
	"github.com/simtc/simtc/clc/parse"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/golden"
	"github.com/stretchr/testify/require"
)

// program parses and checks text.
func program(file, text string, opts check.Options) (*ast.File, *diag.List) {
	errs := &diag.List{}
	f := parse.File(scan(file, text), parse.Options{}, errs)
	check.Program(f, opts, fakeBuiltins{}, errs)
	return f, errs
}

// TestGolden prints the typed trees of the programs in testdata.
func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f, errs := program("in.cl", files["in.cl"], check.Options{})
		if errs.Len() > 0 {
			return map[string]string{"ast": "", "errors": errs.Error() + "\n"}
		}
		var b bytes.Buffer
		require.NoError(t, ast.Dump(&b, f))
		return map[string]string{"ast": b.String(), "errors": ""}
	})
}
