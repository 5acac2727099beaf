package native

import "golang.org/x/sys/unix"

func pageSize() int { return unix.Getpagesize() }

// mapText returns size bytes of memory that can be written.
func mapText(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

// protectText makes memory of mapText executable instead of writable.
func protectText(text []byte) error { return unix.Mprotect(text, unix.PROT_READ|unix.PROT_EXEC) }

func unmapText(text []byte) error { return unix.Munmap(text) }
