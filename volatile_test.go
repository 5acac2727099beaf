package simtc

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnusedVolatileLoads compiles loads of volatile memory whose values are not used, contiguous
// and gathered, and finds them in the machine code, in order.
func TestUnusedVolatileLoads(t *testing.T) {
	const far, further = 1000, 2000 // elements
	for _, typ := range []struct {
		name  string
		bytes int
	}{{"char", 1}, {"ushort", 2}, {"half", 2}, {"int", 4}, {"float", 4}, {"ulong", 8}, {"double", 8}} {
		for _, target := range []string{AVX512, AVX2} {
			for _, width := range []int{1, 8, 64} {
				for _, index := range []string{"i", "i * i"} {
					t.Run(fmt.Sprintf("%s/%v/x%d/%s", typ.name, target, width, index), func(t *testing.T) {
						p, err := Compile(fmt.Sprintf(`#pragma OPENCL EXTENSION cl_khr_fp16 : enable
__kernel void f(volatile __global const %s *in, __global int *out) {
	int i = get_global_id(0);
	if (in[%[2]s + %[3]d] != in[%[2]s + %[4]d]) ;
	out[i] = 1;
}`, typ.name, index, far, further), Options{Strategy: Strategy{Target: target, Width: width, Linearizer: Partial, Bypass: BypassNone}})
						require.NoError(t, err)
						text, err := p.Emit("asm")
						require.NoError(t, err)
						load := func(element int) []int {
							return regexp.MustCompile(fmt.Sprintf(`\+%#x\]`, element*typ.bytes)).FindStringIndex(string(text))
						}
						first, second := load(far), load(further)
						require.NotNil(t, first, "%s", text)
						require.NotNil(t, second, "%s", text)
						require.Less(t, first[0], second[0], "%s", text)
					})
				}
			}
		}
	}
}
