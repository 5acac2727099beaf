package widen_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/vir"
)

// requireSameResults runs both forms. Buffers hold small numbers, and every other argument is a
// small number.
func requireSameResults(t *testing.T, f *kernel.Func, v *vir.Func) {
	t.Helper()
	const items, bytes = 10, 8192
	run := func(e launch.Executor) [][]byte {
		var buffers [][]byte
		var args []launch.Arg
		for i, a := range f.Args {
			if a.Kind == kernel.ArgScalar {
				args = append(args, launch.Bytes([]byte{5, 0, 0, 0, 0, 0, 0, 0}[:a.Type.Size()]))
				continue
			}
			b := make([]byte, bytes)
			for at := 0; at < bytes; at += 4 {
				binary.LittleEndian.PutUint32(b[at:], uint32((at/4*5+i)%13))
			}
			buffers = append(buffers, b)
			args = append(args, launch.Buffer(b))
		}
		require.NoError(t, e.Launch(context.Background(), launch.Of(items), args, 1))
		return buffers
	}
	want := run(launch.NewSubGroupInterpreter(f, 10000, false, v.Width))
	program := launch.Program{Kernel: f, Width: v.Width, Scratch: v.Scratch, Groups: v.Groups, Phases: v.Phases}
	got := run(launch.NewVIRInterpreter(program, v, 1000000))
	for i := range want {
		for at := range want[i] {
			require.Equal(t, want[i][at], got[i][at], "buffer %d byte %d", i, at)
		}
	}
}
