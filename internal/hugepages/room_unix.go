//go:build unix

package hugepages

import "golang.org/x/sys/unix"

// hasRoom reports whether n bytes of address space are available.
func hasRoom(n int) bool {
	b, err := unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return false
	}
	return unix.Munmap(b) == nil
}
