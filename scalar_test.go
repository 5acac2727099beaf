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
  short s[8];
  for (int i = 0; i < 8; i++) { r[i] = get_global_id(0) * i; s[i] = i; }
  for (int i = 0; i < steps; i++) {
    ushort op = code[get_global_id(0) * 32 + (pc & 31)];
    int x = op >> 3 & 7, y = op >> 6 & 7;
    pc++;
    switch (op & 7) {
    case 0: r[x] += r[y]; break;
    case 1: r[x] ^= s[y]; s[y] = s[x] + 1; break;
    case 2: r[x] -= i; break;
    case 3: r[x] = r[y] * 3 + 1; break;
    case 4: s[x] = (s[x] << 3) ^ s[y]; break;
    case 5: r[y] = r[x] >> 2; break;
    case 6: if (op & 1024) pc = op >> 11; break;
    default: r[x] = ~r[y]; break;
    }
  }
  out[get_global_id(0)] = r[0] ^ r[1] ^ r[7];
}`

func compileScalar(t *testing.T, source, name string) *Kernel {
	t.Helper()
	p, err := Compile(source, Options{Strategy: Strategy{Target: AVX512}, Processor: Zen4}) // the candidates depend on it
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
	ways, err := k.Strategies(AVX512)
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
		x, err := k.With(Strategy{Target: AVX512, Width: 1, Scalar: form})
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
	stats, err := mustStrategy(t, k, Strategy{Target: AVX512, Width: 1}).Stats()
	require.NoError(t, err)
	require.Equal(t, jumps[Threaded]-1, stats["dispatches duplicated"])
	require.Equal(t, 1, stats["selects turned into branches"])

	if err := Available(AVX512); err != nil {
		t.Logf("SKIPPED launches: %v", err)
		return
	}
	candidates, err := k.k.Candidates()
	require.NoError(t, err)
	tried := map[string]bool{}
	for _, c := range candidates {
		tried[c.Scalar] = true
	}
	require.Equal(t, map[string]bool{"": true, Switch: true, Selects: true}, tried)
}

func mustStrategy(t *testing.T, k *Kernel, s Strategy) *Kernel {
	t.Helper()
	k, err := k.With(s)
	require.NoError(t, err)
	return k
}

// TestEnginesOptimizeOrNot checks that both compilers give the same results, and that launches try
// the one that is not the default.
func TestEnginesOptimizeOrNot(t *testing.T) {
	p, err := Compile(machine, Options{Strategy: Strategy{Target: WASM}})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("machine")
	require.NoError(t, err)
	var want []int32
	for _, width := range []int{1, 8} {
		for _, e := range append(Engines(), "auto") {
			x := mustStrategy(t, k, Strategy{Target: WASM, Width: width, Engine: e})
			code, out := make([]uint16, 256*32), make([]int32, 256)
			for i := range code {
				code[i] = uint16(i * i * 40503 >> 7)
			}
			require.NoError(t, x.Launch(context.Background(), NDRange(256), code, out, int32(100)))
			if want == nil {
				want = out
			}
			require.Equal(t, want, out, "%s x%d", e, width)
		}
	}

	candidates, err := k.k.Candidates()
	require.NoError(t, err)
	scalar, optimizes := 0, 0
	for _, c := range candidates {
		if c.Width == 1 && c.Engine == "" {
			scalar++
		}
		if c.Engine != "" {
			optimizes++
			require.Equal(t, c.Width == 1, c.Engine == Plain, "%s: not the default", c)
		}
	}
	require.Positive(t, scalar)
	alternatives := 0 // with an engine that has one compiler
	if Engine() == "wasmtime" {
		alternatives = len(candidates) - optimizes
	}
	require.Equal(t, alternatives, optimizes, "%v", candidates)
}
