package launch

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
)

// TestContentsAreRestored checks that exactly the memory that a kernel writes is restored,
// including overlapping arguments.
func TestContentsAreRestored(t *testing.T) {
	m, err := kernel.Parse("t.simt", `kernel f {
  arg a buffer ptr.global int 1 "__global const int *"
  arg b buffer ptr.global int 1 "__global int *"
  arg c buffer ptr.global int 1 "__global int *"
  arg n scalar i32 int 1 "int"
b0.entry:
  %a.0 = arg.ptr.global 0
  %b.1 = arg.ptr.global 1
  %c.2 = arg.ptr.global 2
  %3 = load.i32 %a.0 align 4
  store.i32 %b.1, %3 align 4
  store.i32 %c.2, %3 align 4
  return
}
`)
	require.NoError(t, err)
	memory := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	only := []byte{21, 22, 23, 24}
	before := slices.Clone(memory)
	args := []Arg{Buffer(only), Buffer(memory[:8]), Buffer(memory[4:]), Bytes(make([]byte, 4))}
	require.Nil(t, KeepContents(m.Funcs[0], args, 15))
	c := KeepContents(m.Funcs[0], args, 16)
	for i := range memory {
		memory[i] = 0
	}
	only[0] = 99
	c.Restore()
	require.Equal(t, before, memory)
	require.Equal(t, byte(99), only[0])
}
