package simtc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/clc"
)

func TestBuildOptions(t *testing.T) {
	l, dirs, err := (&Options{BuildOptions: `-D A -DB=2 -D "C=x y" -D S=\"q\" -D'E=1 2' -I dir -I"a b" -U F -UG -w -Werror ` +
		` -cl-std=CL2.0 -cl-mad-enable -cl-denorms-are-zero -cl-fast-relaxed-math -cl-single-precision-constant -x clc -cl-nv-verbose -O3 -ffp-contract=off`}).language()
	require.NoError(t, err)
	require.Equal(t, []string{"dir", "a b"}, dirs)
	require.Equal(t, clc.Options{
		Defines: []string{"A", "B=2", "C=x y", `S="q"`, "E=1 2"}, Undefs: []string{"F", "G"},
		Std: "2.0", FastMath: true, Reassociate: true, NoContract: true, SinglePrecisionConstant: true, WarningsAreErrors: true, NoWarnings: true,
	}, l)
	for text, want := range map[string]string{
		"-D":              "lacks its operand",
		"-I":              "lacks its operand",
		`-D "A`:           "not closed",
		"-cl-std=CL4.0":   "want one of CL1.0",
		"-cl-nonsense":    "unknown build option",
		"-x spir":         "must be clc",
		"file.cl":         "unknown build option",
		"-cl-std=CL1.2 ;": "unknown build option",
	} {
		_, _, err := (&Options{BuildOptions: text}).language()
		require.ErrorContains(t, err, want, text)
	}
	_, _, err = (&Options{BuildOptions: " \t "}).language()
	require.NoError(t, err)
}

// TestCompileBuildOptions compiles with an option string.
func TestCompileBuildOptions(t *testing.T) {
	const source = "#ifdef __FAST_RELAXED_MATH__\n__kernel void k(__global NUMBER *p) { *p = LENGTH * sizeof(1.0); }\n#endif\n"
	p, err := Compile(source, Options{Strategy: Strategy{Target: Interpreter}, BuildOptions: "-cl-fast-relaxed-math -DNUMBER=uint", Defines: []string{"LENGTH=3"}})
	require.NoError(t, err)
	require.NoError(t, p.Close())
	_, err = Compile(source, Options{BuildOptions: "-cl-unheard-of"})
	require.ErrorContains(t, err, "unknown build option")
}
