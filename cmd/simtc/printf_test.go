package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const speaking = `__kernel void speak(__global uint *out) {
  uint i = get_global_id(0);
  printf("item %u of %s\n", i, "four");
  out[i] = i * i;
}
`

// What a kernel prints in the first run comes before the report, and with
// --json is a field of it.
func TestPrinting(t *testing.T) {
	path := file(t, "speak.cl", speaking)
	said := "item 0 of four\nitem 1 of four\nitem 2 of four\nitem 3 of four\n"
	words := []string{"run", path, "-g", "4", "-n", "2", "b:uint:4"}
	out := ok(t, words...)
	require.True(t, strings.HasPrefix(out, said+"speak on "), out)
	require.Equal(t, 1, strings.Count(out, "item 2"))

	r := simtcRun(append(words, "--json")...)
	require.Zero(t, r.code)
	require.Empty(t, r.err)
	var j runReport
	require.NoError(t, json.Unmarshal([]byte(r.out), &j))
	require.Equal(t, said, j.Printf)

	out = ok(t, "check", path, "-g", "4", "b:uint:4")
	require.Contains(t, out, "all equal")
	require.NotContains(t, out, "item")
}

func TestTextDiffers(t *testing.T) {
	for _, c := range []struct{ want, got, at string }{
		{"a\nb\n", "a\nc\n", `line 2 printed: want "b\n", got "c\n"`},
		{"a\n", "", `line 1 printed: want "a\n", got ""`},
		{"", "x", `line 1 printed: want "", got "x"`},
	} {
		at, differs := textDiffers(c.want, c.got)
		require.True(t, differs)
		require.Equal(t, c.at, at)
	}
	_, differs := textDiffers("same\n", "same\n")
	require.False(t, differs)
}
