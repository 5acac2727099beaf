package workgroup_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/opt"
	"github.com/simtc/simtc/workgroup"
)

// run executes f with its local memory, one buffer of 64 words and, if there is another argument,
// the number n.
func run(f *kernel.Func, n uint32, strict bool) ([]byte, error) {
	buffer := make([]byte, 256)
	for i := range 64 {
		binary.LittleEndian.PutUint32(buffer[4*i:], uint32(i*i))
	}
	args := []launch.Arg{launch.Buffer(buffer)}
	if len(f.Args) > 1 {
		args = append(args, launch.Bytes(binary.LittleEndian.AppendUint32(nil, n)))
	}
	err := launch.NewInterpreter(f, 100_000, strict).Launch(context.Background(), launch.Of(20, 3).WithLocal(7, 2), args, 1)
	return buffer, err
}

// TestSplit compares kernels with barriers with their forms after Split. Both compute the
// same results, and both fail if work-items wait at different barriers.
func TestSplit(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		m, err := kernel.Parse("in.simt", files["in.simt"])
		require.NoError(t, err)
		f := m.Funcs[0]
		before := kernel.Clone(f)
		st := opt.Stats{}
		workgroup.Split(f, st)
		require.NoError(t, kernel.Verify(f), f.String())
		require.Positive(t, st["barriers"])
		opt.RemoveTrivialParams(f, nil)
		opt.RemoveDead(f, nil)
		require.NoError(t, kernel.Verify(f), f.String())
		require.False(t, f.Uses(kernel.Barrier))
		out := f.String()

		parsed, err := kernel.Parse("out.simt", out)
		require.NoError(t, err)
		require.Equal(t, out, parsed.Funcs[0].String())
		fault := ""
		for _, strict := range []bool{false, true} {
			for n := range uint32(8) {
				want, wantErr := run(before, n, strict)
				got, err := run(f, n, strict)
				require.Equal(t, wantErr != nil, err != nil, "n %d: %v, %v", n, wantErr, err)
				if err == nil {
					require.Equal(t, want, got, "n %d", n)
					continue
				}
				var a, b *kernel.BarrierFault
				require.True(t, errors.As(wantErr, &a), wantErr)
				require.True(t, errors.As(err, &b), err)
				require.Equal(t, a.Returned, b.Returned)
				fault = err.Error()
			}
		}
		sections := map[string]string{"out.simt": out}
		if fault != "" {
			sections["fault"] = fault + "\n"
		}
		return sections
	})
}
