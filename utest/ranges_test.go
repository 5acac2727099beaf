package utest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// The kernels store all IDs and sizes that a work-item can query, at an index known to
// the host. The first one runs in work-groups. The second makes no query that reveals a
// group, so that a launch may divide rows arbitrarily. In the third, lanes diverge first.
const rangeKernels = `
uint place(void) {
  uint x = get_global_id(0) - get_global_offset(0);
  uint y = get_global_id(1) - get_global_offset(1);
  uint z = get_global_id(2) - get_global_offset(2);
  return (z * get_global_size(1) + y) * get_global_size(0) + x;
}

__kernel void groups(__global uint *out) {
  __global uint *p = out + place() * 20;
  for (uint d = 0; d < 3; d++) {
    p[6 * d] = get_global_id(d);
    p[6 * d + 1] = get_local_id(d);
    p[6 * d + 2] = get_group_id(d);
    p[6 * d + 3] = get_local_size(d);
    p[6 * d + 4] = get_num_groups(d);
    p[6 * d + 5] = get_global_size(d) * 3 + get_global_offset(d);
  }
  p[18] += 1;
  p[19] = get_work_dim() * 100 + get_global_id(3) * 10 + get_local_size(7);
}

__kernel void rows(__global uint *out) {
  __global uint *p = out + place() * 20;
  p[0] = get_global_id(0);
  p[4] = get_num_groups(0);
  p[5] = get_global_size(0) * 3 + get_global_offset(0);
  p[6] = get_global_id(1);
  p[10] = get_num_groups(1);
  p[11] = get_global_size(1) * 3 + get_global_offset(1);
  p[12] = get_global_id(2);
  p[16] = get_num_groups(2);
  p[17] = get_global_size(2) * 3 + get_global_offset(2);
  p[18] += 1;
  p[19] = get_work_dim() * 100 + 1;
}

__kernel void paths(__global uint *out) {
  __global uint *p = out + place() * 20;
  uint n = get_global_id(0);
  if (n % 3 == 1)
    goto odd;
  for (uint i = 0; i < n % 7; i++) {
    p[1] += get_local_id(0) == 0 ? 1 : 1 + i * 0;
    if (i == 4)
      goto odd;
  }
  p[1] = 0;
  p[18] += 1;
odd:
  p[0] = n;
  p[1] = get_local_id(0);
  if (n % 3 == 1 || n % 7 > 4)
    p[18] += 1;
}
`

// rangeWords is the number of words stored per work-item.
const rangeWords = 20

// wantRange returns the expected output, by the specification (OpenCL 1.2 §3.2 and
// §6.12.1; groups at the end of a range are smaller, as in 2.0).
func wantRange(kernel string, r simtc.Range) []uint32 {
	g := r.Global
	out := make([]uint32, g[0]*g[1]*g[2]*rangeWords)
	at := 0
	for z := range g[2] {
		for y := range g[1] {
			for x := range g[0] {
				p := out[at : at+rangeWords]
				at += rangeWords
				p[18] = 1
				for d, i := range [3]uint64{x, y, z} {
					group := i / r.Local[d]
					p[6*d] = uint32(i + r.Offset[d])
					p[6*d+1] = uint32(i % r.Local[d])
					p[6*d+2] = uint32(group)
					p[6*d+3] = uint32(min(r.Local[d], g[d]-group*r.Local[d]))
					p[6*d+4] = uint32((g[d] + r.Local[d] - 1) / r.Local[d])
					p[6*d+5] = uint32(g[d]*3 + r.Offset[d])
				}
				p[19] = uint32(r.Dims)*100 + 1
				switch kernel {
				case "rows":
					for d := range 3 {
						p[6*d+1], p[6*d+2], p[6*d+3] = 0, 0, 0
					}
				case "paths":
					clear(p[2:18])
					p[19] = 0
				}
			}
		}
	}
	return out
}

// randomRange returns a range of up to some thousand work-items. Sizes are rarely
// multiples of a power of two, and local sizes may exceed the range.
func randomRange(rnd *rand.Rand) simtc.Range {
	dims := 1 + rnd.Intn(3)
	most := []int{3000, 70, 20}[dims-1]
	pick := func(n int) uint64 {
		if rnd.Intn(3) == 0 {
			return 1 + uint64(rnd.Intn(n))
		}
		near := []uint64{1, 2, 4, 8, 16, 32, 64, 128, 256, 1024}[rnd.Intn(10)] // plus or minus a little
		return min(max(near+uint64(rnd.Intn(3)), 2)-1, uint64(n))
	}
	var global, local, offset []uint64
	for range dims {
		g := pick(most)
		global = append(global, g)
		local = append(local, pick(int(2*g)))
		offset = append(offset, []uint64{0, 1, 13, 1000003, 1<<31 - 5000}[rnd.Intn(5)])
	}
	r := simtc.NDRange(global...)
	if rnd.Intn(3) > 0 {
		r = r.WithLocal(local...)
	}
	if rnd.Intn(2) > 0 {
		r = r.WithOffset(offset...)
	}
	return r
}

// TestRanges checks that every work-item of a range runs once with correct IDs, on every
// target at every width, with one thread and several.
func TestRanges(t *testing.T) {
	count := 40
	if *long {
		count = 400
	}
	rnd := rand.New(rand.NewSource(4))
	ranges := []simtc.Range{
		simtc.NDRange(1), simtc.NDRange(1, 1, 1), simtc.NDRange(63), simtc.NDRange(64), simtc.NDRange(65),
		simtc.NDRange(3000).WithLocal(7), simtc.NDRange(5).WithLocal(1000), simtc.NDRange(1, 500), simtc.NDRange(2, 1, 300),
		simtc.NDRange(33, 5, 3).WithLocal(32, 2, 2).WithOffset(5, 6, 7), simtc.NDRange(100).WithOffset(1 << 31),
	}
	for range count {
		ranges = append(ranges, randomRange(rnd))
	}
	for _, threads := range []int{1, 5} {
		p, err := simtc.Compile(rangeKernels, simtc.Options{File: "ranges.cl", Threads: threads, Debug: simtc.Debug{EmulateMissing: true, Verify: true}})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, p.Close()) })
		for _, kernel := range p.Kernels() {
			for _, w := range append([]simtc.Strategy{{Target: simtc.Interpreter}}, ways(t, kernel, *long)...) {
				slow := w.Target == simtc.Interpreter || w.Target == simtc.VIR
				if slow && threads > 1 {
					continue // they always use one thread
				}
				t.Run(fmt.Sprintf("%s/threads%d/%s", kernel.Name(), threads, w), func(t *testing.T) {
					need(t, w.Target)
					t.Parallel()
					k, err := kernel.With(w)
					require.NoError(t, err)
					every := 1
					switch {
					case slowly(w):
						every = 12 * threads
					case slow && !*long:
						every = 3
					}
					for i, r := range ranges {
						if i%every != 0 {
							continue
						}
						checkRange(t, k, r)
					}
				})
			}
		}
	}
}

func checkRange(t *testing.T, k *simtc.Kernel, r simtc.Range) {
	resolved, err := k.Resolve(r)
	require.NoError(t, err)
	want := wantRange(k.Name(), resolved)
	out, check := guarded(make([]byte, 4*len(want)), 4, aligned)
	require.NoError(t, k.Launch(context.Background(), r, simtc.Buffer(out)), "%+v", r)
	require.NoError(t, check(), "%+v", r)
	for i := range want {
		if got := binary.LittleEndian.Uint32(out[4*i:]); got != want[i] {
			require.Failf(t, "wrong", "%+v: work-item %d, word %d is %d, not %d", resolved, i/rangeWords, i%rangeWords, got, want[i])
		}
	}
}

// TestLargeRange runs more work-items than fit in one chunk of a launch.
func TestLargeRange(t *testing.T) {
	const source = "__kernel void mark(__global uchar *out) { uint i = get_global_id(0) + get_global_size(0) * get_global_id(1); out[i] += 1 + i % 5; }\n"
	eachWay(t, source, []simtc.Strategy{{Target: simtc.AVX512, Width: 16}, {Target: simtc.AVX512, Width: 64}, {Target: simtc.WASM, Width: 16}}, func(t *testing.T, w simtc.Strategy, k *simtc.Kernel) {
		if slowly(w) && w.Width == 64 {
			skip(t, otherWays)
		}
		for _, r := range []simtc.Range{simtc.NDRange(3<<20 + 17), simtc.NDRange(1<<20+1, 3), simtc.NDRange(3, 1<<17)} {
			n := int(r.Global[0] * max(r.Global[1], 1))
			out := make([]byte, n)
			require.NoError(t, k.Launch(context.Background(), r, out))
			for i, x := range out {
				if int(x) != 1+i%5 {
					require.Failf(t, "wrong", "%+v: byte %d is %d, not %d", r, i, x, 1+i%5)
				}
			}
		}
	})
}
