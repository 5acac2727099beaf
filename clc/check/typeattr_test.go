package check_test

import (
	"fmt"
	"testing"

	"github.com/simtc/simtc/clc/ast"
	"github.com/simtc/simtc/clc/check"
	"github.com/stretchr/testify/require"
)

func TestTypeAttributes(t *testing.T) {
	for _, c := range []struct{ decl, want string }{
		{"typedef float T __attribute__((ext_vector_type(4)));", "float4"},
		{"typedef __attribute__((__ext_vector_type__(3))) uchar T;", "uchar3"},
		{"typedef short T __attribute__((vector_size(8 * 2)));", "short8"},
		{"typedef int T __attribute__((mode(QI)));", "char"},
		{"typedef unsigned T __attribute__((__mode__(__DI__)));", "ulong"},
		{"typedef float T __attribute__((mode(DF)));", "double"},
	} {
		f, errs := program("in", c.decl+"\nvoid f() { T x; }", check.Options{})
		require.NoError(t, errs.Err(), c.decl)
		d := f.Funcs[0].Body.Items[0].(*ast.Declaration)
		require.Equal(t, c.want, d.Vars[0].Type.String(), c.decl)
	}
}

// TestPackedEnums checks that a packed enum has the smallest type that holds its
// constants.
func TestPackedEnums(t *testing.T) {
	for _, c := range []struct {
		consts string
		size   int
	}{{"A = 255", 1}, {"A = 256", 2}, {"A = -1, B = 127", 1}, {"A = -1, B = 128", 2}, {"A = 65536", 4}, {"A = 1L << 40", 8}} {
		_, errs := program("in", fmt.Sprintf("enum __attribute__((packed)) E { %s };\nint a[sizeof(enum E) == %d ? 1 : -1];", c.consts, c.size),
			check.Options{GlobalVariables: true})
		require.NoError(t, errs.Err(), c.consts)
	}
}
