package blockip_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/blockip"
	"github.com/simtc/simtc/divergence"
	"github.com/simtc/simtc/internal/golden"
	"github.com/simtc/simtc/kernel"
	"github.com/simtc/simtc/launch"
	"github.com/simtc/simtc/utest/canonical"
	"github.com/simtc/simtc/vir"
	"github.com/simtc/simtc/widen"
)

func TestLinearize(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, files map[string]string) map[string]string {
		f := canonical.Kernel(t, files)
		before := f.String()
		info := divergence.Analyze(f, divergence.Options{Width: 16})
		schedule, err := blockip.Explain(f, info)
		require.NoError(t, err)
		v, _, err := blockip.Linearize(f, info, widen.Options{Width: 16})
		require.NoError(t, err)
		require.NoError(t, vir.Verify(v))
		require.Equal(t, before, f.String(), "the kernel stays as it is")
		requireSameResults(t, f, v)
		return map[string]string{"kernel": before, "schedule": schedule, "vir": v.String()}
	})
}

// requireSameResults runs both on numbers below 32, more work-items than one
// strip has.
func requireSameResults(t *testing.T, f *kernel.Func, v *vir.Func) {
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
	want := run(launch.NewInterpreter(f, 10000))
	require.NotEqual(t, make([]uint32, len(want)), want, "nothing is stored")
	got := run(launch.NewVIRInterpreter(launch.Program{Kernel: f, Width: v.Width, Scratch: v.Scratch}, v, 1000000))
	require.Equal(t, want, got)
}

// What Linearize requires is checked, not assumed.
func TestLinearizeRejects(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"switch", `
b0:
  %n = arg.i32 0
  switch.i32 %n, b1, 3: b2
b1:
  jump b2
b2:
  return`, "b0: a switch is left"},
		{"two returns", `
b0:
  %id = globalid 0
  %odd = trunc.i1 %id
  branch %odd, b1, b2
b1:
  return
b2:
  return`, "2 return blocks"},
		{"unreachable block", `
b0:
  jump b2
b1:
  jump b2
b2:
  return`, "b1 is not reachable"},
		{"two back edges", `
b0:
  %n = arg.i32 0
  %c = slt.i32 %n, 3
  %d = slt.i32 %n, 5
  jump b1
b1:
  branch %c, b1, b2
b2:
  branch %d, b1, b3
b3:
  return`, "header b1 has 1 entering and 2 back edges"},
		{"two entering edges", `
b0:
  %n = arg.i32 0
  %c = slt.i32 %n, 3
  %d = slt.i32 %n, 5
  branch %c, b1, b2
b1:
  jump b2
b2:
  branch %d, b2, b3
b3:
  return`, "header b2 has 2 entering and 1 back edges"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := kernel.Parse("in.simt", "kernel f {\n  arg n scalar i32 - 1 \"int\""+c.body+"\n}\n")
			require.NoError(t, err)
			info := divergence.Analyze(m.Funcs[0], divergence.Options{Width: 16})
			_, _, err = blockip.Linearize(m.Funcs[0], info, widen.Options{Width: 16})
			require.ErrorContains(t, err, "blockip: kernel f")
			require.ErrorContains(t, err, c.want)
			_, explained := blockip.Explain(m.Funcs[0], info)
			require.Equal(t, err, explained)
		})
	}
}
