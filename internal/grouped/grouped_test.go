package grouped_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/simtc/simtc/internal/grouped"
)

func TestLists(t *testing.T) {
	got := grouped.Lists(4, func(add func(int, string)) {
		add(2, "a")
		add(0, "b")
		add(2, "c")
	})
	require.Equal(t, [][]string{{"b"}, nil, {"a", "c"}, nil}, got)

	// Appending to a list does not overwrite its neighbor.
	_ = append(got[0], "x")
	require.Equal(t, []string{"a", "c"}, got[2])
}
