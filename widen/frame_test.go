package widen_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/utest/canonical"
)

// The private memory of W lanes: 16 bytes per lane are kept free for null pointers,
// interleaved objects take their size, the frames of the others are multiples of a cache line
// and never of a page.
func TestScratch(t *testing.T) {
	for _, c := range []struct {
		name, object string
		lane         int // bytes per lane
	}{
		{"none", "int x = n;", 0},
		{"interleaved", "int a[12]; for (int j = 0; j < 12; j++) a[j] = j + id; int x = a[n];", 64},
		{"interleaved bytes", "char a[100]; for (int j = 0; j < 100; j++) a[j] = j + id; int x = a[n];", 128},
		{"flat", "union { int i[4]; char c[16]; } u; for (int j = 0; j < 4; j++) u.i[j] = j + id; int x = u.c[n];", 64 + 64},
		{"flat, a page", "union { int i[1024]; char c[4096]; } u; for (int j = 0; j < 1024; j++) u.i[j] = j + id; int x = u.c[n];", 64 + 4096 + 64},
		{"both", "int a[12]; union { int i[20]; char c[80]; } u;" +
			"for (int j = 0; j < 12; j++) u.i[j] = a[j] = j + id; int x = a[n] + u.c[n];", 64 + 128},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := canonical.Kernel(t, map[string]string{"in.cl": "kernel void k(global int *out, int n) { int id = get_global_id(0); " + c.object + " out[id] = x; }"})
			for _, width := range []int{1, 4, 16, 32} {
				v := widened(t, f, width)
				require.Equal(t, c.lane*width, v.Scratch, "width %d", width)
				requireSameResults(t, f, v)
			}
		})
	}
}

// An object with the same contents in all lanes has one copy, at any width.
func TestSharedScratch(t *testing.T) {
	f := canonical.Kernel(t, map[string]string{"in.cl": `
kernel void k(global int *out, int n)
{
	int id = get_global_id(0), table[12], own[4];
	for (int j = 0; j < 12; j++)
		table[j] = j * n;
	for (int j = 0; j < 4; j++)
		own[j] = j * id;
	out[id] = table[id % 12] + table[n & 7] + own[id & 3];
}`})
	for _, width := range []int{4, 16, 32} {
		v := widened(t, f, width)
		require.Equal(t, 64*width+64, v.Scratch, "width %d", width)
		requireSameResults(t, f, v)
	}
}
