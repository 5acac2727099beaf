//go:build unix

package utest

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// fenced copies b so that it ends at a page without access: code that accesses one lane
// too many faults. With front, the copy begins after such a page instead.
func fenced(t testing.TB, b []byte, front bool) []byte {
	t.Helper()
	page := unix.Getpagesize()
	size := (len(b) + page - 1) &^ (page - 1)
	all, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(all)) })
	require.NoError(t, unix.Mprotect(all[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(all[page+size:], unix.PROT_NONE))
	start := page + size - len(b)
	if front {
		start = page
	}
	buffer := all[start : start+len(b) : start+len(b)]
	copy(buffer, b)
	return buffer
}
