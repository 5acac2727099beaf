package simtc_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every exported function of the package has an example that runs.
func TestFunctionsHaveExamples(t *testing.T) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	fset := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".go") {
			f, err := parser.ParseFile(fset, e.Name(), nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, f)
		}
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/simtc/simtc")
	require.NoError(t, err)
	funcs := p.Funcs
	for _, typ := range p.Types {
		funcs = append(funcs, typ.Funcs...)
	}
	require.Greater(t, len(funcs), 15)
	for _, f := range funcs {
		require.NotEmpty(t, f.Examples, "func %s has no example", f.Name)
		for _, e := range f.Examples {
			require.NotEmpty(t, e.Output, "the example of %s has no output", f.Name)
		}
	}
}
