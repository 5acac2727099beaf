package simtc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The comment of every pass in a table says what it requires, and what it maintains or breaks.
func TestPassesHaveContracts(t *testing.T) {
	for _, dir := range []string{"opt", "vir/opt", "pipeline"} {
		comments, passes := map[string]string{}, map[string]bool{}
		for _, pattern := range []string{"*.go", "*/*.go"} {
			files, err := filepath.Glob(filepath.Join(dir, pattern))
			require.NoError(t, err)
			for _, path := range files {
				f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
				require.NoError(t, err)
				qualifier := ""
				if filepath.Dir(path) != filepath.Clean(dir) {
					qualifier = f.Name.Name + "."
				}
				for _, d := range f.Decls {
					if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
						comments[qualifier+fn.Name.Name] = fn.Doc.Text()
					}
				}
				if qualifier == "" {
					collectPasses(f, passes)
				}
			}
		}
		require.Greater(t, len(passes), 9, dir)
		for name := range passes {
			c := comments[name]
			if !strings.Contains(c, "requires:") || !strings.Contains(c, "maintains:") && !strings.Contains(c, "breaks:") {
				t.Errorf("%s: the comment of %s lacks requires, or maintains and breaks", dir, name)
			}
		}
	}
}

// collectPasses adds the functions in the rows of the pass tables of f, with the name of
// their package if that is another.
func collectPasses(f *ast.File, passes map[string]bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		table, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		of, ok := table.Type.(*ast.ArrayType)
		if !ok {
			return true
		}
		elem := of.Elt
		if generic, ok := elem.(*ast.IndexExpr); ok {
			elem = generic.X
			if qualified, ok := elem.(*ast.SelectorExpr); ok {
				elem = qualified.Sel
			}
		}
		if name, ok := elem.(*ast.Ident); !ok || name.Name != "Pass" {
			return true
		}
		for _, row := range table.Elts {
			run := row.(*ast.CompositeLit).Elts[1].(*ast.KeyValueExpr).Value
			switch run := run.(type) {
			case *ast.Ident:
				passes[run.Name] = true
			case *ast.SelectorExpr:
				passes[run.X.(*ast.Ident).Name+"."+run.Sel.Name] = true
			}
		}
		return true
	})
}
