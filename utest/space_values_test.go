package utest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// spaceSource tests pointers of every address space in an order that the compiler does not
// know. The digits of a result are get_fence, and for to_global, to_local and to_private 1 if
// the result points to the argument and 0 if it is null.
const spaceSource = `
uint digits(const int *p) {
  uint g = to_global(p) != 0, l = to_local(p) != 0, q = to_private(p) != 0;
  if (g && (const int *)to_global(p) != p || l && (const int *)to_local(p) != p || q && (const int *)to_private(p) != p) return 9999;
  return get_fence(p) * 1000 + g * 100 + l * 10 + q;
}

// The pointer differs between work-items. The last three lie after their objects.
kernel void varying(global uint *out, global int *in, local int *memory) {
  local int own[4];
  int mine[4] = { 1, 2, 3, 4 };
  size_t i = get_global_id(0), j = get_local_id(0);
  memory[j] = 10 + j;
  if (j < 4) own[j] = 20 + j;
  barrier(CLK_LOCAL_MEM_FENCE);
  int *p, kind = in[i] % 7;
  switch (kind) {
    case 0: p = in + i; break;
    case 1: p = memory + j; break;
    case 2: p = own + j % 4; break;
    case 3: p = mine + j % 4; break;
    case 4: p = memory + get_local_size(0); break;
    case 5: p = mine + 4; break;
    default: p = in + get_global_size(0);
  }
  out[2 * i] = digits(p);
  uint read = 0;
  if (kind < 4) {
    global int *g = to_global(p);
    local int *l = to_local(p);
    private int *q = to_private(p);
    if (g) read = 100 + *g;
    if (l) read = 200 + *l;
    if (q) { *q += 5; read = 300 + mine[j % 4]; }
  }
  out[2 * i + 1] = read;
}

global int variable[3] = { 7, 8, 9 };

// The pointer is the same in all work-items, or a loaded one.
kernel void uniform(global uint *out, global int *in) {
  local int own[8];
  local int *local kept[2];
  size_t i = get_global_id(0), j = get_local_id(0);
  if (j < 8) own[j] = 60 + j;
  if (j < 2) kept[j] = own + j;
  barrier(CLK_LOCAL_MEM_FENCE);
  int mine = 5;
  struct { int *p[2]; const volatile int *q; } s = { { in[0] ? (int *)variable + 1 : in, &mine }, kept[1] };
  int *null = in[1] ? 0 : (int *)in;
  int *p = in[2] ? (int *)own : in;
  out[8 * i] = digits(s.p[0]);
  out[8 * i + 1] = digits(s.p[1 - in[3]]);
  out[8 * i + 2] = get_fence(s.q) * 100 + (to_local(s.q) ? *to_local(s.q) : 0);
  out[8 * i + 3] = (to_global(null) != 0) + (to_local(null) != 0) + (to_private(null) != 0);
  out[8 * i + 4] = digits(p) + (to_private(p) ? *to_private(p) : 0);
  out[8 * i + 5] = digits(in) * (digits(&mine) == 1) * (digits(own) == 1010);
  out[8 * i + 6] = *to_global(&variable[2]) + *to_local(own + 7) + *to_private(&mine);
  out[8 * i + 7] = to_local(&s.p) == 0 && to_private(&s.p) != 0 && to_global((char *)out) != 0;
  // The number of a generic pointer is its address, whether or not its space is known.
  int *known = &mine, *loaded = s.p[1 - in[3]];
  out[8 * i + 7] += 10 * ((ulong)known == (ulong)loaded) + *(int *)(ulong)known * 100;
}

// A kernel without local and private memory.
kernel void buffers(global uint *out, global int *in) {
  size_t i = get_global_id(0);
  int *p = in[i] & 1 ? in + i : (int *)out;
  out[i] = digits(p);
}
`

// TestAddressSpaces checks the functions that find the address space of a generic pointer.
func TestAddressSpaces(t *testing.T) {
	p, err := simtc.Compile(spaceSource, simtc.Options{File: "spaces.cl", Std: "CL3.0", Debug: simtc.Debug{EmulateMissing: true, Verify: true}})
	require.NoError(t, err)
	defer func() { require.NoError(t, p.Close()) }()
	const items, group = 88, 22
	varying := make([]uint32, 2*items)
	kinds := make([]int32, items)
	for i := range kinds {
		kind, j := i*5%7, i%group
		kinds[i] = int32(kind + 7*i)
		varying[2*i] = []uint32{2100, 1010, 1010, 1, 1010, 1, 2100}[kind]
		if kind < 4 {
			varying[2*i+1] = []uint32{100 + uint32(kinds[i]), 210 + uint32(j), 220 + uint32(j%4), 306 + uint32(j%4)}[kind]
		}
	}
	var uniform, buffers []uint32
	for range items {
		uniform = append(uniform, 2100, 1, 161, 0, 1010, 2100, 9+67+5, 511)
		buffers = append(buffers, 2100)
	}
	for _, c := range []struct {
		kernel string
		want   []uint32
		args   []any
	}{
		{"varying", varying, []any{kinds, simtc.LocalMemory(4 * group)}},
		{"uniform", uniform, []any{[]int32{1, 1, 1, 0}}},
		{"buffers", buffers, []any{kinds}},
	} {
		one, err := p.Kernel(c.kernel)
		require.NoError(t, err)
		for _, w := range valueWays(c.kernel) {
			if !runsHere(w.Target) {
				continue
			}
			k, err := one.With(w)
			require.NoError(t, err)
			out := make([]uint32, len(c.want))
			rng := simtc.NDRange(items).WithLocal(group)
			require.NoError(t, k.Launch(context.Background(), rng, append([]any{out}, c.args...)...), "%s: %s", c.kernel, w)
			require.Equal(t, c.want, out, "%s: %s", c.kernel, w)
		}
	}
}
