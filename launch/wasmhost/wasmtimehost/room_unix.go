//go:build unix && cgo

package wasmtimehost

import "golang.org/x/sys/unix"

// canReserve reports whether the process may reserve this many bytes of address space.
func canReserve(bytes int) bool {
	b, err := unix.Mmap(-1, 0, bytes, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return false
	}
	return unix.Munmap(b) == nil
}
