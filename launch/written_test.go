package launch

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

// TestSpared checks that memory that is only loaded is not written, whether its pointee is
// const or not, and that stores through any pointer derived from it are found.
func TestSpared(t *testing.T) {
	const header = `kernel f {
  arg in buffer ptr.global int 1 "__global const int *"%s
  arg out buffer ptr.global int 1 "__global int *"
b0.entry:
  %%in.0 = arg.ptr.global 0
  %%out.1 = arg.ptr.global 1
`
	for name, c := range map[string]struct {
		body    string
		in, out bool
	}{
		"loaded":   {"  %2 = load.i32 %in.0 align 4\n  store.i32 %out.1, %2 align 4\n  return\n", true, false},
		"stored":   {"  %2 = ptradd.ptr.global %in.0, 4\n  store.i32 %2, 1 align 4\n  return\n", false, true},
		"kept":     {"  %2 = alloca.ptr.private 8 align 8\n  store.ptr.global %2, %in.0 align 8\n  return\n", false, true},
		"passed":   {"  jump b1.next(%in.0)\nb1.next(%2: ptr.global):\n  store.i32 %2, 1 align 4\n  return\n", false, true},
		"around":   {"  jump b1.loop(%out.1)\nb1.loop(%2: ptr.global):\n  store.i32 %2, 1 align 4\n  branch 1, b1.loop(%in.0), b2.done\nb2.done:\n  return\n", false, false},
		"compared": {"  %2 = ne.ptr.global %in.0, %out.1\n  %3 = zext.i32 %2\n  store.i32 %out.1, %3 align 4\n  return\n", true, false},
		"atomic":   {"  %2 = atomic.i32 %in.0, 1 add\n  return\n", false, true},
	} {
		for _, access := range []string{"", " readonly"} {
			m, err := kernel.Parse("t.simt", fmt.Sprintf(header, access)+c.body+"}\n")
			require.NoError(t, err, name)
			require.Equal(t, []bool{c.in, c.out}, spared(m.Funcs[0]), name)
		}
	}
}
