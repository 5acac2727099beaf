package runfile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const sample = `// run: -k a -g 10 b:uchar:4:"str,x y"
// sum: 0 0123456789abcdef
// run: -k a -g 20 --offset 3 b:int:4
__kernel void a(__global int *p) {}
`

func TestParse(t *testing.T) {
	f, err := Parse("a.cl", sample)
	require.NoError(t, err)
	require.Len(t, f.Runs, 2)
	require.Equal(t, []string{"-k", "a", "-g", "10", "b:uchar:4:str,x y"}, f.Runs[0].Words)
	require.Equal(t, []Sum{{Arg: 0, Hash: "0123456789abcdef"}}, f.Runs[0].Sums)
	require.Equal(t, "3", f.Runs[1].Flag("--offset"))
	require.Empty(t, f.Runs[1].Flag("-l"))
}

func TestWithSumsRoundTrips(t *testing.T) {
	f, err := Parse("a.cl", sample)
	require.NoError(t, err)
	require.Equal(t, sample, f.WithSums())
	f.Runs[1].Sums = []Sum{{Arg: 2, Hash: "ffffffffffffffff", Note: "(because)"}}
	g, err := Parse("a.cl", f.WithSums())
	require.NoError(t, err)
	require.Equal(t, f.Runs[1].Sums, g.Runs[1].Sums)
}

func TestBenchLinesAreApart(t *testing.T) {
	const bench = sample + "// bench: -k a -g 9000 b:int:9000\n// sum: 0 00000000000000ff\n"
	f, err := Parse("a.cl", bench)
	require.NoError(t, err)
	require.Len(t, f.Runs, 2)
	require.Equal(t, "9000", f.Bench.Flag("-g"))
	require.Equal(t, "00000000000000ff", f.Bench.Sums[0].Hash)
	require.Empty(t, f.Runs[1].Sums)
	require.Equal(t, bench, f.WithSums())
}

func TestParseRejects(t *testing.T) {
	for _, s := range []string{"", "// sum: 0 0123456789abcdef\n", "// run: \"a\n", "// run: a\n// sum: x 0123456789abcdef\n", "// run: a\n// sum: 1 12\n"} {
		_, err := Parse("a.cl", s)
		require.Error(t, err, s)
	}
}
