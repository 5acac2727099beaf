package opencl

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/simtc/simtc/internal/ndarg"
	"github.com/stretchr/testify/require"
)

const addition = `
__kernel void add(__global const int *a, __global int *b, int2 c, __local int *spare) {
  size_t i = get_global_id(0), n = get_local_size(0);
  spare[get_local_id(0)] = a[i];
  b[i] += spare[get_local_id(0)] + STEP * c.y + (int)get_global_offset(0);
}`

func write(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "kernel.cl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func need(t *testing.T) {
	if _, err := Device(); err != nil {
		t.Skip(err)
	}
}

func TestRun(t *testing.T) {
	need(t)
	c, err := Parse(write(t, addition), []string{"-k", "add", "-g", "8", "-l", "4", "--offset", "2", "-D", "STEP=10",
		"-n", "2", "--threads", "1", "--width", "16",
		"b:int:10:index:r", "b:int:10:const,100", "int2:1,2", "local:16"})
	require.NoError(t, err)
	s, err := Open(context.Background(), c)
	require.NoError(t, err)
	defer s.Close()
	took, err := s.Run()
	require.NoError(t, err)
	require.Positive(t, took.CPU)
	got, err := s.Read(1)
	require.NoError(t, err)
	want := []float64{100, 100, 124, 125, 126, 127, 128, 129, 130, 131}
	for i, w := range want {
		require.Equal(t, w, ndarg.Int.Number(got[4*i:]), i)
	}
	require.NoError(t, s.Reset())
	again, err := s.Read(1)
	require.NoError(t, err)
	require.NotEqual(t, got, again)

	r, err := Run(context.Background(), c)
	require.NoError(t, err)
	require.Len(t, r.Runs, 2)
	require.LessOrEqual(t, r.Best().CPU, r.Runs[0].CPU)
	require.Equal(t, []Checksum{{0, ndarg.Hash(mustNew(t, c.Args[0]))}, {1, ndarg.Hash(got)}}, r.Checksums)
	require.NotEmpty(t, r.Device)
}

func mustNew(t *testing.T, a ndarg.Arg) []byte {
	b, err := a.New()
	require.NoError(t, err)
	return b
}

func TestFailuresAreExplained(t *testing.T) {
	need(t)
	open := func(source string, words ...string) error {
		c, err := Parse(write(t, source), words)
		require.NoError(t, err)
		s, err := Open(context.Background(), c)
		if err == nil {
			defer s.Close()
			_, err = s.Run()
		}
		return err
	}
	require.ErrorContains(t, open("__kernel void f() { nonsense }", "-k", "f", "-g", "1"), "nonsense")
	require.ErrorContains(t, open("__kernel void f() {}", "-k", "g", "-g", "1"), "clCreateKernel")
	require.ErrorContains(t, open("__kernel void f(int a) {}", "-k", "f", "-g", "1", "long:1"), "argument 0")
	require.ErrorContains(t, open("__kernel void f() {}", "-k", "f", "-g", "5", "-l", "2"), "OpenCL error")
}

func TestParseRejects(t *testing.T) {
	for _, words := range [][]string{{}, {"-k", "f"}, {"-g", "1"}, {"-k"}, {"-k", "f", "-g", "x"}, {"-k", "f", "-g", "1", "--what", "1"}, {"-k", "f", "-g", "1", "int"}} {
		_, err := Parse("a.cl", words)
		require.Error(t, err, words)
	}
}

func TestParseVersion(t *testing.T) {
	for _, version := range []string{"2.0", "CL2.0"} {
		c, err := Parse("a.cl", []string{"-k", "f", "-g", "1", "--cl-std", version})
		require.NoError(t, err)
		require.Equal(t, "-cl-std=CL2.0", c.Options)
	}
}
