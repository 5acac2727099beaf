package launch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

// TestSpared: a pointer to const is written through all the same if the kernel
// makes another of it, on whatever way.
func TestSpared(t *testing.T) {
	const header = `kernel f {
  arg in buffer ptr.global int 1 "__global const int *" readonly
  arg out buffer ptr.global int 1 "__global int *"
b0.entry:
  %in.0 = arg.ptr.global 0
  %out.1 = arg.ptr.global 1
`
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"loaded": {"  %2 = load.i32 %in.0 align 4\n  store.i32 %out.1, %2 align 4\n  return\n", true},
		"stored": {"  %2 = ptradd.ptr.global %in.0, 4\n  store.i32 %2, 1 align 4\n  return\n", false},
		"kept":   {"  %2 = alloca.ptr.private 8 align 8\n  store.ptr.global %2, %in.0 align 8\n  return\n", false},
		"passed": {"  jump b1.next(%in.0)\nb1.next(%2: ptr.global):\n  store.i32 %2, 1 align 4\n  return\n", false},
		"around": {"  jump b1.loop(%out.1)\nb1.loop(%2: ptr.global):\n  store.i32 %2, 1 align 4\n  branch 1, b1.loop(%in.0), b2.done\nb2.done:\n  return\n", false},
	} {
		m, err := kernel.Parse("t.simt", header+c.body+"}\n")
		require.NoError(t, err, name)
		require.Equal(t, []bool{c.want, false}, spared(m.Funcs[0]), name)
	}
}
