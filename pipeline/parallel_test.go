package pipeline

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFirstErrorOfKernels checks that the error is that of the first kernel that has one, and that a
// panic is an error.
func TestFirstErrorOfKernels(t *testing.T) {
	var b strings.Builder
	for i := range 9 {
		fmt.Fprintf(&b, "kernel void k%d(global int *p) { *p = %d; }\n", i, i)
	}
	ks := compile(t, b.String(), testOptions{Strategy: Strategy{Target: Interpreter}})
	for _, procs := range []int{1, 3} {
		old := runtime.GOMAXPROCS(procs)
		_, err := forEachKernel(ks, func(k *Kernel) (int, error) {
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
