package simtc

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// manyKernels returns a program of n different kernels that share constants.
func manyKernels(n int) string {
	var b strings.Builder
	b.WriteString("__constant int table[4] = { 1, 2, 3, 5 };\n")
	for i := range n {
		fmt.Fprintf(&b, "__kernel void k%d(__global int *p) { int x = p[get_global_id(0)]; for (int i = 0; i < %d; i++) x = x * table[(x + i) & 3] ^ %d; p[get_global_id(0)] = x; }\n", i, i+2, i*77)
	}
	return b.String()
}

// TestKernelsCompiledTogether checks that a program compiled by many threads equals one compiled by
// a single thread.
func TestKernelsCompiledTogether(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	source := manyKernels(12)
	for _, kind := range []string{"kernel", "vir", "asm", "wat"} {
		var texts []string
		for _, procs := range []int{1, 4} {
			runtime.GOMAXPROCS(procs)
			p, err := Compile(source, Options{})
			require.NoError(t, err)
			text, err := p.Emit(kind)
			require.NoError(t, err)
			texts = append(texts, string(text))
			require.NoError(t, p.Close())
		}
		require.Equal(t, texts[0], texts[1], kind)
	}
}

// TestFirstErrorOfKernels checks that the error is that of the first kernel that has one, and that a
// panic is an error.
func TestFirstErrorOfKernels(t *testing.T) {
	p, err := Compile(manyKernels(9), Options{Target: Interpreter})
	require.NoError(t, err)
	defer p.Close()
	for _, procs := range []int{1, 3} {
		old := runtime.GOMAXPROCS(procs)
		_, err = forEachKernel(p.Kernels(), func(k *Kernel) (int, error) {
			switch k.Name() {
			case "k3":
				panic("at k3")
			case "k5":
				return 0, errors.New("at k5")
			}
			return 1, nil
		})
		runtime.GOMAXPROCS(old)
		require.ErrorContains(t, err, "at k3")
	}
}
