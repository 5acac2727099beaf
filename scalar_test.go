package simtc

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// machine is an interpreter with registers in private memory that also computes its next
// instruction.
const machine = `
__kernel void machine(__global const ushort *code, __global int *out, int steps) {
  int pc = 0, r[8];
  for (int i = 0; i < 8; i++) r[i] = get_global_id(0) * i;
  for (int i = 0; i < steps; i++) {
    ushort op = code[get_global_id(0) * 32 + (pc & 31)];
    int x = op >> 3 & 7, y = op >> 6 & 7;
    pc++;
    switch (op & 7) {
    case 0: r[x] += r[y]; break;
    case 1: r[x] ^= r[y]; break;
    case 2: r[x] -= i; break;
    case 3: r[x] = r[y] * 3 + 1; break;
    case 4: r[x] = (r[x] << 3) ^ r[y]; break;
    case 5: r[y] = r[x] >> 2; break;
    case 6: if (op & 1024) pc = op >> 11; break;
    default: r[x] = ~r[y]; break;
    }
  }
  out[get_global_id(0)] = r[0] ^ r[1] ^ r[7];
}`

func compileScalar(t *testing.T, source, name string) *Kernel {
	t.Helper()
	p, err := Compile(source, Options{Target: AVX512, Processor: Zen4}) // the candidates depend on it
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	k, err := p.Kernel(name)
	require.NoError(t, err)
	return k
}

// TestFormsOfScalarCode checks that the forms differ in code but not in results, and that launches try
// them after the first form.
func TestFormsOfScalarCode(t *testing.T) {
	k := compileScalar(t, machine, "machine")
	ways, err := k.Ways(AVX512)
	require.NoError(t, err)
	forms := map[string]bool{}
	for _, w := range ways {
		if w.Scalar != "" {
			require.Equal(t, 1, w.Width)
			forms[w.Scalar] = true
		}
	}
	require.Equal(t, map[string]bool{Switch: true, Selects: true}, forms)

	jumps := map[string]int{} // through the table
	var want []int32
	for _, form := range Scalars() {
		x, err := k.With(Way{Target: AVX512, Width: 1, Scalar: form})
		require.NoError(t, err)
		text, err := x.Emit("asm")
		require.NoError(t, err)
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "\tjmp r") {
				jumps[form]++
			}
		}
		if err := Available(AVX512); err != nil {
			t.Logf("SKIPPED running %s: %v", form, err)
			continue
		}
		code, out := make([]uint16, 256*32), make([]int32, 256)
		for i := range code {
			code[i] = uint16(i * i * 40503 >> 7)
		}
		require.NoError(t, x.Launch(context.Background(), NDRange(256), code, out, int32(1000)))
		if want == nil {
			want = out
		}
		require.Equal(t, want, out, form)
	}
	require.Equal(t, 1, jumps[Switch])
	require.Greater(t, jumps[Threaded], 4)
	require.Equal(t, jumps[Threaded], jumps[Selects])
	stats, err := mustWith(t, k, Way{Target: AVX512, Width: 1}).Stats()
	require.NoError(t, err)
	require.Equal(t, jumps[Threaded]-1, stats["dispatches duplicated"])
	require.Equal(t, 1, stats["selects turned into branches"])

	if err := Available(AVX512); err != nil {
		t.Logf("SKIPPED launches: %v", err)
		return
	}
	x, err := k.tuned()
	require.NoError(t, err)
	require.NotNil(t, x)
	tried := map[string]bool{}
	for _, c := range x.configs {
		tried[c.scalar] = true
	}
	require.Equal(t, map[string]bool{"": true, Switch: true, Selects: true}, tried)
}

func mustWith(t *testing.T, k *Kernel, w Way) *Kernel {
	t.Helper()
	k, err := k.With(w)
	require.NoError(t, err)
	return k
}

// TestNoForms checks that equal code is not a version, and that a form must be supported by the
// target.
func TestNoForms(t *testing.T) {
	k := compileScalar(t, "__kernel void k(__global int *p) { p[get_global_id(0)] += 1; }", "k")
	ways, err := k.Ways(AVX512)
	require.NoError(t, err)
	for _, w := range ways {
		require.Empty(t, w.Scalar)
	}
	configs, versions := k.shared.otherScalarForms(config{target: targets[0], linearizer: linearizers[0], width: 1}, 3)
	require.Len(t, configs, len(scalarForms)-1, "a candidate is compared once it is compiled")
	for _, v := range versions {
		require.Equal(t, 3, v.After)
		_, err := v.Make()
		require.ErrorIs(t, err, errSameCode)
	}
	_, err = k.With(Way{Target: AVX512, Scalar: "goto"})
	require.ErrorContains(t, err, "auto, threaded, switch, selects")
	_, err = k.With(Way{Target: WASM, Scalar: Switch})
	require.ErrorContains(t, err, "wasm-simd")
}
