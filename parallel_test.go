package simtc

import (
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
