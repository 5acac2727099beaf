package parse_test

import (
	"bytes"
	"testing"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/parse"
	"github.com/simtc/simtc/internal/diag"
	"github.com/simtc/simtc/internal/golden"
	"github.com/stretchr/testify/require"
)

// TestGolden prints the untyped trees of the programs in testdata.
func TestGolden(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		errs := &diag.List{}
		f := parse.File(scan("in.cl", files["in.cl"]), parse.Options{}, errs)
		var b bytes.Buffer
		require.NoError(t, ast.Dump(&b, f))
		out := map[string]string{"ast": b.String(), "errors": ""}
		if errs.Len() > 0 {
			out["errors"] = errs.Error() + "\n"
		}
		return out
	})
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", `a\n\t\\\'\"`: "a\n\t\\'\"", `\0`: "\x00", `\101\x42`: "AB", `\1234`: "S4", `\xff`: "\xff",
	} {
		got, msg := parse.Unescape(in)
		require.Empty(t, msg)
		require.Equal(t, want, string(got))
	}
	for _, bad := range []string{`\`, `\q`, `\x`, `\8`, `\777`, `\x4142`} {
		_, msg := parse.Unescape(bad)
		require.NotEmpty(t, msg, bad)
	}
}

// TestPragmas checks the expressions that may be contracted and the loops to unroll.
func TestPragmas(t *testing.T) {
	errs := &diag.List{}
	f := parse.File(scan("in", `
float f(float a) {
  a = a + 1;
  {
#pragma OPENCL FP_CONTRACT OFF
    a = a + 2;
  }
  a = a + 3;
#pragma unroll(8)
  for (;;) ;
  while (a) ;
#pragma unroll
  while (a) ;
  __attribute__((opencl_unroll_hint(2))) do ; while (a);
#pragma nounroll
  for (;;) ;
#pragma something else
}
#pragma STDC FP_CONTRACT OFF
float g(float a) { return a + 4; }
`), parse.Options{}, errs)
	require.NoError(t, errs.Err())
	fn := f.Decls[0].(*ast.FuncDef).Body.Items
	sum := func(s ast.Stmt) bool { return s.(*ast.ExprStmt).X.(*ast.Assign).Y.(*ast.Binary).Contract }
	require.True(t, sum(fn[0]))
	require.False(t, sum(fn[1].(*ast.Block).Items[0]))
	require.True(t, sum(fn[2]))
	requireUnroll(t, "8", fn[3].(*ast.For).Unroll)
	require.Equal(t, ast.Unroll{}, fn[4].(*ast.While).Unroll)
	require.Equal(t, ast.Unroll{Set: true}, fn[5].(*ast.While).Unroll)
	requireUnroll(t, "2", fn[6].(*ast.DoWhile).Unroll)
	require.Equal(t, ast.Unroll{Set: true, Count: 1}, fn[7].(*ast.For).Unroll)
	ret := f.Decls[1].(*ast.FuncDef).Body.Items[0].(*ast.Return)
	require.False(t, ret.X.(*ast.Binary).Contract)

	off := parse.File(scan("in", "float f(float a) { return a + 1; }"), parse.Options{NoContract: true}, errs)
	ret = off.Decls[0].(*ast.FuncDef).Body.Items[0].(*ast.Return)
	require.False(t, ret.X.(*ast.Binary).Contract)

	parse.File(scan("in", "#pragma OPENCL FP_CONTRACT MAYBE\n"), parse.Options{}, errs)
	require.ErrorContains(t, errs.Err(), "in:1:9: FP_CONTRACT takes ON, OFF or DEFAULT, not 'MAYBE'")
}

// requireUnroll compares the unroll count, which is a literal.
func requireUnroll(t *testing.T, want string, u ast.Unroll) {
	t.Helper()
	require.True(t, u.Set)
	require.IsType(t, (*ast.IntLit)(nil), u.X)
	require.Equal(t, want, u.X.(*ast.IntLit).Text)
}
