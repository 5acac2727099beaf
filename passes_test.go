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
	for _, dir := range []string{"opt", "vir/opt"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		comments, passes := map[string]string{}, map[string]bool{}
		for _, path := range files {
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			require.NoError(t, err)
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
					comments[fn.Name.Name] = fn.Doc.Text()
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				table, ok := n.(*ast.CompositeLit)
				if !ok {
					return true
				}
				of, ok := table.Type.(*ast.ArrayType)
				if !ok {
					return true
				}
				if name, ok := of.Elt.(*ast.Ident); ok && name.Name == "Pass" {
					for _, row := range table.Elts {
						run := row.(*ast.CompositeLit).Elts[1]
						if pair, ok := run.(*ast.KeyValueExpr); ok {
							run = pair.Value
						}
						passes[run.(*ast.Ident).Name] = true
					}
				}
				return true
			})
		}
		require.Greater(t, len(passes), 20, dir)
		for name := range passes {
			c := comments[name]
			if !strings.Contains(c, "requires:") || !strings.Contains(c, "maintains:") && !strings.Contains(c, "breaks:") {
				t.Errorf("%s: the comment of %s lacks requires, or maintains and breaks", dir, name)
			}
		}
	}
}
