package canonical

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/vir"
)

// RequireSame compares the results of a kernel and its vector code on 40 work-items, which
// fill more than one strip. The kernel's arguments are an output and an input buffer of int,
// with elements below 32, and an int.
func RequireSame(t *testing.T, f *kernel.Func, v *vir.Func) {
	const items = 40
	run := func(e launch.Executor) (words []uint32) {
		out, in := make([]byte, 4*256), make([]byte, 4*256)
		for i := 0; i < len(in); i += 4 {
			in[i] = byte(i * 7 / 4 % 29)
		}
		args := []launch.Arg{launch.Buffer(out), launch.Buffer(in), launch.Bytes([]byte{9, 0, 0, 0})}
		require.NoError(t, e.Launch(context.Background(), launch.Of(items), args, 1))
		for i := 0; i < len(out); i += 4 {
			words = append(words, binary.LittleEndian.Uint32(out[i:]))
		}
		return words[:3*items]
	}
	want := run(launch.NewInterpreter(f, 10000, false))
	require.NotEqual(t, make([]uint32, len(want)), want, "nothing is stored")
	got := run(launch.NewVIRInterpreter(launch.Program{Kernel: f, Width: v.Width, Scratch: v.Scratch}, v, 1000000))
	require.Equal(t, want, got)
}
