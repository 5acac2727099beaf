package testgc

import (
	"os"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPercent(t *testing.T) {
	before := debug.SetGCPercent(percent)
	debug.SetGCPercent(before)
	want := percent
	if env := os.Getenv("GOGC"); env == "off" {
		want = -1
	} else if n, err := strconv.Atoi(env); err == nil {
		want = n
	}
	require.Equal(t, want, before)
}
