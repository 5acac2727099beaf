package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtc/simtc/clc/check"
	"github.com/simtc/simtc/clc/parse"
	"github.com/simtc/simtc/clc/preprocess"
	"github.com/simtc/simtc/internal/diag"
	"github.com/stretchr/testify/require"
)

// macros are those that the compiler defines beside the preprocessor's own.
var macros = []string{
	"CLK_LOCAL_MEM_FENCE=1", "CLK_GLOBAL_MEM_FENCE=2", "INFINITY=(1.0f/0.0f)", "NAN=(0.0f/0.0f)", "FLT_MAX=0x1.fffffep127f",
	"FLT_MIN=0x1.0p-126f", "FLT_EPSILON=0x1.0p-23f", "INT_MAX=2147483647", "INT_MIN=(-2147483647-1)", "UINT_MAX=0xffffffffu",
	"M_PI=3.14159265358979323846", "M_PI_F=3.14159274101257f", "MAXFLOAT=FLT_MAX", "LONG_MAX=0x7fffffffffffffffL",
	"LONG_MIN=(-0x7fffffffffffffffL-1)", "CHAR_BIT=8", "SHRT_MAX=32767", "SHRT_MIN=(-32768)", "UCHAR_MAX=255",
	"HUGE_VALF=INFINITY", "DBL_MAX=0x1.fffffffffffffp1023", "DBL_MIN=0x1p-1022", "DBL_EPSILON=0x1p-52", "CHAR_MAX=127", "CHAR_MIN=(-128)",
}

// TestKernels checks every kernel of the end-to-end tests without an error.
func TestKernels(t *testing.T) {
	paths, err := filepath.Glob("../../utest/kernels/*.cl")
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skip("no kernels beside this package")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		if strings.Contains(string(text), "read_image") || strings.Contains(string(text), "memory_order") {
			continue // package clc compiles those with all their constants
		}
		errs := &diag.List{}
		toks := preprocess.Run(filepath.Base(path), string(text), preprocess.Options{Defines: append(runDefines(string(text)), macros...)}, errs)
		f := parse.File(toks, parse.Options{}, errs)
		check.Program(f, check.Options{}, fakeBuiltins{}, errs)
		if errs.Len() > 0 {
			t.Errorf("%v", errs)
		}
	}
}

// runDefines are the -D options of the first "// run:" line of a kernel file.
func runDefines(text string) []string {
	var out []string
	_, line, _ := strings.Cut(text, "// run:")
	line, _, _ = strings.Cut(line, "\n")
	f := strings.Fields(line)
	for i := range f {
		if i > 0 && f[i-1] == "-D" {
			out = append(out, f[i])
		}
	}
	return out
}
