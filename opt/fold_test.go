package opt_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/opt"
)

// Fold knows the local size of a kernel with reqd_work_group_size, unless groups may be
// non-uniform.
func TestRequiredSize(t *testing.T) {
	const text = `kernel k {
  arg p buffer ptr.global int 1 "int*"
  %s
b0:
  %%p = arg.ptr.global 0
  %%n = localsize 1
  %%t = trunc.i32 %%n
  store.i32 %%p, %%t align 4
  return
}
`
	for required, want := range map[string]string{"reqd_work_group_size 8 4 1": "store.i32 %0, 4 align 4", "": "localsize 1"} {
		m, err := kernel.Parse("k", fmt.Sprintf(text, required))
		require.NoError(t, err)
		opt.Fold(m.Funcs[0], nil)
		require.NoError(t, kernel.Verify(m.Funcs[0]))
		require.Contains(t, m.Funcs[0].String(), want)
	}
	m, err := kernel.Parse("k", fmt.Sprintf(text, "reqd_work_group_size 8 4 1"))
	require.NoError(t, err)
	m.Funcs[0].NonUniform = true
	opt.Fold(m.Funcs[0], nil)
	require.Contains(t, m.Funcs[0].String(), "localsize 1")
}
