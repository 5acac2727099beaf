package utest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc"
)

// tails copies elements, with a small change: those from skip on, or those that are selected.
const tails = `
__kernel void shifted(__global const T *a, __global T *b, long skip) {
  long i = get_global_id(0);
  if (i >= skip)
    b[i - skip] = a[i - skip] * 3 + 1;
}
__kernel void selected(__global const T *a, __global T *b, __global const uchar *on) {
  size_t i = get_global_id(0);
  if (on[i])
    b[i] = a[i] * 3 + 1;
}
`

// TestTails checks masked loads and stores of every element size that end, or begin, at a page without
// access, with every number of active lanes.
func TestTails(t *testing.T) {
	for _, target := range []string{simtc.AVX2, simtc.AVX512, simtc.WASM} {
		for size, name := range map[int]string{1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"} {
			t.Run(target+"/"+name, func(t *testing.T) {
				t.Parallel()
				need(t, target)
				p, err := simtc.Compile(strings.ReplaceAll(tails, "T ", name+" "), simtc.Options{File: "tails.cl", Threads: 1, Debug: simtc.Debug{EmulateMissing: true}})
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, p.Close()) })
				for _, width := range []int{4, 8, 16, 32, 64} {
					if target == simtc.WASM && width != 16 || target == simtc.AVX512 && width != 64 {
						continue
					}
					testTails(t, p, simtc.Strategy{Target: target, Width: width}, size)
				}
			})
		}
	}
}

// testTails runs the kernels for up to two chunks of lanes and checks all bytes of the pages.
func testTails(t *testing.T, p *simtc.Program, s simtc.Strategy, size int) {
	const page = 4096
	random := rand.New(rand.NewSource(int64(s.Width)))
	contents := make([]byte, page)
	random.Read(contents)
	a, b, on := fenced(t, contents, false), fenced(t, contents, false), fenced(t, make([]byte, page), false)
	want := make([]byte, page)
	run := func(kernel string, groups int, at, n int, active func(i int) bool, last any) {
		k, err := p.Kernel(kernel)
		require.NoError(t, err)
		k, err = k.With(s)
		require.NoError(t, err)
		copy(b, contents)
		copy(want, contents)
		for i := range n {
			if active(i) {
				x := make([]byte, 8)
				copy(x, contents[at+i*size:][:size])
				binary.LittleEndian.PutUint64(x, binary.LittleEndian.Uint64(x)*3+1)
				copy(want[at+i*size:], x[:size])
			}
		}
		end := at + n*size
		err = k.Launch(context.Background(), simtc.NDRange(uint64(groups)), simtc.Buffer(a[at:end:end]), simtc.Buffer(b[at:end:end]), last)
		message := fmt.Sprintf("%s %v: %d items, %d elements at %d", kernel, s, groups, n, at)
		require.NoError(t, err, message)
		require.Equal(t, want, b, message)
	}
	for n := 1; n <= 2*s.Width+1; n++ {
		all := func(int) bool { return true }
		run("shifted", n, page-n*size, n, all, int64(0))
		for _, skip := range []int{1, 1 + random.Intn(s.Width), s.Width + random.Intn(s.Width)} {
			run("shifted", n+skip, 0, n, all, int64(skip))
		}
		items := n + random.Intn(s.Width)
		selected := on[page-items:]
		clear(selected)
		for i := range n {
			selected[i] = byte(random.Intn(2))
		}
		selected[n-1] = 1
		run("selected", items, page-n*size, n, func(i int) bool { return selected[i] != 0 }, simtc.Buffer(selected))
	}
}
